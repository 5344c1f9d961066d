"""ORDER BY, LIMIT and row locks, noted on the tables they concern: what a merge of partitions has to deliver.

Only plain columns count as keys, because only those can come ordered out of every partition by the same index.
"""

from __future__ import annotations

from dataclasses import replace

from partadvisor.model.workload import SortKey
from partadvisor.sql.parse import Node
from partadvisor.sql.scope import Branch, Level, Ordering, Output, Reference, Target
from partadvisor.sql.tree import function_name, strings
from partadvisor.sql.volatility import has_aggregate, has_window

_GROUPING = ("groupClause", "distinctClause", "havingClause")


def mark_rows(
    level: Level, body: Node, references: list[Reference], names: list[str], targets: list[Target | None]
) -> None:
    """Note the order, limit and row locks of one SELECT on its FROM items."""
    extreme = _extreme_of(body) if len(references) == 1 else None
    if extreme is not None:
        _mark_extreme(level, references[0], *extreme)
    elif references:
        outputs = dict(zip(names, targets, strict=True))
        keys = [(_meaning(level, item, outputs, targets), item) for item in _sort_items(body)]
        grouped = any(k in body for k in _GROUPING) or _computes(body)
        for reference in references:
            reference.ordering = _ordering(keys, reference, body, grouped)
            if reference.output is not None and reference.output.appended and len(references) == 1:
                _pass_on(reference.ordering, reference.output)
    for lock in body.get("lockingClause", ()):
        wanted = {r["RangeVar"]["relname"] for r in lock["LockingClause"].get("lockedRels", ())}
        named = [s.reference for s in level.sources if s.name in wanted and s.reference is not None]
        for reference in named if wanted else references:
            reference.locks_rows = True


def _pass_on(wanted: Ordering, output: Output) -> None:
    """Order and limit of a query over UNION ALL are those of its branches, which the planner merges in that order."""
    for branch in output.branches:
        columns = dict(zip(output.names, branch.targets, strict=False))
        for reference in branch.domain.references:
            if not _is_free(reference):
                continue
            keys: list[SortKey] = []
            for key in wanted.order_by:
                target = columns.get(key.column)
                if not isinstance(target, tuple) or target[0] is not reference:
                    break
                keys.append(SortKey(column=target[1], descending=key.descending, nulls_first=key.nulls_first))
            complete = wanted.order_complete and len(keys) == len(wanted.order_by)
            reference.ordering = replace(wanted, order_by=tuple(keys), order_complete=complete)


def _is_free(reference: Reference) -> bool:
    """Whether a branch has no order, limit or grouping of its own."""
    own = reference.ordering
    return own is None or not (own.limited or own.grouped or own.order_by)


def mark_branches(body: Node, output: Output, branches: list[Branch]) -> None:
    """Note order and limit of a set operation on its branches; UNION ALL is merged like partitions are."""
    items = _sort_items(body)
    if not items and "limitCount" not in body:
        return
    grouped = body.get("op") != "SETOP_UNION" or not body.get("all")
    for branch in branches:
        outputs = dict(zip(output.names, branch.targets, strict=False))
        keys = [(_output_column(item["node"], outputs, branch.targets), item) for item in items]
        for reference in branch.domain.references:
            if _is_free(reference):
                reference.ordering = _ordering(keys, reference, body, grouped)


def _sort_items(body: Node) -> list[Node]:
    return [item["SortBy"] for item in body.get("sortClause", ())]


def _computes(body: Node) -> bool:
    targets = body.get("targetList", [])
    return has_aggregate(targets) or has_window(targets)


def _ordering(keys: list[tuple[Target | None, Node]], reference: Reference, body: Node, grouped: bool) -> Ordering:
    leading: list[SortKey] = []
    for target, item in keys:
        if not isinstance(target, tuple) or target[0] is not reference or item.get("sortby_dir") == "SORTBY_USING":
            break
        leading.append(_key(target[1], item))
    limited = "limitCount" in body and not body["limitCount"].get("A_Const", {}).get("isnull", False)
    return Ordering(
        order_by=tuple(leading),
        order_complete=bool(keys) and len(leading) == len(keys),
        limited=limited,
        limit_rows=_limit_rows(body) if limited else None,
        grouped=grouped,
    )


def _key(column: str, item: Node) -> SortKey:
    descending = item.get("sortby_dir") == "SORTBY_DESC"
    nulls = item.get("sortby_nulls", "SORTBY_NULLS_DEFAULT")
    first = descending if nulls == "SORTBY_NULLS_DEFAULT" else nulls == "SORTBY_NULLS_FIRST"
    return SortKey(column=column, descending=descending, nulls_first=first)


def _limit_rows(body: Node) -> float | None:
    """Rows up to the end of the limit, those that OFFSET skips included."""
    total = 0.0
    for clause in ("limitCount", "limitOffset"):
        number = body.get(clause, {"A_Const": {"ival": {}}}).get("A_Const", {}).get("ival")
        if number is None:
            return None
        total += number.get("ival", 0)
    return total


def _mark_extreme(level: Level, reference: Reference, fields: tuple[str, ...], largest: bool) -> None:
    """``max(ts)`` is planned as ORDER BY ts DESC LIMIT 1, without the NULLs."""
    target = level.resolve(fields)
    keys: tuple[SortKey, ...] = ()
    if isinstance(target, tuple) and target[0] is reference:
        keys = (SortKey(column=target[1], descending=largest, nulls_first=largest),)
    reference.ordering = Ordering(order_by=keys, order_complete=bool(keys), limited=True, limit_rows=1.0)


def _extreme_of(body: Node) -> tuple[tuple[str, ...], bool] | None:
    """The column of a lone ``min`` or ``max``, and whether it is the largest."""
    targets = body.get("targetList", [])
    call = targets[0]["ResTarget"].get("val", {}).get("FuncCall", {}) if len(targets) == 1 else {}
    args = call.get("args", ())
    name = function_name(call)
    if name not in {"min", "max"} or len(args) != 1 or "ColumnRef" not in args[0]:
        return None
    if "groupClause" in body or "havingClause" in body or "over" in call:
        return None
    return strings(args[0]["ColumnRef"].get("fields")), name == "max"


def _meaning(
    level: Level, item: Node, outputs: dict[str, Target | None], targets: list[Target | None]
) -> Target | None:
    node = item["node"]
    fields = strings(node["ColumnRef"].get("fields")) if "ColumnRef" in node else ()
    if "A_Const" in node or (len(fields) == 1 and fields[0] in outputs):
        return _output_column(node, outputs, targets)
    return level.resolve(fields) if fields else None


def _output_column(node: Node, outputs: dict[str, Target | None], targets: list[Target | None]) -> Target | None:
    """An output column by position or by name."""
    position = node.get("A_Const", {}).get("ival", {}).get("ival")
    if position is not None:
        return targets[position - 1] if 0 < position <= len(targets) else None
    fields = strings(node["ColumnRef"].get("fields")) if "ColumnRef" in node else ()
    return outputs.get(fields[0]) if len(fields) == 1 else None
