"""The line does what it is told: round trip, rate, buffer and loss; and it ends with its owner."""
import contextlib, os, socket, subprocess, sys, tempfile, threading, time, unittest

from harness import trial
from harness.line import Line
from harness.tools import SOURCES

SO_RCVBUFFORCE = 33  # asm-generic/socket.h
PACKET = 1400  # bytes of a datagram's body
HEADERS = 28  # of IP and UDP
OBSTACLE = ('namespaces need root' if os.geteuid() else
            None if os.path.exists('/dev/net/tun') else 'there is no /dev/net/tun')


def in_a_thread(body):
    """Calls `body` in a thread of its own, which may go to an end of a line and stay there."""
    results = []

    def run():
        try:
            results.append((body(), None))
        except BaseException as error:
            results.append((None, error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    value, error = results[0]
    if error:
        raise error
    return value


@unittest.skipIf(OBSTACLE, OBSTACLE)
class Lines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.program = os.path.join(cls.folder.name, 'line')
        subprocess.run(['gcc', '-O2', '-Wall', '-Wextra', '-Werror', '-pthread', '-o', cls.program,
                        os.path.join(SOURCES, 'line.c')], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def line(self, rtt=0.05, rate=10e6, loss=0.0, seed=1, congestion='cubic', seconds=60):
        return Line(self.program, rtt, rate, loss, seed, congestion, seconds)

    def socket_at(self, line, end, kind):
        """A socket at the far or near end; a namespace is that of the thread that makes it."""
        def make():
            line.enter() if end == 'near' else None
            return socket.socket(socket.AF_INET, kind)

        if end == 'near':
            made = in_a_thread(make)
        else:
            with line.at_the_far_end():
                made = make()
        made.settimeout(20)
        return made

    @contextlib.contextmanager
    def pair(self, line, kind):
        """A socket that is bound at the near end, and one at the far end."""
        with (self.socket_at(line, 'near', kind) as near,
              self.socket_at(line, 'far', kind) as far):
            near.bind((line.near, 0))
            yield near, far

    def shoot(self, line, count, pause=0.0):
        """Sends datagrams to the near end; the numbers of those that arrive, and when the last one
        did, in seconds after the first was sent."""
        with self.pair(line, socket.SOCK_DGRAM) as (near, far):
            near.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
            start = time.perf_counter()
            for number in range(count):
                far.sendto(number.to_bytes(4, 'big').ljust(PACKET, b'.'), near.getsockname())
                if pause:
                    time.sleep(pause)
            near.settimeout(1)
            seen, last = [], start
            with contextlib.suppress(TimeoutError):
                while True:
                    seen.append(int.from_bytes(near.recv(PACKET)[:4], 'big'))
                    last = time.perf_counter()
        return seen, last - start

    def test_a_round_trip_takes_its_time(self):
        for rtt in (0.005, 0.15, 0.3):
            with self.line(rtt=rtt) as line, self.pair(line, socket.SOCK_DGRAM) as (near, far):
                far.bind((line.far, 0))
                times = []
                for _ in range(9):
                    start = time.perf_counter()
                    near.sendto(b'ping', far.getsockname())
                    far.sendto(*far.recvfrom(9))
                    near.recv(9)
                    times.append(time.perf_counter() - start)
            # The relay reads the clock once for all packets that it finds.
            self.assertGreater(min(times), rtt * 0.99 - 0.0003)
            self.assertLess(sorted(times)[4], rtt * 1.05 + 0.001)

    def test_bytes_pass_at_its_rate_and_the_full_buffer_drops_the_rest(self):
        with self.line(rtt=0.1, rate=2e6) as line:  # the buffer has 200 kB
            seen, last = self.shoot(line, 300)
            counts = line.counts()['down']
        held = 200_000 // (PACKET + HEADERS)
        self.assertEqual(seen[:held], list(range(held)))
        self.assertLess(len(seen), held + 30)  # those for which there was room again
        self.assertAlmostEqual(last, len(seen) * (PACKET + HEADERS) / 2e6 + 0.05, delta=0.02)
        self.assertEqual((counts['taken'], counts['dropped'], counts['lost']),
                         (300, 300 - len(seen), 0))
        self.assertLessEqual(counts['most'], 200_000)

    def test_it_loses_its_share_and_the_same_ones_for_the_same_seed(self):
        runs = []
        for seed in (1, 1, 2):
            with self.line(rate=100e6, loss=0.05, seed=seed) as line:
                seen, _ = self.shoot(line, 3000)
                counts = line.counts()['down']
            self.assertEqual((counts['dropped'], counts['lost']), (0, 3000 - len(seen)))
            self.assertTrue(90 < counts['lost'] < 210, counts)  # 150 ± 5 sigma
            runs.append(seen)
        self.assertEqual(runs[0], runs[1])
        self.assertNotEqual(runs[0], runs[2])

    def transfer(self, line, size):
        """Sends bytes to the near end by TCP; bytes a second, from connecting on."""
        with self.pair(line, socket.SOCK_STREAM) as (near, far):
            far.bind((line.far, 0))
            far.listen()

            def send():
                connection, _ = far.accept()
                with connection:
                    connection.sendall(bytes(size))

            sender = threading.Thread(target=send)
            sender.start()
            start, left = time.perf_counter(), size
            near.connect(far.getsockname())
            while left > 0:
                left -= len(near.recv(1 << 20))
            sender.join()
            return size / (time.perf_counter() - start)

    def test_tcp_fills_it_and_no_packet_is_lost_on_a_device(self):
        # A rate that a small machine carries beside other work, and three turns for a moment without a core.
        for rtt, rate, size in ((0.02, 2e6, 4_000_000), (0.005, 40e6, 80_000_000)):
            speeds = []
            for _ in range(3):
                with self.line(rtt=rtt, rate=rate) as line:
                    speeds.append(self.transfer(line, size))
                    dropped = in_a_thread(lambda: self.device_drops(line))
                self.assertLess(speeds[-1], rate * 1448 / 1500)  # headers take the rest
                self.assertEqual(dropped, 0)
                if speeds[-1] > rate * 0.8:
                    break
            self.assertGreater(max(speeds), rate * 0.8)

    @staticmethod
    def device_drops(line):
        """Packets that the devices of both ends have dropped, on either side."""
        drops = 0
        for enter in (line.enter, line.at_the_far_end().__enter__):
            enter()
            with open('/proc/thread-self/net/dev') as devices:
                fields = next(text for text in devices if 'line:' in text).split(':')[1].split()
            drops += int(fields[3]) + int(fields[11])
        return drops

    def test_it_ends_when_its_owner_is_killed(self):
        owner = ('import sys; from harness.line import Line\n'
                 f'line = Line({self.program!r}, 0.05, 1e6, 0, 1, "cubic", 60)\n'
                 'print(line.child.pid, flush=True); sys.stdin.read()')
        with subprocess.Popen([sys.executable, '-c', owner], cwd=SOURCES, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            number = int(child.stdout.readline())
            self.assertTrue(self.runs(number))
            child.kill()
            child.wait()
            deadline = time.monotonic() + 5
            while self.runs(number) and time.monotonic() < deadline:
                time.sleep(0.01)
        self.assertFalse(self.runs(number))

    def test_it_ends_by_itself(self):
        with self.line(seconds=1) as line:
            self.assertEqual(line.child.wait(5), -14)  # SIGALRM

    def test_its_ends_use_the_congestion_control_that_was_asked_for(self):
        for congestion in ('cubic', 'reno'):
            with (self.line(congestion=congestion) as line,
                  self.pair(line, socket.SOCK_STREAM) as (near, far)):
                far.bind((line.far, 0))
                far.listen()
                near.connect(far.getsockname())
                accepted, _ = far.accept()
                with accepted:
                    found = [end.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
                             for end in (near, accepted)]
            self.assertEqual([name.rstrip(b'\0').decode() for name in found], [congestion] * 2)

    def test_an_unknown_congestion_control_is_told(self):
        with self.assertRaises(trial.Trouble):
            self.line(congestion='nosuch')

    @staticmethod
    def runs(number):
        """Whether a process does anything: one that has ended may wait for its parent."""
        try:
            with open(f'/proc/{number}/stat') as stat:
                return stat.read().rpartition(')')[2].split()[0] != 'Z'
        except (FileNotFoundError, ProcessLookupError):
            return False


if __name__ == '__main__':
    unittest.main()
