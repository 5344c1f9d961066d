"""What was taken for granted, what is missing, and which tables are left out: the notes below the advice."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from partadvisor.advise.subject import Use, Uses
from partadvisor.model.advice import OtherTables, TableAdvice
from partadvisor.model.diagnosis import Diagnosis
from partadvisor.model.snapshot import Snapshot
from partadvisor.model.workload import Workload
from partadvisor.pg import knowledge

_LISTED_STATEMENTS = 10


def not_understood(workload: Workload) -> tuple[str, ...]:
    """The heaviest statements that could not be analysed, with the reason and, from a file, the place."""
    failed = [f for f in workload.families if f.not_analysed is not None]
    said = [f"not analysed: {_short(f.name or f.text)}: {f.not_analysed}" for f in failed[:_LISTED_STATEMENTS]]
    if len(failed) > _LISTED_STATEMENTS:
        said.append(f"not analysed: {len(failed) - _LISTED_STATEMENTS} more statements")
    return tuple(said)


def strangers(snapshot: Snapshot, workload: Workload) -> tuple[str, ...]:
    """Tables that the user's statements name and the snapshot lacks; a server also counts other databases' tables."""
    if any(s.source != "file" for s in snapshot.statements):
        return ()
    known = {r.qualified_name for r in snapshot.relations}
    views = {d.name for r in snapshot.relations for d in r.dependents}
    named = {t.table: f for f in workload.families if f.pattern for t in f.pattern.tables}
    said: list[str] = []
    for table, family in named.items():
        if len(said) == _LISTED_STATEMENTS:
            break
        if table in known | views or table.startswith(("pg_", "information_schema.")):
            continue
        near = difflib.get_close_matches(table if "." in table else f"public.{table}", known, n=1)
        meant = f"; perhaps {near[0]} is meant" if near else ""
        said.append(f"table {table} of statement {_short(family.name or family.text)} is not in the schema{meant}")
    return tuple(said)


def _short(text: str, width: int = 60) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def other_tables(snapshot: Snapshot, diagnosis: Diagnosis, shown: Sequence[TableAdvice]) -> OtherTables | None:
    """The tables that are not looked at: how many, and the one among them that waits most; None when there are none."""
    named = {t.table for t in shown}
    rest = {
        r.qualified_name
        for r in snapshot.relations
        if r.kind in ("table", "partitioned_table") and r.parent is None and r.qualified_name not in named
    }
    if not rest:
        return None
    waiting = [w for w in diagnosis.tables if w.table in rest and w.extension_share > 0]
    most = max(waiting, key=lambda w: w.extension_share, default=None)
    return OtherTables(
        tables=len(rest),
        most_waiting=None if most is None else most.table,
        extension_share=0.0 if most is None else most.extension_share,
    )


def _reads(use: Use) -> bool:
    return any(a.role != "insert" for a in use.accesses)


def assumptions(diagnosis: Diagnosis, tables: Sequence[TableAdvice], uses: Uses) -> tuple[str, ...]:
    """What was taken for granted."""
    said = list(diagnosis.assumptions)
    silent = [t.table for t in tables if not uses.get(t.table)]
    if silent:
        said.append(f"No query of {', '.join(silent)} is known: reads are taken to cost what they cost now.")
    untimed = sum(not u.family.mean_ms for t in tables for u in uses.get(t.table, ()) if _reads(u))
    if untimed:
        which = "The time of 1 query is" if untimed == 1 else f"The times of {untimed} queries are"
        taken = float(knowledge.load("read_cost.toml")["lookup_us"])
        said.append(f"{which} not known: taken as a lookup of one row by an index, {taken:.0f} us.")
    unknown = sorted({c for t in tables for s in t.candidates if s.write.source == "assumed" for c in s.columns})
    if unknown:
        said.append(f"Values of {', '.join(unknown)} are not known: taken as many and equally frequent.")
    return tuple(said)
