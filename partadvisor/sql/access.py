"""Access patterns: for every table a statement touches, under which condition, in which role, and what it writes."""

from __future__ import annotations

from typing import Any, Literal

from partadvisor.model.workload import AccessPattern, AllOf, Condition, TableAccess
from partadvisor.sql.constancy import Executions
from partadvisor.sql.domains import finish
from partadvisor.sql.lex import tokens
from partadvisor.sql.names import SchemaNames
from partadvisor.sql.parse import Node, Unparsed, parse_one
from partadvisor.sql.queries import pull_up, select
from partadvisor.sql.scope import Domain, Level, Ordering, Output, Reference, State
from partadvisor.sql.sources import add_table
from partadvisor.sql.tree import calls, function_name, kind_of
from partadvisor.sql.volatility import is_own
from partadvisor.sql.writes import modify

Kind = Literal["select", "insert", "update", "delete", "merge", "copy", "other"]
_KINDS: dict[str, Kind] = {
    "SelectStmt": "select",
    "InsertStmt": "insert",
    "UpdateStmt": "update",
    "DeleteStmt": "delete",
    "MergeStmt": "merge",
}
_UTILITY_WORDS = frozenset(
    [
        "abort",
        "alter",
        "analyze",
        "begin",
        "checkpoint",
        "close",
        "cluster",
        "comment",
        "commit",
        "create",
        "deallocate",
        "discard",
        "drop",
        "end",
        "fetch",
        "grant",
        "import",
        "listen",
        "load",
        "lock",
        "move",
        "notify",
        "prepare",
        "reassign",
        "refresh",
        "reindex",
        "release",
        "reset",
        "revoke",
        "rollback",
        "savepoint",
        "security",
        "set",
        "show",
        "start",
        "truncate",
        "unlisten",
        "vacuum",
    ]
)
_OTHER = AccessPattern(kind="other")
_UNORDERED = Ordering()


def access_pattern(
    text: str, schema: SchemaNames, *, repeated: bool = False, executions: Executions = ()
) -> AccessPattern | Unparsed:
    """What one statement does to tables. One that touches none (BEGIN, SET, DDL) is ``other`` without tables.

    Args:
        text: one statement, as written or as pg_stat_statements prints it.
        schema: what names mean.
        repeated: the counters say more rows than the one VALUES row of the text: it stands for several, whose
            number is then unknown here.
        executions: values of the parameters in some executions, for what several VALUES rows have in common.
    """
    tree = parse_one(text)
    if isinstance(tree, Unparsed):
        # pg_stat_statements prints some utility statements in a form no grammar takes (SAVEPOINT $1)
        return _OTHER if first_word(text) in _UTILITY_WORDS and tree.line is not None else tree
    kind = kind_of(tree)
    if kind == "ExecuteStmt":
        return Unparsed("EXECUTE of a prepared statement: its text is not in the statement")
    if kind in {"CallStmt", "DoStmt"}:
        return Unparsed("the statements inside a procedure are not in its text")
    try:
        return _pattern(tree, kind, text, State(schema, _query, pull_up, repeated, executions))
    except RecursionError:
        return Unparsed("the statement nests too deeply")


def first_word(text: str) -> str:
    """The statement's first word in lower case, after comments."""
    for token in tokens(text):
        if token.kind == "word":
            return text[token.start : token.end].lower()
        if token.kind not in {"space", "comment"}:
            return ""
    return ""


def _pattern(tree: Node, kind: str, text: str, state: State) -> AccessPattern | Unparsed:
    level = Level(state, Domain(), text=text.encode())
    if kind == "CopyStmt":
        _copy(level, tree[kind])
    else:
        inner = _inner(tree, kind)
        if inner is None:
            return _OTHER
        _query(level, inner)
        kind = kind_of(inner) if kind in {"DeclareCursorStmt", "PrepareStmt"} else kind
    _settle(state)
    if not state.references:
        called = [c for c in calls(tree) if is_own(c)]
        if called:
            return Unparsed(f"the statements inside function {function_name(called[0])} are not in the text")
    return AccessPattern(
        kind="copy" if kind == "CopyStmt" else _KINDS.get(kind, "other"),
        tables=tuple(_frozen(r) for r in state.references),
        notes=tuple(state.notes),
    )


def _query(parent: Level, node: Node) -> Output:
    """Analyse a query below ``parent``: SELECT, VALUES, set operation, or a statement that changes data."""
    if "SelectStmt" in node:
        return select(parent.below(), node["SelectStmt"])
    return modify(parent.below(), node)


def _inner(tree: Node, kind: str) -> Node | None:
    """The query a statement runs, None for those that run none.

    A prepared statement that is executed is counted under its PREPARE text.
    """
    if kind in _KINDS:
        return tree
    if kind in {"DeclareCursorStmt", "CreateTableAsStmt", "PrepareStmt"}:
        inner: Node = tree[kind]["query"]
        return inner if kind_of(inner) in _KINDS else None
    return None


def _copy(level: Level, body: Node) -> None:
    if "query" in body:
        _query(level, body["query"])
        return
    loads = bool(body.get("is_from"))
    reference = add_table(level, body["relation"], "insert" if loads else "copy")
    if reference is not None and loads:
        named = tuple(n["String"]["sval"] for n in body.get("attlist", ()))
        reference.written["columns"] = named or (reference.columns or ())
    if reference is not None and not loads:
        reference.role = "read"
    level.state.domains.append(level.domain)


def _settle(state: State) -> None:
    """Outer queries first: what they demand sinks into the inner ones."""
    classes = {domain: finish(domain) for domain in reversed(state.domains)}
    for later in state.later:
        if later.domain in classes:
            later.settle(classes[later.domain])


def _frozen(reference: Reference) -> TableAccess:
    written: dict[str, Any] = dict(reference.written)
    ordering = reference.ordering or _UNORDERED
    return TableAccess(
        table=reference.table or "",
        alias=reference.alias,
        role=reference.role,
        condition=AllOf(parts=tuple(_flat(reference.conditions))),
        joins=tuple(reference.joins),
        order_by=ordering.order_by,
        order_complete=ordering.order_complete,
        limited=ordering.limited,
        limit_rows=ordering.limit_rows,
        grouped=ordering.grouped,
        locks_rows=reference.locks_rows,
        **written,
    )


def _flat(conditions: list[Condition]) -> list[Condition]:
    found: list[Condition] = []
    for one in conditions:
        found += _flat(list(one.parts)) if isinstance(one, AllOf) else [one]
    return list(dict.fromkeys(found))
