"""One database of the scratch server that looks to the planner like the user's: schema, sizes, statistics, settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg

from partadvisor.io.binaries import Binaries
from partadvisor.io.connect import Connection, connect
from partadvisor.io.server import Server, start_server
from partadvisor.io.shadow import planning_time
from partadvisor.io.shadow.derive import partitions
from partadvisor.io.shadow.filling import fill
from partadvisor.io.shadow.schema import Builder
from partadvisor.io.shadow.types import make_extensions
from partadvisor.model.catalog import Relation
from partadvisor.model.errors import UsageError
from partadvisor.model.scheme import Scheme
from partadvisor.model.snapshot import ServerInfo
from partadvisor.pg.quote import quote_ident, quote_literal
from partadvisor.planner.partitions import Layout

NEEDS_MAJOR = 18
_ROLE = "shadow"
_STATEMENT_TIMEOUT_MS = 60_000
_SETTINGS = {
    "autovacuum": "off",  # it would see that the tables are empty
    "fsync": "off",
    "full_page_writes": "off",
    "max_locks_per_transaction": "2048",
    "max_connections": "20",
    "shared_buffers": "32MB",
    "jit": "off",
}
_TAKEN_OVER = (
    "constraint_exclusion", "cpu_index_tuple_cost", "cpu_operator_cost", "cpu_tuple_cost", "cursor_tuple_fraction",
    "effective_cache_size", "effective_io_concurrency", "enable_bitmapscan", "enable_gathermerge", "enable_hashagg",
    "enable_hashjoin", "enable_incremental_sort", "enable_indexonlyscan", "enable_indexscan", "enable_material",
    "enable_memoize", "enable_mergejoin", "enable_nestloop", "enable_parallel_append", "enable_parallel_hash",
    "enable_partition_pruning", "enable_partitionwise_aggregate", "enable_partitionwise_join", "enable_seqscan",
    "enable_sort", "enable_tidscan", "from_collapse_limit", "geqo", "geqo_effort", "geqo_threshold",
    "hash_mem_multiplier", "join_collapse_limit", "max_parallel_workers_per_gather", "min_parallel_index_scan_size",
    "min_parallel_table_scan_size", "parallel_setup_cost", "parallel_tuple_cost", "random_page_cost", "seq_page_cost",
    "TimeZone", "work_mem",
)  # fmt: skip
"""Settings of the snapshot's server that change plans; jit changes none, only their execution."""


@dataclass(frozen=True, slots=True)
class World:
    """A connection to the database, and what could not be made there."""

    connection: Connection
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scheme of one table, laid out."""

    relation: Relation
    scheme: Scheme
    layout: Layout


@contextmanager
def shadow_server(binaries: Binaries) -> Iterator[Server]:
    """A scratch server for worlds.

    Raises:
        UsageError: the programs are of a version that cannot restore statistics.
        ServerError: it did not start.
    """
    if binaries.major < NEEDS_MAJOR:
        raise UsageError(
            f"the shadow planner needs PostgreSQL {NEEDS_MAJOR}, which can restore statistics",
            detail=f"The programs are of version {binaries.version}.",
            hint="Leave --pg-bin out to use the embedded server.",
        )
    # the pages written into the indexes carry no checksum
    with start_server(binaries, settings=_SETTINGS, initdb=["--no-data-checksums"]) as server:
        server.execute(f"CREATE ROLE {quote_ident(_ROLE)} LOGIN")
        server.execute(f"GRANT SET ON PARAMETER {', '.join(planning_time.SETTINGS)} TO {quote_ident(_ROLE)}")
        yield server


@contextmanager
def world(
    server: Server, name: str, info: ServerInfo, relations: Sequence[Relation], candidate: Candidate | None = None
) -> Iterator[World]:
    """The relations with their statistics, one of them partitioned as the candidate says; dropped at the end.

    Raises:
        psycopg.Error: the candidate's table cannot be made.
    """
    server.create_database(name)
    try:
        server.execute(f"ALTER DATABASE {quote_ident(name)} OWNER TO {quote_ident(_ROLE)}")
        with connect(server.dsn(name), application_name="partadvisor/shadow", read_only=False) as superuser:
            make_extensions(superuser, info.extensions, relations)
        with connect(
            server.dsn(name, _ROLE),
            application_name="partadvisor/shadow",
            read_only=False,
            statement_timeout_ms=_STATEMENT_TIMEOUT_MS,
        ) as connection:
            yield _furnished(server, connection, info, relations, candidate)
    finally:
        if server.running:
            server.execute(f"DROP DATABASE {quote_ident(name)} WITH (FORCE)")


def _furnished(
    server: Server,
    connection: Connection,
    info: ServerInfo,
    relations: Sequence[Relation],
    candidate: Candidate | None,
) -> World:
    notes = [*_set_up(connection, info.settings, relations)]
    builder = Builder(connection)
    builder.build(relations, {candidate.relation.qualified_name: candidate.layout} if candidate else {})
    filled = [*relations]
    if candidate:
        levels, parts = candidate.scheme.levels, candidate.layout.parts
        filled += partitions(connection, candidate.relation, levels, parts, info.encoding)
    refused = fill(connection, server.data_dir, filled)
    notes += [*builder.notes, *(f"statistics of {column} were not taken" for column in refused)]
    return World(connection, tuple(notes))


def _set_up(connection: Connection, settings: Mapping[str, str], relations: Sequence[Relation]) -> Iterator[str]:
    """The snapshot's planner settings, and a search path that finds unqualified names as the analysis does."""
    for name in _TAKEN_OVER:
        if name in settings:
            try:
                connection.execute("SELECT pg_catalog.set_config(%s, %s, false)", [name, settings[name]])
            except psycopg.Error:
                yield f"setting {name} = {settings[name]} is not of this version"
    schemas = list(dict.fromkeys(["public", *(r.schema for r in relations)]))
    path = ", ".join(quote_ident(s) for s in schemas)
    connection.execute(f"SELECT pg_catalog.set_config('search_path', {quote_literal(path)}, false)".encode())
