#!/usr/bin/env bash
# Makes the fixture of the first version whose files are read for ever: cache, state and configuration as
# that version wrote them, and the texts of what it showed of them without its origin.
#
# usage: make-first-version.sh PROGRAMS FOLDER
#   PROGRAMS   where feedfs and testorigin of that version are, built from commit 62cde56
#   FOLDER     where look.py and film/ are, and where state and texts go: first-version
#
# It needs mpv, ffmpeg, curl, python3, and port 47811, which is part of the feeds' addresses. The tests need
# no port: they mount the fixture offline.
set -euo pipefail

programs=$(cd "$1" && pwd)
out=$(cd "$2" && pwd)
port=47811
url="http://127.0.0.1:$port"
folder=$(mktemp -d "${TMPDIR:-/tmp}/feedfs-fixture-XXXXXX")
media="$folder/media"
mount="$folder/mount"
feedfs="$programs/feedfs"
origin=""
mkdir "$media" "$mount" "$folder/run"
export XDG_RUNTIME_DIR="$folder/run" TZ=UTC

clean_up() {
  fusermount3 -uqz "$mount" || true
  [[ -z $origin ]] || kill "$origin" 2>/dev/null || true
  rm -rf --one-file-system "$folder"
}
trap clean_up EXIT

# --- The origin: films that pack well, and feeds ------------------------------------------------------

# Each page of a film names the film and itself.
film() {
  python3 - "$1" "$2" "$media/$3" <<'PY'
import sys
name, size, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with open(path, "wb") as file:
    for page in range(0, size, 4096):
        line = f"{name} at {page}\n".encode()
        file.write((line * 4096)[:min(4096, size - page)])
PY
  touch -d "${4:-2026-05-01 10:00:00}" "$media/$3"
}

clip() {
  ffmpeg -v error -f lavfi -i "color=c=$2:size=64x48:rate=2" -t "$3" -c:v mpeg4 -g 4 \
    -movflags +faststart -fflags +bitexact -flags:v +bitexact -map_metadata -1 "$media/$1"
  truncate -s "$4" "$media/$1"
  touch -d "2026-05-01 10:00:00" "$media/$1"
}

put() { # PATH TYPE, and the document on stdin
  curl -sf -X PUT --data-binary @- -H "Content-Type: $2" "$url/__put$1" >/dev/null
}

item() { # FILE TITLE DAY [ATTRIBUTES OF THE ENCLOSURE] [MORE ELEMENTS] [ID]
  cat <<XML
<item><title>$2</title><guid isPermaLink="false">${6:-id of $1}</guid>
<pubDate>$3 May 2026 10:00:00 GMT</pubDate>${5:-}
<enclosure type="video/mp4" ${4:-} url="$url/files/$1"/></item>
XML
}

rss() { # PATH TITLE NEXT, and the items on stdin
  local next=""
  [[ -z $3 ]] || next="<atom:link rel=\"next\" href=\"$url$3\"/>"
  { cat <<XML
<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"
  xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
  xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>$2</title>$next
XML
    cat
    echo '</channel></rss>'
  } | put "$1" application/rss+xml
}

transcript="<podcast:transcript url=\"$url/words.vtt\" type=\"text/vtt\" language=\"de\"/>"
duration='<itunes:duration>60</itunes:duration>'

# Reading preloads the next two: what is to have holes stands behind nothing that is read whole.
page_two() {
  { item dated.mp4 "Known by its date" 19 'length="2097152"'
    item nameless.mp4 "Of no known version" 18 'length="2097152"'
    item never.mp4 "Never opened" 17 'length="123456789"'
    item changed.mp4 "Changed" 16 'length="1048576"'
  } | rss /shows-2 "Shows &amp; more" /shows-3
}

page_three() { # ID of the first
  { item alias.mp4 "Of another id" 15 'length="1048576"' "" "$1"
    item twin-1.mp4 "Twins" 14 'length="1048576"'
    item twin-2.mp4 "Twins" 14 'length="1048576"'
    item watched.mp4 "Watched in part" 13 'length="1048576"' "$duration"
    item ended.mp4 "Zwölf 🦀 at the end" 12 'length="1048576"'
  } | rss /shows-3 "Shows &amp; more" ""
}

shows_at_first() {
  { item whole.mp4 "Whole" 28 'length="2097152"'
    item subtitled.mp4 "Subtitled" 27 'length="1048576"' "$transcript"
    item pinned.mp4 "Pinned" 26 'length="1048576"'
    item dropped.mp4 "Dropped" 25 'length="1048576"'
    item lengthless.mp4 "Without a length" 24
    item holed.mp4 "With a hole: 50% / half" 23 'length="1000000"'
    item retitled.mp4 "The old title" 22 'length="1048576"'
  } | rss /shows "Shows &amp; more" /shows-2
  page_two
  page_three "id of alias.mp4"
}

shows_later() {
  { item late.mp4 "Late" 29 'length="1048576"'
    item whole.mp4 "Whole" 28 'length="2097152"'
    item subtitled.mp4 "Subtitled" 27 'length="1048576"' "$transcript"
    item lengthless.mp4 "Without a length" 24
    item holed.mp4 "With a hole: 50% / half" 23 'length="1000000"'
    item retitled.mp4 "The new title" 22 'length="1048576"'
  } | rss /shows "Shows &amp; more" /shows-2
  page_three "a new id"
}

news() { # TITLE
  put /news application/atom+xml <<XML
<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>$1</title><id>news</id>
<updated>2026-05-02T00:00:00Z</updated>
<entry><title>First news</title><id>n1</id><updated>2026-05-02T00:00:00Z</updated>
<link rel="enclosure" type="video/mp4" length="1048576" href="$url/files/news-1.mp4"/></entry>
<entry><title>Second news</title><id>n2</id><updated>2026-05-01T00:00:00Z</updated>
<link rel="enclosure" type="video/webm" length="1048576" href="$url/files/news-2.webm"/></entry></feed>
XML
}

film whole 2097152 whole.mp4
film lengthless 2097152 lengthless.mp4
film holed 6291456 holed.mp4
film retitled 1048576 retitled.mp4
film pinned 1048576 pinned.mp4
film dropped 1048576 dropped.mp4
film subtitled 1048576 subtitled.mp4
film dated 2097152 dated.mp4
film nameless 2097152 nameless.mp4
film "changed, before" 1048576 changed.mp4
for name in twin-1 twin-2 never alias news-1 extra; do film $name 1048576 $name.mp4; done
film news-2 1048576 news-2.webm
film json 1048577 json.mp4
clip watched.mp4 blue 60 1048576
clip late.mp4 green 60 1048576
clip ended.mp4 red 4 1048576

"$programs/testorigin" --root "$media" --port $port --stay >"$folder/origin.log" 2>&1 &
origin=$!
until curl -sf "$url/__stats" >/dev/null; do sleep 0.1; done
curl -sf -X POST "$url/__version?path=/files/dated&etag=none" >/dev/null
curl -sf -X POST "$url/__version?path=/files/nameless&etag=none&last_modified=none" >/dev/null
curl -sf -X POST "$url/__version?path=/files/changed&cache_control=no-cache" >/dev/null
put /words.vtt text/vtt <<<$'WEBVTT\n\n00:00.000 --> 00:02.000\nHallo'
put /json application/feed+json <<JSON
{"version": "https://jsonfeed.org/version/1.1", "title": "News", "items": [{"id": "j1",
 "title": "JSON", "date_published": "2026-05-03T00:00:00Z", "attachments":
 [{"url": "$url/files/json.mp4", "mime_type": "video/mp4", "size_in_bytes": 1048577}]}]}
JSON
item extra.mp4 "Extra" 1 'length="1048576"' | rss /extra "Extras" ""
news News
shows_at_first

# --- What a user does ---------------------------------------------------------------------------------

life() { # NAME: begins a life with directories of its own
  life="$folder/lives/$1"
  mkdir -p "$life"
  export HOME="$life" XDG_CACHE_HOME="$life/cache" XDG_STATE_HOME="$life/state"
  export XDG_CONFIG_HOME="$life/config"
}

settle() {
  for _ in 1 2 3; do
    curl -sf "$url/__wait?idle=1" >/dev/null
    sleep 0.5
  done
}

number() { # FILE: its name in the mount
  "$feedfs" status "$mount" --json | python3 -c "
import json, sys, subprocess
for file in json.load(sys.stdin)['files']:
    text = subprocess.run(['$feedfs', 'status', '$mount/' + file['name'], '--json'],
                          capture_output=True, text=True).stdout
    if json.loads(text)['url'].endswith('/$1'): print('$mount/' + file['name'])"
}

part() { # FILE FROM COUNT
  dd if="$(number "$1")" iflag=skip_bytes,count_bytes skip="$2" count="$3" bs=64K status=none of=/dev/null
  settle
}

whole() {
  cmp "$(number "$1")" "$media/$1"
  settle
}

play() { # FILE SECONDS: plays from there for three seconds, and quits; without SECONDS, to the end
  local file
  file=$(basename "$(number "$1")" .mp4)
  "$feedfs" play "$mount" --from "$((10#$file))" -- --no-config --vo=null --ao=null --no-terminal \
    --input-ipc-server="$folder/socket" &
  [[ -z ${2:-} ]] || python3 - "$folder/socket" "$2" <<'PY'
import json, socket, sys, time
path, place = sys.argv[1], float(sys.argv[2])
player = socket.socket(socket.AF_UNIX)
while player.connect_ex(path):
    time.sleep(0.1)
lines = player.makefile()
def ask(*words):
    player.sendall((json.dumps({"command": words, "request_id": 7}) + "\n").encode())
    for line in lines:
        said = json.loads(line)
        if said.get("request_id") == 7:
            return said.get("data")
def wait_until(seconds):
    while not (ask("get_property", "time-pos") or 0) > seconds:
        time.sleep(0.1)
wait_until(0)
ask("seek", place, "absolute")
wait_until(place + 3)
ask("quit")
PY
  wait $!
  rm -f "$folder/socket"
  settle
}

# A life in order: reads, pins, positions, subscriptions; everything was unmounted.
life orderly
"$feedfs" feed add "$url/shows" --name "The shows"
"$feedfs" feed add "$url/news"
cat >"$folder/list.opml" <<XML
<opml version="2.0"><body><outline text="JSON" xmlUrl="$url/json"/>
<outline text="Äxtra" xmlUrl="$url/extra?token=a&amp;b=c"/></body></opml>
XML
"$feedfs" feed import "$folder/list.opml"
config="$XDG_CONFIG_HOME/feedfs/config.toml"
{ echo '# What is mine'
  echo 'cache-size = "3G"'
  echo 'read-timeout = 7'
  echo 'sidecars = ["subtitles"]'
  cat "$config"
  echo 'headers = { X-Own = "yes" }   # for the last feed'
} >"$folder/config"
cat "$folder/config" >"$config"

"$feedfs" mount "$mount" --feed "$url/shows" --pages all --sidecars subtitles --no-passthrough
whole whole.mp4
part lengthless.mp4 0 65536
part holed.mp4 0 65536
part holed.mp4 6225920 65536
part retitled.mp4 0 65536
"$feedfs" cache pin "$(number pinned.mp4)"
part subtitled.mp4 524288 65536
cat "$mount"/*.vtt >/dev/null
part dated.mp4 0 131072
part nameless.mp4 1048576 65536
whole changed.mp4
part alias.mp4 0 65536
settle
film "changed, afterwards" 1572864 changed.mp4 "2026-05-02 10:00:00"
shows_later
"$feedfs" unmount "$mount"
"$feedfs" mount "$mount" --feed "$url/shows" --pages all --sidecars subtitles --no-passthrough
"$feedfs" feed refresh "$mount"
settle
part changed.mp4 0 65536
settle
part changed.mp4 0 65536
play watched.mp4 31
play ended.mp4
play late.mp4 12
"$feedfs" unmount "$mount"
"$feedfs" mount "$mount"
settle
ls -R "$mount" >/dev/null
"$feedfs" unmount "$mount"
news "Another title"
"$feedfs" mount "$mount"
settle
cmp "$mount/News/0001.mp4" "$media/news-1.mp4"
"$feedfs" feed refresh "$mount" || true
settle
"$feedfs" unmount "$mount"

# A life that ends with SIGKILL, in the middle of a film.
life killed
"$feedfs" mount "$mount" --feed "$url/shows" --pages all --sidecars subtitles --no-passthrough
whole whole.mp4
part holed.mp4 0 65536
"$feedfs" cache pin "$(number alias.mp4)"
settle
# An answer that breaks off, and no other that could confirm its bytes.
curl -sf -X POST "$url/__fault?path=/files/dated&kind=reset&at=300000&times=1" >/dev/null
curl -sf -X POST "$url/__fault?path=/files/dated&kind=status&code=503&retry_after=60" >/dev/null
dd if="$(number dated.mp4)" bs=64K count=2 status=none of=/dev/null || true
kill -9 "$("$feedfs" status "$mount" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')"
fusermount3 -uqz "$mount" || true

# A life with the other files of the state: a stream, a page, a body without length, a list of feeds, a
# directory, and films that come by themselves.
mixed() {
  cat <<XML
<item><title>A stream</title><guid isPermaLink="false">stream</guid>
<enclosure type="application/vnd.apple.mpegurl" url="$url/film/v.m3u8"/></item>
<item><title>A page</title><guid isPermaLink="false">page</guid><link>$url/page.html</link></item>
<item><title>Growing</title><guid isPermaLink="false">growing</guid>
<enclosure type="video/mp4" url="$url/files/growing.mp4"/></item>
XML
  item holed.mp4 "Over a line" 2 'length="6291456"'
  item retitled.mp4 "Kept" 1 'length="1048576"'
}

life rich
for part in v.m3u8 s0.ts s1.ts s2.ts; do
  put "/film/$part" "$([[ $part == *.ts ]] && echo video/mp2t || echo application/vnd.apple.mpegurl)" \
    <"$out/film/$part"
done
put /page.html text/html <<HTML
<html><head><title>A page</title><meta property="og:video" content="$url/files/json.mp4">
<meta property="og:video:type" content="video/mp4"></head><body></body></html>
HTML
film growing 4194304 growing.mp4
mixed | rss /mixed "Mixed" ""
put /list text/x-opml <<XML
<opml version="2.0"><body><outline text="JSON" xmlUrl="$url/json"/>
<outline text="Extras" xmlUrl="$url/extra"/></body></opml>
XML
put /shelf/ text/html <<HTML
<html><head><title>Index of /shelf/</title></head><body><h1>Index of /shelf/</h1><pre><a href="../">../</a>
<a href="A%20film.mp4">A film.mp4</a>  01-May-2026 10:00  1048576
<a href="Another.mp4">Another.mp4</a>  01-May-2026 10:00  1048576
</pre></body></html>
HTML
mkdir -p "$XDG_CONFIG_HOME/feedfs"
cat >"$XDG_CONFIG_HOME/feedfs/config.toml" <<TOML
[[feed]]
url = "$url/mixed"
resolver = "page"
keep = 1

[[feed]]
url = "$url/list"

[[feed]]
url = "$url/shelf/"
TOML
chmod 600 "$XDG_CONFIG_HOME/feedfs/config.toml"
curl -sf -X POST "$url/__fault?path=/files/growing&kind=status200chunked&times=99" >/dev/null
curl -sf -X POST "$url/__network?latency_ms=60&rate=2000000" >/dev/null
"$feedfs" mount "$mount" --no-passthrough
sleep 3
ls -R "$mount"
mixed=$(dirname "$(ls "$mount"/*/0005.mp4)")
sha256sum "$mixed"/0001.* | cut -d' ' -f1 >"$out/film.sum"
head -c 65536 "$mixed"/0002.* >/dev/null
cat "$mixed"/0004.* >/dev/null
settle
curl -sf -X POST "$url/__network?rate=300000" >/dev/null
head -c 262144 "$mixed"/0003.* >/dev/null
"$feedfs" unmount "$mount"
curl -sf -X POST "$url/__network?latency_ms=0" >/dev/null
curl -sf -X POST "$url/__clear?path=/" >/dev/null

# --- The fixture --------------------------------------------------------------------------------------

kill "$origin"
tar -C "$folder/lives" -S --sort=name --owner=0 --group=0 --numeric-owner --format=gnu \
  --exclude=pid --exclude='*.log' -c orderly killed rich | gzip -9n >"$out/state.tar.gz"

# --- What that version shows of it: each time of a new copy --------------------------------------------

look() { # LIFE NAME OPTION…
  rm -rf "$folder/lives"
  mkdir "$folder/lives"
  tar -C "$folder/lives" -xzf "$out/state.tar.gz"
  life "$1"
  local name=$2
  shift 2
  "$feedfs" mount "$mount" --offline --no-passthrough "$@"
  python3 "$out/look.py" "$feedfs" mount "$mount" >"$out/$name.txt"
  "$feedfs" unmount "$mount"
}

look orderly orderly-several
look orderly orderly --feed "$url/shows" --sidecars subtitles
python3 "$out/look.py" "$feedfs" commands "$XDG_CACHE_HOME/feedfs" >"$out/orderly-commands.txt"
cp "$XDG_STATE_HOME/feedfs/positions.json" "$out/"
cp "$(grep -l Shows "$XDG_STATE_HOME"/feedfs/*/catalog.json)" "$out/"
look killed killed --feed "$url/shows" --sidecars subtitles
chmod 644 "$out"/*
ls -l "$out"
