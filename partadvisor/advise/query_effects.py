"""One query under a scheme, for people: what it touches, what that costs a call, and why, the dearest reason first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from partadvisor.advise.conditions import equal_columns
from partadvisor.advise.operands import STAGES
from partadvisor.advise.prune import leaf_count
from partadvisor.advise.read_cost import ReadModel, ScanCost, base_ms
from partadvisor.advise.shapes import Shape
from partadvisor.advise.subject import Subject, Use
from partadvisor.model.advice import Merge, QueryEffect
from partadvisor.model.scheme import HashLevel, Scheme
from partadvisor.pg import knowledge

_MERGES: tuple[Merge, ...] = ("none", "append", "ordered", "sort", "merge")
_LEAST_US = 0.5  # below that a cause is not worth a word
_LEAST_WORK = 0.05


def query_effects(
    reads: ReadModel, scheme: Scheme, sizes: tuple[int, ...], partitions_per_statement: float
) -> list[QueryEffect]:
    """Every query of the table under ``scheme``, the one that loses most time first, INSERTs last."""
    own, generic = reads.scans(scheme, sizes), reads.scans(scheme, sizes, generic=True)
    shapes = list(reads.shapes)
    causes: dict[tuple[int, ...], tuple[str, ...]] = {}
    effects = []
    for use, scans in zip(reads.subject.uses, reads.shapes.of_uses, strict=True):
        if scans:
            costs = [own[i] for i in scans]
            if scans not in causes:
                causes[scans] = tuple(_causes(reads, scheme, [shapes[i] for i in scans], costs))
            effect = _read(reads, use, costs, [generic[i] for i in scans], causes[scans])
        else:
            effect = _insert(reads, use, leaf_count(scheme, sizes), partitions_per_statement)
        effects.append((effect.added_ms * use.weight, effect))
    return [effect for _, effect in sorted(effects, key=lambda pair: -pair[0])]


def worse(effects: Sequence[QueryEffect]) -> tuple[QueryEffect, ...]:
    """Those that lose more than the planning that any partitioned table takes, however well a query is pruned."""
    constants = knowledge.load("read_cost.toml")
    least = float(constants["partitioned_us"]) + float(constants["parent_us"])
    return tuple(e for e in effects if 1000 * e.added_ms > least)


def _read(
    reads: ReadModel, use: Use, costs: Sequence[ScanCost], generic: Sequence[ScanCost], causes: tuple[str, ...]
) -> QueryEffect:
    slowest = max(costs, key=lambda c: (STAGES.index(c.touched.when), c.executed))
    added = (reads.added_us(costs) + reads.work_us(use, costs)) / 1000
    before = base_ms(use.family.mean_ms)
    rate = use.family.calls_per_second
    return QueryEffect(
        name=use.name,
        fingerprint=use.family.fingerprint,
        calls_per_second=rate,
        partitions_touched=sum(c.executed for c in costs),
        partitions=slowest.touched.total,
        when=slowest.touched.when,
        why=slowest.touched.why,
        time_ratio=(before + added) / before,
        time_known=bool(use.family.mean_ms),
        added_ms=added,
        planning_ms=sum(c.planning for c in costs) / 1000,
        added_ms_per_second=None if rate is None else added * rate,
        merge=max((c.merge for c in costs), key=_MERGES.index),
        locks=sum(c.locks for c in costs),
        generic_locks=sum(c.locks for c in generic),
        generic_partitions=sum(c.executed for c in generic),
        causes=causes,
    )


def _insert(reads: ReadModel, use: Use, leaves: int, partitions_per_statement: float) -> QueryEffect:
    locks = reads.locks_of(partitions_per_statement)
    return QueryEffect(
        name=use.name,
        fingerprint=use.family.fingerprint,
        calls_per_second=use.family.calls_per_second,
        partitions_touched=partitions_per_statement,
        partitions=leaves,
        when="loop",
        why="each row is routed as it is inserted",
        locks=locks,
        generic_locks=locks,  # INSERT locks a partition when the first row goes there, whatever the plan
        generic_partitions=partitions_per_statement,
    )


def _causes(reads: ReadModel, scheme: Scheme, shapes: Sequence[Shape], costs: Sequence[ScanCost]) -> list[str]:
    """What costs the time, in words, the dearest first."""
    locks = sum(c.locks for c in costs)
    found = [
        (reads.lock_us(locks), f"{locks - reads.slots} of {locks} locks go through the shared lock table"),
    ]
    for shape, cost in zip(shapes, costs, strict=True):
        found += _of_scan(reads.subject, scheme, shape, cost)
    return list(dict.fromkeys(text for us, text in sorted(found, key=lambda f: -f[0]) if us >= _LEAST_US))


def _of_scan(subject: Subject, scheme: Scheme, shape: Shape, cost: ScanCost) -> Iterator[tuple[float, str]]:
    planned, done = _count(cost.touched.planned), _count(cost.executed)
    if cost.planning >= _LEAST_US:
        what = f"{planned} partitions" if cost.touched.planned > 1 else "a partitioned table"
        yield cost.planning, f"planning {what} takes {_ms(cost.planning)} more"
    if cost.execution >= _LEAST_US:
        yield cost.execution, f"{_lookup(subject, scheme, shape, done)}, {_ms(cost.execution)} more"
    if cost.merge == "merge" and cost.executed > 1:
        yield max(cost.merging, _LEAST_US), _merging(shape, scheme, done)
    if abs(cost.work - 1) >= _LEAST_WORK:
        near = "closer together" if cost.work < 1 else f"in up to {done} partitions"
        yield abs(cost.work - 1) * base_ms(0.0) * 1000, f"its rows lie {near}, {cost.work:.2f}x the work"
    if cost.moving:
        yield cost.moving, f"a change of {', '.join(c for c in shape.moves if c in scheme.columns)} moves the row"


def _lookup(subject: Subject, scheme: Scheme, shape: Shape, done: str) -> str:
    """Scanning several partitions; a lookup by a unique key that lacks the partition key is named as such."""
    fixed = equal_columns(shape.condition)
    for index in subject.unique_indexes:
        wanted = [c for c in index.columns if c is not None and c not in scheme.columns]
        if wanted and set(wanted) <= fixed and not set(scheme.columns) <= fixed:
            lacking = ", ".join(c for c in scheme.columns if c not in fixed)
            return f"a lookup by {', '.join(wanted)} without {lacking} searches the index of {done} partitions"
    return f"{done} partitions are scanned instead of one table"


def _merging(shape: Shape, scheme: Scheme, done: str) -> str:
    keys = ", ".join(key.column for key in shape.order)
    said = f"ORDER BY {keys} is merged from {done} partitions"
    if shape.limited:
        said += ", each of which gives its first rows before LIMIT stops"
    first = scheme.levels[0]
    if not scheme.is_ahead and first.columns[0] == shape.order[0].column and not isinstance(first, HashLevel):
        said += "; its DEFAULT partition keeps the planner from reading one after the other"
    return said


def _count(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"


def _ms(us: float) -> str:
    return f"{us / 1000:.2f} ms" if us >= 100 else f"{us:.0f} us"
