"""Rows and statements made up again from statistics, judged by a server: the same statistics, no failing statement."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from partadvisor.advise.monotone import monotone_columns
from partadvisor.io.collect.run import CollectOptions, collect
from partadvisor.io.connect import connect
from partadvisor.io.prove.types import parameter_types
from partadvisor.io.server import Server
from partadvisor.io.shadow.schema import Builder
from partadvisor.model.activity import StatementDelta
from partadvisor.model.snapshot import Snapshot, Statements
from partadvisor.sql.names import SchemaNames
from partadvisor.workload.families import build_workload
from partadvisor.workload.replay.statements import Script, Skipped, script
from partadvisor.workload.replay.tables import TableValues, fill_text, sequences_text, table_values, unmakeable

DDL = """
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE TABLE line (
    w_id int NOT NULL, o_id bigint NOT NULL, number smallint NOT NULL, item int, price numeric(8,2), note text,
    at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (w_id, o_id, number));
CREATE TABLE "Every Type" (
    id uuid PRIMARY KEY, code varchar(12), feeling mood, flag boolean, day date, amount numeric, ratio float8,
    span interval, host inet, doc jsonb, tags text[], raw bytea, clock time, twice int GENERATED ALWAYS AS (2) STORED,
    serial_no bigint GENERATED ALWAYS AS IDENTITY UNIQUE);
CREATE INDEX ON line (item);
"""
ROWS = """
SELECT setseed(0.5);
DO $$ BEGIN FOR o IN 1..2000 LOOP
    INSERT INTO line SELECT 1 + o % 25, o, n, 1 + (power(random(), 3) * 2000)::int, random() * 100, repeat('y', 40),
    '2026-01-01'::timestamptz + o * interval '1 s' FROM generate_series(1, 10) n;
END LOOP; END $$;
INSERT INTO "Every Type" SELECT md5(i::text)::uuid,
    CASE WHEN i % 4 = 0 THEN NULL WHEN i % 2 = 0 THEN 'common' ELSE 'c' || i END,
    CASE WHEN i % 10 = 0 THEN 'bad' ELSE 'good' END::mood, i % 3 = 0, '2025-01-01'::date + i % 300, i % 500, i / 7.0,
    i * interval '1 s', '10.1.0.0'::inet + i, jsonb_build_object('a', i), ARRAY['t' || i % 5],
    decode(md5(i::text), 'hex'),
    time '00:00' + i * interval '1 s' FROM generate_series(1, 10000) i;
ANALYZE;
"""
STATEMENTS = {
    "add lines": (
        "INSERT INTO line (w_id, o_id, number, item, price, note) VALUES "
        + ", ".join("(" + ", ".join(f"${6 * i + column}" for column in range(1, 7)) + ")" for i in range(10)),
        100, 10,
    ),
    "add one": ('INSERT INTO "Every Type" (id, code, feeling, flag, tags) VALUES ($1, $2, $3, $4, $5)', 50, 1),
    "one order": ("SELECT * FROM line WHERE w_id = $1 AND o_id = $2 ORDER BY number LIMIT $3", 400, 10),
    "orders of a while": ("SELECT sum(price) FROM line WHERE w_id = $1 AND at >= $2 AND at < $3", 20, 1),
    "by code": ('SELECT id FROM "Every Type" WHERE code = $1 AND day > current_date - $2::int', 80, 3),
    "several": ("SELECT count(*) FROM line WHERE item = ANY($1) OR w_id IN ($2, $3)", 10, 1),
    "feel": ('UPDATE "Every Type" SET flag = $1, doc = $2 WHERE id = $3', 30, 1),
    "broken": ("SELECT * FROM nowhere WHERE a = $1", 1, 1),
    "a client's mark": ("SELECT count(*) FROM line WHERE note = 'a:b' AND w_id = $1", 1, 1),
}  # fmt: skip


@pytest.fixture(scope="module")
def original(server: Server, make_db: Callable[[Server], str]) -> Snapshot:
    dsn = make_db(server)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(DDL)
        connection.execute(ROWS)
    return collect(dsn, CollectOptions(duration=0))


@pytest.fixture(scope="module")
def values(original: Snapshot) -> dict[str, TableValues]:
    made = {}
    for relation in original.relations:
        recent = original.rows_of(relation.qualified_name)
        made[relation.qualified_name] = table_values(relation, recent, monotone_columns(relation, recent), 20_000)
    return made


@pytest.fixture(scope="module")
def again(server: Server, make_db: Callable[[Server], str], values: dict[str, TableValues]) -> str:
    """A database with the same tables, filled from the statistics."""
    dsn = make_db(server)
    with connect(dsn, read_only=False) as connection:
        Builder(connection).build([table.relation for table in values.values()], {})
        for table in values.values():
            assert unmakeable(table) == []
            for statement in (*sequences_text(table), fill_text(table)):
                connection.execute(statement.encode())
        connection.execute("ANALYZE")
    return dsn


def test_the_fill_has_the_statistics_it_was_made_from(original: Snapshot, again: str) -> None:
    found = collect(again, CollectOptions(duration=0))
    for name, column, tolerance in [
        ("public.line", "w_id", 0), ("public.line", "item", 0.1), ("public.Every Type", "feeling", 0),
        ("public.Every Type", "day", 0.35), ("public.Every Type", "amount", 0.02), ("public.Every Type", "flag", 0),
    ]:  # fmt: skip
        relation, model = found.relation(name), original.relation(name)
        assert relation is not None
        assert model is not None
        new, old = relation.column(column), model.column(column)
        assert new is not None
        assert new.statistics is not None
        assert old is not None
        assert old.statistics is not None
        assert new.statistics.n_distinct == pytest.approx(old.statistics.n_distinct, rel=tolerance), column
        expected = dict(old.statistics.most_common)
        for value, share in new.statistics.most_common[:3]:
            assert share == pytest.approx(expected.get(value, share), abs=0.02), (column, value)
    code = next(c for c in found.relation("public.Every Type").columns if c.name == "code").statistics  # type: ignore[union-attr]
    assert code is not None
    assert code.null_fraction == pytest.approx(0.25, abs=0.02)
    assert dict(code.most_common)["common"] == pytest.approx(0.25, abs=0.02)


def test_columns_that_share_a_value_in_a_statement(values: dict[str, TableValues]) -> None:
    assert values["public.line"].numbered == {"o_id"}
    assert values["public.Every Type"].numbered >= {"serial_no"}


def scripts(dsn: str, original: Snapshot, values: dict[str, TableValues]) -> tuple[list[Script], list[Skipped]]:
    entries = tuple(
        StatementDelta(query_id=name, name=name, text=text, calls=calls, rows=calls * rows)
        for name, (text, calls, rows) in STATEMENTS.items()
    )
    workload = build_workload(
        (Statements(source="pg_stat_statements", seconds=1.0, entries=entries),),
        SchemaNames.from_relations(original.relations),
    )
    with connect(dsn, read_only=False) as connection:
        made = [script(family, values, parameter_types(connection)) for family in workload.families]
    return [s for s in made if isinstance(s, Script)], [s for s in made if isinstance(s, Skipped)]


def test_what_cannot_run_is_named(again: str, original: Snapshot, values: dict[str, TableValues]) -> None:
    made, skipped = scripts(again, original, values)
    assert {s.name: s.reason for s in skipped} == {
        "broken": 'the scratch server refuses it: relation "nowhere" does not exist',
        "a client's mark": "holds text that pgbench takes for a variable",
    }
    assert {s.name: s.guessed for s in made if s.guessed} == {"one order": 1, "by code": 1, "feel": 2}
    own = next(s for s in made if s.name == "one order")
    assert "SELECT * FROM line WHERE w_id = :p1 AND o_id = :p2 ORDER BY number LIMIT 10;" in own.text


def test_every_script_runs_and_inserts_keep_their_shape(
    server: Server, again: str, original: Snapshot, values: dict[str, TableValues], tmp_path: Path
) -> None:
    made, _ = scripts(again, original, values)
    words: list[str] = []
    for number, one in enumerate(made):
        file = tmp_path / f"{number}.pgbench"
        file.write_text(one.text + "\n")
        words += ["-f", str(file)]
    done = subprocess.run(
        [str(server.program("pgbench")), "-n", "-M", "prepared", "-c", "4", "-t", "150", *words, again],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "number of failed transactions: 0" in done.stdout
    with psycopg.connect(again) as connection:
        shapes = connection.execute(
            "SELECT count(*), count(DISTINCT w_id), count(DISTINCT o_id), count(DISTINCT number) FROM line"
            " WHERE o_id > 20000 GROUP BY xmin::text, cmin::text"
        ).fetchall()
    assert len(shapes) >= 20
    assert {rows for rows, *_ in shapes} == {10}
    assert {(w, o) for _, w, o, _ in shapes} == {(1, 1)}
    assert {n for *_, n in shapes} == {10}
