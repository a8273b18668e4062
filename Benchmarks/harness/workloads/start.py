"""How long the first bytes take, and how much is asked for to get them."""
import os
from ..reading import elapsed, head
from ..units import KIB, MIB
from ..wire import Wire, first_media
from .stage import Workload, median

FIRST = 64 * KIB
STEPS = [4 * KIB, 64 * KIB, 128 * KIB, 256 * KIB]  # by which the first 256 KiB are read


class Start(Workload):
    name, folder = 'start', 'small'

    def limit(self, stage, report):
        stage.use_network()
        site, rtt = stage.site, stage.parameters.rtt

        def begin():
            with Wire(stage.origin.port) as wire:
                wire.get(first_media(wire.get('/feed')), 0, FIRST)

        report('mount', elapsed(begin))
        with Wire(stage.origin.port) as wire:
            wire.get('/feed')
            times = [elapsed(lambda name=name: wire.get(f'/files/{site.folder}/{name}', 0, FIRST))
                     for name in site.names[1:5]]
        self._report_opens(report, times, rtt)
        report('open requests', 1)
        report('open MiB', FIRST / MIB)
        report('heads', 1)

    def measure(self, stage, kind, report):
        stage.use_network()
        origin, names = stage.origin, stage.site.names
        with stage.system(kind) as system:
            def begin():
                system.mount()
                head(system.path(names[0]), FIRST)

            report('mount', elapsed(begin))
            os.listdir(system.mount_point)
            times, costs = [], []
            for name in names[1:5]:
                origin.settle()
                origin.forget()
                times.append(elapsed(lambda name=name: head(system.path(name), FIRST)))
                origin.settle()
                costs.append(origin.sent('/files/'))
            self._report_opens(report, times, stage.parameters.rtt)
            report('open requests', median(requests for requests, _ in costs))
            report('open MiB', median(size for _, size in costs) / MIB)
            report('heads', max(self._head_requests(stage, system)))

    def _report_opens(self, report, times, rtt):
        report('open', median(times))
        if rtt:
            report('trips', median(times) / rtt)

    def _head_requests(self, stage, system):
        """For each step: the requests for the first 256 KiB of a file that nobody has opened."""
        for step, name in zip(STEPS, stage.site.names[5:]):
            stage.origin.settle()
            stage.origin.forget()
            head(system.path(name), 256 * KIB, step)
            stage.origin.settle()
            yield stage.origin.sent('/files/')[0]
