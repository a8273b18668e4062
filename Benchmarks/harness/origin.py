"""The test origin as a child process: what it serves, how slow its network is, what it has sent."""
import contextlib, http.client, json, subprocess, time
from xml.sax.saxutils import escape, quoteattr


class Origin:
    """Serves the files below `root` at /files/, at the far end of `line` if there is one. Used by
    one thread."""

    def __init__(self, program, root, line=None):
        self.root, self.host = root, line.far if line else '127.0.0.1'
        with line.at_the_far_end() if line else contextlib.nullcontext():
            self.child = subprocess.Popen([program, '--root', root, '--address', self.host],
                                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            ready = self.child.stdout.readline().split()
            if ready[:1] != ['READY']:
                raise RuntimeError('the test origin does not start')
            self.port = int(ready[1])
            # One connection for all control requests: it is spared when others are refused, and
            # takes no part of a line.
            self.control = http.client.HTTPConnection(self.host, self.port, timeout=60)
            self.control.connect()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.stdin.close()  # it ends with its input
        self.child.wait(10)

    def url(self, path):
        return f'http://{self.host}:{self.port}{path}'

    def ask(self, method, path, body=None, kind='text/plain'):
        self.control.request(method, path, body and body.encode(), {'Content-Type': kind})
        answer = self.control.getresponse()
        return answer.status == 200, answer.read()

    # What it serves.

    def publish(self, folder, sizes):
        """Makes /feed of the files of `folder`, in the order of `sizes`, and a page with links to
        them at /files/FOLDER, for those who read no feeds; some of them drop the last slash."""
        path = f'/files/{folder}/'
        items = ''.join(
            f'<item><title>{escape(name)}</title><guid isPermaLink="false">{escape(name)}</guid>'
            f'<enclosure type="video/mp4" length="{size}" url={quoteattr(self.url(path + name))}/>'
            '</item>' for name, size in sizes.items())
        self.ask('PUT', '/__put/feed', '<rss version="2.0"><channel><title>bench</title>'
                 f'{items}</channel></rss>', 'application/rss+xml')
        links = ''.join(f'<a href="{name}">{name}</a><br>\n' for name in sizes)
        page = f'<html><body><h1>Index of {path}</h1>{links}</body></html>'
        self.ask('PUT', '/__put' + path, page, 'text/html')
        self.ask('PUT', '/__put' + path.rstrip('/'), page, 'text/html')

    def network(self, rtt=0.0, rate=0):
        """Seconds before each answer and for each new connection; bytes a second of each one, 0: no
        limit."""
        ms = round(rtt * 1000)
        self.ask('POST', f'/__network?latency_ms={ms}&connect_ms={ms}&rate={round(rate)}')

    def refuse(self):
        """From now on nobody gets a connection, and those that were there are gone."""
        self.ask('POST', '/__listen?on=0')

    # What it has sent.

    def forget(self):
        self.ask('POST', '/__reset')

    def settle(self):
        """Waits until nothing is under way, and nothing new was begun for 0.15 s."""
        count = -1
        for _ in range(100):
            self.ask('GET', '/__wait?idle=1&timeout_ms=20000')
            seen = len(self.log())
            if seen == count:
                return
            count = seen
            time.sleep(0.15)

    def log(self, path='/'):
        """The requests below `path` since `forget`, as the origin describes them (RequestLog)."""
        return [entry for entry in json.loads(self.ask('GET', '/__log')[1])
                if entry['path'].startswith(path)]

    def sent(self, path='/'):
        """How many requests there were below `path`, and the bytes of the bodies sent for them."""
        log = self.log(path)
        return len(log), sum(entry['bytesSent'] for entry in log)
