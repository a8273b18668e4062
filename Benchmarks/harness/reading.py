"""Reads of a file, and the time they take."""
import hashlib, os, subprocess, sys, threading, time
from .trial import Trouble
from .units import KIB, MIB


def elapsed(action):
    """Seconds that `action()` takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def head(path, count, step=None):
    """Opens a file and reads its first `count` bytes by steps of `step`."""
    with open(path, 'rb', buffering=0) as file:
        left = count
        while left > 0:
            piece = file.read(min(step or count, left))
            if not piece:
                raise Trouble('file too short')
            left -= len(piece)


def pieces(file, limit=None):
    """What is read of a descriptor from where it stands to the end, or for `limit` bytes, by 1 MiB;
    each piece is good until the next."""
    buffer, left = memoryview(bytearray(MIB)), limit
    while left is None or left > 0:
        got = os.readv(file, [buffer if left is None else buffer[:left]])
        if not got:
            return
        left = left and left - got
        yield buffer[:got]


def read(file, limit=None):
    """How many bytes there are."""
    return sum(len(piece) for piece in pieces(file, limit))


def sequential(path, limit=None):
    """Reads a file from its begin to its end, or for `limit` bytes; bytes a second."""
    start = time.perf_counter()
    with open(path, 'rb', buffering=0) as file:
        count = read(file.fileno(), limit)
        seconds = time.perf_counter() - start
    return count / seconds


def forget_pages(path):
    """Drops a file's pages from the page cache; those of other files stay."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def seeks(path, offsets, size):
    """Opens a file and reads `size` bytes at each of `offsets`; seconds of each read."""
    times = []
    with open(path, 'rb', buffering=0) as file:
        for offset in offsets:
            start, got = time.perf_counter(), 0
            while got < size:
                piece = os.pread(file.fileno(), size - got, offset + got)
                if not piece:
                    raise Trouble('file too short')
                got += len(piece)
            times.append(time.perf_counter() - start)
    return times


def digest(path, limit=None):
    """SHA-256 of a file, or of its first `limit` bytes."""
    hasher = hashlib.sha256()
    with open(path, 'rb', buffering=0) as file:
        for piece in pieces(file.fileno(), limit):
            hasher.update(piece)
    return hasher.hexdigest()


def tool(*command):
    """Runs a program that must succeed; seconds."""
    def run():
        try:
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL, timeout=60,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        except subprocess.CalledProcessError as error:
            sys.stderr.write(error.stderr.decode(errors='replace'))
            raise Trouble(f'{command[0]} failed') from error
    return elapsed(run)


def together(actions):
    """Runs all `actions` at once, each in a thread; what they return, in order."""
    results, troubles = [None] * len(actions), []

    def run(index, action):
        try:
            results[index] = action()
        except Exception as error:  # told to whoever waits for all of them
            troubles.append(error)

    threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in enumerate(actions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if troubles:
        raise troubles[0]
    return results


def watch(file, rate, seconds, ahead=2.0, step=0.5):
    """Reads a film of `rate` bytes a second, by pieces of `step` seconds, as a player with a buffer
    of `ahead` seconds; after how many seconds it is full and the film begins, and how often the
    picture stops then, since a piece comes after its time."""
    def piece():
        left = int(rate * step)
        while left > 0:
            got = len(file.read(left))
            if not got:
                raise Trouble('file too short')
            left -= got

    start = time.perf_counter()
    for _ in range(int(ahead / step)):
        piece()
    begin, stalls = time.perf_counter(), 0
    buffered = begin - start
    for number in range(int((seconds - ahead) / step)):
        time.sleep(max(0.0, begin + number * step - time.perf_counter()))
        piece()
        late = time.perf_counter() - (begin + number * step + ahead)
        if late > 0:
            stalls += 1
            begin += late
    return buffered, stalls


def play(path, rate, seconds, patience=0.25):
    """Reads at `rate` bytes a second from the first byte on, as a player does; how often the
    picture stopped: a piece came `patience` seconds after it was due, or later."""
    piece, stalls = 256 * KIB, 0
    with open(path, 'rb', buffering=0) as file:
        file.read(piece)
        due = time.perf_counter()
        end = due + seconds
        while due < end:
            due += piece / rate
            time.sleep(max(0.0, due - time.perf_counter()))
            if not file.read(piece):
                break
            late = time.perf_counter() - due
            if late > patience:
                stalls += 1
                due += late
                end += late
    return stalls
