"""Each verdict from a load with known shares, and none of them where a simpler reading would be wrong."""

from typing import get_args

import pytest

from partadvisor.advise.diagnose import diagnose
from partadvisor.advise.table_waits import Via
from partadvisor.model.activity import IoDelta, TableDelta
from partadvisor.model.diagnosis import Diagnosis, Verdict
from partadvisor.model.snapshot import Snapshot
from tests.advise.snapshots import LINES, bare, bursty, log_line, observed, samples, told

# millisecond shares of the storage benchmark: reads 19, WAL 11, locks and scheduling 5, CPU 2 of 37
STORAGE = {"IO:DataFileRead": 19 / 37, "IO:WalSync": 11 / 37, "Lock:extend": 5 / 37}
# the lock talk: 75 of 128 sessions queued, 35 % CPU
TALK = {"Lock:extend": 75 / 128}
ONE_PAGE = IoDelta(extend_ops=10_000, extend_bytes=81_920_000)
BULK = IoDelta(extend_ops=1_000, extend_bytes=286_720_000)

CASES: dict[Verdict, Snapshot] = {
    "extension": observed({"Lock:extend": 0.6}, cpu=0.5),
    "storage_reads": observed(STORAGE, cpu=0.06),
    "wal": observed({"IO:WalSync": 0.5, "LWLock:WALWrite": 0.2, "Lock:extend": 0.05}, cpu=0.3),
    "row_locks": observed({"Lock:transactionid": 0.4, "Lock:tuple": 0.2, "Lock:extend": 0.1}, cpu=0.3),
    "index_leaf": observed({"LWLock:BufferContent": 0.5, "Lock:extend": 0.1}, cpu=0.4),
    "lock_manager": observed({"LWLock:LockManager": 0.4, "Lock:extend": 0.1}, cpu=0.6),
    "cpu": observed({"Lock:extend": 0.5}, cpu=0.95, io=BULK),
    "client": observed({"idle in transaction": 0.7}, cpu=0.2),
    "none": observed({"Lock:extend": 0.03, "IO:DataFileRead": 0.05}, cpu=0.3),
    "insufficient": bare(),
}


def test_there_is_a_case_for_every_verdict() -> None:
    assert set(CASES) == set(get_args(Verdict))


@pytest.mark.parametrize("verdict", CASES)
def test_verdict(verdict: Verdict) -> None:
    found = diagnose(CASES[verdict])
    assert found.verdict == verdict
    assert found.advice
    assert found.reason.endswith(".")
    assert (found.confidence > 0.8) == (verdict != "insufficient")


def test_shares_are_of_session_time_and_within_their_interval() -> None:
    found = diagnose(observed({"Lock:extend": 0.6, "idle in transaction": 0.1}, cpu=0.5))
    by_class = {w.wait_class: w for w in found.waits}
    assert by_class["extend"].low < 0.6 < by_class["extend"].high
    assert by_class["client"].share == pytest.approx(0.1, abs=0.01)
    assert sum(w.share for w in found.waits) == pytest.approx(1.0)
    assert by_class["extend"].sessions == pytest.approx(38.4, abs=1)
    assert by_class["extend"].events == {"Lock:extend": pytest.approx(38.4, abs=1)}
    assert found.active_sessions == pytest.approx(57.6, abs=1)


def test_a_bursty_load_has_wide_intervals_and_few_effective_samples() -> None:
    found = diagnose(observed(cpu=0.4, drawn=bursty(10, 30, 400, 0.8, 0.05, seed=5)))
    extend = next(w for w in found.waits if w.wait_class == "extend")
    assert found.effective_samples < 100
    assert extend.low < 0.05 + 0.75 / 4 < extend.high
    assert extend.high - extend.low > 0.08


class TestStorage:
    """The published storage benchmark: 64 clients, 36.9 ms a transaction."""

    def test_it_is_not_told_to_partition(self) -> None:
        found = diagnose(observed(STORAGE, cpu=0.06))
        assert found.verdict == "storage_reads"
        assert "at most 1.1" in found.reason
        assert any("Partitioning changes neither" in text for text in found.advice)
        assert not any("ANY 1" in text for text in found.advice)  # the setting is not in the snapshot

    def test_its_advice_uses_the_servers_numbers(self) -> None:
        io = IoDelta(reads=60_000, read_ms=660_000)
        settings = {"synchronous_standby_names": "", "shared_buffers": "16GB"}
        text = " ".join(diagnose(observed(STORAGE, cpu=0.06, io=io, settings=settings)).advice)
        assert "3,000 reads/s at 11.00 ms" in text
        assert "now empty" in text
        assert "16GB" in text

    def test_what_faster_storage_would_buy(self) -> None:
        limit = diagnose(observed(STORAGE, cpu=0.06)).gain_limit
        assert limit is not None
        assert limit.expected == pytest.approx(1 / (1 - 19 / 37), rel=0.1)
        assert limit.next_bottleneck == "wal"


class TestTwoCores:
    """64 clients on 2 cores: the queue is there in both, the gain in one."""

    def test_a_full_cpu_with_a_long_queue_is_cpu(self) -> None:
        found = diagnose(observed({"Lock:extend": 0.5}, cpu=0.94, cores=2, io=BULK))
        assert found.verdict == "cpu"
        assert found.gain_limit is not None
        assert found.gain_limit.low < 1 < found.gain_limit.high < 1.4
        assert found.gain_limit.next_bottleneck == "cpu"

    def test_spare_cpu_with_the_same_queue_is_extension(self) -> None:
        found = diagnose(observed({"Lock:extend": 0.9}, cpu=0.73, cores=2, io=ONE_PAGE))
        assert found.verdict == "extension"
        assert found.gain_limit is not None
        assert 1.3 < found.gain_limit.expected < 1.7
        assert found.gain_limit.next_bottleneck == "cpu"

    def test_near_the_limit_the_verdict_is_less_sure(self) -> None:
        far, near = (diagnose(observed({"Lock:extend": 0.5}, cpu=u, cores=2, io=BULK)) for u in (0.70, 0.84))
        assert (far.verdict, near.verdict) == ("extension", "extension")
        assert near.confidence < 0.8 < far.confidence

    def test_sessions_without_a_wait_event_do_not_show_the_cpu(self) -> None:
        unknown = diagnose(observed({"Lock:extend": 0.99}, cpu=None, cores=2))
        assert unknown.verdict == "extension"
        assert unknown.confidence < 0.8
        assert any("CPU" in text for text in unknown.missing)
        assert any("CPU" in text for text in unknown.assumptions)
        known = diagnose(observed({"Lock:extend": 0.99}, cpu=0.7, cores=2))
        assert unknown.gain_limit is not None
        assert known.gain_limit is not None
        assert unknown.gain_limit.low < known.gain_limit.low
        assert unknown.gain_limit.high > known.gain_limit.high

    def test_more_runnable_sessions_than_cores_are_a_full_cpu(self) -> None:
        assert diagnose(observed({"Lock:extend": 0.3}, cpu=None, cores=16)).verdict == "cpu"


class TestLockAtWork:
    """64 clients on 2 busy cores, measured: the lock's own work tells a queue that limits from a symptom."""

    def test_a_lock_that_extends_all_the_time_limits_beside_a_busy_cpu(self) -> None:
        # 16 MB of shared_buffers, wide rows: CPU 0.93 busy, ten partitions measured 1.8 times
        working = IoDelta(extend_ops=10_000, extend_bytes=81_920_000, extend_ms=14_600)
        found = diagnose(observed({"Lock:extend": 0.86}, cpu=0.93, cores=2, io=working))
        assert found.verdict == "extension"
        assert found.gain_limit is not None
        assert found.gain_limit.expected > 1.2
        assert found.gain_limit.high > 1.7

    def test_a_lock_whose_holders_wait_for_a_core_does_not(self) -> None:
        # 64 MB of shared_buffers: CPU 0.99 busy, ten partitions measured 0.9 to 1.2 times
        starved = IoDelta(extend_ops=1_000, extend_bytes=90_112_000, extend_ms=3_140)
        assert diagnose(observed({"Lock:extend": 0.86}, cpu=0.99, cores=2, io=starved)).verdict == "cpu"

    def test_the_same_without_timing_is_cpu(self) -> None:
        assert diagnose(observed({"Lock:extend": 0.86}, cpu=0.93, cores=2, io=ONE_PAGE)).verdict == "cpu"


class TestTables:
    def test_index_and_toast_are_folded_to_their_table(self) -> None:
        queue: dict[str, tuple[str, Via, float]] = {
            "public.order_line_pkey": (LINES, "index", 0.7),
            "pg_toast.pg_toast_100": (LINES, "toast", 0.1),
            "public.orders": ("public.orders", "heap", 0.2),
        }
        found = diagnose(observed(cpu=0.5, drawn=samples({"Lock:extend": 0.6}, relations=queue)))
        first, second = found.tables
        assert (first.table, first.via, first.relation) == (LINES, "index", "public.order_line_pkey")
        assert first.extension_share == pytest.approx(0.48, abs=0.03)
        assert second.extension_share == pytest.approx(0.12, abs=0.03)
        assert "an index of public.order_line" in found.reason
        assert any("splits the index too" in text for text in found.advice)

    def test_rates_of_growth_are_per_second(self) -> None:
        delta = TableDelta(table=LINES, inserted=200_000, heap_bytes=40_960_000, index_bytes=8_192_000)
        table = diagnose(observed({"Lock:extend": 0.6}, cpu=0.5, tables=(delta,))).tables[0]
        assert table.inserts_per_second == 10_000
        assert table.pages_per_second == 300
        assert table.lock_busy == 1.0

    def test_pages_per_extension_are_counted_by_version(self) -> None:
        assert diagnose(observed({}, io=BULK)).pages_per_extension == 35
        assert diagnose(observed({}, io=BULK, version=170004)).pages_per_extension is None

    def test_a_cache_too_small_for_bulk_extension_is_named(self) -> None:
        settings = {"shared_buffers": "16MB", "max_connections": "150"}
        found = diagnose(observed({"Lock:extend": 0.9}, cpu=0.7, io=ONE_PAGE, settings=settings))
        assert any("shared_buffers = 16MB" in text for text in found.advice)

    def test_a_queue_without_a_relation_is_said(self) -> None:
        found = diagnose(observed(cpu=0.5, drawn=samples({"Lock:extend": 0.6}, relations={LINES: (LINES, "heap", 0)})))
        assert found.verdict == "extension"
        assert any("relation the sessions queue for" in text for text in found.missing)


class TestWithoutSamples:
    def test_the_talks_numbers_told_by_the_user(self) -> None:
        found = diagnose(told(TALK, cpu=0.35))
        assert (found.verdict, found.samples) == ("extension", 0)
        assert 0.4 < found.confidence < 0.7
        assert found.gain_limit is not None
        # 75 direct waiters allow 2.4 times; the talk's own 35 % CPU allow no more than about 3
        assert found.gain_limit.expected == pytest.approx(2.4, abs=0.05)
        assert found.gain_limit.high < 4
        assert any("nobody sampled" in text for text in found.assumptions)
        wait = next(w for w in found.waits if w.wait_class == "extend")
        assert wait.low == pytest.approx(75 / 128 - 0.15)
        assert wait.high == pytest.approx(75 / 128 + 0.15)
        assert found.tables[0].table == LINES
        assert found.tables[0].inserts_per_second == 12_000

    def test_a_told_index_is_folded_to_its_table(self) -> None:
        table = diagnose(told(TALK, relation="public.order_line_pkey")).tables[0]
        assert (table.table, table.via) == (LINES, "index")

    def test_a_told_full_cpu_is_cpu(self) -> None:
        assert diagnose(told({"Lock:extend": 0.9}, cpu=0.95)).verdict == "cpu"

    def test_a_log_alone_names_the_relation_but_is_unsure(self) -> None:
        lines = (*(log_line(1000 + i, queue=30) for i in range(10)), log_line(1000, table="public.orders"))
        found = diagnose(bare(log=lines))
        assert found.verdict == "extension"
        assert found.confidence < 0.5
        assert found.tables[0].table == LINES
        assert "11 waits" in found.reason
        assert found.gain_limit is None
        assert any("collect DSN" in text for text in found.advice)

    def test_a_log_beside_an_idle_window_still_counts(self) -> None:
        idle = samples({}, sessions=0)
        assert diagnose(observed(drawn=idle, log=(log_line(6700, queue=75),))).verdict == "extension"
        assert diagnose(observed(drawn=idle)).verdict == "insufficient"

    def test_nothing_says_what_to_run(self) -> None:
        found = diagnose(bare())
        assert found.confidence == 0
        assert any("partadvisor collect" in text for text in found.advice)
        assert found.gain_limit is None

    def test_ten_samples_are_not_enough(self) -> None:
        found = diagnose(observed(cpu=0.5, drawn=samples({"Lock:extend": 0.9}, n=10)))
        assert found.verdict == "insufficient"
        assert "10 samples" in found.reason


class TestSameAnswer:
    """What must not change the verdict."""

    def test_the_names_of_the_relations(self) -> None:
        queue: dict[str, tuple[str, Via, float]] = {"b.t": ("b.t", "heap", 1.0)}
        renamed = diagnose(observed(cpu=0.5, drawn=samples({"Lock:extend": 0.6}, relations=queue)))
        plain = diagnose(observed(cpu=0.5, drawn=samples({"Lock:extend": 0.6})))
        assert (renamed.verdict, renamed.gain_limit) == (plain.verdict, plain.gain_limit)

    def test_the_rates(self) -> None:
        slow, fast = (diagnose(observed({"Lock:extend": 0.6}, cpu=0.5, transactions=n)) for n in (2_000, 200_000))
        assert (slow.verdict, slow.gain_limit) == (fast.verdict, fast.gain_limit)

    def test_the_spelling_of_an_older_version(self) -> None:
        old = {"IO:DataFileRead": 0.5, "LWLock:WALWriteLock": 0.3}
        new = {"IO:DataFileRead": 0.5, "LWLock:WALWrite": 0.3}
        assert verdict_of(observed(old, version=120022)) == verdict_of(observed(new)) == "storage_reads"


def verdict_of(snapshot: Snapshot) -> Verdict:
    found: Diagnosis = diagnose(snapshot)
    return found.verdict
