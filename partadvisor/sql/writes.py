"""INSERT, UPDATE, DELETE and MERGE: what they write, row by row, besides what they read."""

from __future__ import annotations

from partadvisor.sql.conditions import condition
from partadvisor.sql.constancy import of_default, of_expression, over_repeated, over_rows
from partadvisor.sql.domains import Classes, Conjunct
from partadvisor.sql.names import SYSTEM_COLUMNS, TableNames
from partadvisor.sql.operands import visit
from partadvisor.sql.parse import Node
from partadvisor.sql.queries import add_ctes, select, where
from partadvisor.sql.scope import Constancy, Later, Level, Output, Reference
from partadvisor.sql.sources import add_from, add_table, apply_joins
from partadvisor.sql.targets import expanded
from partadvisor.sql.tree import kind_of, strings, walk
from partadvisor.sql.updatable import add_view_target


def modify(level: Level, node: Node) -> Output:
    """Analyse a data-modifying statement; its RETURNING columns."""
    kind = kind_of(node)
    body = node[kind]
    add_ctes(level, body)
    if kind == "InsertStmt":
        return _insert(level, body)
    if kind == "UpdateStmt":
        return _update(level, body)
    if kind == "DeleteStmt":
        return _delete(level, body)
    return _merge(level, body)


def _target(level: Level, body: Node, role: str) -> Reference:
    reference = add_view_target(level, body["relation"], role) or add_table(level, body["relation"], role)
    if reference is None:
        raise LookupError("a written table is always a table")
    return reference


def _insert(level: Level, body: Node) -> Output:
    at = level.below(lateral=False)
    target = _target(at, body, "insert")
    level.state.domains.append(at.domain)
    query = body.get("selectStmt", {}).get("SelectStmt")
    named = _renamed(target, tuple(c["ResTarget"]["name"] for c in body.get("cols", ())))
    rows: float | None
    if query is None:
        rows = 1.0
        _write(target, level, (), [], rows)
    elif "valuesLists" in query and "withClause" not in query:
        rows = _insert_values(level, target, query, named)
    else:
        rows = _insert_select(level, target, query, named)
    if "onConflictClause" in body:
        _conflict(at, target, body["onConflictClause"])
    return _returning(at, target, body, rows == 1)


def _insert_values(level: Level, target: Reference, query: Node, named: tuple[str, ...]) -> float | None:
    lists = [item["List"]["items"] for item in query["valuesLists"]]
    for row in lists:
        for item in row:
            visit(level, item)
    width = len(lists[0])
    rows: float | None = float(len(lists))
    if level.state.repeated and rows == 1:
        rows, found = None, [over_repeated(item) for item in lists[0]]
    else:
        found = [over_rows([r[i] for r in lists if i < len(r)], level.state.executions) for i in range(width)]
    _write(target, level, _columns(target, named, width), found, rows)
    return rows


def _insert_select(level: Level, target: Reference, query: Node, named: tuple[str, ...]) -> float | None:
    inner = level.below()
    output = select(inner, query)
    columns = _columns(target, named, len(output.names))
    plain = "targetList" in query and "larg" not in query

    def settle(classes: Classes) -> None:
        found = [of_expression(inner, node, classes) for node, _ in expanded(inner, query)] if plain else []
        grouped = "groupClause" in query or "distinctClause" in query
        if grouped and output.rows != 1:
            found = [c if c == "constant" else "unknown" for c in found]
        _write(target, level, columns, found, output.rows)

    level.state.later.append(Later(inner.domain, settle))
    _write(target, level, columns, [], output.rows)
    return output.rows


def _columns(target: Reference, named: tuple[str, ...], width: int) -> tuple[str, ...]:
    every = target.columns if target.renamed is None else tuple(target.renamed.values())
    return named or (every or ())[:width]


def _renamed(target: Reference, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The table's columns for those of the view it is written through."""
    return tuple(target.renamed.get(c, c) for c in columns) if target.renamed is not None else columns


def _write(
    target: Reference, level: Level, columns: tuple[str, ...], found: list[Constancy], rows: float | None
) -> None:
    """Note what an INSERT writes, columns it leaves to their defaults included."""
    known: dict[str, Constancy] = dict(zip(columns, found, strict=False))
    table = level.state.names.tables.get(target.table or "")
    if table is not None:
        for column in table.columns:
            if known.get(column, "unknown" if column in columns else "default") == "default":
                known[column] = _of_omitted(table, column)
    if rows == 1:
        known = dict.fromkeys(known, "constant")
    target.written.update(
        columns=columns,
        rows=rows,
        constant_columns=tuple(c for c, v in known.items() if v == "constant"),
        varying_columns=tuple(c for c, v in known.items() if v == "varying"),
    )


def _of_omitted(table: TableNames, column: str) -> Constancy:
    """A column filled by its default, by an identity's sequence, or from the row's other columns."""
    if column in table.identity:
        return "varying"
    if column in table.generated:
        return "unknown"
    default = table.defaults.get(column)
    return "constant" if default is None else of_default(default)


def _conflict(level: Level, target: Reference, body: Node) -> None:
    infer = body.get("infer", {})
    elements = [e["IndexElem"] for e in infer.get("indexElems", ())]
    for clause in (body.get("targetList", []), [body["whereClause"]] if "whereClause" in body else []):
        for item in clause:
            visit(level, item)
    updates = body.get("action") == "ONCONFLICT_UPDATE"
    columns = _renamed(target, tuple(e["name"] for e in elements if "name" in e))
    if any("name" not in e for e in elements):
        level.state.note("ON CONFLICT names an expression")
    target.written.update(
        conflict_action="update" if updates else "nothing",
        conflict_columns=columns if elements else None,
        conflict_constraint=infer.get("conname"),
        set_columns=_set_columns(target, body.get("targetList", [])) if updates else (),
    )


def _set_columns(target: Reference, targets: list[Node]) -> tuple[str, ...]:
    names = dict.fromkeys(t["ResTarget"]["name"] for t in targets if "name" in t.get("ResTarget", {}))
    return _renamed(target, tuple(names))


def _update(level: Level, body: Node) -> Output:
    target = _target(level, body, "update")
    _read(level, body, body.get("fromClause", []))
    for item in body.get("targetList", ()):
        value = item["ResTarget"].get("val", {})
        if value.get("MultiAssignRef", {}).get("colno", 1) == 1:  # the source is repeated for each column
            visit(level, value)
    target.written.update(set_columns=_set_columns(target, body.get("targetList", [])))
    return _returning(level, target, body)


def _delete(level: Level, body: Node) -> Output:
    target = _target(level, body, "delete")
    _read(level, body, body.get("usingClause", []))
    return _returning(level, target, body)


def _read(level: Level, body: Node, items: list[Node]) -> None:
    joins = add_from(level, items)
    trees = list(where(level, body["whereClause"])) if "whereClause" in body else []
    apply_joins(level, joins, trees)
    level.domain.conjuncts += [Conjunct(tree) for tree in trees]
    level.state.domains.append(level.domain)


def _merge(level: Level, body: Node) -> Output:
    """A source row without a match must stay when something is done with it: then ON filters the target only."""
    target = _target(level, body, "merge")
    joins = add_from(level, [body["sourceRelation"]])
    apply_joins(level, joins, [])
    clauses = [c["MergeWhenClause"] for c in body.get("mergeWhenClauses", ())]
    kinds = {c.get("matchKind", "MERGE_WHEN_MATCHED") for c in clauses}
    only: frozenset[Reference] | None = None
    if "MERGE_WHEN_NOT_MATCHED_BY_SOURCE" in kinds:
        only = frozenset()
    elif "MERGE_WHEN_NOT_MATCHED_BY_TARGET" in kinds:
        only = frozenset({target})
    level.domain.conjuncts.append(Conjunct(condition(level, body["joinCondition"]), only, is_join=True))
    level.state.domains.append(level.domain)
    inserting = next((c for c in clauses if c.get("commandType") == "CMD_INSERT" and "values" in c), None)
    if inserting is not None:
        _merge_inserts(level, target, inserting)
    inserted: list[str] = []
    updated: list[str] = []
    for clause in clauses:
        for part in ("condition", "targetList", "values"):
            for item in [clause[part]] if isinstance(clause.get(part), dict) else clause.get(part, ()):
                visit(level, item)
        names = _set_columns(target, clause.get("targetList", []))
        if clause.get("commandType") == "CMD_INSERT":
            inserted += names or (target.columns or ())[: len(clause.get("values", ()))]
        elif clause.get("commandType") == "CMD_UPDATE":
            updated += names
    target.written.update(columns=tuple(dict.fromkeys(inserted)), set_columns=tuple(dict.fromkeys(updated)))
    return _returning(level, target, body)


def _merge_inserts(level: Level, target: Reference, clause: Node) -> None:
    """What the rows have in common that one MERGE inserts, and how many there are at most, when the text tells."""
    source = [s for s in level.sources if s.reference is not target]
    output = source[0].reference.output if len(source) == 1 and source[0].reference is not None else None
    columns = _columns(target, _named(target, clause), len(clause["values"]))
    # the target's row is not there when one is inserted, so only the source's rows count
    seen = Level(level.state, level.domain, level.parent, level.ctes, source, {}, level.text)

    def settle(classes: Classes) -> None:
        found = [of_expression(seen, node, classes) for node in clause["values"]]
        rows = output.rows if output is not None else 1.0 if source and source[0].single_row else None
        kept = target.written.get("columns")
        _write(target, level, columns, found, rows)
        target.written["columns"] = kept

    level.state.later.append(Later(level.domain, settle))


def _named(target: Reference, clause: Node) -> tuple[str, ...]:
    return _renamed(
        target, tuple(c["ResTarget"]["name"] for c in clause.get("targetList", ()) if "name" in c["ResTarget"])
    )


def _returning(level: Level, target: Reference, body: Node, single: bool = False) -> Output:
    clause = body.get("returningClause", {})
    targets = clause.get("exprs", [])
    for item in targets:
        visit(level, item)
    fields = [strings(n["ColumnRef"].get("fields")) for n in walk(targets) if "ColumnRef" in n]
    system = [f[-1] for f in fields if f and f[-1] in SYSTEM_COLUMNS]
    if system:
        target.written["returning_system_columns"] = tuple(dict.fromkeys(system))
    found = expanded(level, {"targetList": targets})
    starred = any("A_Star" in n for n in walk(targets)) and target.columns is None
    return Output([name for _, name in found], open=starred, single_row=single)
