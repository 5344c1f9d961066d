"""The only door to a SQL parser: libpg_query, which is PostgreSQL's own grammar.

It reads what pg_stat_statements prints (``$1,$2``, ``timestamptz $1``, ``$1 /*, … */``) and never guesses, which a
parser of many dialects does. A text with drivers' placeholders is offered to it again with ``$n`` in their place.
Nothing is raised past this module: a text is a tree or an ``Unparsed``. Trees are libpg_query's JSON as plain
dictionaries, one key a node (``{"ColumnRef": {…}}``); fields with default values are absent. Their positions are
bytes of the text that was given.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from dataclasses import dataclass
from typing import Any

from partadvisor.sql.grammar import GrammarError, fingerprint_hex, parse_tree
from partadvisor.sql.lex import longest_run, normalised, words
from partadvisor.sql.params import with_literal
from partadvisor.sql.placeholders import foreign_quoting, readings

Node = dict[str, Any]

LONG_TEXT = 20_000
"""Characters up to which no text can nest dangerously; longer ones are measured first."""
LONGEST_RUN = 20_000
"""Tokens in a row: a chain of 10,000 operators is safe, one of 100,000 overflows the C stack of libpg_query."""
_NUMBERED = re.compile(r"(?<![\w$])[^\W\d][\w$]*?[0-9]{2}[\w$]*")
_QUOTING = re.compile(r"[\"\\]|--|/\*|\$(?!\d)")
"""What makes more than a plain string of a quote, or a comment."""
_VALUE = re.compile(r"'(?:[^']|'')*+'|(?<![\w$.])[0-9][0-9.]*(?![\w.])")
_STRING = re.compile(r"'[^']*'")
_REPAIRS = 20
"""Parameters of one text that are tried as literals."""
HIDDEN_TEXT = "<insufficient privilege>"
UNLOGGED_TEXT = "<statement not logged>"
FURTHER_TEXT = "<further statements>"
_NO_TEXT = {
    HIDDEN_TEXT: "the text is hidden from this role (pg_read_all_stats shows it)",
    UNLOGGED_TEXT: "the log has the duration only (log_min_duration_statement = 0 logs the text with it)",
    FURTHER_TEXT: "of too many different statements these were not kept",
}
"""What stands where there is no text, and why."""


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
    furthest = _Refused("no reading", -1)
    for reading in readings(text):
        found = _tree_or_error(reading.text)
        if not isinstance(found, _Refused):
            return reading.placed(found)
        place = reading.original(found.position)
        if place >= furthest.position:
            furthest = _Refused(reading.reason(found.reason, found.position), place)
    return _unparsed(text, furthest)


@dataclass(frozen=True, slots=True)
class _Refused:
    """The grammar's answer; ``position`` counts characters from 0, -1 for unknown."""

    reason: str
    position: int


def _unparsed(text: str, refused: _Refused) -> Unparsed:
    reason, position = foreign_quoting(text, refused.position) or (refused.reason, refused.position)
    return Unparsed(reason, *_place(text, position + 1))


def _tree_or_error(text: str) -> tuple[Node, ...] | _Refused:
    found = _grammar(text)
    for _ in range(_REPAIRS):
        repaired = with_literal(text, found.position) if isinstance(found, _Refused) else None
        if repaired is None:
            break
        text, found = repaired, _grammar(repaired)
    return found


def _grammar(text: str) -> tuple[Node, ...] | _Refused:
    try:
        tree = parse_tree(text)
    except GrammarError as error:
        return _Refused(error.message, error.cursor - 1)
    except RecursionError:
        return _Refused("the statement nests too deeply", -1)
    return tuple(s["stmt"] for s in tree.get("stmts", ()) if "stmt" in s)


def parse_one(text: str) -> Node | Unparsed:
    """The single statement of ``text``."""
    found = parse(text)
    if isinstance(found, Unparsed):
        return found
    if len(found) != 1:
        return Unparsed("no statement" if not found else f"{len(found)} statements in one text")
    return found[0]


def reads_as(text: str) -> str:
    """The text with ``$n`` for drivers' placeholders, as ``parse`` understands it; as it is when nothing is."""
    if _refusal(text) is None:
        for reading in readings(text):
            if not isinstance(_tree_or_error(reading.text), _Refused):
                return reading.text
    return text


def fingerprint(text: str) -> str:
    """Equal for statements that differ in values, spaces, case of names, or length of value lists only.

    For texts the grammar refuses it is a hash of the tokens, so that these group as well. libpg_query drops numbers
    in table names, as if ``orders_2025`` and ``orders_2026`` were one table; here they are two.
    """
    if _refusal(text) is not None:
        return _token_hash(text)
    for reading in readings(text):
        try:
            return f"{fingerprint_hex(reading.text)}{_numbered_names(reading.text)}"
        except GrammarError:
            continue
    return _token_hash(text)


def outline(text: str) -> str:
    """The text without its values: what is equal here has one fingerprint, and this is twenty times as fast."""
    return text if _QUOTING.search(text) else _VALUE.sub("?", text)


def _numbered_names(text: str) -> str:
    """A suffix that tells apart texts whose names differ in numbers; empty when no name has one."""
    if not _NUMBERED.search(text):
        return ""
    if _QUOTING.search(text):
        found = {w.lower() for w in words(text) if _NUMBERED.fullmatch(w)}
    else:  # nothing but plain strings can hide a name: most texts, and forty times as fast as their tokens
        found = {w.lower() for w in _NUMBERED.findall(_STRING.sub("''", text))}
    names = sorted(found)
    return f"-{zlib.crc32(' '.join(names).encode()):08x}" if names else ""


def _token_hash(text: str) -> str:
    return "x" + hashlib.sha256(normalised(text).encode(errors="replace")).hexdigest()[:15]


def _refusal(text: str) -> Unparsed | None:
    """Texts that must not reach the C library."""
    if "\0" in text:
        return Unparsed("the text holds a NUL character")
    if text in _NO_TEXT:
        return Unparsed(_NO_TEXT[text])
    if len(text) > LONG_TEXT and longest_run(text) > LONGEST_RUN:
        return Unparsed("the statement nests too deeply")
    try:
        text.encode()
    except UnicodeEncodeError:
        return Unparsed("the text is not valid Unicode")
    return None


def _place(text: str, cursor: int) -> tuple[int | None, int | None]:
    """Line and column of an error's position, which counts characters from 1 (0: unknown), unlike those in trees."""
    if cursor < 1:
        return None, None
    before = text[: cursor - 1]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
