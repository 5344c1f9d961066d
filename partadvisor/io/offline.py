"""A snapshot without a server: the schema is loaded into a scratch server and read back from its catalogs."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import msgspec
import psycopg

import partadvisor
from partadvisor.io.binaries import find_binaries
from partadvisor.io.collect.catalog import read_catalog
from partadvisor.io.collect.server import read_server
from partadvisor.io.collect.session import Session
from partadvisor.io.connect import Connection, connect
from partadvisor.io.schema_load import Loaded, load_schema
from partadvisor.io.server import Server, start_server
from partadvisor.io.stats_file import Told, apply_stats, read_stats
from partadvisor.model.errors import ServerError, UsageError
from partadvisor.model.snapshot import Snapshot, Statements

_DATABASE = "offline"
_STATEMENT_TIMEOUT_MS = 60_000
_LISTED_PROBLEMS = 50
_ROWS_WORTH_STATISTICS = 1_000


def offline_snapshot(
    schema_sql: Path,
    queries: Path | None = None,
    stats: Path | None = None,
    *,
    pg_bin: Path | None = None,
    log_line_prefix: str | None = None,
    progress: Callable[[str, float | None], None] = lambda _what, _share: None,
) -> Snapshot:
    """The snapshot that a schema file, a workload file and told statistics stand for.

    A workload that is a server log is read by ``log_line_prefix``, None to find it out.
    Statements of the schema that the scratch server cannot run are listed in ``missing`` with file and line.

    Raises:
        UsageError: a file cannot be read or understood, or the schema makes no table.
        ServerError: the scratch server did not start or went away.
    """
    text = _text(schema_sql)
    told = read_stats(stats) if stats else Told()
    statements = _statements(queries, log_line_prefix, progress) if queries else ()
    progress("loading into a scratch server", None)
    with start_server(find_binaries(pg_bin)) as server:
        server.create_database(_DATABASE)
        loaded = _load(server, schema_sql.name, text)
        snapshot = _read_back(server, statements)
    if not any(r.kind in ("table", "partitioned_table") for r in snapshot.relations):
        raise _nothing_made(schema_sql, loaded)
    return apply_stats(_described(snapshot, loaded), told)


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f'could not read schema "{path}"', detail=f"{error.strerror}.") from error
    if data.startswith(b"PGDMP"):
        raise UsageError(
            f'"{path}" is an archive of pg_dump, not SQL', hint="Turn it into SQL with: pg_restore -s -f FILE.sql."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f'schema "{path}" is not UTF-8 text', detail=f"{error}.") from error


def _load(server: Server, name: str, text: str) -> Loaded:
    """Runs the script, and gathers statistics of tables that it fills with more than a few rows."""
    connection = connect(
        server.dsn(_DATABASE),
        application_name="partadvisor/schema",
        read_only=False,
        statement_timeout_ms=_STATEMENT_TIMEOUT_MS,
    )
    with connection:
        try:
            loaded = load_schema(connection, name, text)
            _analyze_filled(connection)
        except psycopg.OperationalError as error:
            raise ServerError("the scratch server went away", detail=str(error).strip()) from error
    return loaded


def _analyze_filled(connection: Connection) -> None:
    """A handful of rows is test data, and says nothing about the table in production."""
    listed = connection.execute(
        "SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM pg_catalog.pg_class c"
        " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
        " WHERE c.relkind IN ('r', 'm') AND pg_catalog.pg_relation_size(c.oid) > 0"
        " AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"
    )
    for (table,) in listed.fetchall():
        text = f"SELECT count(*) FROM (SELECT FROM {table} LIMIT {_ROWS_WORTH_STATISTICS}) AS t"  # noqa: S608  (quoted)
        row = connection.execute(text.encode()).fetchone()
        if row and row[0] >= _ROWS_WORTH_STATISTICS:
            connection.execute(f"ANALYZE {table}".encode())


def _read_back(server: Server, statements: tuple[Statements, ...]) -> Snapshot:
    with connect(server.dsn(_DATABASE)) as connection:
        session = Session(connection, statement_timeout_ms=_STATEMENT_TIMEOUT_MS, lock_timeout_ms=0)
        info = read_server(session).info
        relations = read_catalog(session)
    # the scratch server's settings, host and superuser are nobody's
    info = msgspec.structs.replace(info, is_local=False, cores=None, settings={}, user="", user_is_superuser=False)
    return Snapshot(
        tool_version=partadvisor.__version__,
        taken_at=datetime.datetime.now(datetime.UTC).isoformat(sep=" ", timespec="seconds"),
        server=info,
        relations=relations,
        statements=statements,
        missing=tuple(session.notes),
    )


def _described(snapshot: Snapshot, loaded: Loaded) -> Snapshot:
    """With the statements that could not be run, and all that was taken for granted."""
    problems = [f"not loaded: {problem}" for problem in loaded.problems[:_LISTED_PROBLEMS]]
    if len(loaded.problems) > _LISTED_PROBLEMS:
        problems.append(f"not loaded: {len(loaded.problems) - _LISTED_PROBLEMS} more statements")
    assumptions = [f"the server is PostgreSQL {snapshot.server.version} with default settings"]
    if loaded.made_up:
        assumptions.append(f"made up, since the schema names them without making them: {', '.join(loaded.made_up)}")
    # CREATE INDEX counts the few rows of test data too
    relations = tuple(
        msgspec.structs.replace(r, rows=-1.0) if 0 <= r.rows < _ROWS_WORTH_STATISTICS else r for r in snapshot.relations
    )
    filled = [r.qualified_name for r in relations if r.rows > 0]
    if filled:
        assumptions.append(f"statistics of the rows in the schema file stand for those of production: {_few(filled)}")
    return msgspec.structs.replace(
        snapshot,
        relations=relations,
        missing=(*snapshot.missing, *problems),
        assumptions=(*snapshot.assumptions, *assumptions),
    )


def _few(names: list[str], shown: int = 5) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more


def _nothing_made(path: Path, loaded: Loaded) -> UsageError:
    first = loaded.problems[0] if loaded.problems else "It holds no CREATE TABLE statement."
    return UsageError(f'schema "{path}" makes no table', detail=first)


def _statements(
    path: Path, log_line_prefix: str | None, progress: Callable[[str, float | None], None]
) -> tuple[Statements, ...]:
    from partadvisor.io.workload_file import read_workload

    return (read_workload(path, prefix=log_line_prefix, progress=progress),)
