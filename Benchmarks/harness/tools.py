"""The small C programs that do what Python is too slow for."""
import contextlib, os, subprocess, time
from .trial import Trouble, mounts_below

SOURCES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def build(folder):
    """Compiles them into `folder`; needs gcc, pkg-config and libfuse3."""
    for name, packages in (('pread-loop', ['fuse3']), ('random-reads', []), ('delay-relay', []),
                           ('line', [])):
        flags = packages and subprocess.run(
            ['pkg-config', '--cflags', '--libs', *packages], check=True, capture_output=True,
            text=True).stdout.split()
        subprocess.run(['gcc', '-O2', '-pthread', '-o', os.path.join(folder, name),
                        os.path.join(SOURCES, name + '.c'), *flags], check=True)


def random_reads(programs, path, count, threads=1):
    """Bytes a second of `count` reads of 4 KiB by each of the threads."""
    done = subprocess.run([os.path.join(programs, 'random-reads'), path, str(count), str(threads)],
                          capture_output=True, text=True)
    if done.returncode:
        raise Trouble('unreadable')
    return float(done.stdout)


@contextlib.contextmanager
def pread_loop(programs, folder, data, *mode):
    """The path of `data` as a daemon serves it that does nothing but pread and fuse_reply_buf; with
    the mode 'passthrough' not even that."""
    point = os.path.join(folder, 'loop')
    os.makedirs(point)
    child = subprocess.Popen([os.path.join(programs, 'pread-loop'), point, data, *mode])
    try:
        deadline = time.monotonic() + 10
        while point not in mounts_below(folder):
            if child.poll() is not None or time.monotonic() > deadline:
                raise Trouble('does not mount')
            time.sleep(0.001)
        yield os.path.join(point, 'file')
    finally:
        subprocess.run(['fusermount3', '-uq', point], check=False)
        child.wait(10)
        os.rmdir(point)
