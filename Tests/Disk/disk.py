"""A file "disk" in a mount of its own, for a loop device: stopped, it is a disk that does not answer.

usage: disk.py FOLDER BYTES      mounts itself at FOLDER, prints "ready", and ends with its input

Speaks the kernel's protocol (linux/fuse.h, 7.31) over /dev/fuse: only what a loop device asks.
"""

import ctypes
import errno
import os
import select
import struct
import sys
import tempfile

GETATTR, SETATTR, OPEN, READ, WRITE, STATFS = 3, 4, 14, 15, 16, 17
LOOKUP, FORGET, RELEASE, FSYNC, FLUSH, INIT, INTERRUPT, DESTROY = 1, 2, 18, 20, 25, 26, 36, 38
BATCH_FORGET = 42
MOST = 128 << 10
DIRECT_IO = 1
HEAD = struct.Struct("<IIQQIIII")


def attributes(node, size):
    mode, length = (0o40755, 0) if node == 1 else (0o100600, size)
    return struct.pack("<6Q10I", node, length, length >> 9, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def answer(opcode, node, body, image, size):
    """What the kernel is told; a number is an errno."""
    if opcode == INIT:
        major, minor, ahead, _ = struct.unpack_from("<4I", body)
        return struct.pack("<4I2H2I2H8I", 7, 31, ahead, 0, 64, 48, MOST, 1, 32, 0, *[0] * 8)
    if opcode == LOOKUP:
        if body.rstrip(b"\0") != b"disk":
            return errno.ENOENT
        return struct.pack("<4Q2I", 2, 0, 3600, 3600, 0, 0) + attributes(2, size)
    if opcode in (GETATTR, SETATTR):
        return struct.pack("<Q2I", 3600, 0, 0) + attributes(node, size)
    if opcode == OPEN:
        return struct.pack("<Q2I", 0, DIRECT_IO, 0)
    if opcode == READ:
        _, offset, count = struct.unpack_from("<2QI", body)
        return os.pread(image, count, offset)
    if opcode == WRITE:
        _, offset, count = struct.unpack_from("<2QI", body)
        return struct.pack("<2I", os.pwrite(image, body[40 : 40 + count], offset), 0)
    if opcode == STATFS:
        return bytes(80)
    return b"" if opcode in (RELEASE, FSYNC, FLUSH, DESTROY) else errno.ENOSYS


def main():
    folder, size = sys.argv[1], int(sys.argv[2])
    device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0".encode()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"disk", folder.encode(), b"fuse", 6, options) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
    image = tempfile.TemporaryFile(dir=os.path.dirname(folder))
    image.truncate(size)
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
        said = answer(opcode, node, request[HEAD.size :], image.fileno(), size)
        code, data = (-said, b"") if isinstance(said, int) else (0, said)
        try:
            os.write(device, struct.pack("<IiQ", 16 + len(data), code, unique) + data)
        except OSError:
            pass  # it was interrupted meanwhile


main()
