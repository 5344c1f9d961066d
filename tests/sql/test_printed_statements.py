"""Texts as pg_stat_statements prints them: everyday statements run on a server and read back from it."""

import re
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from partadvisor.io.server import Server
from partadvisor.model.activity import StatementDelta
from partadvisor.model.snapshot import Statements
from partadvisor.sql.access import access_pattern
from partadvisor.sql.names import SchemaNames, TableNames
from partadvisor.sql.parse import Unparsed
from partadvisor.sql.split import split
from partadvisor.workload.families import build_workload

_FILE = Path(__file__).with_name("everyday_statements.sql")
_SCHEMA = """
CREATE TABLE customers (id serial PRIMARY KEY, name text, email text UNIQUE, region text, seen timestamptz);
CREATE TABLE orders (id bigserial PRIMARY KEY, w_id int, customer_id int, status text, total numeric,
  placed timestamptz DEFAULT now(), paid bool, shipped bool);
CREATE TABLE archive (LIKE orders);
CREATE TABLE order_lines (order_id bigint, w_id int, number int, item text, quantity int DEFAULT 1);
CREATE TABLE events (id bigint GENERATED ALWAYS AS IDENTITY, device uuid, at timestamptz, payload jsonb);
CREATE TABLE counters (name text PRIMARY KEY, n bigint);
CREATE TABLE queue (id bigserial PRIMARY KEY, kind text, run_at timestamptz, body bytea);
CREATE TABLE nodes (id int, parent int);
CREATE TABLE notes (id bigint, body text);
CREATE VIEW open_orders AS SELECT * FROM orders WHERE NOT shipped;
CREATE VIEW order_totals AS SELECT w_id, sum(total) AS total FROM orders GROUP BY w_id;
"""


@pytest.fixture(scope="module")
def printed(server: Server, make_db: Callable[[Server], str]) -> tuple[list[tuple[str, int, int]], SchemaNames]:
    """Text, calls and rows of every entry, and what the names in them mean."""
    with psycopg.connect(make_db(server), autocommit=True) as connection:
        connection.execute(_SCHEMA)
        connection.execute("CREATE EXTENSION pg_stat_statements")
        connection.execute("SELECT pg_stat_statements_reset()")
        for statement in split(_FILE.read_text()).statements:
            connection.execute(statement.text.encode(), prepare=False)
        entries = connection.execute(
            "SELECT query, calls::int, rows::int FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid "
            "WHERE d.datname = current_database() AND query !~ 'pg_stat_statements'"
        ).fetchall()
        columns = connection.execute(
            "SELECT table_name::text, array_agg(column_name::text ORDER BY ordinal_position) "
            "FROM information_schema.columns WHERE table_schema = 'public' GROUP BY 1"
        ).fetchall()
        views = connection.execute("SELECT viewname, definition FROM pg_views WHERE schemaname = 'public'").fetchall()
    names = SchemaNames(
        {f"public.{name}": TableNames(tuple(found)) for name, found in columns},
        {f"public.{name}": definition for name, definition in views},
        ("public",),
        {name: (f"public.{name}",) for name, _ in columns},
    )
    return [(q, c, r) for q, c, r in entries], names


def test_enough_of_them(printed: tuple[list[tuple[str, int, int]], SchemaNames]) -> None:
    assert len(printed[0]) >= 150
    assert sum("/*, ... */" in text for text, _, _ in printed[0]) >= 3
    assert any(re.search(r"DATE \$\d", text) for text, _, _ in printed[0])


def test_understood(printed: tuple[list[tuple[str, int, int]], SchemaNames]) -> None:
    entries, names = printed
    found = {text: access_pattern(text, names) for text, _, _ in entries}
    assert {text: p.reason for text, p in found.items() if isinstance(p, Unparsed)} == {}


def test_every_table_is_found(printed: tuple[list[tuple[str, int, int]], SchemaNames]) -> None:
    """Every known table that a statement names is in its pattern, and nothing else is taken for one of them."""
    entries, names = printed
    tables = [name.removeprefix("public.") for name in names.tables if name not in names.views]
    for text, _, _ in entries:
        found = access_pattern(text, names)
        if isinstance(found, Unparsed) or found.kind == "other" or re.search(r"open_orders|order_totals", text):
            continue
        named = {
            t
            for t in tables
            if re.search(rf"(from|join|into|update|using|,|only|table|\()\s*{t}\b", text, re.IGNORECASE)
        }
        assert {t.table.removeprefix("public.") for t in found.tables} - {"nowhere"} == named, text


def test_views_are_seen_through(printed: tuple[list[tuple[str, int, int]], SchemaNames]) -> None:
    entries, names = printed
    for view in ("open_orders", "order_totals"):
        text = next(t for t, _, _ in entries if view in t)
        found = access_pattern(text, names)
        assert not isinstance(found, Unparsed)
        (table,) = found.tables
        assert table.table == "public.orders"
        assert "w_id" in str(table.condition)


def test_inserted_rows_agree_with_the_counters(printed: tuple[list[tuple[str, int, int]], SchemaNames]) -> None:
    entries, names = printed
    checked = 0
    for text, calls, rows in entries:
        found = access_pattern(text, names)
        if isinstance(found, Unparsed) or found.kind != "insert" or "CONFLICT" in text:
            continue
        main = found.tables[-1] if text.startswith("WITH") else found.tables[0]
        if main.rows is not None:
            assert main.rows == rows / calls, text
            checked += 1
    assert checked >= 6


def test_workload_of_all(printed: tuple[list[tuple[str, int, int]], SchemaNames]) -> None:
    entries, names = printed
    deltas = tuple(StatementDelta(query_id="", text=t, calls=c, rows=r) for t, c, r in entries)
    workload = build_workload([Statements(source="pg_stat_statements", seconds=10.0, entries=deltas)], names)
    coverage = workload.coverage
    assert coverage.understood_families == coverage.families > 120
    assert coverage.calls_share == 1.0
    assert coverage.without_table >= 15
