"""A proof from start to end on a scratch server: what it builds, measures and says."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import psycopg
import pytest

from partadvisor.io.collect.run import CollectOptions, collect
from partadvisor.io.prove.options import ProveOptions
from partadvisor.io.prove.run import prove
from partadvisor.io.server import Server
from partadvisor.model.activity import StatementDelta
from partadvisor.model.errors import UsageError
from partadvisor.model.proof import ProveReport
from partadvisor.model.snapshot import Snapshot, Statements
from partadvisor.render.prove_text import prove_text

SCHEMES = ["hash(tenant) into 4", "range(id) from 1000, hash(tenant) into 2"]
STATEMENTS = {
    "add": ("INSERT INTO app.event (tenant, kind, body) VALUES ($1, $2, $3), ($4, $5, $6)", 90.0),
    "newest": ("SELECT * FROM app.event WHERE tenant = $1 ORDER BY at DESC LIMIT $2", 9.0),
    "elsewhere": ("SELECT * FROM app.tenant t JOIN gone.away g USING (id) JOIN app.event e ON e.tenant = t.id", 1.0),
}


@pytest.fixture(scope="module")
def snapshot(server: Server, make_db: Callable[[Server], str]) -> Snapshot:
    dsn = make_db(server)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("""
            CREATE SCHEMA app;
            CREATE TABLE app.tenant (id int PRIMARY KEY, name text);
            CREATE TABLE app.event (
                id bigint GENERATED ALWAYS AS IDENTITY, tenant int NOT NULL REFERENCES app.tenant, kind text,
                body text CHECK (length(body) < 4000), at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (id, tenant));
            CREATE INDEX ON app.event (tenant, at);
            INSERT INTO app.tenant SELECT i, 'tenant ' || i FROM generate_series(1, 20) i;
            INSERT INTO app.event (tenant, kind, body, at)
                SELECT 1 + i % 20, 'k' || i % 3, repeat('b', 100), now() - i * interval '1 s'
                FROM generate_series(1, 5000) i;
            ANALYZE""")
    entries = tuple(
        StatementDelta(query_id=name, name=name, text=text, calls=calls, rows=calls * 2)
        for name, (text, calls) in STATEMENTS.items()
    )
    found = collect(dsn, CollectOptions(duration=0))
    return msgspec.structs.replace(
        found, statements=(Statements(source="pg_stat_statements", seconds=1.0, entries=entries),)
    )


@pytest.fixture(scope="module")
def report(snapshot: Snapshot) -> ProveReport:
    said: list[tuple[str, float | None]] = []
    options = ProveOptions(clients=4, seconds=2.4, rounds=2, rows=2000)
    found = prove(snapshot, "app.event", SCHEMES, options, progress=lambda what, share: said.append((what, share)))
    shares = [share for what, share in said if share is not None and what.startswith("round")]
    assert shares == sorted(shares)
    assert any(what == "filling app.event of baseline" for what, _ in said)
    return found


def test_every_variant_is_measured(report: ProveReport) -> None:
    assert [(run.name, run.scheme) for run in report.runs] == [("baseline", None), *((s, s) for s in SCHEMES)]
    for run in report.runs:
        assert run.tps > 50
        assert 0 < run.p50 <= run.p95 <= run.p99
        assert sum(w.share for w in run.waits) == pytest.approx(1.0, abs=0.01)
        assert run.extends_per_second is not None
        assert run.extends_per_second > 0
        assert len(report.rounds[run.name]) == 2
    assert report.rows == 2000


def test_predicted_stands_beside_measured(report: ProveReport) -> None:
    assert [one.scheme for one in report.compared] == SCHEMES
    for one in report.compared:
        rounds = sorted(b / a for a, b in zip(report.rounds["baseline"], report.rounds[one.scheme], strict=True))
        assert (one.measured_low, one.measured_high) == (rounds[0], rounds[1])
        assert one.measured == pytest.approx(sum(rounds) / 2)
        assert one.inside == (one.predicted.low <= one.measured <= one.predicted.high)


def test_what_is_not_the_users_load_is_said(report: ProveReport) -> None:
    assert [s.name for s in report.not_replayed] == ["elsewhere"]
    assert "gone.away" in report.not_replayed[0].reason
    assert report.statements == 2
    assert report.replayed_share == pytest.approx(0.99)
    said = " ".join(report.assumptions)
    assert "app.event without 1 foreign key, 1 check." in said
    assert "2,000 rows made up" in said


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_page_fits_and_holds_the_numbers(report: ProveReport, width: int) -> None:
    text = prove_text(report, width=width, colour=False)
    assert max(map(len, text.splitlines())) <= width
    flat = " ".join(text.split())
    for one in report.compared:
        assert f"measured {one.measured:.2f} ({one.measured_low:.2f} to {one.measured_high:.2f})" in flat
    assert "◆" in text
    assert "elsewhere (1.0 % of the calls)" in flat


def test_without_statements_there_is_nothing_to_replay(snapshot: Snapshot) -> None:
    options = ProveOptions(clients=1)
    bare = msgspec.structs.replace(snapshot, statements=())
    with pytest.raises(UsageError, match=r"no statement of the workload uses table app\.event") as caught:
        prove(bare, "app.event", SCHEMES, options, progress=lambda *_: None)
    assert "--queries" in (caught.value.hint or "")
