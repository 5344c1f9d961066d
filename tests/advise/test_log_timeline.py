"""Lines of a log put together: one wait is counted once, at the time it happened."""

import pytest

from partadvisor.advise.diagnose import diagnose
from partadvisor.advise.log_timeline import log_timeline
from partadvisor.model.activity import LogWait
from partadvisor.render.diagnosis_text import diagnosis_text
from tests.advise.snapshots import LINES, bare

PKEY = "public.order_line_pkey"


def line(
    at: str, wait_ms: float, *, pid: int = 7, ended: bool = False, queue: int = 0, relation: str = LINES
) -> LogWait:
    return LogWait(
        at=at, pid=pid, relation=relation, table=LINES, via="heap", wait_ms=wait_ms, ended=ended, queue=queue
    )


def test_still_waiting_and_acquired_are_one_wait() -> None:
    found = log_timeline(
        [
            line("2026-01-01 10:00:01.000 UTC", 1000.0, queue=75),
            line("2026-01-01 10:00:06.700 UTC", 6700.0, ended=True),
            line("2026-01-01 10:00:07.700 UTC", 1000.0),
        ]
    )
    assert found is not None
    assert found.waits == 2
    (relation,) = found.relations
    assert (relation.waits, relation.deepest_queue) == (2, 75)
    assert relation.longest_s == pytest.approx(6.7)
    assert relation.waited_s == pytest.approx(7.7)
    assert (relation.first, relation.last) == ("2026-01-01 10:00:00", "2026-01-01 10:00:07")


def test_sessions_are_counted_where_they_waited() -> None:
    lines = [line(f"2026-01-01 10:00:{10 + n:02}.000 UTC", 4000.0, pid=n, ended=True) for n in range(3)]
    found = log_timeline(lines)
    assert found is not None
    assert found.bucket_seconds == 1.0
    assert [round(b.waiting, 3) for b in found.buckets] == [1, 2, 3, 3, 2, 1, 0]
    assert sum(b.waiting for b in found.buckets) * found.bucket_seconds == pytest.approx(12.0)


@pytest.mark.parametrize(
    "at", ["2026-01-01 10:00:01.500 UTC", "2026-01-01T10:00:01,500Z", "1767261601.500", "2026-01-01 10:00:01 CET"]
)
def test_times_as_logs_print_them(at: str) -> None:
    found = log_timeline([line(at, 100.0, ended=True)])
    assert found is not None
    assert found.relations[0].last == "2026-01-01 10:00:01"


def test_days_are_cut_into_few_steps() -> None:
    lines = [line(f"2026-01-{day:02} 10:00:00.000 UTC", 2000.0, pid=day, ended=True) for day in range(1, 29)]
    found = log_timeline(lines)
    assert found is not None
    assert len(found.buckets) <= 57
    assert sum(b.waiting for b in found.buckets) * found.bucket_seconds == pytest.approx(56.0)


def test_relations_by_time_waited_and_lines_without_a_time() -> None:
    lines = [
        line("2026-01-01 10:00:01.000 UTC", 500.0, ended=True),
        line("2026-01-01 10:00:02.000 UTC", 900.0, pid=8, ended=True, relation=PKEY),
        line("", 900.0),
    ]
    found = log_timeline(lines)
    assert found is not None
    assert [r.relation for r in found.relations] == [PKEY, LINES]
    assert log_timeline([line("", 900.0)]) is None
    assert log_timeline([]) is None


@pytest.mark.parametrize("width", [60, 100])
def test_the_page_shows_when(width: int) -> None:
    lines = tuple(
        line(f"2026-01-01 10:{n // 60:02}:{n % 60:02}.000 UTC", 1500.0, pid=n, ended=True, queue=3) for n in range(90)
    )
    text = diagnosis_text(diagnose(bare(log=lines)), width=width, colour=False)
    flat = " ".join(text.split())
    assert "What the log shows: 90 waits longer than deadlock_timeout" in flat
    assert f"{LINES}: 90 waits, 135 s in all, the longest 1.5 s, up to 3 in the queue" in flat
    assert "█" in text
    assert max(map(len, text.splitlines())) <= width
