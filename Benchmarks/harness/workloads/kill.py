"""What is fetched again after the daemon was killed while somebody watched."""
import contextlib, os
from ..reading import digest, read
from ..trial import Trouble
from ..units import MIB
from .stage import Workload


class Kill(Workload):
    name, folder = 'kill', 'big'

    def seconds(self, parameters):
        return 90 + 4 * parameters.transfer(parameters.size, 5 * parameters.rate)

    def limit(self, stage, report):
        report('again', 0)

    def measure(self, stage, kind, report):
        """On a better network than the others, so that there is something to lose."""
        stage.origin.network(stage.parameters.rtt * 0.4, stage.parameters.rate * 5)
        name, watched = stage.site.names[0], stage.content.size * 3 // 10
        with stage.system(kind) as system:
            system.mount()
            watching = os.open(system.path(name), os.O_RDONLY)
            read(watching, watched)
            system.kill()
            with contextlib.suppress(OSError):
                os.close(watching)
            stage.origin.settle()
            stage.origin.forget()
            system.mount()
            right = digest(system.path(name), watched) == digest(stage.source(name), watched)
            stage.origin.settle()
            again = sum(overlap(entry, watched)
                        for entry in stage.origin.log(f'/files/big/{name}'))
        if not right:
            raise Trouble('wrong bytes')
        report('again', again / MIB)


def overlap(entry, end):
    """How many of the bytes that were sent for a request lie before `end`."""
    words = (entry['range'] or 'bytes=0-').partition('=')[2]
    start = int(words.partition('-')[0] or end)
    return max(0, min(start + entry['bytesSent'], end) - start)
