"""Becoming a user without privilege, who may mount: root's own passthrough is out of reach then."""
import ctypes, os
import encodings.idna  # which sockets ask for late, when the interpreter may be out of reach
from .trial import Trouble

NOBODY = 65534
# linux/sched.h, linux/mount.h
CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 0x1000, 0x4000, 0x40000
FUSE_DEVICE = os.makedev(10, 229)


def become_ordinary(folder):
    """This process, and what it starts from now on, is `nobody`, to whom `folder` is given.

    /dev/fuse may be root's alone: a copy that anybody may open lies over it, in a mount namespace
    that ends with this process and its children. Root only.
    """
    libc = ctypes.CDLL(None, use_errno=True)

    def mount(source, target, kind, flags, options=None):
        if libc.mount(source, target.encode(), kind, flags, options) != 0:
            raise Trouble(f'no namespace: {os.strerror(ctypes.get_errno())}')

    if libc.unshare(CLONE_NEWNS) != 0:
        raise Trouble(f'no namespace: {os.strerror(ctypes.get_errno())}')
    devices = os.path.join(folder, 'devices')
    os.makedirs(devices)
    mount(None, '/', None, MS_REC | MS_PRIVATE)
    # The file system of the folder may allow no devices.
    mount(b'none', devices, b'tmpfs', 0, b'mode=755')
    device = os.path.join(devices, 'fuse')
    os.mknod(device, 0o020666, FUSE_DEVICE)
    os.chmod(device, 0o666)
    mount(device.encode(), '/dev/fuse', None, MS_BIND)
    os.chown(folder, NOBODY, NOBODY)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
