"""A film read from its begin to its end, faster than one connection brings it."""
import os
from ..reading import elapsed, sequential
from ..units import MB
from ..wire import curl
from .stage import Workload


class Lanes(Workload):
    name, folder = 'lanes', 'big'

    def seconds(self, parameters):
        return 60 + 4 * parameters.transfer(parameters.size)

    def limit(self, stage, report):
        stage.use_network()
        url = stage.site.url(f'/files/big/{stage.site.names[0]}')
        seconds = elapsed(lambda: curl((url, os.path.join(stage.folder, 'copy'))))
        report('MB/s', stage.content.size / MB / seconds)

    def measure(self, stage, kind, report):
        stage.use_network()
        with stage.system(kind) as system:
            system.mount()
            report('MB/s', sequential(system.path(stage.site.names[0])) / MB)
