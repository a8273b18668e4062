#!/usr/bin/env python3
"""feedfs beside its limits and its peers, measured in turn in one run.

    make bench                         builds for release and runs this; ARGS="--quick" and so on
    Benchmarks/bench.py BUILD_DIR      with feedfs and testorigin in BUILD_DIR

Prints a table in Markdown. Ratios to a limit that is measured in the same turn mean something on
another machine. Needs /dev/fuse, fusermount3, curl, gcc and pkg-config; ffmpeg for the rows that
play, nginx and openssl for those of TLS and HTTP/2; root, /dev/net/tun and nginx for the lines, which
--only lines measures; mpv, and yt-dlp if it is there, for --only streams. Peers are those on the
PATH. Everything lies in one temporary folder, which is removed.

Ends with 1 where feedfs did not get to its figures; a promise that is missed is told in the table.
"""
import argparse, json, os, sys, time

from harness import machine, table, tools
from harness.results import LIMIT, Results
from harness.rows import LONG_ROWS, ROWS, chosen, is_chosen
from harness.run import Run
from harness.scratch import temporary_folder
from harness.systems import BareURL, FeedFS, FourConnections, installed_peers
from harness.units import MB, MIB
from harness.workloads.stage import Parameters

QUICK = dict(size=128 * MIB, seeks=12, watched=4.0)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('build', metavar='BUILD_DIR', help='where feedfs and testorigin are')
    parser.add_argument('--reps', type=int, metavar='N', help='turns (5; quick: 1)')
    parser.add_argument('--quick', action='store_true', help='smaller files, about 6 minutes')
    rows = [*(row.key for row in ROWS), 'lines', 'streams', *dict.fromkeys(row.key for row in LONG_ROWS)]
    parser.add_argument('--only', metavar='ROW,…',
                        help='of ' + ', '.join(rows).replace('%', '%%'))
    parser.add_argument('--systems', metavar='NAME,…', help='feedfs and peers; all that there are')
    parser.add_argument('--rtt', type=times(0.001), metavar='MS', help='round trip (50)')
    parser.add_argument('--rate', type=times(MB), metavar='MB/s',
                        help='of one connection; 0: any (20)')
    parser.add_argument('--size', type=times(MIB, least=16), metavar='MiB',
                        help='of the large file (512; quick: 128)')
    parser.add_argument('--json', metavar='FILE', help='write down everything that was measured')
    return parser, parser.parse_args()


def times(unit, least=0):
    """Reads a number of units, at least so many."""
    def value(text):
        number = float(text)
        if not number >= least:
            raise argparse.ArgumentTypeError(f'at least {least}')
        return number * unit if isinstance(unit, float) else int(number) * unit
    return value


def parameters_of(options):
    typed = {name: getattr(options, name) for name in ('rtt', 'rate', 'size')}
    wanted = {name: value for name, value in typed.items() if value is not None}
    return Parameters(**{**(QUICK if options.quick else {}), **wanted})


def systems_of(options, parser, workloads):
    """feedfs, the bare address, and the peers that are there, wanted, and of use."""
    peers, absent = installed_peers()
    if absent:
        print(f'not on the PATH: {", ".join(absent)}', file=sys.stderr)
    known = [kind for kind in [FeedFS, *peers, BareURL, FourConnections]
             if any(workload.takes(kind) for workload in workloads)]
    if not options.systems:
        return known
    wanted = options.systems.split(',')
    unknown = set(wanted) - {kind.name for kind in known}
    if unknown:
        parser.error(f'no such system here: {", ".join(sorted(unknown))}')
    return [kind for kind in known if kind.name in wanted]


def turn(run, number, workload, kinds, results):
    """The limit and each system, in an order that changes from turn to turn; who hung is not asked
    again."""
    subjects = [None, *(kind for kind in kinds if workload.takes(kind)
                        and not results.has_hung(workload.name, kind.name))]
    shift = number % len(subjects)
    for kind in subjects[shift:] + subjects[:shift]:
        name = kind.name if kind else LIMIT
        start = time.monotonic()
        outcome = run.trial(workload, kind, number)
        results.take(number, workload.name, name, outcome)
        print(f'{number + 1}  {workload.name:25} {name:10} {time.monotonic() - start:6.1f} s  '
              f'{outcome.trouble or ""}', file=sys.stderr)


def main():
    parser, options = arguments()
    keys = options.only.split(',') if options.only else []
    unknown = {key for key in keys
               if not any(is_chosen(row, key) for row in ROWS + LONG_ROWS)}
    if unknown:
        parser.error(f'no such row: {", ".join(sorted(unknown))}')
    rows, workloads = chosen(keys)
    kinds, parameters = systems_of(options, parser, workloads), parameters_of(options)
    with temporary_folder() as folder:
        run, results = Run(folder, parameters), Results()
        workloads = run.prepare(options.build, ['feedfs', 'testorigin'], workloads)
        tools.build(run.programs)
        where = machine.describe(folder, [kind for kind in kinds if kind.program])
        for number in range(options.reps or (1 if options.quick else 5)):
            for workload in workloads:
                turn(run, number, workload, kinds, results)
    report(options, rows, results, [kind.name for kind in kinds], parameters, where)
    sys.exit(1 if results.has_trouble(table.OURS) else 0)


def report(options, rows, results, systems, parameters, where):
    is_root = os.geteuid() == 0
    print(machine.sentence(where))
    rate = f'{parameters.rate / MB:g} MB/s' if parameters.rate else 'any rate'
    print(f'Round trip {parameters.rtt * 1000:g} ms, {rate} a connection, large file of '
          f'{parameters.size // MIB} MiB.\n')
    peers = [system for system in systems if system != table.OURS]
    print(table.markdown(rows, results, peers, parameters, is_root))
    if options.json:
        with open(options.json, 'w') as file:
            json.dump(table.described(rows, results, systems, parameters, where, is_root), file,
                      indent=1, ensure_ascii=False)
            file.write('\n')


if __name__ == '__main__':
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
