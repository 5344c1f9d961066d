"""Reads an EXPLAIN tree: which leaves of a table it scans, and what it costs when dropped partitions are not counted.

The planner adds up every partition that stays in a plan. Two kinds are then never scanned, and their cost is taken out
here: those removed when execution starts, and those that a nested loop's value rules out for each outer row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Node = dict[str, Any]

_APPENDS = ("Append", "Merge Append")
_CONDITIONS = ("Index Cond", "Recheck Cond", "Filter")


@dataclass(frozen=True, slots=True)
class Target:
    """The table a plan is read for: qualified names of its leaves and the key columns of each level with its size.

    ``old`` is the leaf of an "ahead" scheme that the inner levels do not divide.
    """

    leaves: frozenset[tuple[str, str]]
    levels: tuple[tuple[tuple[str, ...], int], ...] = ()
    old: tuple[str, str] | None = None


def scans(plan: Node, target: Target) -> Iterator[Node]:
    """Every node that scans a leaf of the table."""
    if plan["Node Type"] != "ModifyTable" and (plan.get("Schema"), plan.get("Relation Name")) in target.leaves:
        yield plan
    for child in plan.get("Plans", ()):
        yield from scans(child, target)


def removed(plan: Node) -> int:
    """Subplans dropped at the start of execution."""
    return int(plan.get("Subplans Removed", 0)) + sum(removed(child) for child in plan.get("Plans", ()))


def prunes_in_loops(plan: Node, target: Target) -> bool:
    """Whether an Append below a nested loop scans only some of its partitions for each outer row."""
    return any(_kept_share(node, target) < 1 for node, inner in _walk(plan) if inner)


def cost(plan: Node, target: Target) -> float:
    """Total cost without the partitions that are not scanned."""
    return max(0.01, float(plan["Total Cost"]) - _saved(plan, target, inner=False))


def _walk(plan: Node, inner: bool = False) -> Iterator[tuple[Node, bool]]:
    yield plan, inner
    for child in plan.get("Plans", ()):
        yield from _walk(child, _is_repeated(plan, child, inner))


def _is_repeated(parent: Node, child: Node, inner: bool) -> bool:
    relationship = child.get("Parent Relationship")
    if parent["Node Type"] == "Nested Loop":
        return relationship == "Inner" or inner
    return relationship == "SubPlan" or inner


def _saved(plan: Node, target: Target, *, inner: bool) -> float:
    """What the unscanned partitions below this node add to its total cost."""
    children: Sequence[Node] = plan.get("Plans", ())
    if plan["Node Type"] in _APPENDS:
        return _saved_in_append(plan, target, inner=inner)
    saved = 0.0
    for child in children:
        below = _saved(child, target, inner=_is_repeated(plan, child, inner))
        saved += below * _executions(plan, child, children)
    if plan["Node Type"] == "Limit" and children:
        saved *= min(1.0, plan["Total Cost"] / max(0.01, children[0]["Total Cost"]))
    return saved


def _saved_in_append(plan: Node, target: Target, *, inner: bool) -> float:
    children: Sequence[Node] = plan.get("Plans", ())
    below = sum(_saved(child, target, inner=inner) for child in children)
    listed = sum(float(child["Total Cost"]) for child in children)
    saved = below
    if plan.get("Subplans Removed"):
        saved += max(0.0, float(plan["Total Cost"]) - listed)
    if inner:
        old = sum(float(c["Total Cost"]) for c in children if any(_is_old(s, target) for s in scans(c, target)))
        saved += (1.0 - _kept_share(plan, target)) * max(0.0, listed - below - old)
    return saved


def _is_old(scan: Node, target: Target) -> bool:
    return (scan["Schema"], scan["Relation Name"]) == target.old


def _executions(plan: Node, child: Node, children: Sequence[Node]) -> float:
    """How often the child runs, as far as its parent's cost counts it."""
    if plan["Node Type"] == "Nested Loop" and child.get("Parent Relationship") == "Inner":
        outer = next((c for c in children if c.get("Parent Relationship") == "Outer"), None)
        return max(1.0, float(outer["Plan Rows"])) if outer else 1.0
    if child.get("Parent Relationship") == "SubPlan":
        return max(1.0, float(plan["Plan Rows"]))
    return 1.0


def _kept_share(plan: Node, target: Target) -> float:
    """Share of an Append's leaves that one value of the outer side leaves: one partition of every level it fixes.

    The old leaf of an "ahead" scheme is not among them.
    """
    if plan["Node Type"] not in _APPENDS:
        return 1.0
    leaves = [scan for scan in scans(plan, target) if not _is_old(scan, target)]
    if len(leaves) < 2:
        return 1.0
    fixed = set.intersection(*(_fixed_columns(leaf, target) for leaf in leaves))
    share = 1.0
    for columns, size in target.levels:
        if set(columns) <= fixed:
            share /= size
    return max(share, 1.0 / len(leaves))


def _fixed_columns(scan: Node, target: Target) -> set[str]:
    """Key columns that the scan compares for equality with another relation's column or an outer parameter."""
    texts = [str(node[name]) for node, _ in _walk(scan) for name in _CONDITIONS if name in node]
    columns = {c for names, _ in target.levels for c in names}
    return {c for c in columns if any(_equals_outer(text, c) for text in texts)}


def _equals_outer(text: str, column: str) -> bool:
    """``col = other.x``, ``other.x = a.col`` or ``col = $0``, as VERBOSE prints them; constants do not count."""
    name = rf'(?:"?[\w$]+"?\.)?"?{re.escape(column)}"?'
    other = r'(?:"?[\w$]+"?\."?[\w$]+"?|\$\d+|\(InitPlan \d+\)\.col\d+)'
    return bool(
        re.search(rf"(?<![\w.]){name} = {other}(?![\w(])", text) or re.search(rf"(?<![\w.]){other} = {name}\b", text)
    )
