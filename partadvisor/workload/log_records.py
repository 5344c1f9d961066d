"""Server logs as records: stderr with any prefix, csvlog and jsonlog, one message with its DETAIL a record.

Everything is an iterator over lines, so that a log bigger than memory is no trouble. A record that the end of the file
cuts is left out and counted: half a statement may well be another statement.
"""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, Literal, NamedTuple

import msgspec

from partadvisor.pg.log_prefix import Origin, Prefix, detect, of_setting
from partadvisor.pg.log_statements import find_statement, labels

LogFormat = Literal["stderr", "csv", "json"]

_HEAD_LINES = 400
_LONGEST_PREFIX = 500
_ENCODINGS = ("utf-8", "latin-1", "cp1251", "koi8-r", "euc-jp", "euc-kr", "gb18030")
_CSV_START = re.compile(r'^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [\w+:-]*,(?:"[^"]*")?,(?:"[^"]*")?,\d*,')
_CSV_DATABASE, _CSV_PID, _CSV_SESSION, _CSV_SEVERITY, _CSV_MESSAGE, _CSV_DETAIL, _CSV_LEAST = 2, 3, 5, 11, 13, 14, 23
_JSON_KEYS = ("error_severity", "message")
_BEGINS = frozenset(["log", "error", "severity"])
_FAILED = frozenset(["ERROR", "FATAL", "PANIC"])
_NOT_SQL = re.compile(r"\s*--")


class LogRecord(NamedTuple):
    """A message. ``failed`` when it is an error, after which the session's statement has no duration."""

    message: str
    detail: str = ""
    origin: Origin = Origin()
    failed: bool = False


class Cut(NamedTuple):
    """Lines or records that could not be read: the last one of a log that is still being written, a damaged one."""

    lines: int


def log_format(head: bytes) -> LogFormat | None:
    """What the first bytes of a file look like, None when they are no log. They may begin inside a message."""
    text = head.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = [line for line in text.split("\n")[:_HEAD_LINES] if line.strip()]
    if any(_is_json_record(line) for line in lines[:3]):
        return "json"
    if any(_CSV_START.match(line) for line in lines):
        return "csv"
    return "stderr" if _looks_like_stderr(head) else None


def records(lines: Iterable[bytes], format_: LogFormat, prefix: str | None = None) -> Iterator[LogRecord | Cut]:
    """The messages of a log, in order.

    Args:
        lines: with their line ends, from the first one on.
        format_: from ``log_format``.
        prefix: ``log_line_prefix`` of the server, None to find it out.
    """
    whole = _Whole(lines)
    if format_ == "json":
        yield from _from_json(whole)
    elif format_ == "csv":
        yield from _from_csv(whole)
    else:
        yield from _from_stderr(whole, prefix)
    if whole.cut:
        yield Cut(1)


class _Whole:
    """Lines without a last one that has no end; ``cut`` is that one."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = iter(lines)
        self.cut = b""

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        line = next(self._lines)
        if line.endswith(b"\n"):
            return line
        self.cut = line
        raise StopIteration


def _is_json_record(line: str) -> bool:
    if not line.startswith("{"):
        return False
    return all(f'"{key}":' in line for key in _JSON_KEYS)


def _looks_like_stderr(head: bytes) -> bool:
    """Whether most lines that do not continue another have a label, and none of the labelled is a comment of SQL."""
    lines = head.splitlines()[:-1] or head.splitlines()
    encoding = _encoding(lines[:_HEAD_LINES])
    text = [line.decode(encoding, "replace") for line in lines[:_HEAD_LINES]]
    begins = [line for line in text if line.strip() and not line.startswith("\t")]
    labelled = [line for line in begins if _labelled(line) and not _NOT_SQL.match(line)]
    return bool(labelled) and len(labelled) >= len(begins) / 2


def _from_json(lines: Iterable[bytes]) -> Iterator[LogRecord | Cut]:
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    for line in lines:
        try:
            entry = decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            try:
                entry = decode(line.decode("latin-1").encode())  # messages are in the encoding of each database
            except msgspec.DecodeError:
                if line.strip():
                    yield Cut(1)
                continue
        session = entry.get("session_id") or entry.get("pid")
        yield LogRecord(
            str(entry.get("message") or ""),
            str(entry.get("detail") or ""),
            Origin(None if session is None else str(session), entry.get("dbname"), str(entry.get("timestamp") or "")),
            entry.get("error_severity") in _FAILED,
        )


def _from_csv(lines: Iterable[bytes]) -> Iterator[LogRecord | Cut]:
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(_csv_text(lines))
    failed = _words("error")
    rows = iter(reader)
    while True:
        try:
            row = next(rows, None)
        except csv.Error:
            yield Cut(1)
            continue
        if row is None:
            return
        if len(row) < _CSV_LEAST:
            yield Cut(1)
            continue
        origin = Origin(row[_CSV_SESSION] or row[_CSV_PID] or None, row[_CSV_DATABASE] or None, row[0])
        yield LogRecord(row[_CSV_MESSAGE], row[_CSV_DETAIL], origin, row[_CSV_SEVERITY] in failed)


def _csv_text(lines: Iterable[bytes]) -> Iterator[str]:
    """From the first row on: the end of a message at the beginning of the file would invert all quotes."""
    head = list(islice(lines := iter(lines), _HEAD_LINES))
    encoding = _encoding(head)
    began = False
    for line in chain(head, lines):
        text = line.decode(encoding, "replace").replace("\0", "")
        began = began or _CSV_START.match(text) is not None
        if began:
            yield text


class _Parts:
    """The message that is being read, part by part."""

    __slots__ = ("detail", "failed", "kind", "message", "origin")

    def __init__(self, origin: Origin, kind: str, text: str) -> None:
        self.origin, self.kind, self.failed = origin, kind, kind == "error"
        self.message: list[str] = [text] if kind in ("log", "error") else []
        self.detail: list[str] = []

    def more(self, text: str) -> None:
        """Another line of the part that was begun last."""
        if self.kind in ("log", "error"):
            self.message.append(text)
        elif self.kind == "detail":
            self.detail.append(text)

    def record(self) -> LogRecord:
        return LogRecord("\n".join(self.message), "\n".join(self.detail), self.origin, self.failed)


def _from_stderr(lines: _Whole, setting: str | None) -> Iterator[LogRecord | Cut]:
    """A tab begins a line that continues the one before; DETAIL and the like follow their message at once."""
    head = list(islice(lines, _HEAD_LINES))
    encoding = _encoding(head)
    prefix = _prefix(head, encoding, setting)
    parts: _Parts | None = None
    tabs = False
    for line in chain(head, lines):
        text = line.decode(encoding, "replace").rstrip("\r\n")
        if text.startswith("\t"):
            tabs = True
            if parts is not None:
                parts.more(text[1:])
            continue
        found = _labelled(text)
        if found is None:
            # tools that take the tabs away leave lines without a prefix; other programs' output has none either
            if parts is not None and not tabs:
                parts.more(text)
            continue
        before, kind, rest = found
        if kind in _BEGINS or parts is None:
            if parts is not None:
                yield parts.record()
            parts = _Parts(prefix.read(before), kind, rest)
        else:
            parts.kind = kind
            parts.more(rest)
    if parts is not None and not lines.cut.startswith(b"\t"):
        yield parts.record()


def _prefix(head: list[bytes], encoding: str, setting: str | None) -> Prefix:
    if setting is not None:
        return of_setting(setting)
    found = (_labelled(line.decode(encoding, "replace")) for line in head if not line.startswith(b"\t"))
    return detect([f[0] for f in found if f is not None])


@functools.cache
def _label() -> re.Pattern[str]:
    """Labels end in a colon and two spaces; those of DEBUG have a digit."""
    either = "|".join(map(re.escape, sorted(labels(), key=len, reverse=True)))
    return re.compile(rf"({either})\d?:  ")


def _labelled(line: str) -> tuple[str, str, str] | None:
    """What stands before the first label of a line, the label's kind, and the rest; None without a label."""
    found = _label().search(line, 0, _LONGEST_PREFIX)
    while found is not None and found.start() and line[found.start() - 1].isalpha():  # the end of another word
        found = _label().search(line, found.start() + 1, _LONGEST_PREFIX)
    return None if found is None else (line[: found.start()], labels()[found.group(1)], line[found.end() :])


def _words(kind: str) -> frozenset[str]:
    return frozenset(word for word, of in labels().items() if of == kind)


def _encoding(lines: list[bytes]) -> str:
    """The encoding in which most messages make sense: a log is in that of its database."""
    sample = b"".join(lines)
    if sample.isascii():
        return "utf-8"
    scores = {encoding: score for encoding in _ENCODINGS if (score := _sense(sample, encoding)) is not None}
    return max(scores, key=lambda e: scores[e], default="utf-8")


def _sense(sample: bytes, encoding: str) -> int | None:
    """Number of messages about statements in the sample, None when it cannot be in this encoding."""
    try:
        lines = sample.decode(encoding).split("\n")
    except UnicodeDecodeError:
        return None
    found = [_labelled(line) for line in lines if not line.startswith("\t")]
    return sum(f is not None and find_statement(f[2]) is not None for f in found)
