"""What is known of the values of one key: recent inserts, and a model of all inserts from the statistics.

Recent rows are few and clustered (rows of one transaction share their key), statistics are many and may be out of
date. ``trust`` says how much of the difference between the two is more than the noise of a small sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from partadvisor.advise.subject import Subject
from partadvisor.model.activity import RecentRows
from partadvisor.model.catalog import Column
from partadvisor.model.errors import PartadvisorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = NDArray[Any]

_MOST_COMBINATIONS = 5000
_SIGNIFICANT = 3.0  # standard deviations between recent rows and statistics before the former are believed


@dataclass(frozen=True)
class Recent:
    """Recent rows of one key: a hash for each row, the transaction and the statement that inserted it."""

    hashes: Hashes
    transactions: Hashes
    statements: Hashes

    @property
    def units(self) -> int:
        """Number of transactions: the independent observations."""
        return len(set(self.transactions.tolist()))


@dataclass(frozen=True)
class Expected:
    """Key values with their shares; ``rest`` is the share of values not listed, ``rest_values`` how many those are."""

    hashes: Hashes
    shares: Hashes
    rest: float
    rest_values: float
    source: Literal["recent_rows", "statistics", "assumed"]

    @property
    def collision(self) -> float:
        """Probability that two inserts have the same key: sum of squared shares."""
        return float((self.shares**2).sum()) + self.rest**2 / max(1.0, self.rest_values)

    @property
    def third_moment(self) -> float:
        """Sum of cubed shares."""
        return float((self.shares**3).sum()) + self.rest**3 / max(1.0, self.rest_values) ** 2


@dataclass(frozen=True)
class KeySample:
    """Both sources for one key. ``trust`` is the weight of the recent rows, 0 to 1."""

    recent: Recent | None
    expected: Expected
    trust: float


def key_sample(subject: Subject, columns: Sequence[str]) -> KeySample:
    """Everything known of the key made of ``columns``."""
    recent = _recent(subject, columns)
    told = _from_statistics(subject, columns)
    if told is not None and recent is not None and _outdated(told, recent):
        told = None
    expected = told or _from_recent(recent) or _nothing_known(subject)
    return KeySample(recent, expected, _trust(recent, expected))


def _outdated(told: Expected, recent: Recent) -> bool:
    """Whether recent inserts bring values the statistics do not list, more often than chance allows.

    A growing key does so all the time: its statistics are those of the rows that were there at the last ANALYZE.
    """
    import numpy as np

    units = recent.units
    unlisted = float(np.mean(~np.isin(recent.hashes, told.hashes)))
    noise = (max(told.rest * (1 - told.rest), 1 / units) / units) ** 0.5
    return units > 1 and unlisted > told.rest + _SIGNIFICANT * noise


def _recent(subject: Subject, columns: Sequence[str]) -> Recent | None:
    import numpy as np

    from partadvisor.pg.hashing.routing import combine

    rows = subject.recent
    if rows is None or not rows.rows or not set(columns) <= set(rows.columns):
        return None
    try:
        hashed = [_hash_column(subject, rows, name) for name in columns]
    except PartadvisorError:
        # A type whose hash only its own server knows: equal values still hash alike, which is all that is asked here.
        hashed = [_stand_in(rows, name) for name in columns]
    return Recent(combine(hashed), np.array(rows.transactions), np.array(rows.statements))


def _hash_column(subject: Subject, rows: RecentRows, name: str) -> Any:
    from partadvisor.pg.hashing.routing import from_stored, hash_values

    at = rows.columns.index(name)
    values = [row[at] for row in rows.rows]
    if rows.values_hashed:
        return from_stored(values)
    column = subject.column(name)
    return hash_values(
        column.base_type, values, encoding=subject.encoding, deterministic=column.collation_deterministic
    )


def _stand_in(rows: RecentRows, name: str) -> Any:
    from partadvisor.pg.hashing.routing import from_stored, hash_values

    at = rows.columns.index(name)
    values = [row[at] for row in rows.rows]
    return from_stored(values) if rows.values_hashed else hash_values("text", values)


def _from_statistics(subject: Subject, columns: Sequence[str]) -> Expected | None:
    """Shares of key values by the statistics; several columns are taken as independent of each other."""
    import numpy as np

    from partadvisor.pg.hashing.routing import combine

    parts = [_common_values(subject, subject.column(name)) for name in columns]
    if any(p is None for p in parts):
        return None
    known = [p for p in parts if p is not None]
    combinations = 1
    for (hashes, _), _, _ in known:
        combinations *= max(1, len(hashes))
    distinct = _product(d for _, _, d in known)
    if subject.relation.rows >= 1:
        distinct = min(distinct, subject.relation.rows)
    covered = _product(float(shares.sum()) for _, shares, _ in known)
    if combinations > _MOST_COMBINATIONS or covered == 0:
        nothing = np.array([], dtype=np.uint64)
        return Expected(nothing, np.array([]), 1.0, distinct, "statistics")
    grids = np.meshgrid(*(np.arange(len(hashes)) for (hashes, _), _, _ in known), indexing="ij")
    at = [grid.ravel() for grid in grids]
    columns_hashed = [(h[i], n[i]) for ((h, n), _, _), i in zip(known, at, strict=True)]
    shares = np.ones(len(at[0]))
    for (_, column_shares, _), i in zip(known, at, strict=True):
        shares = shares * column_shares[i]
    rest = max(0.0, 1.0 - float(shares.sum()))
    return Expected(combine(columns_hashed), shares, rest, max(1.0, distinct - len(shares)), "statistics")


def _product(values: Any) -> float:
    result = 1.0
    for value in values:
        result *= value
    return result


def _common_values(subject: Subject, column: Column) -> tuple[Any, Any, float] | None:
    """The most common values hashed (NULL among them), their shares of all rows, and the number of distinct values."""
    import numpy as np

    from partadvisor.pg.hashing.routing import from_stored, hash_values

    statistics = column.statistics
    if statistics is None or (statistics.n_distinct == 0 and not statistics.most_common):
        return None
    values: list[str | None] = [value for value, _ in statistics.most_common]
    shares = [share for _, share in statistics.most_common]
    if statistics.null_fraction > 0:
        values.append(None)
        shares.append(statistics.null_fraction)
    distinct = distinct_values(column, subject.relation.rows)
    try:
        hashed = (
            from_stored(values)
            if statistics.values_hashed
            else hash_values(
                column.base_type, values, encoding=subject.encoding, deterministic=column.collation_deterministic
            )
        )
    except PartadvisorError:
        hashed = hash_values("text", values)
    return hashed, _without_rounding_rest(np.array(shares), distinct), distinct


def _without_rounding_rest(shares: Any, distinct: float) -> Any:
    """When the listed values are all there are, their shares add up to one."""
    total = float(shares.sum()) if len(shares) else 0.0
    return shares / total if total > 0 and len(shares) >= distinct else shares


def distinct_values(column: Column, rows: float) -> float:
    """Number of distinct values by the statistics; a negative ``n_distinct`` is a fraction of the rows."""
    statistics = column.statistics
    if statistics is None or statistics.n_distinct == 0:
        return max(1.0, rows)
    if statistics.n_distinct > 0:
        return statistics.n_distinct
    return max(1.0, -statistics.n_distinct * max(1.0, rows))


def _from_recent(recent: Recent | None) -> Expected | None:
    """Without statistics: the values seen, taken as equally frequent, and Good and Turing's share of unseen ones."""
    import numpy as np

    if recent is None:
        return None
    pairs = np.unique(np.stack([recent.hashes, recent.transactions.astype(np.uint64)]), axis=1)
    values, times = np.unique(pairs[0], return_counts=True)
    unseen = float((times == 1).sum()) / len(pairs[0])
    seen = 1.0 - unseen
    shares = np.full(len(values), seen / len(values))
    return Expected(values, shares, unseen, max(1.0, len(values) * 10.0), "recent_rows")


def _nothing_known(subject: Subject) -> Expected:
    import numpy as np

    return Expected(np.array([], dtype=np.uint64), np.array([]), 1.0, max(1000.0, subject.relation.rows), "assumed")


def _trust(recent: Recent | None, expected: Expected) -> float:
    """How much more often recent inserts share their key than expected, beyond what chance would do.

    For draws whose shares themselves vary (Dirichlet) two draws agree with probability r + (1 - r) C, where C is the
    expected one; the weight of m recent draws against the expectation is then m / (m + (1 - r) / r).
    """
    if recent is None or recent.units < 2:
        return 0.0
    observed = collision_between_transactions(recent)
    if expected.source == "recent_rows" and observed is None:
        return 0.0
    units, base = recent.units, expected.collision
    variance = 2 * base / (units * (units - 1)) + 4 * max(0.0, expected.third_moment - base**2) / units
    if observed is None or observed <= base + _SIGNIFICANT * variance**0.5 or base >= 1:
        return 0.0
    excess = min(1.0, (observed - base) / (1 - base))
    return float(units / (units + (1 - excess) / excess))


def collision_between_transactions(recent: Recent) -> float | None:
    """Share of pairs of rows of different transactions that have the same key; None with one transaction.

    Pairs within a transaction are left out: their agreement says nothing about concurrent inserts.
    """
    import numpy as np

    _, sizes = np.unique(recent.transactions, return_counts=True)
    total = float(len(recent.hashes)) ** 2 - float((sizes.astype(float) ** 2).sum())
    if total <= 0:
        return None
    _, by_key = np.unique(recent.hashes, return_counts=True)
    both = np.stack([recent.hashes, recent.transactions.astype(np.uint64)])
    _, by_both = np.unique(both, axis=1, return_counts=True)
    same = float((by_key.astype(float) ** 2).sum()) - float((by_both.astype(float) ** 2).sum())
    return same / total
