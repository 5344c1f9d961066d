"""Texts as pg_stat_statements prints them: everyday statements run on a server and read back from it."""

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import psycopg
import pytest

from partadvisor.io.server import Server
from partadvisor.model.activity import StatementDelta
from partadvisor.model.snapshot import Statements
from partadvisor.sql.access import access_pattern
from partadvisor.sql.names import SchemaNames, TableNames
from partadvisor.sql.parse import Unparsed, fingerprint
from partadvisor.sql.split import split
from partadvisor.workload.families import build_workload
from tests.majors import EMBEDDED

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


BOUND: list[tuple[str, list[object]]] = [
    ("SELECT * FROM orders WHERE id = %s", [1]),
    ("SELECT * FROM orders WHERE id = %s AND w_id = %s AND status = %s FOR SHARE", [1, 2, "new"]),
    ("SELECT * FROM orders WHERE w_id IN (%s, %s, %s) AND placed > %s::timestamptz", [1, 2, 3, "2026-01-01"]),
    ("SELECT * FROM orders WHERE id = ANY (%s::bigint[]) ORDER BY placed DESC LIMIT %s OFFSET %s", [[1, 2], 10, 20]),
    ("SELECT * FROM orders WHERE (w_id, status) = (%s, %s) OR total > %s", [1, "new", 5]),
    ("SELECT * FROM orders WHERE %s::text IS NULL OR status = %s", [None, "new"]),
    ("SELECT * FROM orders WHERE placed BETWEEN %s AND %s + interval '1 day'", ["2026-01-01", datetime(2026, 1, 2)]),
    ("SELECT * FROM orders WHERE w_id = %s AND status IN ('a', 'b', 'c', %s)", [1, "d"]),
    ("SELECT count(*) FROM events WHERE device = %s::uuid AND at >= %s", [UUID(int=7), datetime(2026, 1, 1)]),
    ("INSERT INTO orders (w_id, customer_id, status) VALUES (%s, %s, %s), (%s, %s, %s)", [1, 2, "a", 1, 3, "b"]),
    ("INSERT INTO counters (name, n) VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET n = excluded.n", ["b", 2]),
    ("INSERT INTO order_lines (order_id, w_id, number) SELECT * FROM unnest(%s::int[], %s::int[], %s::int[])",
     [[1], [2], [3]]),
    ("UPDATE orders SET status = %s, total = total + %s WHERE id = %s AND w_id = %s RETURNING total", ["x", 1, 2, 3]),
    ("DELETE FROM order_lines WHERE order_id = %s AND number IN (%s, %s)", [1, 2, 3]),
    ("SELECT id, placed FROM archive WHERE w_id = %s UNION ALL SELECT id, placed FROM orders WHERE w_id = %s", [1, 1]),
]  # fmt: skip
"""Statements as drivers send them: with parameters, prepared on the server."""


class Printed(NamedTuple):
    """Text, calls and rows of every entry, what the names in them mean, and statements the server did not take."""

    entries: list[tuple[str, int, int]]
    names: SchemaNames
    refused: list[str]


@pytest.fixture(scope="module", params=[pytest.param(13, marks=pytest.mark.matrix), EMBEDDED])
def run(
    request: pytest.FixtureRequest, major_server: Callable[[int], Server], make_db: Callable[[Server], str]
) -> Printed:
    refused = []
    with psycopg.connect(make_db(major_server(request.param)), autocommit=True) as connection:
        connection.execute(_SCHEMA)
        connection.execute("CREATE EXTENSION pg_stat_statements")
        connection.execute("SELECT pg_stat_statements_reset()")
        for statement in split(_FILE.read_text()).statements:
            try:
                connection.execute(statement.text.encode(), prepare=False)
            except (psycopg.ProgrammingError, psycopg.NotSupportedError):
                refused.append(statement.text)  # of a later version
        for text, values in BOUND:
            connection.execute(text.encode(), values, prepare=True)
        with connection.cursor().copy("COPY notes (id, body) FROM STDIN") as copy:
            copy.write_row((1, "x"))
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
    return Printed([(q, c, r) for q, c, r in entries], names, refused)


@pytest.fixture
def printed(run: Printed) -> tuple[list[tuple[str, int, int]], SchemaNames]:
    return run.entries, run.names


def test_enough_of_them(run: Printed) -> None:
    texts = [text for text, _, _ in run.entries]
    assert len(texts) >= 150
    assert any(re.search(r"DATE \$\d", text) for text in texts)
    assert sum(bool(re.search(r"\$\d+,\s*\$\d", text)) for text in texts) >= 10
    squashed = sum("/*, ... */" in text for text in texts)
    if len(run.refused) == 0:  # the embedded version takes all of them, and shortens lists
        assert squashed >= 3
    else:
        assert squashed == 0
        assert len(run.refused) <= 15


def test_understood(run: Printed) -> None:
    """At least 99 % of the texts have a pattern; those that have none are named, whatever their number."""
    found = {text: access_pattern(text, run.names) for text, _, _ in run.entries}
    missed = {text: p.reason for text, p in found.items() if isinstance(p, Unparsed)}
    assert len(found) - len(missed) >= 0.99 * len(found), missed
    assert missed == {}


def test_bound_and_literal_forms_are_one_shape(run: Printed) -> None:
    """What the server prints of a statement has the fingerprint of what was sent, so that a log adds to it."""
    printed_shapes = {fingerprint(text) for text, _, _ in run.entries}
    sent = [s.text for s in split(_FILE.read_text()).statements if s.text not in run.refused]
    sent += [text.replace("%s", "$1") for text, _ in BOUND]
    lost = [text for text in sent if fingerprint(text) not in printed_shapes]
    assert len(lost) <= 0.05 * len(sent), lost


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
            if re.search(rf"(from|join|into|update|using|,|only|table|copy|\()\s*{t}\b", text, re.IGNORECASE)
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
