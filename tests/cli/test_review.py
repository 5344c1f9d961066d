"""``partadvisor review`` and ``rules`` as their user meets them: output forms, exit codes, ignoring, repairing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ATTACH = "ALTER TABLE orders ATTACH PARTITION orders_2025 FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');\n"
SAFE = "SET lock_timeout = '2s';\n"
SCRIPT = SAFE + "\n-- the new year\n" + ATTACH


def run(*arguments: str, cwd: Path, stdin: str | None = None, env: dict[str, str] | None = None) -> Any:
    import os

    return subprocess.run(
        [sys.executable, "-m", "partadvisor", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        input=stdin,
        env={**os.environ, **(env or {})},
        check=False,
        timeout=60,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "0001.sql").write_text("CREATE TABLE colours (id int PRIMARY KEY);\n")
    (tmp_path / "db" / "0002 attach.sql").write_text(SCRIPT)
    (tmp_path / "db" / "notes.txt").write_text("not a script")
    return tmp_path


def test_text_shows_the_statement_who_is_blocked_and_what_to_do(project: Path) -> None:
    done = run("review", "db", cwd=project)
    assert done.returncode == 0
    assert "db/0002 attach.sql:4:20: warning PA101 attach-without-check" in done.stdout
    assert "4 | ALTER TABLE orders ATTACH PARTITION orders_2025" in done.stdout
    assert "^^^^" in done.stdout
    assert "reads and writes of orders_2025, during a scan of the whole table" in done.stdout
    assert "ALTER TABLE orders_2025 VALIDATE CONSTRAINT" in done.stdout
    assert "2 files, 3 statements: 1 warning (PostgreSQL 13 to 18)" in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["db"], 0),
        (["db", "--fail-on", "warning"], 1),
        (["db", "--fail-on", "never"], 0),
        (["db", "--fail-on", "warning", "--ignore", "PA101"], 0),
        (["db", "--fail-on", "warning", "--ignore", "attach-without-check"], 0),
        (["db", "--fail-on", "warning", "--select", "PA2"], 0),
        (["db", "--fail-on", "warning", "--ignore", "PA1", "--select", "PA101"], 1),
        (["no such file.sql"], 2),
        (["db", "no-such-folder/"], 2),
        (["db", "--select", "PA999"], 2),
        (["db", "--target-pg", "seventeen"], 2),
        (["db", "--snapshot", "db/notes.txt"], 2),
        ([], 2),
    ],
)
def test_exit_code(project: Path, arguments: list[str], code: int) -> None:
    done = run("review", *arguments, cwd=project)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_folder_without_scripts_is_wrong_usage(tmp_path: Path) -> None:
    assert run("review", str(tmp_path), cwd=tmp_path).returncode == 2


def test_standard_input_has_the_name_it_is_given(tmp_path: Path) -> None:
    done = run("review", "-", "--stdin-filename", "V2__attach.sql", "--format", "json", cwd=tmp_path, stdin=ATTACH)
    assert {f["file"] for f in json.loads(done.stdout)["findings"]} == {"V2__attach.sql"}


def test_json_has_the_fields_of_the_contract(project: Path) -> None:
    found = json.loads(run("review", "db", "--format", "json", cwd=project).stdout)
    assert found["schema_version"] == 1
    assert found["files"] == ["db/0001.sql", "db/0002 attach.sql"]
    (finding,) = found["findings"]
    assert {
        "rule",
        "slug",
        "severity",
        "confidence",
        "file",
        "line",
        "column",
        "end_line",
        "message",
        "hint",
        "url",
    } <= (finding.keys())
    assert (finding["line"], finding["column"], finding["end_line"]) == (4, 20, 4)
    assert {"name": "public.orders_2025", "lock_mode": "ACCESS EXCLUSIVE"} in finding["relations"]
    assert [s["line"] for s in found["statements"]] == [1, 1, 4]
    assert found["not_analysed"] == []


def test_sarif_is_valid_and_says_where(project: Path) -> None:
    import jsonschema

    schema = json.loads((Path(__file__).parent.parent / "cases" / "sarif-schema-2.1.0.json").read_text())
    log = json.loads(run("review", "db", "--format", "sarif", cwd=project).stdout)
    jsonschema.validate(log, schema)
    (result,) = log["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "db/0002%20attach.sql", "uriBaseId": "SRCROOT"}
    assert place["region"]["startLine"] == 4
    assert result["partialFingerprints"]
    assert log["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "PA101"


def test_fingerprint_outlives_moved_lines(project: Path) -> None:
    def fingerprint() -> str:
        log = json.loads(run("review", "db", "--format", "json", cwd=project).stdout)
        return str(log["findings"][0]["fingerprint"])

    before = fingerprint()
    path = project / "db" / "0002 attach.sql"
    path.write_text("-- moved\n\n" + path.read_text().replace("ATTACH PARTITION", "ATTACH\n  PARTITION"))
    assert fingerprint() == before
    path.write_text(path.read_text().replace("2026-01-01", "2027-01-01"))
    assert fingerprint() != before


def test_github_and_gitlab(project: Path) -> None:
    github = run("review", "db", "--format", "github", cwd=project).stdout
    assert github.startswith("::warning file=db/0002 attach.sql,line=4,endLine=4,col=20,")
    assert len(github.splitlines()) == 1
    (entry,) = json.loads(run("review", "db", "--format", "gitlab", cwd=project).stdout)
    assert entry["location"] == {"path": "db/0002 attach.sql", "lines": {"begin": 4, "end": 4}}
    assert entry["check_name"] == "PA101"


def test_no_colour_when_not_wanted(project: Path) -> None:
    wanted = run("review", "db", cwd=project, env={"FORCE_COLOR": "1", "NO_COLOR": ""})
    assert "\x1b[" in wanted.stdout
    assert "\x1b" not in run("review", "db", cwd=project, env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout


def test_ignored_with_a_reason_and_unused(project: Path) -> None:
    path = project / "db" / "0002 attach.sql"
    path.write_text(SAFE + "-- partadvisor: ignore PA101 because nobody works at night\n" + ATTACH)
    done = run("review", "db", "--fail-on", "warning", cwd=project)
    assert done.returncode == 0
    assert "nothing found; 1 ignored" in done.stdout
    path.write_text(SAFE + "-- partadvisor: ignore PA101 because nobody works at night\nSELECT 1;\n" + ATTACH)
    assert {f["rule"] for f in _findings(project)} == {"PA001", "PA101"}


def _findings(project: Path, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("review", "db", "--format", "json", *arguments, cwd=project).stdout)[
        "findings"
    ]
    return found


def test_baseline_hides_what_is_known_and_nothing_else(project: Path) -> None:
    assert run("review", "db", "--baseline", "known.json", "--write-baseline", cwd=project).returncode == 0
    done = run("review", "db", "--baseline", "known.json", "--fail-on", "warning", cwd=project)
    assert done.returncode == 0
    (project / "db" / "0003.sql").write_text(SAFE + ATTACH.replace("2025", "2031").replace("2026", "2032"))
    assert [f["file"] for f in _findings(project, "--baseline", "known.json")] == ["db/0003.sql"]
    assert run("review", "db", "--baseline", "lost.json", cwd=project).returncode == 2


def test_settings_of_the_project(project: Path) -> None:
    (project / "pyproject.toml").write_text(
        '[tool.partadvisor]\ntarget-pg = "15-16"\n[tool.partadvisor.review]\n'
        'severity = { PA101 = "error" }\nexclude = ["db/0001*"]\n'
    )
    found = json.loads(run("review", "db", "--format", "json", cwd=project).stdout)
    assert found["target_versions"] == [15, 16]
    assert found["files"] == ["db/0002 attach.sql"]
    assert [f["severity"] for f in found["findings"]] == ["error"]
    (project / "partadvisor.toml").write_text('[review]\nselct = ["PA1"]\n')
    done = run("review", "db", cwd=project)
    assert done.returncode == 2
    assert "Did you mean select?" in done.stderr


def test_what_cannot_be_looked_into_is_said(project: Path) -> None:
    (project / "db" / "0003.sql").write_text(
        "SET lock_timeout = '2s';\nALTER TABEL x;\n\\i other.sql\n"
        "DO $$ BEGIN EXECUTE 'DROP TABLE ' || current_setting('my.table'); END $$;\n"
    )
    done = run("review", "db/0003.sql", cwd=project)
    assert "db/0003.sql:2:1" in done.stdout
    assert "another file is included" in done.stdout
    assert "put together at run time" in done.stdout
    assert "3 pieces not analysed" in done.stdout


def test_statements_inside_of_blocks_are_found_at_their_place(project: Path) -> None:
    (project / "db" / "0003.sql").write_text(
        "SET lock_timeout = '2s';\nDO $$\nBEGIN\n  " + ATTACH.rstrip() + "\nEND $$;\n"
        "DO $$ BEGIN EXECUTE format('ALTER TABLE orders ATTACH PARTITION %I DEFAULT', 'rest'); END $$;\n"
    )
    found = json.loads(run("review", "db/0003.sql", "--format", "json", cwd=project).stdout)
    place = [(f["line"], f["column"]) for f in found["findings"] if f["rule"] == "PA101"]
    assert place == [(4, 22)]
    assert [s["text"] for s in found["statements"]][-1] == "ALTER TABLE orders ATTACH PARTITION rest DEFAULT"


def test_schema_makes_findings_certain_and_quiet(project: Path) -> None:
    (project / "schema.sql").write_text(
        "CREATE TABLE orders (id bigint, placed date NOT NULL) PARTITION BY RANGE (placed);\n"
        "CREATE TABLE orders_2025 (id bigint, placed date NOT NULL);\n"
    )
    (finding,) = _findings(project, "--schema", "schema.sql")
    assert finding["confidence"] == "high"
    assert "CHECK (placed IS NOT NULL AND placed >= '2025-01-01'" in finding["recipe"]
    (project / "schema.sql").write_text(
        "CREATE TABLE orders (id bigint, placed date NOT NULL) PARTITION BY RANGE (placed);\n"
        "CREATE TABLE orders_2025 (id bigint, placed date NOT NULL,\n"
        "  CHECK (placed >= '2025-01-01' AND placed < '2026-01-01'));\n"
    )
    assert _findings(project, "--schema", "schema.sql") == []


def test_encodings(project: Path) -> None:
    (project / "db" / "0003.sql").write_bytes(b"\xef\xbb\xbf" + ATTACH.encode())
    (project / "db" / "0004.sql").write_bytes(("-- Jörg\n" + ATTACH).encode("latin-1"))
    (project / "db" / "0005.sql").write_bytes(ATTACH.encode("utf-16"))
    (project / "db" / "0006.sql").write_bytes(b"SELECT 'a\0b';\n" + ATTACH.encode())
    done = run("review", "db", "--format", "json", cwd=project)
    places = {(f["file"], f["line"]) for f in json.loads(done.stdout)["findings"] if f["rule"] == "PA101"}
    assert places >= {(f"db/000{n}.sql", line) for n, line in ((3, 1), (4, 2), (5, 1), (6, 2))}


def test_rules_lists_and_explains(tmp_path: Path) -> None:
    assert "PA101" in run("rules", cwd=tmp_path).stdout
    for name in ("PA101", "pa101", "attach-without-check"):
        text = run("rules", name, cwd=tmp_path).stdout
        assert "Why it hurts" in text
        assert "ATTACH PARTITION" in text
    entry = json.loads(run("rules", "PA101", "--format", "json", cwd=tmp_path).stdout)
    assert {"id", "slug", "title", "severity", "condition", "effect", "workaround", "bad", "good"} <= entry.keys()
    assert len(json.loads(run("rules", "--format", "json", cwd=tmp_path).stdout)) > 3
    done = run("rules", "PA1O1", cwd=tmp_path)
    assert done.returncode == 2
    assert "Did you mean" in done.stderr


def test_review_loads_nothing_heavy(project: Path) -> None:
    program = (
        "import sys, json\nfrom partadvisor.cli.main import main\n"
        "try:\n    main(['review', 'db'])\nexcept SystemExit as e:\n    assert not e.code, e.code\n"
        "print('LOADED', json.dumps(sorted({m.split('.')[0] for m in sys.modules})))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=project)
    loaded = set(json.loads(done.stdout.rsplit("LOADED", 1)[1]))
    assert loaded.isdisjoint({"psycopg", "sqlglot", "networkx", "textual", "numpy", "postgast", "rich", "google"})


FIXABLE = "SET lock_timeout = '2s';\nCREATE INDEX orders_placed ON orders (placed);\n"


def test_diff_shows_and_fix_writes(project: Path) -> None:
    path = project / "db" / "0003.sql"
    path.write_text(FIXABLE)
    shown = run("review", "db/0003.sql", "--diff", "--unsafe-fixes", "--fail-on", "never", cwd=project)
    assert "+CREATE INDEX CONCURRENTLY orders_placed ON orders (placed);" in shown.stderr
    assert path.read_text() == FIXABLE
    done = run("review", "db/0003.sql", "--fix", "--unsafe-fixes", "--fail-on", "never", cwd=project)
    assert path.read_text() == FIXABLE.replace("INDEX", "INDEX CONCURRENTLY")
    assert "1 repaired" in done.stderr
    assert "PA201" not in done.stdout


def test_fixes_that_overlap_are_made_one_at_a_time() -> None:
    from partadvisor.lint.fixes import fixed_text
    from partadvisor.model.ddl_parts import Span
    from partadvisor.model.finding import Edit, Finding, Fix

    def finding(*edits: tuple[int, int, str], safe: bool = True) -> Finding:
        fix = Fix(title="t", edits=tuple(Edit(span=Span(start=a, end=b), text=t) for a, b, t in edits), safe=safe)
        return Finding(
            rule="PA101", slug="s", severity="error", confidence="high", file="f", line=1, column=1, end_line=1,
            end_column=2, message="m", fingerprint="x", url="u", fix=fix,
        )  # fmt: skip

    text = "abcdef"
    assert fixed_text(text, [finding((0, 1, "X"), (5, 6, "Y")), finding((2, 2, "-"))]) == ("Xb-cdeY", 2)
    assert fixed_text(text, [finding((0, 3, "X")), finding((2, 4, "Y"))]) == ("Xdef", 1)
    assert fixed_text(text, [finding((0, 1, "X"), safe=False)]) == (text, 0)
    assert fixed_text(text, [finding((0, 1, "X"), safe=False)], unsafe=True) == ("Xbcdef", 1)


def test_snapshot_gives_versions_sizes_and_quiet(project: Path) -> None:
    from partadvisor.io.snapshot_file import write_snapshot
    from partadvisor.model.activity import TableDelta, Window
    from partadvisor.model.catalog import Column, PartitionKeyInfo, Relation
    from partadvisor.model.snapshot import ServerInfo, Snapshot

    placed = Column(name="placed", number=1, type="date", base_type="date", not_null=True)

    def snapshot(size: int, written: int) -> Path:
        key = PartitionKeyInfo(strategy="range", columns=("placed",), definition="RANGE (placed)")
        parent = Relation(
            oid=1, schema="public", name="orders", kind="partitioned_table", columns=(placed,), partition_key=key
        )
        child = Relation(oid=2, schema="public", name="orders_2025", kind="table", columns=(placed,), heap_bytes=size)
        deltas = (TableDelta(table="public.orders_2025", inserted=written),)
        path = project / "shop.json"
        write_snapshot(
            path,
            Snapshot(
                tool_version="0",
                taken_at="",
                server=ServerInfo(version="16.4", version_num=160004, database="shop"),
                relations=(parent, child),
                window=Window(seconds=10, interval_ms=100, started_at="", tables=deltas),
            ),
        )
        return path

    text = run("review", "db", "--snapshot", str(snapshot(50 << 30, 10)), cwd=project).stdout
    assert "during a scan of 50 GB (1 to 9 min)" in text
    assert "CHECK (placed IS NOT NULL AND placed >= '2025-01-01'" in text
    assert "(PostgreSQL 16)" in text
    quiet = run("review", "db", "--snapshot", str(snapshot(1 << 16, 0)), cwd=project).stdout
    assert "nothing found" in quiet
