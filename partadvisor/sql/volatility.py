"""When a function's or expression's value is known: the planner folds immutable ones, waits for stable ones."""

from __future__ import annotations

import functools
from typing import Any, Literal

from partadvisor.pg import knowledge
from partadvisor.sql.parse import Node
from partadvisor.sql.tree import calls, function_name, kind_of, strings

Volatility = Literal["immutable", "stable", "volatile"]


@functools.cache
def _names(kind: str) -> frozenset[str]:
    return frozenset(knowledge.load("functions.toml")[kind])


def volatility(name: str) -> Volatility:
    """Of a built-in function; anything unknown is volatile, as CREATE FUNCTION takes it."""
    if name in _names("immutable"):
        return "immutable"
    return "stable" if name in _names("stable") else "volatile"


def is_own(body: Node) -> bool:
    """Whether a FuncCall is of a function the user or an extension made: what it does is not in the text."""
    names = strings(body.get("funcname"))
    name = names[-1] if names else ""
    if "over" in body or names[:1] == ("pg_catalog",) or name.startswith(("pg_", "lo_")):
        return False
    return not is_aggregate(body) and not any(name in _names(k) for k in ("immutable", "stable", "volatile", "sets"))


def is_set(name: str) -> bool:
    """Whether the function returns a set."""
    return name in _names("sets")


def is_one_column_set(name: str) -> bool:
    """Whether the function, in FROM, has one column that is called like the FROM item."""
    return name in _names("one_column_sets")


def differs_by_row(node: Node) -> bool:
    """Whether the expression is a function that gives another value on each row, perhaps cast."""
    kind = kind_of(node)
    if kind == "TypeCast":
        return differs_by_row(node[kind].get("arg", {}))
    return kind == "FuncCall" and function_name(node[kind]) in _names("differs_by_row")


def is_aggregate(body: Node) -> bool:
    """Whether a FuncCall is an aggregate; a window call is not."""
    if "over" in body:
        return False
    marks = body.get("agg_star") or body.get("agg_distinct") or body.get("agg_order") or body.get("agg_filter")
    return bool(marks) or function_name(body) in _names("aggregates")


def has_volatile(node: Any) -> bool:
    """Whether a volatile function is called anywhere below, subqueries included."""
    return any(not is_aggregate(c) and volatility(function_name(c)) == "volatile" for c in calls(node))


def has_set(node: Any) -> bool:
    """Whether a set-returning function is called below, outside subqueries."""
    return any(is_set(function_name(c)) for c in calls(node, into_subqueries=False))


def has_aggregate(node: Any) -> bool:
    """Whether an aggregate is called below, outside subqueries."""
    return any(is_aggregate(c) for c in calls(node, into_subqueries=False))


def has_window(node: Any) -> bool:
    """Whether a window function is called below, outside subqueries."""
    return any("over" in c for c in calls(node, into_subqueries=False))
