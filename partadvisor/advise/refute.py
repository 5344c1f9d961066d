"""Conditions that contradict each other, whatever column they are about: the planner then scans no partition at all.

Every partition is checked so, since ``constraint_exclusion`` is ``partition``: a condition that another one refutes
(predtest.c), NULL tests of columns that are NOT NULL, and what compares with NULL.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from partadvisor.advise.columns import ColumnFacts
from partadvisor.advise.conditions import comparisons_of
from partadvisor.advise.operands import UNKNOWN, Setting, known, value_of
from partadvisor.advise.simplify import simplified
from partadvisor.model.workload import AllOf, AnyOf, Comparison, Condition, Operand
from partadvisor.pg import versions
from partadvisor.pg.hashing.types import base_name
from partadvisor.pg.ordering import equality_key, order_key

_MOST_ELEMENTS = 100
"""A longer list is one condition to the planner (MAX_SAOP_ARRAY_SIZE)."""
_SIGNS = {"<": (-1,), "<=": (-1, 0), "=": (0,), ">=": (0, 1), ">": (1,), "<>": (-1, 1)}


@dataclass(frozen=True, slots=True)
class Atom:
    """``column operator key``; ``sortable`` when the order of the keys is known.

    Beside operators and NULL tests there are ``truth`` (a boolean column, or NOT of it) and ``strict``, which says
    nothing but that the column is not NULL. ``is_null``: the value it is compared with is NULL. ``via``: the type that
    the column is converted to.
    """

    column: str
    operator: str
    key: Any = None
    is_null: bool = False
    sortable: bool = False
    via: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """AND, or with ``either`` OR."""

    parts: tuple[Term, ...]
    either: bool = False


Term = Atom | Terms


def contradictory(condition: Condition, columns: Mapping[str, ColumnFacts], setting: Setting) -> bool:
    """Whether no row can fulfil the condition, as far as the planner sees it."""
    if with_null(condition):
        return True
    term = term_of(condition, columns, setting)
    if term is None:
        return False
    tested = {c.column for c in comparisons_of(condition) if c.operator == "is_null" and c.column in columns}
    filled = Terms(tuple(Atom(name, "is_not_null") for name in tested if columns[name].not_null))
    return refutes(term, term) or refutes(filled, term, weak=False)


def with_null(condition: Condition) -> bool:
    """Whether it is a comparison with NULL, which is never true and folded away before anything else is looked at."""
    match condition:
        case AllOf(parts=parts):
            return any(with_null(part) for part in parts)
        case AnyOf(parts=parts):
            return all(with_null(part) for part in parts)
        case Comparison(operator=operator, operands=(Operand(kind="constant", value=None),)):
            return operator not in ("in", "not_in")  # an array is not folded
    return False


def term_of(condition: Condition, columns: Mapping[str, ColumnFacts], setting: Setting) -> Term | None:
    """The condition with known values; parts of an AND that say nothing are left out, an OR is then nothing itself."""
    match condition:
        case AllOf(parts=parts):
            found = [t for p in parts if (t := term_of(p, columns, setting)) is not None]
            return Terms(tuple(found)) if found else None
        case AnyOf(parts=parts):
            arms = [term_of(p, columns, setting) for p in parts if not with_null(p)]
            return None if None in arms else Terms(tuple(a for a in arms if a is not None), either=True)
        case Comparison():
            return _compared(condition, columns, setting)
    return None


def _compared(one: Comparison, columns: Mapping[str, ColumnFacts], setting: Setting) -> Term | None:
    facts = columns.get(one.column)
    if facts is None or one.operator in ("is_unknown", "is_not_unknown") or one.is_test:
        return None
    if one.operator in ("is_null", "is_not_null"):
        idle = one.operator == "is_not_null" and facts.not_null and versions.has("idle_null_tests", setting.major)
        return None if one.wrapped or idle else Atom(one.column, one.operator)
    one = simplified(one, facts, setting)
    if (one.wrapped and one.cast is None) or any(o.kind == "stable" for o in one.operands):
        return None
    if known(one, facts, "btree", setting).when == "start" and all(o.kind == "constant" for o in one.operands):
        return None  # it depends on the time zone
    if len(one.operands) > _MOST_ELEMENTS:
        return None
    terms = tuple(_atom(one, operand, facts, setting) for operand in one.operands)
    if terms and one.operator in ("in", "not_in") and all(t.is_null for t in terms):
        return None  # an array of nothing but NULL is overlooked
    return Terms(terms, either=one.operator == "in") if one.operator in ("in", "not_in") else terms[0]


def _atom(one: Comparison, operand: Operand, facts: ColumnFacts, setting: Setting) -> Atom:
    """One comparison. Without a known value of the column's family it says at least that the column is not NULL."""
    operator = {"in": "=", "not_in": "<>"}.get(one.operator, one.operator)
    value = value_of(operand, facts.type, setting)
    if value.text is None:
        return Atom(one.column, operator, is_null=True)
    usable = known(one, facts, "btree", setting).when == "plan" and value is not UNKNOWN and facts.comparable
    if not usable or operator not in _SIGNS:
        return _converted(one, operator, operand)
    if base_name(facts.type) == "bool" and one.operator == "=":  # the planner makes it the bare column, or NOT column
        return Atom(one.column, "truth", order_key("bool", value.text))
    key = facts.order(value.text, value.type)
    if key is None:
        return Atom(one.column, operator, equality_key(facts.type, value.text))
    return Atom(one.column, operator, key, sortable=True)


def _converted(one: Comparison, operator: str, operand: Operand) -> Atom:
    """A comparison of the column's value in another type, with a constant of that type where it is one."""
    to = one.cast or operand.type
    key = order_key(to, operand.value) if to and operand.kind == "constant" and operand.value is not None else None
    if key is None or operator not in _SIGNS or one.cast not in (None, operand.type, to):
        return Atom(one.column, "strict")
    return Atom(one.column, operator, key, sortable=True, via=base_name(str(to)))


def refutes(clause: Term, other: Term, *, weak: bool = True) -> bool:
    """Whether ``other`` cannot hold where ``clause`` does, piece by piece as the planner looks.

    ``weak``: it is enough that ``other`` is NULL then. Conditions are held against each other so, constraints are not.
    """

    def every(one: Term, parts: Iterable[Term]) -> bool:
        return all(refutes(one, part, weak=weak) for part in parts)

    def some(one: Term, parts: Iterable[Term]) -> bool:
        return any(refutes(one, part, weak=weak) for part in parts)

    if isinstance(clause, Terms) and clause.either:
        if isinstance(other, Terms):
            return every(clause, other.parts) if other.either else all(some(arm, other.parts) for arm in clause.parts)
        return all(refutes(arm, other, weak=weak) for arm in clause.parts)
    if isinstance(other, Terms) and other.either:
        return every(clause, other.parts)
    if isinstance(clause, Terms):
        if isinstance(other, Terms) and some(clause, other.parts):
            return True
        return any(refutes(part, other, weak=weak) for part in clause.parts)
    return some(clause, other.parts) if isinstance(other, Terms) else _disjoint(clause, other, weak)


def _disjoint(one: Atom, other: Atom, weak: bool) -> bool:
    if one.column != other.column:
        return False
    if one.is_null or other.is_null:
        return one.is_null or weak
    if other.operator == "is_null":
        return one.operator != "is_null" and not _negated(one)
    if one.operator == "is_null":
        return other.operator == "is_not_null" or (weak and not _negated(other))
    if one.via != other.via or "strict" in (one.operator, other.operator):
        return False
    if "truth" in (one.operator, other.operator):  # "b = true" of a list refutes NOT b, "b = false" does not refute b
        false = any(a.operator == "truth" and not a.key for a in (one, other))
        true = any(a.operator in ("truth", "=") and a.key for a in (one, other))
        return false and true
    if one.operator not in _SIGNS or other.operator not in _SIGNS:
        return False
    if not (one.sortable and other.sortable):
        return one.operator == other.operator == "=" and one.key != other.key
    return not _overlap(one, other)


def _negated(atom: Atom) -> bool:
    """NOT of a boolean column: to the planner it does not say that the column is not NULL, as the bare column does."""
    return atom.operator == "truth" and not atom.key


def _overlap(one: Atom, other: Atom) -> bool:
    """Whether some value fulfils both, of a type that has a value between any two."""
    points = sorted({one.key, other.key})
    places = range(-1, 2 * len(points))  # even ones are the points themselves, odd ones lie between and outside
    return any(_holds(one, points, place) and _holds(other, points, place) for place in places)


def _holds(atom: Atom, points: list[Any], place: int) -> bool:
    at = 2 * points.index(atom.key)
    return ((place > at) - (place < at)) in _SIGNS[atom.operator]
