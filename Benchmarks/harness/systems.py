"""Who is measured: each mounts what an origin publishes, by a daemon whose cost can be read."""
import os, shutil, signal, subprocess, time
from .trial import Trouble, mounts_below
from .units import KIB

TICK = os.sysconf('SC_CLK_TCK')  # of /proc/PID/stat, a second


class System:
    """One system in a folder of its own, which holds its cache too. Used by one thread.

    A mount outlives `unmount` in its cache only, so that it can be mounted again.
    """

    name = program = ''

    def __init__(self, folder, site):
        self.folder, self.site = folder, site
        self.mount_point = os.path.join(folder, 'mount')
        self.cache = os.path.join(folder, 'cache')
        os.makedirs(self.mount_point)
        os.makedirs(self.cache)
        self.environment = dict(os.environ, HOME=folder, XDG_RUNTIME_DIR=folder,
                                **{f'XDG_{kind}_HOME': os.path.join(folder, kind.lower())
                                   for kind in ('CACHE', 'STATE', 'CONFIG')})
        if self.site.authority:
            # Go's programs know no other way.
            self.environment['SSL_CERT_FILE'] = self.site.authority

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.unmount()

    @property
    def is_mounted(self):
        return self.mount_point in mounts_below(self.folder)

    def path(self, name):
        """Where the file that is published as `name` is read."""
        return os.path.join(self.mount_point, name)

    def remount(self):
        self.unmount()
        self.mount()

    def kill(self):
        """Ends the daemon as a crash would, and takes away what is left of its mount."""
        os.kill(self.pid, signal.SIGKILL)
        deadline = time.monotonic() + 10
        while self.is_mounted and time.monotonic() < deadline:
            subprocess.run(['fusermount3', '-uqz', self.mount_point], check=False)
        self.reap()

    def reap(self):
        """Nothing, where the daemon is nobody's child."""

    def processor_time(self):
        """Seconds that the daemon has used, in all its threads."""
        with open(f'/proc/{self.pid}/stat') as stat:
            fields = stat.read().rpartition(')')[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def writes(self):
        """The write calls of the daemon so far: each answer to the kernel is one."""
        with open(f'/proc/{self.pid}/io') as figures:
            line = next(line for line in figures if line.startswith('syscw'))
        return int(line.split()[1])

    def peak(self):
        """Bytes of the daemon's largest resident memory so far, mapped pages included."""
        with open(f'/proc/{self.pid}/status') as status:
            line = next(line for line in status if line.startswith('VmHWM'))
        return int(line.split()[1]) * KIB


class FeedFS(System):
    name = program = 'feedfs'

    def feedfs(self, *arguments):
        done = subprocess.run([self.program, *arguments], env=self.environment, timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            raise Trouble(done.stderr.strip()[:60] or f'exit {done.returncode}')

    def mount(self):
        trust = ['--cacert', self.site.authority] if self.site.authority else []
        self.feedfs('mount', self.mount_point, '--feed', self.site.url('/feed'), *trust)

    def unmount(self):
        if self.is_mounted:
            self.feedfs('unmount', self.mount_point)

    def path(self, name):
        number = self.site.names.index(name) + 1
        return os.path.join(self.mount_point, f'{number:04}.mp4')

    @property
    def pid(self):
        return int(os.getxattr(self.mount_point, 'user.feedfs.pid'))


class Peer(System):
    """A system that stays in the foreground, as a child."""

    child = None

    def command(self, url):
        raise NotImplementedError

    def mount(self):
        url = self.site.url(f'/files/{self.site.folder}/')
        with open(os.path.join(self.folder, 'log'), 'ab') as log:
            self.child = subprocess.Popen(self.command(url), env=self.environment, stderr=log,
                                          stdout=log, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not self.is_mounted:
            if self.child.poll() is not None:
                raise Trouble('does not mount')
            if time.monotonic() > deadline:
                raise Trouble('hung')
            time.sleep(0.001)

    def unmount(self):
        deadline = time.monotonic() + 10
        while self.is_mounted and time.monotonic() < deadline:
            subprocess.run(['fusermount3', '-uq', self.mount_point], check=False)
            time.sleep(0.02)
        self.reap()

    def reap(self):
        if self.child:
            try:
                self.child.wait(10)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
            self.child = None

    @property
    def pid(self):
        return self.child.pid


class Rclone(Peer):
    name = program = 'rclone'

    def command(self, url):
        return [self.program, 'mount', '--config', '', '--http-url', url, '--read-only',
                '--vfs-cache-mode', 'full', '--cache-dir', self.cache, ':http:', self.mount_point]


class HTTPDirFS(Peer):
    name = program = 'httpdirfs'

    def command(self, url):
        return [self.program, '-f', '--cache', '--cache-location', self.cache, url,
                self.mount_point]


class BareURL(System):
    """No mount at all: a program that reads the address itself."""

    name = 'bare URL'

    def mount(self):
        pass

    def unmount(self):
        pass

    def path(self, name):
        return self.site.url(f'/files/{self.site.folder}/{name}')


class FourConnections(BareURL):
    """curl with four connections, each for a quarter of a file; no mount either."""

    name = 'curl ×4'


def installed_peers():
    """Those of the peers that are on the PATH, and the names of those that are not."""
    peers = [Rclone, HTTPDirFS]
    return ([peer for peer in peers if shutil.which(peer.program)],
            [peer.name for peer in peers if not shutil.which(peer.program)])


def version(program):
    """What it says of itself: the first line with its name and a digit, or the first at all."""
    try:
        done = subprocess.run([program, '--version'], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return 'unknown'
    lines = (done.stdout + done.stderr).strip().splitlines()
    named = [line for line in lines if os.path.basename(program) in line.lower() and any(
        letter.isdigit() for letter in line)]
    return (named or lines or ['unknown'])[0]
