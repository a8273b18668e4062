"""Sizes, and the few statistics that are needed."""
import math

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
MB, GB = 1e6, 1e9


def percentile(values, share):
    """The smallest value that is not below `share` of all values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def figure(value):
    """Three digits of a number, and no more than it needs."""
    if value == 0 or abs(value) >= 1000:
        return f'{value:,.0f}'
    text = f'{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}'
    return text.rstrip('0').rstrip('.') if '.' in text else text
