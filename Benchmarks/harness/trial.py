"""One measurement in a process of its own, with a time limit.

A mount that hangs takes down who reads from it, so nobody else may. Whatever a trial has started is
its descendant, and whatever it has mounted lies below its folder: both are gone when `run` returns,
also after Ctrl-C.
"""
import ctypes, errno, json, os, select, signal, subprocess, sys, time, traceback

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
PATIENCE = 10  # seconds for a trial that is told to end


def adopt():
    """Daemons whose parent has ended become children of this process from now on."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Outcome:
    """What a trial has measured: `values` by name, and in `trouble` why there are no more."""

    def __init__(self):
        self.values, self.trouble = {}, None

    def take(self, line):
        name, value = json.loads(line)
        if name is None:
            self.trouble = value
        else:
            self.values[name] = value


class Trouble(Exception):
    """A system could not do what was asked; the text is short enough for a table."""


def run(body, seconds, folder):
    """Calls `body(report)` in a child; `report(name, value)` adds to the outcome at once."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _serve(body, writer)
    os.close(writer)
    outcome = Outcome()
    try:
        if not _collect(reader, outcome, time.monotonic() + seconds):
            outcome.trouble = 'hung'
    finally:
        _end(child)
        os.close(reader)
        sweep(folder)
    return outcome


def _serve(body, writer):
    """The child's whole life: ends without a word to anybody but `writer`."""
    os.setsid()  # Ctrl-C is for the parent, which ends this one in its own way
    signal.signal(signal.SIGTERM, _leave)
    # A parent that is killed cannot say so.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    send = lambda name, value: os.write(writer, (json.dumps([name, value]) + '\n').encode())
    try:
        body(send)
    except Trouble as trouble:
        send(None, str(trouble))
    except OSError as error:
        print(error, file=sys.stderr)
        send(None, 'daemon died' if error.errno == errno.ENOTCONN else error.strerror)
    except Exception as error:
        traceback.print_exc()
        send(None, type(error).__name__)
    finally:
        os._exit(0)


def _leave(*_):
    """Unwinds the stack, so that mounts are taken down in order."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Trouble('was told to end')


def _collect(reader, outcome, deadline):
    """Reads what is reported, until the child has said everything; False if that takes too long."""
    rest = b''
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            return False
        piece = os.read(reader, 65536)
        if not piece:
            return True
        *lines, rest = (rest + piece).split(b'\n')
        for line in lines:
            outcome.take(line)


def _end(child):
    """Waits for a child that is done; one that is not is told to end, and then ended."""
    if _has_ended(child, 1):
        return
    os.kill(child, signal.SIGTERM)
    if not _has_ended(child, PATIENCE):
        os.kill(child, signal.SIGKILL)


def _has_ended(child, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if os.waitpid(child, os.WNOHANG)[0]:
                return True
        except ChildProcessError:
            return True
        time.sleep(0.005)
    return False


def sweep(folder):
    """Ends every descendant of this process and takes down every mount below `folder`.

    A reader that the kernel holds goes when the daemon of its mount is dead.
    """
    for pid in descendants(os.getpid()):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    for mount in mounts_below(folder):
        subprocess.run(['fusermount3', '-uqz', mount], check=False, timeout=PATIENCE)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.005)
        except ChildProcessError:
            return


def descendants(pid):
    """The processes that `pid` has started, and theirs."""
    found = []
    try:
        for thread in os.listdir(f'/proc/{pid}/task'):
            with open(f'/proc/{pid}/task/{thread}/children') as children:
                found += [int(child) for child in children.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        pass
    return found + [below for child in found for below in descendants(child)]


def mounts_below(folder):
    """The mount points below `folder`, the deepest first."""
    with open('/proc/self/mountinfo') as mounts:
        points = [line.split()[4].replace('\\040', ' ') for line in mounts]
    return sorted((point for point in points if point.startswith(folder + '/')), reverse=True)
