"""How the rows of several partitions come together in the order a statement wants, as the planner does it.

Tried on 13 and 18: a merge of the partitions' indexes wherever the plain table's index gave the order; one partition
after the other only where bounds follow the order and there is no DEFAULT partition, which an "ahead" scheme alone is
without; a sort of everything where no index gives the order.
"""

from __future__ import annotations

from collections.abc import Sequence

from partadvisor.advise.conditions import equal_columns
from partadvisor.advise.prune import Touch
from partadvisor.advise.shapes import Shape
from partadvisor.model.advice import Merge
from partadvisor.model.catalog import Index
from partadvisor.model.scheme import Scheme
from partadvisor.model.workload import SortKey


def merge_of(shape: Shape, touched: Touch, scheme: Scheme, indexes: Sequence[Index]) -> Merge:
    """The kind of node that joins the partitions of one reference."""
    if touched.planned <= 1:
        return "none"
    if not shape.order:
        return "sort" if shape.sorts else "append"
    if not gives_order(shape, indexes):
        return "sort"
    return "ordered" if follows_bounds(shape.order, scheme) else "merge"


def follows_bounds(order: Sequence[SortKey], scheme: Scheme) -> bool:
    """Whether the partitions lie one after the other in this order, none of them a DEFAULT partition."""
    return scheme.is_ahead and order[0].column == scheme.levels[0].columns[0]


def gives_order(shape: Shape, indexes: Sequence[Index]) -> bool:
    """Whether a btree index of the table returns the rows in this order, its columns fixed by equality left out."""
    fixed = equal_columns(shape.condition)
    wanted = [key for key in shape.order if key.column not in fixed]
    if len({key.descending for key in wanted}) > 1:
        return False
    return not wanted or any(_starts(index, [k.column for k in wanted], fixed) for index in indexes)


def _starts(index: Index, wanted: Sequence[str], fixed: frozenset[str]) -> bool:
    if index.method != "btree" or index.predicate is not None:
        return False
    free = [c for c in index.columns if c not in fixed]
    return free[: len(wanted)] == list(wanted)


def executed(shape: Shape, touched: Touch, merge: Merge) -> float:
    """Partitions that are really scanned: a limit stops an ordered scan in the first or the last bound."""
    if merge == "ordered" and shape.limited:
        return max(1.0, touched.executed - 1) if shape.order[0].descending else 1.0
    return touched.executed
