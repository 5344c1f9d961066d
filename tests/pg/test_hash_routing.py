"""The server decides: every hash and every remainder computed here is compared with its own, none may differ."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg import sql

from partadvisor.io.server import Server
from partadvisor.model.errors import UsageError
from partadvisor.pg.hashing import types
from partadvisor.pg.hashing.mixing import PARTITION_SEED
from partadvisor.pg.hashing.routing import (
    combine_hashes,
    from_stored,
    hash_values,
    route,
    route_hash,
    to_stored,
)
from partadvisor.pg.hashing.types import InvalidKeyValue, UnroutableType, base_name, check_hashable, is_hashable
from tests.majors import EMBEDDED, MAJORS, ON_MAJORS
from tests.pg.hash_cases import CASES, Case

Connection = psycopg.Connection[tuple[Any, ...]]

# The hash of an array of one element is 31 + the element's hash, on every major and for every type:
# that asks the type's own operator class, whatever its function is called.
ELEMENT_HASH = f"hash_array_extended(ARRAY[v], {PARTITION_SEED}) "
MODULUS = 7


def values_query(case: Case, major: int) -> sql.Composed:
    """A query for the case's values as column v."""
    return sql.SQL(
        "SELECT v FROM (SELECT ({random})::{type} AS v FROM generate_series(1, {rows}) g OFFSET 0) r"
        " UNION ALL SELECT unnest({odd}::text[])::{type}"
    ).format(
        random=sql.SQL(case.random),
        type=sql.SQL(case.type),
        rows=sql.Literal(case.rows),
        odd=sql.Literal(case.odd_on(major)),
    )


def connect(dsn: str, case: Case | None = None) -> Connection:
    connection = psycopg.connect(dsn, autocommit=True)
    connection.execute("SELECT setseed(0.25)")
    if case:
        connection.execute("SELECT set_config('timezone', %s, false)", [case.zone])
    return connection


def differences(ours: np.ndarray[Any, Any], theirs: Sequence[int], values: Sequence[Any]) -> list[Any]:
    """The values, at most ten, for which the two disagree."""
    wrong = np.flatnonzero(ours != np.array(theirs, dtype=ours.dtype))
    return [(values[i], int(ours[i]), theirs[i]) for i in wrong[:10].tolist()]


def check_hashes(dsn: str, case: Case, major: int) -> None:
    with connect(dsn, case) as connection:
        query = sql.SQL("SELECT format('%s', v), {} FROM ({}) q").format(
            sql.SQL(ELEMENT_HASH), values_query(case, major)
        )
        rows = connection.execute(query).fetchall()
    values = [value for value, _ in rows]
    hashes, nulls = hash_values(case.type, values)
    assert len(values) == case.rows + len(case.odd_on(major))
    assert not nulls.any()
    assert differences(hashes, [(theirs - 31) % 2**64 for _, theirs in rows], values) == []


def hash_partitioned(connection: Connection, name: str, columns: Sequence[str], modulus: int) -> None:
    """A table of columns c0, c1… partitioned by hash of all of them; partition name_r takes remainder r."""
    definitions = ", ".join(f"c{i} {type_name}" for i, type_name in enumerate(columns))
    keys = ", ".join(f"c{i}" for i in range(len(columns)))
    create = f"CREATE TABLE {name} ({definitions}) PARTITION BY HASH ({keys});"
    for r in range(modulus):
        create += f"CREATE TABLE {name}_{r} PARTITION OF {name} FOR VALUES WITH (MODULUS {modulus}, REMAINDER {r});"
    connection.execute(create)


def placed_rows(connection: Connection, name: str, columns: int) -> tuple[list[list[str | None]], list[int]]:
    """The rows' values by column, as text output, and the remainder of the partition each row is in."""
    texts = ", ".join(f"CASE WHEN c{i} IS NOT NULL THEN format('%s', c{i}) END" for i in range(columns))
    query = f"SELECT substr(tableoid::regclass::text, length('{name}_') + 1)::int, {texts} FROM {name}"
    rows = connection.execute(query).fetchall()
    remainders, *values = zip(*rows, strict=True)
    return [list(column) for column in values], list(remainders)


@pytest.fixture(scope="module")
def shared_db(server: Server, make_db: Callable[[Server], str]) -> str:
    """A database for all tests that only read."""
    return make_db(server)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_hashes_equal_the_servers(case: Case, shared_db: str) -> None:
    check_hashes(shared_db, case, EMBEDDED)


@pytest.mark.matrix
@pytest.mark.parametrize("major", [major for major in MAJORS if major != EMBEDDED])
def test_hashes_equal_the_servers_on_majors(
    major: int, major_server: Callable[[int], Server], make_db: Callable[[Server], str]
) -> None:
    dsn = make_db(major_server(major))
    for case in CASES:
        check_hashes(dsn, case, major)


@ON_MAJORS
def test_rows_are_where_we_say(
    major: int, major_server: Callable[[int], Server], make_db: Callable[[Server], str]
) -> None:
    dsn = make_db(major_server(major))
    for case in CASES:
        if case.zone != "UTC":
            continue
        few = Case(case.type, case.random, case.odd, case.odd_since, rows=500)
        with connect(dsn) as connection:
            connection.execute("DROP TABLE IF EXISTS t")
            hash_partitioned(connection, "t", [case.type], MODULUS)
            connection.execute(
                sql.SQL("INSERT INTO t SELECT v FROM ({}) q UNION ALL SELECT NULL").format(values_query(few, major))
            )
            values, theirs = placed_rows(connection, "t", 1)
        assert None in values[0]
        assert differences(route_hash([case.type], values, MODULUS), theirs, values[0]) == [], case.id


COMPOSITES = {
    ("integer", "text"): "g % 50, 'item-' || g",
    ("timestamp with time zone", "uuid", "numeric(12,2)"): "now() + g * interval '1 s', md5(g::text)::uuid, g / 100.0",
    ("bigint", "character(8)"): "nullif(g % 10, 3), nullif((g % 7)::text, '5')",
    (
        "date",
        "boolean",
        "smallint",
        "double precision",
    ): "date '2024-01-01' + g % 99, nullif(g % 3, 2) = 0, g % 5, g / 7.0",
}


@ON_MAJORS
def test_composite_keys(major: int, major_server: Callable[[int], Server], make_db: Callable[[Server], str]) -> None:
    with connect(make_db(major_server(major))) as connection:
        for i, (columns, expressions) in enumerate(COMPOSITES.items()):
            name, modulus = f"composite{i}", (16, 7, 10, 3)[i]
            hash_partitioned(connection, name, columns, modulus)
            insert = f"INSERT INTO {name} SELECT {expressions} FROM generate_series(1, 25000) g"
            connection.execute(insert)
            values, theirs = placed_rows(connection, name, len(columns))
            assert differences(route_hash(columns, values, modulus), theirs, list(zip(*values, strict=True))) == []


def test_satisfies_hash_partition_agrees(db: str) -> None:
    texts = [f"w-{i}" for i in range(2000)]
    numbers: list[str | None] = [None if i % 11 == 0 else str(i * 7919) for i in range(2000)]
    ours = route_hash(["text", "bigint"], [texts, numbers], 64)
    with connect(db) as connection:
        hash_partitioned(connection, "s", ["text", "bigint"], 1)
        row = connection.execute(
            "SELECT count(*) FILTER (WHERE satisfies_hash_partition('s'::regclass, 64, r, t, n)),"
            " count(*) FILTER (WHERE satisfies_hash_partition('s'::regclass, 64, (r + 1) %% 64, t, n))"
            " FROM unnest(%s::text[], %s::bigint[], %s::int[]) AS u(t, n, r)",
            [texts, numbers, ours.tolist()],
        ).fetchone()
    assert row == (2000, 0)


HASHABLE_TYPES = """
SELECT typname, format_type(oid, NULL), EXISTS (
    SELECT FROM pg_opclass JOIN pg_am ON pg_am.oid = opcmethod AND amname = 'hash'
    WHERE opcdefault AND (opcintype = pg_type.oid OR EXISTS (
        SELECT FROM pg_cast
        WHERE castsource = pg_type.oid AND casttarget = opcintype AND castmethod = 'b' AND castcontext = 'i')))
FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace
"""


def test_every_routable_type_has_a_hash_operator_class(db: str) -> None:
    with connect(db) as connection:
        rows = connection.execute(HASHABLE_TYPES).fetchall()
    hashable = {name for name, _, has_class in rows if has_class}
    printed = {name: printed for name, printed, _ in rows}
    assert types.ROUTABLE - hashable == set()
    assert types._NO_HASH_CLASS & hashable == set()
    for name in types.ROUTABLE:
        assert base_name(printed[name]) == base_name(name) == base_name(f"pg_catalog.{name}") == name


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("character varying(20)", "varchar"),
        ("character(3)", "bpchar"),
        ("char(3)", "bpchar"),
        ('"char"', "char"),
        ("numeric(10,2)", "numeric"),
        ("numeric(3,-2)", "numeric"),
        ("timestamp(3) with time zone", "timestamptz"),
        ("time(0) without time zone", "time"),
        ("interval day to second(3)", "interval"),
        ("interval(6)", "interval"),
        ("INTEGER", "int4"),
    ],
)
def test_printed_type_names(printed: str, name: str) -> None:
    assert base_name(printed) == name
    assert is_hashable(printed)


@pytest.mark.parametrize(
    "type_name", ["jsonb", "json", "mood", "integer[]", "_int4", "int4range", "int8multirange", "point", '"Text"']
)
def test_unroutable_types_say_why(type_name: str) -> None:
    assert not is_hashable(type_name)
    with pytest.raises(UnroutableType) as caught:
        hash_values(type_name, ["x"])
    assert type_name in caught.value.message
    assert caught.value.detail


def test_nondeterministic_collations_concern_text_only() -> None:
    assert not is_hashable("text", deterministic=False)
    assert is_hashable("bigint", deterministic=False)
    assert check_hashable("name", deterministic=False) == "name"
    with pytest.raises(UnroutableType, match="character varying"):
        hash_values("character varying(5)", ["a"], deterministic=False)


@pytest.mark.parametrize(
    ("type_name", "good", "bad"),
    [
        ("integer", "7", "seven"),
        ("bigint", "7", "9223372036854775808"),
        ("oid", "7", "-1"),
        ("boolean", "t", "yes"),
        ("uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc99-9c0b-4ef8-bb6d"),
        ("bytea", r"\x00", "abc"),
        ("date", "2024-12-01", "2024-13-01"),
        ("timestamp with time zone", "2024-01-01 00:00:00+00", "2024-01-01 00:00:00"),
        ("interval", "00:00:00", ""),
        ("numeric", "1", "1e999999"),
        ("numeric", "1", "."),
        ("inet", "10.0.0.1", "10.0.0.256"),
        ("inet", "10.0.0.1", "10.0.0.1/33"),
        ("real", "1", "1e300"),
        ('"char"', "a", "ab"),
        ("pg_lsn", "0/0", "0"),
        ("tid", "(0,1)", "0,1"),
        ("macaddr", "08:00:2b:01:02:03", "08:00:2b:01:02"),
    ],
)
def test_the_malformed_value_is_named(type_name: str, good: str, bad: str) -> None:
    with pytest.raises(InvalidKeyValue) as caught:
        hash_values(type_name, [good, good, good, None, bad, good])
    assert f'"{bad}" is not a value of type {type_name}' in caught.value.message


def test_nulls_are_skipped_and_all_null_is_remainder_zero() -> None:
    hashes, nulls = hash_values("integer", [None, "5", None])
    assert nulls.tolist() == [True, False, True]
    assert hashes[0] == 0
    assert route_hash(["integer", "text"], [[None, "5"], [None, None]], 1000)[0] == 0
    both = route_hash(["integer", "text"], [["5"], [None]], 1000)
    assert both == route_hash(["integer"], [["5"]], 1000)


@pytest.mark.parametrize("type_name", [case.type for case in CASES])
def test_no_values(type_name: str) -> None:
    assert hash_values(type_name, [])[0].shape == (0,)
    assert route_hash([type_name], [[None]], 8).tolist() == [0]


def test_equal_numbers_hash_equal_across_widths() -> None:
    numbers = ["-32768", "-1", "0", "32767"]
    small, large = hash_values("int2", numbers)[0], hash_values("int8", numbers)[0]
    assert small.tolist() == large.tolist()
    assert hash_values("float4", ["1.5"])[0] == hash_values("float8", ["1.5"])[0]


def test_stored_hashes_route_as_the_values_did() -> None:
    numbers = [str(i) if i % 5 else None for i in range(100)]
    columns: list[list[str | None]] = [numbers, [f"name {i}" for i in range(100)]]
    stored = [to_stored(hash_values(t, c)) for t, c in zip(("int8", "text"), columns, strict=True)]
    assert stored[0][0] is None
    assert (combine_hashes(stored) % 16).tolist() == route_hash(["int8", "text"], columns, 16).tolist()
    signed = [None if h is None else int(np.uint64(h).astype(np.int64)) for h in stored[0]]
    assert route([from_stored(signed)], 16).tolist() == route([from_stored(stored[0])], 16).tolist()


def test_text_is_hashed_in_the_databases_encoding(server: Server) -> None:
    server.execute("CREATE DATABASE hash_latin1 TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'")
    values = ["é", "naïve", "ß", "plain"]
    with connect(server.dsn("hash_latin1")) as connection:
        query = f"SELECT {ELEMENT_HASH} FROM unnest(%s::text[]) v"
        theirs = [(h - 31) % 2**64 for (h,) in connection.execute(query, [values])]
    assert hash_values("text", values, encoding="LATIN1")[0].tolist() == theirs
    assert hash_values("text", values)[0].tolist() != theirs
    assert hash_values("text", ["é"], encoding="WIN1252")[0].tolist() == theirs[:1]
    with pytest.raises(UnroutableType):
        hash_values("text", values, encoding="MULE_INTERNAL")
    with pytest.raises(InvalidKeyValue, match="漢"):
        hash_values("text", ["a", "漢"], encoding="LATIN1")


def test_written_out_and_short_forms_are_one() -> None:
    assert (
        hash_values("numeric", ["1e3", "1.5e-3"])[0].tolist() == hash_values("numeric", ["1000", "0.0015"])[0].tolist()
    )
    assert hash_values("inet", ["10.0.0.1/32"])[0].tolist() == hash_values("inet", ["10.0.0.1"])[0].tolist()


@pytest.mark.parametrize("modulus", [0, -1, 2**31])
def test_impossible_modulus(modulus: int) -> None:
    with pytest.raises(UsageError, match="modulus"):
        route_hash(["integer"], [["1"]], modulus)


def test_columns_of_different_lengths() -> None:
    with pytest.raises(UsageError, match="different numbers"):
        route_hash(["integer", "integer"], [["1"], ["1", "2"]], 4)


def test_asking_about_types_does_not_load_numpy() -> None:
    code = "import sys; import partadvisor.pg.hashing.types; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
