"""Whether a column has one value for all rows of an execution, or surely another on each row, or neither is known.

pg_stat_statements numbers every constant anew, so two different parameters may well be the same value.
"""

from __future__ import annotations

import functools

from partadvisor.sql.domains import Classes
from partadvisor.sql.parse import Node, Unparsed, parse_one
from partadvisor.sql.scope import Computed, Constancy, Level, Place
from partadvisor.sql.tree import canonical, kind_of, strings, walk
from partadvisor.sql.volatility import differs_by_row, has_aggregate, has_set, has_volatile, has_window

Executions = tuple[tuple[str | None, ...], ...]
"""Values of ``$1``, ``$2``, … for each of some executions."""
_ENOUGH_EXECUTIONS = 3


def over_rows(nodes: list[Node], executions: Executions = ()) -> Constancy:
    """One column of a VALUES list. ``default`` when every row says DEFAULT.

    ``executions`` are logged values of the parameters: what they all agree on counts, where the text does not tell.
    """
    if len(nodes) == 1:
        return "unknown" if has_set(nodes) else "constant"
    defaults = sum("SetToDefault" in n for n in nodes)
    if defaults:
        return "default" if defaults == len(nodes) else "unknown"
    if all(differs_by_row(n) for n in nodes):
        return "varying"
    if has_volatile(nodes) or any("ColumnRef" in n for n in walk(nodes)):
        return "unknown"
    different = len({canonical(n) for n in nodes})
    if different == 1:
        return "constant"
    if all(_is_literal(n) for n in nodes):
        return "varying"
    return _logged(nodes, executions)


def _logged(nodes: list[Node], executions: Executions) -> Constancy:
    """Of parameters whose values were logged; a few executions may agree by chance."""
    numbers = [_parameter(n) for n in nodes]
    if len(executions) < _ENOUGH_EXECUTIONS or 0 in numbers:
        return "unknown"
    seen: set[Constancy] = set()
    for values in executions:
        if len(values) < max(numbers):
            return "unknown"
        different = len({values[n - 1] for n in numbers})
        seen.add("constant" if different == 1 else "varying" if different == len(numbers) else "unknown")
    return seen.pop() if len(seen) == 1 else "unknown"


def _parameter(node: Node) -> int:
    """The number of a parameter, perhaps cast; 0 for anything else."""
    if "TypeCast" in node:
        return _parameter(node["TypeCast"].get("arg", {}))
    return int(node.get("ParamRef", {}).get("number", 0))


def over_repeated(node: Node) -> Constancy:
    """A column of the one VALUES row that stands for several rows: other parameters each time, the rest the same."""
    if "SetToDefault" in node:
        return "default"
    if differs_by_row(node):
        return "varying"
    unsure = has_volatile([node]) or has_set([node]) or any("ParamRef" in n for n in walk([node]))
    return "unknown" if unsure else "constant"


def _is_literal(node: Node) -> bool:
    return "A_Const" in node or ("TypeCast" in node and _is_literal(node["TypeCast"].get("arg", {})))


@functools.cache
def of_default(expression: str) -> Constancy:
    """Of a column's default, over the rows of one statement."""
    tree = parse_one(f"SELECT {expression}")
    if isinstance(tree, Unparsed):
        return "unknown"
    value = tree["SelectStmt"]["targetList"][0]["ResTarget"]["val"]
    if differs_by_row(value):
        return "varying"
    return "unknown" if has_volatile(value) else "constant"


def of_expression(level: Level, node: Node, classes: Classes) -> Constancy:
    """An output expression of a SELECT whose domain is settled."""
    if all(s.single_row for s in level.sources) and not has_set([node]):
        return "constant"
    if differs_by_row(node):
        return "varying"
    kind = kind_of(node)
    if kind == "ColumnRef":
        return _column(level, node, classes)
    if kind == "TypeCast":
        return of_expression(level, node[kind].get("arg", {}), classes)
    if has_set([node]) or has_volatile([node]) or has_window([node]) or has_aggregate([node]):
        return "unknown"
    found = {_column(level, n, classes) for n in walk([node]) if "ColumnRef" in n}
    return "constant" if found <= {"constant"} else "unknown"


def _column(level: Level, node: Node, classes: Classes) -> Constancy:
    target = level.resolve(strings(node["ColumnRef"].get("fields")))
    if target is None:
        return "unknown"
    if isinstance(target, Computed):
        return of_expression(target.level, target.node, classes)
    return _place(level, target, classes)


def _place(level: Level, place: Place, classes: Classes) -> Constancy:
    reference, column = place
    value = classes.value(place)
    if reference.single_row or (value is not None and value.kind != "column"):
        return "constant"
    found = reference.constancy.get(column, "unknown")
    alone = sum(not s.single_row for s in level.sources) == 1
    return "unknown" if found == "varying" and not alone else found
