"""The files that are served: made once, below one folder, and the same for every system."""
import os, subprocess, sys
from .units import MIB

FILM_SECONDS = 30
# Bytes by which files are shorter than their round size: no film ends where somebody's block does,
# and a peer loses its mount where one does.
SHORT = 54_321


class Content:
    """Folders of files below `root`, by the name under which the origin publishes them.

    big      film.mp4, of about `size` bytes         small    nine of 8 MiB
    four     four files of an eighth of that         scanned  twenty of 8 MiB
    films    front-N.mp4 with the index in front,    listing  two hundred of 1 MiB, which
             end-N.mp4 with it at the end; two each           nobody reads
    line-N   film.mp4, of N MB
    """

    def __init__(self, root, size):
        self.root, self.size = root, size - SHORT
        self.sizes = {}  # of the files of each folder, by name

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
        for name in ('front', 'end'):
            os.link(self.file('films', f'{name}-1.mp4'), self.file('films', f'{name}-2.mp4'))
        names = [f'{kind}-{number}.mp4' for kind in ('front', 'end') for number in (1, 2)]
        self.sizes['films'] = {name: os.path.getsize(self.file('films', name)) for name in names}


def ffmpeg(*arguments):
    subprocess.run(['ffmpeg', '-nostdin', '-v', 'error', '-y', *arguments], check=True, timeout=120)
