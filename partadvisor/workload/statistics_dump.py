"""Dumps of pg_stat_statements, as CSV with a header or as JSON (an array, or one object a line)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from partadvisor.model.activity import StatementDelta
from partadvisor.model.errors import UsageError
from partadvisor.model.snapshot import Statements

_TOTAL = ("total_exec_time", "total_time")  # before PostgreSQL 13 planning was not counted apart
_MEAN = ("mean_exec_time", "mean_time")
_LONGEST_TEXT = 1 << 30


def is_json(text: str) -> bool:
    """Whether the text starts like JSON."""
    return text.lstrip()[:1] in {"[", "{"}


def is_csv(text: str) -> bool:
    """Whether the first line names the columns that matter."""
    header = {h.strip().strip('"').lower() for h in text.lstrip().split("\n", 1)[0].split(",")}
    return {"query", "calls"} <= header


def read_csv(name: str, text: str) -> Statements:
    """Rows of a CSV dump.

    Raises:
        UsageError: a row has another number of columns than the header, or a number is not one.
    """
    csv.field_size_limit(_LONGEST_TEXT)  # texts may be longer than the module's default of 128 KiB
    reader = csv.reader(io.StringIO(text.lstrip()), strict=True)
    header = [h.strip().lower() for h in next(reader)]
    entries: list[StatementDelta] = []
    line = reader.line_num + 1
    try:
        for row in reader:
            if row:
                if len(row) != len(header):
                    raise _unreadable(name, line, f"The header has {len(header)} columns, this row {len(row)}.")
                entries.append(_entry(name, line, dict(zip(header, row, strict=True))))
            line = reader.line_num + 1
    except csv.Error as error:
        raise _unreadable(name, line, f"Not CSV: {error}.") from error
    return Statements(source="pg_stat_statements", seconds=None, entries=tuple(entries))


def read_json(name: str, text: str) -> Statements:
    """Objects of a JSON dump.

    Raises:
        UsageError: not JSON, or not objects with "query" and "calls".
    """
    entries = tuple(_entry(name, line, row) for line, row in _objects(name, text))
    return Statements(source="pg_stat_statements", seconds=None, entries=entries)


def _objects(name: str, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    decoder = json.JSONDecoder()
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        line = text.count("\n", 0, at) + 1 if at else 1
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise _unreadable(name, error.lineno, f"Not JSON: {error.msg}.", error.colno) from error
        except RecursionError as error:
            raise _unreadable(name, line, "Not a dump: the JSON nests too deeply.") from error
        for item in value if isinstance(value, list) else [value]:
            if not isinstance(item, dict):
                raise _unreadable(name, line, 'Expected objects with "query" and "calls".')
            yield line, item


def _entry(name: str, line: int, row: Mapping[str, Any]) -> StatementDelta:
    if not isinstance(row.get("query"), str) or "calls" not in row:
        if row.get("query", "") is None:  # the server gives no text for statements of others
            row = {**row, "query": "<insufficient privilege>"}
        else:
            raise _unreadable(name, line, 'Expected "query" and "calls".')
    calls = _number(name, line, row, ("calls",))
    total = _number(name, line, row, _TOTAL)
    if not any(key in row for key in _TOTAL):
        total = _number(name, line, row, _MEAN) * calls
    return StatementDelta(
        query_id=str(row.get("queryid") or ""),
        text=row["query"],
        calls=calls,
        total_ms=total,
        plan_ms=_number(name, line, row, ("total_plan_time",)),
        rows=_number(name, line, row, ("rows",)),
        shared_reads=int(_number(name, line, row, ("shared_blks_read",))),
        wal_bytes=int(_number(name, line, row, ("wal_bytes",))),
    )


def _number(name: str, line: int, row: Mapping[str, Any], keys: tuple[str, ...]) -> float:
    """The first of ``keys`` the row has; 0 for none or NULL."""
    for key in keys:
        value = row.get(key)
        if value in (None, ""):
            continue
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = -1.0
        if not 0 <= number < float("inf"):
            raise _unreadable(name, line, f'"{key}" is "{value}", expected a number.')
        return number
    return 0.0


def _unreadable(name: str, line: int, detail: str, column: int = 1) -> UsageError:
    return UsageError(
        f"unreadable workload {name}:{line}:{column}",
        detail=detail,
        hint="Make the dump with: \\copy (SELECT * FROM pg_stat_statements) TO 'statements.csv' CSV HEADER",
    )
