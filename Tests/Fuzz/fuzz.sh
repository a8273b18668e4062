#!/usr/bin/env bash
# fuzz.sh [SECONDS [NAME]]: feeds bytes that nobody would write to what reads a stranger's or a damaged
# file's (feed, response, index, stream, film; all of them, if none is named), for SECONDS each, with the address sanitizer
# watching. Begins with Corpus/NAME; what it finds by itself is kept in .build/fuzz/NAME. Ends each with a
# line of counts, and with an error where there was a finding.
set -euo pipefail
seconds=${1:-20}
cd "$(dirname "$0")/../.."
root=.build/fuzz
mkdir -p "$root"

# build NAME MODULE ARGUMENT…
build() {
  local name=$1
  shift
  swiftc -sanitize=fuzzer,address -parse-as-library -wmo -O -package-name feedfs -swift-version 6 \
    -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature ExistentialAny \
    -module-name "${name^}Fuzz" "$@" "Tests/Fuzz/${name^}Fuzz.swift" -o "$root/$name.fuzzer" \
    2> >(grep -v 'Cannot export local symbol' >&2)
}

# module NAME ARGUMENT…: a target that others import.
module() {
  local name=$1
  shift
  swiftc -sanitize=fuzzer,address -parse-as-library -wmo -O -package-name feedfs -swift-version 6 \
    -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature ExistentialAny \
    -module-name "$name" -emit-module -emit-module-path "$root/$name.swiftmodule" "$@" -c -o "$root/$name.o"
}

# Addresses, which others import.
make_addresses() {
  local options sources
  mapfile -t options < <(flags libcurl)
  mapfile -t sources < <(find Sources/Addresses -name '*.swift')
  module Addresses -I Sources/CCurl "${options[@]}" "${sources[@]}"
}

flags() { for flag in $(pkg-config --cflags "$1"); do printf -- '-Xcc\n%s\n' "$flag"; done; }

# Streams, which FeedReading imports.
make_streams() {
  local options sources
  make_addresses
  module Blocks Sources/Blocks/*.swift
  mapfile -t options < <(flags libcurl)
  mapfile -t sources < <(find Sources/Streams -name '*.swift')
  module Streams -I Sources/CCurl -I Sources/CCrypto -I "$root" "${options[@]}" "${sources[@]}"
}

make_feed() {
  local options sources
  make_streams
  module Quantities Sources/Quantities/*.swift
  mapfile -t options < <(flags libxml-2.0; flags libcurl)
  options+=(-I Sources/CPattern -I Sources/CXML -I Sources/CCurl -I Sources/CCrypto -I "$root")
  mapfile -t sources < <(find Sources/FeedReading -name '*.swift')
  module FeedReading "${options[@]}" "${sources[@]}"
  mapfile -t sources < <(find Sources/Catalog -name '*.swift')
  build feed "${options[@]}" "${sources[@]}" "$root/Addresses.o" "$root/Blocks.o" "$root/Quantities.o" \
    "$root/Streams.o" "$root/FeedReading.o" -lxml2 -lcurl
}

# All of HTTP but what needs a thread.
make_response() {
  local options sources
  module Blocks Sources/Blocks/*.swift
  make_addresses
  mapfile -t options < <(flags libcurl)
  mapfile -t sources < <(grep -rL 'NIOConcurrencyHelpers\|HTTPClient\|TransferLoop' Sources/HTTP)
  build response -I Sources/CCurl -I "$root" "${options[@]}" "${sources[@]}" \
    "$root/Blocks.o" "$root/Addresses.o" -lcurl
}

# The same sources, with other readers.
make_film() { make_stream film; }

make_stream() {
  local options sources
  make_addresses
  module Blocks Sources/Blocks/*.swift
  mapfile -t options < <(flags libcurl)
  mapfile -t sources < <(find Sources/Streams -name '*.swift')
  build "${1:-stream}" -I Sources/CCurl -I Sources/CCrypto -I "$root" "${options[@]}" "${sources[@]}" \
    "$root/Blocks.o" "$root/Addresses.o" -lcurl
}

make_index() {
  module Blocks Sources/Blocks/*.swift
  build index -I Sources/CChecksum -I "$root" \
    Sources/Storage/Formats/{IndexHeader,IndexPlaces,EntryKey,CRC32C}.swift "$root/Blocks.o"
}

run() {
  local name=$1 work=$root/$1 status=0 leaks=1 runs
  mkdir -p "$work/found"
  # libcurl 7.88 itself keeps some bytes of each host name that it cannot write in Punycode.
  [[ $name != response ]] || leaks=0
  ASAN_OPTIONS=detect_leaks=$leaks timeout $((seconds + 60)) "$root/$name.fuzzer" -max_total_time="$seconds" -timeout=5 \
    -detect_leaks=$leaks -rss_limit_mb=1024 -max_len=65536 -print_final_stats=1 -artifact_prefix="$work/" \
    "$work/found" "Tests/Fuzz/Corpus/$name" >"$work/log" 2>&1 || status=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log" | tail -1)
  if [[ $status != 0 ]]; then
    tail -40 "$work/log" >&2
    echo "fuzz $name: a finding after ${runs:-?} inputs; it is kept in $work" >&2
    exit 1
  fi
  echo "fuzz $name: $runs inputs in $seconds s, no finding"
}

for name in ${2:-feed response index stream film}; do
  "make_$name"
  run "$name"
done
