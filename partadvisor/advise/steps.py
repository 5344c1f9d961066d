"""One level's own comparisons, all of which must hold: the searches the planner makes of them.

The rules are those of gen_partprune_steps in partprune.c: what a NULL test excludes, which columns of a composite key a
search may use, and when a search stops at a column.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from partadvisor.advise import search
from partadvisor.advise.grid import grid_pick, guessed_range
from partadvisor.advise.layout import HashParts, ListParts, OpenParts, RangeParts
from partadvisor.advise.level_view import LevelView
from partadvisor.advise.operands import UNKNOWN
from partadvisor.advise.pick import Pick, empty, exact, intersection
from partadvisor.advise.placement import remainder_of
from partadvisor.advise.search import Strategy
from partadvisor.model.workload import Comparison

_STRATEGIES: Final[tuple[Strategy, ...]] = ("<", "<=", "=", ">=", ">")
_PREFIXES: Final = {"<": ("=", "<="), "<=": ("=", "<="), "=": ("=",), ">=": ("=", ">="), ">": ("=", ">=")}


def own_pick(comparisons: Sequence[Comparison], at: LevelView) -> Pick | None:
    """What comparisons of key columns leave together; None when they say nothing the level can use."""
    nulls = {c.column for c in comparisons if c.operator == "is_null"}
    filled = {c.column for c in comparisons if c.operator == "is_not_null"}
    compared = [c for c in comparisons if c.operands]
    late = [c for c in compared if c.column in nulls and not at.early(c)]
    if late:  # a contradiction that shows at execution only: the server then drops nothing more, on no level
        pick = own_pick([c for c in comparisons if c not in late], at)
        return pick and replace(pick, certain=False)
    if nulls & (filled | {c.column for c in compared}):  # NULL equals nothing
        return empty("the conditions contradict each other")
    if any(at.is_null(c.column, o) for c in compared for o in c.operands):
        return empty("nothing compares with NULL")
    if nulls and (not isinstance(at.parts, HashParts) or nulls == set(at.parts.columns)):
        return _null(comparisons, at)
    if compared:
        return _compared(compared, nulls, at)
    return _not_null(comparisons, at) if filled == set(at.parts.columns) else None


def _null(comparisons: Sequence[Comparison], at: LevelView) -> Pick:
    why = at.because(*(c for c in comparisons if c.operator == "is_null"))
    if isinstance(at.parts, HashParts):
        return exact(at.parts, frozenset((0,)), why)
    if isinstance(at.parts, OpenParts):
        return Pick(1.0, why, None, certain=False)
    return exact(at.parts, search.nulls(at.parts), why)


def _not_null(comparisons: Sequence[Comparison], at: LevelView) -> Pick | None:
    if isinstance(at.parts, (ListParts, RangeParts)):
        return exact(at.parts, search.not_nulls(at.parts), at.because(*comparisons))
    if at.excludes_values:
        return Pick(max(1.0, at.parts.total - 1.0), at.because(*comparisons), None, certain=False)
    return None


def _compared(comparisons: Sequence[Comparison], nulls: set[str], at: LevelView) -> Pick | None:
    match at.parts:
        case HashParts():
            return _hash(comparisons, nulls, at, at.parts)
        case ListParts():
            return intersection([_list(c, at, at.parts) for c in comparisons], at.parts)
        case RangeParts():
            return _range(comparisons, at, at.parts)
        case OpenParts():
            return grid_pick(comparisons, at, at.parts)


def _hash(comparisons: Sequence[Comparison], nulls: set[str], at: LevelView, parts: HashParts) -> Pick | None:
    """Every key column must be fixed; of a column that equals several values each is tried."""
    fixed: dict[str, list[Comparison | None]] = {column: [None] for column in nulls}
    for comparison in comparisons:
        if comparison.operator == "=":
            fixed.setdefault(comparison.column, []).append(comparison)
    if not set(parts.columns) <= set(fixed):
        return None
    tries = itertools.product(*(fixed[column] for column in parts.columns))
    return intersection([_remainder(dict(zip(parts.columns, one, strict=True)), at, parts) for one in tries], parts)


def _remainder(fixed: dict[str, Comparison | None], at: LevelView, parts: HashParts) -> Pick:
    why = at.because(*(c for c in fixed.values() if c is not None))
    if not at.places:
        return Pick(1.0, why)
    values = {n: None if c is None else at.value(n, c.operands[0]) for n, c in fixed.items()}
    if UNKNOWN in values.values():
        return Pick(1.0, why)
    place = remainder_of(values, at.columns, parts.total)
    return Pick(1.0, why) if place is None else exact(parts, frozenset((place,)), why)


def _list(comparison: Comparison, at: LevelView, parts: ListParts) -> Pick:
    why, value = at.because(comparison), at.value(comparison.column, comparison.operands[0])
    unknown = value is UNKNOWN or not at.columns[comparison.column].comparable
    if comparison.operator in ("=", "<>"):
        differs = comparison.operator == "<>"
        if unknown:
            return Pick(float(parts.total), why, None, certain=False) if differs else Pick(1.0, why, None, parts.covers)
        find = search.list_differs if differs else search.list_equal
        return exact(parts, find(parts, at.equality(comparison.column, value)), why)
    key = at.order(comparison.column, value)
    if key is None or parts.ordered is None:
        return guessed_range([comparison], at)
    return exact(parts, search.list_range(parts, comparison.operator, key), why)  # type: ignore[arg-type]


def _range(comparisons: Sequence[Comparison], at: LevelView, parts: RangeParts) -> Pick | None:
    """All searches that leading columns allow; bounds whose values are not known are estimated together."""
    picks: list[Pick] = []
    guessed: list[Comparison] = []
    for chain in _searches(comparisons, parts.columns):
        keys = [at.order(c.column, at.value(c.column, c.operands[0])) for c in chain]
        strategy: Strategy = chain[-1].operator  # type: ignore[assignment]
        if None not in keys:
            picks.append(exact(parts, search.range_search(parts, strategy, keys), at.because(*chain)))
        elif strategy == "=":
            picks.append(Pick(1.0, at.because(*chain), None, len(keys) == len(parts.columns) and parts.covers))
        elif len(chain) == 1:
            guessed.append(chain[0])
        elif not any(p.offsets is None for p in picks):
            picks.append(Pick(float(parts.total), at.because(*chain), None, certain=False, ranged=True))
    if guessed:
        known = [c for c in comparisons if c.column == parts.columns[0] and c.operator != "=" and c not in guessed]
        picks.append(guessed_range([*guessed, *known], at))
    return intersection(picks, parts)


def _searches(comparisons: Sequence[Comparison], columns: tuple[str, ...]) -> Iterator[list[Comparison]]:
    """Comparisons of leading columns, one a column, that one search uses; the last one's operator is the search's."""
    usable = _by_strategy(comparisons, columns)
    for strategy in _STRATEGIES:
        for last in usable[strategy]:
            place = columns.index(last.column)
            before = [
                [c for s in _PREFIXES[strategy] for c in usable[s] if c.column == column] for column in columns[:place]
            ]
            if not all(before):
                break
            for prefix in itertools.product(*before):
                yield [*prefix, last]


def _by_strategy(comparisons: Sequence[Comparison], columns: tuple[str, ...]) -> dict[str, list[Comparison]]:
    """Column by column; a column without a comparison, or with ``<`` or ``>``, ends it, and each operator's run too."""
    found: dict[str, list[Comparison]] = {s: [] for s in _STRATEGIES}
    for place, column in enumerate(columns):
        here = [c for c in comparisons if c.column == column and c.operator in found]
        for comparison in here:
            run = found[comparison.operator]
            if not run or place - columns.index(run[-1].column) <= 1:
                run.append(comparison)
        if not here or any(c.operator in ("<", ">") for c in here):
            break
    return found
