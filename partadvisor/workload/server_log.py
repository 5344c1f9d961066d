"""Statements of a server log with their calls, times and parameter values, in bounded memory.

Statements are grouped by shape while reading; of each shape only some texts and some executions' parameters are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from partadvisor.model.activity import StatementDelta
from partadvisor.model.snapshot import Statements
from partadvisor.sql.parse import FURTHER_TEXT, UNLOGGED_TEXT, fingerprint, outline
from partadvisor.workload.log_pairing import Execution, Pairing
from partadvisor.workload.log_records import Cut, LogFormat, LogRecord, records

_SHAPES = 20_000
_TEXTS = 20
_TEXT_BYTES = 200_000
"""Of one shape; a bulk load writes texts of megabytes, no two alike."""
_SAMPLES = 20
_KNOWN_TEXTS = 50_000
_LONGEST_KEY = 2_000
_SLOW_ONLY_MS = 5.0
_SECRET = re.compile(
    r"(\b(?:ENCRYPTED\s+)?PASSWORD\s+)(?:E?'(?:[^']|'')*'|\$(\w*)\$.*?\$\2\$)", re.IGNORECASE | re.DOTALL
)
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:[.,](\d+))?")


@dataclass(slots=True)
class _Text:
    calls: int = 0
    ms: float = 0.0
    plan_ms: float = 0.0
    values: list[tuple[str | None, ...]] = field(default_factory=list)

    def add(self, execution: Execution) -> None:
        """Count an execution; every so many-th replaces a kept sample, so that these span the log."""
        self.calls += execution.calls
        self.ms += execution.ms or 0.0
        self.plan_ms += execution.plan_ms
        if execution.values is None:
            return
        if len(self.values) < _SAMPLES:
            self.values.append(execution.values)
        elif self.calls & (self.calls - 1) == 0:
            self.values[self.calls.bit_length() % _SAMPLES] = execution.values


class _Totals:
    """Calls and times by shape and text."""

    def __init__(self) -> None:
        self.untimed = 0
        self.timed = 0
        self.fastest = float("inf")
        self._shapes: dict[str, dict[str, _Text]] = {}
        self._known: dict[str, str] = {}
        self._bytes: dict[str, int] = {}

    def add(self, execution: Execution) -> None:
        """Count an execution under its text, or under another of the same shape when there are many."""
        if execution.calls and execution.text != UNLOGGED_TEXT:
            self.timed += execution.ms is not None
            self.untimed += execution.ms is None
            self.fastest = min(self.fastest, execution.ms if execution.ms is not None else 0.0)
        text = execution.text.strip().rstrip(";").rstrip()
        shape = self._shape(text)
        texts = self._shapes.get(shape)
        if texts is None:
            if len(self._shapes) >= _SHAPES:
                shape, text = FURTHER_TEXT, FURTHER_TEXT
            texts = self._shapes.setdefault(shape, {})
        found = texts.get(text) or self._another(shape, texts, text)
        found.add(execution)

    def _shape(self, text: str) -> str:
        """Texts that differ in plain values only are recognised without the parser."""
        key = outline(text)
        known = self._known.get(key)
        if known is None:
            known = fingerprint(text)
            if len(self._known) < _KNOWN_TEXTS and len(key) < _LONGEST_KEY:
                self._known[key] = known
        return known

    def _another(self, shape: str, texts: dict[str, _Text], text: str) -> _Text:
        size = self._bytes.get(shape, 0) + len(text)
        if texts and (len(texts) >= _TEXTS or size > _TEXT_BYTES):
            return next(iter(texts.values()))
        self._bytes[shape] = size
        return texts.setdefault(text, _Text())

    def entries(self) -> tuple[StatementDelta, ...]:
        """One for each text, those with most time first."""
        found = [
            StatementDelta(
                query_id="",
                text=_SECRET.sub(r"\1'…'", text),
                calls=float(one.calls),
                total_ms=one.ms,
                plan_ms=one.plan_ms,
                parameters=tuple(dict.fromkeys(one.values)),
            )
            for texts in self._shapes.values()
            for text, one in texts.items()
            if one.calls
        ]
        return tuple(sorted(found, key=lambda e: (-e.total_ms, -e.calls, e.text)))


def read_log(
    name: str, lines: Iterable[bytes], format_: LogFormat, *, prefix: str | None = None, database: str | None = None
) -> Statements:
    """The statements of a server log; the time they cover is that between its first and its last message.

    Args:
        name: the file's name, for the notes.
        lines: the file's lines with their ends, decompressed.
        format_: from ``log_records.log_format``.
        prefix: ``log_line_prefix`` of the server, None to find it out.
        database: only statements of this database, None for those of all.
    """
    totals, pairing, seen = _Totals(), Pairing(), _Seen()
    for record in records(lines, format_, prefix):
        if isinstance(record, Cut):
            seen.cut += record.lines
            continue
        if not seen.of(record, database):
            continue
        for execution in pairing.read(record):
            totals.add(execution)
    for execution in pairing.finish():
        totals.add(execution)
    entries = totals.entries()
    return Statements(
        source="log", seconds=seen.seconds(), entries=entries, notes=seen.notes(name, totals, pairing.untied, database)
    )


@dataclass(slots=True)
class _Seen:
    """What the records were like as a whole."""

    first: str = ""
    last: str = ""
    cut: int = 0
    other_databases: int = 0
    databases: set[str] = field(default_factory=set)

    def of(self, record: LogRecord, database: str | None) -> bool:
        """Note a record; whether it is of the wanted database."""
        origin = record.origin
        if origin.at:
            self.first = self.first or origin.at
            self.last = origin.at
        if origin.database is not None and len(self.databases) < 100:
            self.databases.add(origin.database)
        if database is not None and origin.database not in (None, database):
            self.other_databases += 1
            return False
        return True

    def seconds(self) -> float | None:
        """From the first to the last message, None when the log has no times."""
        begin, end = _moment(self.first), _moment(self.last)
        return end - begin if begin is not None and end is not None and end > begin else None

    def notes(self, name: str, totals: _Totals, untied: int, database: str | None) -> tuple[str, ...]:
        """What the log does not say, each with the setting that would make it."""
        said: list[str] = []
        if totals.timed and totals.fastest >= _SLOW_ONLY_MS:
            said.append(
                f"log {name}: no statement under {totals.fastest:.0f} ms: faster ones are not counted"
                " (log_min_duration_statement = 0 logs all of them)"
            )
        if untied:
            said.append(
                f"log {name}: {untied:,} durations cannot be tied to their statements, which count without a time"
                " (log_line_prefix needs %p or %c)"
            )
        elif totals.untimed and totals.untimed >= totals.timed:
            said.append(f"log {name}: most statements have no duration (log_min_duration_statement = 0 logs it)")
        if database is None and len(self.databases) > 1:
            listed = ", ".join(sorted(self.databases)[:5])
            said.append(f"log {name}: statements of several databases ({listed}) are counted together")
        if self.cut:
            said.append(f"log {name}: {self.cut} record{'s' * (self.cut > 1)} cut or damaged")
        return tuple(said)


def _moment(text: str) -> float | None:
    """Seconds of a log's time; zones do not matter, as a log has one."""
    found = _STAMP.search(text)
    if found is None:
        try:
            return float(text)
        except ValueError:
            return None
    fraction = float(f"0.{found[3]}") if found[3] else 0.0
    return datetime.fromisoformat(f"{found[1]} {found[2]}+00:00").timestamp() + fraction
