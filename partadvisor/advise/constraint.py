"""What a partition's bounds say about its rows, as the planner's partition constraint says it.

It counts in one place: below a partition that has a DEFAULT partition of its own, the planner drops what contradicts
the constraint, arm by arm of an OR, because the searches would keep DEFAULT for it.
"""

from __future__ import annotations

from partadvisor.advise.layout import MAXVALUE, MINVALUE, Bound, ListParts, Parts, RangeParts
from partadvisor.advise.refute import Atom, Term, Terms


def constraint_of(parts: Parts, number: int) -> Term | None:
    """The constraint of one partition of a level; None where it says nothing that the planner compares."""
    if len(parts.columns) > 1:
        return None
    if isinstance(parts, ListParts):
        return _list(parts, number)
    return _range(parts, number) if isinstance(parts, RangeParts) else None


def _list(parts: ListParts, number: int) -> Term:
    (column,) = parts.columns
    if number == parts.default:
        others = Terms(tuple(_equal(column, key, "<>", parts) for key in parts.places))
        if parts.null_part is None:
            return Terms((Atom(column, "is_null"), others), either=True)
        return Terms((Atom(column, "is_not_null"), others))
    values = Terms(tuple(_equal(column, k, "=", parts) for k, n in parts.places.items() if n == number), either=True)
    if number == parts.null_part:
        return Terms((Atom(column, "is_null"), values), either=True)
    return Terms((Atom(column, "is_not_null"), values))


def _equal(column: str, key: object, operator: str, parts: ListParts) -> Atom:
    return Atom(column, operator, key, sortable=parts.ordered is not None)


def _range(parts: RangeParts, number: int) -> Term:
    (column,) = parts.columns
    pairs = {n: (parts.bounds[i - 1], parts.bounds[i]) for i, n in enumerate(parts.parts) if n is not None}
    if number != parts.default:
        low, high = pairs[number]
        return Terms((Atom(column, "is_not_null"), *_edge(column, low, ">="), *_edge(column, high, "<")))
    outside = [
        Terms((Atom(column, "is_null"), *_edge(column, low, "<"), *_edge(column, high, ">=")), either=True)
        for low, high in pairs.values()
    ]
    return Terms(tuple(outside))


def _edge(column: str, bound: Bound, operator: str) -> tuple[Atom, ...]:
    component = bound[0]
    if component in (MINVALUE, MAXVALUE):
        return ()
    return (Atom(column, operator, component[1], sortable=True),)
