#!/usr/bin/env python3
"""Runs every test, each suite in a process and a ward of its own: see docs/internals/testing.md.

usage: run.py [--build FOLDER] [--sample SEED] [--soak PARTS] [--until-failure] [PATTERN…]

PATTERN   only suites whose name one of them matches (a regular expression)
--build   the folder of the built tests and programs (.build/release)
--sample  the seed of the samples that long suites take (default: that of the sources, see Run/sample.py)
--soak    full counts instead, in parts: "SUITE:PARTS …"
--until-failure   stops with 1 at the first suite that fails

Suites that compute run beside those that wait. A suite that fails beside others runs once more, alone, and is
named at the end. Exit code: 0 if every test that ran passed in the end; 1 if one failed, or none ran; 64 and 69
for words and machines that will not do.
"""
import argparse
import fcntl
import os
import re
import shutil
import signal
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from Run import plan, record, report, sample, suites, ward  # noqa: E402

PREFIX = "feedfs-run-"
# Room for the logs, the caches and the disks of the suites that run at one time.
NEEDED = 3 << 30
# Their promises hold times that other work would spoil.
STRICT = ("PromptnessTests", "StalledOriginTests", "LineTests", "HTTPTests.KeptConnectionTests",
          "SimulationTests.LiveCatalogTests")
# These hold such times too, but wait most of the time, at a higher priority than what computes.
PROMPT = ("OutageTests", "StreamPlayerTests")
# A suite that takes longer hangs. Swift Testing has shorter limits, but cannot end a thread that waits in a read.
LONGEST = 1200


def sweep(base):
    """Takes away what runs left that were killed with all their wards."""
    for entry in os.scandir(base):
        if not entry.name.startswith(PREFIX) or not entry.is_dir(follow_symlinks=False):
            continue
        try:
            with open(entry.path + "/lock", "rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for process in filter(str.isdigit, os.listdir("/proc")):
                    if entry.path + "/" in ward.name_of(process):
                        os.kill(int(process), signal.SIGKILL)
                ward.clear(entry.path)
                print(f"Took away what an earlier run had left: {entry.path}")
        except OSError:
            pass  # that of a run that goes on, or of another user


def runs(base):
    """The number of runs that go on here, this one among them. Each holds the lock of its folder."""
    number = 0
    for entry in os.scandir(base):
        if not entry.name.startswith(PREFIX):
            continue
        try:
            with open(entry.path + "/lock", "rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            number += 1
        except OSError:
            pass  # it is gone by now
    return max(1, number)


class Run:
    """One run of some suites."""

    def __init__(self, runner, wanted, folder, seed):
        self._runner, self._folder, self._begun = runner, folder, 0
        self._base = os.path.dirname(folder)
        self._suites = {suite.name: suite for suite in wanted}
        self._isolated = ward.may_isolate()
        self._environment = {"NO_COLOR": "1", "FEEDFS_SAMPLE": str(seed)}
        self._running = {}
        os.mkdir(folder + "/logs")
        self.ended = {}

    def log(self, name):
        """The log of a suite."""
        return f"{self._folder}/logs/{name.replace('/', '.')}"

    def all(self, waiting, *, alone=False, until_failure=False):
        """Runs suites, and returns the names of those that failed."""
        cores = len(os.sched_getaffinity(0))
        order, failed = plan.Plan(waiting, cores), []
        while (len(order) or self._running) and not (until_failure and failed):
            running = [load for load, _ in self._running.values()]
            load = None if alone and running else order.next(running, runs(self._base))
            if load:
                self._begin(load, alone or load.is_strict)
            elif not self._end_one():
                failed.append(self._last)
        return failed

    def _begin(self, load, alone):
        suite = self._suites[load.name]
        environment = {**self._environment, **dict(suite.environment)}
        if alone or load.is_prompt:
            environment["FEEDFS_ALONE"] = "1"
        self._begun += 1
        begun = ward.Ward(
            [self._runner, *suite.arguments], self.log(load.name), f"{self._folder}/{self._begun}",
            environment, isolated=self._isolated, limit=LONGEST,
            # What computes leaves the processor to what waits for a moment of it, and not to other work for long.
            nice=5 if load.computes and not load.is_strict and not alone else 0)
        self._running[begun.pid] = (load, begun)

    def _end_one(self):
        """Waits for the next end, and says it. Returns whether the suite passed."""
        pid, _ = os.waitpid(-1, 0)
        load, ended = self._running.pop(pid)
        outcome = report.Outcome.read(self.log(load.name), ended.result())
        self.ended[load.name], self._last = outcome, load.name
        print(outcome.line(load.name), flush=True)
        return outcome.has_passed

    def stop(self, *_):
        """Ends all wards, which end their suites, and this process."""
        for pid in self._running:
            os.kill(pid, signal.SIGTERM)
        for pid in self._running:
            os.waitpid(pid, 0)
        shutil.rmtree(self._folder, ignore_errors=True)
        sys.exit("Stopped: nothing is said of the tests that did not run.")


def chosen(known, patterns):
    """The suites with such names; that of the players once for each, where `make real` runs them."""
    found = [suites.suite(name, known) for name in known if any(re.search(pattern, name) for pattern in patterns)]
    if os.environ.get("FEEDFS_REAL"):
        players = [suite for suite in found if suite.name == "StreamPlayerTests"]
        found = [suite for suite in found if suite not in players]
        found += [one for suite in players for one in suites.one_for_each_program(suite)]
    return found


def refuse(why, code):
    """Says why nothing runs, and ends."""
    print(why, file=sys.stderr)
    sys.exit(code)


def main():
    words = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][7:])
    words.add_argument("patterns", nargs="*", default=["."])
    words.add_argument("--build", default=".build/release")
    words.add_argument("--sample", type=int)
    words.add_argument("--soak")
    words.add_argument("--until-failure", action="store_true")
    options = words.parse_args()
    os.chdir(os.path.dirname(os.path.realpath(__file__)) + "/..")

    runner = os.path.realpath(options.build) + "/feedfsPackageTests.xctest"
    if not os.access(runner, os.X_OK):
        refuse(f"There are no tests in {options.build}: `make tests` builds them.", 69)
    base = tempfile.gettempdir()
    sweep(base)
    if shutil.disk_usage(base).free < NEEDED:
        refuse(f"{base} has less than {NEEDED >> 30} GiB of room: make some, or set TMPDIR.", 69)
    seed = sample.seed() if options.sample is None else options.sample
    times = record.read()
    known = suites.listed(runner)
    try:
        wanted = suites.parts(options.soak, known) if options.soak else chosen(known, options.patterns)
    except ValueError as trouble:
        refuse(f"{trouble}", 64)
    if not wanted:
        refuse(f"No suite has a name like {' or '.join(options.patterns)}.", 64)
    is_whole = options.patterns == ["."] and not options.soak

    folder = tempfile.mkdtemp(prefix=PREFIX)
    os.chmod(folder, 0o755)
    lock = open(folder + "/lock", "wb")  # noqa: SIM115  held until the end of this process
    fcntl.flock(lock, fcntl.LOCK_EX)
    run = Run(runner, wanted, folder, seed)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, run.stop)
    began = time.monotonic()
    yardstick = record.yardstick()
    failed = run.all([plan.Load.of(suite.name, times, STRICT, PROMPT) for suite in wanted],
                     until_failure=options.until_failure)
    if failed and options.until_failure:
        run.stop()
    beside = {name: run.ended[name] for name in failed}
    if failed:
        print("\n--- once more, alone")
        for name in failed:
            os.rename(run.log(name), run.log(name) + ".beside")
        failed = run.all([plan.Load.of(name, times) for name in failed], alone=True)

    record.write(run.ended, wanted_all=is_whole)
    end = report.Report(run.ended, beside, run.log, seconds=time.monotonic() - began, yardstick=yardstick, seed=seed,
                        is_real=bool(os.environ.get("FEEDFS_REAL")))
    status = end.say(is_whole=is_whole)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(status)


if __name__ == "__main__":
    main()
