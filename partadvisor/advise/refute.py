"""Conditions that contradict each other, whatever column they are about: the planner then scans no partition at all.

Every partition is checked so, since ``constraint_exclusion`` is ``partition``: a condition that another one refutes
(predtest.c), NULL tests of columns that are NOT NULL, and what compares with NULL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from partadvisor.advise.columns import ColumnFacts
from partadvisor.advise.operands import UNKNOWN, Setting, known, value_of
from partadvisor.advise.simplify import simplified
from partadvisor.model.workload import AllOf, AnyOf, Comparison, Condition, Opaque
from partadvisor.pg.ordering import equality_key

_MOST_ELEMENTS = 100
"""A longer list is one condition to the planner (MAX_SAOP_ARRAY_SIZE)."""
_SIGNS = {"<": (-1,), "<=": (-1, 0), "=": (0,), ">=": (0, 1), ">": (1,), "<>": (-1, 1)}


@dataclass(frozen=True, slots=True)
class Atom:
    """``column operator key``; ``key`` None where it is not known, ``sortable`` when the type's order is known."""

    column: str
    operator: str
    key: Any = None
    is_null: bool = False
    sortable: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """AND, or with ``either`` OR."""

    parts: tuple[Term, ...]
    either: bool = False


Term = Atom | Terms


def contradictory(condition: Condition, columns: Mapping[str, ColumnFacts], setting: Setting) -> bool:
    """Whether no row can fulfil the condition, as far as the planner sees it."""
    term = term_of(condition, columns, setting)
    if term is None:
        return False
    return _is_false(term, columns) or refutes(term, term)


def term_of(condition: Condition, columns: Mapping[str, ColumnFacts], setting: Setting) -> Term | None:
    """The condition with known values; parts of an AND that say nothing are left out, an OR is then nothing itself."""
    match condition:
        case AllOf(parts=parts):
            found = [t for p in parts if (t := term_of(p, columns, setting)) is not None]
            return Terms(tuple(found)) if found else None
        case AnyOf(parts=parts):
            arms = [term_of(p, columns, setting) for p in parts]
            return None if None in arms else Terms(tuple(a for a in arms if a is not None), either=True)
        case Comparison():
            return _compared(condition, columns, setting)
        case Opaque(reason="false"):
            return Terms((), either=True)
    return None


def _compared(one: Comparison, columns: Mapping[str, ColumnFacts], setting: Setting) -> Term | None:
    facts = columns.get(one.column)
    if facts is not None:
        one = simplified(one, facts, setting)
    if facts is None or one.wrapped:
        return Terms((), either=True) if _with_null(one) else None
    if one.operator in ("is_null", "is_not_null"):
        return Atom(one.column, one.operator)
    if not one.operands and one.operator not in ("in", "not_in"):
        return None
    if known(one, facts, "btree", setting).when != "plan":
        return Terms((), either=True) if _with_null(one) else None
    found = []
    for operand in one.operands:
        value = value_of(operand, facts.type, setting)
        if value is UNKNOWN:
            return None
        operator = {"in": "=", "not_in": "<>"}.get(one.operator, one.operator)
        sortable = value.text is not None and facts.order(value.text, value.type) is not None
        key = None
        if value.text is not None and facts.comparable:
            key = facts.order(value.text, value.type) if sortable else equality_key(facts.type, value.text)
        found.append(Atom(one.column, operator, key, value.text is None, sortable))
    if one.operator not in ("in", "not_in"):
        return found[0]
    return Terms(tuple(found), either=one.operator == "in") if len(found) <= _MOST_ELEMENTS else None


def _with_null(one: Comparison) -> bool:
    operands = one.operands
    return (
        len(operands) == 1 and one.operator != "not_in" and operands[0].kind == "constant" and operands[0].value is None
    )


def _is_false(term: Term, columns: Mapping[str, ColumnFacts]) -> bool:
    """Whether it is never true for itself: NULL compares with nothing, a NOT NULL column is not NULL."""
    if isinstance(term, Terms):
        return (all if term.either else any)(_is_false(part, columns) for part in term.parts)
    return term.is_null or (term.operator == "is_null" and columns[term.column].not_null)


def refutes(clause: Term, other: Term) -> bool:
    """Whether ``other`` cannot hold where ``clause`` does, piece by piece as the planner looks."""
    if isinstance(clause, Terms) and clause.either:
        if isinstance(other, Terms) and other.either:
            return all(refutes(clause, part) for part in other.parts)
        if isinstance(other, Terms):
            return all(any(refutes(arm, part) for part in other.parts) for arm in clause.parts)
        return all(refutes(arm, other) for arm in clause.parts)
    if isinstance(clause, Terms):
        if isinstance(other, Terms):
            if other.either:
                return all(refutes(clause, part) for part in other.parts)
            if any(refutes(clause, part) for part in other.parts):
                return True
        return any(refutes(part, other) for part in clause.parts)
    if isinstance(other, Terms):
        return (all if other.either else any)(refutes(clause, part) for part in other.parts)
    return _disjoint(clause, other)


def _disjoint(one: Atom, other: Atom) -> bool:
    if one.column != other.column:
        return False
    if one.is_null or other.is_null:
        return True
    if "is_null" in (one.operator, other.operator):
        return one.operator != other.operator
    if "is_not_null" in (one.operator, other.operator) or one.key is None or other.key is None:
        return False
    if not (one.sortable and other.sortable):
        return one.operator == other.operator == "=" and one.key != other.key
    return not _overlap(one, other)


def _overlap(one: Atom, other: Atom) -> bool:
    """Whether some value fulfils both, of a type that has a value between any two."""
    if one.operator not in _SIGNS or other.operator not in _SIGNS:
        return True
    points = sorted({one.key, other.key})
    places = range(-1, 2 * len(points))  # even ones are the points themselves, odd ones lie between and outside
    return any(_holds(one, points, place) and _holds(other, points, place) for place in places)


def _holds(atom: Atom, points: list[Any], place: int) -> bool:
    at = 2 * points.index(atom.key)
    return ((place > at) - (place < at)) in _SIGNS[atom.operator]
