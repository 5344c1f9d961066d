"""The parts of a transaction: they add up, they are compared with counters, and a contradiction is said."""

import msgspec
import pytest

from partadvisor.advise.diagnose import diagnose
from partadvisor.model.activity import IoDelta, WalDelta
from partadvisor.model.diagnosis import LatencySplit
from partadvisor.model.snapshot import Snapshot
from partadvisor.render.diagnosis_text import diagnosis_text
from tests.advise.snapshots import bare, observed

# the storage benchmark: 64 clients, 1,734 transactions/s; reads 19 ms, WAL 11, locks and scheduler 5, CPU 2 of 36.9
SLOW = {"IO:DataFileRead": 19 / 37, "IO:WalSync": 11 / 37, "LWLock:BufferContent": 5 / 37}
RATE, CLIENTS, CORES = 1734, 64, 16


def split(snapshot: Snapshot) -> LatencySplit:
    found = diagnose(snapshot).latency
    assert found is not None
    return found


def at_rate(snapshot: Snapshot, rate: float) -> Snapshot:
    assert snapshot.window is not None
    window = msgspec.structs.replace(snapshot.window, transactions=round(rate * snapshot.window.seconds), rollbacks=0)
    return msgspec.structs.replace(snapshot, window=window)


def test_the_published_split_comes_back() -> None:
    found = split(at_rate(observed(SLOW, cpu=0.066), RATE))
    assert found.transaction_ms == pytest.approx(1000 * CLIENTS / RATE, rel=0.001)
    assert sum(part.ms for part in found.parts) == pytest.approx(found.transaction_ms)
    by_name = {part.part: part for part in found.parts}
    expected = {"page reads and writes": 19, "WAL flush": 11, "other locks and scheduling": 5, "CPU or runnable": 2}
    for name, ms in expected.items():
        assert by_name[name].low < ms < by_name[name].high


def test_its_cpu_is_less_than_the_time_without_a_wait_event() -> None:
    """251 CPU seconds in 240 s at 1,734 transactions/s are 0.6 ms, not the 2 ms that were called CPU."""
    found = split(at_rate(observed(SLOW, cpu=251 / 240 / CORES), RATE))
    cpu = next(part for part in found.parts if part.part == "CPU or runnable")
    assert cpu.counter_ms == pytest.approx(0.603, abs=0.005)
    assert any("only 0.6 ms were CPU time" in note for note in found.notes)
    assert any("the rest is time the server does not name" in note for note in found.notes)


def test_a_full_cpu_says_that_sessions_wait_for_a_core() -> None:
    found = split(at_rate(observed({"Lock:extend": 0.1}, cpu=0.97), 2000))
    assert any("sessions waited for a core" in note for note in found.notes)


def test_counters_stand_beside_their_part_and_agreement_says_nothing() -> None:
    seconds = 20.0
    reads = IoDelta(reads=100_000, read_ms=19.0 * RATE * seconds, extend_ops=10, extend_ms=0.1 * RATE * seconds)
    snapshot = observed({**SLOW, "Lock:extend": 0.01}, cpu=2.0 * RATE / 1000 / CORES, io=reads)
    assert snapshot.window is not None
    window = msgspec.structs.replace(
        snapshot.window, seconds=seconds, wal=WalDelta(syncs=1000, sync_ms=4.0 * RATE * seconds)
    )
    found = split(at_rate(msgspec.structs.replace(snapshot, window=window), RATE))
    by_name = {part.part: part.counter_ms for part in found.parts}
    assert by_name["page reads and writes"] == pytest.approx(19.0, rel=0.01)
    assert by_name["WAL flush"] == pytest.approx(4.0, rel=0.01)
    assert by_name["relation extension"] == pytest.approx(0.1, rel=0.01)
    assert by_name["other locks and scheduling"] is None
    assert found.notes == ()


def test_reads_nobody_was_seen_waiting_for() -> None:
    reads = IoDelta(reads=100_000, read_ms=10.0 * RATE * 20)
    found = split(at_rate(observed({"Lock:extend": 0.5}, cpu=0.2, io=reads), RATE))
    assert any("reads too short to be seen" in note for note in found.notes)


def test_without_samples_or_a_rate_there_is_no_split() -> None:
    assert diagnose(bare()).latency is None
    assert diagnose(at_rate(observed(SLOW, cpu=0.1), 0)).latency is None


@pytest.mark.parametrize("width", [60, 80, 140])
def test_the_bar_is_full_and_the_page_fits(width: int) -> None:
    text = diagnosis_text(diagnose(at_rate(observed(SLOW, cpu=0.0653), RATE)), width=width, colour=False)
    lines = text.splitlines()
    title = lines.index("A transaction takes 36.9 ms on average")
    drawn = lines[title + 1].strip()
    assert len(drawn) == min(72, width - 2)
    assert drawn.count("█") == pytest.approx(19 / 37 * len(drawn), abs=3)
    assert max(len(line) for line in lines) <= width
