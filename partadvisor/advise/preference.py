"""The order of the candidates: what is near the best gain competes on reads, then on simplicity.

Every step is coarse or a matter of the schema, so that a second measurement of one server gives the same order.
"""

from __future__ import annotations

from collections.abc import Sequence

from partadvisor.advise.candidates import common_unique_columns
from partadvisor.advise.conditions import comparisons_of
from partadvisor.advise.scoring import Scored
from partadvisor.advise.subject import Subject
from partadvisor.model.scheme import HashLevel, RangeLevel
from partadvisor.pg import knowledge

_NO_GAIN = 0.02  # below the model's precision
_QUEUES = 8.0  # more independent queues than this count as equal
_HEADROOM = 0.6  # share of those queues that leaves room for growth


def ordered(scored: Sequence[Scored], subject: Subject) -> list[Scored]:
    """Best first: feasible before infeasible, contenders before the rest."""
    feasible = [s for s in scored if s.feasible]
    infeasible = [s for s in scored if not s.feasible]
    first = contenders(feasible)
    rest = [s for s in feasible if s not in first]
    return [
        *sorted(first, key=lambda s: preference(s, subject)),
        *sorted(rest, key=lambda s: (-round(s.gain.expected, 2), preference(s, subject))),
        *sorted(infeasible, key=lambda s: (_blocking(s), -round(s.gain.expected, 1), preference(s, subject))),
    ]


def contenders(feasible: Sequence[Scored]) -> list[Scored]:
    """Schemes that reach most of the best gain, and do not need several partitions for each statement to do so."""
    if not feasible:
        return []
    limits = knowledge.load("advice.toml")
    calm = [s for s in feasible if s.write.partitions_per_statement <= float(limits["partitions_per_statement"])]
    pool = calm or list(feasible)
    worth = {s.text: s.gain.expected - 1 for s in pool}
    if max(worth.values()) <= _NO_GAIN:  # no queue, or none measured: the spread itself is all there is to compare
        worth = {s.text: min(_QUEUES, 1 / s.write.max_share) - 1 for s in pool}
    best = max(worth.values())
    return [s for s in pool if worth[s.text] >= float(limits["near_best"]) * best]


def preference(scored: Scored, subject: Subject) -> tuple[object, ...]:
    """Sort key among schemes of like gain, smaller is better."""
    scheme = scored.scheme
    inner = scheme.levels[-1].columns
    common = common_unique_columns(subject) or tuple(c.name for c in subject.relation.columns)
    position = max(common.index(c) if c in common else len(common) for c in inner)
    return (
        round(scored.read.unpruned_share * 20),
        _against_retention(scored, subject),
        _against_size(scored, subject),
        1 / scored.write.max_share < _HEADROOM * _QUEUES,
        isinstance(scheme.levels[-1], RangeLevel),
        not isinstance(scheme.levels[-1], HashLevel),
        -min(subject.related.get(c, 1) for c in inner),
        -round(min(subject.equality_shares.get(c, 0.0) for c in inner) * 20),
        len(scheme.columns),
        position,
        scored.named_by_user,
        scored.leaves,
        scored.text,
    )


def _blocking(scored: Scored) -> int:
    return sum(o.blocks for o in scored.obstacles)


def _against_size(scored: Scored, subject: Subject) -> bool:
    """A very large table had better keep its rows where they are; a small one need not carry an old partition."""
    large = subject.bytes >= int(knowledge.load("advice.toml")["ahead_bytes"])
    return large != scored.scheme.is_ahead


def _against_retention(scored: Scored, subject: Subject) -> bool:
    """Where old rows are deleted by a range of a column, a range level on it turns that into DROP TABLE."""
    columns = retention_columns(subject)
    first = scored.scheme.levels[0]
    return bool(columns) and not (isinstance(first, RangeLevel) and first.start is None and first.columns[0] in columns)


def retention_columns(subject: Subject) -> frozenset[str]:
    """Growing columns by whose upper bound rows are deleted."""
    return frozenset(
        c.column
        for use in subject.uses
        for access in use.accesses
        if access.role == "delete"
        for c in comparisons_of(access.condition)
        if c.operator in ("<", "<=") and c.column in subject.monotone
    )
