"""What collecting promises not to do: lock, write, wait, leak a password, or fail for want of a permission."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import msgspec
import psycopg
import pytest

from partadvisor.io.collect.run import CollectOptions, collect
from partadvisor.io.connect import connect, redact_dsn
from partadvisor.io.server import Server
from partadvisor.model.errors import PartadvisorError, ServerError, UsageError

NAME = "partadvisor/collect"
SECRET = "s3cr3t-p4ss"


@pytest.fixture
def busy_db(db: str) -> Iterator[str]:
    """A database with a table that one session keeps inserting into."""
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute(
            "CREATE EXTENSION pg_stat_statements; CREATE TABLE hot (id serial PRIMARY KEY, k int, v text)"
        )
        connection.execute("CREATE VIEW v AS SELECT * FROM hot")
    stop = threading.Event()

    def insert() -> None:
        with psycopg.connect(db, autocommit=True) as connection:
            while not stop.wait(0.005):
                connection.execute("INSERT INTO hot (k, v) SELECT 7, 'x' FROM generate_series(1, 5)")

    writer = threading.Thread(target=insert)
    writer.start()
    yield db
    stop.set()
    writer.join()


def test_takes_nothing_above_access_share(busy_db: str) -> None:
    seen: set[tuple[str, str]] = set()
    backends: set[int] = set()
    done = threading.Event()

    def look() -> None:
        with psycopg.connect(busy_db, autocommit=True) as connection:
            while not done.is_set():
                rows = connection.execute(
                    "SELECT l.locktype, l.mode, a.pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
                    " WHERE a.application_name = %s AND a.datname = current_database()",
                    [NAME],
                ).fetchall()
                seen.update((kind, mode) for kind, mode, _ in rows)
                backends.update(pid for _, _, pid in rows)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        for _ in range(3):
            collect(busy_db, CollectOptions(duration=0.3, interval_ms=20))
    finally:
        done.set()
        watcher.join()
    assert ("relation", "AccessShareLock") in seen, "the test must have seen us at work"
    # the server itself locks the database object while any session starts
    always = {("virtualxid", "ExclusiveLock"), ("object", "RowExclusiveLock")}
    assert seen - always == {("relation", "AccessShareLock")}
    assert len(backends) <= 3, "one connection a collection"


def test_every_transaction_is_read_only(busy_db: str) -> None:
    with connect(busy_db) as connection, pytest.raises(psycopg.errors.ReadOnlySqlTransaction), connection.transaction():
        connection.execute("CREATE TABLE x (i int)")


def test_a_table_under_access_exclusive_lock_does_not_stop_it(busy_db: str) -> None:
    with psycopg.connect(busy_db, autocommit=True) as connection:
        connection.execute("CREATE TABLE locked (id int DEFAULT 3, t text); INSERT INTO locked VALUES (1, 'x')")
        connection.execute("CREATE INDEX ON locked (t) WHERE id > 3; CREATE VIEW on_locked AS SELECT * FROM locked")
    with psycopg.connect(busy_db) as holder:
        holder.execute("LOCK TABLE locked IN ACCESS EXCLUSIVE MODE")
        began = time.monotonic()
        found = collect(busy_db, CollectOptions(duration=0.2, lock_timeout_ms=100))
        took = time.monotonic() - began
    assert took < 20
    assert {"public.locked", "public.hot"} <= {r.qualified_name for r in found.relations}
    assert any("ACCESS EXCLUSIVE" in note for note in found.missing)
    hot = found.relation("public.hot")
    assert hot
    assert hot.column("id") is not None
    assert hot.columns[0].default is not None, "only what is locked is left out"


def test_a_catalog_that_changes_while_it_is_read(db: str) -> None:
    """The server's functions look at the catalog of now: what was dropped since makes them fail or say nothing."""
    stop = threading.Event()
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE p (id int, k int) PARTITION BY LIST (k); CREATE TABLE stays (id int PRIMARY KEY)"
        )
        connection.execute("CREATE EXTENSION pg_stat_statements")

    def change(number: int) -> None:
        with psycopg.connect(db, autocommit=True) as connection:
            while not stop.is_set():
                name = f"t{number}"
                connection.execute(f"CREATE TABLE {name} (id int PRIMARY KEY DEFAULT 3, k int CHECK (k > 1))".encode())
                connection.execute(f"CREATE INDEX ON {name} (k) WHERE id > 3".encode())
                connection.execute(f"CREATE VIEW v{name} AS SELECT * FROM {name}".encode())
                connection.execute(f"INSERT INTO {name} SELECT g, 2 FROM generate_series(1, 50) g".encode())
                connection.execute(f"CREATE TABLE p{name} PARTITION OF p FOR VALUES IN ({number})".encode())
                connection.execute(f"DROP TABLE p{name}".encode())
                connection.execute(f"DROP TABLE {name} CASCADE".encode())

    threads = [threading.Thread(target=change, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    try:
        snapshots = [collect(db, CollectOptions(duration=0.05, interval_ms=20)) for _ in range(8)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    for snapshot in snapshots:
        stays = snapshot.relation("public.stays")
        assert stays
        assert [k.definition for k in stays.constraints if k.kind == "primary_key"] == ["PRIMARY KEY (id)"]


@contextmanager
def _role(server: Server, db: str, grants: str) -> Iterator[str]:
    """Connection string of a new role with some grants."""
    name = f"collector_{abs(hash((db, grants))) % 10**9}"
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN".encode())
        if grants:
            connection.execute(f"GRANT {grants} TO {name}".encode())
        else:
            connection.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")
        yield psycopg.conninfo.make_conninfo(db, user=name)
        connection.execute(f"DROP OWNED BY {name}; DROP ROLE {name}".encode())


def test_a_member_of_pg_monitor_sees_sessions_but_not_values(server: Server, busy_db: str) -> None:
    with _role(server, busy_db, "pg_monitor") as dsn:
        found = collect(dsn, CollectOptions(duration=2, interval_ms=50))
    assert found.server.user_can_monitor
    assert not found.server.user_is_superuser
    hot = found.relation("public.hot")
    assert hot
    assert [k.kind for k in hot.constraints if k.kind == "primary_key"] == ["primary_key"]
    assert found.window
    assert found.window.tables[0].table == "public.hot"
    assert any("INSERT INTO hot" in e.text for s in found.statements for e in s.entries)
    assert found.recent_rows == ()
    assert any('GRANT SELECT ON "public"."hot"' in note for note in found.missing)


def test_a_role_without_any_grant_is_told_what_to_ask_for(server: Server, busy_db: str) -> None:
    with _role(server, busy_db, "") as dsn:
        found = collect(dsn, CollectOptions(duration=0.5, interval_ms=20))
    assert not found.server.user_can_monitor
    assert {"public.hot", "public.v"} <= {r.qualified_name for r in found.relations}
    assert any("GRANT pg_monitor" in note for note in found.missing)
    assert any("does not show" in note for note in found.missing)


def test_without_pg_stat_statements_that_is_noted(db: str) -> None:
    found = collect(db, CollectOptions(duration=0.1, interval_ms=20))
    assert found.statements == ()
    assert any("CREATE EXTENSION" in note for note in found.missing)


def test_a_session_cut_off_in_the_middle_is_one_error(busy_db: str) -> None:
    def cut() -> bool:
        with psycopg.connect(busy_db, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = %s AND datname = current_database()",
                [NAME],
            )
        return False

    with pytest.raises(ServerError, match="closed the connection") as caught:
        collect(busy_db, CollectOptions(duration=2), stop=cut)
    assert caught.value.exit_code == 3
    assert caught.value.detail is not None


def test_an_interrupt_closes_the_connection(busy_db: str) -> None:
    def interrupt() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collect(busy_db, CollectOptions(duration=5), stop=interrupt)
    with psycopg.connect(busy_db, autocommit=True) as connection:
        for _ in range(100):
            row = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND datname = current_database()",
                [NAME],
            ).fetchone()
            if row == (0,):
                return
            time.sleep(0.02)
    pytest.fail("our session is still there")


@pytest.mark.parametrize(
    ("dsn", "primary"),
    [
        (f"host=/nowhere password={SECRET}", "unreachable"),
        (f"postgresql://u:{SECRET}@127.0.0.1:1/x", "unreachable"),
        (f"postgresql://u:{SECRET}@no-such-host.invalid/x", "is not known"),
        (f"postgresql://u:a@{SECRET}@h/x", 'an "@" or "/"'),
        (f"postgresql://u:{SECRET}@h:port{SECRET}/x", "cannot be understood"),
        (f"postgresql://u:1/{SECRET}@h/x", 'an "@" or "/"'),
        (f"host=h {SECRET}", "cannot be understood"),
    ],
)  # fmt: skip
def test_no_password_in_errors(dsn: str, primary: str) -> None:
    with pytest.raises(PartadvisorError, match=primary) as caught:
        collect(dsn, CollectOptions(duration=0))
    told = f"{caught.value.message} {caught.value.detail} {caught.value.hint} {caught.value.__cause__}"
    assert SECRET not in told
    assert caught.value.exit_code == (2 if isinstance(caught.value, UsageError) else 3)


def test_wrong_password_wrong_database_wrong_role(server: Server, db: str) -> None:
    hba = server.data_dir / "pg_hba.conf"
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE asked_for_password LOGIN PASSWORD '{SECRET}'".encode())
        kept = hba.read_text()
        hba.write_text("local all asked_for_password scram-sha-256\n" + kept)
        connection.execute("SELECT pg_reload_conf()")
        time.sleep(0.2)
        user = psycopg.conninfo.make_conninfo(db, user="asked_for_password")
        with pytest.raises(ServerError, match="refused the password") as caught:
            collect(f"{user} password={SECRET}x")
        assert SECRET not in f"{caught.value.detail}"
        right = collect(f"{user} password={SECRET}", CollectOptions(duration=0))
        assert SECRET not in msgspec.json.encode(right).decode()
        hba.write_text(kept)
        connection.execute("SELECT pg_reload_conf()")
    with pytest.raises(ServerError, match='database "nowhere" does not exist'):
        collect(psycopg.conninfo.make_conninfo(db, dbname="nowhere"))
    with pytest.raises(ServerError, match='role "nobody_here" does not exist'):
        collect(psycopg.conninfo.make_conninfo(db, user="nobody_here"))


def test_redacted_dsn() -> None:
    shown = redact_dsn(f"postgresql://u:{SECRET}@h:5/x?sslpassword={SECRET}")
    assert sorted(shown.split()) == ["dbname=x", "host=h", "port=5", "user=u"]


def test_nothing_is_left_in_a_shared_session(db: str) -> None:
    """Behind a transaction pooler the next client gets our server session: no setting of ours may be in it."""
    with connect(db, statement_timeout_ms=None) as connection:
        from partadvisor.io.collect.catalog import read_catalog
        from partadvisor.io.collect.session import Session

        session = Session(connection, statement_timeout_ms=1000, lock_timeout_ms=100)
        read_catalog(session)
        rows = connection.execute("SELECT name FROM pg_settings WHERE source = 'session'").fetchall()
    assert rows == []


@contextmanager
def _fake_pooler(server: Server) -> Iterator[str]:
    """Connection string through a relay that, as a pooler does, makes up the process id it tells the client."""
    upstream_path = psycopg.conninfo.conninfo_to_dict(server.dsn())["host"]
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def relay() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listener.accept()
                    upstream = socket.socket(socket.AF_UNIX)
                    upstream.connect(f"{upstream_path}/.s.PGSQL.5432")
                    threading.Thread(target=_pump, args=(client, upstream), daemon=True).start()
                    threading.Thread(target=_pump, args=(upstream, client), daemon=True).start()

        threading.Thread(target=relay, daemon=True).start()
        port = listener.getsockname()[1]
        yield psycopg.conninfo.make_conninfo(server.dsn(), host="127.0.0.1", port=port)


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Bytes as they come, but for the process id in a BackendKeyData message."""
    key_data = b"K\x00\x00\x00\x0c"
    with suppress(OSError), source, target:
        while data := source.recv(65536):
            at = data.find(key_data) + len(key_data)
            made_up = data[:at] + b"\x00\x00\x00\x01" + data[at + 4 :] if key_data in data else data
            target.sendall(made_up)


def test_through_a_pooler(server: Server) -> None:
    with _fake_pooler(server) as dsn:
        found = collect(dsn, CollectOptions(duration=0.2, interval_ms=20))
        with connect(dsn, statement_timeout_ms=7_000) as connection:
            pooled = connection.execute("SHOW statement_timeout").fetchone()
    with connect(server.dsn(), statement_timeout_ms=7_000) as connection:
        direct = connection.execute("SHOW statement_timeout").fetchone()
    assert found.server.pooler is not None
    assert not found.server.is_local
    assert found.window
    assert found.window.samples
    assert (pooled, direct) == (("0",), ("7s",)), "a session setting would reach the pooler's next client"


def test_bytes_that_are_not_utf8(server: Server) -> None:
    name = "ascii_db"
    server.execute("CREATE DATABASE ascii_db TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
    untracked = {"client_encoding": "latin1", "options": "-c pg_stat_statements.track=none"}
    with psycopg.connect(server.dsn(name), autocommit=True, **untracked) as connection:  # type: ignore[arg-type]
        connection.execute("CREATE TABLE t (a text); COMMENT ON TABLE t IS 'caf\xe9'")
    found = collect(server.dsn(name), CollectOptions(duration=0)).relation("public.t")
    assert found
    assert found.comment == "caf\N{REPLACEMENT CHARACTER}"


def test_a_standby() -> None:
    from partadvisor.io.binaries import find_binaries
    from partadvisor.io.server import start_server

    with start_server(find_binaries(), settings={"fsync": "off"}) as server:
        server.execute("CREATE TABLE t AS SELECT i FROM generate_series(1, 100) i")
        (server.data_dir / "standby.signal").touch()
        server.restart()
        found = collect(server.dsn(), CollectOptions(duration=0.2, interval_ms=20))
    assert found.server.in_recovery
    assert found.relation("public.t") is not None
    assert found.window
    assert found.window.samples


def test_texts_of_another_encoding_are_a_note(server: Server, db: str) -> None:
    """The extension converts the texts of all databases, and fails as a whole when one cannot be."""
    server.execute("CREATE DATABASE ascii_too TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION pg_stat_statements")
        connection.execute("SELECT pg_stat_statements_reset()")  # or a full table may evict the text at once
        with psycopg.connect(server.dsn("ascii_too"), autocommit=True, client_encoding="latin1") as other:
            other.execute("SELECT 1 AS caf\xe9")
        try:
            found = collect(db, CollectOptions(duration=0))
        finally:
            connection.execute("SELECT pg_stat_statements_reset()")
    assert any("another encoding" in note for note in found.missing)
