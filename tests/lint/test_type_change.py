"""Which changes of a type write the table anew: said by us, done by the server, for all pairs of some types."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from partadvisor.io.server import Server
from partadvisor.lint.type_change import rewrites
from tests.majors import ON_MAJORS

TYPES = (
    "character varying", "character varying(10)", "character varying(20)", "text", "character(10)", "character(20)",
    "xml", "smallint", "integer", "bigint", "oid", "numeric", "numeric(8,2)", "numeric(10,2)", "numeric(10,3)", "real",
    "double precision", "bit varying(4)", "bit varying(8)", "bit varying", "date", "timestamp without time zone",
    "timestamp(3) without time zone", "timestamp(6) without time zone", "timestamp with time zone",
    "timestamp(3) with time zone", "timestamp(6) with time zone", "time without time zone", "time(3) without time zone",
    "interval", "interval(3)", "inet", "cidr", "json", "jsonb", "uuid", "boolean",
)  # fmt: skip


@ON_MAJORS
@pytest.mark.parametrize("zone", ["UTC", "Europe/Amsterdam"])
def test_the_server_agrees(
    zone: str, major: int, major_server: Callable[[int], Server], make_db: Callable[[Server], str]
) -> None:
    wrong, tried = [], 0
    with psycopg.connect(make_db(major_server(major)), autocommit=True) as connection:
        connection.execute("SELECT set_config('TimeZone', %s, false)", [zone])
        for old in TYPES:
            for new in TYPES:
                done = _changed(connection, old, new)
                if done is not None:
                    tried += 1
                    if done != rewrites(old, new, utc=zone == "UTC"):
                        wrong.append(f"{old} to {new}: {'written anew' if done else 'left as it is'}")
    print(f"PostgreSQL {major}, {zone}: {tried} changes of type compared")
    assert tried > 200
    assert not wrong


def _changed(connection: psycopg.Connection[tuple[object, ...]], old: str, new: str) -> bool | None:
    """Whether the rows got a new file; None when the server knows no way from one to the other."""
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(f"CREATE TEMP TABLE t (c {old})".encode())
            connection.execute("SELECT set_config('test.file', pg_relation_filenode('t')::text, true)")
            connection.execute(f"ALTER TABLE t ALTER COLUMN c TYPE {new}".encode())
            row = connection.execute(
                "SELECT pg_relation_filenode('t')::text <> current_setting('test.file')"
            ).fetchone()
    except psycopg.Error:
        return None
    return bool(row and row[0])
