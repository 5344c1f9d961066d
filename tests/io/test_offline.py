"""A schema without a server: what loads, what is listed, and what told statistics become."""

from pathlib import Path

import psycopg
import pytest

from partadvisor.io.connect import connect
from partadvisor.io.offline import offline_snapshot
from partadvisor.io.schema_load import load_schema
from partadvisor.io.stats_file import apply_stats, read_stats
from partadvisor.model.catalog import Column, Index, Relation
from partadvisor.model.errors import PartadvisorError, UsageError
from partadvisor.model.snapshot import ServerInfo, Snapshot

CASE = Path(__file__).parent.parent / "cases" / "order_entry"

DUMP = r"""
\restrict abc
SET statement_timeout = 0;
SET client_min_messages = warning;
SELECT pg_catalog.set_config('search_path', '', false);
BEGIN;
CREATE EXTENSION IF NOT EXISTS postgis WITH SCHEMA public;
CREATE TABLE app.place (id int PRIMARY KEY, at public.geometry);
CREATE TABLE app.thing (id int PRIMARY KEY, name text);
ALTER TABLE app.thing OWNER TO boss;
GRANT SELECT ON app.thing TO reader, "Other Reader";
COPY app.thing (id, name) FROM stdin;
1	a;b
2	\N
\.
CREATE FUNCTION app.f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE INDEX CONCURRENTLY ON app.thing (name);
COMMIT;
\i more.sql
\connect other
CREATE DATABASE other;
COPY app.thing FROM '/etc/passwd';
COPY app.thing TO PROGRAM 'cat';
CREATE TABLE app.last (x int);
"""


def test_a_dump_loads_as_far_as_it_can(db: str) -> None:
    with connect(db, read_only=False) as connection:
        loaded = load_schema(connection, "dump.sql", DUMP)
        rows = connection.execute("SELECT id, name FROM app.thing ORDER BY id").fetchall()
        tables = connection.execute(
            "SELECT to_regclass('app.last') IS NULL, to_regclass('app.place') IS NULL"
        ).fetchone()
    assert rows == [(1, "a;b"), (2, None)]
    assert tables == (False, True)
    assert loaded.made_up == ["schema app", "role boss", "role reader", "role Other Reader"]
    assert [problem.split(": ")[0] for problem in loaded.problems] == [
        f"dump.sql:{line}" for line in _lines("postgis", "geometry", r"\i more", "CREATE DATABASE", "/etc/", "PROGRAM")
    ]


def _lines(*words: str) -> list[int]:
    return [next(n for n, line in enumerate(DUMP.split("\n"), start=1) if word in line) for word in words]


def test_an_offline_snapshot_with_all_its_files() -> None:
    snapshot = offline_snapshot(CASE / "schema.sql", CASE / "queries.sql", CASE / "stats.toml")
    line = snapshot.relation("public.order_line")
    assert line
    assert (line.rows, line.heap_bytes) == (15_000_000, 1_350_000_640)
    assert line.index_bytes > 100_000_000
    warehouse = line.column("ol_w_id")
    assert warehouse
    assert warehouse.statistics
    assert warehouse.statistics.n_distinct == 50
    assert snapshot.assumed
    assert (snapshot.assumed.clients, snapshot.assumed.host_cpu_busy, snapshot.server.cores) == (128, 0.35, 16)
    assert snapshot.assumed.waits[0].relation == "public.order_line"
    assert {t.table: t.inserts_per_second for t in snapshot.assumed.tables}["public.order_line"] == 9000
    assert snapshot.statements[0].source == "file"
    assert any(e.name == "add order lines" for e in snapshot.statements[0].entries)
    assert snapshot.missing == ()
    assert any("PostgreSQL 18" in text for text in snapshot.assumptions)
    assert any(text.startswith("public.orders:") for text in snapshot.assumptions)
    assert (snapshot.server.settings, snapshot.server.user, snapshot.server.is_local) == ({}, "", False)


def test_a_schema_that_makes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "empty.sql"
    path.write_text("SELECT 1; CREATE TABLE t (x no_such_type);")
    with pytest.raises(UsageError, match="makes no table") as caught:
        offline_snapshot(path)
    assert "no_such_type" in (caught.value.detail or "")


@pytest.mark.parametrize(
    ("data", "message"), [(b"PGDMP\x01", "archive of pg_dump"), (b"\xff\xfe", "not UTF-8"), (None, "could not read")]
)
def test_files_that_are_no_schema(tmp_path: Path, data: bytes | None, message: str) -> None:
    path = tmp_path / "schema.sql"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UsageError, match=message):
        offline_snapshot(path)


def _snapshot() -> Snapshot:
    columns = (
        Column(name="id", number=1, type="bigint", base_type="bigint"),
        Column(name="day", number=2, type="date", base_type="date"),
        Column(name="ok", number=3, type="boolean", base_type="boolean"),
    )
    index = Index(name="t_pkey", definition="", columns=("id",))
    return Snapshot(
        tool_version="0",
        taken_at="now",
        server=ServerInfo(version="18", version_num=180000, database="d"),
        relations=tuple(
            Relation(oid=i, schema=schema, name=name, kind="table", columns=columns, indexes=(index,))
            for i, (schema, name) in enumerate((("public", "orders"), ("a", "twice"), ("b", "twice")))
        ),
    )


def _apply(tmp_path: Path, text: str) -> Snapshot:
    path = tmp_path / "stats.toml"
    path.write_text(text)
    return apply_stats(_snapshot(), read_stats(path))


def test_values_are_printed_as_the_server_would(tmp_path: Path) -> None:
    told = _apply(
        tmp_path,
        "[tables.orders]\nrows = 1000\nbytes_per_row = 100\n[tables.orders.columns]\n"
        "day.most_common = [[2026-01-02, 0.5]]\nok = {most_common = [[true, 0.9]], null_fraction = 0.1}\n",
    ).relations[0]
    assert told.columns[1].statistics
    assert told.columns[2].statistics
    assert told.columns[1].statistics.most_common == (("2026-01-02", 0.5),)
    assert told.columns[2].statistics.most_common == (("t", 0.9),)
    assert told.columns[2].statistics.null_fraction == 0.1
    assert (told.rows, told.pages, told.heap_bytes) == (1000, 13, 13 * 8192)
    assert told.index_bytes == told.indexes[0].size_bytes == 4 * 8192


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("clents = 1", 'unknown key "clents"', '"clients"'),
        ("clients = 0", "wrong value", None),
        ("host_cpu_busy = 35", "wrong value", None),
        ("[tables.orders]\nrow = 1", 'unknown key "row"', '"rows"'),
        ("[tables.order]\nrows = 1", 'table "order"', '"orders"'),
        ("[tables.twice]\nrows = 1", "ambiguous", None),
        ("[tables.orders.columns.dya]\nn_distinct = 1", 'column "dya"', '"day"'),
        ("[tables.orders.columns.day]\nn_distict = 1", 'unknown key "n_distict"', '"n_distinct"'),
        ("[tables.orders.columns.day]\nn_distinct = -2", "wrong value", None),
        ('[[waits]]\nevent = "CPU"\nshare = 1.2', "wrong value", None),
        ('[[waits]]\nevent = "CPU"\nshare = 0.6\n[[waits]]\nevent = "IO:x"\nshare = 0.6', "add up to 1.20", "whole"),
        ('[[waits]]\nevent = "CPU"\nshare = 0.6\nrelation = "ordrs"', 'table "ordrs"', '"orders"'),
        ("tables = 3", "wrong value", None),
        ("clients = 99999999999", "wrong value", None),
        ("[tables]\npublic.orders.rows = 1", 'unknown key "orders"', '[tables."public.orders"]'),
        ("[tables.orders]\nrows = inf", "wrong value", None),
        ("[tables.orders]\nrows = 1\n[tables.'public.orders']\nrows = 2", "twice", "public.orders"),
        ("[tables.orders.columns.id]\nmost_common = [[1, 0.7], [2, 0.7]]", 'column "id".*add up to 1.40', "whole"),
        ('[[waits]]\nevent = "Lock:extnd"\nshare = 0.5', '"Lock:extnd" does not exist', '"Lock:extend"'),
        ('[[waits]]\nevent = "lock:extend"\nshare = 0.5', "does not exist", '"Lock:extend"'),
        ('[[waits]]\nevent = "LWLock:walwrite"\nshare = 0.5', "does not exist", '"LWLock:WALWrite"'),
        ('[[waits]]\nevent = "CPU"\nshare = 0.5\nrelation = "public.t_pk"', 'table "public.t_pk"', None),
        ("waits = 3", "wrong value", None),
        ("a b", "not TOML", None),
    ],
)
def test_mistakes_in_told_statistics(tmp_path: Path, text: str, message: str, hint: str | None) -> None:
    with pytest.raises(PartadvisorError, match=message) as caught:
        _apply(tmp_path, text)
    assert (hint or "") in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ('clients = "x"', "clients: expected a whole number, got text."),
        ("[tables.orders]\nrows = -1", 'rows in table "orders": expected a number >= 0.0.'),
        ("[tables.orders.columns.day]\nn_distinct = -2", 'n_distinct in column "day" of table "orders": expected'),
        ('[[waits]]\nevent = "CPU"\nshare = 62', "waits[0].share: expected a number <= 1.0."),
        ("[[waits]]\nshare = 0.5", "waits[0]: object missing required field event."),
    ],
)
def test_a_wrong_value_is_told_with_its_place(tmp_path: Path, text: str, detail: str) -> None:
    with pytest.raises(PartadvisorError) as caught:
        _apply(tmp_path, text)
    assert (caught.value.detail or "").startswith(detail)


def test_any_event_of_an_extension_is_taken(tmp_path: Path) -> None:
    told = _apply(tmp_path, '[[waits]]\nevent = "Extension:Mine"\nshare = 0.5').assumed
    assert told
    assert told.waits[0].event == "Extension:Mine"


def test_load_stops_when_the_server_is_gone(db: str) -> None:
    with connect(db, read_only=False) as connection, pytest.raises(psycopg.OperationalError):
        load_schema(connection, "x.sql", "SELECT pg_terminate_backend(pg_backend_pid()); CREATE TABLE a (x int);")
