"""A mount and `ls -l` of two hundred entries that nobody has opened."""
from ..reading import elapsed, tool
from ..wire import Wire
from .stage import Workload


class Listing(Workload):
    name, folder = 'listing', 'listing'

    def limit(self, stage, report):
        stage.use_network()

        def ask():
            with Wire(stage.origin.port) as wire:
                wire.get('/feed')

        report('seconds', elapsed(ask))
        report('requests', 1)

    def measure(self, stage, kind, report):
        stage.use_network()
        with stage.system(kind) as system:
            def list_all():
                system.mount()
                tool('ls', '-l', system.mount_point)

            report('seconds', elapsed(list_all))
            stage.origin.settle()
            report('requests', stage.origin.sent()[0])
