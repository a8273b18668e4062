#!/usr/bin/env python3
"""A site with pages of videos, as yt-dlp's generic extractor reads them.

usage: site.py [--life SECONDS] [--size BYTES]    prints "READY PORT"; ends with its standard input

/feed/KIND?count=N      RSS, N entries that only have a page
/watch/KIND/NUMBER      the page
/media/KIND/NUMBER/HEIGHT.mp4?t=UNTIL   the film; 403 after UNTIL (seconds since 1970)
/__log                  the requests so far, a line each: "SECONDS STATUS PATH FIELDS"
/__digest/KIND/NUMBER/HEIGHT            the SHA-256 of that film
/__now                  the site's clock, in seconds since 1970

Kinds: jsonld, video, two (720 and 1080 lines), og, expiring (addresses live for SECONDS), dated (so do
these, and they say so), headers (the film demands the page as Referer), gone (no video there).
"""
import argparse
import functools
import hashlib
import html
import json
import random
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

options = argparse.ArgumentParser()
options.add_argument("--life", type=float, default=60)
options.add_argument("--size", type=int, default=4 << 20)
options = options.parse_args()

log, lock = [], threading.Lock()


@functools.lru_cache(maxsize=8)
def film(name):
    """The bytes of a film: the head of an MP4 file, then what its name makes."""
    head = b"\0\0\0\x20ftypisom\0\0\2\0isomiso2avc1mp41"
    return head + random.Random(name).randbytes(options.size - len(head))


def media(kind, number, height):
    until = time.time() + options.life
    name = {"expiring": "t", "dated": "expires"}.get(kind)
    query = f"?{name}={until:.0f}" if name else ""
    return f"/media/{kind}/{number}/{height}.mp4{query}"


def page(kind, number, base):
    title = f"Film {number} of {kind}"
    address = media(kind, number, 1080)
    if kind == "jsonld":
        data = {
            "@context": "https://schema.org", "@type": "VideoObject", "name": title, "duration": "PT1M1S",
            "thumbnailUrl": base + "/cover.jpg", "uploadDate": "2026-01-02",
            "contentUrl": base + address, "width": 1920, "height": 1080,
        }
        body = f'<script type="application/ld+json">{json.dumps(data)}</script>'
    elif kind == "two":
        sources = "".join(
            f'<source src="{media(kind, number, height)}" type="video/mp4" label="{height}p" size="{height}">'
            for height in (720, 1080))
        body = f"<video controls>{sources}</video>"
    elif kind == "og":
        body = f'<meta property="og:video" content="{base + address}"><meta property="og:video:type" content="video/mp4">'
    elif kind == "gone":
        body = "<p>Nothing to see here.</p>"
    else:
        body = (f'<video><source src="{html.escape(address)}" type="video/mp4">'
                f'<track kind="subtitles" src="/words/{number}.vtt" srclang="en"></video>')
    return f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{body}</body></html>"


def feed(kind, count, base):
    items = "".join(
        f"<item><guid>{kind}-{n}</guid><title>Entry {n}</title><link>{base}/watch/{kind}/{n}</link></item>"
        for n in range(1, count + 1))
    return f'<rss version="2.0"><channel><title>{kind}</title>{items}</channel></rss>'


class Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(True)

    def do_HEAD(self):
        self.answer(False)

    def answer(self, has_body):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        parts = url.path.strip("/").split("/")
        base = f"http://127.0.0.1:{self.server.server_address[1]}"
        match parts:
            case ["feed", kind]:
                status, type, body = 200, "application/rss+xml", feed(kind, int(query.get("count", 1)), base).encode()
            case ["watch", kind, number]:
                status, type, body = 200, "text/html; charset=utf-8", page(kind, number, base).encode()
            case ["words", _]:
                status, type, body = 200, "text/vtt", b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n"
            case ["media", kind, number, name]:
                return self.media(kind, number, name.removesuffix(".mp4"), query, base, has_body)
            case ["__log"]:
                with lock:
                    status, type, body = 200, "text/plain", "".join(log).encode()
            case ["__now"]:
                status, type, body = 200, "text/plain", f"{time.time():.3f}".encode()
            case ["__digest", *film_parts]:
                status, type, body = 200, "text/plain", hashlib.sha256(film("/".join(film_parts))).hexdigest().encode()
            case _:
                status, type, body = 404, "text/plain", b"no such thing"
        self.send(status, {"Content-Type": type, "Content-Length": len(body)}, body if has_body else b"")

    def media(self, kind, number, height, query, base, has_body):
        until = query.get("t") or query.get("expires")
        referer = self.headers.get("Referer")
        if until and time.time() > float(until):
            return self.send(403, {"Content-Length": 0}, b"")
        if kind == "headers" and referer != f"{base}/watch/{kind}/{number}":
            return self.send(403, {"Content-Length": 0}, b"")
        body = film(f"{kind}/{number}/{height}")
        fields = {"Content-Type": "video/mp4", "Accept-Ranges": "bytes",
                  "ETag": '"%s"' % hashlib.sha256(body[:64]).hexdigest()[:16]}
        wanted, status = self.headers.get("Range"), 200
        if wanted and wanted.startswith("bytes="):
            first, _, last = wanted[6:].partition("-")
            first, last = int(first), min(int(last or len(body) - 1), len(body) - 1)
            fields["Content-Range"] = f"bytes {first}-{last}/{len(body)}"
            body, status = body[first:last + 1], 206
        fields["Content-Length"] = len(body)
        self.send(status, fields, body if has_body else b"")

    def send(self, status, fields, body):
        if not self.path.startswith("/__"):
            said = {name: self.headers[name] for name in ("Referer", "User-Agent", "Range") if self.headers[name]}
            with lock:
                log.append(f"{time.time():.3f} {status} {self.path} {json.dumps(said)}\n")
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, str(value))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print("READY", server.server_address[1], flush=True)
sys.stdin.read()
