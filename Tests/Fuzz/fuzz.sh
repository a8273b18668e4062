#!/usr/bin/env bash
# fuzz.sh [SECONDS [NAME]]: feeds bytes that nobody would write to what reads a stranger's or a damaged
# file's (feed, response, words, index, stream, segments, film; all
# of them, if none is named), for SECONDS each, with the address sanitizer
# watching. Begins with Corpus/NAME; what it finds by itself is kept in .build/fuzz/NAME. Ends each with a
# line of counts, and with an error where there was a finding.
#
# Each module is built once, and as many at a time as there are cores; so do the fuzzers run. Optimised fuzzers
# try three times as many inputs, but take four minutes of processor time more to build: above 100 s each that is worth it.
set -euo pipefail
export seconds=${1:-20}
cd "$(dirname "$0")/../.."
speed=-O
((seconds > 100)) || speed=-Onone
export root=.build/fuzz/${speed#-}
mkdir -p "$root"
cores=$(nproc)

flags() { for flag in $(pkg-config --cflags libxml-2.0 libcurl); do printf -- '-Xcc\n%s\n' "$flag"; done; }
doors=(-I Sources/CCurl -I Sources/CCrypto -I Sources/CXML -I Sources/CPattern -I Sources/CChecksum)
mapfile -t foreign < <(flags)

compile() {
  swiftc -sanitize=fuzzer,address -parse-as-library -wmo $speed -enable-testing -package-name feedfs -swift-version 6 \
    -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature ExistentialAny \
    -I "$root" "${doors[@]}" "${foreign[@]}" "$@"
}

# module NAME SOURCE…: a target that others import, internals and all.
module() {
  local name=$1
  shift
  compile -module-name "$name" -emit-module -emit-module-path "$root/$name.swiftmodule" "$@" -c -o "$root/$name.o"
}

# fuzzer NAME MODULE…
fuzzer() {
  local name=$1
  shift
  compile -module-name "${name^}Fuzz" "Tests/Fuzz/${name^}Fuzz.swift" "${@/#/$root/}" -lxml2 -lcurl \
    -o "$root/$name.fuzzer" 2> >(grep -v 'Cannot export local symbol' >&2)
}

sources() { find "Sources/$1" -name '*.swift' | sort; }

# What a module needs before it, and its sources: all of them, but for what needs a thread or a disk.
declare -A needs=(
  [Blocks]='' [Addresses]='' [Quantities]='' [Markup]='Addresses' [Streams]='Addresses Blocks Markup' [HTTP]='Addresses Blocks Quantities' [Storage]='Blocks'
  [FeedReading]='Addresses Quantities Markup Streams' [Catalog]='FeedReading Markup'
)
sources_of() {
  case $1 in
    # Comments may name these types.
    HTTP) grep -rL '^[^/]*\(import Locks\|HTTPClient\|TransferLoop\)' Sources/HTTP ;;
    Storage) ls Sources/Storage/Formats/{CleanMark,IndexHeader,IndexPlaces,EntryKey,CRC32C,SuspectRanges,DocumentSum}.swift Sources/Storage/Disk/{FileGlance,OtherFormat}.swift ;;
    *) sources "$1" ;;
  esac
}

# What a fuzzer links.
declare -A links=(
  [feed]='Blocks Addresses Quantities Markup Streams FeedReading Catalog' [response]='Blocks Addresses Quantities HTTP' [index]='Blocks Storage'
  [words]='Blocks Addresses Quantities HTTP' [stream]='Blocks Addresses Markup Streams' [segments]='Blocks Addresses Markup Streams'
  [film]='Blocks Addresses Markup Streams'
)
read -ra names <<<"${2:-feed stream segments film response words index}"

# Builds what is wanted, each module as soon as those are there that it needs.
declare -A state=() building=()
begin() {
  local kind=$1 name=$2
  shift 2
  if [[ $kind == module ]]; then
    mapfile -t files < <(sources_of "$name")
    module "$name" "${files[@]}" &
  else
    read -ra objects <<<"${links[$name]}"
    fuzzer "$name" "${objects[@]/%/.o}" &
  fi
  building[$!]=$name
  state[$name]=begun
}
# there NAMES: whether all of these modules are.
there() { local name names; read -ra names <<<"$1"; for name in "${names[@]}"; do [[ ${state[$name]-} == there ]] || return 1; done; }

wanted=$(for name in "${names[@]}"; do tr ' ' '\n' <<<"${links[$name]:?"there is no fuzzer $name"}"; done | sort -u)
while :; do
  for name in "${names[@]}"; do
    [[ -n ${state[$name]-} || ${#building[@]} -ge $cores ]] || ! there "${links[$name]}" || begin fuzzer "$name"
  done
  # The way to the last module is the longest one, so it goes first.
  for name in Addresses Blocks Quantities Markup Streams FeedReading Catalog HTTP Storage; do
    [[ $'\n'$wanted$'\n' == *$'\n'$name$'\n'* && -z ${state[$name]-} && ${#building[@]} -lt $cores ]] || continue
    ! there "${needs[$name]}" || begin module "$name"
  done
  ((${#building[@]})) || break
  wait -n -p ended "${!building[@]}" || { echo "fuzz: ${building[$ended]} cannot be built" >&2; exit 1; }
  state[${building[$ended]}]=there
  unset "building[$ended]"
done

run() {
  local name=$1 work=.build/fuzz/$1 status=0 leaks=1 runs
  mkdir -p "$work/found"
  # libcurl 7.88 itself keeps some bytes of each host name that it cannot write in Punycode.
  [[ $name != response && $name != words ]] || leaks=0
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
export -f run
printf '%s\n' "${names[@]}" | xargs -P "$cores" -I{} bash -euo pipefail -c 'run {}'
