"""The SELECT list: what its columns are called and mean, how many rows it gives, what may sink through it."""

from __future__ import annotations

from partadvisor.sql.parse import Node
from partadvisor.sql.scope import Computed, Level, Reference, Source, Target
from partadvisor.sql.tree import calls, kind_of, strings
from partadvisor.sql.volatility import has_aggregate, has_set, has_volatile, has_window

_NODE_NAMES = {"CoalesceExpr": "coalesce", "CaseExpr": "case", "A_ArrayExpr": "array", "RowExpr": "row"}
_NOT_SIMPLE = [
    "valuesLists",
    "groupClause",
    "havingClause",
    "distinctClause",
    "limitCount",
    "limitOffset",
    "windowClause",
    "lockingClause",
    "withClause",
    "larg",
    "intoClause",
]


def is_simple(body: Node) -> bool:
    """Whether the planner pulls such a subquery up into the query around it."""
    if any(key in body for key in _NOT_SIMPLE):
        return False
    targets = body.get("targetList", [])
    if not calls(targets):
        return True
    return not (has_aggregate(targets) or has_set(targets) or has_volatile(targets) or has_window(targets))


def output_columns(level: Level, body: Node) -> tuple[list[str], list[Target | None], tuple[Reference, ...]]:
    """Names and meanings of a SELECT's columns; the unknown tables whose ``*`` is among them."""
    names: list[str] = []
    targets: list[Target | None] = []
    for node, name in expanded(level, body):
        names.append(name)
        fields = strings(node["ColumnRef"].get("fields")) if "ColumnRef" in node else ()
        targets.append(level.resolve(fields) if fields else Computed(node, level))
    open_to = tuple(s.reference for s in _starred(level, body) if not s.known and s.reference is not None)
    return names, targets, open_to


def _star_of(node: Node) -> tuple[str, ...] | None:
    """The qualifier of ``*`` or ``t.*``, None when the target is neither."""
    fields = node.get("ColumnRef", {}).get("fields", [])
    return strings(fields[:-1]) if fields and "A_Star" in fields[-1] else None


def _starred(level: Level, body: Node) -> list[Source]:
    found: list[Source] = []
    for target in body.get("targetList", ()):
        qualifier = _star_of(target["ResTarget"].get("val", {}))
        if qualifier is not None:
            found += [s for s in level.sources if not qualifier or ".".join(qualifier) in (s.name, s.table)]
    return found


def expanded(level: Level, body: Node) -> list[tuple[Node, str]]:
    """Target expressions with their names, ``*`` replaced by the columns it stands for."""
    found: list[tuple[Node, str]] = []
    for target in body.get("targetList", ()):
        node = target["ResTarget"].get("val", {})
        qualifier = _star_of(node)
        if qualifier is None:
            found.append((node, target["ResTarget"].get("name") or _name_of(node)))
            continue
        seen: set[str] = set()
        for source in level.sources:
            if qualifier and ".".join(qualifier) not in (source.name, source.table):
                continue
            for column, _ in source.columns():
                if column in level.merged and column in seen and not qualifier:
                    continue
                seen.add(column)
                found.append((_reference_node(source.name, column), column))
    return found


def _reference_node(qualifier: str, column: str) -> Node:
    return {"ColumnRef": {"fields": [{"String": {"sval": qualifier}}, {"String": {"sval": column}}]}}


def _name_of(node: Node) -> str:
    """The name PostgreSQL gives an output column without AS."""
    kind = kind_of(node)
    body = node.get(kind, {})
    if kind == "ColumnRef":
        return (strings(body.get("fields")) or ("?column?",))[-1]
    if kind == "FuncCall":
        return (strings(body.get("funcname")) or ("?column?",))[-1]
    if kind == "TypeCast":
        inner = _name_of(body.get("arg", {}))
        return inner if inner != "?column?" else (strings(body["typeName"].get("names")) or ("?column?",))[-1]
    return _NODE_NAMES.get(kind, "?column?")


def may_sink(level: Level, body: Node, node: Node) -> bool:
    """Whether a condition on this output column may be checked before grouping, windows and DISTINCT."""
    if "limitCount" in body or "limitOffset" in body or "ColumnRef" not in node:
        return False
    if "groupClause" in body and not _is_grouped(level, body, node):
        return False
    if has_aggregate(body.get("targetList", [])) and "groupClause" not in body:
        return False
    distinct = [d for d in body.get("distinctClause", ()) if d]  # plain DISTINCT is a list of nothing
    if distinct and not any(_same(level, node, d) for d in distinct):
        return False
    windows = [c["over"] for c in calls(body.get("targetList", [])) if "over" in c]
    named = {w["WindowDef"].get("name"): w["WindowDef"] for w in body.get("windowClause", ())}
    for window in windows:
        definition = named.get(window.get("name"), window)
        if not any(_same(level, node, p) for p in definition.get("partitionClause", ())):
            return False
    return True


def _is_grouped(level: Level, body: Node, node: Node) -> bool:
    groups = body["groupClause"]
    if any("GroupingSet" in g for g in groups):
        return False
    targets = body.get("targetList", [])
    for group in groups:
        position = group.get("A_Const", {}).get("ival", {}).get("ival")
        if position is not None and 0 < position <= len(targets):
            group = targets[position - 1]["ResTarget"]["val"]
        if _same(level, node, group):
            return True
    return False


def _same(level: Level, one: Node, other: Node) -> bool:
    """Whether two expressions are the same column."""
    if "ColumnRef" not in one or "ColumnRef" not in other:
        return False
    found = [level.resolve(strings(n["ColumnRef"].get("fields"))) for n in (one, other)]
    return found[0] is not None and found[0] == found[1]


def is_single_row(level: Level, body: Node) -> bool:
    """Whether the query surely gives at most one row."""
    targets = body.get("targetList", [])
    if has_set(targets):
        return False
    if body.get("limitCount", {}).get("A_Const", {}).get("ival", {}).get("ival") == 1:
        return True
    if has_aggregate(targets) and "groupClause" not in body:
        return True
    return all(s.single_row for s in level.sources)


def known_rows(references: list[Reference], body: Node) -> float | None:
    """Rows when the text alone tells: one FROM item of known length and nothing that filters."""
    plain = not any(key in body for key in ("whereClause", "groupClause", "distinctClause", "limitCount"))
    if plain and len(references) == 1 and references[0].output is not None and not has_set(body.get("targetList", [])):
        return references[0].output.rows
    return None
