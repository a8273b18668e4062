"""What is asked of the origin for things that users do, counted: nothing here depends on how fast
the machine is, as long as it is faster than the origin's network."""
import shutil
from ..reading import head, seeks, sequential, tool
from ..units import KIB, MIB
from .seeks import SIZE, Seeks
from .start import FIRST, STEPS
from .stage import Workload

RTT = 0.02  # seconds; without a limit of the rate, so that what is asked for comes


class Counted(Workload):
    """Mounts, does one thing, and tells how much was asked for it."""

    def measure(self, stage, kind, report):
        stage.origin.network(RTT)
        with stage.system(kind) as system:
            system.mount()
            self.count(stage, system, report)

    def count(self, stage, system, report):
        raise NotImplementedError

    def cost(self, stage, action, path='/files/'):
        """The requests below `path`, and the bytes sent for them, of what `action()` does."""
        stage.origin.settle()
        stage.origin.forget()
        action()
        stage.origin.settle()
        return stage.origin.sent(path)


class CountedListing(Counted):
    name, folder = 'counted listing', 'listing'

    def count(self, stage, system, report):
        before = system.writes()
        requests, _ = self.cost(stage, lambda: tool('ls', '-l', system.mount_point))
        report('ls -l of 200 entries: requests for media', requests)
        report('ls -l of 200 entries: answers to the kernel an entry',
               (system.writes() - before) / len(stage.site.names))
        report('mount: requests', len(stage.origin.log()) + 1)


class CountedHeads(Counted):
    name, folder = 'counted heads', 'small'

    def count(self, stage, system, report):
        paths = [system.path(name) for name in stage.site.names]
        requests, size = self.cost(stage, lambda: head(paths[0], FIRST))
        report('first 64 KiB: requests', requests)
        report('first 64 KiB: MiB', size / MIB)
        for step, path in zip(STEPS, paths[1:]):
            requests, _ = self.cost(stage, lambda path=path, step=step: head(path, 256 * KIB, step))
            report(f'first 256 KiB by {step // KIB} KiB: requests', requests)


class CountedSeeks(Counted):
    name, folder = 'counted seeks', 'big'

    def count(self, stage, system, report):
        path, offsets = system.path(stage.site.names[0]), Seeks.offsets(stage)
        requests, size = self.cost(stage, lambda: seeks(path, offsets, SIZE))
        report('30 seeks of 256 KiB: requests', requests)
        report('30 seeks of 256 KiB: bytes per byte asked', size / (len(offsets) * SIZE))


class CountedStream(Counted):
    name, folder = 'counted stream', 'big'

    def count(self, stage, system, report):
        path = system.path(stage.site.names[0])
        requests, size = self.cost(stage, lambda: sequential(path))
        report('64 MiB in order: requests', requests)
        report('64 MiB in order: bytes per byte read', size / stage.content.size)

        def again():
            system.remount()
            sequential(path)

        requests, size = self.cost(stage, again, '/')
        report('again after a remount: requests', requests)
        report('again after a remount: MiB', size / MIB)


class CountedScan(Counted):
    name, folder = 'counted scan', 'scanned'

    def count(self, stage, system, report):
        if not shutil.which('file'):
            return
        paths = [system.path(name) for name in stage.site.names]
        requests, size = self.cost(stage, lambda: tool('file', *paths))
        report('file *: requests an entry', requests / len(paths))
        report('file *: MiB an entry', size / MIB / len(paths))


class CountedFilms(Counted):
    name, folder = 'counted films', 'films'

    def count(self, stage, system, report):
        for kind, words in (('front', 'in front'), ('end', 'at the end')):
            path = system.path(f'{kind}-1.mp4')
            requests, size = self.cost(
                stage, lambda path=path: tool('ffprobe', '-v', 'error', path))
            report(f'ffprobe, index {words}: requests', requests)
            report(f'ffprobe, index {words}: MiB', size / MIB)
        # The third film of a feed in a row that has it there.
        tool('ffprobe', '-v', 'error', system.path('end-2.mp4'))
        requests, size = self.cost(
            stage, lambda: tool('ffprobe', '-v', 'error', system.path('end-3.mp4')))
        report('ffprobe, third film with its index at the end: requests', requests)
        report('ffprobe, third film with its index at the end: MiB', size / MIB)


COUNTED = [CountedListing(), CountedHeads(), CountedSeeks(), CountedStream(), CountedScan(),
           CountedFilms()]
