#!/usr/bin/env bash
# The main job of feedfs, once through: mount a feed, play it, play it again with no network.
#
# usage: demo.sh DIRECTORY    where the built feedfs and testorigin are
#
# Ends with 0 only if every step did what it says. All that it makes lies in one new folder, which is
# taken away at the end, whatever happened.
set -euo pipefail

programs=$(cd "$1" && pwd)
folder=$(mktemp -d "${TMPDIR:-/tmp}/feedfs-demo-XXXXXX")
mount="$folder/feed"
videos="$folder/videos"
export XDG_CACHE_HOME="$folder/cache" XDG_STATE_HOME="$folder/state"
export XDG_RUNTIME_DIR="$folder/run"
export HOME="$folder"  # so that no player finds a configuration
mkdir "$mount" "$videos" "$folder/run"
step=0
doing="starting"

clean_up() {
  local status=$?
  trap - EXIT
  trap '' INT TERM HUP
  feedfs unmount --force "$mount" 2>/dev/null || fusermount3 -uqz "$mount" 2>/dev/null || true
  stop_origin
  if [[ $status != 0 ]]; then
    echo "The demo failed while $doing." >&2
    cat "$folder"/state/feedfs/*/feedfs.log >&2 2>/dev/null || true
  fi
  rm -rf --one-file-system "$folder"
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

feedfs() { "$programs/feedfs" "$@"; }

say() {
  doing=$1
  step=$((step + 1))
  printf '\n%d. %s\n' "$step" "$1"
}

# Shows a command as one would type it, and runs it.
show() {
  local words="$*"
  words=${words//$mount/\~\/feed}
  printf '   $ %s\n' "${words//$folder\//}"
  "$@" </dev/null 2>&1 | sed 's/^/     /'
}

# The origin ends with its standard input: it cannot outlive this script.
start_origin() {
  coproc origin { exec "$programs/testorigin" --root "$videos"; }
  # shellcheck disable=SC2154  # set by coproc
  read -r -t 10 ready port <&"${origin[0]}"
  [[ $ready == READY ]]
}

stop_origin() {
  [[ -n ${origin_PID:-} ]] || return 0
  local process=$origin_PID
  kill "$process" 2>/dev/null || true
  wait "$process" 2>/dev/null || true
}

# encode NAME CODECS…: ten seconds of a test picture and a tone.
encode() {
  ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=320x180:rate=25 -f lavfi -i sine=440 \
    -t 10 -b:v 3M "${@:2}" "$videos/$1"
}

# Plays FILE: what it is, then two seconds from its middle.
play() {
  show ffprobe -v error -show_entries format=format_name,duration -of compact=p=0 "$1"
  show ffmpeg -nostdin -v error -xerror -ss 5 -t 2 -i "$1" -f null -
  if command -v mpv >/dev/null; then
    show mpv --no-config --really-quiet --vo=null --ao=null --untimed --ao-null-untimed --start=5 --length=2 "$1"
  fi
}

# Every byte of every file, beside the bytes that were served.
compare() {
  (cd "$mount" && sha256sum [0-9]*.*) | cut -d' ' -f1 >"$folder/read"
  (cd "$videos" && sha256sum ./*) | cut -d' ' -f1 >"$folder/served"
  diff "$folder/read" "$folder/served"
  echo "   All $(du -cb "$videos"/* | tail -1 | cut -f1) bytes are those that were served."
}

say "making three videos, as publishers put them into feeds"
encode 1-index-in-front.mp4 -c:v mpeg4 -c:a aac -movflags +faststart
encode 2-index-at-the-end.mp4 -c:v mpeg4 -c:a aac
encode 3-webm.webm -c:v libvpx -threads 1 -deadline realtime -c:a libopus
du -h --apparent-size "$videos"/* | sed "s|$videos/|  |; s/^/   /"

say "serving them, and a feed of them, on loopback"
start_origin
url="http://127.0.0.1:$port/feed.xml"
show feedfs feed show "$url"

say "mounting the feed"
show feedfs mount "$url" "$mount"
show ls -l "$mount"
[[ $(cd "$mount" && echo *) == "0001.mp4 0002.mp4 0003.webm by-title new playlist.m3u8 started" ]]

say "playing some seconds of each"
for file in "$mount"/0*; do play "$file"; done
show feedfs status "$mount"

say "reading each to its end, so that all of it is kept"
compare

say "stopping the origin: from here on there is no network"
stop_origin
show feedfs unmount "$mount"
show feedfs mount "$url" "$mount"
[[ $(cd "$mount" && echo *) == "0001.mp4 0002.mp4 0003.webm by-title new playlist.m3u8 started" ]]

say "playing all of it again, from the cache"
for file in "$mount"/0*; do play "$file"; done
compare
show feedfs status "$mount"

say "unmounting"
show feedfs unmount "$mount"
[[ -z $(ls -A "$mount") ]]

cat <<END

That was it: a feed became a folder, its videos played while they were fetched, and once more with
nobody there to serve them. Everything that the demo made is gone again. To mount a feed of your own:

    mkdir -p ~/feed
    $programs/feedfs mount https://example.org/videos.rss ~/feed
    mpv ~/feed/0001.mp4
    $programs/feedfs unmount ~/feed
END
