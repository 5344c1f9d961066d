"""What a snapshot says about the window: sessions, locks, counters, statements and the rows that arrived."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import psycopg
import pytest

from partadvisor.io.binaries import find_binaries
from partadvisor.io.collect.oids import owners
from partadvisor.io.collect.run import CollectOptions, collect, hot_tables
from partadvisor.io.collect.session import Session
from partadvisor.io.connect import connect
from partadvisor.io.pgbench import Load
from partadvisor.io.server import Server, start_server
from partadvisor.model.catalog import Relation
from partadvisor.model.snapshot import Snapshot
from tests.majors import ON_MAJORS

SHORT = CollectOptions(duration=1.2, interval_ms=20)


def _while_collecting(
    dsn: str, work: Callable[[psycopg.Connection], None], options: CollectOptions = SHORT
) -> Snapshot:
    """The snapshot of a window in which ``work`` ran once, as soon as the first look was taken."""
    started = threading.Event()
    errors: list[BaseException] = []

    def run() -> None:
        try:
            started.wait(10)
            with psycopg.connect(dsn, autocommit=True) as connection:
                work(connection)
        except BaseException as error:  # noqa: BLE001  (told to the test below)
            errors.append(error)

    worker = threading.Thread(target=run)
    worker.start()
    enough = time.monotonic() + options.duration

    def stop() -> bool:  # a slow machine gets a longer window, so that the work is always within it
        return not worker.is_alive() and time.monotonic() >= enough

    patient = msgspec.structs.replace(options, duration=30.0)
    found = collect(dsn, patient, progress=lambda what, _: started.set() if what == "sampling" else None, stop=stop)
    worker.join()
    assert not errors, errors
    return found


@ON_MAJORS
def test_counts_what_happened_in_the_window(
    major: int, major_server: Callable[[int], Server], make_db: Callable[[Server], str]
) -> None:
    dsn = make_db(major_server(major))
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION pg_stat_statements; CREATE TABLE kept (id int PRIMARY KEY, v text)")
        connection.execute("INSERT INTO kept SELECT i, 'old' FROM generate_series(1, 500) i")
    if major < 15:
        time.sleep(1.5)  # the statistics collector learns of it half a second later, and might within the window

    def work(connection: psycopg.Connection) -> None:
        connection.execute("CREATE TABLE made (id int)")
        for i in range(10):
            connection.execute(
                f"INSERT INTO kept SELECT {i} * 100 + g, repeat('y', 100) FROM generate_series(1001, 1100) g".encode()
            )
        connection.execute("UPDATE kept SET v = 'z' WHERE id <= 20")
        connection.execute("INSERT INTO made SELECT generate_series(1, 300)")

    found = _while_collecting(dsn, work)
    assert found.window
    tables = {t.table: t for t in found.window.tables}
    assert (tables["public.kept"].inserted, tables["public.kept"].updated) == (1000, 20)
    assert tables["public.kept"].heap_bytes > 100_000
    assert tables["public.kept"].index_bytes > 0
    assert (tables["public.made"].inserted, tables["public.made"].heap_bytes) == (300, 16384)
    assert found.window.transactions >= 12
    entries = {e.text: e for s in found.statements for e in s.entries}
    insert = next(e for text, e in entries.items() if text.startswith("INSERT INTO kept"))
    assert (insert.calls, insert.rows) == (10, 1000)
    assert not [text for text in entries if "pg_stat" in text or "pg_catalog" in text], "our own statements"
    if major >= 14:
        assert found.window.wal
        assert found.window.wal.records > 1000
    if major >= 16:
        assert found.window.io
        assert found.window.io.extend_ops > 0
        assert found.window.io.extend_ms is not None, "the test server measures I/O times"
    assert (major >= 18) == bool(found.window.io and found.window.io.extend_bytes)


@ON_MAJORS
def test_recent_rows_by_statement_and_transaction(
    major: int, major_server: Callable[[int], Server], make_db: Callable[[Server], str]
) -> None:
    dsn = make_db(major_server(major))
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE hot (id int PRIMARY KEY, shop text, flag bool, day date, big text, doc json)"
            " WITH (autovacuum_enabled = off);"  # which would cut off the pages of aborted rows
            "CREATE INDEX ON hot (shop); ALTER TABLE hot ALTER big SET STORAGE PLAIN"
        )

    def work(connection: psycopg.Connection) -> None:
        for shop in ("a", "b", "c"):
            with connection.transaction():
                for statement in range(2):
                    connection.execute(
                        "INSERT INTO hot SELECT nextval('n'), %s, true, '2026-03-04', repeat('x', 2000)"
                        " FROM generate_series(1, 5)",
                        [f"{shop}{statement}"],
                    )
        # aborted rows, and so pages without visible ones at the end of the heap
        connection.execute(
            "BEGIN; INSERT INTO hot SELECT -g, 'gone', true, NULL, repeat('x', 2000) FROM generate_series(1, 400) g;"
            "ROLLBACK"
        )

    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE SEQUENCE n")
    found = _while_collecting(dsn, work).rows_of("public.hot")
    assert found
    assert found.columns == ("id", "shop", "flag", "day"), "neither the wide column nor the one without a hash"
    assert [row[1] for row in found.rows] == [s for s in ("a0", "a1", "b0", "b1", "c0", "c1") for _ in range(5)]
    assert found.rows[0][2:] == ("t", "2026-03-04"), "as the type prints it"
    assert found.statements == tuple(i // 5 for i in range(30))
    assert found.transactions == tuple(i // 10 for i in range(30))
    assert found.pages_read > 10


def test_recent_rows_come_from_the_tail_only(db: str) -> None:
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute("CREATE TABLE hot (id int, pad char(400)) WITH (autovacuum_enabled = off)")
        connection.execute("INSERT INTO hot SELECT i, '' FROM generate_series(1, 20000) i")

    def work(connection: psycopg.Connection) -> None:
        connection.execute("INSERT INTO hot SELECT 20000 + i, '' FROM generate_series(1, 500) i")

    found = _while_collecting(db, work, CollectOptions(duration=1.2, recent_rows=200)).rows_of("public.hot")
    assert found
    assert 200 <= len(found.rows) <= 600
    assert found.pages_read <= 32, "of more than a thousand"
    assert found.rows[-1][0] == "20500"


def test_space_used_again_is_noted(db: str) -> None:
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute("CREATE TABLE hot (id int, pad char(400)) WITH (autovacuum_enabled = off)")
        connection.execute("INSERT INTO hot SELECT i, '' FROM generate_series(1, 20000) i")
        connection.execute("DELETE FROM hot WHERE id < 5000")
        connection.execute("VACUUM hot")

    def work(connection: psycopg.Connection) -> None:
        connection.execute("INSERT INTO hot SELECT 20000 + i, '' FROM generate_series(1, 500) i")

    found = _while_collecting(db, work)
    assert any("space freed elsewhere" in note for note in found.missing)


def test_the_leaves_of_a_tree_count_as_one_hot_table() -> None:
    def relation(oid: int, name: str, parent: str | None = None) -> Relation:
        return Relation(oid=oid, schema="s", name=name, kind="table", parent=parent)

    leaves = [relation(i, f"p{i}", "s.mid" if i % 2 else "s.root") for i in range(10, 30)]
    others = [relation(100, "a"), relation(101, "b"), relation(102, "cold")]
    tree = (relation(1, "root"), relation(2, "mid", "s.root"), *leaves, *others)
    inserted = {leaf.oid: 1000 + leaf.oid for leaf in leaves} | {100: 500, 101: 400, 102: 3}
    found = [(r.name, share) for r, share in hot_tables(tree, inserted, limit=2)]
    assert found == [(f"p{i}", 8) for i in range(29, 21, -1)] + [("a", 1)]


def test_row_locks_are_attributed(db: str) -> None:
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute("CREATE TABLE district (id int PRIMARY KEY, n int); INSERT INTO district VALUES (1, 0)")
    update = "UPDATE district SET n = n + 1 WHERE id = 1"
    with ExitStack() as stack:
        holder = stack.enter_context(psycopg.connect(db))
        holder.execute(update)
        waiters = [threading.Thread(target=_run, args=(db, update)) for _ in range(3)]
        for thread in waiters:
            thread.start()
        found = collect(db, CollectOptions(duration=0.6, interval_ms=50))
        holder.rollback()
        for thread in waiters:
            thread.join()
    assert found.window
    last = found.window.samples[-1]
    assert last.waits == {"Lock:transactionid": 1, "Lock:tuple": 2}
    assert last.idle_in_transaction == 1
    assert [(w.table, w.waiters) for w in last.row_waits] == [("public.district", 3)]


def _run(dsn: str, statement: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(statement.encode())


def test_every_stored_relation_is_folded_to_its_table(db: str) -> None:
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute("CREATE TABLE t (id int PRIMARY KEY, v text)")
        rows = connection.execute(
            "SELECT c.oid::int8, t.oid::int8, i.indexrelid::int8, x.indexrelid::int8 FROM pg_class c"
            " JOIN pg_class t ON t.oid = c.reltoastrelid JOIN pg_index i ON i.indrelid = c.oid"
            " JOIN pg_index x ON x.indrelid = t.oid WHERE c.relname = 't'"
        ).fetchone()
    assert rows
    heap, toast, index, toast_index = rows
    with connect(db) as connection:
        session = Session(connection, statement_timeout_ms=5000, lock_timeout_ms=500)
        found = owners(session, [heap, toast, index, toast_index, 1])
        everything = owners(session, None)
    assert {oid: (o.table, o.via) for oid, o in found.items()} == {
        heap: ("public.t", "heap"),
        toast: ("public.t", "toast"),
        index: ("public.t", "index"),
        toast_index: ("public.t", "toast"),
    }
    assert found.items() <= everything.items()


def test_pg_locks_is_left_alone_when_nobody_waits(db: str) -> None:
    found = collect(db, CollectOptions(duration=0.7, interval_ms=20))
    assert found.window
    read = [sample.locks_read for sample in found.window.samples]
    assert read[0]
    assert 0 < sum(read) <= 1 + len(read) // 10


def test_stop_ends_the_window_early(db: str) -> None:
    began = time.monotonic()
    found = collect(db, CollectOptions(duration=60), stop=lambda: time.monotonic() - began > 0.5)
    assert time.monotonic() - began < 30
    assert found.window
    assert 0 < found.window.seconds < 30
    assert found.window.samples


def test_a_reset_of_the_counters_is_noted(db: str) -> None:
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute("CREATE TABLE t (id int)")
        for _ in range(30):
            connection.execute("SELECT 1")
        connection.execute("SELECT pg_stat_force_next_flush()")

    def work(connection: psycopg.Connection) -> None:
        connection.execute("SELECT pg_stat_reset()")

    found = _while_collecting(db, work, CollectOptions(duration=0.5, interval_ms=50))
    assert any("reset in the middle" in note for note in found.missing)
    assert found.window
    assert found.window.transactions >= 0


def test_host_load_is_read_or_given(db: str) -> None:
    read = collect(db, CollectOptions(duration=0.3)).window
    given = collect(db, CollectOptions(duration=0.3, host_cpu=0.4, cores=32))
    assert read
    assert given.window
    assert read.host_cpu_busy is not None
    assert 0 <= read.host_cpu_busy <= 1
    assert read.host_cpu_source == "read from /proc/stat"
    assert (given.window.host_cpu_busy, given.window.host_cpu_source) == (0.4, "given by --host-cpu")
    assert given.server.cores == 32


@pytest.fixture(scope="module")
def contended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    settings = {"shared_buffers": "16MB", "synchronous_commit": "off", "fsync": "off", "autovacuum": "off"}
    with start_server(find_binaries(), settings=settings) as server:
        server.execute("CREATE TABLE heap_only (k int, pad text)")
        server.execute("CREATE TABLE toasted (k int, doc text)")
        server.execute("ALTER TABLE toasted ALTER doc SET STORAGE EXTERNAL")
        yield server, tmp_path_factory.mktemp("load")


@pytest.mark.parametrize(
    ("table", "insert", "via"),
    [
        ("heap_only", "INSERT INTO heap_only SELECT 1, repeat('x', 900) FROM generate_series(1, 20);", "heap"),
        ("toasted", "INSERT INTO toasted SELECT 1, repeat('x', 6000) FROM generate_series(1, 10);", "toast"),
    ],
)
def test_extension_waits_name_their_relation(contended: tuple[Server, Path], table: str, insert: str, via: str) -> None:
    server, folder = contended
    script = folder / f"{table}.sql"
    script.write_text(insert + "\n")
    with Load(server, "postgres", {script: 1}, folder / table, clients=16):
        time.sleep(0.3)
        found = collect(server.dsn(), CollectOptions(duration=1.2, interval_ms=20))
    assert found.window
    waits = [w for sample in found.window.samples for w in sample.extension if w.waiters]
    assert waits, "16 writers on one table wait for it"
    owned = [w for w in waits if (w.table, w.via) == (f"public.{table}", via)]
    assert sum(w.waiters for w in owned) > 0.7 * sum(w.waiters for w in waits)
