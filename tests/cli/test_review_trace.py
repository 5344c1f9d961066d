"""``partadvisor review --trace`` as its user meets it."""

import json
from pathlib import Path

import pytest

from tests.cli.test_review import run

SCHEMA = """
CREATE ROLE app;
CREATE TABLE orders (id int, placed date NOT NULL) PARTITION BY RANGE (placed);
CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
CREATE TABLE orders_new (LIKE orders);
CREATE TABLE price (id int, amount int);
CREATE TABLE price_new (id int, amount bigint);
GRANT SELECT ON price TO app;
"""
SCRIPT = """SET lock_timeout = '2s';
CREATE TABLE orders_26 PARTITION OF orders FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
BEGIN;
ALTER TABLE price RENAME TO price_old;
ALTER TABLE price_new RENAME TO price;
COMMIT;
DO $$ BEGIN EXECUTE format('DROP TABLE %I', 'orders' || '_new'); END $$;
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "schema.sql").write_text(SCHEMA)
    (tmp_path / "m.sql").write_text(SCRIPT)
    return tmp_path


def test_shows_what_the_server_did_and_where_review_was_blind(project: Path) -> None:
    done = run("review", "m.sql", "--schema", "schema.sql", "--trace", "--fail-on", "never", cwd=project)
    assert done.returncode == 0, done.stderr
    traced = done.stdout.partition("Traced on a scratch server")[2]
    text = " ".join(traced.split())
    assert "locks public.orders ACCESS EXCLUSIVE, public.orders_rest ACCESS EXCLUSIVE" in text
    assert "reads all public.orders_rest" in text
    assert "loses SELECT on public.price for app" in text
    assert "differs public.orders_new: review says nothing, the server took ACCESS EXCLUSIVE" in text
    assert "1 difference between review and server." in text


def test_json_has_the_trace(project: Path) -> None:
    done = run(
        "review", "m.sql", "--schema", "schema.sql", "--trace", "--fail-on", "never", "--format", "json", cwd=project
    )
    trace = json.loads(done.stdout)["trace"]
    assert [s["line"] for s in trace["statements"]] == [1, 2, 3, 4, 5, 6, 7]
    assert trace["statements"][4]["lost_privileges"] == [
        {"relation": "public.price", "privilege": "SELECT", "role": "app"}
    ]


def test_without_a_schema_it_says_so(project: Path) -> None:
    (project / "m.sql").write_text("CREATE TABLE t (id int);\nALTER TABLE nowhere ADD COLUMN a int;\n")
    done = run("review", "m.sql", "--trace", "--fail-on", "never", cwd=project)
    text = " ".join(done.stdout.split())
    assert "nothing was there before the scripts" in text
    assert 'failed relation "nowhere" does not exist' in text
