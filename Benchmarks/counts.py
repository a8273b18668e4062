#!/usr/bin/env python3
"""What feedfs asks for and does, in numbers that do not depend on the machine.

    make counts                        builds for release and runs this
    Benchmarks/counts.py BUILD_DIR     with feedfs, testorigin and microbench in BUILD_DIR

Compares each number with its limit in thresholds.json, and ends with 1 if one is over it. Where one
is, it counts requests and bytes twice more and takes the middle: on a busy machine what is fetched ahead
runs further. Instructions are the same each time. After a
change that means to ask for more, or for less, `make counts ARGS=--record` measures five times and
writes there what it has found, with limits that leave room for what varies: `git diff` shows what
has become of each. What needs a program that is not there (ffmpeg, file, valgrind) is left out.
"""
import argparse, json, math, os, sys

from harness.instructions import cached_read, long_feed, piece, start
from harness.run import Run
from harness.scratch import temporary_folder
from harness.systems import FeedFS
from harness.units import MIB, figure
from harness.workloads.counted import COUNTED
from harness.workloads.stage import Parameters

THRESHOLDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'thresholds.json')
TIMES = 5  # of measuring for a record
# Above the worst that was seen, as a share of it, besides what was seen to vary.
ROOM_OF_FRACTIONS = 0.05
ROOM_OF_INSTRUCTIONS = 0.1  # another compiler, another C library


def count_all(run, workloads):
    """Every number by its name, and the names of workloads with the trouble they had."""
    counts, troubles = count_requests(run, workloads)
    counts.update(start(run.programs))
    counts.update(cached_read(run.programs))
    counts.update(piece(run.programs))
    counts.update(long_feed(run.programs))
    return counts, troubles


def count_requests(run, workloads):
    """What the workloads ask of the origin, as `count_all` gives it."""
    counts, troubles = {}, []
    for workload in workloads:
        outcome = run.trial(workload, FeedFS, turn=1)
        counts.update(outcome.values)
        if outcome.trouble:
            troubles.append(f'{workload.name}: {outcome.trouble}')
    return counts, troubles


def is_over(counts, thresholds):
    """Whether a number is above its limit."""
    return any(name in thresholds and value > thresholds[name]['limit']
               for name, value in counts.items())


def middle(samples):
    """Of each number the middle one."""
    names = {name: None for counts in samples for name in counts}
    found = {name: sorted(counts[name] for counts in samples if name in counts) for name in names}
    return {name: values[len(values) // 2] for name, values in found.items()}


def check(counts, thresholds):
    """Prints a table; returns a line for each number that is over its limit or has none."""
    print('| what | now | recorded | limit |\n|---|---|---|---|')
    complaints = []
    for name in {**thresholds, **counts}:
        now, known = counts.get(name), thresholds.get(name, {})
        cells = [name, *('–' if value is None else figure(value)
                         for value in (now, known.get('recorded'), known.get('limit')))]
        print('| ' + ' | '.join(cells) + ' |')
        if now is None:
            print(f'not counted here: {name}', file=sys.stderr)
        elif not known:
            complaints.append(f'{name}: {figure(now)}, and there is no limit for it')
        elif now > known['limit']:
            complaints.append(f'{name}: {figure(now)}, and the limit is {figure(known["limit"])}')
    return complaints


def record(samples, thresholds):
    """Writes thresholds.json anew; what could not be counted here stays as it was."""
    names = {**thresholds, **{name: None for counts in samples for name in counts}}
    for name in names:
        values = sorted(counts[name] for counts in samples if name in counts)
        if values:
            thresholds[name] = {'recorded': tidy(values[len(values) // 2], round),
                                'limit': limit(name, values)}
    with open(THRESHOLDS, 'w') as file:
        json.dump(thresholds, file, indent=2, ensure_ascii=False)
        file.write('\n')


def limit(name, values):
    """What is no more than twice as far from the best as the worst that was seen."""
    best, worst = values[0], values[-1]
    share = ROOM_OF_INSTRUCTIONS if name.endswith('instructions') else (
        ROOM_OF_FRACTIONS if is_mean(name) or any(value % 1 for value in values) else 0)
    return tidy(worst + (worst - best) + share * worst, math.ceil)


def is_mean(name):
    """Whether it is a share or a mean, which is whole by chance only."""
    return name.endswith('an entry') or ' per byte ' in name


def tidy(value, rounded):
    """To a hundredth; whole numbers are written as such."""
    hundredths = rounded(round(value * 100, 6)) / 100
    return int(hundredths) if hundredths % 1 == 0 else hundredths


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('build', metavar='BUILD_DIR', help='where the programs are')
    parser.add_argument('--record', action='store_true', help='write thresholds.json anew')
    options = parser.parse_args()
    with open(THRESHOLDS) as file:
        thresholds = json.load(file)
    with temporary_folder() as folder:
        run = Run(folder, Parameters(size=64 * MIB))
        workloads = run.prepare(options.build, ['feedfs', 'testorigin', 'microbench'], COUNTED)
        results = [count_all(run, workloads) for _ in range(TIMES if options.record else 1)]
        if not options.record and is_over(results[0][0], thresholds):
            results += [count_requests(run, workloads) for _ in range(2)]
    complaints = [trouble for _, troubles in results for trouble in troubles]
    samples = [counts for counts, _ in results]
    if options.record and not complaints:
        record(samples, thresholds)
    complaints += check(middle(samples), thresholds)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    sys.exit(1 if complaints else 0)


if __name__ == '__main__':
    main()
