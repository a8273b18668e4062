"""A film that is many pieces, read as one file, beside the players that read its pieces."""
import json, os, shutil, socket, subprocess, time
from ..reading import elapsed, sequential, tool
from ..systems import BareURL, FeedFS
from ..trial import Trouble
from ..units import GIB, KIB, MB, MIB
from .stage import Workload, median

SHAPES = {'ts': 'HLS TS without sizes', 'ranges': 'HLS fMP4 by byte ranges',
          'pair': 'picture and sound apart'}
DOCUMENTS = {'plain': 'film.mp4', 'ts': 'ts/film.m3u8', 'ranges': 'ranges/film.m3u8',
             'pair': 'pair/film.mpd', 'long': 'long/film.m3u8'}
TYPES = {'mp4': 'video/mp4', 'm3u8': 'application/x-mpegURL', 'mpd': 'application/dash+xml'}
SLOWER = 8  # a site gives each connection less than the other rows do: 2.5 MB/s
# Of the film: four seeks, forward and back, none of them to where a segment begins.
PLACES = [0.523, 0.217, 0.834, 0.373]
PATIENCE = 60  # seconds for a picture


class Streams(Workload):
    """One shape of a film. The limit is feedfs too, with the same film as one plain file."""

    folder = 'streams'

    def __init__(self, shape):
        self.shape, self.name = shape, f'stream {shape}'

    def takes(self, kind):
        return kind in (FeedFS, BareURL)

    def seconds(self, parameters):
        return 240 + 4 * parameters.transfer(parameters.size, parameters.rate / SLOWER)

    def limit(self, stage, report):
        self._measure_mounted(stage, Film(stage, 'plain'), report)

    def measure(self, stage, kind, report):
        film = Film(stage, self.shape)
        if kind is FeedFS:
            self._measure_mounted(stage, film, report)
        else:
            self._measure_address(stage, film, report)

    def _measure_mounted(self, stage, film, report):
        """Each part has a mount and a cache of its own, so that all that it reads is cold."""
        stage.origin.network(stage.parameters.rtt, stage.parameters.rate / SLOWER)
        with film.mounted('ffmpeg') as path:
            for name, value in film.layout(path):
                report(name, value)
            report('ffmpeg first', picture(path))
            film.report_seeks('ffmpeg', [self._seek(path, film, share) for share in PLACES],
                              report)
            for name, value in film.restart(path):
                report(name, value)
        with film.mounted('mpv') as path:
            self._play(film, path, report)
        with film.mounted('whole') as path:
            for name, value in film.whole(path):
                report(name, value)
        stage.origin.network()
        with film.mounted('unlimited') as path:
            used = film.system.processor_time()
            sequential(path)
            used = film.system.processor_time() - used
            report('CPU', used / (os.path.getsize(path) / GIB))
            report('peak', film.system.peak() / MIB)

    def _measure_address(self, stage, film, report):
        """Programs that read the pieces themselves."""
        stage.origin.network(stage.parameters.rtt, stage.parameters.rate / SLOWER)
        stage.origin.forget()
        report('ffmpeg first', picture(film.url))
        film.report_seeks('ffmpeg', [self._seek(film.url, film, share) for share in PLACES],
                          report)
        self._play(film, film.url, report)
        if shutil.which('yt-dlp'):
            # Nobody can seek in a pipe: it is measured until the first picture alone.
            with piped(film.url) as input, Player('-', input) as player:
                report('yt-dlp', player.first)

    def _seek(self, address, film, share):
        film.stage.origin.settle()
        return picture(address, film.seconds * share)

    def _play(self, film, address, report):
        film.stage.origin.settle()
        with Player(address) as player:
            report('mpv first', player.first)
            film.stage.origin.settle()
            film.report_seeks('mpv', [player.seek(film.seconds * share) for share in PLACES],
                              report)


class LongStream(Workload):
    """Three hours in 2,700 segments, whose sizes nobody tells."""

    folder, name = 'streams', 'stream long'

    def takes(self, kind):
        return kind is FeedFS

    def limit(self, stage, report):
        """The same requests over sixteen connections, which is what feedfs gives one origin."""
        report('layout', 2700 / 16 * stage.parameters.rtt)

    def measure(self, stage, kind, report):
        stage.origin.network(stage.parameters.rtt, stage.parameters.rate / SLOWER)
        film = Film(stage, 'long')
        with film.mounted('long') as path:
            before = film.stored()
            for name, value in film.layout(path):
                report(name, value)
            report('peak', film.system.peak() / MIB)
            report('stored', (film.stored() - before) / KIB)
            for name, value in film.restart(path):
                report(name, value)


class Film:
    """What is published of a trial's film, and what its mount costs."""

    def __init__(self, stage, shape):
        self.stage, self.shape, self.system = stage, shape, None
        document = DOCUMENTS[shape]
        self.seconds = stage.content.film_seconds
        self.url = stage.site.url(f'/files/streams/{document}')
        kind = TYPES[document.rpartition('.')[2]]
        stage.origin.ask(
            'PUT', '/__put/feed', '<rss version="2.0"><channel><title>bench</title><item>'
            f'<title>film</title><enclosure type="{kind}" length="0" url="{self.url}"/></item>'
            '</channel></rss>', 'application/rss+xml')

    def mounted(self, name):
        """The path of the film in a new mount with an empty cache."""
        self.system = self.stage.system(FeedFS, name)
        return Mounted(self)

    def path(self):
        point = self.system.mount_point
        names = [name for name in os.listdir(point) if name.startswith('0001.')]
        if not names:
            raise Trouble('no file is made')
        return os.path.join(point, names[0])

    def counted(self, action):
        """What is asked for and sent because of `action()`."""
        self.stage.origin.settle()
        self.stage.origin.forget()
        action()
        self.stage.origin.settle()
        return self.stage.origin.sent('/files/')

    def layout(self, path):
        """How long the first `open` takes, and what it asks for; it reads nothing yet."""
        times = []
        requests, sent = self.counted(lambda: times.append(elapsed(lambda: opened(path))))
        yield from (('layout', times[0]), ('layout requests', requests),
                    ('layout MB', sent / MB))

    def restart(self, path):
        """How long the first 64 KiB that are not cached take in a new mount: of a known film."""
        self.system.remount()
        os.listdir(self.system.mount_point)
        times = []
        requests, _ = self.counted(lambda: times.append(elapsed(lambda: middle(path))))
        yield from (('restart', times[0]), ('restart requests', requests))

    def whole(self, path):
        """How fast the film is read to its end, and what it costs the origin."""
        rates = []
        opened(path)
        requests, sent = self.counted(lambda: rates.append(sequential(path)))
        size = os.path.getsize(path)
        yield from (('whole', rates[0] / MB), ('whole requests', requests),
                    ('whole sent', sent / size))

    def report_seeks(self, program, times, report):
        report(f'{program} seek', median(times))
        report(f'{program} slowest', max(times))

    def stored(self):
        """Bytes of what is kept on the disk."""
        return sum(os.lstat(os.path.join(folder, name)).st_blocks * 512
                   for folder, _, names in os.walk(self.system.folder) for name in names
                   if not folder.startswith(self.system.mount_point))


class Mounted:
    def __init__(self, film):
        self.film = film

    def __enter__(self):
        self.film.system.mount()
        return self.film.path()

    def __exit__(self, *_):
        self.film.system.unmount()


class Player:
    """An mpv that plays nothing aloud, and is told what to do by its socket."""

    def __init__(self, address, input=subprocess.DEVNULL):
        self.socket, end = socket.socketpair()
        self.start = time.perf_counter()
        self.child = subprocess.Popen(
            ['mpv', '--no-config', '--vo=null', '--ao=null', '--pause', '--keep-open=yes',
             '--demuxer-max-bytes=8MiB', '--ytdl=no', '--really-quiet',
             f'--input-ipc-client=fd://{end.fileno()}', address],
            stdin=input, pass_fds=[end.fileno()], stderr=subprocess.DEVNULL)
        end.close()
        self.socket.settimeout(PATIENCE)
        self.lines = self.socket.makefile('r')

    def __enter__(self):
        self.first = self._wait()
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.child.kill()
        self.child.wait()

    def seek(self, place):
        """Seconds until the picture at `place` is shown."""
        self.start = time.perf_counter()
        command = {'command': ['seek', place, 'absolute+exact']}
        self.socket.sendall(json.dumps(command).encode() + b'\n')
        return self._wait()

    def _wait(self):
        try:
            for line in self.lines:
                if json.loads(line).get('event') == 'playback-restart':
                    return time.perf_counter() - self.start
        except TimeoutError:
            pass
        raise Trouble('mpv shows nothing')


class piped:
    """What yt-dlp writes of a film, as it comes."""

    def __init__(self, url):
        self.child = subprocess.Popen(['yt-dlp', '--quiet', '--no-warnings', '-o', '-', url],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self.child.stdout

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()
        self.child.stdout.close()


def opened(path):
    os.close(os.open(path, os.O_RDONLY))


def middle(path):
    """Reads at a place where nothing was sought before."""
    with open(path, 'rb', buffering=0) as file:
        file.seek(os.path.getsize(path) * 2 // 3)
        file.read(64 * KIB)


def picture(address, place=0):
    """Seconds until ffmpeg has decoded the picture at `place`."""
    return tool('ffmpeg', '-nostdin', '-v', 'error', '-ss', f'{place:.2f}', '-i', address,
                '-map', '0:v:0', '-frames:v', '1', '-f', 'null', '-')


STREAMS = [*(Streams(shape) for shape in SHAPES), LongStream()]
