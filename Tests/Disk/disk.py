"""A file "disk" in a mount of its own, for a loop device: stopped, it is a disk that does not answer.

usage: disk.py FOLDER BYTES [SEED]   mounts itself at FOLDER, prints "ready", and ends with its input

With a SEED it is a disk with a cache that a power cut empties. SIGUSR1 cuts the power: from then on the disk
answers with an error. SIGUSR2 restores it: each page of 4 KiB that was written since the last flush has its
content of that flush, or that after any later write. So writes are lost, and overtake each other.

Speaks the kernel's protocol (linux/fuse.h, 7.31) over /dev/fuse: only what a loop device asks.
"""

import ctypes
import errno
import os
import random
import select
import signal
import struct
import sys
import tempfile

GETATTR, SETATTR, OPEN, READ, WRITE, STATFS = 3, 4, 14, 15, 16, 17
LOOKUP, FORGET, RELEASE, FSYNC, FLUSH, INIT, INTERRUPT, DESTROY = 1, 2, 18, 20, 25, 26, 36, 38
BATCH_FORGET = 42
MOST = 128 << 10
DIRECT_IO = 1
PAGE = 4096
HEAD = struct.Struct("<IIQQIIII")


class Image:
    """The bytes of the disk."""

    def __init__(self, folder, size):
        self.size = size
        self.file = tempfile.TemporaryFile(dir=folder)
        self.file.truncate(size)

    def read(self, count, offset):
        return os.pread(self.file.fileno(), count, offset)

    def write(self, data, offset):
        os.pwrite(self.file.fileno(), data, offset)

    def flush(self):
        pass


class CachedImage(Image):
    """The bytes of a disk that keeps what is written in a cache until the next flush."""

    def __init__(self, folder, size, seed):
        super().__init__(folder, size)
        self.random = random.Random(seed)
        self.is_cut = False
        self.contents = {}  # of the pages that were written since the last flush, oldest first
        signal.signal(signal.SIGUSR1, self.cut)
        signal.signal(signal.SIGUSR2, self.restore)

    def write(self, data, offset):
        self.check()
        pages = range(offset // PAGE, (offset + len(data) - 1) // PAGE + 1)
        for page in pages:
            if page not in self.contents:
                self.contents[page] = [self.read(PAGE, page * PAGE)]
        super().write(data, offset)
        for page in pages:
            self.contents[page].append(self.read(PAGE, page * PAGE))

    def flush(self):
        self.check()
        self.contents = {}

    def check(self):
        if self.is_cut:
            raise OSError(errno.EIO, "no power")

    def cut(self, *_):
        self.is_cut = True
        print("cut", flush=True)

    def restore(self, *_):
        for page, contents in self.contents.items():
            super().write(self.random.choice(contents), page * PAGE)
        self.contents = {}
        self.is_cut = False
        print("restored", flush=True)


def attributes(node, size):
    mode, length = (0o40755, 0) if node == 1 else (0o100600, size)
    return struct.pack("<6Q10I", node, length, length >> 9, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def answer(opcode, node, body, image):
    """What the kernel is told; a number is an errno."""
    if opcode == INIT:
        major, minor, ahead, _ = struct.unpack_from("<4I", body)
        return struct.pack("<4I2H2I2H8I", 7, 31, ahead, 0, 64, 48, MOST, 1, 32, 0, *[0] * 8)
    if opcode == LOOKUP:
        if body.rstrip(b"\0") != b"disk":
            return errno.ENOENT
        return struct.pack("<4Q2I", 2, 0, 3600, 3600, 0, 0) + attributes(2, image.size)
    if opcode in (GETATTR, SETATTR):
        return struct.pack("<Q2I", 3600, 0, 0) + attributes(node, image.size)
    if opcode == OPEN:
        return struct.pack("<Q2I", 0, DIRECT_IO, 0)
    if opcode == READ:
        _, offset, count = struct.unpack_from("<2QI", body)
        return image.read(count, offset)
    if opcode == WRITE:
        _, offset, count = struct.unpack_from("<2QI", body)
        image.write(body[40 : 40 + count], offset)
        return struct.pack("<2I", count, 0)
    if opcode == FSYNC:
        image.flush()
        return b""
    if opcode == STATFS:
        return bytes(80)
    return b"" if opcode in (RELEASE, FLUSH, DESTROY) else errno.ENOSYS


def main():
    folder, size, *seed = sys.argv[1], *map(int, sys.argv[2:])
    device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0".encode()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"disk", folder.encode(), b"fuse", 6, options) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
    beside = os.path.dirname(folder)
    image = CachedImage(beside, size, *seed) if seed else Image(beside, size)
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([device, 0], [], [])
        if device not in ready:
            return
        try:
            request = os.read(device, MOST + 8192)
        except OSError as error:
            if error.errno == errno.ENODEV:
                return
            continue
        _, opcode, unique, node, *_ = HEAD.unpack_from(request)
        if opcode in (FORGET, BATCH_FORGET, INTERRUPT):
            continue
        try:
            said = answer(opcode, node, request[HEAD.size :], image)
        except OSError as error:
            said = error.errno
        code, data = (-said, b"") if isinstance(said, int) else (0, said)
        try:
            os.write(device, struct.pack("<IiQ", 16 + len(data), code, unique) + data)
        except OSError:
            pass  # it was interrupted meanwhile


main()
