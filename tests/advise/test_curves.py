"""The curves of the chosen scheme: they pass through the numbers of the advice, and have the shape of queues."""

from __future__ import annotations

import pytest

from partadvisor.advise.advise import advise
from partadvisor.advise.curves import knee
from partadvisor.model.advice import Candidate, ClientPoint, TableAdvice
from partadvisor.model.snapshot import Snapshot
from partadvisor.render.advice_text import advice_text
from tests.advise.builders import snapshot, window
from tests.advise.tpcc import order_lines, tpcc_table


@pytest.fixture(scope="module")
def table() -> TableAdvice:
    (found,) = advise(hot()).tables
    return found


def hot() -> Snapshot:
    """Most sessions in the queue, and a CPU with room."""
    lines = tpcc_table("order_line")
    return snapshot(lines, seen=window(lines, busy=0.1), rows=[order_lines(lines)])


def chosen(table: TableAdvice) -> Candidate:
    return next(c for c in table.candidates if c.rank == table.recommended)


def test_the_count_curve_passes_through_the_choice(table: TableAdvice) -> None:
    own = next(p for p in table.counts if p.partitions == chosen(table).partitions)
    assert own.throughput_ratio == chosen(table).throughput_ratio
    assert own.max_share == chosen(table).write.max_share
    assert own.cost_ratio == chosen(table).read.cost_ratio


def test_more_partitions_gain_less_and_less(table: TableAdvice) -> None:
    counts = [p.partitions for p in table.counts]
    assert counts == sorted(counts)
    assert counts[0] == 2
    assert counts[-1] >= 64
    gains = [p.throughput_ratio.expected for p in table.counts]
    assert gains[-1] - gains[-2] < 0.05 * gains[-1] < gains[1] - gains[0]


def test_the_client_curve_is_today_at_todays_clients(table: TableAdvice) -> None:
    now = next(p for p in table.clients if p.today == pytest.approx(1.0, abs=0.01))
    assert now.candidate == pytest.approx(chosen(table).throughput_ratio.expected, rel=0.02)
    assert table.clients[0].clients == 1
    assert table.clients[-1].clients >= 4 * now.clients
    assert all(p.candidate >= 0.95 * p.today for p in table.clients)
    last, before = table.clients[-1], table.clients[-2]
    assert last.today < 1.05 * before.today  # a queue that is full gives no more


def test_the_scheme_is_beyond_todays_top_at_its_own_knee(table: TableAdvice) -> None:
    today, candidate = knee(table.clients, today=True), knee(table.clients, today=False)
    assert today is not None
    assert candidate is not None
    assert next(p.candidate for p in table.clients if p.clients == candidate) > max(p.today for p in table.clients)


def test_a_curve_that_rises_to_its_end_has_no_knee() -> None:
    points = tuple(ClientPoint(clients=n, today=float(n), candidate=1.0) for n in (1, 2, 4, 8))
    assert knee(points, today=True) is None
    assert knee(points, today=False) == 1


def test_both_are_in_the_text(table: TableAdvice) -> None:
    text = " ".join(advice_text(advise(hot())).split())
    gain = chosen(table).throughput_ratio.expected
    assert f"*{chosen(table).partitions}: {gain:.2f}x" in text
    assert "today more than" in text
