"""FROM clauses: every item under the name the query sees it by, and joins with what they demand of whom."""

from __future__ import annotations

from dataclasses import dataclass

from partadvisor.model.workload import Comparison, Operand
from partadvisor.sql.conditions import condition
from partadvisor.sql.domains import Conjunct, Leaf, Tree, flat
from partadvisor.sql.operands import side, visit
from partadvisor.sql.parse import Node, Unparsed, parse_one
from partadvisor.sql.scope import Cte, Level, Output, Reference, Source, Target
from partadvisor.sql.targets import is_simple
from partadvisor.sql.tree import function_name, kind_of, strings
from partadvisor.sql.volatility import is_one_column_set, is_set, volatility

_FIXED_COLUMNS = {
    "json_array_elements": ("value",),
    "json_array_elements_text": ("value",),
    "jsonb_array_elements": ("value",),
    "jsonb_array_elements_text": ("value",),
    "json_each": ("key", "value"),
    "json_each_text": ("key", "value"),
    "jsonb_each": ("key", "value"),
    "jsonb_each_text": ("key", "value"),
}


@dataclass(frozen=True, slots=True)
class PendingJoin:
    """A JOIN whose condition is read once all items and the WHERE clause are known."""

    kind: str
    left: frozenset[Reference]
    right: frozenset[Reference]
    trees: tuple[Tree, ...]
    quals: Node | None


def add_from(level: Level, items: list[Node]) -> list[PendingJoin]:
    """Put the items of a FROM clause into the level; the joins that are still to be applied."""
    joins: list[PendingJoin] = []
    for item in items:
        _add(level, item, joins)
    return joins


def _add(level: Level, node: Node, joins: list[PendingJoin]) -> frozenset[Reference]:
    before = len(level.domain.references)
    kind = kind_of(node)
    body = node[kind]
    if kind == "RangeVar":
        add_table(level, body)
    elif kind == "RangeTableSample":
        return _add(level, body["relation"], joins)
    elif kind == "RangeSubselect":
        _add_subquery(level, body)
    elif kind == "JoinExpr":
        _add_join(level, body, joins)
    else:
        _add_function(level, kind, body)
    return frozenset(level.domain.references[before:])


def alias_of(body: Node) -> tuple[str | None, tuple[str, ...]]:
    """Alias and column aliases of a FROM item."""
    alias = body.get("alias", {})
    return alias.get("aliasname"), strings(alias.get("colnames"))


def add_table(level: Level, body: Node, role: str = "read") -> Reference | None:
    """A name in FROM: a WITH query, a view (read as its text) or a table. None when it is no table."""
    name, schema = body["relname"], body.get("schemaname")
    alias, columns = alias_of(body)
    if schema is None and role == "read" and name in level.ctes:
        _add_cte(level, level.ctes[name], alias or name, columns)
        return None
    state = level.state
    table = state.names.resolve(schema, name)
    if role == "read" and table in state.names.views and table not in state.views:
        if _add_view(level, table, alias or name, columns):
            return None
        state.note(f"view {table} is not seen through")
    known = state.names.columns(table)
    reference = level.add(Reference(alias=alias or name, domain=level.domain, table=table, columns=known))
    reference.role = role  # type: ignore[assignment]
    source = Source(alias or name, None if alias else table, reference)
    if columns and known:
        source.targets = {a: (reference, c) for a, c in zip(_renamed(known, columns), known, strict=True)}
    level.sources.append(source)
    return reference


def _renamed(columns: tuple[str, ...], aliases: tuple[str, ...]) -> tuple[str, ...]:
    """Column aliases rename from the left; the rest keep their names."""
    return (*aliases, *columns[len(aliases) :])[: len(columns)]


def _add_view(level: Level, view: str, alias: str, columns: tuple[str, ...]) -> bool:
    state = level.state
    text = state.names.views[view].strip().rstrip(";")
    tree = parse_one(text)
    if isinstance(tree, Unparsed):
        return False
    query = tree.get("ViewStmt", {}).get("query", tree)
    if "SelectStmt" not in query:
        return False
    inner = level.below(lateral=False)
    inner.parent, inner.ctes, inner.text = None, {}, text.encode()
    state.views.append(view)
    add_query(level, inner, query, alias, columns or state.names.columns(view) or ())
    state.views.pop()
    return True


def _add_subquery(level: Level, body: Node) -> None:
    alias, columns = alias_of(body)
    inner = level.below(lateral=bool(body.get("lateral")))
    add_query(level, inner, body["subquery"], alias or "subquery", columns)


def add_query(level: Level, inner: Level, query: Node, alias: str, columns: tuple[str, ...]) -> None:
    """A subquery as a FROM item: pulled up into the level's domain when the planner would, else on its own."""
    if is_simple(query["SelectStmt"]):
        inner.domain = level.domain
        names, targets, open_to = level.state.pull_up(inner, query["SelectStmt"])
        named = dict(zip(_renamed(tuple(names), columns), targets, strict=True))
        one_row = all(s.single_row for s in inner.sources)
        level.sources.append(Source(alias, None, None, {n: t for n, t in named.items() if t}, open_to, one_row))
        return
    output = level.state.query(inner, query)
    add_derived(level, alias, output, columns)


def add_derived(level: Level, alias: str, output: Output, columns: tuple[str, ...]) -> Reference:
    """An item whose rows are computed by something else; conditions may sink into it later."""
    names = _renamed(tuple(output.names), columns)
    output.names = list(names)
    reference = Reference(
        alias=alias,
        domain=level.domain,
        columns=None if output.open else names,
        output=output,
        single_row=output.single_row,
        constancy=dict(zip(names, output.constancy, strict=False)),
    )
    level.add(reference)
    level.sources.append(Source(alias, None, reference))
    return reference


def _add_cte(level: Level, cte: Cte, alias: str, columns: tuple[str, ...]) -> None:
    if cte.inline:
        inner = cte.level.below(lateral=True)
        add_query(level, inner, cte.query, alias, columns or cte.columns)
        return
    if cte.output is None:
        cte.output = Output(list(cte.columns), open=not cte.columns)  # a recursive one reads itself
        found = level.state.query(cte.level.below(), cte.query)
        names = _renamed(tuple(found.names), cte.columns)
        cte.output = Output(
            list(names), open=found.open, single_row=found.single_row, rows=found.rows, constancy=found.constancy
        )
    kept = cte.output
    copy = Output(list(kept.names), [], kept.open, kept.single_row, kept.rows, list(kept.constancy))
    add_derived(level, alias, copy, columns)


def _add_function(level: Level, kind: str, body: Node) -> None:
    """A function, XMLTABLE or JSON_TABLE in FROM."""
    alias, columns = alias_of(body)
    calls = [item for f in body.get("functions", ()) for item in f.get("List", {}).get("items", ()) if item]
    for call in calls or [node for node in (body.get("docexpr"), body.get("context_item")) if node]:
        visit(level, call)
        side(level, call)
    name = function_name(calls[0]["FuncCall"]) if len(calls) == 1 and "FuncCall" in calls[0] else ""
    names = columns or tuple(c["ColumnDef"]["colname"] for c in body.get("coldeflist", ()) if "ColumnDef" in c)
    if kind == "RangeTableFunc":
        names = tuple(c["RangeTableFuncCol"]["colname"] for c in body.get("columns", ()))
    elif not names and is_one_column_set(name) and len(calls[0]["FuncCall"].get("args", ())) < 4:
        names = (alias or name,)
    elif not names:
        names = _FIXED_COLUMNS.get(name, ())
    ordinal = bool(body.get("ordinality"))
    if ordinal and len(names) == (1 if name != "" else -1):
        names = (*names, "ordinality")
    output = Output(list(names), open=not names, single_row=bool(name) and not is_set(name) and _scalar(name))
    reference = add_derived(level, alias or name or "function", output, ())
    if name == "generate_series" and names:
        reference.constancy[names[0]] = "varying"
        output.rows = series_length(calls[0]["FuncCall"])
    if ordinal and len(names) > 1:
        reference.constancy[names[-1]] = "varying"


def _scalar(name: str) -> bool:
    """Functions known to give one row; a user's own may return a set."""
    return volatility(name) != "volatile"


def series_length(body: Node) -> float | None:
    """Number of rows of ``generate_series`` over whole-number literals."""
    numbers: list[int] = []
    for arg in body.get("args", ()):
        constant = arg.get("A_Const", {})
        if "ival" not in constant:
            return None
        numbers.append(constant["ival"].get("ival", 0))
    if len(numbers) == 2:
        numbers.append(1)
    if len(numbers) != 3 or numbers[2] == 0:
        return None
    return float(max(0, (numbers[1] - numbers[0]) // numbers[2] + 1))


def _add_join(level: Level, body: Node, joins: list[PendingJoin]) -> None:
    sources = len(level.sources)
    left = _add(level, body["larg"], joins)
    middle = len(level.sources)
    right = _add(level, body["rarg"], joins)
    using = strings(body.get("usingClause"))
    kind = body.get("jointype", "JOIN_INNER")
    sides = level.sources[sources:middle], level.sources[middle:]
    if body.get("isNatural"):
        names = [{n for s in part for n, _ in s.columns()} for part in sides]
        using = tuple(sorted(names[0] & names[1]))
    trees = tuple(t for column in using if (t := _using(level, column, sides, kind)) is not None)
    joins.append(PendingJoin(kind, left, right, trees, body.get("quals")))
    name, columns = alias_of(body)
    if name is not None:
        every = [pair for source in level.sources[sources:] for pair in source.columns()]
        found = dict(zip(_renamed(tuple(n for n, _ in every), columns), (t for _, t in every), strict=True))
        open_to = tuple(s.reference for s in level.sources[sources:] if not s.known and s.reference is not None)
        del level.sources[sources:]
        level.sources.append(Source(name, targets=found, open=open_to))


def _using(level: Level, column: str, sides: tuple[list[Source], list[Source]], kind: str) -> Tree | None:
    """The equality of a USING column; unqualified it means the preserved side's column."""
    found: list[Target] = []
    for part in sides:
        merged = level.merged.get(column) if part is sides[0] else None
        targets = [merged] if merged else [t for s in part if (t := s.find(column)) is not None]
        if not targets:
            return None
        found.append(targets[0])
    left, right = found
    level.merged[column] = right if kind == "JOIN_RIGHT" else left
    if not isinstance(left, tuple) or not isinstance(right, tuple):
        return None
    about = {
        here[0]: Comparison(column=here[1], operator="=", operands=(_operand(there),))
        for here, there in ((left, right), (right, left))
    }
    return Leaf(dict(about), (left, right)) if left[0] is not right[0] else None


def _operand(target: tuple[Reference, str]) -> Operand:
    return Operand(kind="column", value=f"{target[0].alias}.{target[1]}")


def apply_joins(level: Level, joins: list[PendingJoin], where: list[Tree]) -> None:
    """Put the joins' conditions into the domain. An outer join is an inner one when WHERE rejects its NULL rows."""
    strict = {r for tree in where for part in flat(tree) for r in _rejects_null(part)}
    for join in joins:
        kind = _reduced(join, strict)
        trees = [*join.trees, *([condition(level, join.quals)] if join.quals is not None else [])]
        only = {"JOIN_LEFT": join.right, "JOIN_RIGHT": join.left, "JOIN_FULL": frozenset[Reference]()}.get(kind)
        level.domain.nullable |= join.left | join.right if kind == "JOIN_FULL" else only or frozenset()
        level.domain.conjuncts += [Conjunct(tree, only, is_join=True) for tree in trees]


def _rejects_null(part: Tree) -> list[Reference]:
    if not isinstance(part, Leaf):
        return []
    return [
        r for r, said in part.about.items()
        if isinstance(said, Comparison) and not said.wrapped and said.operator not in ("is_null", "is_unknown")
    ]  # fmt: skip


def _reduced(join: PendingJoin, strict: set[Reference]) -> str:
    left, right = bool(join.left & strict), bool(join.right & strict)
    if join.kind == "JOIN_FULL":
        if left and right:
            return "JOIN_INNER"
        return "JOIN_LEFT" if left else "JOIN_RIGHT" if right else "JOIN_FULL"
    if (join.kind == "JOIN_LEFT" and right) or (join.kind == "JOIN_RIGHT" and left):
        return "JOIN_INNER"
    return join.kind
