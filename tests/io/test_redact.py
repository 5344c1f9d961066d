"""A redacted snapshot holds no value, and what routing and statistics need is still in it."""

import msgspec
import psycopg
import pytest

from partadvisor.io.collect.redact import nulls_for_literals, parameters_for_literals, redact
from partadvisor.io.collect.run import CollectOptions, collect
from partadvisor.model.snapshot import Snapshot
from partadvisor.pg.hashing.routing import from_stored, hash_values, route

SECRETS = ("GmbH-4711", "hidden comment", "no such colour", "73195246", "1999-12-31", "body text")

SCHEMA = """
CREATE EXTENSION pg_stat_statements;
CREATE TYPE colour AS ENUM ('no such colour', 'b');
CREATE TABLE customer (
    id int PRIMARY KEY,
    name text DEFAULT 'GmbH-4711' CHECK (name <> 'GmbH-4711' OR id < 73195246),
    since date DEFAULT '1999-12-31',
    seq int DEFAULT 73195246,
    serial_no serial,
    kind colour
);
CREATE INDEX ON customer (name) WHERE since > '1999-12-31';
COMMENT ON TABLE customer IS 'hidden comment';
COMMENT ON COLUMN customer.id IS 'hidden comment';
CREATE VIEW v AS SELECT id FROM customer WHERE name = 'GmbH-4711';
CREATE FUNCTION f(customer) RETURNS text LANGUAGE sql AS $$ SELECT 'body text' $$;
CREATE FUNCTION tf() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER trg BEFORE INSERT ON customer FOR EACH ROW WHEN (NEW.name = 'GmbH-4711') EXECUTE FUNCTION tf('73195246');
CREATE POLICY p ON customer USING (name = 'GmbH-4711');
INSERT INTO customer (id, name, seq, kind)
    SELECT i * 10, CASE WHEN i % 3 = 0 THEN NULL WHEN i % 3 = 1 THEN 'x' ELSE 'y' END, 1, 'no such colour'
    FROM generate_series(1, 300) i;
UPDATE customer SET name = 'GmbH-4711 Ltd' WHERE id <= 10;
ANALYZE;
"""


@pytest.fixture
def both(db: str) -> tuple[Snapshot, Snapshot]:
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute(SCHEMA)
    plain = collect(db, CollectOptions(duration=0))
    return plain, redact(plain)


def test_no_value_is_left(both: tuple[Snapshot, Snapshot]) -> None:
    plain, redacted = (msgspec.json.encode(snapshot).decode() for snapshot in both)
    assert [s for s in SECRETS if s not in plain] == [], "the test must look for what was there"
    assert [s for s in SECRETS if s in redacted] == []
    assert both[1].redacted
    assert redact(both[1]) is both[1]


def test_routing_and_order_stay(both: tuple[Snapshot, Snapshot]) -> None:
    plain, redacted = (snapshot.rows_of("public.customer") for snapshot in both)
    assert plain
    assert redacted
    assert plain.columns == redacted.columns
    for name, type_name in (("id", "integer"), ("name", "text"), ("since", "date")):
        place = plain.columns.index(name)
        values = [row[place] for row in plain.rows]
        stored = from_stored([row[place] for row in redacted.rows])
        assert route([stored], 16).tolist() == route([hash_values(type_name, values)], 16).tolist()
    ids = plain.columns.index("id")
    numbers = [int(row[ids] or 0) for row in plain.rows]
    assert list(redacted.ranks[ids]) == [sorted(numbers).index(n) for n in numbers]
    assert [r is None for r in redacted.ranks[plain.columns.index("name")]] == [
        row[plain.columns.index("name")] is None for row in plain.rows
    ]
    assert (redacted.statements, redacted.transactions) == (plain.statements, plain.transactions)
    kind = redacted.columns.index("kind")
    assert len({row[kind] for row in redacted.rows}) == 1, "equal values of an enum stay equal"


def test_statistics_keep_their_shares(both: tuple[Snapshot, Snapshot]) -> None:
    plain, redacted = (snapshot.relation("public.customer") for snapshot in both)
    assert plain
    assert redacted
    before, after = plain.columns[1].statistics, redacted.columns[1].statistics
    assert before
    assert after
    assert after.values_hashed
    assert [share for _, share in after.most_common] == [share for _, share in before.most_common]
    hashes, _ = hash_values("text", [value for value, _ in before.most_common])
    assert [value for value, _ in after.most_common] == [str(h) for h in hashes.tolist()]
    assert redacted.columns[0].statistics
    assert redacted.columns[0].statistics.histogram == ()


def test_structure_stays(both: tuple[Snapshot, Snapshot]) -> None:
    customer = both[1].relation("public.customer")
    assert customer
    columns = {c.name: c for c in customer.columns}
    assert columns["serial_no"].default == "nextval('public.customer_serial_no_seq'::regclass)"
    assert columns["name"].default == "NULL::text"
    assert [i.predicate for i in customer.indexes if i.predicate] == ["(since > NULL::date)"]
    check = next(k for k in customer.constraints if k.kind == "check")
    assert check.definition == "CHECK (((name <> NULL::text) OR (id < NULL)))"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 'a', 1.5e3, x FROM t -- c\nWHERE y = $2", "SELECT $3, $4, x FROM t  \nWHERE y = $2"),
        ("SELECT E'a\\'b', $$x$$, U&'z', B'1' /* c */", "SELECT $1, $2, $3, $4"),
        ('SELECT "it\'s" FROM t1 WHERE x::numeric(10,2) = 3', 'SELECT "it\'s" FROM t1 WHERE x::numeric(10,2) = $1'),
        ("SELECT 1::varchar(3)", "SELECT $1::varchar(3)"),
    ],
)
def test_literals_become_parameters(text: str, expected: str) -> None:
    assert parameters_for_literals(text) == expected


def test_literals_become_nulls() -> None:
    assert nulls_for_literals("x > '1'::date AND y = nextval('s'::regclass)") == (
        "x > NULL::date AND y = nextval('s'::regclass)"
    )
    assert nulls_for_literals(None) is None


def test_workload_of_a_redacted_collection(db: str) -> None:
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute(SCHEMA)
    found = collect(db, CollectOptions(duration=0, redact=True))
    assert found.redacted
    assert "GmbH" not in msgspec.json.encode(found).decode()
