"""A part of a film, read faster than one connection brings it."""
import os
from ..reading import elapsed, sequential
from ..units import MB, MIB
from ..wire import curl
from .stage import Workload

PART = 128 * MIB
CONNECTIONS = 4


class Lanes(Workload):
    """The reader stops in the middle of the film: what was fetched beyond that place is lost, and
    counts as sent."""

    name, folder = 'lanes', 'big'

    def seconds(self, parameters):
        return 60 + 4 * parameters.transfer(PART)

    def limit(self, stage, report):
        """Four connections, each with a quarter of the part, and all of them new."""
        stage.use_network()
        url, part = stage.site.url(f'/files/big/{stage.site.names[0]}'), self._part(stage)
        quarter = -(-part // CONNECTIONS)
        downloads = [(url, os.path.join(stage.folder, f'copy-{start}'),
                      f'{start}-{min(start + quarter, part) - 1}')
                     for start in range(0, part, quarter)]
        report('MB/s', part / MB / elapsed(lambda: curl(*downloads)))
        report('sent', 1)

    def measure(self, stage, kind, report):
        stage.use_network()
        with stage.system(kind) as system:
            system.mount()
            os.listdir(system.mount_point)
            stage.origin.settle()
            stage.origin.forget()
            report('MB/s', sequential(system.path(stage.site.names[0]), self._part(stage)) / MB)
            stage.origin.settle()
            requests, sent = stage.origin.sent('/files/')
            report('sent', sent / self._part(stage))
            report('requests', requests)

    @staticmethod
    def _part(stage):
        return min(PART, stage.content.size)
