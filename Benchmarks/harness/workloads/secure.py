"""First bytes, seeks and fills over TLS 1.3, with HTTP/1.1 and with HTTP/2."""
import os
from ..reading import digest, elapsed, head, seeks, sequential
from ..secure import SecureOrigin
from ..systems import FeedFS, Rclone
from ..trial import Trouble
from ..units import GIB, KIB, MB, percentile
from ..wire import curl_kept, curl_one
from .seeks import SIZE, Seeks
from .start import FIRST
from .stage import Workload, median

PROTOCOLS = {'tls': 'TLS 1.3', 'h2': 'HTTP/2'}


class Secure(Workload):
    """A workload over one of the protocols; its limit is curl over the same."""

    kind = ''

    def __init__(self, protocol):
        self.protocol, self.name = protocol, f'{protocol} {self.kind}'

    def origin(self, stage):
        return SecureOrigin(stage.programs, stage.content.root, stage.folder, self.protocol)

    def takes(self, kind):
        return kind in (FeedFS, Rclone)

    def curl(self, stage, *asked):
        """Seconds of each request after the one for the feed, which opens the connection."""
        return curl_kept(stage.site.authority, self.protocol,
                         [(stage.site.url('/feed'), None), *asked])[1:]

    def url(self, stage, name):
        return stage.site.url(f'/files/{self.folder}/{name}')


class SecureStart(Secure):
    kind, folder = 'start', 'small'

    def limit(self, stage, report):
        stage.use_network()
        names, span = stage.site.names, f'0-{FIRST - 1}'
        report('mount', elapsed(lambda: self.curl(stage, (self.url(stage, names[0]), span))))
        report('open', median(self.curl(stage, *((self.url(stage, name), span)
                                                 for name in names[1:5]))))

    def measure(self, stage, kind, report):
        stage.use_network()
        names = stage.site.names
        with stage.system(kind) as system:
            def begin():
                system.mount()
                head(system.path(names[0]), FIRST)

            report('mount', elapsed(begin))
            os.listdir(system.mount_point)
            times = []
            for name in names[1:5]:
                stage.origin.settle()
                times.append(elapsed(lambda name=name: head(system.path(name), FIRST)))
            report('open', median(times))


class SecureSeeks(Secure):
    kind, folder = 'seeks', 'big'

    def limit(self, stage, report):
        stage.use_network()
        url = self.url(stage, stage.site.names[0])
        self._report_times(report, self.curl(stage, *(
            (url, f'{offset}-{offset + SIZE - 1}') for offset in Seeks.offsets(stage))))
        report('connections', 1)
        report('bytes', 1)

    def measure(self, stage, kind, report):
        stage.use_network()
        with stage.system(kind) as system:
            system.mount()
            stage.origin.settle()
            stage.origin.forget()
            offsets = Seeks.offsets(stage)
            self._report_times(report, seeks(system.path(stage.site.names[0]), offsets, SIZE))
            stage.origin.settle()
            report('connections', stage.origin.connections)
        # nginx writes a request down when it has ended.
        report('bytes', stage.origin.sent('/files/')[1] / (len(offsets) * SIZE))

    def _report_times(self, report, times):
        for name, share in (('p50', 0.5), ('p95', 0.95)):
            report(name, percentile(times, share) * 1000)


class SecureFill(Secure):
    """Each connection has the rate of the parameters. What came must be right."""

    kind, folder = 'fill', 'big'

    def seconds(self, parameters):
        return 60 + 4 * parameters.transfer(parameters.size)

    def prepare(self, stage):
        stage.use_network()

    def source(self, stage):
        return self.url(stage, stage.site.names[0])

    def limit(self, stage, report):
        self.prepare(stage)
        copy = os.path.join(stage.folder, 'copy')
        seconds = elapsed(lambda: curl_one(stage.site.authority, self.protocol,
                                           self.source(stage), copy))
        report('MB/s', stage.content.size / MB / seconds)

    def measure(self, stage, kind, report):
        self.prepare(stage)
        with stage.system(kind) as system:
            name = stage.site.names[0]
            system.mount()
            used = system.processor_time()
            report('MB/s', sequential(system.path(name)) / MB)
            report('CPU', (system.processor_time() - used) / (stage.content.size / GIB))
            if digest(system.path(name)) != digest(stage.source(name)):
                raise Trouble('wrong bytes')


class SecureUnlimited(SecureFill):
    """Past the relay: nothing but the two programs is the limit."""

    kind = 'unlimited fill'

    def takes(self, kind):
        return kind is FeedFS  # whose feed alone leads past the relay

    def prepare(self, stage):
        stage.origin.network()
        stage.origin.publish(self.folder, stage.content.sizes[self.folder], is_direct=True)

    def source(self, stage):
        return stage.origin.direct_url(f'/files/{self.folder}/{stage.site.names[0]}')


SECURE = [kind(protocol) for protocol in PROTOCOLS
          for kind in (SecureStart, SecureSeeks, SecureFill, SecureUnlimited)]
