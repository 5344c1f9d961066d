"""Workloads as files: what format a text is in, and the statements in it.

Formats are a table (``_FORMATS``): each knows its own marks and how it is read, so that a new one is one more line.
"""

from __future__ import annotations

from collections.abc import Callable

from partadvisor.model.errors import UsageError
from partadvisor.model.snapshot import Statements
from partadvisor.workload import annotated_sql, statistics_dump

_FORMATS: tuple[tuple[Callable[[str], bool], Callable[[str, str], Statements]], ...] = (
    (statistics_dump.is_json, statistics_dump.read_json),
    (statistics_dump.is_csv, statistics_dump.read_csv),
    (lambda _: True, annotated_sql.read_sql),
)


def parse_workload(name: str, text: str) -> Statements:
    """The statements of a file: a pg_stat_statements dump (CSV with a header, or JSON), or annotated SQL.

    Statements that do not parse are kept; only a file that cannot be read as its format is an error.

    Args:
        name: the file's name, for errors and for the places of statements.
        text: its content, decompressed.

    Raises:
        UsageError: with ``name:line:column`` of the first thing that cannot be read.
    """
    text = text.removeprefix("\ufeff")
    read = next(read for fits, read in _FORMATS if fits(text))
    statements = read(name, text)
    if not statements.entries:
        raise UsageError(
            f'workload file "{name}" holds no statements',
            hint="Accepted are SQL statements, pg_stat_statements as CSV or JSON, and server logs.",
        )
    return statements
