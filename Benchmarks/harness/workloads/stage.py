"""What a trial works with, and what a workload is."""
import dataclasses, os, statistics
from ..origin import Origin
from ..systems import BareURL
from ..units import MB, MIB

median = statistics.median


@dataclasses.dataclass(frozen=True)
class Parameters:
    """What may be tried otherwise than in the table; the promises in seconds and in MB/s are made
    for the defaults."""

    rtt: float = 0.05  # seconds
    rate: float = 20 * MB  # bytes a second of one connection; 0: no limit
    size: int = 512 * MIB  # bytes of the large file
    seeks: int = 30
    watched: float = 10.0  # seconds for which four players play

    def transfer(self, size, rate=None):
        """Seconds that a connection needs for `size` bytes; as if it made 50 MB/s, if it has no
        limit."""
        return size / (rate or self.rate or 50 * MB)


class Site:
    """What is published, as a system sees it."""

    def __init__(self, origin, content, folder):
        self.origin, self.folder, self.names = origin, folder, content.names(folder)
        self.authority = getattr(origin, 'authority', None)  # that TLS has to trust
        origin.publish(folder, content.sizes[folder])

    def url(self, path):
        return self.origin.url(path)


class Stage:
    """The origin and the folder of one trial; the origin lives as long as `with` lasts."""

    def __init__(self, workload, content, parameters, folder, programs, turn):
        self.content, self.parameters, self.folder = content, parameters, folder
        self.programs, self.turn = programs, turn
        self.origin = workload.origin(self)
        self.site = Site(self.origin, content, workload.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.origin.__exit__()

    def system(self, kind, name='system'):
        """A new one of this kind, which is not mounted yet."""
        folder = os.path.join(self.folder, name)
        os.makedirs(folder)
        return kind(folder, self.site)

    def source(self, name):
        """The file itself that is served as `name`."""
        return self.content.file(self.site.folder, name)

    def use_network(self):
        """The round trips and the rate of the parameters, from now on."""
        self.origin.network(self.parameters.rtt, self.parameters.rate)


class Workload:
    """Something that is done with each system in turn, and the limit of it.

    Both `limit` and `measure` tell `report(name, value)` what `rows` makes a table of. They run in
    a process of their own.
    """

    name = ''
    folder = ''  # of the content
    ordinary = False  # whether it runs without privilege

    def takes(self, kind):
        """Whether there is something to measure with this kind of system."""
        return not issubclass(kind, BareURL)

    def origin(self, stage):
        """What serves the content of a trial."""
        return Origin(os.path.join(stage.programs, 'testorigin'), stage.content.root)

    def seconds(self, parameters):
        """How long a trial may take, generously: what takes longer hangs."""
        return 60 + 400 * parameters.rtt + parameters.transfer(256 * MIB)

    def limit(self, stage, report):
        raise NotImplementedError

    def measure(self, stage, kind, report):
        raise NotImplementedError
