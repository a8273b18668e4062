#!/usr/bin/env python3
"""The first figures of feedfs: start, requests, memory, cached reads.

  make bench            builds for release and runs this
  bench.py BUILD_DIR    with feedfs and testorigin in BUILD_DIR

Standard library only. Needs /dev/fuse, fusermount3, gcc and pkg-config. Prints a table in Markdown:
figures as ratios to a limit that is measured in the same run, so that they mean something on another
machine. Everything lies in one temporary folder, which is removed.
"""
import contextlib, json, os, platform, shutil, signal, statistics, subprocess, sys, tempfile, time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
RTT = 0.05  # seconds, before each answer and for each new connection
FILES = 9


class Origin:
    """The test origin, with a feed of generated files."""

    def __init__(self, build, sizes):
        self.process = subprocess.Popen([build + '/testorigin'], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().split()[1])
        items = ''.join(
            f'<item><title>{n}</title><guid>{n}</guid><enclosure type="video/mp4" length="{size}" '
            f'url="{self.url(f"/pattern/{n}.mp4?size={size}&amp;seed={n}")}"/></item>'
            for n, size in enumerate(sizes, 1))
        self.ask('PUT', '/__put/feed', f'<rss version="2.0"><channel><title>bench</title>{items}'
                 '</channel></rss>', {'Content-Type': 'application/rss+xml'})

    def url(self, path):
        return f'http://127.0.0.1:{self.port}{path}'

    def ask(self, method, path, body=None, fields={}):
        request = urllib.request.Request(self.url(path), method=method, headers=fields,
                                         data=None if body is None else body.encode())
        return urllib.request.urlopen(request, timeout=30).read()

    def network(self, seconds):
        ms = round(seconds * 1000)
        self.ask('POST', f'/__network?latency_ms={ms}&connect_ms={ms}')

    def requests(self, number):
        log = json.loads(self.ask('GET', '/__log'))
        return [entry for entry in log if f'/{number}.mp4' in entry['target']]

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


class Mount:
    def __init__(self, build, folder, origin):
        self.build, self.folder, self.origin = build, folder, origin
        self.path = folder + '/mount'
        self.environment = dict(os.environ, XDG_CACHE_HOME=folder + '/cache',
                                XDG_STATE_HOME=folder + '/state')
        os.makedirs(self.path, exist_ok=True)

    def feedfs(self, *arguments):
        return subprocess.run([self.build + '/feedfs', *arguments], env=self.environment,
                              check=True, timeout=60, capture_output=True, text=True).stdout

    def up(self):
        self.feedfs('mount', self.path, '--feed', self.origin.url('/feed'))

    def down(self):
        self.feedfs('unmount', self.path)

    def file(self, number):
        return f'{self.path}/{number:04}.mp4'

    def peak(self):
        """Bytes of the daemon's largest resident memory so far, mapped pages included."""
        pid = int(os.getxattr(self.path, 'user.feedfs.pid'))
        with open(f'/proc/{pid}/status') as status:
            line = next(line for line in status if line.startswith('VmHWM'))
        return int(line.split()[1]) * KIB


def first_bytes(path, count):
    start = time.perf_counter()
    with open(path, 'rb', buffering=0) as file:
        while count > 0:
            count -= len(file.read(count))
    return time.perf_counter() - start


def sequential(path, size=MIB):
    """Bytes per second of a read from one end to the other."""
    buffer, count = bytearray(size), 0
    start = time.perf_counter()
    with open(path, 'rb', buffering=0) as file:
        while True:
            got = file.readinto(buffer)
            if not got:
                return count / (time.perf_counter() - start)
            count += got


def start_of_a_file(mount, origin):
    """Cold: `open` and 64 KiB, in round trips; the connection is there from the feed."""
    origin.network(RTT)
    mount.up()
    times = [first_bytes(mount.file(n), 64 * KIB) / RTT for n in range(1, 6)]
    mount.down()
    origin.network(0)
    return times


def requests_of_a_head(mount, origin):
    """Cold: the first 256 KiB by reads of several sizes; requests that the origin saw."""
    mount.up()
    counts = []
    for number, size in enumerate([4 * KIB, 64 * KIB, 128 * KIB, 256 * KIB], 6):
        with open(mount.file(number), 'rb', buffering=0) as file:
            left = 256 * KIB
            while left:
                left -= len(file.read(min(size, left)))
        counts.append(len(origin.requests(number)))
    mount.down()
    return counts


def streaming(mount, number):
    mount.up()
    speed = sequential(mount.file(number))
    peak = mount.peak()
    mount.down()
    return speed, peak


@contextlib.contextmanager
def pread_loop(folder, data):
    program, path = folder + '/pread-loop', folder + '/loop'
    flags = subprocess.run(['pkg-config', '--cflags', '--libs', 'fuse3'], check=True,
                           capture_output=True, text=True).stdout.split()
    subprocess.run(['gcc', '-O2', '-o', program, HERE + '/pread-loop.c', *flags], check=True)
    os.makedirs(path, exist_ok=True)
    process = subprocess.Popen([program, path, data])
    try:
        while not os.path.ismount(path):
            if process.poll() is not None:
                raise RuntimeError('the pread loop did not start')
            time.sleep(0.01)
        yield path + '/file'
    finally:
        subprocess.run(['fusermount3', '-u', path], check=False)
        process.wait(10)


def cached(mount, folder, number, size):
    """Page cache of the mount empty, that of the cache file warm: in turn with the limit."""
    data = folder + '/data'
    mount.up()
    shutil.copyfile(mount.file(number), data)
    mount.down()
    ours, limit = [], []
    for _ in range(5):
        with pread_loop(folder, data) as path:
            limit.append(sequential(path))
        mount.up()
        ours.append(sequential(mount.file(number)))
        mount.down()
    return ours, limit


def main():
    build = os.path.abspath(sys.argv[1])
    folder = tempfile.mkdtemp(prefix='feedfs-bench-')
    origin = Origin(build, [8 * MIB] * FILES + [GIB])
    mount = Mount(build, folder, origin)
    try:
        starts = start_of_a_file(mount, origin)
        requests = requests_of_a_head(mount, origin)
        speed, peak = streaming(mount, FILES + 1)
        ours, limit = cached(mount, folder, FILES + 1, GIB)
    finally:
        subprocess.run(['fusermount3', '-uqz', mount.path], check=False)
        origin.end()
        shutil.rmtree(folder, ignore_errors=True)
    ratio = statistics.median(a / b for a, b in zip(ours, limit))
    print(f'{platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}\n')
    print('| what | promised | measured |\n|---|---|---|')
    print(f'| cold: `open` → first 64 KiB, in round trips of {RTT * 1000:.0f} ms | ≤ 1.5 '
          f'| {statistics.median(starts):.2f} (max {max(starts):.2f}) |')
    print(f'| requests for the first 256 KiB, read 4, 64, 128, 256 KiB at a time | 1 '
          f'| {", ".join(map(str, requests))} |')
    print(f'| peak resident memory while 1 GiB streams (at {speed / 1e6:.0f} MB/s) | < 40 MiB '
          f'| {peak / MIB:.1f} MiB |')
    print(f'| cached, sequential, to a pread + fuse_reply_buf loop | ≥ 0.5 | {ratio:.2f} '
          f'({statistics.median(ours) / MIB:.0f} of {statistics.median(limit) / MIB:.0f} MiB/s) |')


if __name__ == '__main__':
    main()
