"""The promises of the way tests are run."""
import contextlib
import fcntl
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import run
from Run import plan, record, report, sample, suites, ward

LISTING = """PromiseTests.Promises/PlayingTests/aFilmPlays(on:)
PromiseTests.Promises/PlayingTests/another()
PromiseTests.Promises/MarkTests/marks()
PromiseTests.Promises/MarkTests/Inner/marksToo()
PromiseTests.Promises/OutageTests/afterAll(outage:clock:)
PromiseTests.Promises/OutageTests/again()
HTTPTests.RangeTests/some()
HTTPTests.KeptConnectionTests/some()
StorageTests.SpoolTests/some()
StorageTests.CRC32CTests/some()
StreamPlayerTests
"""


def load(name, seconds, share, is_strict=False):
    return plan.Load(name, seconds, share, is_strict)


def orders(loads, cores):
    """The names in the order in which suites begin, if always the one ends that has the least seconds."""
    order, running, begun = plan.Plan(loads, cores), [], []
    while len(order) or running:
        next_one = order.next(running)
        if next_one:
            running.append(next_one)
            begun.append(next_one.name)
        else:
            running.remove(min(running, key=lambda one: one.seconds))
    return begun


class Plans(unittest.TestCase):
    def test_what_takes_longest_begins_first(self):
        self.assertEqual(orders([load("a", 1, 1), load("b", 3, 1), load("c", 2, 1)], cores=1), ["b", "c", "a"])

    def test_as_many_computing_suites_run_as_there_are_cores(self):
        order = plan.Plan([load(str(n), 9, 1.0) for n in range(4)], cores=2)
        running = [order.next([])]
        running.append(order.next(running))
        self.assertIsNone(order.next(running))

    def test_waiting_suites_run_beside_computing_ones(self):
        order = plan.Plan([load("c", 9, 1.0), load("d", 8, 1.0), load("w", 1, 0.1)], cores=1)
        running = [order.next([])]
        self.assertEqual(order.next(running).name, "w")

    def test_waiting_suites_never_ask_for_more_than_their_room(self):
        order, running = plan.Plan([load(str(n), 9, 0.3) for n in range(9)], cores=2), []
        while one := order.next(running):
            running.append(one)
        self.assertLessEqual(sum(one.share for one in running), 2 * plan.ROOM)
        self.assertGreater(len(running), 2)

    def test_strict_suites_come_last_and_beside_nothing_else(self):
        loads = [load("s", 99, 0.1, True), load("t", 98, 0.1, True), load("a", 1, 1), load("w", 2, 0.1)]
        order, running = plan.Plan(loads, cores=2), []
        while one := order.next(running):
            running.append(one)
        self.assertEqual({one.name for one in running}, {"a", "w"})
        self.assertEqual([order.next([]).name, order.next([loads[0]]).name], ["s", "t"])

    def test_two_runs_share_the_cores(self):
        loads = [load(f"c{n}", 9, 1.0) for n in range(3)] + [load(f"w{n}", 8, 0.04) for n in range(20)]
        order, running = plan.Plan(loads, cores=2), []
        while one := order.next(running, runs=2):
            running.append(one)
        self.assertEqual(sum(one.computes for one in running), 1)
        self.assertEqual(sum(not one.computes for one in running), plan.WAITING // 2)
        # One that is alone again takes all of them.
        self.assertTrue(order.next(running).computes)

    def test_every_suite_begins_once(self):
        loads = [load(f"{n}", n % 7, (n % 5) / 3, n % 6 == 0) for n in range(60)]
        for cores in (1, 2, 16):
            self.assertEqual(sorted(orders(loads, cores)), sorted(one.name for one in loads))

    def test_a_suite_without_times_begins_early_and_counts_as_computing(self):
        self.assertTrue(plan.Load.of("new", {}).computes)

    def test_a_prompt_suite_never_waits_behind_what_computes(self):
        times = {"Players:one": (10, 9), "Players": (10, 9), "Outages/longest": (10, 9)}
        for name, is_prompt in (("Players:one", True), ("Outages/longest", True), ("new", False)):
            one = plan.Load.of(name, times, prompt=("Players", "Outages"))
            self.assertEqual((one.is_prompt, one.computes), (is_prompt, not is_prompt))


class Suites(unittest.TestCase):
    def test_a_promise_on_each_drive_is_two_suites(self):
        self.assertEqual(suites.names(LISTING), ["HTTPTests", "HTTPTests.KeptConnectionTests", "MarkTests",
                                                 "OutageTests/afterAll", "OutageTests/again", "PlayingTests",
                                                 "StorageTests", "direct:PlayingTests"])

    def test_a_module_leaves_out_what_runs_by_itself(self):
        known = suites.names(LISTING)
        self.assertEqual(suites.suite("HTTPTests", known).arguments[4:6], ["--skip", "^HTTPTests\\.KeptConnectionTests/"])
        self.assertEqual(suites.suite("StorageTests", known).skipped, ())

    def test_the_drives_are_said(self):
        self.assertEqual(dict(suites.suite("direct:PlayingTests").environment), {"FEEDFS_DRIVES": "direct"})
        self.assertEqual(dict(suites.suite("PlayingTests").environment), {"FEEDFS_DRIVES": "kernel"})

    def test_a_full_count_has_all_its_parts(self):
        found = suites.parts("PlayingTests:2 KeptConnectionTests:1 OutageTests:1", suites.names(LISTING))
        self.assertEqual([dict(one.environment)["FEEDFS_SOAK"] for one in found], ["1/2", "2/2", "1/1", "1/1", "1/1"])
        self.assertEqual([one.name for one in found[2:]], ["HTTPTests.KeptConnectionTests:1of1",
                                                           "OutageTests/afterAll:1of1", "OutageTests/again:1of1"])

    def test_a_full_count_of_an_unknown_suite_is_refused(self):
        for text in ("NoTests:2", "PlayingTests", "PlayingTests:x"):
            with self.assertRaises(ValueError):
                suites.parts(text, suites.names(LISTING))


class Samples(unittest.TestCase):
    def test_two_runs_of_one_tree_differ_and_all_say_their_seed(self):
        self.assertEqual(len({sample.after(None, "f00d00"), sample.after({"tree": "f00d00", "runs": 0}, "f00d00")}), 2)

    def test_other_sources_begin_anew(self):
        self.assertEqual(sample.after({"tree": "aaaaaa", "runs": 7}, "f00d00"), (0xf00d00 % sample.SEEDS, 0))


class Runs(unittest.TestCase):
    def test_runs_that_go_on_are_counted_and_what_others_left_is_not(self):
        with tempfile.TemporaryDirectory() as base:
            folders = [f"{base}/{run.PREFIX}{name}" for name in ("one", "two", "left", "empty")]
            for folder in folders + [base + "/other"]:
                os.mkdir(folder)
            locks = [open(folder + "/lock", "wb") for folder in folders[:3]]
            self.assertEqual(run.runs(base), 1)
            for number, lock in enumerate(locks[:2], 1):
                fcntl.flock(lock, fcntl.LOCK_EX)
                self.assertEqual(run.runs(base), number)
            for lock in locks:
                lock.close()


class Times(unittest.TestCase):
    def test_times_that_cannot_be_read_are_none(self):
        with tempfile.TemporaryDirectory() as folder:
            for text in ("", "[]", '{"a": 1}', '{"a": ["x", 2]}'):
                with open(folder + "/times", "w") as file:
                    file.write(text)
                self.assertEqual(record.read([folder + "/times", folder + "/none"]), {})

    def test_times_beside_other_work_do_not_replace_the_known_ones(self):
        for now, known, kept in (((30, 5), (10, 5), (10, 5)), ((30, 5), None, (30, 5)), ((12, 6), (10, 5), (12, 6)),
                                 ((30, 15), (10, 5), (30, 15))):
            self.assertEqual(record.undisturbed(now, known), kept)


def outcome(**changes):
    fields = {"seconds": 1.0, "processor": 1.0, "status": 0, "tests": 3, "failed": 0, "skipped": 0, "left": [],
              "trouble": ""}
    return report.Outcome(**{**fields, **changes})


class Reports(unittest.TestCase):
    def say(self, ended, beside=None, *, is_whole=False, yardstick=1.0):
        with tempfile.TemporaryDirectory() as logs, contextlib.redirect_stdout(io.StringIO()) as said:
            end = report.Report(ended, beside or {}, lambda name: f"{logs}/{name}", seconds=1, yardstick=yardstick, seed=7)
            return end.say(is_whole=is_whole), said.getvalue().splitlines()

    def test_the_counts_come_last(self):
        status, lines = self.say({"a": outcome(), "b": outcome(tests=4, skipped=1)})
        self.assertEqual((status, lines[-1]), (0, "6 passed, 0 failed, 1 skipped"))

    def test_a_suite_that_ended_without_a_count_has_failed(self):
        status, lines = self.say({"a": outcome(), "b": outcome(tests=0, status=139, trouble="no count")})
        self.assertEqual((status, lines[-1]), (1, "3 passed, 1 failed, 0 skipped"))

    def test_a_run_in_which_everything_was_skipped_has_not_passed(self):
        status, lines = self.say({"a": outcome(tests=3, skipped=3)})
        self.assertEqual((status, lines[-1]), (1, "0 passed, 0 failed, 3 skipped"))

    def test_a_suite_that_passed_only_alone_is_named(self):
        status, lines = self.say({"a": outcome()}, {"a": outcome(status=1)})
        self.assertEqual(status, 0)
        self.assertIn("a failed beside others, and passed alone.", lines[-4:])

    def test_a_quarter_above_the_budget_fails_and_a_little_is_told(self):
        for used, status in ((0.9, 0), (1.1, 0), (1.3, 1)):
            ended = {"a": outcome(processor=report.BUDGET * used)}
            self.assertEqual(self.say(ended, is_whole=True)[0], status)
        self.assertEqual(self.say({"a": outcome(processor=report.BUDGET * 9)}, is_whole=False)[0], 0)

    def test_what_was_left_out_is_said(self):
        _, lines = self.say({"a": outcome(reasons=("no /dev/fuse",)), "b": outcome(reasons=("no /dev/fuse", "no mpv"))})
        self.assertEqual([line for line in lines if line.startswith("Left out")],
                         ["Left out: no /dev/fuse", "Left out: no mpv"])

    def test_a_log_is_read(self):
        with tempfile.NamedTemporaryFile("w+") as log:
            log.write("✘ Test a() failed after 1 s\nleft out: no nft\n➜ Test b() skipped: \"why\"\n"
                      "✘ Test run with 5 tests in 1 suite failed\n")
            log.flush()
            read = report.Outcome.read(log.name, {"status": 1, "seconds": 1, "processor": 1, "left": []})
        self.assertEqual((read.tests, read.failed, read.skipped, read.has_passed), (5, 1, 1, False))
        self.assertEqual(read.reasons, ("no nft", "why"))


class Wards(unittest.TestCase):
    def setUp(self):
        self.base = tempfile.mkdtemp(prefix="wards-")
        self.addCleanup(subprocess.run, ["rm", "-rf", self.base])

    def begin(self, script, *words, **options):
        return ward.Ward(["sh", "-c", script, "sh", *words], self.base + "/log", self.base + "/own", {}, **options)

    def run_in(self, script, *words, **options):
        begun = self.begin(script, *words, **options)
        os.waitpid(begun.pid, 0)
        return begun.result()

    def said(self):
        with open(self.base + "/log") as log:
            return log.read()

    def test_a_suite_has_a_folder_of_its_own_that_goes_with_it(self):
        self.assertEqual(self.run_in('echo "$TMPDIR"; mkdir -p "$TMPDIR/a/b"; chmod 0 "$TMPDIR/a"')["status"], 0)
        self.assertEqual(self.said().strip(), self.base + "/own")
        self.assertFalse(os.path.exists(self.base + "/own"))

    def test_its_status_is_told(self):
        self.assertEqual(self.run_in("exit 3")["status"], 3)
        self.assertLess(self.run_in("kill -9 $$")["status"], 0)

    def test_a_program_that_is_left_is_named_and_ended(self):
        # Another run of these tests has others.
        first, second = (f"sleep 98{number}.{os.getpid()}" for number in (6, 7))
        answer = self.run_in(f'setsid sh -c "{first} & {second}" & until pgrep -fx "{second}" >&2; do :; done; exit 0')
        self.assertTrue({first, second} <= set(answer["left"]), answer)
        found = subprocess.run(["pgrep", "-f", f"^sleep 98[67].{os.getpid()}$"], capture_output=True, text=True)
        self.assertEqual(found.stdout, "")

    def test_processor_time_of_a_process_that_left_its_parent_counts(self):
        spin = f"{sys.executable} -c 'while __import__(\"time\").process_time() < 0.4: pass'; touch \"$TMPDIR/done\""
        answer = self.run_in(f'(setsid sh -c "$1" &); while [ ! -e "$TMPDIR/done" ]; do sleep 0.05; done', spin)
        self.assertGreater(answer["processor"], 0.35)

    def test_an_orphan_that_ends_is_gone_while_the_suite_goes_on(self):
        answer = self.run_in('(setsid sh -c "echo \\$\\$; exec sleep 0.1" &) >"$TMPDIR/p"; sleep 0.5; '
                             '! kill -0 "$(cat "$TMPDIR/p")"')
        self.assertEqual((answer["status"], answer["left"]), (0, []), self.said())

    def test_a_suite_that_hangs_is_ended(self):
        answer = self.run_in("sleep 100", limit=0.2)
        self.assertEqual(answer["status"], 124)
        self.assertIn("was ended after", self.said())

    def test_a_program_that_is_not_there_is_an_answer(self):
        begun = ward.Ward([self.base + "/none"], self.base + "/log", self.base + "/own", {})
        os.waitpid(begun.pid, 0)
        answer = begun.result()
        self.assertEqual(answer["status"], 125)
        self.assertIn("FileNotFoundError", answer["trouble"])

    def test_a_ward_that_is_told_to_end_leaves_nothing(self):
        begun = self.begin("sleep 985 & sleep 985")
        self.wait_for(lambda: subprocess.run(["pgrep", "-f", "^sleep 985$"], capture_output=True).returncode == 0)
        os.kill(begun.pid, signal.SIGTERM)
        os.waitpid(begun.pid, 0)
        self.assertEqual(subprocess.run(["pgrep", "-f", "^sleep 985$"], capture_output=True).returncode, 1)
        self.assertFalse(os.path.exists(self.base + "/own"))

    @unittest.skipUnless(ward.may_isolate(), "only root has mounts of its own")
    def test_no_mount_gets_out_and_no_foreign_feed_gets_in(self):
        answer = self.run_in('mkdir "$TMPDIR/m" && mount -t tmpfs none "$TMPDIR/m" && ip -o link', isolated=True)
        self.assertEqual((answer["status"], len(self.said().splitlines())), (0, 1))
        self.assertFalse([path for path, _ in ward.mounts() if path.startswith(self.base)])

    def wait_for(self, condition):
        deadline = time.monotonic() + 20
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.01)


if __name__ == "__main__":
    unittest.main()
