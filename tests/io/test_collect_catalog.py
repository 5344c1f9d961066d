"""What a snapshot says about the catalog, on each major, against a schema that uses what the model has fields for."""

from collections.abc import Callable

import psycopg
import pytest

from partadvisor.io.collect.run import CollectOptions, collect
from partadvisor.io.server import Server
from partadvisor.model.catalog import Relation
from partadvisor.model.errors import UsageError
from partadvisor.model.snapshot import Snapshot
from tests.majors import ON_MAJORS

AT_ONCE = CollectOptions(duration=0)

SCHEMA = """
CREATE SCHEMA app;
CREATE DOMAIN app.code AS varchar(8);
CREATE DOMAIN app.short_code AS app.code;
CREATE TYPE app.state AS ENUM ('new', 'old');
CREATE TABLE app.customer (id int PRIMARY KEY, name text UNIQUE DEFERRABLE);
CREATE TABLE app."Order Line" (
    id bigint GENERATED ALWAYS AS IDENTITY,
    customer int NOT NULL REFERENCES app.customer ON DELETE CASCADE,
    code app.short_code DEFAULT 'a''b',
    state app.state,
    at timestamptz DEFAULT now(),
    amount numeric(10,2) CHECK (amount > 0.5),
    net numeric GENERATED ALWAYS AS (amount * 2) STORED,
    serial_no serial,
    note text COLLATE "C",
    PRIMARY KEY (id)
) WITH (fillfactor = 70);
CREATE INDEX line_code ON app."Order Line" (lower(note), customer) INCLUDE (code) WHERE customer > 5;
CREATE STATISTICS app.st ON customer, state FROM app."Order Line";
CREATE FUNCTION app.tf() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER line_trg BEFORE INSERT ON app."Order Line" FOR EACH ROW EXECUTE FUNCTION app.tf();
ALTER TABLE app."Order Line" DISABLE TRIGGER line_trg;
CREATE TRIGGER line_bulk AFTER INSERT ON app."Order Line" REFERENCING NEW TABLE AS n
    FOR EACH STATEMENT EXECUTE FUNCTION app.tf();
ALTER TABLE app."Order Line" ENABLE ROW LEVEL SECURITY, REPLICA IDENTITY FULL;
CREATE POLICY p1 ON app."Order Line" FOR SELECT USING (customer = 3);
CREATE VIEW app.v AS SELECT id, code FROM app."Order Line" WHERE code = 'x';
CREATE FUNCTION app.f(app."Order Line") RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE TABLE app.refund (line bigint REFERENCES app."Order Line" (id), self int UNIQUE REFERENCES app.refund (self));
COMMENT ON TABLE app."Order Line" IS 'lines';
COMMENT ON COLUMN app."Order Line".code IS 'a code';
CREATE PUBLICATION some_tables FOR TABLE app."Order Line";
CREATE TABLE app.log (day date, device int, primary key (day, device)) PARTITION BY RANGE (day);
CREATE TABLE app.log_1 PARTITION OF app.log FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE app.log_2 PARTITION OF app.log FOR VALUES FROM ('2026-02-01') TO ('2026-03-01') PARTITION BY HASH (device);
CREATE TABLE app.log_2_0 PARTITION OF app.log_2 FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE TRIGGER log_trg AFTER INSERT ON app.log FOR EACH ROW EXECUTE FUNCTION app.tf();
CREATE PUBLICATION of_log FOR TABLE app.log WITH (publish_via_partition_root);
CREATE TABLE app.base (a int);
CREATE TABLE app.derived (b int) INHERITS (app.base);
INSERT INTO app.customer SELECT i, 'n' || i FROM generate_series(1, 100) i;
INSERT INTO app."Order Line" (customer, code, state, amount, note)
    SELECT 1 + i % 10, CASE WHEN i % 2 = 0 THEN 'a,"b' END, 'new', i, repeat('x', 10) FROM generate_series(1, 1000) i;
INSERT INTO app.log SELECT '2026-01-05', i FROM generate_series(1, 10) i;
ANALYZE;
"""


@pytest.fixture(scope="module")
def snapshots(
    make_db: Callable[[Server], str], major_server: Callable[[int], Server]
) -> Callable[[int], tuple[Snapshot, str]]:
    done: dict[int, tuple[Snapshot, str]] = {}

    def on(major: int) -> tuple[Snapshot, str]:
        if major not in done:
            dsn = make_db(major_server(major))
            with psycopg.connect(dsn) as connection:
                connection.execute(SCHEMA)
            done[major] = collect(dsn, AT_ONCE), dsn
        return done[major]

    return on


def _of(snapshot: Snapshot, name: str) -> Relation:
    found = snapshot.relation(name)
    assert found, f"{name} is not among {[r.qualified_name for r in snapshot.relations]}"
    return found


@ON_MAJORS
def test_columns(major: int, snapshots: Callable[[int], tuple[Snapshot, str]]) -> None:
    line = _of(snapshots(major)[0], "app.Order Line")
    columns = {c.name: c for c in line.columns}
    assert [c.number for c in line.columns] == list(range(1, 10))
    assert (columns["id"].identity, columns["id"].owned_sequence) == ("always", "app.Order Line_id_seq")
    assert (columns["code"].type, columns["code"].base_type) == ("app.short_code", "character varying")
    assert columns["code"].default == "'a''b'::character varying"
    assert (columns["amount"].type, columns["amount"].base_type) == ("numeric(10,2)", "numeric")
    assert columns["net"].generated == "stored"
    assert columns["serial_no"].owned_sequence == "app.Order Line_serial_no_seq"
    assert columns["note"].collation == '"C"'
    assert (columns["code"].collation, columns["code"].collation_deterministic) == (None, True)
    assert columns["code"].comment == "a code"
    assert columns["customer"].not_null


@pytest.mark.matrix
def test_nondeterministic_collation(major_server: Callable[[int], Server], make_db: Callable[[Server], str]) -> None:
    """On a build with ICU, which the embedded server is not."""
    dsn = make_db(major_server(16))
    with psycopg.connect(dsn) as connection:
        connection.execute(
            "CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
            "CREATE TABLE t (name text COLLATE ci)"
        )
    name = _of(collect(dsn, AT_ONCE), "public.t").columns[0]
    assert (name.collation, name.collation_deterministic) == ("public.ci", False)


@ON_MAJORS
def test_statistics(major: int, snapshots: Callable[[int], tuple[Snapshot, str]]) -> None:
    line = _of(snapshots(major)[0], "app.Order Line")
    statistics = {c.name: c.statistics for c in line.columns}
    code, customer = statistics["code"], statistics["customer"]
    assert code
    assert customer
    assert code.most_common == (('a,"b', 0.5),)
    assert (code.null_fraction, customer.n_distinct) == (0.5, 10.0)
    assert {value for value, _ in customer.most_common} == {str(i) for i in range(1, 11)}
    assert line.rows == 1000
    log = _of(snapshots(major)[0], "app.log").column("device")
    assert log
    assert log.statistics
    assert log.statistics.inherited


@ON_MAJORS
def test_constraints_indexes_and_keys(major: int, snapshots: Callable[[int], tuple[Snapshot, str]]) -> None:
    line = _of(snapshots(major)[0], "app.Order Line")
    keys = {k.kind: k for k in line.constraints if k.kind != "not_null"}
    assert keys["primary_key"].columns == ("id",)
    assert keys["check"].definition == "CHECK ((amount > 0.5))"
    foreign = keys["foreign_key"]
    assert (foreign.references, foreign.referenced_columns) == ("app.customer", ("id",))
    assert (foreign.on_delete, foreign.on_update) == ("CASCADE", "NO ACTION")
    assert [(k.table, k.columns) for k in line.referenced_by] == [("app.refund", ("line",))]
    refund = _of(snapshots(major)[0], "app.refund")
    assert [k.references for k in refund.constraints if k.kind == "foreign_key"] == ["app.Order Line", "app.refund"]
    assert [k.table for k in refund.referenced_by] == ["app.refund"]
    index = next(i for i in line.indexes if i.name == "line_code")
    assert (index.columns, index.included, index.method) == ((None, "customer"), ("code",), "btree")
    assert index.predicate == "(customer > 5)"
    assert index.size_bytes > 0
    unique = next(i for i in _of(snapshots(major)[0], "app.customer").indexes if not i.primary)
    assert (unique.unique, unique.immediate, unique.constraint) == (True, False, "customer_name_key")


@ON_MAJORS
def test_what_hangs_on_a_table(major: int, snapshots: Callable[[int], tuple[Snapshot, str]]) -> None:
    line = _of(snapshots(major)[0], "app.Order Line")
    triggers = {t.name: t for t in line.triggers}
    assert (triggers["line_trg"].timing, triggers["line_trg"].row, triggers["line_trg"].enabled) == (
        "before",
        True,
        "D",
    )
    assert triggers["line_bulk"].transition_tables
    assert (line.row_security, line.replica_identity, line.comment) == (True, "full", "lines")
    assert [(p.name, p.command, p.using) for p in line.policies] == [("p1", "SELECT", "(customer = 3)")]
    assert [s.name for s in line.extended_statistics] == ["app.st"]
    assert [(p.name, p.explicit) for p in line.publications] == [("some_tables", True)]
    assert line.options == ("fillfactor=70",)
    dependents = {(d.kind, d.name): d.definition or "" for d in line.dependents}
    assert 'FROM app."Order Line"' in dependents[("view", "app.v")]
    assert "CREATE OR REPLACE FUNCTION app.f" in dependents[("function", "app.f")]
    assert ("sequence", "app.Order Line_id_seq") in dependents
    assert line.heap_bytes >= 8192
    assert line.index_bytes == sum(i.size_bytes for i in line.indexes)
    assert line.toast_oid > 0


@ON_MAJORS
def test_partition_trees(major: int, snapshots: Callable[[int], tuple[Snapshot, str]]) -> None:
    snapshot = snapshots(major)[0]
    log, leaf = _of(snapshot, "app.log"), _of(snapshot, "app.log_2_0")
    assert log.partition_key
    assert (log.partition_key.strategy, log.partition_key.columns) == ("range", ("day",))
    assert _of(snapshot, "app.log_1").partition_bound == "FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')"
    assert leaf.parent == "app.log_2"
    assert [(p.name, p.explicit, p.via_partition_root) for p in leaf.publications] == [("of_log", False, True)]
    assert [(t.name, t.inherited) for t in leaf.triggers] == [("log_trg", True)]
    assert _of(snapshot, "app.derived").inheritance_parents == ("app.base",)
    assert _of(snapshot, "app.base").has_inheritance_children
    assert not log.has_inheritance_children


def test_definitions_can_be_run_elsewhere(snapshots: Callable[[int], tuple[Snapshot, str]]) -> None:
    """Every name the server prints is qualified, whatever search_path the role has."""
    snapshot, dsn = snapshots(18)
    line = _of(snapshot, "app.Order Line")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SET search_path = ''")
        for text in [d.definition for d in line.dependents if d.kind == "function"]:
            connection.execute((text or "").encode())
        for constraint in line.constraints:
            if constraint.kind == "foreign_key":
                connection.execute(f'ALTER TABLE app."Order Line" ADD {constraint.definition}'.encode())


def test_settings_are_the_servers_not_the_collectors(snapshots: Callable[[int], tuple[Snapshot, str]]) -> None:
    server = snapshots(18)[0].server
    assert server.settings["lock_timeout"] == "0"
    assert server.settings["max_connections"] == "200"
    assert server.is_local
    assert server.user_is_superuser


def test_schema_pattern(db: str) -> None:
    with psycopg.connect(db) as connection:
        connection.execute("CREATE SCHEMA shop_eu; CREATE TABLE shop_eu.a (x int); CREATE TABLE public.b (x int)")
    found = collect(db, CollectOptions(duration=0, schema_pattern="shop_*"))
    assert [r.qualified_name for r in found.relations] == ["shop_eu.a"]
    with pytest.raises(UsageError, match="no schema matches") as caught:
        collect(db, CollectOptions(duration=0, schema_pattern="shup"))
    assert caught.value.detail is not None
    assert "shop_eu" in caught.value.detail


def test_many_tables_are_read_by_few_statements(db: str) -> None:
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute(_make_tables(300))
        spent = []
        for _ in range(3):
            before = _committed(connection)
            found = collect(db, AT_ONCE)
            spent.append(_committed(connection) - before)
    assert len(found.relations) == 300
    # transactions rather than time, which a busy machine stretches; the least, since autovacuum's count as well
    assert min(spent) < 10


def _make_tables(number: int) -> bytes:
    table = "format('CREATE TABLE t%s (id int PRIMARY KEY, v text)', i)"
    return f"DO $$ BEGIN FOR i IN 1..{number} LOOP EXECUTE {table}; END LOOP; END $$".encode()


def _committed(connection: psycopg.Connection) -> int:
    row = connection.execute(
        "SELECT pg_stat_clear_snapshot()::text, xact_commit FROM pg_stat_database WHERE datname = current_database()"
    ).fetchone()
    assert row
    return int(row[1])
