"""What players do first: look for the index, and decode the first second."""
import os
from ..reading import tool
from ..systems import FourConnections
from .stage import Workload


class Films(Workload):
    name, folder = 'films', 'films'

    def takes(self, kind):
        return kind is not FourConnections

    def limit(self, stage, report):
        """The tool's work on the local file, and a round trip for each place that it must see. Whoever
        knows where the index lies sees both places of a later film in one."""
        for kind, trips in (('front', 1), ('end', 2), ('later', 1)):
            for name, seconds in self._times(kind, lambda name: stage.source(name)):
                report(name, seconds + trips * stage.parameters.rtt)

    def measure(self, stage, kind, report):
        stage.use_network()
        with stage.system(kind) as system:
            system.mount()
            os.listdir(system.mount_point)
            for end in ('front', 'end', 'later'):
                for name, seconds in self._times(end, system.path, stage.origin.settle):
                    report(name, seconds)

    def _times(self, kind, path, settle=lambda: None):
        """Each tool gets a file of its own, that nobody has opened. Later films are the third and the
        fourth with the index at the end."""
        first, second = ('end-3.mp4', 'end-4.mp4') if kind == 'later' else (
            f'{kind}-1.mp4', f'{kind}-2.mp4')
        settle()
        yield f'ffprobe {kind}', tool('ffprobe', '-v', 'error', path(first))
        settle()
        yield f'ffmpeg {kind}', tool('ffmpeg', '-nostdin', '-v', 'error', '-t', '1',
                                     '-i', path(second), '-f', 'null', '-')
