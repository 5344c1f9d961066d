"""What finding its rows costs a reference in the partitions that hold them, beside the whole table."""

from __future__ import annotations

from collections.abc import Sequence

from partadvisor.advise.access_cost import Reference, part_cost, probe_cost, reference_of
from partadvisor.advise.conditions import columns_of
from partadvisor.advise.planning_cost import leaf_us
from partadvisor.advise.prune import Touch
from partadvisor.advise.shapes import Shape
from partadvisor.model.catalog import Relation
from partadvisor.model.scheme import HashLevel, Level, RangeLevel, Scheme
from partadvisor.pg import knowledge


class WorkModel:
    """The work of one shape's references; many schemes leave the same number of equal partitions."""

    def __init__(self, shape: Shape, relation: Relation) -> None:
        reference = self._reference = reference_of(shape, relation)
        self.leaf_us = leaf_us(shape, reference, len(relation.indexes))
        self._columns = columns_of(shape.condition)
        self._known: dict[tuple[float, int, frozenset[str]], float] = {}
        if reference:
            entries = tuple(p.share * reference.rows for p in reference.paths)
            self.before = part_cost(reference, 1.0, reference.share * reference.rows, entries)

    def ratio(self, scheme: Scheme, touched: Touch, done: float, filled: float) -> float:
        """New ÷ old cost where ``done`` partitions are scanned; those that hold rows are taken as equal parts.

        An "ahead" scheme leaves the rows where they are, and so does one that nothing is known of.

        Args:
            scheme: the scheme.
            touched: what the reference leaves of it.
            done: partitions that are scanned.
            filled: share of the partitions that hold rows today.
        """
        if self._reference is None or scheme.is_ahead or touched.total <= 1 or done < 1:
            return 1.0
        total = max(1, round(touched.total * filled))
        scanned = float(total) if done >= touched.total else min(max(1.0, done * filled), total)
        pruning = self._columns.intersection(scheme.columns) if scanned < total else frozenset[str]()
        key = scanned, total, pruning
        if key not in self._known:
            self._known[key] = self._parted(self._reference, scanned, total, pruning)
        return self._known[key]

    def _parted(self, reference: Reference, done: float, total: int, pruning: frozenset[str]) -> float:
        # rows an index finds lie in the scanned partitions only, if what it tests is what prunes
        entries = [p.share * reference.rows * (1.0 if pruning <= p.bound else done / total) for p in reference.paths]
        searched = [e for e, p in zip(entries, reference.paths, strict=True) if p.bound]
        parts = _holding(done, min(searched)) if searched else done
        found = reference.share * reference.rows / parts
        if reference.limit is not None:
            reference = reference._replace(limit=reference.limit / parts)  # it counts the rows of all partitions
        holding = parts * part_cost(reference, 1 / total, found, tuple(e / parts for e in entries))
        return (holding + (done - parts) * probe_cost(reference, 1 / total)) / self.before


def _holding(partitions: float, rows: float) -> float:
    """Partitions that hold any of so many rows, which are thrown into them at random."""
    return max(1.0, partitions * float(1 - (1 - 1 / partitions) ** max(1.0, rows)))


def filled_share(scheme: Scheme, sizes: Sequence[int]) -> float:
    """Share of the partitions that hold rows today: neither those made ahead of time nor a DEFAULT partition does."""
    share = 1.0
    for level, size in zip(scheme.levels, sizes, strict=True):
        share *= max(1, size - _empty(level)) / max(1, size)
    return share


def _empty(level: Level) -> int:
    if isinstance(level, HashLevel) or (isinstance(level, RangeLevel) and level.start is not None):
        return 0
    if isinstance(level, RangeLevel) and (level.step or level.interval):
        return 1 + int(knowledge.load("advice.toml")["steps_ahead" if level.step else "intervals_ahead"])
    return 1
