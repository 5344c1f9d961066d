"""Tokens of SQL text as the server's scanner cuts them, without judging whether they make sense.

Splitting a script, hashing an unparsable text and measuring how deep a text nests need tokens, not a tree.
Runs in time linear in the text: every pattern is possessive, and each character is looked at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

TokenKind = Literal["space", "comment", "string", "quoted", "word", "parameter", "number", "mark", "backslash"]

_TOKEN = re.compile(
    r"""(?P<space>\s++)
      | (?P<comment>--[^\n\r]*+)
      | (?P<block>/\*)
      | (?P<escape>[eE]'(?:[^'\\]|\\.|'')*+(?P<escape_end>')?)
      | (?P<plain>(?:[uU]&|[bBxXnN])?'(?:[^']|'')*+(?P<plain_end>')?)
      | (?P<quoted>(?:[uU]&)?"(?:[^"]|"")*+(?P<quoted_end>")?)
      | (?P<word>[^\W\d][\w$]*+)
      | (?P<dollar>\$(?:[^\W\d]\w*+)?\$)
      | (?P<parameter>\$\d++)
      | (?P<number>(?:\d[\w.]*+|\.\d[\w.]*+)(?:(?<=[eE])[+-]\d++)?+)
      | (?P<backslash>\\)
      | (?P<mark>[-+*/<>=~!@\#%^&|`?]|::|.)""",
    re.VERBOSE | re.DOTALL,
)
_BLOCK_EDGE = re.compile(r"/\*|\*/")


class Token(NamedTuple):
    """One token; ``closed`` is false for a quote or comment that runs into the end of the text."""

    kind: TokenKind
    start: int
    end: int
    closed: bool = True


def tokens(text: str, start: int = 0) -> Iterator[Token]:
    """All tokens from ``start`` on, spaces and comments included; together they cover the text."""
    at = start
    end = len(text)
    while at < end:
        token = _token(text, at)
        yield token
        at = token.end


def _token(text: str, at: int) -> Token:
    match = _TOKEN.match(text, at)
    kind = match.lastgroup if match else "mark"
    if match is None or kind is None:  # cannot be: the last alternative takes any character
        return Token("mark", at, at + 1)
    if kind == "block":
        return _block_comment(text, at)
    if kind == "dollar":
        return _dollar_quoted(text, at, match.group())
    if kind in {"escape", "plain"}:
        return Token("string", at, match.end(), match.group(f"{kind}_end") is not None)
    if kind == "quoted":
        return Token("quoted", at, match.end(), match.group("quoted_end") is not None)
    return Token(kind, at, match.end())  # type: ignore[arg-type]


def _block_comment(text: str, at: int) -> Token:
    """Comments nest in PostgreSQL."""
    depth = 0
    for edge in _BLOCK_EDGE.finditer(text, at):
        depth += 1 if edge.group() == "/*" else -1
        if depth == 0:
            return Token("comment", at, edge.end())
    return Token("comment", at, len(text), closed=False)


def _dollar_quoted(text: str, at: int, tag: str) -> Token:
    close = text.find(tag, at + len(tag))
    if close < 0:
        return Token("string", at, len(text), closed=False)
    return Token("string", at, close + len(tag))


def words(text: str) -> set[str]:
    """Names and keywords of the text, quoted ones without their quotes, unquoted ones in lower case."""
    found: set[str] = set()
    for token in tokens(text):
        if token.kind == "word":
            found.add(text[token.start : token.end].lower())
        elif token.kind == "quoted":
            found.add(text[token.start : token.end].strip('"'))
    return found


def longest_run(text: str) -> int:
    """The largest number of tokens in a row on one level of parentheses without a comma or semicolon.

    Chained operators (``a || b || c …``) make a tree as deep as the chain is long, and nothing else does without
    the parser's own limit: this bounds the depth of any tree.
    """
    longest = 0
    runs = [0]
    for token in tokens(text):
        if token.kind in {"space", "comment"}:
            continue
        character = text[token.start] if token.kind == "mark" else ""
        if character in {",", ";"}:
            runs[-1] = 0
        elif character in {"(", "["}:
            runs.append(0)
        elif character in {")", "]"} and len(runs) > 1:
            runs.pop()
        runs[-1] += 1
        longest = max(longest, runs[-1])
    return longest


def normalised(text: str) -> str:
    """The text with spaces, comments and case evened out and every value as ``?``."""
    parts: list[str] = []
    for token in tokens(text):
        if token.kind in {"space", "comment"}:
            continue
        if token.kind in {"string", "parameter", "number"}:
            parts.append("?")
        else:
            written = text[token.start : token.end]
            parts.append(written.lower() if token.kind == "word" else written)
    return " ".join(parts)
