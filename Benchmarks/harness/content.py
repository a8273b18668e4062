"""The files that are served: made once, below one folder, and the same for every system."""
import os, subprocess, sys
from .units import MIB

FILM_SECONDS = 30
LONG_SECONDS = 10_800  # by four seconds: 2,700 segments
# Bytes by which files are shorter than their round size: no film ends where somebody's block does,
# and a peer loses its mount where one does.
SHORT = 54_321


class Content:
    """Folders of files below `root`, by the name under which the origin publishes them.

    big      film.mp4, of about `size` bytes         small    nine of 8 MiB
    four     four files of an eighth of that         scanned  twenty of 8 MiB
    films    front-N.mp4 with the index in front,    listing  two hundred of 1 MiB, which
             end-N.mp4 with it at the end                     nobody reads
    line-N   film.mp4, of N MB                       streams  a film in pieces, as sites serve it
    """

    def __init__(self, root, size):
        self.root, self.size = root, size - SHORT
        self.sizes = {}  # of the files of each folder, by name
        # The film of `streams`: ten minutes, or what makes about `size` bytes.
        self.film_seconds = 60 * max(1, min(10, size // (13 * 10**6)))

    def make(self, folders):
        """Makes those of the folders that are needed."""
        kinds = {'big': (1, 'film.mp4', self.size),
                 'four': (4, 'film-{}.mp4', self.size // 8),
                 'small': (9, 'small-{}.mp4', 8 * MIB - SHORT),
                 'scanned': (20, 'entry-{:02}.mp4', 8 * MIB - SHORT),
                 'listing': (200, 'entry-{:03}.mp4', MIB - SHORT)}
        for folder in folders:
            if folder == 'films':
                self._films()
            elif folder == 'streams':
                self._streams()
            elif folder.startswith('line-'):
                self._many(folder, 1, 'film.mp4', int(folder[5:]) * 10**6)
            else:
                self._many(folder, *kinds[folder])

    def file(self, folder, name):
        return os.path.join(self.root, folder, name)

    def names(self, folder):
        return list(self.sizes[folder])

    def _many(self, folder, count, name, size):
        """One file of random bytes, and links to it: two hundred of them cost no more than one."""
        names = [name.format(number) for number in range(1, count + 1)]
        os.makedirs(os.path.join(self.root, folder))
        with open(self.file(folder, names[0]), 'wb') as file:
            for start in range(0, size, 8 * MIB):
                file.write(os.urandom(min(8 * MIB, size - start)))
        for other in names[1:]:
            os.link(self.file(folder, names[0]), self.file(folder, other))
        self.sizes[folder] = {name: size for name in names}

    def _films(self):
        """Half a minute of noisy pictures at 8 Mbit/s, with `moov` in front and at the end."""
        os.makedirs(os.path.join(self.root, 'films'))
        end, front = self.file('films', 'end-1.mp4'), self.file('films', 'front-1.mp4')
        film = ['-f', 'lavfi', '-i', 'testsrc2=size=1280x720:rate=25,noise=alls=16:allf=t',
                '-f', 'lavfi', '-i', 'sine=440', '-t', str(FILM_SECONDS), '-c:v', 'libx264',
                '-preset', 'ultrafast', '-b:v', '8M', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
        try:
            ffmpeg(*film, end)
            ffmpeg('-i', end, '-c', 'copy', '-movflags', '+faststart', front)
        except (OSError, subprocess.SubprocessError):
            print('ffmpeg makes no film here: its rows are left out', file=sys.stderr)
            return
        names = [f'front-{number}.mp4' for number in (1, 2)]
        names += [f'end-{number}.mp4' for number in (1, 2, 3, 4)]
        for name in names:
            if not name.endswith('-1.mp4'):
                os.link(self.file('films', name[:-5] + '1.mp4'), self.file('films', name))
        self.sizes['films'] = {name: os.path.getsize(self.file('films', name)) for name in names}

    def _streams(self):
        """The film as one file, and packed in each way; and a small one of three hours."""
        folder = os.path.join(self.root, 'streams')
        os.makedirs(folder)
        hls = ['-f', 'hls', '-hls_playlist_type', 'vod', '-hls_time']
        try:
            film = looped(folder, 'film.mp4', self.film_seconds, '1280x720', '1600k', fps=25)
            pack(film, 'ts', 'film.m3u8', *hls, '6')
            pack(film, 'ranges', 'film.m3u8', *hls, '6', '-hls_segment_type', 'fmp4',
                 '-hls_flags', 'single_file')
            pack(film, 'pair', 'film.mpd', '-f', 'dash', '-seg_duration', '6', '-single_file', '1',
                 '-global_sidx', '1')
            name_indexes(os.path.join(folder, 'pair'), self.film_seconds)
            long = looped(folder, 'long.mp4', LONG_SECONDS, '160x90', '30k', fps=5)
            pack(long, 'long', 'film.m3u8', *hls, '4')
            os.remove(long)
        except (OSError, subprocess.SubprocessError, ValueError):
            print('ffmpeg makes no stream here: its rows are left out', file=sys.stderr)
            return
        self.sizes['streams'] = {'film.mp4': os.path.getsize(film)}


def looped(folder, name, seconds, size, rate, fps):
    """A film of noise with a key frame every two seconds. One minute is encoded, and repeated."""
    loop, film = os.path.join(folder, 'loop.mp4'), os.path.join(folder, name)
    ffmpeg('-f', 'lavfi', '-i', f'testsrc2=size={size}:rate={fps},noise=alls=12:allf=t',
           '-f', 'lavfi', '-i', 'sine=440', '-t', '60', '-c:v', 'libx264', '-preset', 'ultrafast',
           '-b:v', rate, '-maxrate', rate, '-bufsize', rate, '-g', str(2 * fps),
           '-sc_threshold', '0', '-pix_fmt', 'yuv420p', '-c:a', 'aac', loop)
    ffmpeg('-stream_loop', str(seconds // 60 - 1), '-i', loop, '-c', 'copy',
           '-movflags', '+faststart', film)
    os.remove(loop)
    return film


def pack(film, shape, document, *options):
    folder = os.path.join(os.path.dirname(film), shape)
    os.makedirs(folder)
    ffmpeg('-i', film, '-c', 'copy', *options, os.path.join(folder, document))


def name_indexes(folder, seconds):
    """Writes a manifest that names the indexes, as video sites do; ffmpeg's lists the segments."""
    tracks = ''
    for number, kind in enumerate(('video', 'audio')):
        name = f'film-stream{number}.mp4'
        with open(os.path.join(folder, name), 'rb') as file:
            head = file.read(1 << 16)
        start = head.index(b'sidx') - 4
        end = start + int.from_bytes(head[start:start + 4], 'big')
        tracks += (f'<AdaptationSet contentType="{kind}"><Representation id="{number}" '
                   f'mimeType="{kind}/mp4" bandwidth="1"><BaseURL>{name}</BaseURL>'
                   f'<SegmentBase indexRange="{start}-{end - 1}"><Initialization '
                   f'range="0-{start - 1}"/></SegmentBase></Representation></AdaptationSet>')
    with open(os.path.join(folder, 'film.mpd'), 'w') as file:
        file.write('<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" minBufferTime="PT6S" '
                   'profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" '
                   f'mediaPresentationDuration="PT{seconds}S"><Period>{tracks}</Period></MPD>')


def ffmpeg(*arguments):
    subprocess.run(['ffmpeg', '-nostdin', '-v', 'error', '-y', *arguments], check=True, timeout=120)
