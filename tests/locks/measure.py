"""Runs all cases of one major version."""

import zlib
from collections.abc import Iterable, Iterator

import psycopg

from tests.locks.cases import Case
from tests.locks.graph import Node
from tests.locks.observe import Connection, Observed, make_schema, observe_inside, observe_outside

Measured = tuple[Case, str, Observed, dict[str, Node]]
_SESSION = """
SET client_min_messages = warning;
SET allow_in_place_tablespaces = on;
DO $$ BEGIN CREATE ROLE partadvisor_locks; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
"""


def measure(dsn: str, cases: Iterable[Case]) -> Iterator[Measured]:
    """Case, the schema it ran in, what was seen, and the relations there were. ``dsn`` is an empty database."""
    made: dict[str, tuple[str, dict[str, Node]]] = {}
    with psycopg.connect(dsn, autocommit=True) as connection:
        prepare(connection)
        for number, case in enumerate(cases):
            if case.outside:
                schema = f"outside_{number}"
                yield case, schema, *observe_outside(dsn, connection, case, schema)
                continue
            if case.setup not in made:
                schema = schema_of(case.setup)
                made[case.setup] = schema, make_schema(connection, case.setup, schema)
            schema, graph = made[case.setup]
            yield case, schema, observe_inside(connection, case, schema, graph), graph


def schema_of(setup: str) -> str:
    """The schema of a setup, the same on every server."""
    return f"setup_{zlib.crc32(setup.encode()):08x}"


def prepare(connection: Connection) -> None:
    """The role and the tablespace that cases name; they belong to the whole server."""
    connection.execute(_SESSION.encode())
    if not connection.execute("SELECT 1 FROM pg_tablespace WHERE spcname = 'elsewhere'").fetchone():
        connection.execute("CREATE TABLESPACE elsewhere LOCATION ''")
