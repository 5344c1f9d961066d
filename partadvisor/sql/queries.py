"""Queries: WITH, SELECT, VALUES and set operations, level by level, pulling subqueries up where the planner does."""

from __future__ import annotations

from partadvisor.model.workload import Comparison, Operand
from partadvisor.sql.conditions import compare, condition
from partadvisor.sql.constancy import over_rows
from partadvisor.sql.domains import Conjunct, Leaf, Tree
from partadvisor.sql.operands import side, visit
from partadvisor.sql.ordering import mark_branches, mark_rows
from partadvisor.sql.parse import Node
from partadvisor.sql.scope import Branch, Cte, Level, Output, Reference, Target
from partadvisor.sql.sources import add_from, apply_joins
from partadvisor.sql.targets import expanded, is_simple, is_single_row, known_rows, may_sink, output_columns
from partadvisor.sql.tree import bodies, strings
from partadvisor.sql.volatility import has_volatile


def select(level: Level, body: Node) -> Output:
    """Analyse a query at a level of its own; its domain is left open for conditions that sink into it."""
    add_ctes(level, body)
    if "larg" in body:
        return _set_operation(level, body)
    if "valuesLists" in body:
        return _values(level, body)
    references = add_level(level, body)
    names, targets, open_to = output_columns(level, body)
    pushable = [may_sink(level, body, node) for node, _ in expanded(level, body)]
    pushable += [False] * (len(targets) - len(pushable))
    mark_rows(level, body, references, names, targets)
    level.state.domains.append(level.domain)
    single = is_single_row(level, body)
    rows = 1.0 if single else known_rows(references, body)
    return Output(names, [Branch(level.domain, targets, pushable)], bool(open_to), single, rows)


def add_level(level: Level, body: Node) -> list[Reference]:
    """FROM and WHERE of one SELECT, and the subqueries of its other clauses; the items it added."""
    before = len(level.domain.references)
    joins = add_from(level, body.get("fromClause", []))
    own = level.domain.references[before:]
    trees = list(where(level, body["whereClause"])) if "whereClause" in body else []
    apply_joins(level, joins, trees)
    level.domain.conjuncts += [Conjunct(tree) for tree in trees]
    for clause in ("targetList", "groupClause", "havingClause", "sortClause", "limitCount", "limitOffset"):
        if clause in body:
            for item in [body[clause]] if isinstance(body[clause], dict) else body[clause]:
                visit(level, item)
    return own


_ONE_ROW = frozenset(["targetList", "limitOption", "op"])
"""What is in a SELECT without FROM or anything else: one row, which the planner merges into the query."""


def where(level: Level, node: Node) -> list[Tree]:
    """Conjuncts of WHERE; EXISTS and IN over a simple subquery become joins, as the planner makes them."""
    body = node.get("BoolExpr", {})
    if body and body.get("boolop", "AND_EXPR") == "AND_EXPR":
        return [tree for arg in body["args"] for tree in where(level, arg)]
    negated = body.get("boolop") == "NOT_EXPR"
    inner = body["args"][0] if negated else node
    if "SubLink" in inner:
        joined = _semi_join(level, inner["SubLink"], negated)
        if joined is not None:
            return joined
    return [condition(level, node)]


def _semi_join(level: Level, link: Node, negated: bool) -> list[Tree] | None:
    """The subquery's tables in this level's domain, None when it has to stay a subquery."""
    body = link["subselect"].get("SelectStmt", {})
    kind = link.get("subLinkType")
    if kind == "ANY_SUBLINK" and not negated and set(body) <= _ONE_ROW and is_simple(body):
        value = side(level.below(), body["targetList"][0]["ResTarget"]["val"])
        return [compare(side(level, link["testexpr"]), "=", value)]
    if kind not in {"EXISTS_SUBLINK", "ANY_SUBLINK"} or not body.get("fromClause") or not is_simple(body):
        return None
    if kind == "ANY_SUBLINK":
        operator = (strings(link.get("operName")) or ("=",))[-1]
        if negated or operator != "=":
            return None
    link_id = id(link)
    level.state.seen.add(link_id)
    inner = level.below(domain=level.domain)
    before = len(level.domain.conjuncts)
    references = frozenset(add_level(inner, body))
    if negated:
        level.domain.conjuncts[before:] = [
            Conjunct(c.tree, references if c.only is None else c.only, is_join=True)
            for c in level.domain.conjuncts[before:]
            if isinstance(c, Conjunct)
        ]
    if kind == "EXISTS_SUBLINK":
        return []
    tested = link["testexpr"].get("RowExpr", {}).get("args") or [link["testexpr"]]
    pairs = zip(tested, expanded(inner, body), strict=False)
    return [_in_subquery(level, inner, outer, column) for outer, (column, _) in pairs]


def _in_subquery(level: Level, inner: Level, tested: Node, selected: Node) -> Tree:
    """``tested IN (SELECT selected …)`` of a subquery that became a join; of a row, one of its columns."""
    outer, member = side(level, tested), side(inner, selected)
    if len(outer.places) != 1:
        return Leaf({})
    reference, column = outer.places[0]
    said = Comparison(column=column, operator="in", operands=(Operand(kind="subquery"),), wrapped=not outer.plain)
    equates = (outer.places[0], member.places[0]) if outer.plain and member.plain else None
    return Leaf({reference: said}, equates)


def add_ctes(level: Level, body: Node) -> None:
    """Make the WITH queries of a statement known; those that change data are analysed at once."""
    clause = body.get("withClause")
    if clause is None:
        return
    for item in clause.get("ctes", ()):
        cte = item["CommonTableExpr"]
        name, node = cte["ctename"], cte["ctequery"]
        defined = Level(level.state, level.domain, level.parent, dict(level.ctes), text=level.text)
        made = Cte(name, node, strings(cte.get("aliascolnames")), _is_inline(cte, body, clause), defined)
        level.ctes[name] = made
        if clause.get("recursive"):
            defined.ctes[name] = made
        if "SelectStmt" not in node:
            made.output = level.state.query(defined, node)


def _is_inline(cte: Node, body: Node, clause: Node) -> bool:
    """Whether the planner merges it into the query that reads it: once read, or NOT MATERIALIZED."""
    node = cte["ctequery"]
    materialized = cte.get("ctematerialized", "CTEMaterializeDefault")
    if "SelectStmt" not in node or materialized == "CTEMaterializeAlways":
        return False
    if clause.get("recursive") and _reads(node, cte["ctename"]):
        return False
    if "lockingClause" in node["SelectStmt"] or has_volatile(node):
        return False
    return materialized == "CTEMaterializeNever" or _reads(body, cte["ctename"]) == 1


def _reads(node: Node, name: str) -> int:
    return sum(t.get("relname") == name and "schemaname" not in t for t in bodies(node, "RangeVar"))


def pull_up(level: Level, body: Node) -> tuple[list[str], list[Target | None], tuple[Reference, ...]]:
    """Analyse a simple subquery inside the domain of the query around it; its columns."""
    add_level(level, body)
    return output_columns(level, body)


def _values(level: Level, body: Node) -> Output:
    rows = [item["List"]["items"] for item in body["valuesLists"]]
    for row in rows:
        for item in row:
            visit(level, item)
    constancy = [over_rows([row[i] for row in rows if i < len(row)]) for i in range(len(rows[0]))]
    names = [f"column{i + 1}" for i in range(len(rows[0]))]
    return Output(names, single_row=len(rows) == 1, rows=float(len(rows)), constancy=constancy)


def _set_operation(level: Level, body: Node) -> Output:
    left = select(level.below(lateral=True), body["larg"])
    right = select(level.below(lateral=True), body["rarg"])
    sinks = body.get("op") != "SETOP_EXCEPT" and not any(k in body for k in ("limitCount", "limitOffset"))
    branches = [*left.branches, *right.branches]
    output = Output(left.names, branches if sinks else [], left.open or right.open)
    mark_branches(body, output, branches)
    output.appended = sinks and body.get("op") == "SETOP_UNION" and bool(body.get("all"))
    return output
