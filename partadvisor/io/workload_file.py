"""Reads a workload file: statements with weights, a pg_stat_statements dump, or a server log; plain, gzip or zstd."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from partadvisor.io.collect.logs import UNREADABLE, open_log, unreadable
from partadvisor.model.snapshot import Statements
from partadvisor.workload.files import parse_workload


def read_workload(path: Path) -> Statements:
    """The statements of a file.

    Raises:
        UsageError: it cannot be read, or holds nothing that is understood.
    """
    with closing(open_log(path)) as file:
        try:
            text = file.read().decode("utf-8", "replace")
        except UNREADABLE as error:
            raise unreadable(path, error) from error
    return parse_workload(path.name, text)
