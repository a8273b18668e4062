"""The results of a run as a table for docs/internals/performance.md, and as JSON."""
import dataclasses
from .results import LIMIT
from .units import figure

OURS = 'feedfs'


def markdown(rows, results, peers, parameters, is_root):
    """The columns are: row, limit, feedfs, ratio, each peer, promised, kept or missed."""
    heads = ['workload', 'limit', OURS, 'ratio', *peers, 'promised', 'kept?']
    lines = ['| ' + ' | '.join(heads) + ' |', '|---' * len(heads) + '|']
    for row in rows:
        cells = [row.title, cell(row, results, LIMIT), cell(row, results, OURS),
                 ratio(row, results, OURS), *(cell(row, results, peer) for peer in peers),
                 promised(row), verdict(row, results, parameters, is_root)]
        lines.append('| ' + ' | '.join(cells) + ' |')
    return '\n'.join(lines)


def cell(row, results, system):
    value, trouble = results.median(row, system), results.trouble(row, system)
    if value is None:
        return trouble or '–'
    shown = f'{figure(value)} {row.unit}'.strip()
    return f'{shown} ({trouble})' if trouble else shown


def ratio(row, results, system):
    value = results.ratio(row, system)
    return '–' if value is None else figure(value)


def promised(row):
    promise = row.promise
    if not promise:
        return '–'
    words = f'{promise.sign} {figure(promise.value)}'
    return f'{words} of the limit' if promise.of_limit else f'{words} {row.unit}'.strip()


def verdict(row, results, parameters, is_root):
    """A share of a limit is judged by the ratios of the turns, everything else by the median."""
    promise = row.promise
    if not promise:
        return '–'
    value = (results.ratio if promise.of_limit else results.median)(row, OURS)
    if value is None or not promise.concerns(parameters, is_root):
        return '–'
    return 'kept' if promise.is_kept(value) else 'missed'


def described(rows, results, systems, parameters, machine, is_root):
    """Everything, as JSON can say it."""
    return {
        'machine': machine,
        'parameters': dataclasses.asdict(parameters),
        'rows': [{
            'key': row.key, 'title': row.title, 'unit': row.unit, 'promised': promised(row),
            'verdict': verdict(row, results, parameters, is_root),
            'systems': {system: results.described(row, system) for system in [LIMIT, *systems]},
        } for row in rows],
    }
