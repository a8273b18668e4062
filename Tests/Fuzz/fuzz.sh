#!/usr/bin/env bash
# Feeds bytes that nobody would write to the parser, for SECONDS, with the address sanitizer watching.
# Begins with Corpus/; what it finds by itself is kept in .build/fuzz/found. Ends with a line of counts,
# and with an error where there was a finding.
set -euo pipefail
seconds=${1:-60}
cd "$(dirname "$0")/../.."
work=.build/fuzz
mkdir -p "$work/found"
options=()
for flag in $(pkg-config --cflags libxml-2.0); do options+=(-Xcc "$flag"); done
swiftc -sanitize=fuzzer,address -parse-as-library -O \
  -package-name feedfs -module-name FeedFuzz -swift-version 6 -enable-upcoming-feature InternalImportsByDefault \
  -enable-upcoming-feature ExistentialAny -I Sources/CXML "${options[@]}" \
  Sources/Feeds/*.swift Tests/Fuzz/FeedFuzz.swift -lxml2 -o "$work/fuzz"
log=$work/log
set +e
timeout $((seconds + 60)) "$work/fuzz" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 \
  -max_len=65536 -print_final_stats=1 -artifact_prefix="$work/" "$work/found" Tests/Fuzz/Corpus \
  >"$log" 2>&1
status=$?
set -e
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
if [[ $status != 0 ]]; then
  tail -40 "$log" >&2
  echo "fuzz: a finding after ${runs:-?} inputs; it is kept in $work" >&2
  exit 1
fi
echo "fuzz: $runs inputs in $seconds s, no finding"
