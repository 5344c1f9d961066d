"""WHERE and ON expressions as trees of comparisons, negations resolved the way the planner resolves them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from partadvisor.model.workload import Comparison, Opaque, Operand, Operator
from partadvisor.sql.domains import Junction, Leaf, Tree
from partadvisor.sql.operands import Side, array_elements, side, visit
from partadvisor.sql.parse import Node
from partadvisor.sql.scope import Level, Reference
from partadvisor.sql.tree import kind_of, strings

_OPERATORS: dict[str, Operator] = {
    "=": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "<>": "<>", "!=": "<>",
    "~~": "like", "~~*": "like",
}  # fmt: skip
_NEGATED: dict[Operator, Operator] = {
    "=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
    "in": "not_in", "not_in": "in", "is_null": "is_not_null", "is_not_null": "is_null",
}  # fmt: skip
_SWAPPED: dict[Operator, Operator] = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>"}
_SQUASHED = "..."
TRUE = Operand(kind="constant", value="true", type="boolean")
FALSE = Operand(kind="constant", value="false", type="boolean")


def condition(level: Level, node: Node, negate: bool = False) -> Tree:
    """What ``node``, or with ``negate`` its opposite, demands of the tables it mentions."""
    kind = kind_of(node)
    body = node.get(kind, {})
    if kind == "BoolExpr":
        return _boolean(level, body, negate)
    if kind == "A_Expr":
        return _operator(level, node, body, negate)
    if kind == "NullTest":
        is_null = (body.get("nulltesttype") == "IS_NULL") != negate
        return _unary(side(level, body["arg"]), "is_null" if is_null else "is_not_null")
    if kind == "BooleanTest":
        return _boolean_test(level, body, negate)
    if kind == "SubLink":
        return _sublink(level, node, body, negate)
    return _truth(level, node, negate)


def _boolean(level: Level, body: Node, negate: bool) -> Tree:
    operation = body.get("boolop", "AND_EXPR")
    if operation == "NOT_EXPR":
        return condition(level, body["args"][0], not negate)
    parts = tuple(condition(level, arg, negate) for arg in body["args"])
    return Junction(parts, either=(operation == "OR_EXPR") != negate)


def _truth(level: Level, node: Node, negate: bool) -> Tree:
    """A boolean column, constant or function on its own."""
    read = side(level, node)
    if read.plain:
        return compare(read, "=", Side(FALSE if negate else TRUE))
    return opaque([read], "a boolean expression")


def _boolean_test(level: Level, body: Node, negate: bool) -> Tree:
    test = body.get("booltesttype", "IS_TRUE")
    if negate:
        test = test.replace("IS_NOT_", "IS_") if test.startswith("IS_NOT_") else test.replace("IS_", "IS_NOT_")
    read = side(level, body["arg"])
    if test in {"IS_UNKNOWN", "IS_NOT_UNKNOWN"}:
        return _unary(read, "is_unknown" if test == "IS_UNKNOWN" else "is_not_unknown")
    wanted = TRUE if test in {"IS_TRUE", "IS_NOT_FALSE"} else FALSE
    equal = _as_test(compare(read, "=", Side(wanted)))
    if test in {"IS_TRUE", "IS_FALSE"}:
        return equal
    return Junction((equal, _unary(read, "is_null")), either=True)


def _as_test(leaf: Leaf) -> Leaf:
    about = {
        r: msgspec.structs.replace(said, is_test=True) if isinstance(said, Comparison) else said
        for r, said in leaf.about.items()
    }
    return Leaf(about, leaf.equates)


def _unary(read: Side, operator: Operator) -> Tree:
    if not read.places and read.operand.kind == "parameter" and operator == "is_null":
        return Leaf({}, parameter=read.operand.value)
    if len(read.places) != 1:
        return opaque([read], "a test of an expression over several columns" if read.places else "")
    reference, column = read.places[0]
    return Leaf({reference: Comparison(column=column, operator=operator, wrapped=not read.plain, cast=read.cast)})


def opaque(sides: Sequence[Side], reason: str) -> Leaf:
    """A leaf that only says which columns a condition mentions."""
    mentioned: dict[Reference, list[str]] = {}
    for read in sides:
        for reference, column in read.places:
            mentioned.setdefault(reference, []).append(column)
    return Leaf({r: Opaque(reason=reason, columns=tuple(dict.fromkeys(c))) for r, c in mentioned.items()})


def compare(left: Side, operator: Operator, right: Side) -> Leaf:
    """``left operator right`` for every table either side mentions."""
    if len(left.places) > 1 or len(right.places) > 1:
        return opaque([left, right], "an expression over several columns")
    about: dict[Reference, Comparison | Opaque] = {}
    if left.places and right.places and left.places[0][0] is right.places[0][0]:
        same = opaque([left, right], "two columns of one row are compared")
        equal = operator == "=" and left.plain and right.plain and left.places != right.places
        return Leaf(same.about, (left.places[0], right.places[0])) if equal else same
    for read, other, seen in ((left, right, operator), (right, left, _SWAPPED.get(operator, "other"))):
        if read.places:
            reference, column = read.places[0]
            about[reference] = Comparison(
                column=column, operator=seen, operands=(other.operand,), wrapped=not read.plain, cast=read.cast
            )
    equates = None
    if operator == "=" and left.plain and right.plain:
        equates = (left.places[0], right.places[0])
    return Leaf(about, equates)


def _operator(level: Level, node: Node, body: Node, negate: bool) -> Tree:
    kind = body.get("kind", "AEXPR_OP")
    name = (strings(body.get("name")) or ("",))[-1]
    if kind == "AEXPR_IN":
        return _in(level, body, (name == "<>") != negate)
    if "BETWEEN" in kind:
        return _between(level, kind, body, negate)
    if kind in {"AEXPR_OP_ANY", "AEXPR_OP_ALL"}:
        return _any(level, body, name, kind == "AEXPR_OP_ALL", negate)
    if "lexpr" not in body:
        return opaque([side(level, body["rexpr"])], "a prefix operator")
    left, right = body["lexpr"], body["rexpr"]
    if "RowExpr" in left and "RowExpr" in right and kind == "AEXPR_OP":
        return _rows(level, left, right, name, negate)
    if kind in {"AEXPR_DISTINCT", "AEXPR_NOT_DISTINCT"}:
        return opaque([side(level, left), side(level, right)], "IS [NOT] DISTINCT FROM does not prune")
    if kind not in {"AEXPR_OP", "AEXPR_LIKE", "AEXPR_ILIKE", "AEXPR_SIMILAR"}:
        return opaque([side(level, node)], "an expression")
    operator = _OPERATORS.get(name, "other")
    if negate:
        operator = _NEGATED.get(operator, "other")
    return compare(side(level, left), operator, side(level, right))


def _rows(level: Level, left: Node, right: Node, name: str, negate: bool) -> Tree:
    """``(a, b) = (1, 2)`` is two conditions; an inequality of rows says nothing about one column."""
    pairs = list(zip(left["RowExpr"].get("args", ()), right["RowExpr"].get("args", ()), strict=False))
    operator = _OPERATORS.get(name, "other")
    if operator not in {"=", "<>"}:
        return opaque([side(level, e) for pair in pairs for e in pair], "an inequality of rows does not prune")
    equal = (operator == "=") != negate
    parts = tuple(compare(side(level, a), "=" if equal else "<>", side(level, b)) for a, b in pairs)
    return Junction(parts, either=not equal)


def _in(level: Level, body: Node, negate: bool) -> Tree:
    items: list[Node] = body["rexpr"].get("List", {}).get("items", [])
    left = body["lexpr"]
    if "RowExpr" in left:
        rows = tuple(_rows(level, left, item, "=", negate) for item in items if "RowExpr" in item)
        return Junction(rows, either=not negate)
    read, found = side(level, left), [side(level, item) for item in items]
    if len(read.places) != 1 or any(s.places for s in found):
        if not read.places:  # a value in a list of columns
            parts = tuple(compare(s, "<>" if negate else "=", read) for s in found)
            return Junction(parts, either=not negate)
        return opaque([read, *found], "IN over several columns")
    operands = tuple(s.operand for s in found)
    squashed = _is_squashed(level, body, len(items))
    if len(items) == 1 and not squashed:  # the server reads a list of one as a plain comparison; an array of one not
        return compare(read, "<>" if negate else "=", found[0])
    if squashed:
        operands = (*operands, Operand(kind="parameter", value=_SQUASHED, type=operands[0].type))
    return _member(read, operands, negate)


def _is_squashed(level: Level, body: Node, items: int) -> bool:
    """Whether pg_stat_statements printed ``$1 /*, ... */`` for a list of several values."""
    span = level.text[body.get("rexpr_list_start", 0) : body.get("rexpr_list_end", 0)]
    return items == 1 and b"/*, ... */" in span


def _member(read: Side, operands: tuple[Operand, ...], negate: bool) -> Tree:
    reference, column = read.places[0]
    operator: Operator = "not_in" if negate else "in"
    said = Comparison(column=column, operator=operator, operands=operands, wrapped=not read.plain, cast=read.cast)
    return Leaf({reference: said})


def _between(level: Level, kind: str, body: Node, negate: bool) -> Tree:
    read = side(level, body["lexpr"])
    low, high = (side(level, item) for item in body["rexpr"]["List"]["items"])
    outside = kind.startswith("AEXPR_NOT_") != negate

    def pair(first: Side, second: Side) -> Junction:
        low_operator: Operator = "<" if outside else ">="
        high_operator: Operator = ">" if outside else "<="
        return Junction((compare(read, low_operator, first), compare(read, high_operator, second)), either=outside)

    if kind.endswith("_SYM"):
        return Junction((pair(low, high), pair(high, low)), either=not outside)
    return pair(low, high)


def _any(level: Level, body: Node, name: str, every: bool, negate: bool) -> Tree:
    """``= ANY (array)`` is IN, ``<> ALL (array)`` is NOT IN; another operator is compared with each element."""
    read = side(level, body["lexpr"])
    operator = _OPERATORS.get(name, "other")
    elements = array_elements(level, body["rexpr"])
    usual = (operator, every) in {("=", False), ("<>", True)}
    if elements and not usual and operator in _SWAPPED and all(e.kind != "array_parameter" for e in elements):
        seen = _NEGATED[operator] if negate else operator
        return Junction(tuple(compare(read, seen, Side(e)) for e in elements), either=every == negate)
    if not usual or elements is None or len(read.places) != 1:
        other = side(level, body["rexpr"])
        if not read.places and other.plain:
            return opaque([other], "an array column")
        return opaque([read, other], f"{name} {'ALL' if every else 'ANY'} over this array does not prune")
    if _is_squashed_array(level, body["rexpr"], len(elements)):
        elements = (*elements, Operand(kind="parameter", value=_SQUASHED, type=elements[0].type))
    return _member(read, elements, every != negate)


def _is_squashed_array(level: Level, node: Node, elements: int) -> bool:
    while "TypeCast" in node:
        node = node["TypeCast"]["arg"]
    array = node.get("A_ArrayExpr", {})
    span = level.text[array.get("list_start", 0) : array.get("list_end", 0)]
    return elements == 1 and b"/*, ... */" in span


def _sublink(level: Level, node: Node, body: Node, negate: bool) -> Tree:
    """A subquery as a condition that could not be turned into a join."""
    visit(level, node)
    if body.get("subLinkType") not in {"ANY_SUBLINK", "ALL_SUBLINK"} or "testexpr" not in body:
        return Leaf({})
    read = side(level, body["testexpr"])
    name = (strings(body.get("operName")) or ("=",))[-1]
    every = body["subLinkType"] == "ALL_SUBLINK"
    if len(read.places) == 1 and (name, every) in {("=", False), ("<>", True)}:
        return _member(read, (Operand(kind="subquery"),), every != negate)
    return opaque([read], "a comparison with a subquery's rows")
