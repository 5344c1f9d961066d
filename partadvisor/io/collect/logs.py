"""Finds extension-lock waits in server logs: stderr with any prefix, csvlog, jsonlog; plain, gzip or zstd.

Files are streamed: a log of a bad day is bigger than memory. Lines are cut as bytes, since a log holds messages in
the encoding of each database.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, Any, Literal, cast

import msgspec
import zstandard

from partadvisor.io.collect.oids import Owner
from partadvisor.model.activity import LogWait
from partadvisor.model.errors import UsageError
from partadvisor.pg.log_lines import MARK, LoggedWait, find_wait, find_wait_in_bytes, queue_length, timestamp

Resolve = Callable[[int, int], Owner | None]
"""From the OIDs of a database and of a relation in it to the table it belongs to; None when that is not known."""

Format = Literal["stderr", "csv", "json"]

KEPT_WAITS = 20_000
"""More lines than that say nothing new; the first ones are dropped."""

UNREADABLE = (OSError, EOFError, ValueError, zlib.error, zstandard.ZstdError)
"""What reading a file from ``open_log`` can raise."""

# time with zone, user, database, process: the columns that every version begins with
_CSV_START = re.compile(rb'^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [\w+:-]*,(?:"[^"]*")?,(?:"[^"]*")?,\d*,')
_CSV_MESSAGE, _CSV_DETAIL = 13, 14
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_ZSTD_BYTES = 128 * 1024
_PEEK_BYTES = 4096
_DETAIL_LINES = 4


class _Found(msgspec.Struct, frozen=True):
    wait: LoggedWait
    at: str
    queue: int
    line: int


def read_log_waits(path: Path, resolve: Resolve) -> list[LogWait]:
    """The waits of one log file, at most ``KEPT_WAITS``, the last ones.

    Raises:
        UsageError: the file cannot be read or is damaged.
    """
    with closing(open_log(path)) as file:
        try:
            return parse_log_waits(path.name, file, resolve)
        except UNREADABLE as error:
            raise unreadable(path, error) from error


def parse_log_waits(name: str, lines: IO[bytes], resolve: Resolve) -> list[LogWait]:
    """The waits in an open log; ``name`` is told in the result."""
    lines, format_ = _format(name, lines)
    reader = {"stderr": _from_stderr, "csv": _from_csv, "json": _from_json}[format_]
    kept: list[_Found] = []
    for found in reader(lines):
        kept.append(found)
        if len(kept) > 2 * KEPT_WAITS:
            del kept[:KEPT_WAITS]
    return [_log_wait(found, name, resolve) for found in kept[-KEPT_WAITS:]]


def open_log(path: Path) -> IO[bytes]:
    """The file's bytes, decompressed on the way when they are gzip or zstd; reading them may raise ``UNREADABLE``.

    Raises:
        UsageError: it cannot be opened.
    """
    try:
        raw = path.open("rb")
    except OSError as error:
        raise unreadable(path, error) from error
    return decompressed(raw)


def decompressed(raw: io.BufferedReader) -> IO[bytes]:
    """The bytes of an open file, decompressed on the way when they are gzip or zstd; its own position moves along."""
    head = raw.peek(4)[:4]
    if head.startswith(_GZIP):
        return cast("IO[bytes]", _Gzip(fileobj=raw))
    if head == _ZSTD:
        return cast("IO[bytes]", io.BufferedReader(_Zstd(raw)))
    return raw


class _Zstd(io.RawIOBase):
    """Decompresses frame after frame; a file that ends within one is an error, which the library's reader hides."""

    def __init__(self, raw: io.BufferedReader) -> None:
        self._raw = raw
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._ready = b""
        self._within = False

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As the base class says.

        Raises:
            EOFError: the file ends within a frame.
        """
        while not self._ready:
            data = self._frame.unused_data or self._raw.read(_ZSTD_BYTES)
            if self._frame.eof:
                self._frame, self._within = zstandard.ZstdDecompressor().decompressobj(), False
            if not data:
                if self._within:
                    raise EOFError("Compressed file ended before the end of a frame was reached")
                return 0
            self._within = True
            self._ready = self._frame.decompress(data)
            self._within = not self._frame.eof
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size

    def close(self) -> None:
        """Close the file it reads, too."""
        super().close()
        self._raw.close()


class _Gzip(gzip.GzipFile):
    """Closes the file it reads, as the others do."""

    def close(self) -> None:
        raw = cast("io.BufferedReader | None", self.fileobj)
        super().close()
        if raw is not None:
            raw.close()


def unreadable(path: Path, error: BaseException) -> UsageError:
    """The error to show for one of ``UNREADABLE``."""
    reason = getattr(error, "strerror", None) or str(error)
    return UsageError(f'could not read file "{path}"', detail=f"{reason.removesuffix('.')}.")


def _format(name: str, lines: IO[bytes]) -> tuple[IO[bytes], Format]:
    """The same lines from their begin, and what they look like."""
    buffered = lines if isinstance(lines, io.BufferedReader) else io.BufferedReader(cast("io.RawIOBase", lines))
    head = buffered.peek(_PEEK_BYTES).lstrip(b"\xef\xbb\xbf \r\n")
    if head.startswith(b"{"):
        return buffered, "json"
    stem = name.removesuffix(".gz").removesuffix(".zst")
    return buffered, "csv" if stem.endswith(".csv") or _CSV_START.match(head) else "stderr"


def _from_stderr(lines: Iterable[bytes]) -> Iterator[_Found]:
    """A DETAIL line follows its message at once: the server writes both in one piece."""
    pending: _Found | None = None
    for number, raw in enumerate(lines, start=1):
        if pending and (queue := queue_length(raw.decode("utf-8", "replace"))) is not None:
            yield msgspec.structs.replace(pending, queue=queue)
            pending = None
        elif pending and number > pending.line + _DETAIL_LINES:
            yield pending
            pending = None
        if found := find_wait_in_bytes(raw):
            if pending:
                yield pending
            wait, text = found
            pending = _Found(wait, timestamp(text), 0, number)
    if pending:
        yield pending


def _from_csv(lines: Iterable[bytes]) -> Iterator[_Found]:
    """Messages may hold line breaks; latin-1 keeps each byte, so that a message can be decoded afterwards."""
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(line.decode("latin-1").replace("\0", "") for line in lines)
    for row in reader:
        if len(row) > _CSV_DETAIL and MARK in row[_CSV_MESSAGE]:
            found = find_wait_in_bytes(row[_CSV_MESSAGE].encode("latin-1"))
            if found:
                yield _Found(found[0], row[0], queue_length(row[_CSV_DETAIL]) or 0, reader.line_num)


def _from_json(lines: Iterable[bytes]) -> Iterator[_Found]:
    for number, raw in enumerate(lines, start=1):
        if MARK.encode() not in raw:
            continue
        try:
            entry = json.loads(raw.decode("utf-8", "replace"))
        except json.JSONDecodeError:  # the last line of a log that is still being written
            continue
        if isinstance(entry, dict) and (wait := find_wait(str(entry.get("message")))):
            at = str(entry.get("timestamp") or "")
            yield _Found(wait, at, queue_length(str(entry.get("detail") or "")) or 0, number)


def _log_wait(found: _Found, name: str, resolve: Resolve) -> LogWait:
    wait = found.wait
    owner = resolve(wait.database, wait.relation)
    unknown = f"oid {wait.relation} of database oid {wait.database}"
    return LogWait(
        at=found.at,
        pid=wait.pid,
        relation=owner.relation if owner else unknown,
        table=owner.table if owner else unknown,
        via=owner.via if owner else "unknown",
        wait_ms=wait.wait_ms,
        ended=wait.ended,
        queue=found.queue,
        file=name,
        line=found.line,
    )
