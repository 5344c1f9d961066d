"""The statements that are neither tables' definitions nor queries: indexes, DROP, settings, transactions, routines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from partadvisor.model import ddl
from partadvisor.model.ddl_parts import Name, Span
from partadvisor.sql.ddl.alter import value_text
from partadvisor.sql.ddl.queries import plain, relations
from partadvisor.sql.ddl.source import Source
from partadvisor.sql.ddl.tables import name_of_list
from partadvisor.sql.parse import Node
from partadvisor.sql.tree import function_name, strings

_MODES: tuple[ddl.LockMode, ...] = (
    "ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE",
    "EXCLUSIVE", "ACCESS EXCLUSIVE",
)  # fmt: skip
_TRANSACTION: dict[str, Any] = {
    "TRANS_STMT_BEGIN": "begin",
    "TRANS_STMT_START": "begin",
    "TRANS_STMT_COMMIT": "commit",
    "TRANS_STMT_ROLLBACK": "rollback",
    "TRANS_STMT_SAVEPOINT": "savepoint",
    "TRANS_STMT_RELEASE": "release",
    "TRANS_STMT_ROLLBACK_TO": "rollback to",
    "TRANS_STMT_PREPARE": "prepare",
}
_EVENTS = ((4, "insert"), (8, "delete"), (16, "update"), (32, "truncate"))


def object_kind(tag: str) -> str:
    """``OBJECT_FOREIGN_TABLE`` as ``foreign table``."""
    return (
        tag.removeprefix("OBJECT_")
        .lower()
        .replace("matview", "materialized view")
        .replace("_", " ")
        .replace("tabconstraint", "constraint")
    )


def create_index(source: Source, body: Node) -> list[ddl.Action]:
    """CREATE INDEX."""
    where = source.after_word("where") if "whereClause" in body else None
    return [
        ddl.CreateIndex(
            span=source.whole,
            table=source.range_var(body["relation"]),
            index=body.get("idxname"),
            columns=tuple(p["IndexElem"].get("name") for p in body.get("indexParams", ())),
            parts=tuple(_part(p["IndexElem"]) for p in body.get("indexParams", ())),
            included=tuple(p["IndexElem"].get("name", "") for p in body.get("indexIncludingParams", ())),
            unique=bool(body.get("unique")),
            concurrently=bool(body.get("concurrent")),
            only=not body["relation"].get("inh", False),
            if_not_exists=bool(body.get("if_not_exists")),
            method=body.get("accessMethod", "btree"),
            where=source.piece(where) if where is not None else None,
        )
    ]


def _part(element: Node) -> str:
    """A column, the function of an expression, or ``expr``: what the server makes a name of."""
    expression = element.get("expr", {})
    while "TypeCast" in expression or "CollateClause" in expression:
        expression = next(iter(expression.values())).get("arg", {})
    return element.get("name") or function_name(expression.get("FuncCall", {})) or "expr"


def drop(source: Source, body: Node) -> list[ddl.Action]:
    """DROP of one kind of object."""
    kind = object_kind(body.get("removeType", ""))
    names: list[Name] = []
    parts: list[str] = []
    after = 0
    for item in body.get("objects", ()):
        if kind in ("trigger", "policy", "rule"):
            *table, part = strings(item.get("List", {}).get("items"))
            parts.append(part)
            names.append(source.find_name(table, after))
        else:
            names.append(name_of_list(source, item, after))
        if source.fixed is None and names[-1].span != source.whole:
            after = names[-1].span.end - source.start
    return [
        ddl.Drop(
            span=source.whole,
            kind=kind,
            names=tuple(names),
            parts=tuple(parts),
            cascade=body.get("behavior") == "DROP_CASCADE",
            concurrently=bool(body.get("concurrent")),
            if_exists=bool(body.get("missing_ok")),
        )
    ]


def rename(source: Source, body: Node) -> list[ddl.Action]:
    """ALTER … RENAME."""
    kind = object_kind(body.get("renameType", ""))
    table = source.range_var(body["relation"]) if "relation" in body else None
    if table is None and "object" in body:
        table = name_of_list(source, body["object"])
    old = body.get("subname") or (table.name if table else "")
    return [ddl.Rename(span=source.whole, kind=kind, table=table, old=old, new=body.get("newname", ""))]


def set_schema(source: Source, body: Node) -> list[ddl.Action]:
    """ALTER … SET SCHEMA."""
    name = source.range_var(body["relation"]) if "relation" in body else name_of_list(source, body.get("object", {}))
    kind = object_kind(body.get("objectType", ""))
    return [ddl.SetSchema(span=source.whole, kind=kind, name=name, schema=body.get("newschema", ""))]


def _variables(source: Source, nodes: list[Node]) -> tuple[Name, ...]:
    return tuple(source.range_var(n["RangeVar"]) for n in nodes if "RangeVar" in n)


def truncate(source: Source, body: Node) -> list[ddl.Action]:
    """TRUNCATE."""
    nodes = body.get("relations", [])
    only = tuple(not n.get("RangeVar", {}).get("inh", False) for n in nodes)
    cascade = body.get("behavior") == "DROP_CASCADE"
    return [ddl.Truncate(span=source.whole, tables=_variables(source, nodes), only=only, cascade=cascade)]


def lock(source: Source, body: Node) -> list[ddl.Action]:
    """LOCK TABLE."""
    mode = _MODES[max(1, min(8, body.get("mode", 8))) - 1]
    tables = _variables(source, body.get("relations", []))
    return [ddl.LockTable(span=source.whole, tables=tables, mode=mode, nowait=bool(body.get("nowait")))]


def _options(nodes: list[Node]) -> dict[str, str]:
    found = {}
    for node in nodes:
        body = node.get("DefElem", {})
        found[body.get("defname", "")] = value_text(body["arg"]) if "arg" in body else "true"
    return found


def vacuum(source: Source, body: Node) -> list[ddl.Action]:
    """VACUUM and ANALYZE."""
    options = _options(body.get("options", []))
    tables = [
        r["VacuumRelation"]["relation"] for r in body.get("rels", ()) if "relation" in r.get("VacuumRelation", {})
    ]
    return [
        ddl.Maintain(
            span=source.whole,
            command="vacuum" if body.get("is_vacuumcmd") else "analyze",
            names=tuple(source.range_var(t) for t in tables),
            full=_on(options, "full"),
            options=tuple(sorted(options)),
        )
    ]


def _on(options: dict[str, str], name: str) -> bool:
    return name in options and options[name].lower() not in ("false", "off", "0")


def reindex(source: Source, body: Node) -> list[ddl.Action]:
    """REINDEX."""
    options = _options(body.get("params", []))
    return [
        ddl.Maintain(
            span=source.whole,
            command="reindex",
            kind=body.get("kind", "").removeprefix("REINDEX_OBJECT_").lower(),
            names=(source.range_var(body["relation"]),) if "relation" in body else (),
            concurrently=_on(options, "concurrently"),
            options=tuple(sorted(options)),
        )
    ]


def cluster(source: Source, body: Node) -> list[ddl.Action]:
    """CLUSTER."""
    names = (source.range_var(body["relation"]),) if "relation" in body else ()
    return [ddl.Maintain(span=source.whole, command="cluster", names=names)]


def refresh(source: Source, body: Node) -> list[ddl.Action]:
    """REFRESH MATERIALIZED VIEW."""
    names = (source.range_var(body["relation"]),)
    concurrently = bool(body.get("concurrent"))
    return [
        ddl.Maintain(span=source.whole, command="refresh materialized view", names=names, concurrently=concurrently)
    ]


def trigger(source: Source, body: Node) -> list[ddl.Action]:
    """CREATE TRIGGER."""
    bits, timing = body.get("events", 0), body.get("timing", 0)
    return [
        ddl.CreateTrigger(
            span=source.whole,
            table=source.range_var(body["relation"]),
            trigger=body.get("trigname", ""),
            timing="before" if timing & 2 else "instead" if timing & 64 else "after",
            events=tuple(name for bit, name in _EVENTS if bits & bit),
            row=bool(body.get("row")),
            function=plain(body.get("funcname", [])),
            constraint=bool(body.get("isconstraint")),
            references=source.range_var(body["constrrel"]) if "constrrel" in body else None,
            transition_tables="transitionRels" in body,
        )
    ]


def set_variable(source: Source, body: Node) -> list[ddl.Action]:
    """SET and RESET; SET TRANSACTION and the like set nothing that reviewing knows."""
    kind = body.get("kind", "")
    local = bool(body.get("is_local"))
    name = "all" if kind == "VAR_RESET_ALL" else body.get("name", "").lower()
    values = tuple(value_text(a) for a in body.get("args", ()))
    if kind == "VAR_SET_VALUE":
        return [
            ddl.SetVariable(span=source.whole, name=name, value=values[0] if values else "", values=values, local=local)
        ]
    if kind in ("VAR_SET_DEFAULT", "VAR_RESET", "VAR_RESET_ALL"):
        return [ddl.SetVariable(span=source.whole, name=name, value=None, local=local)]
    return [ddl.Other(span=source.whole, kind="VariableSetStmt")]


def discard(source: Source, body: Node) -> list[ddl.Action]:
    """DISCARD ALL resets the settings."""
    if body.get("target", "DISCARD_ALL") == "DISCARD_ALL":
        return [ddl.SetVariable(span=source.whole, name="all", value=None)]
    return [ddl.Other(span=source.whole, kind="DiscardStmt")]


def transaction(source: Source, body: Node) -> list[ddl.Action]:
    """BEGIN, COMMIT, ROLLBACK, savepoints."""
    return [
        ddl.Transaction(
            span=source.whole,
            what=_TRANSACTION.get(body.get("kind", ""), "other"),
            savepoint=body.get("savepoint_name", ""),
            chain=bool(body.get("chain")),
        )
    ]


def _body(source: Source, nodes: list[Node]) -> tuple[str | None, str, Span | None]:
    """Text of a routine between its quotes, its language, and where it stands if it stands there as it is."""
    text, language = None, ""
    for node in nodes:
        element = node.get("DefElem", {})
        argument = element.get("arg", {})
        if element.get("defname") == "as":
            items = argument.get("List", {}).get("items", [argument])
            text = "".join(strings(items[-1:]))
        elif element.get("defname") == "language":
            language = "".join(strings([argument])).lower()
    return text, language, _place_of(source, text) if text else None


def _place_of(source: Source, text: str) -> Span | None:
    if source.fixed is not None:
        return None
    for token in reversed(source.toks):
        piece = source.text[token.start : token.end]
        opening = piece[: piece.find("$", 1) + 1] if piece.startswith("$") else piece[:1]
        if piece == f"{opening}{text}{opening}" and opening:
            return source.span(token.start + len(opening), token.end - len(opening))
    return None


def do_block(source: Source, body: Node) -> list[ddl.Action]:
    """DO."""
    text, language, place = _body(source, body.get("args", []))
    return [ddl.DoBlock(span=source.whole, language=language or "plpgsql", body=text or "", body_span=place)]


def routine(source: Source, body: Node) -> list[ddl.Action]:
    """CREATE FUNCTION and PROCEDURE."""
    nodes = body.get("options", [])
    text, language, place = _body(source, nodes)
    sets = [
        n["DefElem"]["arg"].get("VariableSetStmt", {}) for n in nodes if n.get("DefElem", {}).get("defname") == "set"
    ]
    names = strings(body.get("funcname"))
    return [
        ddl.CreateRoutine(
            span=source.whole,
            name=source.find_name(names),
            kind="procedure" if body.get("is_procedure") else "function",
            language=language,
            body=text,
            body_span=place,
            settings=tuple((s.get("name", ""), ", ".join(value_text(a) for a in s.get("args", ()))) for s in sets),
        )
    ]


def call(source: Source, body: Node) -> list[ddl.Action]:
    """CALL."""
    return [ddl.Call(span=source.whole, procedure=plain(body.get("funccall", {}).get("funcname", [])))]


def grant(source: Source, body: Node) -> list[ddl.Action]:
    """GRANT and REVOKE."""
    tables = _variables(source, body.get("objects", []))
    return [ddl.Grant(span=source.whole, tables=tables, revoke=not body.get("is_grant", False))]


def comment(source: Source, body: Node) -> list[ddl.Action]:
    """COMMENT ON."""
    kind = object_kind(body.get("objtype", ""))
    node = body.get("object", {})
    name = None
    if kind in ("table", "index", "view", "sequence", "materialized view", "foreign table", "column"):
        items = list(strings(node.get("List", {}).get("items")))
        name = source.find_name(items[:-1] if kind == "column" else items)
    elif kind in ("constraint", "trigger", "policy", "rule"):
        name = source.find_name(list(strings(node.get("List", {}).get("items")))[:-1])
    return [ddl.Comment(span=source.whole, kind=kind, name=name)]


def publication(source: Source, body: Node) -> list[ddl.Action]:
    """CREATE and ALTER PUBLICATION."""
    objects = [o.get("PublicationObjSpec", {}) for o in body.get("pubobjects", ())]
    tables = tuple(source.range_var(o["pubtable"]["relation"]) for o in objects if "pubtable" in o)
    name = source.find_name([body.get("pubname", "")])
    if "action" in body or ("for_all_tables" not in body and source.toks[:1] and source.toks[0].word == "alter"):
        what = body.get("action", "AP_AddObjects").removeprefix("AP_")
        return [ddl.AlterOther(span=source.whole, kind="publication", name=name, what=what.lower(), tables=tables)]
    return [ddl.CreateOther(span=source.whole, kind="publication", name=name, tables=tables)]


def view(source: Source, body: Node) -> list[ddl.Action]:
    """CREATE VIEW."""
    name, read = source.range_var(body["view"]), tuple(relations(source, body.get("query", {})))
    return [ddl.CreateOther(span=source.whole, kind="view", name=name, tables=read, replace=bool(body.get("replace")))]


def create_as(source: Source, body: Node) -> list[ddl.Action]:
    """CREATE TABLE AS and CREATE MATERIALIZED VIEW."""
    relation = body["into"]["rel"]
    name, exists = source.range_var(relation), bool(body.get("if_not_exists"))
    if body.get("objtype") == "OBJECT_MATVIEW":
        read = tuple(relations(source, body.get("query", {})))
        kind = "materialized view"
        return [ddl.CreateOther(span=source.whole, kind=kind, name=name, tables=read, if_not_exists=exists)]
    stays: Any = {"t": "temporary", "u": "unlogged"}.get(relation.get("relpersistence", "p"), "permanent")
    return [ddl.CreateTable(span=source.whole, table=name, from_query=True, persistence=stays, if_not_exists=exists)]


def sequence(source: Source, body: Node) -> list[ddl.Action]:
    """CREATE and ALTER SEQUENCE; the table of OWNED BY is in ``tables``."""
    name = source.range_var(body["sequence"])
    owners: tuple[Name, ...] = ()
    for node in body.get("options", ()):
        if node.get("DefElem", {}).get("defname") == "owned_by":
            parts = strings(node["DefElem"]["arg"].get("List", {}).get("items"))
            owners = (source.find_name(parts[:-1]),) if len(parts) > 1 else ()
    if source.toks[:1] and source.toks[0].word == "alter":
        what = "owned by" if owners else ""
        given = [n["DefElem"] for n in body.get("options", ()) if "DefElem" in n]
        options = tuple((d.get("defname", ""), value_text(d.get("arg", {}))) for d in given)
        return [
            ddl.AlterOther(span=source.whole, kind="sequence", name=name, what=what, tables=owners, options=options)
        ]
    return [ddl.CreateOther(span=source.whole, kind="sequence", name=name, tables=owners)]


def policy(source: Source, body: Node) -> list[ddl.Action]:
    """CREATE and ALTER POLICY; the name is the policy's."""
    tables = (source.range_var(body["table"]),)
    name = source.find_name([body.get("policy_name", "")])
    if source.toks[:1] and source.toks[0].word == "alter":
        return [ddl.AlterOther(span=source.whole, kind="policy", name=name, tables=tables)]
    return [ddl.CreateOther(span=source.whole, kind="policy", name=name, tables=tables)]


def rule(source: Source, body: Node) -> list[ddl.Action]:
    """CREATE RULE."""
    tables = (source.range_var(body["relation"]),)
    name = source.find_name([body.get("rulename", "")])
    return [
        ddl.CreateOther(span=source.whole, kind="rule", name=name, tables=tables, replace=bool(body.get("replace")))
    ]


def statistics(source: Source, body: Node) -> list[ddl.Action]:
    """CREATE STATISTICS."""
    tables = tuple(source.range_var(r["RangeVar"]) for r in body.get("relations", ()) if "RangeVar" in r)
    return [ddl.CreateOther(span=source.whole, kind="statistics", name=None, tables=tables)]


def alter_enum(source: Source, body: Node) -> list[ddl.Action]:
    """ALTER TYPE … ADD VALUE and RENAME VALUE."""
    what = "rename value" if "oldVal" in body else "add value"
    name = source.find_name(strings(body.get("typeName")))
    options = (("value", body.get("newVal", "")),)
    return [ddl.AlterOther(span=source.whole, kind="type", name=name, what=what, options=options)]


def _made(kind: str, field: str = "") -> Callable[[Source, Node], list[ddl.Action]]:
    def make(source: Source, body: Node) -> list[ddl.Action]:
        value = body.get(field)
        parts = strings(value) if isinstance(value, list) else (value,) if isinstance(value, str) else ()
        name = source.find_name(parts) if parts else None
        exists = bool(body.get("if_not_exists"))
        return [ddl.CreateOther(span=source.whole, kind=kind, name=name, if_not_exists=exists)]

    return make


OTHERS: dict[str, Callable[[Source, Node], list[ddl.Action]]] = {
    "IndexStmt": create_index,
    "DropStmt": drop,
    "RenameStmt": rename,
    "AlterObjectSchemaStmt": set_schema,
    "TruncateStmt": truncate,
    "LockStmt": lock,
    "VacuumStmt": vacuum,
    "ReindexStmt": reindex,
    "ClusterStmt": cluster,
    "RefreshMatViewStmt": refresh,
    "CreateTrigStmt": trigger,
    "VariableSetStmt": set_variable,
    "DiscardStmt": discard,
    "TransactionStmt": transaction,
    "DoStmt": do_block,
    "CreateFunctionStmt": routine,
    "CallStmt": call,
    "GrantStmt": grant,
    "CommentStmt": comment,
    "CreatePublicationStmt": publication,
    "AlterPublicationStmt": publication,
    "ViewStmt": view,
    "CreateTableAsStmt": create_as,
    "CreateSeqStmt": sequence,
    "AlterSeqStmt": sequence,
    "CreatePolicyStmt": policy,
    "AlterPolicyStmt": policy,
    "RuleStmt": rule,
    "CreateStatsStmt": statistics,
    "AlterEnumStmt": alter_enum,
    "CreateSchemaStmt": _made("schema", "schemaname"),
    "CreateExtensionStmt": _made("extension", "extname"),
    "CreateEnumStmt": _made("type", "typeName"),
    "CreateDomainStmt": _made("domain", "domainname"),
    "CreatedbStmt": _made("database", "dbname"),
    "CreateTableSpaceStmt": _made("tablespace", "tablespacename"),
    "CreateSubscriptionStmt": _made("subscription", "subname"),
    "CreateRoleStmt": _made("role", "role"),
    "CreateEventTrigStmt": _made("event trigger", "trigname"),
}
"""The grammar's name of a statement → its reader."""
