"""What a real server does: leaves in the plan, leaves left when execution starts, and leaves scanned for each loop."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.types.json import set_json_loads

from partadvisor.model.advice import PruningStage

SETTINGS = """
SET max_parallel_workers_per_gather = 0; SET jit = off; SET timezone = 'UTC'; SET statement_timeout = '60s';
SET app.tenant = '3b8fdc0b-2ad0-4b5c-9b6a-9fd1b1a5a9a0'
"""
_EXPLAIN = "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, FORMAT JSON)"
_MERGE_COUNTERS = re.compile(r',\s*"Tuples \w+": \d+(?=[\s,])')
_APPENDS = ("Append", "Merge Append")


@dataclass(frozen=True, slots=True)
class Seen:
    """``executed`` is None when the scans were never reached, or stopped early by a LIMIT."""

    planned: int
    started: int
    executed: float | None


def prepare(connection: psycopg.Connection[Any]) -> None:
    """Settings that leave no room for chance, and a reader of plans."""
    connection.execute(SETTINGS.encode())
    set_json_loads(_loads, connection)


def _loads(text: str | bytes) -> Any:
    """EXPLAIN ANALYZE of a MERGE into several partitions prints counters inside a list, which no JSON reader takes."""
    plain = text.decode() if isinstance(text, bytes) else text
    return json.loads(_MERGE_COUNTERS.sub("", plain))


def run(
    connection: psycopg.Connection[Any], statement: str, values: Sequence[str | None] = (), *, generic: bool = False
) -> Any:
    """The plan of one statement, which is run and taken back; with values as a prepared statement."""
    if not values:
        return _plan(connection, f"BEGIN; {_EXPLAIN} {statement}; ROLLBACK")
    mode = "force_generic_plan" if generic else "force_custom_plan"
    given = ", ".join("NULL" if v is None else "'" + v.replace("'", "''") + "'" for v in values)
    prepare = f"SET LOCAL plan_cache_mode = {mode}; PREPARE q AS {statement}"
    return _plan(connection, f"BEGIN; {prepare}; {_EXPLAIN} EXECUTE q({given}); DEALLOCATE q; ROLLBACK")


def _plan(connection: psycopg.Connection[Any], script: str) -> Any:
    cursor = connection.execute(script.encode(), prepare=False)
    while cursor.description is None:
        assert cursor.nextset()
    row = cursor.fetchone()
    assert row is not None
    return row[0][0]["Plan"]


def seen(plan: Any, leaves: frozenset[str]) -> Seen:
    """Counts over all references to a partitioned table whose leaves have these names."""
    kept, removed, executed = 0, 0, 0.0
    reached = True
    for scan, loops_above in _scans(plan, 1):
        if isinstance(scan, int):
            removed += scan
        elif scan["Relation Name"] in leaves:
            kept += 1
            executed += scan["Actual Loops"] / loops_above if loops_above else 0
            reached = reached and loops_above > 0
    return Seen(kept + removed, kept, executed if reached and not _stops_early(plan) else None)


def _stops_early(node: Any) -> bool:
    return node["Node Type"] == "Limit" or any(_stops_early(child) for child in node.get("Plans", ()))


def _scans(node: Any, loops_above: int) -> Iterator[tuple[Any, int]]:
    """Scans with the loops of the node that chooses among partitions, and numbers of subplans removed."""
    kind = node["Node Type"]
    if "Relation Name" in node and kind.endswith("Scan"):
        yield node, loops_above
        for child in node.get("Plans", ()):
            yield from _scans(child, child["Actual Loops"])
        return
    if kind in _APPENDS:
        yield int(node.get("Subplans Removed", 0)), 0
    above = node["Actual Loops"] if kind in _APPENDS else _single(node, loops_above)
    for child in node.get("Plans", ()):
        yield from _scans(child, above if kind in _APPENDS or _passes(kind) else child["Actual Loops"])


def _passes(kind: str) -> bool:
    """Nodes between an Append and its leaves."""
    return kind in (
        "Sort",
        "Result",
        "Incremental Sort",
        "Subquery Scan",
        "Aggregate",
        "LockRows",
        "Limit",
        "Materialize",
    )


def _single(node: Any, loops_above: int) -> int:
    return loops_above if _passes(node["Node Type"]) else node["Actual Loops"]


def stage(planned: float, started: float, executed: float, total: int) -> PruningStage:
    """When partitions were dropped last."""
    if executed >= total:
        return "never"
    if executed >= planned:
        return "plan"
    return "start" if executed >= started else "loop"
