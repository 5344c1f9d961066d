"""What the planner would take one reference to cost, on the whole table and on one of its partitions.

The formulas are those of costsize.c and selfuncs.c: sequential scan, index scan (``genericcostestimate``,
``btcostestimate``, ``cost_index`` with the page fetches of Mackert and Lohman, ACM TODS 14(3), 1989, for a heap in
random order and interpolation by the squared correlation), bitmap scan, sort. They tell what partitions gain a reader
beside what they cost him: rows of one key value that lie scattered over a table share few pages of its partition.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from partadvisor.advise.conditions import comparisons_of, equal_columns
from partadvisor.advise.merges import gives_order
from partadvisor.advise.selectivity import is_range, selectivity, top_comparisons
from partadvisor.advise.shapes import Shape
from partadvisor.model.catalog import Index, Relation
from partadvisor.model.workload import AllOf, Comparison
from partadvisor.pg import knowledge

_BLOCK = 8192
_FANOUT = 256  # entries of a page in the upper levels of a btree, about


class Path(NamedTuple):
    """An index the reference is searched by, or that gives its order. ``share`` of the rows fulfil what it tests."""

    bound: frozenset[str]
    share: float
    conditions: int
    pages: float
    correlation: float
    ordered: bool


class Reference(NamedTuple):
    """What the cost of one reference depends on, schemes aside. ``rows`` and ``pages`` are the table's."""

    rows: float
    pages: float
    share: float
    conditions: int
    paths: tuple[Path, ...]
    sorts: bool
    limit: float | None


class _Costs(NamedTuple):
    """The planner's settings."""

    sequential: float
    random: float
    tuple: float
    index_tuple: float
    operator: float


def reference_of(shape: Shape, relation: Relation) -> Reference | None:
    """None where the table's size is not known."""
    if relation.rows <= 0 or relation.pages <= 0:
        return None
    limit = None
    if shape.limited and shape.limit_rows is None:
        limit = float(knowledge.load("read_cost.toml")["limit_rows"])
    elif shape.limited:
        limit = shape.limit_rows
    return Reference(
        rows=relation.rows,
        pages=float(relation.pages),
        share=selectivity(shape.condition, relation),
        conditions=len(comparisons_of(shape.condition)),
        paths=tuple(p for index in relation.indexes if (p := _path(shape, index, relation)) is not None),
        sorts=shape.sorts,
        limit=limit,
    )


def _path(shape: Shape, index: Index, relation: Relation) -> Path | None:
    """None where the index serves the reference in no way."""
    if index.method != "btree" or index.predicate is not None or not index.valid:
        return None
    used = _used(index, top_comparisons(shape.condition))
    ordered = bool(shape.order) and gives_order(shape, [index])
    if not used and not ordered:
        return None
    bound = frozenset(c.column for c in used)
    key = {c for c in index.columns if c is not None}
    once = index.unique and len(key) == len(index.columns) and key <= equal_columns(shape.condition)
    first = relation.column(index.columns[0] or "")
    known = first.statistics.correlation if first and first.statistics else None
    return Path(
        bound=bound,
        share=1 / relation.rows if once else selectivity(AllOf(parts=tuple(used)), relation),
        conditions=len(used),
        pages=max(1.0, index.size_bytes / _BLOCK),
        correlation=(known or 0.0) * (0.75 if len(index.columns) > 1 else 1.0),  # btcostestimate
        ordered=ordered,
    )


def _used(index: Index, comparisons: list[Comparison]) -> list[Comparison]:
    """Comparisons that bound the scan of a btree: equalities on its leading columns, then one column's ranges."""
    used: list[Comparison] = []
    for name in index.columns:
        equal = [c for c in comparisons if c.column == name and c.operator in ("=", "in", "is_null") and not c.wrapped]
        used += equal or [c for c in comparisons if c.column == name and is_range(c)]
        if not equal:
            break
    return used


def part_cost(reference: Reference, share: float, found: float, entries: tuple[float, ...]) -> float:
    """The cheapest plan's cost on a part of the table.

    Args:
        reference: the reference.
        share: the part of the table's rows and pages that lies there, 1 for the whole table.
        found: rows there that the condition leaves.
        entries: rows there that each of the paths' own conditions leave.
    """
    costs = _costs()
    rows, pages = max(1.0, reference.rows * share), max(1.0, math.ceil(reference.pages * share))
    filtering = costs.operator * reference.conditions
    sequential = costs.sequential * pages + (costs.tuple + filtering) * rows
    best = _whole(reference, 0.0, sequential, found, ordered=False, costs=costs)
    for path, wanted in zip(reference.paths, entries, strict=True):
        best = min(best, *_by_index(reference, path, share, rows, pages, found, min(rows, wanted), costs))
    return best


def _by_index(
    reference: Reference,
    path: Path,
    share: float,
    rows: float,
    pages: float,
    found: float,
    wanted: float,
    costs: _Costs,
) -> tuple[float, float]:
    """Costs of a plain and of a bitmap scan."""
    wanted = max(1.0, wanted)
    index_pages = max(1.0, path.pages * share)
    descent = _descent(rows, index_pages, costs)
    leaves = costs.random * math.ceil(wanted / rows * index_pages)
    search = leaves + wanted * (costs.index_tuple + costs.operator * path.conditions)
    each = costs.tuple + costs.operator * max(0, reference.conditions - path.conditions)
    fetched = page_fetches(pages, wanted)
    worst = costs.random * fetched
    least = costs.random + costs.sequential * max(0.0, math.ceil(wanted / rows * pages) - 1)
    heap = worst + path.correlation**2 * (min(least, worst) - worst)
    plain = _whole(reference, descent, search + heap + each * wanted, found, ordered=path.ordered, costs=costs)
    if not path.conditions:
        return plain, plain
    page = (
        costs.random - (costs.random - costs.sequential) * math.sqrt(fetched / pages) if fetched >= 2 else costs.random
    )
    bitmap = descent + search + 0.1 * costs.operator * wanted
    reading = page * math.ceil(fetched) + (each + costs.operator * path.conditions) * wanted
    return plain, _whole(reference, bitmap, reading, found, ordered=False, costs=costs)


def probe_cost(reference: Reference, share: float) -> float:
    """A search in a part of the table that finds nothing: down the index to one of its leaves, and no page of the heap.

    The planner would add that page, as it expects a row of every scan.
    """
    costs, rows = _costs(), max(1.0, reference.rows * share)
    probes = [
        _descent(rows, max(1.0, path.pages * share), costs) + costs.random for path in reference.paths if path.bound
    ]
    return min(probes, default=0.0)


def _descent(rows: float, index_pages: float, costs: _Costs) -> float:
    """Comparisons and pages on the way down a btree (btcostestimate)."""
    height = math.ceil(math.log(index_pages, _FANOUT)) if index_pages > 1 else 0
    return costs.operator * (math.ceil(math.log2(rows)) + (height + 1) * 50)


def page_fetches(pages: float, rows: float) -> float:
    """Pages read for ``rows`` in random order among ``pages`` that all fit into the cache (index_pages_fetched)."""
    return min(pages, 2 * pages * rows / (2 * pages + rows))


def _whole(reference: Reference, startup: float, run: float, found: float, *, ordered: bool, costs: _Costs) -> float:
    """With the sort that is left to do, and as far as a limit lets it run."""
    found = max(1.0, found)
    stops = 1.0 if reference.limit is None else min(1.0, reference.limit / found)
    if reference.sorts and not ordered:
        kept = min(found, 2 * reference.limit) if reference.limit else found
        return startup + run + found * 2 * costs.operator * math.log2(max(2.0, kept))
    return startup + run * stops


def _costs() -> _Costs:
    planner = knowledge.load("read_cost.toml")["planner"]
    return _Costs(
        planner["seq_page_cost"],
        planner["random_page_cost"],
        planner["cpu_tuple_cost"],
        planner["cpu_index_tuple_cost"],
        planner["cpu_operator_cost"],
    )
