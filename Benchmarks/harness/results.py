"""What the trials of a run have brought, by workload, system and metric."""
import statistics

LIMIT = 'limit'  # stands where a system's name does


class Results:
    def __init__(self):
        self.values = {}  # (workload, system, metric): the value of each turn that has one
        self.turns = {}  # (workload, system): how many there were
        self.troubles = {}  # (workload, system): words

    def take(self, turn, workload, system, outcome):
        for metric, value in outcome.values.items():
            self.values.setdefault((workload, system, metric), {})[turn] = value
        self.turns[workload, system] = self.turns.get((workload, system), 0) + 1
        if outcome.trouble:
            self.troubles[workload, system] = outcome.trouble

    def of(self, row, system):
        return self.values.get((row.workload, system, row.metric), {})

    def median(self, row, system):
        """None where nothing was measured."""
        values = self.of(row, system).values()
        return statistics.median(values) if values else None

    def ratio(self, row, system):
        """The median of the ratios to the limit in the same turn; None where there is none."""
        limits = self.of(row, LIMIT)
        ratios = [value / limits[turn] for turn, value in self.of(row, system).items()
                  if limits.get(turn)]
        return statistics.median(ratios) if ratios else None

    def trouble(self, row, system):
        """Why a turn has no value; None where each has one."""
        if len(self.of(row, system)) == self.turns.get((row.workload, system), 0):
            return None
        return self.troubles.get((row.workload, system))

    def has_hung(self, workload, system):
        return self.troubles.get((workload, system)) == 'hung'

    def has_trouble(self, system):
        return any(name == system for _, name in self.troubles)

    def described(self, row, system):
        """All that is known of one cell, for the JSON."""
        return {'median': self.median(row, system), 'ratio': self.ratio(row, system),
                'values': list(self.of(row, system).values()), 'trouble': self.trouble(row, system)}
