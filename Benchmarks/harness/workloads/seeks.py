"""Seeks to places that nobody has been to."""
import random
from ..reading import elapsed, seeks
from ..units import KIB, percentile
from ..wire import Wire
from .stage import Workload

SIZE = 256 * KIB


class Seeks(Workload):
    name, folder = 'seeks', 'big'

    def seconds(self, parameters):
        # The slowest peer fetches 8 MiB twice for each.
        return 60 + parameters.seeks * (4 * parameters.rtt + parameters.transfer(64 * SIZE))

    def limit(self, stage, report):
        stage.use_network()
        name = stage.site.names[0]
        with Wire(stage.origin.port) as wire:
            wire.get('/feed')
            times = [elapsed(lambda offset=offset: wire.get(f'/files/big/{name}', offset, SIZE))
                     for offset in self.offsets(stage)]
        self._report_times(report, times)
        report('bytes', 1)

    def measure(self, stage, kind, report):
        stage.use_network()
        with stage.system(kind) as system:
            system.mount()
            stage.origin.settle()
            stage.origin.forget()
            offsets = self.offsets(stage)
            times = seeks(system.path(stage.site.names[0]), offsets, SIZE)
            self._report_times(report, times)
            stage.origin.settle()
            report('bytes', stage.origin.sent('/files/')[1] / (len(offsets) * SIZE))

    @staticmethod
    def offsets(stage):
        """The same for every system, others in each turn."""
        places = random.Random(stage.turn)
        return [places.randrange(0, stage.content.size - SIZE)
                for _ in range(stage.parameters.seeks)]

    def _report_times(self, report, times):
        report('p50', percentile(times, 0.5) * 1000)
        report('p95', percentile(times, 0.95) * 1000)
