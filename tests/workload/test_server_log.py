"""Server logs as workloads: what real servers write, against what their pg_stat_statements counted meanwhile."""

import gettext
import gzip
import io
import random
import re
import shutil
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest
import zstandard

from partadvisor.io.binaries import find_binaries
from partadvisor.io.server import start_server
from partadvisor.io.workload_file import read_workload
from partadvisor.model.activity import StatementDelta
from partadvisor.model.errors import UsageError
from partadvisor.model.snapshot import Statements
from partadvisor.pg.knowledge import load
from partadvisor.pg.log_prefix import detect, of_setting
from partadvisor.pg.log_statements import Logged, find_statement, labels, parameters
from partadvisor.sql.parse import FURTHER_TEXT, UNLOGGED_TEXT, Unparsed, fingerprint, parse_one
from partadvisor.workload.log_records import Cut, log_format, records
from partadvisor.workload.server_log import read_log
from tests.majors import EMBEDDED, major_binaries

PREFIXES = [
    "%m [%p] ",
    "%t [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ",
    "%t:%r:%u@%d:[%p]:",
    "%m [%c] %q%u@%d ",
    "<%n> %-8p|%d|%e|%i ",
    "",
]
CUSTOMERS = "select *\n\tfrom customers\nwhere name = %s -- with 'a quote'"
FAILING = "select 1 / (id - 7) from customers where id = 7"
VALUES = ('O\'Hara, "x"', "two\nlines\tand a tab", None, "$1 = 'x', $2 = NULL")


class Logs(NamedTuple):
    """Files of one server by prefix and ending, and the calls that pg_stat_statements counted in each phase."""

    files: dict[tuple[str, str], Path]
    calls: dict[str, dict[str, int]]
    major: int


def _extended(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """Each protocol, with multi-line texts, NULL and values that look like the log itself; a cursor and an error."""
    for value in VALUES:
        connection.execute(CUSTOMERS, [value])
    connection.execute("select * from customers where id = 7", prepare=False)
    connection.execute("select * from customers where id = 8")
    for number in range(3):
        row = [number, 7, None, number + 10, 7, "duration: 1.000 ms  statement: select 1"]
        connection.execute("insert into orders values (%s, %s, %s), (%s, %s, %s)", row, prepare=True)
    with connection.transaction(), connection.cursor(name="c") as cursor:
        cursor.execute("select * from orders where w = %s", [7])
        cursor.fetchall()
    with pytest.raises(psycopg.errors.DivisionByZero):
        connection.execute(FAILING)


def _phases(dsn: str) -> None:
    """log_min_duration_statement alone, then statements and durations apart, in two sessions at once."""
    with psycopg.connect(dsn, autocommit=True) as one, psycopg.connect(dsn, autocommit=True) as two:
        _extended(one)
        for connection in (one, two):
            for setting in ("log_min_duration_statement = -1", "log_duration = on", "log_statement = 'all'"):
                connection.execute(f"set {setting}".encode())
        slow = threading.Thread(target=lambda: two.execute("select count(*), pg_sleep(0.15) from orders"))
        slow.start()
        time.sleep(0.03)
        _extended(one)
        slow.join()


def _server_logs(major: int, folder: Path) -> Logs:
    binaries = find_binaries() if major == EMBEDDED else major_binaries(major)
    endings = [".log", ".csv", *([".json"] if major >= 15 else [])]
    settings = {
        "logging_collector": "on",
        "log_destination": "stderr,csvlog" + (",jsonlog" if major >= 15 else ""),
        "log_directory": "log",
        "log_min_duration_statement": "0",
        "auto_explain.log_min_duration": "0",
        "fsync": "off",
    }
    files: dict[tuple[str, str], Path] = {}
    calls: dict[str, dict[str, int]] = {}
    with ExitStack() as stack:
        preload = ["auto_explain", "pg_stat_statements"]
        server = stack.enter_context(start_server(binaries, settings=settings, preload=preload))
        admin = stack.enter_context(psycopg.connect(server.dsn(), autocommit=True))
        admin.execute("create extension pg_stat_statements")
        admin.execute("create table customers (id int, name text)")
        admin.execute("insert into customers values (7, 'x')")
        admin.execute("create table orders (id int, w int, note text)")
        for number, prefix in enumerate(PREFIXES):
            _configure(admin, f"p{number}.log", prefix)
            admin.execute("select pg_stat_statements_reset()")
            _phases(server.dsn())
            calls[prefix] = _counted(admin)
            files |= {(prefix, ending): folder / f"p{number}{ending}" for ending in endings}
        shutil.copytree(server.data_dir / "log", folder, dirs_exist_ok=True)
    return Logs(files, calls, major)


def _configure(admin: psycopg.Connection[tuple[object, ...]], name: str, prefix: str) -> None:
    admin.execute(f"alter system set log_filename = '{name}'".encode())
    admin.execute(f"alter system set log_line_prefix = '{prefix}'".encode())
    admin.execute("select pg_reload_conf()")
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        row = admin.execute(
            "select current_setting('log_line_prefix') = %s and pg_current_logfile('stderr') ~ %s", [prefix, name]
        ).fetchone()
        if row and row[0]:
            return
        time.sleep(0.02)
    raise AssertionError("the server did not take the new settings")


def _counted(admin: psycopg.Connection[tuple[object, ...]]) -> dict[str, int]:
    """Calls by shape, of statements on the two tables."""
    rows = admin.execute(
        "select query, calls::int from pg_stat_statements where query ~ 'customers|orders' and query !~ 'pg_stat'"
    ).fetchall()
    found: dict[str, int] = {}
    for query, calls in rows:
        key = fingerprint(str(query))
        found[key] = found.get(key, 0) + int(str(calls))
    return found


@pytest.fixture(scope="module", params=[pytest.param(13, marks=pytest.mark.matrix), EMBEDDED])
def logs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Logs:
    return _server_logs(request.param, tmp_path_factory.mktemp(f"log{request.param}"))


def _calls(statements: Statements) -> dict[str, int]:
    found: dict[str, int] = {}
    for entry in _own(statements):
        key = fingerprint(entry.text)
        found[key] = found.get(key, 0) + int(entry.calls)
    return found


def _own(statements: Statements) -> list[StatementDelta]:
    """Entries of this test's statements, without those that set up the server between two files."""
    return [e for e in statements.entries if re.search("customers|orders", e.text) and "pg_stat" not in e.text]


def _of(statements: Statements, part: str) -> list[StatementDelta]:
    return [e for e in statements.entries if part in e.text]


def test_calls_are_those_the_server_counted(logs: Logs) -> None:
    checked = 0
    for (prefix, ending), path in logs.files.items():
        if prefix == "" and ending == ".log":  # without a session two messages cannot be tied together
            continue
        found = _calls(read_workload(path, database="postgres"))
        assert found == logs.calls[prefix], (prefix, ending)
        assert sum(found.values()) >= 20
        checked += 1
    assert checked == len(logs.files) - 1


def test_all_formats_tell_the_same(logs: Logs) -> None:
    """Texts, calls, times to the microsecond and parameters."""
    for prefix in PREFIXES[:-1]:
        read = [read_workload(path) for (p, _), path in logs.files.items() if p == prefix]
        assert len(read) == (3 if logs.major >= 15 else 2)
        for other in read[1:]:
            assert _own(other) == _own(read[0])


def test_the_setting_reads_what_is_not_recognised(logs: Logs) -> None:
    prefix = "<%n> %-8p|%d|%e|%i "
    known = read_workload(logs.files[prefix, ".log"], prefix=prefix)
    assert _own(known) == _own(read_workload(logs.files[prefix, ".csv"]))


def test_parameters_are_the_values_that_were_bound(logs: Logs) -> None:
    statements = read_workload(logs.files[PREFIXES[0], ".log"])
    (entry,) = _of(statements, "where name = $1")
    assert entry.text == CUSTOMERS.replace("%s", "$1")
    assert entry.calls == 2 * len(VALUES)
    assert set(entry.parameters) == {(v,) for v in VALUES}
    (insert,) = _of(statements, "insert into orders")
    assert {p[1] for p in insert.parameters} == {"7"}
    assert {p[0] for p in insert.parameters} == {"0", "1", "2"}
    assert insert.plan_ms > 0


def test_times_go_to_their_own_session(logs: Logs) -> None:
    """The slow statement of the other session began before and ended after those beside it."""
    (slow,) = _of(read_workload(logs.files[PREFIXES[1], ".log"]), "pg_sleep")
    assert slow.total_ms >= 150
    others = [e for e in read_workload(logs.files[PREFIXES[1], ".log"]).entries if e != slow]
    assert sum(e.total_ms for e in others) < slow.total_ms


def test_without_a_session_nothing_is_guessed(logs: Logs) -> None:
    statements = read_workload(logs.files["", ".log"])
    (slow,) = _of(statements, "pg_sleep")
    assert (slow.calls, slow.total_ms) == (1, 0.0)
    assert statements.seconds is None
    (note,) = [n for n in statements.notes if "tied" in n]
    assert "%p" in note


def test_compressed_logs(logs: Logs, tmp_path: Path) -> None:
    path = logs.files[PREFIXES[0], ".csv"]
    plain = read_workload(path)
    for name, pack in (("a.gz", gzip.compress), ("a.zst", zstandard.compress)):
        (tmp_path / name).write_bytes(pack(path.read_bytes()))
        assert read_workload(tmp_path / name).entries == plain.entries


def test_a_cut_log_never_makes_up_a_statement(logs: Logs) -> None:
    """Cut at its end and at its begin, inside any line (no reader sees other cuts): what is left is some of it."""
    draw = random.Random(7)
    for ending, format_ in ((".log", "stderr"), (".csv", "csv"), (".json", "json")):
        path = logs.files.get((PREFIXES[0], ending))
        if path is None:
            continue
        data = path.read_bytes()
        whole = {e.text: e.calls for e in _read(data, format_).entries if e.text != UNLOGGED_TEXT}
        for place in draw.sample([n for n in range(1, len(data)) if data[n - 1 : n] != b"\n"], 150):
            for part in (data[:place], data[place:]):
                for entry in _read(part, format_).entries:
                    assert entry.text in (*whole, UNLOGGED_TEXT, FAILING), (ending, place)
                    assert entry.calls <= whole.get(entry.text, 99), (ending, place)


def _read(data: bytes, format_: str) -> Statements:
    return read_log("a", io.BytesIO(data), format_)  # type: ignore[arg-type]


def test_the_format_shows_in_the_content(logs: Logs, tmp_path: Path) -> None:
    formats = {".log": "stderr", ".csv": "csv", ".json": "json"}
    for (prefix, ending), path in logs.files.items():
        data = path.read_bytes()
        assert log_format(data[:100_000]) == formats[ending], prefix
        assert log_format(data[len(data) // 3 : len(data) // 3 + 100_000]) == formats[ending], prefix


@pytest.mark.parametrize(
    "text",
    [
        "-- LOG:  not a log\nselect 1;\n",
        "insert into messages values ('ERROR:  x');\nselect 1;\nselect 2;\nselect 3;\n",
        '[{"query": "select 1", "calls": 2}]',
        '{"query": "select message, error_severity from log", "calls": 2}',
        "query,calls\nselect 1,5\n",
        "",
        "\n\n",
    ],
)
def test_other_workloads_are_no_logs(text: str) -> None:
    assert log_format(text.encode()) is None


def test_a_log_without_statements_is_told(tmp_path: Path) -> None:
    path = tmp_path / "quiet.log"
    path.write_text("2026-11-30 12:00:01.123 UTC [1] LOG:  database system is ready to accept connections\n")
    with pytest.raises(UsageError, match="holds no statements") as error:
        read_workload(path)
    assert "log_min_duration_statement" in (error.value.hint or "")


LINE = "2026-11-30 12:00:{second:02d}.000 UTC [{pid}] LOG:  {message}\n"


def _lines(*messages: tuple[int, str]) -> Statements:
    text = "".join(LINE.format(second=n % 60, pid=pid, message=m) for n, (pid, m) in enumerate(messages))
    return _read(text.encode(), "stderr")


def test_durations_without_a_statement_do_not_disappear() -> None:
    found = _lines(
        (1, "duration: 5.000 ms"), (1, "duration: 7.000 ms  statement: select * from t"), (2, "duration: 1.500 ms")
    )
    assert {(e.text, e.calls, e.total_ms) for e in found.entries} == {
        (UNLOGGED_TEXT, 2, 6.5),
        ("select * from t", 1, 7.0),
    }


def test_what_stands_for_a_text_says_why() -> None:
    for text, reason in ((UNLOGGED_TEXT, "the log has the duration only"), (FURTHER_TEXT, "not kept")):
        found = parse_one(text)
        assert isinstance(found, Unparsed)
        assert reason in found.reason


def test_only_slow_statements_are_told_as_such() -> None:
    (note,) = _lines(
        (1, "duration: 250.000 ms  statement: select 1"), (1, "duration: 900.000 ms  statement: select 2")
    ).notes
    assert "no statement under 250 ms" in note


def test_statements_without_durations_still_count() -> None:
    found = _lines(*((1, "statement: select * from t") for _ in range(3)))
    ((text, calls, ms),) = [(e.text, e.calls, e.total_ms) for e in found.entries]
    assert (text, calls, ms) == ("select * from t", 3, 0.0)
    assert "most statements have no duration" in found.notes[0]


def test_passwords_stay_out() -> None:
    found = _lines(
        (1, "statement: ALTER ROLE a PASSWORD 'sec''ret'"), (1, "statement: create user b password $x$sec$x$")
    )
    assert not any("sec" in e.text for e in found.entries)


def test_memory_is_bounded_in_texts_shapes_and_sessions() -> None:
    bulk = "x" * 50_000
    found = _lines(*((n, f"duration: 1.000 ms  statement: insert into t values ({n}, '{bulk}')") for n in range(200)))
    assert sum(len(e.text) for e in found.entries) < 500_000
    assert sum(e.calls for e in found.entries) == 200
    many = _lines(*((n, f"duration: 1.000 ms  statement: selec t{n}x") for n in range(20_100)))
    assert sum(e.calls for e in many.entries) == 20_100
    (further,) = [e for e in many.entries if e.text == FURTHER_TEXT]
    assert further.calls == 100


@pytest.mark.parametrize("language", load("log_messages.toml")["language"], ids=lambda language: language["code"])
def test_each_language(language: dict[str, object]) -> None:
    words: list[str] = language["execute"]  # type: ignore[assignment]
    fetch, execute = words
    text = "select\n 'a: b'"
    assert find_statement(str(language["duration"]).format(ms="1.500")) == Logged("duration", 1.5)
    assert find_statement(str(language["statement"]).format(text=text)) == Logged("begun", None, text)
    assert find_statement(str(language["duration_statement"]).format(ms="1.500", text=text)) == Logged("run", 1.5, text)
    timed = str(language["duration_execute"])
    for word, event in ((execute, "run"), (fetch, "fetch")):
        found = find_statement(timed.format(ms="1.500", execute=word, name="S_1/C_2", text=text))
        assert found == Logged(event, 1.5, text, True)  # type: ignore[arg-type]
    for step in ("parse", "bind"):
        found = find_statement(str(language[step]).format(ms="1.500", name="<unnamed>", text=text))
        assert found == Logged("step", 1.5, text, True)
    for head in language["parameters"]:  # type: ignore[attr-defined]
        assert parameters(head.format(text="$1 = '1', $2 = NULL")) == ("1", None)


VALUES_OF = {
    "duration": ["1.5"],
    "statement": ["select 1"],
    "duration_statement": ["1.5", "select 1"],
    "duration_execute": ["1.5", "execute", "name", "", "", "select 1"],
    "parse": ["1.5", "name", "select 1"],
    "bind": ["1.5", "name", "", "", "select 1"],
}
MESSAGES = {
    "duration": "duration: %s ms",
    "statement": "statement: %s",
    "duration_statement": "duration: %s ms  statement: %s",
    "duration_execute": "duration: %s ms  %s %s%s%s: %s",
    "parse": "duration: %s ms  parse %s: %s",
    "bind": "duration: %s ms  bind %s%s%s: %s",
}


def test_messages_are_those_of_the_catalogs_installed_here() -> None:
    catalogs = {path.parts[-3]: path for path in Path("/usr/share/locale").glob("*/LC_MESSAGES/postgres-*.mo")}
    if not catalogs:
        pytest.skip("no message catalogs of PostgreSQL on this machine")
    for code, path in catalogs.items():
        with path.open("rb") as file:
            translate = gettext.GNUTranslations(file).gettext
        for key, message in MESSAGES.items():
            filled = translate(message)
            for value in VALUES_OF[key]:
                filled = filled.replace("%s", translate(value) if value else "", 1)
            assert find_statement(filled), f"{code}: {filled}"
        assert parameters(translate("parameters: %s") % "$1 = 'x'") == ("x",), code
        for word in ("LOG", "ERROR", "FATAL", "PANIC", "WARNING", "NOTICE"):
            assert translate(word) in labels(), f"{code}: {word}"
        for part in ("DETAIL:  ", "STATEMENT:  ", "CONTEXT:  ", "HINT:  "):
            assert translate(part).removesuffix(":  ") in labels(), f"{code}: {part}"


@pytest.mark.parametrize(("code", "encoding"), [("ru", "cp1251"), ("ru", "utf-8"), ("de", "latin-1"), ("ja", "euc-jp")])
def test_a_log_in_its_databases_encoding(code: str, encoding: str) -> None:
    language = next(one for one in load("log_messages.toml")["language"] if one["code"] == code)
    log = {**load("log_messages.toml")["language"][0]["labels"], **language["labels"]}["log"][0]
    message = language["duration_statement"].format(ms="1.500", text="select 1 -- ü" if code == "de" else "select 1")
    data = f"2026-11-30 12:00:01.123 UTC [1] {log}:  {message}\n".encode(encoding)
    assert log_format(data) == "stderr"
    assert [e.total_ms for e in _read(data, "stderr").entries] == [1.5]


@pytest.mark.parametrize(
    ("detail", "values"),
    [
        ("Parameters: $1 = 'a''b', $2 = NULL, $3 = ''", ("a'b", None, "")),
        ("parameters: $1 = 'x, $2 = ''y'", ("x, $2 = 'y",)),
        ("Parameters: $1 = 'cut...'", None),
        ("Parameters: $2 = 'x'", None),
        ("prepare: PREPARE p AS SELECT 1", None),
        ("Parameters: ", None),
    ],
)
def test_parameters(detail: str, values: tuple[str | None, ...] | None) -> None:
    assert parameters(detail) == values


def test_prefixes() -> None:
    for setting in load("log_messages.toml")["prefixes"]:
        assert of_setting(setting).pattern is not None
    seen = "2026-11-30 12:00:01 CET [77]: [3-1] user=a,db=shop,app=x y,client=::1 "
    assert detect([seen] * 5).read(seen) == ("77", "shop", "2026-11-30 12:00:01 CET")
    odd = "pid=123 host=10.0.0.1 db=shop 2026-11-30T12:00:01.5Z "
    assert detect([odd]).read(odd)[:2] == ("123", "shop")


def test_tabs_taken_away_by_a_tool_and_output_of_other_programs() -> None:
    stripped = b"2026-11-30 12:00:01.000 UTC [1] LOG:  duration: 1.000 ms  statement: select 1\nfrom t\n"
    assert [e.text for e in _read(stripped, "stderr").entries] == ["select 1\nfrom t"]
    mixed = (
        b"2026-11-30 12:00:01.000 UTC [1] LOG:  duration: 1.000 ms  statement: select 1\n\tfrom t\n"
        b"cp: cannot stat archive\n"
    )
    assert [e.text for e in _read(mixed, "stderr").entries] == ["select 1\nfrom t"]


@pytest.mark.parametrize(
    ("first", "last", "seconds"),
    [
        ("2026-11-30 12:00:00.250 UTC", "2026-11-30 12:00:10.000 UTC", 9.75),
        ("2026-11-30 23:59:59 CET", "2026-12-01 00:01:00 CET", 61.0),
        ("1764504000.250", "1764504010.000", 9.75),
        ("2026-11-30 12:00:10.000 UTC", "2026-11-30 12:00:10.000 UTC", None),
    ],
)
def test_the_time_a_log_covers(first: str, last: str, seconds: float | None) -> None:
    lines = [f"{at} [1] LOG:  duration: 1.000 ms  statement: select 1\n" for at in (first, last)]
    assert _read("".join(lines).encode(), "stderr").seconds == seconds


def test_damaged_records_are_counted() -> None:
    message = "duration: 1.0 ms  statement: select 1"
    good = f'{{"timestamp":"2026-11-30 12:00:01.123 UTC","pid":1,"error_severity":"LOG","message":"{message}"}}\n'
    found = list(records(io.BytesIO(f"{good}garbage\n{good}".encode()), "json"))
    assert [isinstance(r, Cut) for r in found] == [False, True, False]
    assert _read(f"{good}garbage\n{good}".encode(), "json").notes == ("log a: 1 record cut or damaged",)


def test_progress_reaches_the_end(logs: Logs, tmp_path: Path) -> None:
    data = logs.files[PREFIXES[0], ".log"].read_bytes()
    path = tmp_path / "long.log.gz"
    path.write_bytes(gzip.compress(data * 300))
    shares: list[float] = []
    read_workload(path, progress=lambda _what, share: shares.append(share or 0.0))
    assert shares == sorted(shares)
    assert len(shares) > 1
    assert shares[-1] > 0.3
