"""Lines that are long, thin or lossy, with real TCP: a fill, and a film at its own rate."""
import os, subprocess, time
from ..line import Line
from ..nginx import Nginx
from ..origin import Origin
from ..reading import elapsed, read, together, watch
from ..systems import FeedFS, FourConnections
from ..units import KIB, MB
from ..wire import Wire, curl
from .stage import Workload

FIRST = 64 * KIB
LONGEST = 230  # seconds of a trial: of curl over the lossiest line
FILM = 5e6 / 8  # bytes a second
FILM_LINE = 6e6 / 8


class OverLine(Workload):
    """`rtt` in ms, `rate` in bytes a second, `loss` in percent."""

    def __init__(self, rtt, rate, loss, congestion, server, size):
        self.rtt, self.rate, self.loss = rtt, rate, loss
        self.congestion, self.server, self.size = congestion, server, size
        self.folder = f'line-{size}'
        speed = f'{rate / MB:g} MB/s' if rate >= MB else f'{8 * rate / MB:g} Mbit/s'
        special = [word for word in (congestion, server) if word not in ('cubic', 'testorigin')]
        self.title = ', '.join([f'{rtt} ms', speed, f'{loss:g} %', *special])
        self.name = '-'.join(self.title.replace('/s', '').replace(' ', '').split(','))

    def takes(self, kind):
        return kind in (FeedFS, FourConnections)

    def seconds(self, parameters):
        return LONGEST

    def origin(self, stage):
        """At the far end of a new line; this process is at the near end from now on."""
        line = Line(os.path.join(stage.programs, 'line'), self.rtt / 1000, self.rate,
                    self.loss / 100, stage.turn + 1, self.congestion, LONGEST)
        if self.server == 'nginx':
            origin = Nginx(line, stage.content.root, os.path.join(stage.folder, 'nginx'))
        else:
            origin = Origin(os.path.join(stage.programs, 'testorigin'), stage.content.root, line)
        line.enter()
        stage.line = line
        return origin

    def address(self, stage):
        return stage.site.url(f'/files/{self.folder}/film.mp4')


class LineFill(OverLine):
    """`size` MB from begin to end; beside curl over one connection, and over four."""

    def limit(self, stage, report):
        origin, line = stage.origin, stage.line
        with Wire(origin.port, line.far) as wire:
            wire.get('/feed')
            report('first', 1000 * elapsed(
                lambda: wire.get(f'/files/{self.folder}/film.mp4', 0, FIRST)))
        self._report(report, elapsed(lambda: curl(
            (self.address(stage), os.path.join(stage.folder, 'copy')))))

    def measure(self, stage, kind, report):
        if kind is FourConnections:
            self._report(report, elapsed(lambda: self._four(stage)))
        else:
            with stage.system(kind) as system:
                system.mount()
                self._fill(system.path('film.mp4'), report)

    def _fill(self, path, report):
        start = time.perf_counter()
        with open(path, 'rb', buffering=0) as file:
            left = FIRST
            while left > 0:
                left -= len(file.read(left))
            report('first', 1000 * (time.perf_counter() - start))
            read(file.fileno())
        self._report(report, time.perf_counter() - start)

    def _four(self, stage):
        size = self.size * 10**6
        ends = [size * part // 4 for part in range(5)]
        together([lambda first=first, end=end: subprocess.run(
            ['curl', '-sSf', '-r', f'{first}-{end - 1}', '-o',
             os.path.join(stage.folder, f'part-{first}'), self.address(stage)],
            check=True, timeout=LONGEST) for first, end in zip(ends, ends[1:])])

    def _report(self, report, seconds):
        report('MB/s', self.size / seconds)


class LineFilm(OverLine):
    """A film that is a sixth slower than the line; beside the same player behind curl."""

    watched = 24  # seconds

    def __init__(self, rtt, loss, congestion, carries=True):
        super().__init__(rtt, FILM_LINE, loss, congestion, 'testorigin', 30)
        self.title = f'film of 5 Mbit/s, {self.title}'
        self.name = 'film-' + self.name
        self.carries = carries  # False where this congestion control makes less of the line

    def takes(self, kind):
        return kind is FeedFS

    def limit(self, stage, report):
        command = ['curl', '-sSf', self.address(stage)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0) as child:
            self._watch(child.stdout, report)
            child.kill()

    def measure(self, stage, kind, report):
        with stage.system(kind) as system:
            system.mount()
            with open(system.path('film.mp4'), 'rb', buffering=0) as file:
                self._watch(file, report)

    def _watch(self, file, report):
        begin, stalls = watch(file, FILM, self.watched)
        report('begin', begin)
        report('stalls', stalls)


def _fill(rtt, rate, loss, size, congestion='cubic', server='testorigin'):
    return LineFill(rtt, rate * MB, loss, congestion, server, size)


# The corners, and what lies between them; sizes for about ten seconds of one connection.
LINES = [
    _fill(5, 1, 0, 10), _fill(5, 5, 0, 50), _fill(5, 100, 0, 1000),
    _fill(150, 1, 0, 10), _fill(150, 5, 0, 50), _fill(150, 100, 0, 500),
    _fill(300, 1, 0, 10), _fill(300, 5, 0, 40), _fill(300, 100, 0, 250),
    _fill(5, 1, 1, 10), _fill(5, 100, 0.1, 200), _fill(5, 100, 1, 50),
    _fill(150, 5, 0.1, 10), _fill(300, 1, 1, 3), _fill(300, 100, 0.1, 5),
    _fill(150, 5, 1, 40, 'bbr'), _fill(300, 100, 0.1, 250, 'bbr'), _fill(300, 1, 0.1, 10, 'bbr'),
    _fill(150, 5, 0, 50, server='nginx'), _fill(300, 100, 0, 250, server='nginx'),
]

FILMS = [
    *(LineFilm(rtt, 0, 'cubic') for rtt in (50, 150, 300)),
    *(LineFilm(rtt, 0.5, 'bbr') for rtt in (50, 150, 300)),
    *(LineFilm(rtt, 0.5, 'cubic', carries=False) for rtt in (50, 150, 300)),
]
