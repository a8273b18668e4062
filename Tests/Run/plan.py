"""Decides which suite begins next. Values only: nothing here waits, reads or starts."""
import dataclasses
import re

# A suite whose share of a core is above this computes; the others wait most of the time.
COMPUTING = 0.4
# Waiting suites at one time: each has threads, mounts and disks. Their shares together are below that of the cores.
WAITING = 10
ROOM = 0.8
# The figures of a suite that has never run: it begins early, and nobody takes it for an idle one.
UNKNOWN = (60.0, 60.0)


@dataclasses.dataclass(frozen=True)
class Load:
    """What a suite asks of the machine."""
    name: str
    seconds: float
    """How long it took the last time."""
    share: float
    """The share of a core that it took then."""
    is_strict: bool = False
    """Holds times that other work would spoil."""
    is_prompt: bool = False
    """Holds such times too, and waits for the most part."""

    @property
    def computes(self):
        return self.share > COMPUTING and not self.is_prompt

    @classmethod
    def of(cls, name, times, strict=(), prompt=()):
        """The load of a suite by the times of its last run: seconds, and seconds of processor.

        `prompt` has the names of promises, of which each part may be a suite."""
        seconds, processor = times.get(name, UNKNOWN)
        return cls(name, seconds, processor / max(seconds, 0.1), name in strict, re.split("[/:]", name)[0] in prompt)


class Plan:
    """The suites that have not begun, in the order in which they should.

    Computing suites run beside each other, one for each core. Waiting suites run beside them. What takes longest
    begins first. Strict suites come last: they run beside other strict ones that wait, and beside nothing else.
    """

    def __init__(self, loads, cores):
        self._cores = cores
        self._waiting = sorted(loads, key=lambda load: (-load.seconds, load.name))

    def __len__(self):
        return len(self._waiting)

    def next(self, running, runs=1):
        """Takes and returns the load that may begin beside `running`; None if one of those has to end first.

        `runs` is the number of runs that share the machine. Each takes its share of the cores."""
        for load in self._waiting:
            if not running or self._may_begin(load, running, runs):
                if load.is_strict and any(not other.is_strict for other in self._waiting):
                    continue
                self._waiting.remove(load)
                return load
        return None

    def _may_begin(self, load, running, runs):
        if load.is_strict != any(other.is_strict for other in running):
            return False
        if load.computes and not load.is_strict:
            return sum(other.computes for other in running) < max(1, self._cores // runs)
        peers = [other for other in running if load.is_strict or not other.computes]
        room = self._cores / runs * (ROOM / 2 if load.is_strict else ROOM)
        return not peers or (len(peers) < WAITING / runs and sum(peer.share for peer in peers) + load.share <= room)
