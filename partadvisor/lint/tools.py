"""Which tool runs a script, and so: which part of it runs, and in a transaction or not.

Each tool is recognised by what it writes or demands itself: annotations first, then the shape of the path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

from partadvisor.lint.context import Tool

_GOOSE = re.compile(r"^[ \t]*--[ \t]*\+goose[ \t]+(\w+(?:[ \t]+\w+)*)", re.MULTILINE | re.IGNORECASE)
_DBMATE = re.compile(r"^[ \t]*--[ \t]*migrate:(up|down)\b([^\n]*)", re.MULTILINE | re.IGNORECASE)
_ALEMBIC = re.compile(r"^-- Running (?:upgrade|downgrade)\b|\balembic_version\b", re.MULTILINE)
_DJANGO = re.compile(r"^BEGIN;\s*\n--\n-- ", re.MULTILINE)
_SQITCH = re.compile(r"^-- (?:Deploy|Revert|Verify) \S+:\S+ (?:to|from|on) \w+", re.MULTILINE)
_FLYWAY = re.compile(r"(?:V[\d._]+|U[\d._]+|R|B[\d._]+)__.+\.sql", re.IGNORECASE)
_GO_MIGRATE = re.compile(r"\d+_.+\.(up|down)\.sql")
_FLYWAY_PLAIN = re.compile(
    r"\s*(?:(?:create|drop)\s+(?:database|tablespace|subscription)\b|alter\s+system\b|vacuum\b|discard\s+all\b"
    r"|(?:create|drop)\s+(?:unique\s+)?index\s+concurrently\b|reindex\b|alter\s+type\s+\S+\s+add\s+value\b)",
    re.IGNORECASE,
)
"""Statements that make Flyway leave out its transaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a file that runs by itself; ``start`` and ``end`` are character offsets."""

    name: str
    start: int
    end: int
    in_transaction: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """How a script is run."""

    tool: Tool
    sections: tuple[Section, ...]


def running(path: str, text: str, *, in_transaction: bool | None = None) -> Running:
    """How the script of that path is run; ``in_transaction`` overrules what is found."""
    found = _annotated(text) or _by_shape(path, text)
    if in_transaction is None:
        return found
    sections = tuple(
        Section(name=s.name, start=s.start, end=s.end, in_transaction=in_transaction) for s in found.sections
    )
    return Running(tool=found.tool, sections=sections)


def _annotated(text: str) -> Running | None:
    marks = [(m.start(), m.group(1).lower().split()) for m in _GOOSE.finditer(text)]
    if any(words[0] in ("up", "down") for _, words in marks):
        plain = any(words[:2] == ["no", "transaction"] for _, words in marks)
        edges = [(at, words[0], not plain) for at, words in marks if words[0] in ("up", "down")]
        return Running(tool="goose", sections=_sections(edges, len(text)))
    found = list(_DBMATE.finditer(text))
    if found:
        edges = [(m.start(), m[1].lower(), "transaction:false" not in m[2].replace(" ", "").lower()) for m in found]
        return Running(tool="dbmate", sections=_sections(edges, len(text)))
    return None


def _sections(edges: list[tuple[int, str, bool]], length: int) -> tuple[Section, ...]:
    ends = [at for at, _, _ in edges[1:]] + [length]
    return tuple(
        Section(name=name, start=at, end=end, in_transaction=inside)
        for (at, name, inside), end in zip(edges, ends, strict=True)
    )


def _by_shape(path: str, text: str) -> Running:
    name = PurePath(path).name
    whole = Section(name="", start=0, end=len(text), in_transaction=False)
    inside = Section(name="", start=0, end=len(text), in_transaction=True)
    if _FLYWAY.fullmatch(name):
        return Running(tool="flyway", sections=(inside if _flyway_transaction(text) else whole,))
    direction = _GO_MIGRATE.fullmatch(name)
    if direction:
        section = Section(name=direction[1], start=0, end=len(text), in_transaction=_several(text))
        return Running(tool="golang-migrate", sections=(section,))
    if _ALEMBIC.search(text):
        return Running(tool="alembic", sections=(whole,))
    if _SQITCH.search(text):
        return Running(tool="sqitch", sections=(_sqitch(whole, text),))
    if _DJANGO.search(text):
        return Running(tool="django", sections=(whole,))
    return Running(tool="psql", sections=(whole,))


def _sqitch(whole: Section, text: str) -> Section:
    kind = _SQITCH.search(text)
    name = "down" if kind and kind.group().startswith("-- Revert") else "up"
    return Section(name=name, start=whole.start, end=whole.end, in_transaction=False)


def _flyway_transaction(text: str) -> bool:
    """Flyway opens one, unless the script's first statement is one it knows not to work in it."""
    from partadvisor.sql.split import split

    return not any(_FLYWAY_PLAIN.match(s.text) for s in split(text).statements)


def _several(text: str) -> bool:
    """Several statements sent as one text are one transaction of the server's own."""
    from partadvisor.sql.split import split

    return len(split(text).statements) > 1
