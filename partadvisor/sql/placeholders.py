"""Statements as applications write them: placeholders of drivers read as PostgreSQL's ``$n``.

Drivers replace ``%s``, ``%(name)s``, ``?``, ``:name`` and ``@name`` before the server sees a text, psql replaces
``:'name'``; PostgreSQL's grammar knows none of them. sqlglot's tokenizer says where strings, quoted names and comments
end. A reading is only an offer: the grammar decides whether it is taken, and places found in it are given back as
places of the text the user wrote, which is the one that is shown.

One text seldom mixes styles, so each style is tried alone first. That keeps ``?`` of jsonb an operator in a text whose
placeholders are ``:name``.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Style = Literal["percent", "question", "colon", "at"]

LONGEST = 100_000
"""Characters of the longest text that is read again, which takes about a second where placeholders are dense."""

_FORMS: dict[Style, re.Pattern[str]] = {
    "percent": re.compile(r"%(?:%|[sbt]\b|\((?P<name>[^()]+)\)[sbt]\b)"),
    "question": re.compile(r"\?(?:\?|(?!\|(?!\|)|&(?!&))(?P<name>\d+)?)"),  # `?|` and `?&` stay, but `?||` joins texts
    "colon": re.compile(r"(?<![:\w)\]'\"]):(?:(?P<name>\w+)|'(?P<value>[^'\n]+)'|\"(?P<quoted>[^\"\n]+)\")"),
    "at": re.compile(r"(?<![\w@])@(?P<name>[^\W\d]\w*)"),
}
_BY_MARK: dict[str, Style] = {"%": "percent", "?": "question", ":": "colon", "@": "at"}
_ESCAPED = {"%%": "% ", "??": " ?"}
"""Operators that drivers want doubled → what the server gets, of the same length."""

_UNMEANT: dict[Style, re.Pattern[str]] = {
    "percent": re.compile(r"[=<>+*/|-]%(?:\(\w+\))?s\b"),
    "question": re.compile(
        r"(?:[=<>(,]|\b(?:and|or|between|select|when|then|else)\s)\s*\?\s+[-+]|\s\?\d|\bi?like\s+\?\s", re.IGNORECASE
    ),
    "at": re.compile(
        r"[=>]@[^\W\d]|\b(?:limit|offset|values\s*\()\s*@[^\W\d]|\b(\w+)\"?\s*(?:[<>!]?=|<>|<|>)\s*@\1\b", re.IGNORECASE
    ),
}
"""What the grammar takes but no one means: operators ``=%`` and ``=@``, a prefix operator ``?`` of a sign,
a digit or ESCAPE, and ``@`` (absolute value) of a column where there is none or of the very column compared with it."""

_BEFORE_VALUE = re.compile(
    "all|and|as|between|by|case|date|distinct|else|escape|except|first|for|from|having|i?like|in|intersect|interval|is|"
    "limit|next|not|offset|on|or|over|range|returning|rows|select|set|similar|symmetric|then|time|timestamp|"
    "timestamptz|to|union|using|values|when|where|zone"
)
"""Words after which a value comes, so that ``?`` is no operator there."""

_NUMBER = re.compile(r"\$([0-9]{1,9})")
_NAME_IN_BRACKETS = re.compile(r"\[[^\W\d][\w ]*\]")
_NEAR = re.compile(r'at or near ".*"$', re.DOTALL)
_POSITION_KEYS = ("list_start", "list_end")


class Edit(NamedTuple):
    """Characters ``start`` to ``end`` of the user's text and what is read in their place."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A text the grammar may take for the user's; ``edits`` are in order and do not overlap."""

    text: str
    edits: tuple[Edit, ...] = ()
    written: str = ""

    def original(self, position: int) -> int:
        """The character of the user's text for a character of this one, both from 0; -1 (unknown) stays."""
        return _Positions(self, len).original(position)

    def reason(self, message: str, position: int) -> str:
        """An error's message, in the user's words when it is about a placeholder."""
        place = self.original(position)
        for edit in self.edits:
            near = _NEAR.search(message) if edit.start == place else None
            if near:
                return f'{message[: near.start()]}at or near "{self.written[edit.start : edit.end]}"'
        return message

    def placed(self, tree: tuple[dict[str, Any], ...]) -> tuple[dict[str, Any], ...]:
        """The tree, its positions (bytes) changed to those of the user's text."""
        if not self.edits:
            return tree
        positions = _Positions(self, lambda part: len(part.encode()))
        waiting: list[Any] = list(tree)
        while waiting:
            body = waiting.pop()
            if isinstance(body, list):
                waiting += body
                continue
            for key, value in body.items():
                if isinstance(value, (dict, list)):
                    waiting.append(value)
                elif key.endswith("location") or key.endswith(_POSITION_KEYS):
                    body[key] = positions.original(value)
        return tree


class _Positions:
    """From places of a reading to places of the user's text, in characters or bytes as ``size`` counts them.

    A place inside a replacement is the start of what was replaced.
    """

    def __init__(self, reading: Reading, size: Callable[[str], int]) -> None:
        self._read, self._written, self._fixed = [0], [0], [False]
        at = 0
        for edit in reading.edits:
            same = size(reading.written[at : edit.start])
            self._add(self._read[-1] + same, self._written[-1] + same, fixed=True)
            seen = size(reading.written[edit.start : edit.end])
            self._add(self._read[-1] + size(edit.text), self._written[-1] + seen, fixed=False)
            at = edit.end

    def _add(self, read: int, written: int, *, fixed: bool) -> None:
        self._read.append(read)
        self._written.append(written)
        self._fixed.append(fixed)

    def original(self, position: int) -> int:
        if position < 0:
            return position
        at = bisect_right(self._read, position) - 1
        return self._written[at] + (0 if self._fixed[at] else position - self._read[at])


def readings(text: str) -> Iterator[Reading]:
    """The text as it is, then what an application may mean by it; lazily, so that most texts cost two searches.

    A text the grammar would take for something no one means comes as placeholders first.
    """
    unmeant = _unmeant(text)
    if unmeant:
        yield from _rereadings(text, unmeant)
    yield Reading(text)
    yield from _rereadings(text, tuple(s for s, form in _FORMS.items() if form.search(text)))


def _unmeant(text: str) -> tuple[Style, ...]:
    marked = [_BY_MARK[mark] for mark in "%?@" if mark in text]
    return tuple(s for s in marked if _FORMS[s].search(text) and _UNMEANT[s].search(text))


def _rereadings(text: str, styles: tuple[Style, ...]) -> Iterator[Reading]:
    """Each style alone, then all together; ``?`` first where it cannot be an operator, then everywhere."""
    tokens = _tokens(text, "postgres") if styles and len(text) <= LONGEST else None
    if not tokens:
        return
    attempts = [(s,) for s in styles] + ([styles] if len(styles) > 1 else [])
    seen = {text}
    for chosen in attempts:
        for everywhere in (False, True) if "question" in chosen else (False,):
            reading = _rewritten(text, _Scan(text, chosen, everywhere).edits(tokens))
            if reading.text not in seen:
                seen.add(reading.text)
                yield reading


def _tokens(text: str, dialect: str) -> list[tuple[int, int]] | None:
    """First character and the one after the last of every token but comments; None when a quote does not end."""
    from sqlglot.errors import TokenError

    try:
        return [(t.start, t.end + 1) for t in _tokenizer(dialect)().tokenize(text)]
    except TokenError:
        return None


@functools.cache
def _tokenizer(dialect: str) -> Any:
    """A dialect's tokenizer that goes on after words like CALL and EXPLAIN, whose rest sqlglot keeps as one string."""
    from sqlglot.dialects.dialect import Dialect

    return type("Tokenizer", (Dialect.get_or_raise(dialect).tokenizer_class,), {"COMMANDS": set()})


class _Scan:
    """One walk over the tokens that knows whether a value has just ended and which brackets are open."""

    def __init__(self, text: str, styles: tuple[Style, ...], everywhere: bool) -> None:
        self._text, self._styles, self._everywhere = text, styles, everywhere
        self._used = {int(n) for n in _NUMBER.findall(text)}
        self._numbers: dict[str, int] = {}
        self._last = 0
        self._after_value = False
        self._word = ""
        self._subscripts: list[bool] = []

    def edits(self, tokens: list[tuple[int, int]]) -> tuple[Edit, ...]:
        found: list[Edit] = []
        for start, end in tokens:
            if found and start < found[-1].end:
                continue
            match = self._placeholder(start)
            if match is None:
                self._pass(self._text[start:end])
                continue
            found.append(self._edit(match))
            self._after_value = match.group() not in _ESCAPED
            self._word = ""
        return tuple(found)

    def _placeholder(self, start: int) -> re.Match[str] | None:
        style = _BY_MARK.get(self._text[start])
        if style is None or style not in self._styles:
            return None
        match = _FORMS[style].match(self._text, start)
        if match is None or match.group() in _ESCAPED:
            return match
        if style == "question" and self._after_value and not self._everywhere:
            return None
        slices = style == "colon" and self._after_value and bool(self._subscripts) and self._subscripts[-1]
        return None if slices else match

    def _pass(self, token: str) -> None:
        """Go over a token that stays."""
        if token == "[":  # noqa: S105
            self._subscripts.append(self._after_value and self._word != "array")
        elif token == "]" and self._subscripts:  # noqa: S105
            self._subscripts.pop()
        last = token[-1]
        self._word = token.lower() if last.isalnum() or last == "_" else ""
        self._after_value = not _BEFORE_VALUE.fullmatch(self._word) if self._word else last in ")]'\"$"

    def _edit(self, match: re.Match[str]) -> Edit:
        start, end = match.span()
        if match.group() in _ESCAPED:
            return Edit(start, end, _ESCAPED[match.group()])
        parameter = f"${self._number(match)}"
        if self._word == "in":  # a list bound as one value: two parameters say that it has several
            parameter = f"({parameter}, ${self._next()})"
        before, after = self._text[start - 1 : start], self._text[end : end + 1]
        return Edit(start, end, f"{' ' * _joins(before)}{parameter}{' ' * _joins(after)}")

    def _number(self, match: re.Match[str]) -> int:
        name = next((n for n in match.groups() if n), None)
        if name is None:
            return self._next()
        return self._numbers.get(name) or self._numbers.setdefault(name, self._next())

    def _next(self) -> int:
        self._last += 1
        while self._last in self._used:
            self._last += 1
        return self._last


def _joins(neighbour: str) -> bool:
    """Whether a parameter next to this character would become part of another token."""
    return neighbour.isalnum() or neighbour in {"_", "$"}


def _rewritten(text: str, edits: tuple[Edit, ...]) -> Reading:
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += (text[at : edit.start], edit.text)
        at = edit.end
    return Reading("".join((*parts, text[at:])), edits, text)


def foreign_quoting(text: str, error: int) -> tuple[str, int] | None:
    """Why a refused text is another product's, and the character where it shows; None when it does not.

    Args:
        text: what the grammar refused.
        error: the character it stopped at, from 0, -1 for unknown. A fault before the first backtick is its own.
    """
    if "`" in text and (error < 0 or text.index("`") <= error):
        mark, dialect, name, first = "`", "mysql", "backtick", 0
    elif text[error : error + 1] == "[" and _NAME_IN_BRACKETS.match(text, error):
        mark, dialect, name, first = "[", "tsql", "bracket", error
    else:
        return None
    for start, end in _tokens(text, dialect) or () if len(text) <= LONGEST else ():
        if start >= first and text[start] == mark and end - start > 2:
            return f"{text[start:end]}: {name} quoting is not PostgreSQL's", start
    return None
