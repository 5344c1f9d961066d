"""Extension waits in logs: each format, each language, any prefix, and what a real server writes."""

import csv
import gettext
import gzip
import io
import json
from pathlib import Path

import psycopg
import pytest
import zstandard

from partadvisor.io.collect.logs import parse_log_waits, read_log_waits
from partadvisor.io.collect.oids import Owner
from partadvisor.io.collect.run import CollectOptions, collect
from partadvisor.model.activity import LogWait
from partadvisor.model.errors import UsageError
from partadvisor.pg.knowledge import load
from partadvisor.pg.log_lines import find_wait, find_wait_in_bytes, queue_length, timestamp

WAITING = (
    "process 17136 still waiting for ExclusiveLock on extension of relation 56628 of database 13090 after 1000.512 ms"
)
ACQUIRED = "process 17136 acquired ExclusiveLock on extension of relation 56628 of database 13090 after 6700.001 ms"
DETAIL = "Process holding the lock: 17141. Wait queue: 17137, 17136, 17150."
OTHER = "process 17136 still waiting for ExclusiveLock on relation 56628 of database 13090 after 1000.512 ms"
HEAP = Owner(relation="public.t", table="public.t", via="heap")


def _known(database: int, relation: int) -> Owner | None:
    return HEAP if (database, relation) == (13090, 56628) else None


def _parse(text: str | bytes, name: str = "postgresql.log") -> list[LogWait]:
    data = text.encode() if isinstance(text, str) else text
    return parse_log_waits(name, io.BytesIO(data), _known)


@pytest.mark.parametrize(
    ("prefix", "at"),
    [
        ("2026-11-30 12:00:01.123 UTC [17136] ", "2026-11-30 12:00:01.123 UTC"),
        ("2026-11-30 12:00:01 CET:10.0.0.1(5000):app@shop:[17136]: ", "2026-11-30 12:00:01 CET"),
        ("1764504001.123 17136 app=x ", "1764504001.123"),
        ("Nov 30 12:00:01 db1 postgres[17136]: [7-1] ", ""),
        ("", ""),
    ],
)
def test_any_prefix(prefix: str, at: str) -> None:
    log = f"{prefix}LOG:  {WAITING}\n{prefix}DETAIL:  {DETAIL}\n{prefix}STATEMENT:  INSERT INTO t SELECT 1\n"
    log += f"{prefix}LOG:  {OTHER}\n{prefix}LOG:  {ACQUIRED}\n"
    first, second = _parse(log)
    assert (first.at, first.pid, first.wait_ms, first.ended, first.queue) == (at, 17136, 1000.512, False, 3)
    assert (first.relation, first.table, first.via) == ("public.t", "public.t", "heap")
    assert (second.wait_ms, second.ended, second.queue, second.line) == (6700.001, True, 0, 5)


def test_a_relation_that_is_not_known_keeps_its_numbers() -> None:
    (found,) = _parse(f"LOG:  {WAITING.replace('13090', '5')}")
    assert (found.table, found.via) == ("oid 56628 of database oid 5", "unknown")


def test_csvlog_and_jsonlog() -> None:
    rows = io.StringIO()
    for message, detail in (("a\nb,ExclusiveLock", ""), (WAITING, DETAIL), (ACQUIRED, "")):
        row = ["2026-11-30 12:00:01.123 UTC"] + [""] * 25
        row[13], row[14] = message, detail
        csv.writer(rows).writerow(row)
    lines = [
        json.dumps({"timestamp": "2026-11-30 12:00:01.123 UTC", "pid": 1, "message": m, "detail": d})
        for m, d in (("x ExclusiveLock", ""), (WAITING, DETAIL), (ACQUIRED, None))
    ]
    in_json = _parse("\n".join(lines) + '\n{"message": "cut ExclusiveLo', "a.json")
    in_csv = _parse(rows.getvalue(), "a.csv")
    assert _parse(rows.getvalue(), "renamed") == [_renamed(w) for w in in_csv]
    for waits in (in_csv, in_json):
        assert [(w.ended, w.queue, w.at) for w in waits] == [
            (False, 3, "2026-11-30 12:00:01.123 UTC"),
            (True, 0, "2026-11-30 12:00:01.123 UTC"),
        ]


def _renamed(wait: LogWait) -> LogWait:
    import msgspec

    return msgspec.structs.replace(wait, file="renamed")


@pytest.mark.parametrize("language", load("log_messages.toml")["language"], ids=lambda language: language["code"])
def test_each_language(language: dict[str, str]) -> None:
    english = load("log_messages.toml")["language"][0]
    mark = "," if language["code"] == "de" else "."
    for kind in ("waiting", "acquired"):
        tag = language["extension"].format(relation=56628, database=13090)
        frame = language.get(kind, english[kind])
        found = find_wait("LOG: " + frame.format(pid=7, mode="ExclusiveLock", tag=tag, ms=f"1234{mark}567"))
        assert found
        assert (found.pid, found.relation, found.database) == (7, 56628, 13090)
        assert (found.wait_ms, found.ended) == (1234.567, kind == "acquired")


@pytest.mark.parametrize(
    ("code", "encoding"), [("fr", "latin-1"), ("ru", "cp1251"), ("ru", "koi8-r"), ("ja", "euc-jp"), ("de", "utf-8")]
)
def test_each_encoding(code: str, encoding: str) -> None:
    language = next(language for language in load("log_messages.toml")["language"] if language["code"] == code)
    tag = language["extension"].format(relation=56628, database=13090)
    line = language["waiting"].format(pid=7, mode="ExclusiveLock", tag=tag, ms="1.000")
    found = find_wait_in_bytes(line.encode(encoding))
    assert found
    assert found[0].relation == 56628


def test_messages_are_those_of_the_catalogs_installed_here() -> None:
    """Where this machine has the server's own translations, the data must agree with them."""
    catalogs = {path.parts[-3]: path for path in Path("/usr/share/locale").glob("*/LC_MESSAGES/postgres-*.mo")}
    if not catalogs:
        pytest.skip("no message catalogs of PostgreSQL on this machine")
    for code, path in catalogs.items():
        with path.open("rb") as file:
            translate = gettext.GNUTranslations(file).gettext
        tag = _filled(translate("extension of relation %u of database %u"), [56628, 13090])
        line = _filled(
            translate("process %d still waiting for %s on %s after %ld.%03d ms"), [7, "ExclusiveLock", tag, 12, 345]
        )
        found = find_wait(line)
        assert found, f"{code}: {line}"
        assert (found.pid, found.relation, found.database, found.wait_ms) == (7, 56628, 13090, 12.345)


def _filled(template: str, values: list[object]) -> str:
    """C's printf with numbered arguments, which Python does not have."""
    import re

    numbers = iter(range(1, len(values) + 1))

    def value(match: re.Match[str]) -> str:
        return str(values[int(match[1] or next(numbers)) - 1])

    return re.sub(r"%(?:(\d+)\$)?(?:0?\d*)l?[dsu]", value, template)


@pytest.mark.parametrize("text", [WAITING.replace("extension of ", ""), "ExclusiveLock", WAITING.replace("after", "")])
def test_other_lines_are_not_taken_for_it(text: str) -> None:
    assert find_wait(text) is None


def test_detail_and_time() -> None:
    assert queue_length("DETAIL:  Processes holding the lock: 1, 2. Wait queue: 3.") == 1
    assert queue_length("DETAIL:  Process holding the lock: 1. Wait queue: .") == 0
    assert queue_length("DETAIL:  Key (id)=(3) exists.") is None
    assert timestamp("x 2026-11-30T12:00:01.5+02:00 y") == "2026-11-30T12:00:01.5+02:00"


def test_compressed_and_damaged_files(tmp_path: Path) -> None:
    text = f"LOG:  {WAITING}\n".encode() * 3
    packed = {
        "a.log": text,
        "a.log.gz": gzip.compress(text),
        "a.log.zst": zstandard.compress(text[:40]) + zstandard.compress(text[40:]),
    }
    for name, data in packed.items():
        (tmp_path / name).write_bytes(data)
        assert len(read_log_waits(tmp_path / name, _known)) == 3
    (tmp_path / "cut.gz").write_bytes(gzip.compress(text * 1000)[:-50])
    (tmp_path / "bad.gz").write_bytes(b"\x1f\x8b" + b"x" * 30)
    (tmp_path / "cut.zst").write_bytes(zstandard.compress(text) + zstandard.compress(text * 1000)[:-5])
    for name in ("cut.gz", "bad.gz", "cut.zst", "missing.log"):
        with pytest.raises(UsageError, match=name):
            read_log_waits(tmp_path / name, _known)


def test_a_long_log_keeps_the_last_waits() -> None:
    lines = (f"LOG:  {WAITING.replace('1000.512', f'{i}.000')}\n" for i in range(45_000))
    found = _parse("".join(lines))
    assert len(found) == 20_000
    assert found[-1].wait_ms == 44_999


def test_a_statement_that_quotes_a_message_does_not_hide_its_detail() -> None:
    log = f"LOG:  {WAITING}\n\tcontinued\nDETAIL:  {DETAIL}\nLOG:  something else\n"
    assert [w.queue for w in _parse(log)] == [3]


def test_oids_become_names(db: str, tmp_path: Path) -> None:
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute("CREATE TABLE t (id int PRIMARY KEY, v text)")
        row = connection.execute(
            "SELECT d.oid::int8, i.indexrelid::int8, c.reltoastrelid::int8 FROM pg_database d, pg_class c"
            " JOIN pg_index i ON i.indrelid = c.oid WHERE datname = current_database() AND relname = 't'"
        ).fetchone()
    assert row
    database, index, toast = row
    log = tmp_path / "a.log"
    messages = [
        WAITING.replace("56628", str(relation)).replace("13090", str(in_database))
        for relation, in_database in ((index, database), (toast, database), (index, database + 1))
    ]
    log.write_text("\n".join(f"LOG:  {m}" for m in messages))
    found = collect(db, CollectOptions(duration=0, logs=(log,))).log_waits
    assert [(w.table, w.via) for w in found] == [
        ("public.t", "index"),
        ("public.t", "toast"),
        (f"oid {index} of database oid {database + 1}", "unknown"),
    ]


def test_a_missing_log_is_told_before_the_window(db: str, tmp_path: Path) -> None:
    seen: list[str] = []
    with pytest.raises(UsageError, match=r"nowhere\.log"):
        collect(db, CollectOptions(logs=(tmp_path / "nowhere.log",)), progress=lambda what, _: seen.append(what))
    assert seen == []


def test_a_log_as_workload_is_cut_down_to_the_database(db: str, tmp_path: Path) -> None:
    with psycopg.connect(db) as connection:
        database = connection.info.dbname
    log_lines = [
        f'2026-11-30 12:00:01.123 UTC,"u","{name}",7,,6b0d.7,,"SELECT",,,,LOG,00000,'
        f"\"duration: 2.500 ms  statement: select '{name}' from t\"{',' * 12}\n"
        for name in (database, "elsewhere")
    ]
    log = tmp_path / "any name"
    log.write_text("".join(log_lines))
    found = collect(db, CollectOptions(duration=0, queries=log)).statements[-1]
    assert [(e.text, e.total_ms) for e in found.entries] == [(f"select '{database}' from t", 2.5)]
    assert found.notes == ()


def test_a_redacted_log_keeps_no_value(db: str, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(
        "2026-11-30 12:00:01.123 UTC [7] LOG:  duration: 2.500 ms  execute s: select * from t where k = $1\n"
        "2026-11-30 12:00:01.123 UTC [7] DETAIL:  Parameters: $1 = 'confidential'\n"
        "2026-11-30 12:00:02.123 UTC [7] LOG:  duration: 2.500 ms  statement: select 'confidential'\n"
    )
    plain = collect(db, CollectOptions(duration=0, queries=log))
    assert "confidential" in str(plain.statements[-1].entries)
    hidden = collect(db, CollectOptions(duration=0, queries=log, redact=True))
    assert len(hidden.statements[-1].entries) == 2
    assert "confidential" not in str(hidden.statements)
