"""How concurrent inserts fall on the partitions of a scheme: the share of each, and partitions a statement.

The largest share bounds the speed-up (1 / share), so it is computed from real hashes, never assumed to be 1 / P.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from partadvisor.advise.key_sample import Expected, KeySample, key_sample
from partadvisor.advise.monotone import may_be_time_of_insertion
from partadvisor.advise.range_buckets import bucket_of
from partadvisor.advise.subject import Subject, Use
from partadvisor.model.advice import WriteSpread
from partadvisor.model.scheme import HashLevel, Level, ListLevel, RangeLevel, Scheme
from partadvisor.model.workload import TableAccess
from partadvisor.pg import knowledge

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Shares = NDArray[Any]

_MOST_SHARES = 4096


class SpreadModel:
    """Write spread of the schemes of one table; the samples of its keys are hashed once."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._samples: dict[tuple[str, ...], KeySample] = {}

    def sample(self, columns: Sequence[str]) -> KeySample:
        """What is known of the key made of these columns."""
        key = tuple(columns)
        if key not in self._samples:
            self._samples[key] = key_sample(self._subject, key)
        return self._samples[key]

    def spread(self, scheme: Scheme) -> WriteSpread:
        """Shares of inserts by partition and partitions a statement touches."""
        shares = self._level_shares(scheme.levels[0])
        for level in scheme.levels[1:]:
            inner = self._level_shares(level)
            shares = [a * b for a in shares for b in inner][:_MOST_SHARES]
        total = sum(shares)
        normal = [s / total for s in shares]
        return WriteSpread(
            effective_partitions=1.0 / sum(p * p for p in normal),
            max_share=max(normal),
            partitions_per_statement=self.partitions_per_statement(scheme, len(normal)),
            source=self._source(scheme),
            shares=tuple(normal),
        )

    def _source(self, scheme: Scheme) -> Any:
        sample = self.sample(scheme.levels[-1].columns)
        return "recent_rows" if sample.trust > 0 else sample.expected.source

    def _level_shares(self, level: Level) -> list[float]:
        if isinstance(level, HashLevel):
            return hash_shares(self.sample(level.columns), level.modulus)
        if isinstance(level, ListLevel):
            return list_shares(self.sample(level.columns))
        return self._range_shares(level)

    def _range_shares(self, level: RangeLevel) -> list[float]:
        """A growing column fills the newest partition only; any other one fills those its recent rows fall into."""
        first = level.columns[0]
        if level.start is not None or first in self._subject.monotone:
            return [1.0]
        recent = self._subject.recent
        if recent is None or first not in recent.columns or recent.values_hashed:
            if may_be_time_of_insertion(self._subject.column(first)):
                return [1.0]
            count = int(knowledge.load("advice.toml")["range_partitions"])
            return [1.0 / count] * count
        at = recent.columns.index(first)
        counts: dict[object, int] = {}
        for row in recent.rows:
            bucket = bucket_of(row[at], level)
            counts[bucket] = counts.get(bucket, 0) + 1
        return [count / len(recent.rows) for count in counts.values()]

    def partitions_per_statement(self, scheme: Scheme, partitions: int) -> float:
        """Mean number of partitions one INSERT touches: counted in recent statements, else read from the texts."""
        hashed = [level for level in scheme.levels if isinstance(level, HashLevel)]
        if not hashed:
            return self._by_texts(scheme, partitions)
        level = hashed[-1]
        recent = self.sample(level.columns).recent
        if recent is None:
            return self._by_texts(scheme, level.modulus)
        import numpy as np

        touched = np.unique(
            np.stack([recent.statements, (recent.hashes % np.uint64(level.modulus)).astype(int)]), axis=1
        )
        return float(touched.shape[1] / len(np.unique(recent.statements)))

    def _by_texts(self, scheme: Scheme, partitions: int) -> float:
        inserts = self._subject.inserts
        weight = sum(use.weight for use, _ in inserts)
        if weight <= 0:
            return 1.0
        touched = [u.weight * _touched(a, self._rows(u, a), scheme, partitions) for u, a in inserts]
        return sum(touched) / weight

    def _rows(self, use: Use, access: TableAccess) -> float:
        """Rows of one execution: as the text says, as counted, or what the known ones leave of the table's inserts."""
        return access.rows or use.family.rows_per_call or self._rows_left

    @functools.cached_property
    def _rows_left(self) -> float:
        total, known, calls = self._subject.inserts_per_second, 0.0, 0.0
        for use, access in self._subject.inserts:
            rate = use.family.calls_per_second
            if rate is None or total is None:
                return 1.0
            rows = access.rows or use.family.rows_per_call
            known += rate * rows
            calls += 0.0 if rows else rate
        return max(1.0, ((total or 0.0) - known) / calls) if calls else 1.0


def _touched(access: TableAccess, rows: float, scheme: Scheme, partitions: int) -> float:
    """Expected partitions of one statement: one when the key is constant, else that of as many random draws."""
    if rows <= 1 or set(scheme.columns) <= set(access.constant_columns):
        return 1.0
    if not set(scheme.columns) & set(access.varying_columns):
        return 1.0
    return float(partitions * (1 - (1 - 1 / partitions) ** rows))


def hash_shares(sample: KeySample, modulus: int) -> list[float]:
    """Share of inserts of each remainder: the expected shares, pulled towards the recent ones by their trust."""
    import numpy as np

    expected = sample.expected
    listed = np.bincount(_remainders(expected.hashes, modulus), weights=expected.shares, minlength=modulus)
    shares: Any = listed + _rest_shares(expected, modulus)
    if sample.recent is not None and sample.trust > 0:
        seen = np.bincount(_remainders(sample.recent.hashes, modulus), minlength=modulus) / len(sample.recent.hashes)
        shares = (1 - sample.trust) * shares + sample.trust * seen
    return [float(s) for s in shares]


def _remainders(hashes: Any, modulus: int) -> Any:
    import numpy as np

    return (hashes % np.uint64(modulus)).astype(np.int64)


def _rest_shares(expected: Expected, modulus: int) -> Shares:
    """Unlisted values: evenly spread when many; a few distinct ones fall where they fall, and leave gaps.

    Which values they are is not known: the numbers 1, 2, 3 ... stand in, as identifiers often are, really hashed.
    """
    import numpy as np

    from partadvisor.pg.hashing.routing import route_hash

    if expected.rest <= 0:
        return np.zeros(modulus)
    values = expected.rest_values
    if values >= 50 * modulus:
        return np.full(modulus, expected.rest / modulus)
    count = max(1, round(values))
    places = route_hash(["bigint"], [[str(i) for i in range(1, count + 1)]], modulus)
    return np.bincount(places, minlength=modulus) * (expected.rest / count)


def list_shares(sample: KeySample) -> list[float]:
    """Share of each value; what is not listed goes to the DEFAULT partition."""
    import numpy as np

    expected = sample.expected
    by_value = dict(zip(expected.hashes.tolist(), expected.shares.tolist(), strict=True))
    shares = {value: (1 - sample.trust) * share for value, share in by_value.items()}
    default = (1 - sample.trust) * expected.rest
    if sample.recent is not None and sample.trust > 0:
        values, counts = np.unique(sample.recent.hashes, return_counts=True)
        for value, count in zip(values.tolist(), counts.tolist(), strict=True):
            shares[value] = shares.get(value, 0.0) + sample.trust * count / len(sample.recent.hashes)
    found = [*shares.values(), default] if default > 0 else list(shares.values())
    return found or [1.0]
