#!/usr/bin/env bash
# Packs the films that players are tried with, below a folder: a long one, and one that is soon over.
#
# usage: films.sh FOLDER
#
# Each picture has its number in it, as twelve bars: bright is 1, the lowest bit is on the left. Two minutes
# are encoded, and repeated.
set -euo pipefail
cd "$1"

pack() {
  local name=$1 seconds=$2 turns=$3
  mkdir -p "$name"/{pair,muxed,split,ts}
  ffmpeg -nostdin -v error -y \
    -f lavfi -i "testsrc2=size=640x360:rate=25,noise=alls=10:allf=t" \
    -f lavfi -i "nullsrc=size=12x2:rate=25,format=gray,geq=lum='if(mod(floor(N/pow(2,X)),2),235,16)',scale=640:40:flags=neighbor" \
    -f lavfi -i "anoisesrc=seed=7:amplitude=0.2:r=48000" -t "$seconds" \
    -filter_complex '[0][1]overlay' -map 2:a -c:v libx264 -preset ultrafast -tune zerolatency -bf 2 -g 100 \
    -sc_threshold 0 -b:v 1500k -maxrate 1500k -bufsize 1500k -pix_fmt yuv420p -c:a aac -b:a 128k "$name/once.mp4"
  ffmpeg -nostdin -v error -y -stream_loop $((turns - 1)) -i "$name/once.mp4" -c copy "$name/film.mp4"
  rm "$name/once.mp4"
  local hls=(-f hls -hls_playlist_type vod -hls_time 4)
  local file=(-hls_segment_type fmp4 -hls_flags single_file)
  from() { ffmpeg -nostdin -v error -y -i "$name/film.mp4" -c copy "$@"; }
  from "${hls[@]}" "$name/ts/film.m3u8"
  from "${hls[@]}" "${file[@]}" -hls_segment_filename "$name/muxed/film-360-fragmented.mp4" "$name/muxed/film.m3u8"
  from "${hls[@]}" "${file[@]}" -map 0:a -map 0:v -master_pl_name film.m3u8 \
    -var_stream_map 'a:0,agroup:sound,default:yes v:0,agroup:sound' \
    -hls_segment_filename "$name/split/film-%v-fragmented.mp4" "$name/split/%v.m3u8"
  from -map 0:v -movflags dash+global_sidx+frag_keyframe+delay_moov -f mp4 "$name/pair/v.mp4"
  from -map 0:a -movflags dash+global_sidx+delay_moov -frag_duration 4000000 -f mp4 "$name/pair/a.m4a"
  manifest "$name/pair" "$((seconds * turns))"
}

# Names the two files of a pair, and the index in each, as video sites do.
manifest() {
  python3 - "$1" "$2" <<'PYTHON'
import sys
folder, seconds = sys.argv[1:]
tracks = ''
for number, (kind, name) in enumerate((('video', 'v.mp4'), ('audio', 'a.m4a'))):
    with open(f'{folder}/{name}', 'rb') as file:
        head = file.read(1 << 16)
    start = head.index(b'sidx') - 4
    end = start + int.from_bytes(head[start:start + 4], 'big')
    tracks += (f'<AdaptationSet contentType="{kind}"><Representation id="{number}" mimeType="{kind}/mp4" '
               f'bandwidth="1"><BaseURL>{name}</BaseURL><SegmentBase indexRange="{start}-{end - 1}">'
               f'<Initialization range="0-{start - 1}"/></SegmentBase></Representation></AdaptationSet>')
with open(f'{folder}/film.mpd', 'w') as file:
    file.write('<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" minBufferTime="PT6S" '
               'profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" '
               f'mediaPresentationDuration="PT{seconds}S"><Period>{tracks}</Period></MPD>')
PYTHON
}

pack short 24 1
pack long 120 10
