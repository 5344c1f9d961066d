"""ALTER TABLE and ALTER INDEX: one action a command."""

from __future__ import annotations

from typing import Any

from partadvisor.model import ddl
from partadvisor.model.ddl_parts import Name, Span
from partadvisor.sql.ddl.expressions import NotLiteral, literal
from partadvisor.sql.ddl.source import Source, leftmost
from partadvisor.sql.ddl.tables import bound, column, constraint, modifiers
from partadvisor.sql.parse import Node
from partadvisor.sql.tree import kind_of, strings, type_name

_COLUMN: dict[str, Any] = {
    "AT_SetNotNull": "set not null",
    "AT_DropNotNull": "drop not null",
    "AT_ColumnDefault": "set default",
    "AT_AddIdentity": "add identity",
    "AT_SetIdentity": "set identity",
    "AT_DropIdentity": "drop identity",
    "AT_SetExpression": "set expression",
    "AT_DropExpression": "drop expression",
    "AT_SetStatistics": "set statistics",
    "AT_SetStorage": "set storage",
    "AT_SetCompression": "set compression",
    "AT_SetOptions": "set options",
    "AT_ResetOptions": "reset options",
}
_OTHER: dict[str, Any] = {
    "AT_AlterConstraint": "alter constraint",
    "AT_SetRelOptions": "set options",
    "AT_ResetRelOptions": "reset options",
    "AT_ReplaceRelOptions": "set options",
    "AT_SetTableSpace": "set tablespace",
    "AT_SetLogged": "set logged",
    "AT_SetUnLogged": "set unlogged",
    "AT_SetAccessMethod": "set access method",
    "AT_EnableRowSecurity": "enable row security",
    "AT_DisableRowSecurity": "disable row security",
    "AT_ForceRowSecurity": "force row security",
    "AT_NoForceRowSecurity": "no force row security",
    "AT_ReplicaIdentity": "replica identity",
    "AT_AddInherit": "inherit",
    "AT_DropInherit": "no inherit",
    "AT_ClusterOn": "cluster on",
    "AT_DropCluster": "set without cluster",
    "AT_EnableTrig": "enable trigger",
    "AT_EnableTrigAll": "enable trigger",
    "AT_EnableTrigUser": "enable trigger",
    "AT_EnableAlwaysTrig": "enable trigger",
    "AT_EnableReplicaTrig": "enable trigger",
    "AT_DisableTrig": "disable trigger",
    "AT_DisableTrigAll": "disable trigger",
    "AT_DisableTrigUser": "disable trigger",
    "AT_EnableRule": "enable rule",
    "AT_EnableAlwaysRule": "enable rule",
    "AT_EnableReplicaRule": "enable rule",
    "AT_DisableRule": "disable rule",
    "AT_ChangeOwner": "owner",
    "AT_AddOf": "of type",
    "AT_DropOf": "not of",
    "AT_DropOids": "set without oids",
    "AT_GenericOptions": "foreign options",
}


def alter_table(source: Source, body: Node) -> list[ddl.Action]:
    """The commands of ALTER TABLE, ALTER INDEX, ALTER VIEW …."""
    relation = source.range_var(body["relation"])
    commands = [c["AlterTableCmd"] for c in body.get("cmds", ())]
    spans = _command_spans(source, relation, len(commands))
    kind = body.get("objtype", "OBJECT_TABLE")
    if kind == "OBJECT_INDEX":
        return [_index_command(source, relation, c, s) for c, s in zip(commands, spans, strict=True)]
    if kind not in ("OBJECT_TABLE", "OBJECT_FOREIGN_TABLE"):
        what = ", ".join(_COLUMN.get(c["subtype"]) or _OTHER.get(c["subtype"], "other") for c in commands)
        name = kind.removeprefix("OBJECT_").lower().replace("matview", "materialized view")
        return [ddl.AlterOther(span=source.whole, kind=name, name=relation, what=what)]
    only = not body["relation"].get("inh", False)
    common = {"table": relation, "only": only, "if_exists": bool(body.get("missing_ok"))}
    return [_command(source, c, {**common, "span": s}) for c, s in zip(commands, spans, strict=True)]


def _command_spans(source: Source, relation: Name, count: int) -> list[Span]:
    """The pieces after the table's name, one a command; the statement's place when they cannot be told apart."""
    if source.fixed is None:
        begin = relation.span.end - source.start
        at = source.index_at(begin)
        if at < len(source.toks) and source.toks[at].word == "*":
            begin = source.toks[at].end
        found = list(source.parts(begin))
        if len(found) == count:
            return [source.span(a, b) for a, b in found]
    return [source.whole] * count


def _index_command(source: Source, index: Name, body: Node, span: Span) -> ddl.Action:
    if body["subtype"] == "AT_AttachPartition":
        return ddl.AttachIndex(span=span, parent=index, index=source.range_var(body["def"]["PartitionCmd"]["name"]))
    return ddl.AlterIndex(span=span, index=index, what=_OTHER.get(body["subtype"], "other"))


def _command(source: Source, body: Node, common: dict[str, Any]) -> ddl.Action:
    subtype, name = body.get("subtype", ""), body.get("name", "")
    cascade = body.get("behavior") == "DROP_CASCADE"
    definition = body.get("def", {})
    match subtype:
        case "AT_AttachPartition":
            part = definition["PartitionCmd"]
            return ddl.AttachPartition(
                **common, partition=source.range_var(part["name"]), bound=bound(source, part["bound"])
            )
        case "AT_DetachPartition" | "AT_DetachPartitionFinalize":
            part = definition["PartitionCmd"]
            return ddl.DetachPartition(
                **common,
                partition=source.range_var(part["name"]),
                concurrently=bool(part.get("concurrent")),
                finalize=subtype.endswith("Finalize"),
            )
        case "AT_AddColumn":
            added = column(source, definition["ColumnDef"])
            return ddl.AddColumn(**common, column=added, if_not_exists=bool(body.get("missing_ok")))
        case "AT_DropColumn":
            return ddl.DropColumn(**common, column=name, cascade=cascade)
        case "AT_AlterColumnType":
            return _type(source, definition["ColumnDef"], name, common)
        case "AT_AddConstraint":
            added_constraint = constraint(source, definition["Constraint"])
            if added_constraint is not None:
                return ddl.AddConstraint(**common, constraint=added_constraint)
        case "AT_ValidateConstraint":
            return ddl.ValidateConstraint(**common, constraint=name)
        case "AT_DropConstraint":
            return ddl.DropConstraint(**common, constraint=name, cascade=cascade)
    if subtype in _COLUMN:
        return _column_command(source, body, common)
    return _other(source, body, common)


def _type(source: Source, body: Node, name: str, common: dict[str, Any]) -> ddl.Action:
    kind = body["typeName"]
    using = source.after_word("using", common["span"].start - source.start) if source.fixed is None else None
    text = source.piece(using) if using is not None and "raw_default" in body else None
    if text is None and "raw_default" in body:
        text = source.piece(source.char(max(0, leftmost(body["raw_default"]))))
    return ddl.AlterColumnType(**common, column=name, type=type_name(kind), type_modifiers=modifiers(kind), using=text)


def _column_command(source: Source, body: Node, common: dict[str, Any]) -> ddl.Action:
    what, definition = _COLUMN[body["subtype"]], body.get("def")
    value = None
    if what == "set default" and definition is None:
        what = "drop default"
    elif what == "set default" and definition is not None:
        value = source.piece(source.char(max(0, leftmost(definition))))
    elif definition is not None and kind_of(definition) in ("Integer", "String"):
        inner = definition[kind_of(definition)]
        value = str(inner.get("ival", inner.get("sval", "")))
    return ddl.AlterColumn(**common, column=body.get("name", ""), what=what, value=value)


def _other(source: Source, body: Node, common: dict[str, Any]) -> ddl.Action:
    definition = body.get("def", {})
    kind = kind_of(definition)
    inner = definition.get(kind, {}) if kind else {}
    names = [body["name"]] if body.get("name") else []
    if kind == "ReplicaIdentityStmt":
        words = {"d": "default", "n": "nothing", "f": "full"}
        names = [words.get(inner.get("identity_type", ""), inner.get("name", ""))]
    elif kind == "Constraint":
        names = [inner.get("conname", "")]
    elif "newowner" in body:
        names = [body["newowner"].get("rolename", body["newowner"].get("roletype", ""))]
    items = inner.get("items", ()) if kind == "List" else ()
    return ddl.AlterTableOther(
        **common,
        what=_OTHER.get(body.get("subtype", ""), "other"),
        names=tuple(names),
        options=tuple(_option(i["DefElem"]) for i in items if "DefElem" in i),
        parent=source.range_var(inner) if kind == "RangeVar" else None,
    )


def _option(body: Node) -> tuple[str, str]:
    prefix = f"{body['defnamespace']}." if body.get("defnamespace") else ""
    return f"{prefix}{body.get('defname', '')}", value_text(body.get("arg", {}))


def value_text(node: Node) -> str:
    """The value of an option: a number, a word or a string."""
    kind = kind_of(node)
    inner = node.get(kind, {})
    if kind == "TypeName":
        return ".".join(strings(inner.get("names")))
    if kind in ("Integer", "Float", "String", "Boolean"):
        return str(next(iter(inner.values()), 0 if kind == "Integer" else ""))
    try:
        return literal(node) or ""
    except NotLiteral:
        return ""
