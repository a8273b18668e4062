"""What is said of a run: a line for each suite, what failed, the slowest, the counts."""
import dataclasses
import os
import re

# The processor time of `make test`, in yardsticks (record.py), of which an EPYC makes more than two in a second. An issue that
# brings tests changes it.
BUDGET = 2800
# A run above the budget is told; one that is above it by this share fails.
TOLERANCE = 0.25
SLOWEST = 20
# What Swift says of a test whose obstacle stands in a line of its own.
SAID_BEFORE = "something is missing here, as said before"
# With these nobody may pass by being skipped, where programs from elsewhere are wanted.
REAL = ("RealResolverTests",)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The end of one suite."""
    seconds: float
    processor: float
    status: int
    tests: int
    failed: int
    skipped: int
    left: list
    trouble: str
    reasons: tuple = ()
    """Why tests were left out."""

    @classmethod
    def read(cls, log, answer):
        """What a log and the answer of its ward say."""
        try:
            with open(log, errors="replace") as file:
                text = file.read()
        except OSError:
            text = ""
        counts = re.findall(r"Test run with (\d+) tests?", text)
        return cls(answer["seconds"], answer["processor"], answer["status"], int(counts[-1]) if counts else 0,
                   len(re.findall(r"^✘ Test [^\n]* failed after", text, re.M)),
                   len(re.findall(r"^➜.* Test [^\n]* skipped", text, re.M)),
                   answer["left"], answer.get("trouble", "") if counts else answer.get("trouble", "") or "no count",
                   tuple(sorted({*re.findall(r"^left out: (.*)$", text, re.M),
                                 *re.findall(r'^➜ .* skipped: "(.*)"$', text, re.M)} - {SAID_BEFORE})))

    @property
    def has_passed(self):
        return self.status == 0 and not self.trouble

    def line(self, name):
        what = "passed" if self.has_passed else "FAILED"
        why = "" if self.has_passed else f", status {self.status} {self.trouble}".rstrip()
        left = f"; it left {', '.join(self.left)}" if self.left else ""
        return (f"{what} {self.seconds:4.0f} s {self.processor:4.0f} s of processor  {name} "
                f"({self.tests} tests{why}{left})")


class Report:
    """The end of a run."""

    def __init__(self, ended, beside, log, *, seconds, yardstick, seed, is_real=False):
        self._ended, self._beside, self._log = ended, beside, log
        self._seconds, self._yardstick, self._seed = seconds, yardstick, seed
        self._is_real = is_real

    def say(self, *, is_whole):
        """Prints all that is to be known, the counts last, and returns the exit code."""
        for name in self._beside:
            print(f"\n--- {name}, beside others")
            print(self._findings(self._log(name) + ".beside"))
        failed = sorted(name for name, outcome in self._ended.items() if not outcome.has_passed
                        or (self._is_real and name in REAL and outcome.skipped))
        for name in failed:
            print(f"\n--- {name}")
            print(self._read(self._log(name))[-100_000:])
        self._say_times()
        for reason in sorted({reason for outcome in self._ended.values() for reason in outcome.reasons}):
            print(f"Left out: {reason}")
        exceeded = is_whole and self._exceeds_budget()
        print(f"The samples have the seed {self._seed}: `make test SAMPLE={self._seed}` takes them again.")
        for name in sorted(self._beside):
            now = "failed again" if name in failed else "passed"
            print(f"{name} failed beside others, and {now} alone.")
        for name in failed:
            print(f"FAILED {name}")
        tests = sum(outcome.tests for outcome in self._ended.values())
        skipped = sum(outcome.skipped for outcome in self._ended.values())
        # A suite that ended without a count has failed as a whole.
        wrong = sum(max(1, self._ended[name].failed) for name in failed)
        passed = max(0, tests - skipped - sum(outcome.failed for outcome in self._ended.values()))
        print(f"{passed} passed, {wrong} failed, {skipped} skipped")
        return 1 if failed or exceeded or passed == 0 else 0

    def _say_times(self):
        slowest = sorted(self._ended.items(), key=lambda item: -item[1].seconds)[:SLOWEST]
        print(f"\nThe slowest of {len(self._ended)} suites:")
        for name, outcome in slowest:
            print(f"{outcome.seconds:5.0f} s {outcome.processor:5.0f} s of processor  {name}")

    def _exceeds_budget(self):
        processor = sum(outcome.processor for outcome in self._ended.values())
        used = processor / self._yardstick
        print(f"All suites: {self._seconds:.0f} s, {processor:.0f} s of processor: {used:.0f} yardsticks of "
              f"{self._yardstick:.2f} s; the budget is {BUDGET}.")
        if used > BUDGET * (1 + TOLERANCE):
            print(f"FAILED: that is more than a quarter above the budget. Tests/Run/report.py has it.")
            return True
        if used > BUDGET:
            print("That is above the budget: a quarter more would fail.")
        return False

    def _findings(self, path):
        lines = [line[:400] for line in self._read(path).splitlines() if re.search("✘|↳ [^/TS]|rror:", line)]
        return "\n".join(lines[-40:]) or self._read(path)[-4000:]

    @staticmethod
    def _read(path):
        try:
            with open(path, errors="replace") as file:
                return file.read()
        except OSError:
            return ""
