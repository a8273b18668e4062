"""What decides whether a promise is kept, and what a trial leaves behind."""
import os, socket, subprocess, sys, tempfile, threading, time, unittest

import counts
from harness import instructions, table, trial
from harness.reading import pieces
from harness.results import LIMIT, Results
from harness.rows import ROWS, Promise, Row, chosen
from harness.units import MIB, figure, percentile
from harness.workloads.kill import overlap
from harness.workloads.stage import Parameters


def outcome(**values):
    result = trial.Outcome()
    result.values = values
    return result


class Arguments(unittest.TestCase):
    def test_help_names_all_rows(self):
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'bench.py')
        told = subprocess.run([sys.executable, program, '--help'], capture_output=True, text=True)
        words = ''.join(told.stdout.split())
        for row in ROWS:
            self.assertIn(row.key, words)


class Figures(unittest.TestCase):
    def test_three_digits_are_shown(self):
        shown = {0: '0', 1: '1', 0.0505: '0.0505', 2.2756: '2.28', 19.62: '19.6', 250: '250',
                 3018.4: '3,018', 0.5: '0.5', 100.0: '100', -0.25: '-0.25'}
        self.assertEqual({value: figure(value) for value in shown}, shown)

    def test_a_percentile_is_one_of_the_values(self):
        values = list(range(1, 31))
        self.assertEqual([percentile(values, share) for share in (0.5, 0.95, 1)], [15, 29, 30])
        self.assertEqual(percentile([7], 0.95), 7)


class Verdicts(unittest.TestCase):
    def verdict(self, promise, limits, ours, parameters=Parameters(), is_root=True):
        row, results = Row('key', 'title', 'work', 'metric', 's', promise), Results()
        for turn, (limit, our) in enumerate(zip(limits, ours)):
            results.take(turn, 'work', LIMIT, outcome(metric=limit))
            results.take(turn, 'work', 'feedfs', outcome(metric=our))
        return table.verdict(row, results, parameters, is_root)

    def test_a_promise_is_judged_by_the_median(self):
        self.assertEqual(self.verdict(Promise('≤', 2), [1, 1, 1], [1, 2, 9]), 'kept')
        self.assertEqual(self.verdict(Promise('≥', 2), [1, 1, 1], [1, 1.9, 9]), 'missed')

    def test_a_share_is_judged_by_the_ratios_of_each_turn(self):
        promise = Promise('≥', 0.9, of_limit=True)
        self.assertEqual(self.verdict(promise, [10, 100, 50], [9, 95, 10]), 'kept')

    def test_what_was_promised_for_another_network_is_not_judged(self):
        promise = Promise('≤', 2, holds_for=('rtt',))
        self.assertEqual(self.verdict(promise, [1], [9], Parameters(rtt=0.3)), '–')
        self.assertEqual(self.verdict(promise, [1], [9]), 'missed')

    def test_what_is_promised_to_root_is_not_judged_for_others(self):
        promise = Promise('≤', 2, by_root=True)
        self.assertEqual(self.verdict(promise, [1], [9], is_root=False), '–')

    def test_nothing_measured_is_no_verdict(self):
        self.assertEqual(self.verdict(Promise('≤', 2), [], []), '–')

    def test_trouble_stands_in_the_cell(self):
        results, failed, row = Results(), outcome(), ROWS[0]
        failed.trouble = 'hung'
        results.take(0, row.workload, 'peer', failed)
        self.assertEqual(table.cell(row, results, 'peer'), 'hung')
        results.take(1, row.workload, 'peer', outcome(**{row.metric: 2}))
        self.assertEqual(table.cell(row, results, 'peer'), '2 s (hung)')

    def test_a_turn_without_a_figure_does_not_shift_the_ratios(self):
        row, results = Row('key', 'title', 'work', 'metric', 's', Promise('≤', 2)), Results()
        for turn, (limit, our) in enumerate([(1, None), (10, 20), (100, 200)]):
            results.take(turn, 'work', LIMIT, outcome(metric=limit))
            results.take(turn, 'work', 'peer', outcome(**({'metric': our} if our else {})))
        self.assertEqual(results.ratio(row, 'peer'), 2)

    def test_a_row_brings_its_workload_and_no_other(self):
        rows, workloads = chosen(['seek-p50'])
        self.assertEqual(([row.key for row in rows], [work.name for work in workloads]),
                         (['seek-p50'], ['seeks']))

    def test_every_row_has_a_workload(self):
        self.assertEqual({work.name for work in chosen([])[1]}, {row.workload for row in ROWS})


class Counts(unittest.TestCase):
    def test_only_bytes_before_the_place_were_fetched_again(self):
        entries = [('bytes=0-99', 100, 100), ('bytes=150-', 100, 50), (None, 80, 80),
                   ('bytes=300-400', 101, 0)]
        self.assertEqual([overlap({'range': words, 'bytesSent': sent}, 200)
                          for words, sent, _ in entries], [again for *_, again in entries])

    def test_a_limit_leaves_room_for_what_varies(self):
        self.assertEqual(counts.limit('requests', [3, 3, 3]), 3)
        self.assertEqual(counts.limit('requests', [3, 4, 5]), 7)
        self.assertEqual(counts.limit('MiB', [1.0, 1.5]), 2.08)
        self.assertEqual(counts.limit('cached read: instructions', [1000]), 1100)


class Instructions(unittest.TestCase):
    def test_each_function_has_its_own_and_not_those_that_it_calls(self):
        lines = ['fn=(1) swift_weakCopyInit', '3 10', 'cfn=(2) malloc', 'calls=2 0', '4 500', '+1 7',
                 'fn=(2)', '* 3', '', 'fn=(1)', '-2 5', 'totals: 25']
        self.assertEqual(list(instructions._functions(lines)), [
            ('swift_weakCopyInit', 10), ('swift_weakCopyInit', 7), ('malloc', 3),
            ('swift_weakCopyInit', 5)])


class Relay(unittest.TestCase):
    """`delay-relay.c` before a server that answers each byte with a thousand."""

    RTT = 0.03

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        program = os.path.join(cls.folder.name, 'delay-relay')
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'delay-relay.c')
        subprocess.run(['gcc', '-O2', '-Wall', '-Wextra', '-Werror', '-o', program, source],
                       check=True)
        cls.server = socket.create_server(('127.0.0.1', 0))
        threading.Thread(target=cls.serve, daemon=True).start()
        cls.relay = subprocess.Popen([program, str(cls.server.getsockname()[1])], text=True,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        cls.port = int(cls.relay.stdout.readline().split()[1])

    @classmethod
    def tearDownClass(cls):
        cls.relay.stdin.close()
        cls.relay.wait(10)
        cls.relay.stdout.close()
        cls.server.close()
        cls.folder.cleanup()

    @classmethod
    def serve(cls):
        def answer(connection):
            with connection:
                while connection.recv(1):
                    connection.sendall(bytes(1000))

        while True:
            try:
                connection, _ = cls.server.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=[connection], daemon=True).start()

    def order(self, line):
        self.relay.stdin.write(line + '\n')
        self.relay.stdin.flush()
        return self.relay.stdout.readline()

    def ask(self, connection, count=1):
        """Seconds until the last of the answers."""
        start, left = time.monotonic(), 1000 * count
        connection.sendall(bytes(count))
        while left:
            left -= len(connection.recv(left))
        return time.monotonic() - start

    def test_a_round_trip_is_paid_for_the_connection_and_for_each_answer(self):
        self.order(f'network {round(self.RTT * 1e6)} 0')
        start = time.monotonic()
        with socket.create_connection(('127.0.0.1', self.port)) as connection:
            self.ask(connection)
            self.assertGreaterEqual(time.monotonic() - start, 2 * self.RTT)
            again = min(self.ask(connection) for _ in range(5))
        self.assertGreaterEqual(again, self.RTT)
        self.assertLess(again, 2 * self.RTT)

    def test_a_connection_has_its_rate(self):
        self.order('network 0 500000')
        with socket.create_connection(('127.0.0.1', self.port)) as connection:
            self.assertGreaterEqual(self.ask(connection, 100), 0.19)

    def test_what_went_through_is_counted(self):
        self.order('network 0 0')
        before = [int(word) for word in self.order('count').split()]
        with socket.create_connection(('127.0.0.1', self.port)) as connection:
            self.ask(connection, 2)
        after = [int(word) for word in self.order('count').split()]
        self.assertEqual([new - old for new, old in zip(after[:3], before)], [2000, 2, 1])


class Trials(unittest.TestCase):
    def setUp(self):
        trial.adopt()

    def test_what_was_reported_before_a_trial_hung_is_kept(self):
        def body(report):
            report('first', 1)
            time.sleep(60)

        with tempfile.TemporaryDirectory() as folder:
            found = trial.run(body, 0.3, folder)
        self.assertEqual((found.values, found.trouble), ({'first': 1}, 'hung'))

    def test_nothing_that_a_trial_started_outlives_it(self):
        def body(report):
            subprocess.run(['sh', '-c', 'setsid sleep 60 &'], check=True)
            report('done', 1)

        with tempfile.TemporaryDirectory() as folder:
            trial.run(body, 10, folder)
        self.assertEqual(trial.descendants(os.getpid()), [])

    def test_an_error_is_a_trouble_and_ends_nobody_else(self):
        def body(report):
            raise trial.Trouble('wrong bytes')

        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(trial.run(body, 10, folder).trouble, 'wrong bytes')

    def test_reads_end_at_the_limit_or_at_the_end(self):
        with tempfile.TemporaryFile() as file:
            file.write(bytes(3 * MIB + 5))
            whole = 3 * MIB + 5
            for limit, count in ((None, whole), (7, 7), (MIB + 1, MIB + 1), (whole + 9, whole)):
                file.seek(0)
                self.assertEqual(sum(map(len, pieces(file.fileno(), limit))), count)


if __name__ == '__main__':
    unittest.main()
