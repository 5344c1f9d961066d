"""SELECT, INSERT, UPDATE, DELETE, MERGE, COPY: what they write and read, parts inside of WITH too."""

from __future__ import annotations

from typing import Any

from partadvisor.model import ddl
from partadvisor.model.ddl_parts import Name
from partadvisor.sql.ddl.alter import value_text
from partadvisor.sql.ddl.expressions import NotLiteral, literal
from partadvisor.sql.ddl.source import Source
from partadvisor.sql.ddl.tables import persistence
from partadvisor.sql.parse import Node
from partadvisor.sql.tree import children, function_name, kind_of, strings, walk

_WRITES = ("InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt")
_AFTER_WHERE = frozenset(("returning", "on", "for"))


def query(source: Source, node: Node) -> list[ddl.Action]:
    """A query or data-modifying statement: one action for each thing it writes; ``Query`` when it writes nothing."""
    found: list[ddl.Action] = []
    for part in walk(node):
        kind = kind_of(part)
        if kind in _WRITES:
            found.append(_write(source, kind, part[kind]))
        elif kind == "SelectStmt" and "intoClause" in part[kind]:
            relation = part[kind]["intoClause"]["rel"]
            found.append(
                ddl.CreateTable(
                    span=source.whole,
                    table=source.range_var(relation),
                    from_query=True,
                    persistence=persistence(relation),
                )
            )
        elif kind == "FuncCall":
            found += set_config(source, part[kind])
    return found or [ddl.Query(span=source.whole, locking=_locking(node))]


def set_config(source: Source, body: Node) -> list[ddl.Action]:
    """``set_config('name', 'value', local)`` as the SET it stands for."""
    if function_name(body) != "set_config" or len(body.get("args", ())) != 3:
        return []
    values: list[str | None] = []
    for argument in body["args"]:
        try:
            values.append(literal(argument))
        except NotLiteral:
            values.append("")
    name, value, local = values
    return [
        ddl.SetVariable(span=source.whole, name=(name or "").lower(), value=value, local=local in ("true", "t", "on"))
    ]


def _locking(node: Node) -> str:
    body = node.get("SelectStmt", {})
    strengths = {"LCS_FORUPDATE": "update", "LCS_FORNOKEYUPDATE": "no key update", "LCS_FORSHARE": "share",
                 "LCS_FORKEYSHARE": "key share"}  # fmt: skip
    for clause in body.get("lockingClause", ()):
        return strengths.get(clause.get("LockingClause", {}).get("strength", ""), "")
    return ""


def _write(source: Source, kind: str, body: Node) -> ddl.Action:
    table = source.range_var(body["relation"])
    common: dict[str, Any] = {"span": source.whole, "table": table}
    if kind == "InsertStmt":
        return _insert(source, body, common)
    if kind == "MergeStmt":
        return ddl.Merge(**common)
    where = _where(source, table) if "whereClause" in body else None
    if kind == "DeleteStmt":
        return ddl.Delete(**common, where=where)
    columns = tuple(t["ResTarget"].get("name", "") for t in body.get("targetList", ()) if "ResTarget" in t)
    return ddl.Update(**common, columns=columns, where=where)


def _where(source: Source, table: Name) -> str:
    start = 0 if source.fixed is not None else table.span.start - source.start
    at = source.after_word("where", start)
    return "" if at is None else source.piece(at, _AFTER_WHERE)


def _insert(source: Source, body: Node, common: dict[str, Any]) -> ddl.Action:
    select = body.get("selectStmt", {}).get("SelectStmt", {})
    values = select.get("valuesLists")
    conflict = body.get("onConflictClause", {})
    action: Any = {"ONCONFLICT_NOTHING": "nothing", "ONCONFLICT_UPDATE": "update"}.get(conflict.get("action", ""), "")
    elements = conflict.get("infer", {}).get("indexElems", ())
    return ddl.Insert(
        **common,
        columns=tuple(c["ResTarget"]["name"] for c in body.get("cols", ())),
        rows=len(values) if values is not None else 1 if not select else None,
        sources=tuple(relations(source, select)) if values is None else (),
        on_conflict=action,
        conflict_columns=tuple(e["IndexElem"].get("name", "") for e in elements),
        limited="limitCount" in select,
        where=_where(source, common["table"]) if "whereClause" in select else None,
    )


def copy(source: Source, body: Node) -> list[ddl.Action]:
    """COPY of a table or a query."""
    direction: Any = "from" if body.get("is_from") else "to"
    table = source.range_var(body["relation"]) if "relation" in body else None
    inner = query(source, body["query"]) if "query" in body else []
    return [
        ddl.Copy(span=source.whole, table=table, direction=direction),
        *(a for a in inner if type(a) is not ddl.Query),
    ]


def relations(source: Source, node: object) -> list[Name]:
    """All relations named below a node but those of WITH, each once."""
    with_names: set[str] = set()
    found: list[Name] = []
    for part in walk(node):
        kind = kind_of(part)
        if kind == "CommonTableExpr":
            with_names.add(part[kind].get("ctename", ""))
        elif kind == "RangeVar":
            found.append(source.range_var(part[kind]))
    seen: set[str] = set()
    return [
        n
        for n in found
        if not (n.schema is None and n.name in with_names) and str(n) not in seen and not seen.add(str(n))  # type: ignore[func-returns-value]
    ]


def functions(node: object) -> list[str]:
    """All functions called below a node."""
    return list(dict.fromkeys(function_name(p["FuncCall"]) for p in walk(node) if "FuncCall" in p))


def explain(source: Source, body: Node) -> list[ddl.Action]:
    """EXPLAIN runs its statement with ANALYZE only."""
    inner = body.get("query", {})
    options = {o["DefElem"].get("defname"): value_text(o["DefElem"].get("arg", {})) for o in body.get("options", ())}
    runs = "analyze" in options and options["analyze"].lower() not in ("false", "off", "0")
    if runs and any(kind in inner for kind in (*_WRITES, "SelectStmt")):
        return query(source, inner)
    return [ddl.Query(span=source.whole)]


def plain(names: list[Node]) -> str:
    """The last part of a list of strings."""
    parts = strings(names)
    return parts[-1] if parts else ""


def first_child(node: Node) -> Node:
    """The first tagged node inside."""
    return next(iter(children(node)), {})
