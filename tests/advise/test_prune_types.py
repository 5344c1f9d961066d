"""Every pair of types that can be compared: whether a value of one prunes a key of the other."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from partadvisor.advise.columns import ColumnFacts
from partadvisor.advise.operands import Setting, known
from partadvisor.io.server import Server
from partadvisor.model.workload import Comparison, Operand
from partadvisor.pg.ordering import order_key, output_text, sorts_like_bytes
from partadvisor.pg.type_families import Method, has_class
from tests.majors import ON_MAJORS

TYPES = (
    *("int2", "int4", "int8", "numeric", "float4", "float8", "text", "varchar", "bpchar", "name", "bool", "date"),
    *("timestamp", "timestamptz", "time", "timetz", "interval", "uuid", "bytea", "inet", "cidr", "macaddr", "oid"),
)
METHODS: tuple[tuple[Method, str, str], ...] = (
    ("btree", "LIST", "DEFAULT; FOR VALUES IN (NULL)"),
    ("hash", "HASH", "FOR VALUES WITH (MODULUS 2, REMAINDER 0); FOR VALUES WITH (MODULUS 2, REMAINDER 1)"),
)


@ON_MAJORS
@pytest.mark.parametrize(("method", "by", "bounds"), METHODS)
def test_which_types_prune_which(
    method: Method,
    by: str,
    bounds: str,
    major: int,
    major_server: Callable[[int], Server],
    make_db: Callable[[Server], str],
) -> None:
    wrong = []
    with psycopg.connect(make_db(major_server(major)), autocommit=True) as connection:
        connection.execute("SET plan_cache_mode = force_generic_plan")
        for key in (t for t in TYPES if has_class(t, method)):
            connection.execute(f"CREATE TABLE k_{key} (k {key}) PARTITION BY {by} (k)".encode())
            for number, bound in enumerate(bounds.split("; ")):
                connection.execute(f"CREATE TABLE k_{key}_{number} PARTITION OF k_{key} {bound}".encode())
            for other in TYPES:
                comparison = Comparison(
                    column="k", operator="=", operands=(Operand(kind="parameter", value="$1", type=other),)
                )
                collation = "C" if key == "name" else "default"
                when = known(
                    comparison, ColumnFacts(type=key, collation=collation), method, Setting(major, generic=True)
                )
                prunes = _prunes(connection, key, other)
                if prunes is not None and prunes != (when.when != "never"):
                    wrong.append((key, other, prunes, when))
    assert wrong == []


def _prunes(connection: psycopg.Connection[Any], key: str, other: str) -> bool | None:
    """Whether NULL of that type, in a generic plan, removes both partitions; None when the two do not compare."""
    try:
        connection.execute(f"PREPARE q ({other}) AS SELECT FROM k_{key} WHERE k = $1".encode(), prepare=False)
    except (psycopg.errors.UndefinedFunction, psycopg.errors.AmbiguousFunction):
        return None
    plan = connection.execute("EXPLAIN EXECUTE q (NULL)", prepare=False).fetchall()
    connection.execute("DEALLOCATE q")
    return any("Subplans Removed: 2" in row[0] for row in plan)


VALUES = {
    "integer": ["-7", "0", "5", "2147483647"],
    "numeric": ["-1e3", "-1.5", "0", "1.50", "2", "1e20", "NaN"],
    "double precision": ["-Infinity", "-0.1", "0", "1e-9", "0.1", "1e9", "Infinity", "NaN"],
    "real": ["-0.1", "0", "0.1", "0.2"],
    "date": ["-infinity", "0044-03-15 BC", "1999-12-31", "2000-02-29", "2026-1-5", "5874897-12-31", "infinity"],
    "timestamp with time zone": ["-infinity", "2026-01-01 00:00+02", "2026-01-01", "2026-01-01T00:00:01Z", "infinity"],
    "time without time zone": ["00:00", "6:30", "23:59:59.5"],
    "interval": ["-1 day", "0", "90 seconds", "01:00:00", "23 hours", "1 mon", "1 mon 2 days", "1 year"],
    "uuid": ["00000000000000000000000000000001", "{A0000000-0000-0000-0000-000000000000}"],
    "bytea": ["\\x", "\\x00", "\\x00ff", "\\x01"],
    "inet": ["10.0.0.0/8", "10.0.0.0/16", "10.0.0.1", "10.1.0.0/16", "::1"],
    "macaddr": ["08:00:2b:01:02:03", "08002b:010204"],
    "boolean": ["no", "true"],
    'text COLLATE "C"': ["", "A", "Z", "a", "é", "z"],
    "integer[]": ["{}", "{1}", "{1,2}", "{1,NULL}", "{2}"],
}


@pytest.mark.parametrize("type_name", VALUES)
def test_keys_sort_as_the_server_sorts(type_name: str, server: Server) -> None:
    values = VALUES[type_name]
    bare = type_name.split(" COLLATE")[0]
    keys = [order_key(bare, v) for v in values]
    with psycopg.connect(server.dsn()) as connection:
        connection.execute("SET timezone = 'UTC'")
        for (a, one), (b, other) in itertools.product(zip(values, keys, strict=True), repeat=2):
            row = connection.execute(
                f"SELECT a < b, a = b, a::text FROM (SELECT %s::{type_name} AS a, %s::{type_name} AS b) AS x".encode(),
                (a, b),
            ).fetchone()
            assert row is not None
            assert (one < other, one == other) == row[:2], (a, b)
            assert order_key(bare, row[2]) == one, a


def test_values_are_printed_as_the_server_prints_them() -> None:
    assert output_text("date", "2026-1-5") == "2026-01-05"
    assert output_text("boolean", "YES") == "t"
    assert output_text("bigint", "007") == "7"
    assert output_text("timestamptz", "2026-01-05 10:00+02") == "2026-01-05 08:00:00.000000+00"


def test_collations_that_sort_by_bytes() -> None:
    assert all(sorts_like_bytes(c) for c in ('"C"', 'pg_catalog."C"', '"POSIX"', "C.UTF-8", "ucs_basic"))
    assert not any(sorts_like_bytes(c) for c in ('"en_US"', "default", '"und-x-icu"'))
