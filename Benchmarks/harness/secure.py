"""nginx with TLS 1.3, with or without HTTP/2, behind a relay that makes its network slow."""
import os, re, shutil, socket, subprocess, time
from xml.sax.saxutils import escape, quoteattr
from .trial import Trouble

REQUEST = re.compile(r'^(\S+) (\S+) (\d+)$')


class SecureOrigin:
    """Serves the files below `root` at /files/, as `Origin` does. Used by one thread.

    nginx can neither delay nor limit a connection: `delay-relay.c` does both. So a round trip is
    paid for the connect, for the handshake of TLS and for each request; and the rate is one of a
    connection, however many streams of HTTP/2 it has.
    """

    def __init__(self, programs, root, folder, protocol):
        self.root, self.folder, self.protocol = root, os.path.join(folder, 'nginx'), protocol
        if not shutil.which('nginx'):
            raise Trouble('no nginx')
        os.makedirs(self.folder)
        self.authority = self._make_certificates()
        self.inner = _free_port()
        self._configure()
        errors = open(os.path.join(self.folder, 'errors'), 'wb')
        self.nginx = subprocess.Popen(
            ['nginx', '-p', self.folder, '-c', os.path.join(self.folder, 'conf')],
            stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)
        self.relay = subprocess.Popen(
            [os.path.join(programs, 'delay-relay'), str(self.inner)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.port = int(self.relay.stdout.readline().split()[1])
        self._wait_for_nginx()

    def __exit__(self, *_):
        self.relay.stdin.close()
        self.relay.wait(10)
        self.nginx.terminate()
        self.nginx.wait(10)

    def url(self, path):
        return f'https://127.0.0.1:{self.port}{path}'

    def direct_url(self, path):
        """Past the relay, which would be the limit where the network has none."""
        return f'https://127.0.0.1:{self.inner}{path}'

    # What it serves.

    def publish(self, folder, sizes, is_direct=False):
        """Makes /feed of the files of `folder`, in the order of `sizes`."""
        path, url = f'/files/{folder}/', self.direct_url if is_direct else self.url
        items = ''.join(
            f'<item><title>{escape(name)}</title><guid isPermaLink="false">{escape(name)}</guid>'
            f'<enclosure type="video/mp4" length="{size}" url={quoteattr(url(path + name))}/>'
            '</item>' for name, size in sizes.items())
        with open(os.path.join(self.folder, 'feed'), 'w') as feed:
            feed.write('<rss version="2.0"><channel><title>bench</title>'
                       f'{items}</channel></rss>')

    def network(self, rtt=0.0, rate=0):
        """Seconds of a round trip; bytes a second of each connection, 0: no limit."""
        self._order(f'network {round(rtt * 1e6)} {round(rate)}')

    # What it has sent.

    def forget(self):
        open(self._log_path, 'w').close()

    def settle(self):
        """Waits until no byte has come for 0.15 s and two round trips."""
        for _ in range(400):
            if int(self._order('count').split()[3]) > 300_000:
                return
            time.sleep(0.02)

    def sent(self, path='/'):
        """How many requests there were below `path`, and the bytes of the bodies sent for them.
        Those that wait in the system's buffers when a request is cancelled count too."""
        found = [match for match in map(REQUEST.match, open(self._log_path))
                 if match and match[1].startswith(path)]
        return len(found), sum(int(match[3]) for match in found)

    @property
    def connections(self):
        """How many there were so far."""
        return int(self._order('count').split()[2])

    # Making it.

    @property
    def _log_path(self):
        return os.path.join(self.folder, 'log')

    def _order(self, line):
        self.relay.stdin.write(line + '\n')
        self.relay.stdin.flush()
        return self.relay.stdout.readline()

    def _make_certificates(self):
        """An authority and a certificate for 127.0.0.1; the path of the first."""
        def openssl(*words):
            subprocess.run(['openssl', *words], cwd=self.folder, check=True, capture_output=True)

        for name in ('ca', 'site'):
            openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', f'{name}.key')
        openssl('req', '-x509', '-new', '-key', 'ca.key', '-subj', '/CN=bench', '-days', '2',
                '-out', 'ca.pem', '-addext', 'basicConstraints=critical,CA:TRUE')
        openssl('req', '-new', '-key', 'site.key', '-subj', '/CN=127.0.0.1', '-out', 'site.csr')
        with open(os.path.join(self.folder, 'names'), 'w') as names:
            names.write('subjectAltName=IP:127.0.0.1')
        openssl('x509', '-req', '-in', 'site.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-days',
                '2', '-set_serial', '1', '-extfile', 'names', '-out', 'site.pem')
        return os.path.join(self.folder, 'ca.pem')

    def _configure(self):
        place, two = self.folder, ' http2' if self.protocol == 'h2' else ''
        temporary = ' '.join(f'{kind}_temp_path {place}/{kind};' for kind in (
            'client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'))
        # A buffer of this size keeps what a cancelled request still sends as short as a line does.
        with open(os.path.join(place, 'conf'), 'w') as file:
            file.write(f"""
daemon off; master_process off; pid {place}/pid; error_log stderr warn;
events {{ worker_connections 512; }}
http {{
  {temporary}
  log_format plain '$uri $status $body_bytes_sent';
  access_log {place}/log plain;
  keepalive_requests 1000000; keepalive_timeout 75s; types {{ video/mp4 mp4; }}
  server {{
    listen 127.0.0.1:{self.inner} ssl{two} sndbuf=256k;
    ssl_certificate {place}/site.pem; ssl_certificate_key {place}/site.key;
    ssl_protocols TLSv1.3;
    location = /feed {{ default_type application/rss+xml; alias {place}/feed; }}
    location /files/ {{ alias {self.root}/; autoindex on; }}
  }}
}}
""")

    def _wait_for_nginx(self):
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                socket.create_connection(('127.0.0.1', self.inner), timeout=1).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.01)
        raise Trouble('nginx does not start')


def _free_port():
    """nginx cannot be told to take any."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]
