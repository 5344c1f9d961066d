"""Schemes as text, both ways: ``hash(w_id) into 16`` is the identity of a scheme in options, outputs and plans.

    scheme := level [ "," level ]
    level  := "hash" "(" columns ")" "into" MODULUS
            | "range" "(" columns ")" ( "by" INTERVAL | "by" STEP | "at" "(" values ")" | "from" value | "from" "now" )
            | "list" "(" column ")" [ "in" "(" group { "," group } ")" ]
    group  := "(" values ")"

Identifiers follow SQL: unquoted ones fold to lower case, double quotes keep them as they are. Values are numbers,
bare words, or string literals; in a list group a bare ``null`` is NULL.
"""

from __future__ import annotations

import difflib
import re
from typing import NamedTuple, get_args

from partadvisor.model.errors import UsageError
from partadvisor.model.scheme import HashLevel, Interval, Level, ListLevel, RangeLevel, Scheme

_EXAMPLES = {
    "hash": "hash(w_id) into 16",
    "range": "range(created_at) by month",
    "list": "list(region)",
}
_INTERVALS: tuple[Interval, ...] = get_args(Interval)
MAX_MODULUS = 10_000
"""Each partition is a relation to be opened, locked and kept in every session's cache: a few thousand are the limit."""
_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<quoted>"(?:[^"]|"")*+")
      | (?P<string>'(?:[^']|'')*+')
      | (?P<word>[\w$.:+-]+)
      | (?P<mark>[(),])""",
    re.VERBOSE,
)
_IDENTIFIER = re.compile(r"[^\W\d][\w$]*")
_BARE_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_$]*")
_BARE_VALUE = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_WHOLE_NUMBER = re.compile(r"[0-9]+(_[0-9]+)*")


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


class _Reader:
    """Tokens of one scheme text, with errors that point at the place."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._tokens())
        self.index = 0

    def _tokens(self) -> list[_Token]:
        found: list[_Token] = []
        at = 0
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if match is None or match.lastgroup is None:
                what = "unterminated quote" if self.text[at] in "'\"" else f"unexpected character {self.text[at]!r}"
                raise self.error(what, at)
            if match.lastgroup != "space":
                found.append(_Token(match.lastgroup, match.group(), at))
            at = match.end()
        found.append(_Token("end", "", len(self.text)))
        return found

    @property
    def token(self) -> _Token:
        return self.tokens[self.index]

    def error(self, what: str, at: int | None = None, hint: str | None = None) -> UsageError:
        position = self.token.start if at is None else at
        return UsageError(
            f'invalid scheme "{self.text}": {what}',
            detail=f"{self.text}\n{' ' * position}^",
            hint=hint or f"Write it like: {_EXAMPLES['hash']}, or: range(created_at) by month, hash(device_id) into 8",
        )

    def next(self) -> _Token:
        token = self.token
        self.index += token.kind != "end"
        return token

    def seen(self) -> str:
        """The present token, as an error names it."""
        return f'"{self.token.text}"' if self.token.text else "the end"

    def accept(self, text: str) -> bool:
        """Step over a mark or keyword if it is next."""
        if self.token.kind in {"word", "mark"} and self.token.text.lower() == text:
            self.index += 1
            return True
        return False

    def expect(self, text: str, hint: str | None = None) -> None:
        if not self.accept(text):
            raise self.error(f'expected "{text}", found {self.seen()}', hint=hint)


def parse_scheme(text: str) -> Scheme:
    """The scheme that ``text`` describes.

    Raises:
        UsageError: not a scheme; the detail points at the place, the hint shows a right one.
    """
    reader = _Reader(text)
    levels: list[Level] = [_level(reader)]
    while reader.token.kind != "end":
        if reader.token.text != ",":
            raise reader.error(f'expected "," and a second level, or the end, found {reader.seen()}')
        if len(levels) == 2:
            raise reader.error("a scheme has at most two levels")
        reader.next()
        start = reader.token.start
        level = _level(reader)
        if isinstance(level, RangeLevel) and level.start is not None:
            raise reader.error('"from" is possible on the first level only', start)
        levels.append(level)
    return Scheme(levels=tuple(levels))


def _level(reader: _Reader) -> Level:
    word = reader.token.text.lower()
    if reader.token.kind != "word" or word not in _EXAMPLES:
        near = difflib.get_close_matches(word, _EXAMPLES, n=1)
        hint = f"Did you mean: {_EXAMPLES[near[0]]}" if near else None
        raise reader.error(f'expected "hash", "range" or "list", found {reader.seen()}', hint=hint)
    reader.next()
    if word == "hash":
        return _hash(reader)
    return _range(reader) if word == "range" else _list(reader)


def _hash(reader: _Reader) -> HashLevel:
    columns = _columns(reader)
    reader.expect("into", hint=f"Say how many partitions: {_EXAMPLES['hash']}")
    at = reader.token.start
    modulus = _whole_number(reader, "a number of partitions")
    if modulus < 2:
        raise reader.error("a hash key needs at least 2 partitions", at)
    if modulus > MAX_MODULUS:
        raise reader.error(f"more than {MAX_MODULUS:,} partitions", at, hint="A few dozen split any insert queue.")
    return HashLevel(columns=columns, modulus=modulus)


def _range(reader: _Reader) -> RangeLevel:
    columns = _columns(reader)
    if reader.accept("by"):
        return _range_by(reader, columns)
    if reader.accept("at"):
        values = _values(reader)
        bounds = tuple(v for v in values if v is not None)
        if len(bounds) < len(values):
            raise reader.error("a range bound cannot be null", reader.tokens[reader.index - 1].start)
        return RangeLevel(columns=columns, at=bounds)
    if reader.accept("from"):
        bare_now = reader.token.kind == "word" and reader.token.text.lower() == "now"
        value = _value(reader)
        if value is None:
            raise reader.error("a range bound cannot be null", reader.tokens[reader.index - 1].start)
        return RangeLevel(columns=columns, start="" if bare_now else value)
    raise reader.error(
        f'expected "by", "at" or "from", found {reader.seen()}',
        hint="Say where to cut: range(ts) by month, range(id) by 1000000, range(id) at (100, 200), range(id) from now",
    )


def _range_by(reader: _Reader, columns: tuple[str, ...]) -> RangeLevel:
    word = reader.token.text.lower()
    for interval in _INTERVALS:
        if reader.accept(interval):
            return RangeLevel(columns=columns, interval=interval)
    if not _WHOLE_NUMBER.fullmatch(word):
        near = difflib.get_close_matches(word, _INTERVALS, n=1)
        hint = (
            f"Did you mean: by {near[0]}" if near else f"Intervals are {', '.join(_INTERVALS)}; or a step: by 1000000"
        )
        raise reader.error(f"expected an interval or a step, found {reader.seen()}", hint=hint)
    at = reader.token.start
    step = _whole_number(reader, "a step")
    if step < 1:
        raise reader.error("a step is at least 1", at)
    return RangeLevel(columns=columns, step=step)


def _list(reader: _Reader) -> ListLevel:
    at = reader.token.start
    columns = _columns(reader)
    if len(columns) > 1:
        raise reader.error("a list key is one column", at)
    if not reader.accept("in"):
        return ListLevel(columns=columns)
    reader.expect("(", hint="Write the groups like: list(region) in (('eu', 'uk'), ('us'))")
    groups = [_values(reader)]
    while reader.accept(","):
        groups.append(_values(reader))
    reader.expect(")")
    every = [value for group in groups for value in group]
    if len(set(every)) < len(every):
        twice = next(value for value in every if every.count(value) > 1)
        raise reader.error(f"the value {'null' if twice is None else repr(twice)} is in the list twice", at)
    return ListLevel(columns=columns, values=tuple(groups))


def _columns(reader: _Reader) -> tuple[str, ...]:
    reader.expect("(")
    columns = [_identifier(reader)]
    while reader.accept(","):
        at = reader.token.start
        column = _identifier(reader)
        if column in columns:
            raise reader.error(f'column "{column}" is named twice', at)
        columns.append(column)
    reader.expect(")")
    return tuple(columns)


def _identifier(reader: _Reader) -> str:
    token = reader.token
    if token.kind == "quoted" and len(token.text) > 2:
        reader.next()
        return token.text[1:-1].replace('""', '"')
    if token.kind == "word" and _IDENTIFIER.fullmatch(token.text):
        reader.next()
        return fold(token.text)
    raise reader.error(f"expected a column name, found {reader.seen()}")


def fold(identifier: str) -> str:
    """An unquoted identifier as the server reads it: only A to Z become lower case in a UTF8 database."""
    return "".join(c.lower() if c.isascii() else c for c in identifier)


def _values(reader: _Reader) -> tuple[str | None, ...]:
    reader.expect("(")
    values = [_value(reader)]
    while reader.accept(","):
        values.append(_value(reader))
    reader.expect(")")
    return tuple(values)


def _value(reader: _Reader) -> str | None:
    token = reader.token
    if token.kind == "string":
        reader.next()
        return token.text[1:-1].replace("''", "'")
    if token.kind != "word":
        raise reader.error(f"expected a value, found {reader.seen()}")
    reader.next()
    return None if token.text.lower() == "null" else token.text


def _whole_number(reader: _Reader, what: str) -> int:
    if not _WHOLE_NUMBER.fullmatch(reader.token.text):
        raise reader.error(f"expected {what}, found {reader.seen()}")
    return int(reader.next().text)


def scheme_text(scheme: Scheme) -> str:
    """The one spelling of ``scheme``; ``parse_scheme`` gives the same scheme back."""
    return ", ".join(_level_text(level) for level in scheme.levels)


def _level_text(level: Level) -> str:
    columns = ", ".join(_identifier_text(c) for c in level.columns)
    if isinstance(level, HashLevel):
        return f"hash({columns}) into {level.modulus}"
    if isinstance(level, RangeLevel):
        return f"range({columns}) {_cut_text(level)}"
    if not level.values:
        return f"list({columns})"
    groups = ", ".join(f"({', '.join(_value_text(v) for v in group)})" for group in level.values)
    return f"list({columns}) in ({groups})"


def _cut_text(level: RangeLevel) -> str:
    if level.start is not None:
        return f"from {_value_text(level.start) if level.start else 'now'}"
    if level.at:
        return f"at ({', '.join(_value_text(v) for v in level.at)})"
    return f"by {level.interval or level.step}"


def _identifier_text(name: str) -> str:
    return name if _BARE_IDENTIFIER.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def _value_text(value: str | None) -> str:
    if value is None:
        return "null"
    return value if _BARE_VALUE.fullmatch(value) else "'" + value.replace("'", "''") + "'"
