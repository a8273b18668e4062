"""The times of the last run, by which the next one is planned, and the yardstick of a machine."""
import json
import os
import random
import time
import zlib

KEPT = ".build/test-times.json"
# Of a run on a quiet machine, for checkouts that have not run them yet.
GIVEN = os.path.dirname(os.path.realpath(__file__)) + "/times.json"


def read(paths=(GIVEN, KEPT)):
    """Seconds, and seconds of processor, of each suite; the last file wins."""
    times = {}
    for path in paths:
        try:
            with open(path) as file:
                times.update({name: (float(wall), float(cpu)) for name, (wall, cpu) in json.load(file).items()})
        except (OSError, ValueError, TypeError, AttributeError):
            pass  # the next run is planned less well
    return times


def undisturbed(now, known):
    """The times of a suite, or the known ones if it took half as long again for the same work of the processor.

    Other work on the machine is the usual reason. By such times a suite that computes seems to wait."""
    return known if known and now[0] > known[0] * 1.5 and now[1] < known[1] * 1.5 else now


def write(outcomes, *, wanted_all):
    """Keeps the times of what has run; a whole run forgets suites that are there no more."""
    known = read()
    times = {} if wanted_all else dict(known)
    for name, outcome in outcomes.items():
        if outcome.has_passed:
            times[name] = undisturbed((round(outcome.seconds, 1), round(outcome.processor, 1)), known.get(name))
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(pair)}" for name, pair in sorted(times.items()))
    try:
        with open(KEPT + ".new", "w") as file:
            file.write("{\n" + lines + "\n}\n")
        os.replace(KEPT + ".new", KEPT)
    except OSError as trouble:
        print(f"The times of this run are not kept: {trouble}")


def yardstick():
    """Seconds of processor that a fixed piece of work takes here: it packs 2 MiB of made text, five times.

    The least of three tries: other work on the machine takes caches and clock away."""
    chance = random.Random(35)
    words = [bytes(chance.choices(b"abcdefghijklmnop", k=chance.randint(2, 9))) for _ in range(5000)]
    text = b" ".join(chance.choices(words, k=400_000))[:2 << 20]

    def once():
        began = time.process_time()
        for _ in range(5):
            zlib.compress(text, 6)
        return time.process_time() - began
    return min(once() for _ in range(3))
