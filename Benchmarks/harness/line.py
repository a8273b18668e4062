"""A line between two network namespaces: a round trip, a rate and a loss below real TCP (line.c)."""
import contextlib, ctypes, json, os, subprocess
from .trial import Trouble

CLONE_NEWNET = 0x40000000  # linux/sched.h


class Line:
    """Lives as long as this process, or until `with` ends; used by one thread.

    `loss` is a share of all packets, `rate` bytes a second in each direction, headers included.
    """

    far, near = '10.215.0.1', '10.215.0.2'  # the addresses of its ends

    def __init__(self, program, rtt, rate, loss, seed, congestion, seconds):
        self.child = subprocess.Popen(
            [program, str(rtt * 1000), str(rate), str(loss), str(seed), congestion, str(seconds)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        ready = self.child.stdout.readline().split()
        if ready[:1] != ['READY']:
            raise Trouble(self.child.communicate()[1].strip()[:60] or 'no line')
        self.far_end, self.near_end = ready[1:]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.stdin.close()  # it ends with its input
        self.child.wait(10)
        self.child.stdout.close()
        self.child.stderr.close()

    def enter(self):
        """This thread, and what it starts from now on, is at the near end."""
        _enter(self.near_end)

    @contextlib.contextmanager
    def at_the_far_end(self):
        """What is started and connected in between is there, and stays there."""
        here = os.open('/proc/thread-self/ns/net', os.O_RDONLY)
        try:
            _enter(self.far_end)
            yield
        finally:
            _enter(f'/proc/self/fd/{here}')
            os.close(here)

    def counts(self):
        """What became of the packets: `down` to the near end, `up` to the far one."""
        self.child.stdin.write('\n')
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())


def _enter(path):
    space = os.open(path, os.O_RDONLY)
    try:
        if ctypes.CDLL(None, use_errno=True).setns(space, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    finally:
        os.close(space)
