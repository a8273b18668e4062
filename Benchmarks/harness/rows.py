"""The rows of the table: what is measured, and what is promised."""
import dataclasses
from .workloads import ALL, FILMS, LINES
from .workloads.secure import PROTOCOLS
from .workloads.stage import Parameters
from .workloads.streams import SHAPES


@dataclasses.dataclass(frozen=True)
class Promise:
    """`sign` is ≤ or ≥: at most, or at least, `value`, or that many times the limit."""

    sign: str
    value: float
    of_limit: bool = False
    holds_for: tuple = ()  # the parameters that must be the table's for it to mean something
    by_root: bool = False

    def is_kept(self, value):
        """`value` is a figure, or its ratio to the limit where the promise is one of the limit."""
        return value <= self.value if self.sign == '≤' else value >= self.value

    def concerns(self, parameters, is_root):
        same = all(getattr(parameters, name) == getattr(Parameters(), name)
                   for name in self.holds_for)
        return same and (is_root or not self.by_root)


@dataclasses.dataclass(frozen=True)
class Row:
    key: str  # for --only
    title: str
    workload: str
    metric: str
    unit: str
    promise: Promise | None = None


NETWORK = ('rtt', 'rate')


def at_most(value, *holds_for, **more):
    return Promise('≤', value, holds_for=holds_for, **more)


def at_least(value, *holds_for, **more):
    return Promise('≥', value, holds_for=holds_for, **more)


def share(value, **more):
    return Promise('≥', value, of_limit=True, **more)


def times_the_limit(value):
    return Promise('≤', value, of_limit=True, holds_for=NETWORK)


def secure(protocol, title):
    """The rows of a protocol that encrypts; the limit is curl over the same."""
    return [
        Row(f'{protocol}-mount', f'{title}: mount → first 64 KiB', f'{protocol} start', 'mount',
            's', times_the_limit(1.3)),
        Row(f'{protocol}-open', f'{title}: `open` → first 64 KiB', f'{protocol} start', 'open',
            's', times_the_limit(1.1)),
        Row(f'{protocol}-seek-p50', f'{title}: random seeks of 256 KiB, p50', f'{protocol} seeks',
            'p50', 'ms', times_the_limit(1.1)),
        Row(f'{protocol}-seek-p95', '… p95', f'{protocol} seeks', 'p95', 'ms',
            times_the_limit(1.1)),
        Row(f'{protocol}-seek-bytes', '… bytes from the origin per byte asked',
            f'{protocol} seeks', 'bytes', '', at_most(2.5)),
        Row(f'{protocol}-connections', '… connections, with that of the feed',
            f'{protocol} seeks', 'connections', '', at_most(4)),
        Row(f'{protocol}-lanes', f'{title}: fill, each connection limited', f'{protocol} fill',
            'MB/s', 'MB/s', share(0.95)),
        Row(f'{protocol}-fill', f'{title}: fill, origin unlimited', f'{protocol} unlimited fill',
            'MB/s', 'MB/s', share(0.95)),
        Row(f'{protocol}-fill-cpu', '… processor time', f'{protocol} unlimited fill', 'CPU',
            's/GiB', at_most(3)),
    ]


USER = 'complete, ordinary user'

ROWS = [
    Row('mount', 'mount → first 64 KiB, feed and file on one host', 'start', 'mount', 's',
        at_most(0.18, *NETWORK)),
    Row('open', '`open` → first 64 KiB (listed)', 'start', 'open', 's', at_most(0.054, *NETWORK)),
    Row('trips', '… in round trips', 'start', 'trips', '', at_most(1.5, 'rate')),
    Row('open-requests', '… requests to the origin', 'start', 'open requests', '', at_most(2)),
    Row('open-bytes', '… bytes from the origin', 'start', 'open MiB', 'MiB', at_most(0.6)),
    Row('heads', 'requests for the first 256 KiB by steps of 4, 64, 128 and 256 KiB: the most',
        'start', 'heads', '', at_most(1)),
    Row('probe-front', 'ffprobe, index in front', 'films', 'ffprobe front', 's',
        at_most(0.12, *NETWORK)),
    Row('probe-end', 'ffprobe, index at the end', 'films', 'ffprobe end', 's',
        at_most(0.16, *NETWORK)),
    Row('probe-later', '… of the third such film of a feed', 'films', 'ffprobe later', 's',
        at_most(0.2, *NETWORK)),
    Row('decode-front', 'ffmpeg decodes the first second, index in front', 'films', 'ffmpeg front',
        's', at_most(0.28, *NETWORK)),
    Row('decode-end', 'ffmpeg decodes the first second, index at the end', 'films', 'ffmpeg end',
        's', at_most(0.28, *NETWORK)),
    Row('decode-later', '… of the fourth such film of a feed', 'films', 'ffmpeg later', 's',
        at_most(0.35, *NETWORK)),
    Row('fill', 'fill, origin unlimited (limit: curl to the same disk)', 'complete', 'fill', 'MB/s',
        share(0.9)),
    Row('lanes', '128 MiB of a film, each connection limited (limit: four curls)', 'lanes', 'MB/s',
        'MB/s', at_least(72, *NETWORK)),
    Row('lanes-sent', '… bytes from the origin per byte read', 'lanes', 'sent', '',
        at_most(1.05, *NETWORK)),
    Row('lanes-requests', '… requests to the origin', 'lanes', 'requests', '',
        at_most(100, *NETWORK)),
    Row('seek-p50', 'random seeks of 256 KiB, p50', 'seeks', 'p50', 'ms', at_most(62, *NETWORK)),
    Row('seek-p95', '… p95', 'seeks', 'p95', 'ms', at_most(75, *NETWORK)),
    Row('seek-bytes', '… bytes from the origin per byte asked', 'seeks', 'bytes', '', at_most(2.5)),
    Row('hot', 'complete file, page cache hot, sequential (limit: the file itself)', 'complete',
        'hot', 'GB/s', share(0.9, by_root=True)),
    Row('hot-random', '… 4 KiB random', 'complete', 'random', 'MB/s', share(0.9, by_root=True)),
    Row('hot-random-4', '… 4 KiB random, four threads', 'complete', 'random by several', 'MB/s',
        share(0.9, by_root=True)),
    Row('wrapper', '… one thread, beside passthrough of a daemon in C', 'complete',
        'random beside C', 'MB/s', share(0.95, by_root=True)),
    Row('wrapper-4', '… four threads, beside it', 'complete', 'random by several beside C', 'MB/s',
        share(0.95, by_root=True)),
    Row('user-hot', 'the same as an ordinary user, second read, sequential', USER, 'hot', 'GB/s',
        share(0.6)),
    Row('user-random', '… 4 KiB random', USER, 'random', 'MB/s', share(0.8)),
    Row('cold', 'complete file through the daemon, pages cold, sequential', USER, 'cold', 'GB/s',
        at_least(2.4)),
    Row('loop', '… beside a loop of pread and fuse_reply_buf', USER, 'cold', 'GB/s', share(0.5)),
    Row('list', 'mount + `ls -l` of 200 entries', 'listing', 'seconds', 's',
        at_most(0.16, *NETWORK)),
    Row('list-requests', '… requests to the origin', 'listing', 'requests', '', at_most(1)),
    Row('fill-cpu', 'processor time of a fill', 'complete', 'fill CPU', 's/GiB', at_most(0.6)),
    Row('read-cpu', 'processor time of reading a complete file', 'complete', 'read CPU', 's/GiB',
        at_most(0.06, by_root=True)),
    Row('user-cpu', '… as an ordinary user', USER, 'read CPU', 's/GiB', at_most(0.45)),
    Row('peak', 'peak resident memory while filling, mapped pages included', 'complete', 'peak',
        'MiB', at_most(32)),
    Row('offline', 'remount offline and hash the file', 'complete', 'offline', 's',
        at_most(0.42, 'size')),
    Row('kill', 'fetched again after `kill -9`, of 30 % of the file', 'kill', 'again', 'MiB',
        at_most(1)),
    Row('players', 'four players on four files of 64 MiB: aggregate', 'players', 'MB/s', 'MB/s',
        at_least(240, *NETWORK)),
    Row('stalls', '… stalls at half the rate of a connection', 'players', 'stalls', '', at_most(0)),
    *(row for protocol, title in PROTOCOLS.items() for row in secure(protocol, title)),
]


# They need more than the others.
LINE_ROWS = [
    *(row for line in LINES for row in (
        Row(f'lines/{line.name}', f'{line.title}: fill (limit: curl)', line.name, 'MB/s', 'MB/s',
            share(0.97)),
        Row(f'lines/{line.name}', '… `open` → first 64 KiB', line.name, 'first', 'ms'))),
    *(row for film in FILMS for row in (
        Row(f'lines/{film.name}', f'{film.title}: stalls in {film.watched} s (limit: curl)',
            film.name, 'stalls', '', at_most(0) if film.carries else None),
        Row(f'lines/{film.name}', '… until its first 2 s are there', film.name, 'begin', 's'))),
]


def stream(shape, title, layout, most, first, seek):
    """The rows of a film in one shape; the limit is feedfs with the same film as one file."""
    rows = [
        (f'{title}: the first `open`', 'layout', 's', at_most(layout, *NETWORK)),
        ('… requests', 'layout requests', '', None if shape == 'ts' else at_most(most)),
        ('… MB from the origin', 'layout MB', 'MB', None),
        ('… ffmpeg, first picture', 'ffmpeg first', 's', None),
        ('… ffmpeg, seeks: median of four', 'ffmpeg seek', 's', None),
        ('… ffmpeg, seeks: the slowest', 'ffmpeg slowest', 's', None),
        ('… mpv, first picture', 'mpv first', 's', at_most(first, *NETWORK)),
        ('… mpv, seeks: median of four', 'mpv seek', 's', at_most(seek, *NETWORK)),
        ('… mpv, seeks: the slowest', 'mpv slowest', 's', None),
        ('… yt-dlp to mpv, which cannot seek: first picture', 'yt-dlp', 's', None),
        ('… 64 KiB of the middle after a restart', 'restart', 's', None),
        ('… requests for it', 'restart requests', '', None),
        ('… whole read', 'whole', 'MB/s', None),
        ('… requests', 'whole requests', '', None),
        ('… bytes from the origin per byte', 'whole sent', '', None),
        ('… processor time, origin unlimited', 'CPU', 's/GiB', None),
        ('… peak resident memory', 'peak', 'MiB', None),
    ]
    return [Row(f'streams/{shape}', title, f'stream {shape}', metric, unit, promise)
            for title, metric, unit, promise in rows]


STREAM_ROWS = [
    *stream('ts', SHAPES['ts'], layout=1.0, most=0, first=2.1, seek=1.45),
    *stream('ranges', SHAPES['ranges'], layout=0.27, most=3, first=1.5, seek=1.25),
    *stream('pair', SHAPES['pair'], layout=0.3, most=4, first=2.6, seek=1.45),
    *(Row('streams/long', title, 'stream long', metric, unit) for title, metric, unit in (
        ('three hours in 2,700 segments without sizes: the first `open`', 'layout', 's'),
        ('… requests', 'layout requests', ''),
        ('… MB from the origin', 'layout MB', 'MB'),
        ('… peak resident memory', 'peak', 'MiB'),
        ('… its layout on the disk', 'stored', 'KiB'),
        ('… 64 KiB of the middle after a restart', 'restart', 's'),
        ('… requests for it', 'restart requests', ''))),
]

# Only for --only, as they take long.
LONG_ROWS = [*LINE_ROWS, *STREAM_ROWS]


def is_chosen(row, key):
    """A key is that of a row, or of a group of them."""
    return row.key == key or row.key.startswith(key + '/')


def chosen(keys):
    """The rows with these keys, all that are usual for none, and the workloads that they need."""
    rows = [row for row in ROWS + LONG_ROWS if any(is_chosen(row, key) for key in keys)]
    rows = rows if keys else ROWS
    needed = {row.workload for row in rows}
    return rows, [workload for workload in ALL if workload.name in needed]
