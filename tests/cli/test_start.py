"""The front door: fast help, lazy imports, clear usage errors, no password in the process list."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from partadvisor.cli.main import COMMANDS
from partadvisor.cli.secrets import split_password

HEAVY = ("psycopg", "sqlglot", "networkx", "textual", "numpy", "postgast", "rich")


def partadvisor(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "partadvisor", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys, json\n"
        "from partadvisor.cli.main import main\n"
        "try:\n    main(json.loads(sys.argv[1]))\n"
        "except SystemExit as e:\n    assert not e.code, e.code\n"
        "print('LOADED', json.dumps(sorted(m.split('.')[0] for m in sys.modules)))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, json.dumps(arguments)], capture_output=True, text=True, check=True
    )
    loaded = set(json.loads(run.stdout.rsplit("LOADED", 1)[1]))
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_helps_with_an_example(name: str) -> None:
    run = partadvisor(name, "--help")
    assert run.returncode == 0
    assert "Example:" in run.stdout
    assert f"partadvisor {name}" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "primary", "hint"),
    [
        (["advize"], 'command "advize" does not exist', "partadvisor advise"),
        (["advise"], "give either INPUT or --schema", "partadvisor advise shop.json"),
        (["advise", "--bogus"], "no such option", "partadvisor advise --help"),
        (["advise", "no-such-file.json"], "no-such-file.json", ""),
        (["diagnose", "x.json", "--schema", "y.sql"], "exclude each other", ""),
    ],
)
def test_wrong_usage_is_one_clear_error(arguments: list[str], primary: str, hint: str) -> None:
    run = partadvisor(*arguments)
    assert run.returncode == 2
    assert run.stdout == ""
    assert primary in run.stderr.splitlines()[0]
    assert hint in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("dsn", "without", "password"),
    [
        ("postgresql://u:s3cret@h:5432/d", "postgresql://u@h:5432/d", "s3cret"),
        ("postgresql://u:s%40x@h/d", "postgresql://u@h/d", "s@x"),
        ("postgresql://u@h/d?password=abc&sslmode=require", "postgresql://u@h/d?sslmode=require", "abc"),
        ("postgresql://h/d?connect_timeout=3&password=abc", "postgresql://h/d?connect_timeout=3", "abc"),
        ("host=h password=abc dbname=d", "host=h dbname=d", "abc"),
        (r"host=h password='a\'b c' dbname=d", "host=h dbname=d", "a'b c"),
        ("postgresql://u@h/d", "postgresql://u@h/d", None),
        ("host=h dbname=d", "host=h dbname=d", None),
        ("password=not a dsn", "password=not a dsn", None),
        ("hash(a) into 4", "hash(a) into 4", None),
    ],
)
def test_password_is_taken_out_of_a_dsn(dsn: str, without: str, password: str | None) -> None:
    assert split_password(dsn) == (without, password)


def test_password_does_not_stay_in_the_process_list() -> None:
    # An address that swallows packets keeps the command waiting while we look at its arguments.
    dsn = "postgresql://u:s3cret@127.0.0.1:1/d?connect_timeout=2"
    process = subprocess.Popen(
        [sys.executable, "-m", "partadvisor", "collect", dsn, "-o", "/dev/null/x"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    seen: list[str] = []
    while process.poll() is None:
        seen.append(Path(f"/proc/{process.pid}/cmdline").read_bytes().replace(b"\0", b" ").decode())
        time.sleep(0.001)
    output = process.communicate()[0]
    assert "s3cret" not in output
    assert seen
    assert "s3cret" not in seen[-1]


def test_closed_pipe_is_not_a_crash() -> None:
    run = subprocess.run(
        f"{sys.executable} -m partadvisor --help | head -c 1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in run.stderr


def test_a_log_alone_is_enough_for_a_diagnosis(tmp_path: Path) -> None:
    log = tmp_path / "postgresql.log"
    wait = "LOG:  process 7 acquired ExclusiveLock on extension of relation 16412 of database 5 after 2500.000 ms"
    log.write_text(f"2026-11-27 10:00:01.000 UTC [7] {wait}\n")
    run = partadvisor("diagnose", "--log", str(log), "--format", "json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["verdict"] == "extension"
    assert found["log"]["relations"][0]["relation"] == "oid 16412 of database oid 5"
    assert found["log"]["relations"][0]["longest_s"] == 2.5
    log.write_text("nothing\n")
    run = partadvisor("diagnose", "--log", str(log))
    assert run.returncode == 2
    assert "log_lock_waits = on" in run.stderr
