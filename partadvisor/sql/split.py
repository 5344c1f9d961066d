"""The only statement splitter: cuts a script where psql would, and drops nothing without saying so.

Parsers either lose a whole file over one bad statement or skip the bad one silently; this cuts first, so that each
statement stands or falls alone. Knows quotes, dollar quotes, nested comments, ``BEGIN ATOMIC`` bodies, the data
after ``COPY … FROM stdin`` and psql's backslash commands.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal

from partadvisor.sql.lex import Token, tokens

_ENDS_STATEMENT = re.compile(r"\\(g|gx|gset|gexec|gdesc|watch|crosstabview|;|bind_named|sendpipeline)(?![a-z_])")
_COPY_DATA_END = re.compile(r"^\\\.[ \t]*\r?$", re.MULTILINE)
_NEWLINE = re.compile(r"\n")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its marks."""

    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement without its semicolon. Offsets are characters from 0; line and column count from 1.

    ``comments`` are those between the statement before and this one.
    """

    text: str
    start_offset: int
    line: int
    column: int
    comments: tuple[Comment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Text that is not SQL: a psql command, or the data of a COPY."""

    kind: Literal["psql command", "COPY data"]
    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Script:
    """All of a text: its statements and what is not SQL, each in order."""

    statements: tuple[Statement, ...]
    skipped: tuple[Skipped, ...]


class Lines:
    """Line and column of an offset."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(m.end() for m in _NEWLINE.finditer(text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of a character offset, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


@dataclass(slots=True)
class _Pending:
    """The statement being read."""

    start: int = -1
    end: int = -1
    depth: int = 0
    atomic: int = 0
    words: list[str] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    blanks: list[tuple[int, int]] = field(default_factory=list)
    from_stdin: bool = False

    @property
    def makes_routine(self) -> bool:
        """Whether this is CREATE [OR REPLACE] FUNCTION or PROCEDURE, the only place of BEGIN ATOMIC."""
        head = [w for w in self.words[:4] if w not in {"or", "replace"}]
        return head[:1] == ["create"] and len(head) > 1 and head[1] in {"function", "procedure"}

    def word(self, word: str) -> None:
        """Count a keyword or name."""
        if word == "stdin" and self.words[:1] == ["copy"] and self.words[-1] == "from":
            self.from_stdin = True
        if len(self.words) < 4 or self.words[0] == "copy":
            self.words.append(word)
        if self.makes_routine:
            if word == "begin" or (word == "case" and self.atomic):
                self.atomic += 1
            elif word == "end" and self.atomic:
                self.atomic -= 1


class _Splitter:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = Lines(text)
        self.pending = _Pending()
        self.statements: list[Statement] = []
        self.skipped: list[Skipped] = []

    def run(self) -> Script:
        """Read to the end; every stop is a jump over something that is not SQL."""
        at = 0
        while at < len(self.text):
            at = self._read(at)
        self._finish()
        return Script(tuple(self.statements), tuple(self.skipped))

    def _read(self, at: int) -> int:
        """Read tokens until something that is not SQL; where to go on."""
        for token in tokens(self.text, at):
            if token.kind == "backslash":
                return self._psql_command(token.start)
            if token.kind == "comment":
                if self.pending.start < 0:
                    text = self.text[token.start : token.end]
                    self.pending.comments.append(Comment(text, *self.lines.place(token.start)))
            elif token.kind != "space" and self._significant(token):
                copy = self.pending.from_stdin
                self._finish()
                if copy:
                    return self._copy_data(token.end)
        return len(self.text)

    def _significant(self, token: Token) -> bool:
        """Take one token into the statement; true when it is the semicolon that ends it."""
        pending = self.pending
        character = self.text[token.start] if token.kind == "mark" else ""
        if character == ";" and pending.depth <= 0 and not pending.atomic:
            return True
        if pending.start < 0:
            pending.start = token.start
        pending.end = token.end
        if token.kind == "word":
            pending.word(self.text[token.start : token.end].lower())
        elif character == "(":
            pending.depth += 1
        elif character == ")":
            pending.depth -= 1
        return False

    def _finish(self) -> None:
        pending, self.pending = self.pending, _Pending()
        if pending.start < 0:
            self.pending.comments = pending.comments
            return
        text = self.text[pending.start : pending.end]
        for start, end in pending.blanks:
            if end <= pending.end:
                text = text[: start - pending.start] + " " * (end - start) + text[end - pending.start :]
        line, column = self.lines.place(pending.start)
        self.statements.append(
            Statement(text=text, start_offset=pending.start, line=line, column=column, comments=tuple(pending.comments))
        )

    def _psql_command(self, at: int) -> int:
        """Skip to the end of the line; some commands send the statement read so far."""
        end = self.text.find("\n", at)
        end = len(self.text) if end < 0 else end
        ends = _ENDS_STATEMENT.match(self.text, at)
        if ends and ends.group(1) == ";":
            self._finish()
            return ends.end()
        line, column = self.lines.place(at)
        command = self.text[at:end].rstrip()
        self.skipped.append(Skipped(kind="psql command", text=command, line=line, column=column))
        if ends:
            self._finish()
        elif self.pending.start >= 0:
            self.pending.blanks.append((at, end))
        return end

    def _copy_data(self, at: int) -> int:
        """Skip the lines up to the one that ends the data."""
        newline = self.text.find("\n", at)
        if newline < 0:
            return at
        close = _COPY_DATA_END.search(self.text, newline + 1)
        end = close.start() if close else len(self.text)
        line, column = self.lines.place(min(newline + 1, len(self.text)))
        data = self.text[newline + 1 : end]
        self.skipped.append(Skipped(kind="COPY data", text=data, line=line, column=column))
        return close.end() if close else end


def split(text: str) -> Script:
    """Cut ``text`` into statements. An unclosed quote or comment makes the rest of the text one statement."""
    return _Splitter(text).run()
