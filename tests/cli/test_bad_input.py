"""What goes wrong for a user: each time one clear error, the exit code of the contract, and nothing left behind."""

from __future__ import annotations

import ctypes
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import psycopg
import pytest

from partadvisor.cli.main import main
from partadvisor.io.binaries import find_binaries
from partadvisor.io.server import Server, start_server
from partadvisor.io.snapshot_file import read_snapshot

PASSWORD = "s3cret-Pa55"
_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH, _PR_CAPBSET_DROP = 1, 2, 24

Run = subprocess.CompletedProcess[str]


def _without_roots_rights() -> None:
    """For root too a read-only folder is read-only."""
    if os.geteuid() == 0:
        for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
            ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def partadvisor(*arguments: str | Path) -> Run:
    """The command line in this process: many cases, and each start of Python takes a while."""
    out, said = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    handler = signal.getsignal(signal.SIGTERM)
    try:
        with redirect_stdout(out), redirect_stderr(said), pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
    finally:
        signal.signal(signal.SIGTERM, handler)
    for stream in (out, said):
        stream.seek(0)
    return Run([], end.value.code, out.read(), said.read())  # type: ignore[arg-type]


def in_a_process(*arguments: str | Path, before: Callable[[], None] | None = None, **environment: str) -> Run:
    return subprocess.run(
        [sys.executable, "-m", "partadvisor", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        preexec_fn=before,
        check=False,
        timeout=60,
    )


def refused(run: Run, code: int, *pieces: str) -> None:
    """One error with these words in it, and no result."""
    assert "Traceback" not in run.stderr
    assert run.stderr.count("error:") == 1, run.stderr
    assert "internal error" not in run.stderr
    assert run.returncode == code, run.stderr
    assert run.stdout == ""
    for piece in pieces:
        assert piece in run.stderr, run.stderr


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "partadvisor", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def sessions(dsn: str) -> list[str]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        rows = connection.execute(
            "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
            "AND application_name LIKE 'partadvisor%'"
        )
        return [row[0] for row in rows.fetchall()]


def execute(dsn: str, statements: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(statements.encode())


@pytest.fixture(scope="module")
def own_server() -> Iterator[Server]:
    """A server that asks one of its users for a password, and may be killed."""
    with start_server(find_binaries(), settings={"fsync": "off"}) as server:
        server.execute(f"CREATE ROLE clerk LOGIN PASSWORD '{PASSWORD}'")
        hba = "local all clerk scram-sha-256\nlocal all all trust\n"
        (server.data_dir / "pg_hba.conf").write_text(hba)
        server.execute("SELECT pg_reload_conf()")
        yield server


@pytest.fixture(scope="module")
def snapshot_file(server: Server, make_db: Callable[[Server], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A snapshot of two small tables, without a window."""
    dsn, path = make_db(server), tmp_path_factory.mktemp("snapshot") / "shop.json"
    execute(
        dsn,
        'CREATE TABLE orders (id int PRIMARY KEY, region text, note json); CREATE SCHEMA "My Shop";'
        'CREATE TABLE "My Shop"."Order Lines" (id int PRIMARY KEY)',
    )
    assert partadvisor("collect", dsn, "-o", path, "--duration", "0").returncode == 0
    return path


# --- servers ---


@pytest.mark.parametrize(
    ("dsn", "code", "words"),
    [
        ("host=127.0.0.1 port=1 dbname=d user=u", 3, ["127.0.0.1", "port 1", "unreachable", "hint:"]),
        ("host=/nonexistent dbname=d", 3, ["unreachable"]),
        ("host=no-such-host.invalid dbname=d", 3, ['host "no-such-host.invalid" is not known']),
        ("nonsense", 2, ["cannot be understood", "postgresql://"]),
        ("postgresql://u@h:port/d", 2, ["cannot be understood"]),
    ],
)
def test_servers_that_cannot_be_reached(tmp_path: Path, dsn: str, code: int, words: list[str]) -> None:
    path = tmp_path / "x.json"
    refused(partadvisor("collect", dsn, "-o", path), code, *words)
    assert not path.exists()
    if code == 3:
        for command in ("diagnose", "advise"):
            refused(partadvisor(command, dsn), code, *words)


def test_a_wrong_password_is_told_and_not_shown(own_server: Server, tmp_path: Path) -> None:
    good = f"{own_server.dsn(user='clerk')} password={PASSWORD}"
    path = tmp_path / "x.json"
    run = in_a_process("collect", good, "-o", path, "--duration", "0")
    assert run.returncode == 0, run.stderr
    assert PASSWORD not in run.stdout + run.stderr + path.read_text()
    wrong = in_a_process("collect", good.replace(PASSWORD, f"not-{PASSWORD}"), "-o", tmp_path / "y.json")
    refused(wrong, 3, "refused the password", "PGPASSWORD")
    assert PASSWORD not in wrong.stderr
    refused(in_a_process("collect", own_server.dsn(user="clerk"), "-o", tmp_path / "y.json"), 3, "refused the password")
    assert not (tmp_path / "y.json").exists()


def test_names_the_server_does_not_know(db: str, tmp_path: Path) -> None:
    with psycopg.connect(db) as connection:
        name = connection.info.dbname
    run = partadvisor("collect", db.replace(name, "no_such_db"), "-o", tmp_path / "x.json")
    refused(run, 3, 'database "no_such_db" does not exist')
    run = partadvisor("collect", db.replace("postgres", "no_such_role"), "-o", tmp_path / "x.json")
    refused(run, 3, 'role "no_such_role" does not exist')
    run = partadvisor("collect", db, "-o", tmp_path / "x.json", "--schema-pattern", "no*")
    refused(run, 2, 'no schema matches "no*"', "public")


def test_a_role_without_rights_gets_what_there_is(db: str, tmp_path: Path) -> None:
    execute(
        db,
        'DROP ROLE IF EXISTS stranger; CREATE ROLE stranger LOGIN; CREATE TABLE "My Orders" (id int PRIMARY KEY);'
        'INSERT INTO "My Orders" SELECT generate_series(1, 500)',
    )
    path = tmp_path / "x.json"
    run = partadvisor("collect", db.replace("postgres", "stranger"), "-o", path, "--duration", "0")
    assert run.returncode == 0
    missing = "\n".join(read_snapshot(path).missing)
    for words in ("pg_monitor", 'statistics of public."My Orders"', 'GRANT SELECT ON "public"."My Orders"'):
        assert words in missing
    execute(db, "DO $$ BEGIN EXECUTE format('REVOKE CONNECT ON DATABASE %I FROM public', current_database()); END $$")
    run = partadvisor("collect", db.replace("postgres", "stranger"), "-o", path)
    refused(run, 3, "stranger", "may not connect")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_in_the_middle_the_snapshot_is_kept(db: str, tmp_path: Path, number: int) -> None:
    path = tmp_path / "x.json"
    process = start("collect", db, "-o", path, "--duration", "60", "--interval", "20")
    wait_for(lambda: len(sessions(db)) > 0)
    time.sleep(0.5)
    process.send_signal(number)
    _out, said = process.communicate(timeout=20)
    assert process.returncode == 4, said
    assert said.count("error:") == 1
    assert "Traceback" not in said
    found = read_snapshot(path)
    assert found.window
    assert 0 < found.window.seconds < 20
    wait_for(lambda: not sessions(db))
    assert list(tmp_path.iterdir()) == [path]


def test_stopped_twice_it_ends_at_once(db: str, tmp_path: Path) -> None:
    process = start("collect", db, "-o", tmp_path / "x.json", "--duration", "60", "--interval", "30000")
    wait_for(lambda: len(sessions(db)) > 0)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    _out, said = process.communicate(timeout=20)
    assert "Traceback" not in said
    assert process.returncode in (4, 130)
    wait_for(lambda: not sessions(db))


def test_a_server_that_dies_in_the_middle(own_server: Server, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    process = start("collect", own_server.dsn(), "-o", path, "--duration", "60", "--interval", "20")
    wait_for(lambda: len(sessions(own_server.dsn())) > 0)
    own_server.kill()
    try:
        out, said = process.communicate(timeout=20)
    finally:
        own_server.restart()
    refused(subprocess.CompletedProcess([], process.returncode, out, said), 3, "closed the connection")
    assert not path.exists()


def test_a_stopped_offline_run_leaves_no_server(tmp_path: Path) -> None:
    (tmp_path / "schema.sql").write_text("SELECT pg_sleep(60); CREATE TABLE t (id int)")
    process = subprocess.Popen(
        [sys.executable, "-m", "partadvisor", "advise", "--schema", str(tmp_path / "schema.sql")],
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(1.5)
    children = _children(process.pid)
    process.send_signal(signal.SIGTERM)
    _out, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert children
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children))


def _children(pid: int) -> list[int]:
    found = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [*found, *(grandchild for child in found for grandchild in _children(child))]


# --- files ---


def _cases(good: bytes) -> dict[str, tuple[bytes, str]]:
    plain: dict[str, Any] = json.loads(good)
    newer = json.dumps({**plain, "snapshot_version": 99}).encode()
    damaged = json.dumps({**plain, "relations": [{"oid": "x"}]}).encode()
    circle = {**plain["relations"][0], "parent": f"{plain['relations'][0]['schema']}.{plain['relations'][0]['name']}"}
    return {
        "truncated": (good[:-100], "is truncated"),
        "empty": (b"", "is empty"),
        "text": (b"not json", "is not a snapshot"),
        "bytes": (bytes(range(256)), "is not a snapshot"),
        "other": (b'{"a": 1}', "is not a snapshot"),
        "deep": (b"[" * 100_000, "is not a snapshot"),
        "newer": (newer, "of version 99, newer"),
        "damaged": (damaged, "$.relations[0].oid"),
        "circle": (json.dumps({**plain, "relations": [circle]}).encode(), "is a partition of itself"),
        "packed": (gzip.compress(good)[:-30], "is truncated"),
    }


def test_snapshots_that_are_none(snapshot_file: Path, tmp_path: Path) -> None:
    for name, (data, words) in _cases(snapshot_file.read_bytes()).items():
        path = tmp_path / f"{name}.json"
        path.write_bytes(data)
        refused(partadvisor("diagnose", path), 2, f'"{path}"', words)
    refused(partadvisor("advise", tmp_path / "none.json"), 2, "could not read snapshot", "No such file")
    refused(partadvisor("advise", tmp_path), 2, "could not read snapshot", "directory")
    refused(partadvisor("advise", ""), 2, "INPUT is empty")


def test_places_for_a_snapshot_are_tried_before_the_work(db: str, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    for path, words in (
        (tmp_path / "none" / "x.json", f'folder "{tmp_path / "none"}" does not exist'),
        (closed / "x.json", "Permission denied"),
        (tmp_path, "is a directory"),
        (Path("/dev/null/x.json"), "Not a directory"),
    ):
        run = in_a_process("collect", db, "-o", path, "--duration", "60", before=_without_roots_rights)
        refused(run, 2, str(path), words)
        assert "collect: catalog" not in run.stderr


def test_a_device_is_written_to_and_a_link_stays_a_link(db: str, tmp_path: Path) -> None:
    pipe, link, target = tmp_path / "pipe", tmp_path / "latest.json", tmp_path / "monday.json"
    target.write_text("old")
    link.symlink_to(target)
    assert partadvisor("collect", db, "-o", link, "--duration", "0").returncode == 0
    assert link.is_symlink()
    assert read_snapshot(target)
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
    assert partadvisor("collect", db, "-o", pipe, "--duration", "0").returncode == 0
    piped, _ = reader.communicate(timeout=20)
    assert json.loads(piped)["snapshot_version"] == 1
    assert pipe.is_fifo()


def test_standard_streams_as_files(db: str) -> None:
    collected = partadvisor("collect", db, "-o", "-", "--duration", "0")
    assert json.loads(collected.stdout)["snapshot_version"] == 1
    read = subprocess.run(
        [sys.executable, "-m", "partadvisor", "diagnose", "-", "--format", "json"],
        input=collected.stdout,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(read.stdout)["verdict"] == "insufficient"


@pytest.mark.parametrize("redirect", ["| true", "> /dev/full", ">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize("options", ["", "--format json", "--help"])
def test_output_that_nobody_takes(snapshot_file: Path, redirect: str, options: str) -> None:
    command = (
        f'"{sys.executable}" -m partadvisor advise "{snapshot_file}" {options} {redirect}; exit ${{PIPESTATUS[0]}}'
    )
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert run.returncode == (2 if "full" in redirect else 0)
    assert run.stderr.lower().count("error") == ("full" in redirect)
    assert "Traceback" not in run.stderr


def test_terminals_without_unicode_and_without_colour(snapshot_file: Path) -> None:
    arguments = ("advise", snapshot_file, "--table", "orders")
    plain = in_a_process(*arguments, PYTHONIOENCODING="ascii")
    assert plain.returncode == 0
    assert "hash(id) into 8" in plain.stdout
    as_json = in_a_process(*arguments, "--format", "json", PYTHONIOENCODING="ascii")
    assert json.loads(as_json.stdout)["tables"][0]["table"] == "public.orders"
    assert "\x1b[" in in_a_process(*arguments, FORCE_COLOR="1").stdout
    assert "\x1b[" not in in_a_process(*arguments, FORCE_COLOR="1", NO_COLOR="1").stdout
    assert "\x1b[" not in in_a_process(*arguments, "--format", "json", FORCE_COLOR="1").stdout
    assert "\x1b[" not in in_a_process("advise", "none.json", FORCE_COLOR="1", NO_COLOR="1").stderr


# --- names and schemes ---


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("ordrs", ["public.orders"]),
        ("public.order", ["public.orders"]),
        ("shop.orders", ["public.orders"]),
        ('"Orders"', ["public.orders"]),
        ("", ["does not exist"]),
    ],
)
def test_tables_that_do_not_exist(snapshot_file: Path, table: str, words: list[str]) -> None:
    refused(partadvisor("advise", snapshot_file, "--table", table), 2, f'table "{table}" does not exist', *words)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("orders", "public.orders"),
        ("ORDERS", "public.orders"),
        ('"public"."orders"', "public.orders"),
        ("My Shop.Order Lines", "My Shop.Order Lines"),
        ('"My Shop"."Order Lines"', "My Shop.Order Lines"),
        ('"Order Lines"', "My Shop.Order Lines"),
    ],
)
def test_tables_are_named_as_listed_or_as_in_sql(snapshot_file: Path, given: str, meant: str) -> None:
    run = partadvisor("advise", snapshot_file, "--table", given, "--format", "json")
    assert [t["table"] for t in json.loads(run.stdout)["tables"]] == [meant]


@pytest.mark.parametrize(
    ("key", "at", "words"),
    [
        ("hash(id) into", 13, ["expected a number of partitions", "hash(w_id) into 16"]),
        ("hsh(id) into 4", 0, ['found "hsh"', "Did you mean"]),
        ("hash(id into 4", 8, ['expected ")"']),
        ("hash(id) into 1", 14, ["at least 2"]),
        ("hash(id) into 99999999", 14, ["more than 10,000 partitions"]),
        ("range(id) by fortnight", 13, ["expected an interval or a step"]),
        ("", 0, ["found the end"]),
    ],
)
def test_a_bad_scheme_shows_the_place(snapshot_file: Path, key: str, at: int, words: list[str]) -> None:
    run = partadvisor("advise", snapshot_file, "--table", "orders", "--key", key)
    refused(run, 2, "invalid scheme", *words)
    lines = run.stderr.splitlines()
    caret = next(i for i, line in enumerate(lines) if line.strip() == "^")
    assert lines[caret].index("^") == len("detail: ") + at
    assert lines[caret - 1] == f"detail: {key}"


@pytest.mark.parametrize(
    ("key", "words"), [("hash(regon) into 4", ["regon", "region"]), ('hash("ID") into 4', ["ID", "does not exist"])]
)
def test_a_key_of_no_column(snapshot_file: Path, key: str, words: list[str]) -> None:
    refused(partadvisor("advise", snapshot_file, "--table", "orders", "--key", key), 2, *words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--clients", "0"], "--clients"),
        (["--clients", "many"], "is not a whole number"),
        (["--clients", "99999999999"], "--clients"),
        (["--target-pg", "99"], "--target-pg"),
        (["--top", "-1"], "--top"),
        (["--format", "xml"], "--format"),
        (["--duration", "soon"], "is not a number"),
        (["--stats", "x.toml"], "go with --schema"),
        (["again"], "unexpected extra argument"),
    ],
)
def test_wrong_options(snapshot_file: Path, options: list[str], words: str) -> None:
    refused(partadvisor("advise", snapshot_file, *options), 2, words)


# --- offline inputs ---


def test_statistics_of_a_server_are_its_own(db: str, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("clients = 1")
    refused(partadvisor("advise", db, "--stats", tmp_path / "x.toml"), 2, "--stats goes with --schema")


def test_statements_that_do_not_parse_are_listed_with_their_place(tmp_path: Path) -> None:
    schema, queries = tmp_path / "schema.sql", tmp_path / "queries.sql"
    schema.write_text(
        "CREATE TABLE a (id int PRIMARY KEY);\n\nCREATE TABLE b (id int,, v int);\nCREATE TABLE c (g geo);"
    )
    queries.write_text(
        "-- calls: 9 per second\nINSERT INTO a VALUES ($1);\n\n-- calls: 5 per second\nSELEC 1;\nSELECT * FROM aa;"
    )
    run = partadvisor("advise", "--schema", schema, "--queries", queries, "--format", "json")
    assert run.returncode == 0, run.stderr
    missing = "\n".join(json.loads(run.stdout)["missing"])
    for words in ("schema.sql:3", "schema.sql:4", "queries.sql:5", "table aa", "perhaps public.a"):
        assert words in missing
    queries.write_text("-- calls: ten per second\nSELECT 1;")
    refused(partadvisor("advise", "--schema", schema, "--queries", queries), 2, "queries.sql:1:11", "ten per second")
    queries.write_text("")
    refused(partadvisor("advise", "--schema", schema, "--queries", queries), 2, "holds no statements")
    queries.write_text("[" * 100_000)
    refused(partadvisor("advise", "--schema", schema, "--queries", queries), 2, "queries.sql:1:1", "too deeply")
    schema.write_text("nothing;")
    refused(partadvisor("advise", "--schema", schema), 2, "makes no table", "schema.sql:1")
    refused(partadvisor("advise", "--schema", tmp_path / "none.sql"), 2, "could not read schema")


def test_told_statistics_that_are_wrong(tmp_path: Path) -> None:
    schema, stats = tmp_path / "schema.sql", tmp_path / "stats.toml"
    schema.write_text("CREATE TABLE orders (id int PRIMARY KEY)")
    for text, words in (
        ("clents = 1", ['unknown key "clents"', '"clients"']),
        ('clients = "x"', ["clients: expected a whole number, got text"]),
        ("[tables.ordrs]\nrows = 1", ['table "ordrs"', '"orders"']),
        ("a b", ["not TOML", "line 1"]),
    ):
        stats.write_text(text)
        refused(partadvisor("advise", "--schema", schema, "--stats", stats), 2, *words)


def _told(tmp_path: Path, stats: str) -> dict[str, Any]:
    (tmp_path / "schema.sql").write_text("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY)")
    (tmp_path / "stats.toml").write_text(stats)
    arguments = ("--schema", tmp_path / "schema.sql", "--stats", tmp_path / "stats.toml")
    run = partadvisor("advise", *arguments, "--table", "b", "--format", "json")
    assert run.returncode == 0, run.stderr
    advice: dict[str, Any] = json.loads(run.stdout)
    return advice


def test_a_told_queue_needs_an_owner(tmp_path: Path) -> None:
    queue = '[[waits]]\nevent = "Lock:extend"\nshare = 0.6\n'
    (nobody,) = _told(tmp_path, queue)["tables"]
    assert nobody["verdict"] == "insufficient"
    assert "of which one is not known" in nobody["reason"]
    rates = "[tables.a]\ninserts_per_second = 10\n[tables.b]\ninserts_per_second = 900\n"
    advice = _told(tmp_path, rates + queue)
    assert any("Lock:extend is waited for on public.b" in text for text in advice["assumptions"])
    assert "60 % of the session time waits to extend public.b" in advice["tables"][0]["reason"]
    (index,) = _told(tmp_path, queue + 'relation = "public.b_pkey"')["tables"]
    assert "public.b_pkey" in index["reason"]


# --- odd schemas ---


def test_names_are_what_they_are(db: str, tmp_path: Path) -> None:
    long, odd = "n" * 63, "Or.der \"Lines\" 'x' ü$"
    quoted = '"' + odd.replace('"', '""') + '"'
    execute(
        db,
        f'CREATE SCHEMA "My Schema"; CREATE TABLE "My Schema".{quoted} ("W Id" int, "sel;ect" text, "Ünï" int);'
        f'INSERT INTO "My Schema".{quoted} SELECT i % 50, i, i FROM generate_series(1, 500) i;'
        f'CREATE TABLE "{long}" ("{"c" * 63}" int PRIMARY KEY); CREATE TABLE nothing ();'
        'CREATE TABLE "-- x" (a int); CREATE TABLE "%s" (a int);',
    )
    path = tmp_path / "x.json"
    assert partadvisor("collect", db, "-o", path, "--duration", "0").returncode == 0
    found = {r.name: r for r in read_snapshot(path).relations}
    assert {odd, long, "nothing", "-- x", "%s"} <= set(found)
    for name in (f"My Schema.{odd}", f'"My Schema".{quoted}', long, "nothing", "public.-- x", "%s"):
        assert partadvisor("advise", path, "--table", name).returncode == 0
    key = 'hash("W Id") into 4'
    run = partadvisor("advise", path, "--table", odd, "--key", key, "--format", "json")
    (table,) = json.loads(run.stdout)["tables"]
    own = next(c for c in table["candidates"] if c["scheme"] == key)
    assert own["feasible"]
    assert own["columns"] == ["W Id"]


def test_the_next_command_survives_a_shell(tmp_path: Path) -> None:
    folder = tmp_path / "it's here"
    folder.mkdir()
    (folder / "schema.sql").write_text('CREATE TABLE "Order Lines" ("W Id" int PRIMARY KEY)')
    (folder / "stats.toml").write_text(
        '[[waits]]\nevent = "Lock:extend"\nshare = 0.6\nrelation = "public.Order Lines"\n'
        '[tables."Order Lines"]\nrows = 1000\n[tables."Order Lines".columns."W Id"]\nn_distinct = -1\n'
    )
    arguments = ("--schema", folder / "schema.sql", "--stats", folder / "stats.toml")
    text = partadvisor("advise", *arguments).stdout
    command = next(line for line in text.splitlines() if "partadvisor plan" in line).split("partadvisor ", 1)[1]
    run = subprocess.run(
        f"{sys.executable} -m partadvisor {command}",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "migration" / "plan.json").exists()


def test_a_database_without_tables(db: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    run = partadvisor("collect", db, "-o", path, "--duration", "0.1", "--interval", "90")
    assert "0 relations" in run.stderr
    assert partadvisor("diagnose", path).returncode == 0
    advice = partadvisor("advise", path)
    assert advice.returncode == 0
    assert "No table to advise on" in advice.stdout
    refused(partadvisor("advise", path, "--table", "x"), 2, "has no table at all")
    refused(partadvisor("advise", path, "--key", "hash(a) into 4"), 2, "no table to score the keys for")


def test_tables_of_other_sessions_and_huge_statements(db: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    execute(db, "CREATE EXTENSION pg_stat_statements; CREATE TABLE t (id int PRIMARY KEY, v text)")
    with psycopg.connect(db, autocommit=True) as other:
        other.execute("CREATE TEMP TABLE scratch (id int); INSERT INTO scratch SELECT generate_series(1, 1000)")
        other.execute(b"SELECT * FROM t WHERE v IN (" + b", ".join(b"'%d'" % i for i in range(200_000)) + b")")
        other.execute(b"SELECT " + b"+".join([b"1"] * 3000) + b" FROM t")
        run = partadvisor("collect", db, "-o", path, "--duration", "0.1")
    assert run.returncode == 0, run.stderr
    found = read_snapshot(path)
    assert [r.qualified_name for r in found.relations] == ["public.t"]
    assert found.statements
    assert partadvisor("advise", path, "--table", "t").returncode == 0


def test_a_log_that_says_nothing_is_told(db: str, tmp_path: Path) -> None:
    (tmp_path / "quiet.log").write_text("2026-01-01 00:00:00 UTC [1] LOG:  ready\n")
    run = partadvisor("collect", db, "-o", tmp_path / "x.json", "--duration", "0", "--log", tmp_path / "quiet.log")
    assert "quiet.log: no line about a wait for an extension lock" in run.stderr
    run = partadvisor("collect", db, "-o", tmp_path / "x.json", "--log", tmp_path / "none.log")
    refused(run, 2, "could not read file", "none.log")
