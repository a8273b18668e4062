"""A ward runs one suite: with a folder, mounts and a network of its own, and leaves nothing behind.

A ward is a process. It adopts what its suite leaves behind, so it can end that, and can count all processor
time that was spent, also by daemons that left their parents. It ends when its own parent does.
"""
import ctypes
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # prctl(2)
CLONE_NEWNS, CLONE_NEWNET = 0x00020000, 0x40000000  # unshare(2)
MS_REC, MS_SLAVE, MNT_DETACH = 0x4000, 0x80000, 2  # mount(2), umount2(2)
DEAF = 30  # seconds in which a killed process ends, unless it waits for a disk
LATE = 2  # seconds in which a helper ends by itself that saw the end of its mount


def mounts():
    """The mounts that this process sees: (path, kind), the last one first."""
    with open("/proc/self/mountinfo") as table:
        lines = [line.split(" ") for line in table]
    found = [(line[4].encode().decode("unicode_escape"), line[line.index("-") + 1]) for line in lines]
    return found[::-1]


def may_isolate():
    """Whether a ward can have mounts and a network of its own."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    child = os.fork()
    if child == 0:
        os._exit(0 if LIBC.unshare(CLONE_NEWNS | CLONE_NEWNET) == 0 else 1)
    return os.waitpid(child, 0)[1] == 0


def isolate():
    """Gives this process mounts of its own, without any of another feedfs, and a network of its own."""
    if LIBC.unshare(CLONE_NEWNS | CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    if LIBC.mount(b"none", b"/", None, MS_REC | MS_SLAVE, None) != 0:
        raise OSError(ctypes.get_errno(), "mount")
    for path, kind in mounts():
        if kind == "fuse.feedfs":
            LIBC.umount2(path.encode(), MNT_DETACH)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def below(process):
    """The children of a process, from the kernel's own list."""
    try:
        with open(f"/proc/{process}/task/{process}/children") as children:
            return [int(child) for child in children.read().split()]
    except (OSError, ValueError):
        return []


def family(process):
    """Everything below a process."""
    found = []
    for child in below(process):
        found += [child, *family(child)]
    return found


def name_of(process):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as line:
            return line.read().replace(b"\0", b" ").decode(errors="replace").strip()[:120]
    except OSError:
        return ""


def end_all(patience=0):
    """Kills and buries everything below this process. Returns the command lines of what still ran.

    What ends by itself within `patience` seconds is not named."""
    names, began = [], time.monotonic()
    while below(os.getpid()) and time.monotonic() < began + DEAF:
        for process in family(os.getpid()) if time.monotonic() >= began + patience else ():
            name = name_of(process)  # that of a process that has ended is empty
            if name and name not in names:
                names.append(name)
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            break
        time.sleep(0.005)
    return names


def clear(folder):
    """Takes a folder away, and first what is mounted below it."""
    for path, _ in mounts():
        if path.startswith(folder + "/"):
            LIBC.umount2(path.encode(), MNT_DETACH)

    def open_up(_, path, __):
        try:
            os.chmod(os.path.dirname(path), stat.S_IRWXU)
            os.unlink(path)
        except OSError:
            pass
    shutil.rmtree(folder, onerror=open_up)
    shutil.rmtree(folder, ignore_errors=True)


def bury_until(process, limit):
    """Waits for the end of a process, and buries all others that end before it. Returns its exit code.

    Throws TimeoutError after `limit` seconds."""
    def too_late(*_):
        raise TimeoutError
    signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        while True:
            ended, status = os.waitpid(-1, 0)
            if ended == process:
                return os.waitstatus_to_exitcode(status)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _live(command, log, folder, environment, nice, isolated, limit):
    """The life of a ward; what it returns is told to the parent."""
    def leave(*_):
        end_all()
        clear(folder)
        os._exit(1)
    signal.signal(signal.SIGTERM, leave)
    for number in (signal.SIGINT, signal.SIGHUP):  # the parent takes these, and ends its wards
        signal.signal(number, signal.SIG_IGN)
    parent = os.getppid()
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)
    if os.getppid() != parent:
        leave()
    os.mkdir(folder)
    os.chmod(folder, 0o1777)  # some tests run programs as another user
    if isolated:
        isolate()
    began = time.monotonic()
    with open(log, "wb") as said:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True,
            env={**os.environ, **environment, "TMPDIR": folder, "HOME": folder},
            preexec_fn=lambda: (os.nice(nice), LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)))
        try:
            status = bury_until(child.pid, limit)
        except TimeoutError:
            said.write(f"\nThe suite was ended after {limit} s.\n".encode())
            status = 124
    seconds = time.monotonic() - began
    left = end_all(LATE)
    clear(folder)
    spent = os.times()
    return {"status": status, "seconds": seconds, "left": left,
            "processor": spent.children_user + spent.children_system}


class Ward:
    """A suite that runs."""

    def __init__(self, command, log, folder, environment, *, nice=0, isolated=False, limit=1500):
        self._answer, told = os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self._answer)
                answer = _live(command, log, folder, environment, nice, isolated, limit)
                os.write(told, json.dumps(answer).encode())
                os._exit(0)
            except BaseException as trouble:  # told to the parent, which goes on
                end_all()
                os.write(told, json.dumps({"status": 125, "seconds": 0, "processor": 0, "left": [],
                                           "trouble": repr(trouble)}).encode())
                os._exit(1)
        os.close(told)

    def result(self):
        """The answer of a ward that has ended: status, seconds, seconds of processor, what it left."""
        with os.fdopen(self._answer, "rb") as answer:
            said = answer.read()
        if not said:
            return {"status": 125, "seconds": 0, "processor": 0, "left": [], "trouble": "the ward was killed"}
        return json.loads(said)
