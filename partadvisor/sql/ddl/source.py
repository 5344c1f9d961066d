"""A statement's text and its place in the file: spans, names and expressions are cut from it by position.

Trees tell where things begin, as bytes, and never where they end; the ends come from the tokens.
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from partadvisor.model.ddl_parts import Name, Span
from partadvisor.sql.lex import tokens
from partadvisor.sql.parse import Node


class Tok(NamedTuple):
    """A token that is neither space nor comment; ``word`` is lower case, "" for what is no word or mark."""

    start: int
    end: int
    depth: int
    word: str
    name: str


def _unquoted(text: str) -> str:
    return text[1:-1].replace('""', '"')


@dataclass(frozen=True)
class Source:
    """``start`` is where ``text`` begins in the file. ``fixed``: not to be found there; all spans are this one."""

    text: str
    start: int = 0
    fixed: Span | None = None

    @functools.cached_property
    def _bytes(self) -> bytes | None:
        return None if self.text.isascii() else self.text.encode()

    def char(self, location: int) -> int:
        """The character offset of a tree's location."""
        if self._bytes is None:
            return location
        return len(self._bytes[:location].decode(errors="ignore"))

    def span(self, start: int, end: int) -> Span:
        """Characters of this text as a place in the file."""
        if self.fixed is not None:
            return self.fixed
        return Span(start=self.start + start, end=self.start + max(start, end))

    @functools.cached_property
    def whole(self) -> Span:
        """The place of the whole statement."""
        return self.span(0, len(self.text))

    @functools.cached_property
    def toks(self) -> tuple[Tok, ...]:
        """The significant tokens; ``depth`` of a parenthesis is the one outside of it."""
        found: list[Tok] = []
        depth = 0
        for kind, start, end, _closed in tokens(self.text):
            if kind in ("space", "comment"):
                continue
            text = self.text[start:end]
            if kind == "mark":
                if text in ")]":
                    depth -= 1
                found.append(Tok(start, end, depth, text, ""))
                if text in "([":
                    depth += 1
            elif kind == "word":
                found.append(Tok(start, end, depth, text.lower(), text.lower()))
            else:
                found.append(Tok(start, end, depth, "", _unquoted(text) if kind == "quoted" else ""))
        return tuple(found)

    @functools.cached_property
    def _starts(self) -> list[int]:
        return [t.start for t in self.toks]

    def index_at(self, position: int) -> int:
        """The number of the first token at or after a character."""
        return bisect_left(self._starts, position)

    def name_at(self, position: int, name: str, schema: str | None) -> Name:
        """The name that begins at a character, with its place."""
        at = self.index_at(position)
        end = position
        for number in range(at, len(self.toks)):
            token = self.toks[number]
            if (number - at) % 2 == 1 and token.word != ".":
                break
            end = token.end
        return Name(name=name, schema=schema, span=self.span(position, end))

    def range_var(self, body: Node) -> Name:
        """A RangeVar as a name."""
        location = body.get("location", -1)
        name, schema = body.get("relname", ""), body.get("schemaname")
        if location < 0:
            return self.find_name([p for p in (schema, name) if p])
        return self.name_at(self.char(location), name, schema)

    def find_name(self, parts: Iterable[str], after: int = 0) -> Name:
        """A name of which the tree tells no place: the first that reads the same, from a character on."""
        wanted = list(parts)[-2:] or [""]
        schema = wanted[0] if len(wanted) > 1 else None
        for number in range(self.index_at(after), len(self.toks)):
            if self.toks[number].name == wanted[0] and self._reads(number, wanted):
                end = self.toks[number + 2 * len(wanted) - 2].end
                return Name(name=wanted[-1], schema=schema, span=self.span(self.toks[number].start, end))
        return Name(name=wanted[-1], schema=schema, span=self.whole)

    def _reads(self, number: int, wanted: list[str]) -> bool:
        for step, part in enumerate(wanted):
            at = number + 2 * step
            if at >= len(self.toks) or self.toks[at].name != part:
                return False
            if step and self.toks[at - 1].word != ".":
                return False
        return True

    def extent(self, start: int, stops: frozenset[str] = frozenset()) -> int:
        """The end of what begins at ``start``: a comma or one of ``stops`` on its level, or the end of the level."""
        at = self.index_at(start)
        if at >= len(self.toks):
            return len(self.text)
        level, end = self.toks[at].depth, self.toks[at].end
        for token in self.toks[at:]:
            if token.depth < level or (token.depth == level and (token.word in (",", ";") or token.word in stops)):
                break
            end = token.end
        return end

    def piece(self, start: int, stops: frozenset[str] = frozenset()) -> str:
        """The text of that extent."""
        return self.text[start : self.extent(start, stops)]

    def after_word(self, word: str, start: int = 0, end: int | None = None) -> int | None:
        """Where the token after a keyword begins, which stands on the level of ``start``."""
        at = self.index_at(start)
        level = self.toks[at].depth if at < len(self.toks) else 0
        for number in range(at, len(self.toks) - 1):
            token = self.toks[number]
            if end is not None and token.start >= end:
                return None
            if token.word == word and token.depth == level:
                return self.toks[number + 1].start
        return None

    def parts(self, start: int, end: int | None = None) -> Iterator[tuple[int, int]]:
        """The pieces between commas on the level of ``start``, as character ranges."""
        stop = len(self.text) if end is None else end
        while start < stop:
            at = self.index_at(start)
            if at >= len(self.toks):
                return
            begin = self.toks[at].start
            finish = self.extent(begin)
            yield begin, finish
            following = self.index_at(finish)
            if following >= len(self.toks) or self.toks[following].word != ",":
                return
            start = self.toks[following].end


def leftmost(node: object) -> int:
    """The smallest location in a tree: where an expression begins, but for parentheses around it. -1: none."""
    best = -1
    waiting = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, dict):
            location = item.get("location")
            if isinstance(location, int) and location >= 0 and (best < 0 or location < best):
                best = location
            waiting += [v for v in item.values() if isinstance(v, (dict, list))]
    return best
