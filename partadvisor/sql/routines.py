"""The statements inside of routines and DO blocks, in the order they are written, with their place in the file.

PL/pgSQL is read by PostgreSQL's own parser of it; a dynamic EXECUTE whose text can be told from the block alone is
a statement like any other, and what cannot be told is said so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from partadvisor.model.ddl_parts import Span
from partadvisor.pg.quote import quote_literal
from partadvisor.pg.readable import readable_ident
from partadvisor.sql.ddl.expressions import NotLiteral, literal
from partadvisor.sql.grammar import GrammarError, plpgsql_tree
from partadvisor.sql.parse import Node, Unparsed, parse_one
from partadvisor.sql.split import split
from partadvisor.sql.tree import function_name, kind_of, strings

_BRANCHES = frozenset(
    ("PLpgSQL_stmt_if", "PLpgSQL_stmt_case", "PLpgSQL_stmt_loop", "PLpgSQL_stmt_while", "PLpgSQL_stmt_fori",
     "PLpgSQL_stmt_fors", "PLpgSQL_stmt_forc", "PLpgSQL_stmt_foreach_a", "PLpgSQL_stmt_dynfors",
     "PLpgSQL_exception_block")
)  # fmt: skip
_EXECUTES = {
    "PLpgSQL_stmt_dynexecute": "query",
    "PLpgSQL_stmt_dynfors": "query",
    "PLpgSQL_stmt_return_query": "dynquery",
    "PLpgSQL_stmt_open": "dynquery",
}
_LONGEST_BODY = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """A statement inside. ``start`` is its offset in the file, or ``fixed`` the place that stands for it.

    ``reason`` is set instead of ``text`` where it cannot be told what runs. ``text`` "COMMIT" and "ROLLBACK" end a
    transaction. ``executed``: the text of an EXECUTE.
    """

    text: str = ""
    start: int = 0
    fixed: Span | None = None
    conditional: bool = False
    executed: bool = False
    reason: str = ""


def inner_statements(
    statement: str, language: str, body: str, place: Span | None, whole: Span
) -> tuple[Inner, ...] | Unparsed:
    """The statements of a body; ``statement`` is all of CREATE FUNCTION or DO, ``place`` None: not there verbatim."""
    if language == "sql":
        found = split(body).statements
        return tuple(
            Inner(text=s.text, start=place.start + s.start_offset if place else 0, fixed=None if place else whole)
            for s in found
        )
    if language != "plpgsql":
        return Unparsed(f"the body is in {language or 'an unknown language'}")
    if len(body) > _LONGEST_BODY:
        return Unparsed("the body is too long to be read")
    tree = _plpgsql(statement)
    if isinstance(tree, Unparsed):
        return tree
    return tuple(_Reader(body, place, whole).statements(tree))


def _plpgsql(statement: str) -> list[Any] | Unparsed:
    if "\0" in statement:
        return Unparsed("the text holds a NUL character")
    try:
        return plpgsql_tree(statement)
    except UnicodeEncodeError:
        return Unparsed("the text is not valid Unicode")
    except GrammarError as error:
        return Unparsed(error.message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Unparsed("the parser gave no readable tree of the body")


class _Reader:
    """Walks the tree; statements come in the order of the text, so each is looked for after the one before."""

    def __init__(self, body: str, place: Span | None, whole: Span) -> None:
        self.body = body
        self.place = place
        self.whole = whole
        self.line_starts = [0, *(i + 1 for i, c in enumerate(body) if c == "\n")]

    def statements(self, tree: list[Any]) -> Iterator[Inner]:
        for function in tree:
            yield from self._walk(function, 1, conditional=False)

    def _walk(self, node: Any, line: int, *, conditional: bool) -> Iterator[Inner]:
        if isinstance(node, list):
            for item in node:
                yield from self._walk(item, line, conditional=conditional)
            return
        if not isinstance(node, dict):
            return
        for kind, body in node.items():
            if kind in ("PLpgSQL_var", "PLpgSQL_rec", "PLpgSQL_row", "datums"):
                continue
            here = body.get("lineno", line) if isinstance(body, dict) else line
            inside = conditional or kind in _BRANCHES
            if isinstance(body, dict) and kind.startswith("PLpgSQL_stmt"):
                yield from self._statement(kind, body, here, conditional=conditional)
            yield from self._walk(body, here, conditional=inside)

    def _statement(self, kind: str, body: Node, line: int, *, conditional: bool) -> Iterator[Inner]:
        if kind in ("PLpgSQL_stmt_commit", "PLpgSQL_stmt_rollback"):
            yield Inner(text=kind[13:].upper(), fixed=self._line(line), conditional=conditional)
        elif kind == "PLpgSQL_stmt_execsql":
            yield self._verbatim(body["sqlstmt"]["PLpgSQL_expr"]["query"], line, conditional=conditional)
        elif kind in ("PLpgSQL_stmt_perform", "PLpgSQL_stmt_call"):
            query = body["expr"]["PLpgSQL_expr"]["query"]
            yield self._verbatim(query, line, conditional=conditional)
        elif kind in ("PLpgSQL_stmt_fors", "PLpgSQL_stmt_return_query", "PLpgSQL_stmt_open") and "query" in body:
            yield self._verbatim(body["query"]["PLpgSQL_expr"]["query"], line, conditional=conditional)
        if kind in _EXECUTES and _EXECUTES[kind] in body:
            yield self._executed(body[_EXECUTES[kind]]["PLpgSQL_expr"]["query"], line, conditional=conditional)

    def _offset(self, line: int) -> int:
        return self.line_starts[min(max(line, 1), len(self.line_starts)) - 1]

    def _line(self, line: int) -> Span:
        """The place of a line of the body."""
        if self.place is None:
            return self.whole
        start = self._offset(line)
        end = self.body.find("\n", start)
        text = self.body[start : end if end >= 0 else len(self.body)]
        indent = len(text) - len(text.lstrip())
        return Span(
            start=self.place.start + start + indent, end=self.place.start + start + max(indent, len(text.rstrip()))
        )

    def _verbatim(self, text: str, line: int, *, conditional: bool) -> Inner:
        at = self.body.find(text, self._offset(line))
        if self.place is None or at < 0:
            return Inner(text=text, fixed=self._line(line), conditional=conditional)
        return Inner(text=text, start=self.place.start + at, conditional=conditional)

    def _executed(self, expression: str, line: int, *, conditional: bool) -> Inner:
        text = constant_text(expression)
        at = self.body.find(expression, self._offset(line))
        span = self._line(line)
        if self.place is not None and at >= 0:
            span = Span(start=self.place.start + at, end=self.place.start + at + len(expression))
        if text is None:
            return Inner(fixed=span, conditional=conditional, executed=True, reason=_DYNAMIC)
        inside = self.body.find(text, at) if at >= 0 else -1
        if self.place is not None and 0 <= inside < at + len(expression):
            return Inner(text=text, start=self.place.start + inside, conditional=conditional, executed=True)
        return Inner(text=text, fixed=span, conditional=conditional, executed=True)


_DYNAMIC = "EXECUTE of a text that is put together at run time"


def constant_text(expression: str) -> str | None:
    """The value of a text expression made of literals, ``||``, ``format`` and the quoting functions; None: unknown."""
    node = parse_one(f"SELECT {expression}")
    if isinstance(node, Unparsed):
        return None
    targets = node.get("SelectStmt", {}).get("targetList", ())
    if len(targets) != 1:
        return None
    try:
        return _constant(targets[0]["ResTarget"]["val"])
    except (NotLiteral, KeyError):
        return None


def _constant(node: Node) -> str | None:
    kind = kind_of(node)
    body = node.get(kind, {})
    if kind == "A_Expr" and strings(body.get("name")) == ("||",) and "lexpr" in body:
        parts = [_constant(body["lexpr"]), _constant(body["rexpr"])]
        return None if None in parts else "".join(p for p in parts if p is not None)
    if kind == "FuncCall":
        return _called(function_name(body), [_constant(a) for a in body.get("args", ())])
    return literal(node)


def _called(name: str, arguments: list[str | None]) -> str | None:
    if None in arguments or not arguments:
        raise NotLiteral(name)
    values = [a for a in arguments if a is not None]
    if name in ("quote_ident", "quote_literal"):
        return _quoted("I" if name == "quote_ident" else "L", values[0])
    if name == "format":
        return _formatted(values[0], values[1:])
    raise NotLiteral(name)


def _quoted(how: str, value: str) -> str:
    return {"I": readable_ident, "L": quote_literal}.get(how, str)(value)


def _formatted(template: str, values: list[str]) -> str:
    pieces, waiting = template.split("%"), list(values)
    text, number = pieces[0], 1
    while number < len(pieces):
        piece = pieces[number]
        if piece == "" and number + 1 < len(pieces):
            text, number = text + "%" + pieces[number + 1], number + 2
            continue
        if piece[:1] not in ("I", "L", "s") or not waiting:
            raise NotLiteral("format")
        text, number = text + _quoted(piece[0], waiting.pop(0)) + piece[1:], number + 1
    return text
