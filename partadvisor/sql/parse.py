"""The only door to a SQL parser: libpg_query, which is PostgreSQL's own grammar.

It reads what pg_stat_statements prints (``$1,$2``, ``timestamptz $1``, ``$1 /*, … */``) and never guesses, which a
parser of many dialects does. Nothing is raised past this module: a text is a tree or an ``Unparsed``. Trees are
libpg_query's JSON as plain dictionaries, one key a node (``{"ColumnRef": {…}}``); fields with default values are
absent.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
from dataclasses import dataclass
from typing import Any

import msgspec

from partadvisor.sql.lex import longest_run, normalised

Node = dict[str, Any]

LONG_TEXT = 20_000
"""Characters up to which no text can nest dangerously; longer ones are measured first."""
LONGEST_RUN = 20_000
"""Tokens in a row: a chain of 10,000 operators is safe, one of 100,000 overflows the C stack of libpg_query."""
HIDDEN_TEXT = "<insufficient privilege>"


@dataclass(frozen=True, slots=True)
class Unparsed:
    """Why a text has no tree. Line and column count from 1, both None when the place is unknown."""

    reason: str
    line: int | None = None
    column: int | None = None


def parse(text: str) -> tuple[Node, ...] | Unparsed:
    """The statements of ``text``, each a one-key dictionary such as ``{"SelectStmt": {…}}``."""
    refusal = _refusal(text)
    if refusal is not None:
        return refusal
    library = _library()
    try:
        tree = _json_tree(text, library)
    except library.PgQueryError as error:
        line, column = _place(text, error.cursorpos)
        return Unparsed(error.message, line, column)
    except RecursionError:
        return Unparsed("the statement nests too deeply")
    return tuple(s["stmt"] for s in tree.get("stmts", ()) if "stmt" in s)


def parse_one(text: str) -> Node | Unparsed:
    """The single statement of ``text``."""
    found = parse(text)
    if isinstance(found, Unparsed):
        return found
    if len(found) != 1:
        return Unparsed("no statement" if not found else f"{len(found)} statements in one text")
    return found[0]


def fingerprint(text: str) -> str:
    """Equal for statements that differ in values, spelling of names' case, or length of value lists only.

    For texts the grammar refuses it is a hash of the tokens, so that these group as well.
    """
    if _refusal(text) is None:
        library = _library()
        try:
            return str(library.fingerprint(text).hex)
        except library.PgQueryError:
            return _token_hash(text)
    return _token_hash(text)


def _token_hash(text: str) -> str:
    return "x" + hashlib.sha256(normalised(text).encode(errors="replace")).hexdigest()[:15]


@functools.cache
def _library() -> Any:
    """postgast, loaded at the first use. By name, because mypy stops at its stub files."""
    importlib.import_module("postgast.native")
    return importlib.import_module("postgast")


def _refusal(text: str) -> Unparsed | None:
    """Texts that must not reach the C library."""
    if "\0" in text:
        return Unparsed("the text holds a NUL character")
    if text == HIDDEN_TEXT:
        return Unparsed("the text is hidden from this role (pg_read_all_stats shows it)")
    if len(text) > LONG_TEXT and longest_run(text) > LONGEST_RUN:
        return Unparsed("the statement nests too deeply")
    try:
        text.encode()
    except UnicodeEncodeError:
        return Unparsed("the text is not valid Unicode")
    return None


def _json_tree(text: str, library: Any) -> Node:
    """libpg_query's own JSON: four times as fast to walk as postgast's protobuf objects, and the same tree."""
    result = library.native.lib.pg_query_parse(text.encode())
    try:
        library.errors.check_error(result)
        tree: Node = msgspec.json.decode(result.parse_tree)
    finally:
        library.native.lib.pg_query_free_parse_result(result)
    return tree


def _place(text: str, cursor: int) -> tuple[int | None, int | None]:
    """Line and column of libpg_query's position, which counts bytes from 1 (0: unknown)."""
    if cursor < 1:
        return None, None
    before = text.encode()[: cursor - 1].decode(errors="ignore")
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
