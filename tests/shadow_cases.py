"""Twenty small applications, filled for real: what the shadow planner must foresee is then measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from partadvisor.advise.subject import Use, uses_by_table
from partadvisor.io.collect.options import CollectOptions
from partadvisor.io.collect.run import collect
from partadvisor.io.connect import Connection, connect
from partadvisor.io.shadow.compare import Answer, ask
from partadvisor.io.shadow.run import lay_out
from partadvisor.io.shadow.schema import Builder
from partadvisor.io.shadow.values import Chooser
from partadvisor.io.shadow.world import Candidate
from partadvisor.model.snapshot import Snapshot
from partadvisor.model.workload import Workload
from partadvisor.pg.quote import quote_ident
from partadvisor.pg.scheme_text import parse_scheme
from partadvisor.sql.names import SchemaNames
from partadvisor.workload.families import build_workload

FOLDER = Path(__file__).parent / "cases" / "shadow"


@dataclass(frozen=True)
class Case:
    """One application: its hot table, schema, rows and queries."""

    name: str

    @property
    def hot(self) -> str:
        """``schema.table`` of the table that is to be partitioned."""
        return self.text("schema").splitlines()[0].removeprefix("-- hot: ")

    @property
    def queries(self) -> Path:
        """The annotated workload."""
        return FOLDER / self.name / "queries.sql"

    def text(self, what: str) -> str:
        """``schema`` or ``rows``."""
        return (FOLDER / self.name / f"{what}.sql").read_text()


CASES = tuple(Case(folder.name) for folder in sorted(FOLDER.iterdir()))


def fill(case: Case, dsn: str) -> Snapshot:
    """Makes and fills the application's database; its snapshot as a user would collect it."""
    with connect(dsn, read_only=False) as connection:
        connection.execute(case.text("schema").encode())
        _rows(connection, case)
    return collect(dsn, CollectOptions(duration=0, queries=case.queries))


def fill_candidate(case: Case, dsn: str, snapshot: Snapshot, candidate: Candidate) -> None:
    """The same rows in a database where the hot table is partitioned."""
    with connect(dsn, read_only=False) as connection:
        builder = Builder(connection)
        builder.build(snapshot.relations, {case.hot: candidate.layout})
        assert builder.notes == []
        _rows(connection, case)


def _rows(connection: Connection, case: Case) -> None:
    connection.execute("SELECT setseed(0.5)")
    connection.execute(case.text("rows").encode())
    connection.execute("VACUUM ANALYZE")


def candidate(case: Case, snapshot: Snapshot, scheme: str) -> Candidate:
    """A scheme of the hot table laid out."""
    relation = snapshot.relation(case.hot)
    assert relation
    return lay_out(snapshot, relation, parse_scheme(scheme))


def workload_of(snapshot: Snapshot) -> Workload:
    """The understood statements."""
    return build_workload(snapshot.statements, SchemaNames.from_relations(snapshot.relations))


def reads(case: Case, workload: Workload) -> tuple[Use, ...]:
    """Queries that look for rows in the hot table."""
    uses = uses_by_table(workload)[case.hot]
    return tuple(u for u in uses if any(a.role != "insert" for a in u.accesses))


def chooser_of(snapshot: Snapshot) -> Chooser:
    """What chooses typical values."""
    return Chooser({r.qualified_name: r for r in snapshot.relations}, snapshot.taken_at[:10])


@contextmanager
def session(dsn: str, snapshot: Snapshot) -> Iterator[Connection]:
    """A connection that plans like the shadow: no parallel workers to start, every schema on the path."""
    schemas = ", ".join(quote_ident(s) for s in dict.fromkeys(["public", *(r.schema for r in snapshot.relations)]))
    with connect(dsn, read_only=False) as connection:
        connection.execute(f"SET search_path = {schemas}".encode())
        connection.execute("SET jit = off")
        yield connection


def answers(connection: Connection, uses: Sequence[Use], snapshot: Snapshot) -> list[Answer]:
    """Real plans of the queries for typical values."""
    return [ask(connection, use, chooser_of(snapshot), None) for use in uses]


def executed_ms(connection: Connection, text: str, values: Sequence[str | None], repeats: int = 5) -> float:
    """Best execution time of a statement with these values, rolled back; planning is not part of it."""
    literals = ", ".join("NULL" if v is None else "'" + v.replace("'", "''") + "'" for v in values)
    call = f"EXECUTE timed({literals})" if values else "EXECUTE timed"
    connection.execute(f"PREPARE timed AS {text}".encode())
    connection.execute("SET plan_cache_mode = force_custom_plan")
    try:
        return min(_once(connection, call) for _ in range(repeats))
    finally:
        connection.execute("DEALLOCATE timed")
        connection.execute("RESET plan_cache_mode")


def _once(connection: Connection, call: str) -> float:
    with connection.transaction(force_rollback=True):
        row = connection.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {call}".encode()).fetchone()
    assert row
    return float(row[0][0]["Execution Time"])


MakeDb = Callable[[], str]
Row = tuple[Any, ...]
Error = psycopg.Error
