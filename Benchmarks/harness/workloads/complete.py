"""A film is filled as fast as it goes, and is then read from the cache alone."""
import os
from .. import tools
from ..reading import digest, elapsed, forget_pages, sequential
from ..trial import Trouble
from ..units import GB, GIB, MB, MIB
from ..wire import curl
from .stage import Workload, median

ROUNDS = 3
RANDOM_READS = 50_000
READERS = 4  # at once, for the figure of several


class Complete(Workload):
    """As root, to whom the kernel gives passthrough, or as an ordinary user."""

    folder = 'big'

    def __init__(self, ordinary=False):
        self.ordinary = ordinary
        self.name = 'complete, ordinary user' if ordinary else 'complete'

    def seconds(self, parameters):
        return 90 + 20 * parameters.transfer(parameters.size, 50 * MB)

    def limit(self, stage, report):
        """curl for the fill; then the file on its own file system, and for reads that a daemon must
        answer the one that does nothing else."""
        name = stage.site.names[0]
        raw = os.path.join(stage.folder, name)
        seconds = elapsed(lambda: curl((stage.site.url(f'/files/big/{name}'), raw)))
        report('fill', stage.content.size / MB / seconds)
        self._read_hot(stage, raw, report)
        with tools.pread_loop(stage.programs, stage.folder, raw) as path:
            report('cold', median(self._read_cold(path)) / GB)
        if os.geteuid() == 0:
            with tools.pread_loop(stage.programs, stage.folder, raw, 'passthrough') as path:
                sequential(path)
                self._read_random(stage, path, report, ' beside C')
        report('offline', elapsed(lambda: digest(raw)))

    def measure(self, stage, kind, report):
        with stage.system(kind) as system:
            name = stage.site.names[0]
            path = system.path(name)
            system.mount()
            used = system.processor_time()
            report('fill', sequential(path) / MB)
            gibs = stage.content.size / GIB
            report('fill CPU', (system.processor_time() - used) / gibs)
            report('peak', system.peak() / MIB)
            for name_of, value in self._read_hot(stage, path, report):
                report(name_of + ' beside C', value)
            system.remount()
            used = system.processor_time()
            report('cold', median(self._read_cold(path)) / GB)
            report('read CPU', (system.processor_time() - used) / gibs / ROUNDS)
            self._read_offline(stage, system, name, report)

    def _read_hot(self, stage, path, report):
        """The second read and those after it."""
        sequential(path)
        report('hot', median(sequential(path) for _ in range(ROUNDS)) / GB)
        return self._read_random(stage, path, report)

    def _read_random(self, stage, path, report, ending=''):
        figures = [(metric, tools.random_reads(stage.programs, path, RANDOM_READS, readers) / MB)
                   for metric, readers in (('random', 1), ('random by several', READERS))]
        for metric, value in figures:
            report(metric + ending, value)
        return figures

    def _read_cold(self, path):
        """Before each read the file's pages are dropped; those of the cache file behind it stay."""
        for _ in range(ROUNDS):
            forget_pages(path)
            yield sequential(path)

    def _read_offline(self, stage, system, name, report):
        right = digest(stage.source(name))
        system.unmount()
        stage.origin.refuse()
        found = []

        def mount_and_hash():
            system.mount()
            found.append(digest(system.path(name)))

        seconds = elapsed(mount_and_hash)
        if found != [right]:
            raise Trouble('wrong bytes')
        report('offline', seconds)
