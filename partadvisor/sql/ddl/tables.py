"""CREATE TABLE: columns, constraints, partition keys and bounds."""

from __future__ import annotations

from typing import Any

from partadvisor.model import ddl
from partadvisor.model.ddl_parts import Bound, Column, Constraint, Name, PartitionBy
from partadvisor.sql.ddl.expressions import NotLiteral, check_expression, column_name, default_volatility, literal
from partadvisor.sql.ddl.source import Source, leftmost
from partadvisor.sql.parse import Node
from partadvisor.sql.tree import kind_of, strings, type_name, walk

_KINDS: dict[str, Any] = {
    "CONSTR_PRIMARY": "primary_key",
    "CONSTR_UNIQUE": "unique",
    "CONSTR_FOREIGN": "foreign_key",
    "CONSTR_CHECK": "check",
    "CONSTR_EXCLUSION": "exclusion",
    "CONSTR_NOTNULL": "not_null",
}
_ACTIONS = {"a": "NO ACTION", "r": "RESTRICT", "c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"}
_STRATEGIES: dict[str, Any] = {
    "PARTITION_STRATEGY_RANGE": "range",
    "PARTITION_STRATEGY_LIST": "list",
    "PARTITION_STRATEGY_HASH": "hash",
}
_LIKE = (
    "comments",
    "compression",
    "constraints",
    "defaults",
    "generated",
    "identity",
    "indexes",
    "statistics",
    "storage",
)
_SERIAL = {"serial": "integer", "serial4": "integer", "bigserial": "bigint", "serial8": "bigint",
           "smallserial": "smallint", "serial2": "smallint"}  # fmt: skip
_AFTER_BOUND = frozenset(("partition", "tablespace", "using"))
_AFTER_DEFAULT = frozenset(
    ("not", "null", "constraint", "check", "unique", "primary", "references", "generated", "collate", "deferrable",
     "initially", "enforced", "default")
)  # fmt: skip


def create_table(source: Source, body: Node) -> ddl.CreateTable:
    """CREATE TABLE, PARTITION OF and OF type included."""
    base = body.get("base", body)
    elements = base.get("tableElts", ())
    columns = [column(source, e["ColumnDef"]) for e in elements if "ColumnDef" in e]
    constraints = [c for e in elements if "Constraint" in e if (c := constraint(source, e["Constraint"]))]
    likes = [e["TableLikeClause"] for e in elements if "TableLikeClause" in e]
    parents = tuple(source.range_var(r["RangeVar"]) for r in base.get("inhRelations", ()))
    bounded = "partbound" in base
    relation = base["relation"]
    return ddl.CreateTable(
        span=source.whole,
        table=source.range_var(relation),
        columns=tuple(columns),
        constraints=tuple(constraints),
        partition_by=partition_by(source, base["partspec"]) if "partspec" in base else None,
        partition_of=parents[0] if bounded and parents else None,
        bound=bound(source, base["partbound"]) if bounded else None,
        inherits=() if bounded else parents,
        like=tuple(source.range_var(e["relation"]) for e in likes),
        like_options=tuple(dict.fromkeys(o for e in likes for o in like_options(e.get("options", 0)))),
        persistence=persistence(relation),
        if_not_exists=bool(base.get("if_not_exists")),
    )


def persistence(relation: Node) -> Any:
    """Of the relation that a RangeVar makes."""
    return {"t": "temporary", "u": "unlogged"}.get(relation.get("relpersistence", "p"), "permanent")


def like_options(bits: int) -> list[str]:
    """What LIKE copies besides names and types, from the tree's bits."""
    return [name for place, name in enumerate(_LIKE) if bits & (1 << place)]


def column(source: Source, body: Node) -> Column:
    """A column definition."""
    start = source.char(body.get("location", 0))
    name = body.get("colname", "")
    kind = body.get("typeName", {})
    written = strings(kind.get("names"))
    serial = _SERIAL.get(written[-1]) if written else None
    nodes = [c["Constraint"] for c in body.get("constraints", ()) if "Constraint" in c]
    found: dict[str, Node] = {n.get("contype", ""): n for n in nodes}
    own = [c for n in nodes if (c := constraint(source, n, name))]
    identity = found.get("CONSTR_IDENTITY")
    generated = found.get("CONSTR_GENERATED")
    default = found.get("CONSTR_DEFAULT")
    expression = default.get("raw_expr") if default else None
    return Column(
        name=name,
        type=serial or type_name(kind),
        type_modifiers=modifiers(kind),
        not_null=bool(serial or identity or found.keys() & {"CONSTR_NOTNULL", "CONSTR_PRIMARY"}),
        default=_default_text(source, default) if default and expression else None,
        default_volatility=default_volatility(expression) if expression else ("volatile" if serial else None),
        identity=_identity(identity),
        generated=_generated(generated),
        serial=serial is not None,
        constraints=_with_attributes(own, nodes),
        span=source.span(start, source.extent(start)),
    )


def _identity(node: Node | None) -> Any:
    return "" if node is None else "by_default" if node.get("generated_when") == "d" else "always"


def _generated(node: Node | None) -> Any:
    return "" if node is None else "virtual" if node.get("generated_kind") == "v" else "stored"


def _with_attributes(own: list[Constraint], nodes: list[Node]) -> tuple[Constraint, ...]:
    """DEFERRABLE and NOT ENFORCED after a column's constraint are nodes of their own."""
    kinds = {n.get("contype") for n in nodes}
    deferrable = "CONSTR_ATTR_DEFERRABLE" in kinds
    enforced = "CONSTR_ATTR_NOT_ENFORCED" not in kinds
    if not deferrable and enforced:
        return tuple(own)
    import msgspec

    return tuple(msgspec.structs.replace(c, deferrable=deferrable, enforced=enforced and c.enforced) for c in own)


def _default_text(source: Source, node: Node) -> str:
    keyword = source.char(node.get("location", 0))
    at = source.index_at(keyword) + 1
    if at >= len(source.toks):
        return ""
    return source.piece(source.toks[at].start, _AFTER_DEFAULT)


def modifiers(kind: Node) -> tuple[str, ...]:
    """Length, precision and scale of a type."""
    found = []
    for node in kind.get("typmods", ()):
        try:
            found.append(str(literal(node)))
        except NotLiteral:
            return ()
    return tuple(found)


def constraint(source: Source, body: Node, column_of: str | None = None) -> Constraint | None:
    """A constraint, of a column or of the table; None for what is none (DEFAULT, NULL, DEFERRABLE …)."""
    kind = _KINDS.get(body.get("contype", ""))
    if kind is None:
        return None
    start = source.char(body.get("location", 0))
    columns = strings(body.get("keys")) or strings(body.get("fk_attrs"))
    elements: list[Node] = [e["List"]["items"][0].get("IndexElem", {}) for e in body.get("exclusions", ())]
    columns = columns or tuple(e.get("name", "") for e in elements) or ((column_of,) if column_of else ())
    check = body.get("raw_expr") if kind == "check" else None
    if check:
        columns = tuple(dict.fromkeys(c for part in walk(check) if (c := column_name(part))))
    return Constraint(
        kind=kind,
        name=body.get("conname"),
        columns=columns,
        check=check_expression(check, _parenthesised(source, start)) if check else None,
        references=source.range_var(body["pktable"]) if "pktable" in body else None,
        referenced_columns=strings(body.get("pk_attrs")),
        on_delete=_ACTIONS.get(body.get("fk_del_action", "a"), "NO ACTION"),
        on_update=_ACTIONS.get(body.get("fk_upd_action", "a"), "NO ACTION"),
        using_index=body.get("indexname"),
        not_valid=bool(body.get("skip_validation")),
        enforced=kind not in ("check", "foreign_key") or bool(body.get("is_enforced")),
        deferrable=bool(body.get("deferrable")),
        no_inherit=bool(body.get("is_no_inherit")),
        span=source.span(start, source.extent(start)),
    )


def _parenthesised(source: Source, start: int) -> str:
    """The text inside of the first parentheses after ``start``."""
    for token in source.toks[source.index_at(start) :]:
        if token.word == "(":
            inner = source.index_at(token.end)
            return source.text[token.end : _closing(source, inner, token.depth)].strip()
    return ""


def _closing(source: Source, number: int, depth: int) -> int:
    for token in source.toks[number:]:
        if token.word == ")" and token.depth == depth:
            return token.start
    return len(source.text)


def partition_by(source: Source, body: Node) -> PartitionBy:
    """PARTITION BY."""
    elements = [p["PartitionElem"] for p in body.get("partParams", ())]
    expressions = [e for e in elements if "name" not in e]
    texts = [source.piece(source.char(leftmost(e.get("expr")))) for e in expressions]
    return PartitionBy(
        strategy=_STRATEGIES.get(body.get("strategy", ""), "range"),
        columns=tuple(e.get("name") for e in elements),
        expressions=tuple(texts),
    )


def bound(source: Source, body: Node) -> Bound:
    """FOR VALUES … or DEFAULT."""
    start = source.char(body.get("location", 0))
    text = f"FOR VALUES {source.text[start : source.extent(start, _AFTER_BOUND)]}"
    if body.get("is_default"):
        return Bound(strategy="default", text="DEFAULT")
    kind = body.get("strategy")
    if kind == "h":
        modulus, remainder = body.get("modulus", 0), body.get("remainder", 0)
        text = f"FOR VALUES WITH (MODULUS {modulus}, REMAINDER {remainder})"
        return Bound(strategy="hash", modulus=modulus, remainder=remainder, text=text)
    if kind == "l":
        return Bound(strategy="list", values=tuple(_datum(source, d) for d in body.get("listdatums", ())), text=text)
    lower, upper = (tuple(_datum(source, d) or "" for d in body.get(f"{end}datums", ())) for end in ("lower", "upper"))
    return Bound(strategy="range", lower=lower, upper=upper, text=text)


def _datum(source: Source, node: Node) -> str | None:
    if kind_of(node) == "ColumnRef":
        names = strings(node["ColumnRef"].get("fields"))
        if names[-1:] in (("minvalue",), ("maxvalue",)):
            return names[-1].upper()
    try:
        return literal(node)
    except NotLiteral:
        return source.piece(source.char(max(0, leftmost(node))))


def name_of_list(source: Source, node: Node, after: int = 0) -> Name:
    """The name in a list of strings, as DROP and COMMENT keep it."""
    items = node.get("List", {}).get("items") or ([node] if "String" in node else [])
    if "TypeName" in node:
        items = node["TypeName"].get("names", [])
    if "ObjectWithArgs" in node:
        items = node["ObjectWithArgs"].get("objname", [])
    return source.find_name(strings(items), after)
