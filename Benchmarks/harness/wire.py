"""What a reader could do that knows beforehand what it wants: the limits of the network rows."""
import socket, subprocess, xml.etree.ElementTree as ElementTree
from urllib.parse import urlsplit
from .reading import together


class Wire:
    """One connection that is kept, and one request at a time. Used by one thread."""

    def __init__(self, port, host='127.0.0.1'):
        self.host = host
        self.socket = socket.create_connection((host, port), timeout=60)
        self.rest = b''

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def get(self, path, start=None, count=None):
        """The body, or `count` bytes of it from `start` on."""
        part = '' if start is None else f'Range: bytes={start}-{start + count - 1}\r\n'
        self.socket.sendall(f'GET {path} HTTP/1.1\r\nHost: {self.host}\r\n{part}\r\n'.encode())
        while b'\r\n\r\n' not in self.rest:
            self._receive()
        head, _, self.rest = self.rest.partition(b'\r\n\r\n')
        length = next(int(line.split(b':')[1]) for line in head.split(b'\r\n')
                      if line.lower().startswith(b'content-length:'))
        while len(self.rest) < length:
            self._receive()
        body, self.rest = self.rest[:length], self.rest[length:]
        return body

    def _receive(self):
        piece = self.socket.recv(1 << 20)
        if not piece:
            raise ConnectionError('the origin hung up')
        self.rest += piece


def first_media(feed):
    """The path of a feed's first medium."""
    return urlsplit(ElementTree.fromstring(feed).find('.//enclosure').get('url')).path


def curl_kept(authority, protocol, asked):
    """Seconds of each of several requests, one after the other, of one curl that keeps its
    connection; `asked` are pairs of an URL and a range in curl's words, or None for the whole."""
    parts = [f"""url = "{url}"
cacert = "{authority}"
{'http2' if protocol == 'h2' else 'http1.1'}
silent
show-error
fail
output = "/dev/null"
write-out = "%{{time_total}}\\n"
{f'range = "{span}"' if span else ''}
""" for url, span in asked]
    done = subprocess.run(['curl', '-q', '-K', '-'], input='next\n'.join(parts), check=True,
                          capture_output=True, text=True, timeout=600)
    return [float(line) for line in done.stdout.split()]


def curl_one(authority, protocol, url, path):
    """Downloads one file with one curl."""
    version = '--http2' if protocol == 'h2' else '--http1.1'
    subprocess.run(['curl', '-qsSf', version, '--cacert', authority, '-o', path, url], check=True,
                   timeout=600)


def curl(*downloads):
    """Downloads each (url, path), or a range (url, path, 'first-last'), over a connection of its
    own, all at once."""
    together([lambda url=url, path=path, part=part: subprocess.run(
        ['curl', '-sSf', *(['-r', *part] if part else []), '-o', path, url], check=True,
        timeout=600) for url, path, *part in downloads])
