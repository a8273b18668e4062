"""Four players on four files."""
import os
from ..reading import elapsed, play, sequential, together
from ..units import MB
from ..wire import curl
from .stage import Workload


class Players(Workload):
    name, folder = 'players', 'four'

    def seconds(self, parameters):
        return 60 + 4 * parameters.transfer(parameters.size / 8) + 10 * parameters.watched

    def limit(self, stage, report):
        stage.use_network()
        downloads = [(stage.site.url(f'/files/four/{name}'), os.path.join(stage.folder, name))
                     for name in stage.site.names]
        report('MB/s', self._all(stage) / elapsed(lambda: curl(*downloads)))
        report('stalls', 0)

    def measure(self, stage, kind, report):
        """All at full speed, then anew, each at half of what a connection brings. The clock starts
        when all readers are there: the figure is the mount's, and no interpreter's."""
        stage.use_network()
        with stage.system(kind, 'fast') as system:
            system.mount()
            os.listdir(system.mount_point)
            paths = [system.path(name) for name in stage.site.names]
            readers = [lambda path=path: sequential(path) for path in paths]
            seconds = elapsed(lambda: together(readers))
            report('MB/s', self._all(stage) / seconds)
        pace = stage.parameters.rate / 2 or 10 * MB
        with stage.system(kind, 'paced') as system:
            system.mount()
            report('stalls', sum(together([
                lambda name=name: play(system.path(name), pace, stage.parameters.watched)
                for name in stage.site.names])))

    def _all(self, stage):
        return sum(stage.content.sizes['four'].values()) / MB
