#!/usr/bin/env bash
# Runs every test, some suites beside each other: most of a promise's time is waiting.
#
# usage: run.sh [-j N] [PATTERN]    PATTERN: only suites whose name it matches (extended)
#
# Promises that run on each drive are two suites: direct:NAME needs no kernel, NAME is the kernel's part.
#
# Each suite is a process of its own. For root it has a mount and a network namespace of its own: it sees no
# mount of the user, nor of another suite, and no link that another suite makes, which a daemon would take for
# another network. What holds its times to figures that other work would spoil comes last, with nothing beside
# it; so does, once more, a suite that failed beside others. Tests that run like that see FEEDFS_ALONE. The log
# of a suite that fails alone is printed whole.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=5
while getopts j: option; do
  case $option in
    j) jobs=$OPTARG ;;
    *) exit 64 ;;
  esac
done
shift $((OPTIND - 1))
pattern=${1:-.}

export NO_COLOR=1
export runner=$PWD/.build/debug/feedfsPackageTests.xctest
[[ -x $runner ]] || { echo "There are no tests in .build/debug: \`swift build --build-tests\` makes them." >&2; exit 1; }
logs=$(mktemp -d "${TMPDIR:-/tmp}/feedfs-tests-XXXXXX")
export logs
trap 'rm -rf "$logs"' EXIT

# What takes longest begins first.
first=(HTTPTests.KeptConnectionTests SimulationTests.LifeTests direct:VersionTests FaultMatrixTests
  VersionTests KeepTests CacheCommandTests StreamFaultTests StoppedDaemonTests WatchdogTests OfflineTests PlayCommandTests
  FeedReadingTests CatalogTests StorageTests StreamingTests)
alone=(OutageTests PromptnessTests StalledOriginTests LineTests KeptConnectionTests SimulationTests.LiveCatalogTests)
# Its tests do nothing but wait for timeouts, so they run beside each other, too.
export waiting=HTTPTests.KeptConnectionTests

# A line each: the module, or, where tests wait or compute long, the suite. A test with a parameter `on` runs on
# each drive.
suites() {
  "$runner" --testing-library swift-testing --list-tests 2>/dev/null |
    sed -nE 's,^PromiseTests\.Promises/([A-Za-z0-9]+)/[^(]*\(on:.*,direct:\1\n\1,p; t
      s,^PromiseTests\.Promises/([A-Za-z0-9]+)/.*,\1,p; t
      s,^((HTTP|Simulation)Tests\.[A-Za-z0-9]+)/.*,\1,p; t
      s,^([A-Za-z]+)\..*,\1,p' |
    sort -u | grep -E "$pattern" || true
}

# shellcheck disable=SC2317  # called by xargs
run() {
  local suite=$1 status=0 began=$SECONDS isolation=()
  if [[ $(id -u) == 0 ]] && command -v ip >/dev/null && unshare --mount --net true 2>/dev/null; then
    # shellcheck disable=SC2016  # "$@" is that of sh
    isolation=(unshare --mount --net --propagation slave sh -c 'ip link set lo up && exec "$@"' sh)
  fi
  local filter="^(PromiseTests\.Promises/$suite/|${suite}[./])"
  export FEEDFS_DRIVES=kernel
  if [[ $suite == direct:* ]]; then
    FEEDFS_DRIVES=direct
    filter="^PromiseTests\.Promises/${suite#direct:}/[^(]*\(on:"
  fi
  local command=("$runner" --testing-library swift-testing --filter "$filter")
  [[ $suite == "$waiting" ]] || command+=(--no-parallel)
  "${isolation[@]}" "${command[@]}" >"$logs/$suite" 2>&1 </dev/null || status=$?
  local counts
  counts=$(grep -aoE 'Test run with [0-9]+ tests?' "$logs/$suite" | tail -n 1) || true
  if [[ $status == 0 && -n $counts ]]; then
    printf 'passed %4d s  %s (%s)\n' $((SECONDS - began)) "$suite" "${counts#Test run with }"
  else
    echo "$suite" >>"$logs/.failed"
    printf 'FAILED %4d s  %s (status %s)\n' $((SECONDS - began)) "$suite" "$status"
  fi
}
export -f run

# The ones of $1 that are there, in its order, then the others; or without them.
mapfile -t all < <(suites)
[[ ${#all[@]} != 0 ]] || { echo "No suite has a name like $pattern." >&2; exit 1; }
here() { for suite in "$@"; do [[ " ${all[*]} " != *" $suite "* ]] || echo "$suite"; done; }
others() {
  for suite in "${all[@]}"; do [[ " ${first[*]} ${alone[*]} " == *" $suite "* ]] || echo "$suite"; done
}

{ here "${first[@]}"; others; } | xargs -r -P "$jobs" -I{} bash -c 'run {}'
here "${alone[@]}" | FEEDFS_ALONE=1 xargs -r -P 1 -I{} bash -c 'run {}'

# Company can starve what waits for a deadline. Whatever fails beside others is shown, and has to pass alone.
if [[ -e $logs/.failed ]]; then
  mkdir "$logs/.beside"
  mv "$logs/.failed" "$logs/.again"
  while read -r suite; do
    printf '\n--- %s, beside others\n' "$suite"
    grep -aE '✘|↳ [^/TS]|rror:' "$logs/$suite" | cut -c 1-400 | tail -n 40 || tail -n 40 "$logs/$suite"
    mv "$logs/$suite" "$logs/.beside/"
  done <"$logs/.again"
  printf '\n--- once more, alone\n'
  FEEDFS_ALONE=1 xargs -r -P 1 -I{} bash -c 'run {}' <"$logs/.again"
fi

count() { cat "$logs"/* | grep -aE "$1" | grep -vc 'Test run with' || true; }
total=$(cat "$logs"/* | awk 'match($0, /Test run with [0-9]+/) { sum += substr($0, RSTART + 14) } END { print sum + 0 }')
failed=$(count '✘ Test .* failed after')
skipped=$(count '➜.* Test .* skipped')
status=0
if [[ -e $logs/.failed ]]; then
  status=1
  while read -r suite; do
    printf '\n--- %s\n' "$suite"
    tail -c 100000 "$logs/$suite"
  done <"$logs/.failed"
  # A suite that ended without a count has failed as a whole.
  [[ $failed != 0 ]] || failed=$(wc -l <"$logs/.failed")
fi
printf '%d passed, %d failed, %d skipped\n' $((total - failed - skipped)) "$failed" "$skipped"
exit $status
