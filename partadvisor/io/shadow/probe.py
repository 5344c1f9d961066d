"""Which partition a value falls into, asked of the server: any type, collation and bound is then right.

A temporary table with the level's partitions takes the values as rows and is rolled back.
"""

from __future__ import annotations

from collections.abc import Sequence

import psycopg

from partadvisor.io.connect import Connection
from partadvisor.io.shadow.types import column_type, unknown_collations
from partadvisor.model.catalog import Column
from partadvisor.pg.quote import quote_ident
from partadvisor.planner.partitions import Partition

_PLACE = quote_ident("partadvisor place")


def places(
    connection: Connection, column: Column, key: str, parts: Sequence[Partition], values: Sequence[str | None]
) -> list[int] | None:
    """The number of each value's partition among ``parts``; None when the values are not of the type.

    Args:
        connection: to the scratch server, in autocommit.
        column: the only column of the key.
        key: ``PARTITION BY`` text of the level.
        parts: partitions of the level, their own levels are left out.
        values: text output of the column's type; None is NULL.
    """
    connection.execute("BEGIN")
    try:
        _make(connection, column, key, parts)
        kind = column_type(connection, [column])[column.type]
        connection.execute(
            f"INSERT INTO pg_temp.probe SELECT v::{kind}, o"  # noqa: S608  (a type the server itself printed)
            " FROM unnest(%s::text[]) WITH ORDINALITY AS u(v, o)".encode(),
            [list(values)],
        )
        rows = connection.execute(
            f"SELECT {_PLACE}, substr(c.relname, 7)::int FROM pg_temp.probe p"  # noqa: S608  (a name of ours)
            " JOIN pg_catalog.pg_class c ON c.oid = p.tableoid".encode()
        ).fetchall()
    except (psycopg.DataError, psycopg.IntegrityError, psycopg.ProgrammingError):
        return None
    finally:
        connection.execute("ROLLBACK")
    found: dict[int, int] = dict(rows)
    return [found[number] for number in range(1, len(values) + 1)]


def _make(connection: Connection, column: Column, key: str, parts: Sequence[Partition]) -> None:
    collated = column.collation and not unknown_collations(connection, [column])
    collation = f" COLLATE {column.collation}" if collated else ""
    kind = column_type(connection, [column])[column.type]
    connection.execute(
        f"CREATE TEMP TABLE probe ({quote_ident(column.name)} {kind}{collation}, {_PLACE} int)"
        f" PARTITION BY {key}".encode()
    )
    for number, part in enumerate(parts):
        connection.execute(f"CREATE TEMP TABLE probe_{number} PARTITION OF pg_temp.probe {part.bound}".encode())
