"""The throughput model against textbook results, published numbers and what must hold for any network."""

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partadvisor.advise.diagnose import diagnose
from partadvisor.advise.queueing import apportion, bounds, grouped, roaming, sticky
from partadvisor.advise.throughput import Calibration, calibrate, curve, predict
from partadvisor.model.activity import IoDelta
from partadvisor.model.diagnosis import GainLimit
from partadvisor.model.snapshot import Snapshot
from tests.advise.snapshots import LINES, bare, log_line, observed, told

# 50 warehouse ids, int4, routed by PostgreSQL's hash into 10 partitions: the largest gets 7 of 50
TEN = (7, 7, 6, 6, 5, 5, 5, 4, 3, 2)
WAREHOUSES = tuple(n / 50 for n in TEN)
ONE_PAGE = IoDelta(extend_ops=10_000, extend_bytes=81_920_000)
BULK = IoDelta(extend_ops=1_000, extend_bytes=286_720_000)


def calibrated(snapshot: Snapshot) -> Calibration:
    return calibrate(snapshot, diagnose(snapshot), LINES)


def crowded(cpu: float | None, share: float = 0.9, io: IoDelta | None = ONE_PAGE, cores: int = 2) -> Calibration:
    return calibrated(observed({"Lock:extend": share}, cpu=cpu, cores=cores, io=io))


def ordered(gain: GainLimit) -> bool:
    return gain.low <= gain.expected <= gain.high


class TestNetwork:
    def test_two_equal_servers_without_delay(self) -> None:
        # textbook: X(N) = N / ((N + 1) D) for two equal servers
        throughput, queues = roaming(10, 0.0, [1.0, 1.0])
        assert throughput == pytest.approx(10 / 11)
        assert queues == [pytest.approx(5.0), pytest.approx(5.0)]

    def test_machine_repairman(self) -> None:
        # one server, delay Z, N clients: Erlang's formula X = (1 - p0) / D
        clients, delay, demand = 5, 10.0, 2.0
        weights = [1.0]
        for k in range(1, clients + 1):
            weights.append(weights[-1] * (clients - k + 1) * demand / delay)
        expected = (1 - 1 / sum(weights)) / demand
        assert roaming(clients, delay, [demand])[0] == pytest.approx(expected)

    def test_ten_partitions_are_not_ten_times(self) -> None:
        """A lock-only network: 1 / largest share = 7.1 bounds roaming clients; clients tied to a key get more."""
        gain = roaming(128, 0.0, WAREHOUSES)[0] / roaming(128, 0.0, [1.0])[0]
        assert 6.5 < gain <= 1 / 0.14
        assert gain < sticky(128, 0.0, 1.0, WAREHOUSES) <= 10

    def test_measured_lock_networks(self) -> None:
        """Advisory locks on a real server, 2 ms hold, calibrated with one lock only: 6.9 and 9.9 times measured."""
        demand, delay = 2.17, 4.13
        one = roaming(128, delay, [demand])[0]
        assert roaming(128, delay, [demand * p for p in WAREHOUSES])[0] / one == pytest.approx(6.9, rel=0.1)
        assert sticky(128, delay, demand, WAREHOUSES) / one == pytest.approx(9.9, rel=0.1)

    @given(
        clients=st.integers(1, 60),
        delay=st.floats(0.0, 50),
        demand=st.floats(0.01, 5),
        weights=st.lists(st.floats(0.01, 1), min_size=1, max_size=12),
    )
    @settings(max_examples=60, deadline=None)
    def test_within_the_bounds_and_rising_with_clients(
        self, clients: int, delay: float, demand: float, weights: list[float]
    ) -> None:
        shares = [w / sum(weights) for w in weights]
        at, more = (roaming(n, delay, [demand * p for p in shares])[0] for n in (clients, clients + 1))
        assert at <= bounds(clients, delay, demand, max(shares)) * (1 + 1e-9)
        assert more >= at * (1 - 1e-9)
        assert at >= roaming(clients, delay, [demand])[0] * (1 - 1e-9)

    def test_clients_are_whole(self) -> None:
        assert apportion(10, [0.5, 0.25, 0.25]) in ([5, 3, 2], [5, 2, 3])
        assert sum(apportion(7, [1, 1, 1])) == 7

    def test_grouping_keeps_the_largest_and_the_sum(self) -> None:
        shares = [0.2, 0.19, 0.18, 0.18, 0.1, 0.09, 0.06, 0.0]
        groups = grouped(shares)
        assert groups[0] == (0.2, 1)
        assert sum(share * count for share, count in groups) == pytest.approx(1.0)
        assert sum(count for _, count in groups) == 7
        assert grouped([0.25] * 4) == [(0.25, 4)]


class TestPrediction:
    def test_spare_cpu_and_a_long_queue_gain_what_the_cpu_leaves(self) -> None:
        """Two cores, 64 clients, 90 % in Lock:extend, CPU 0.65 to 0.81 busy: 1.4 to 1.8 times were measured."""
        gains = [predict(crowded(cpu), WAREHOUSES, 64, 1.0) for cpu in (0.65, 0.73, 0.81)]
        assert all(ordered(g) and g.next_bottleneck == "cpu" for g in gains)
        assert gains[0].expected > gains[1].expected > gains[2].expected
        assert 1.3 < gains[1].expected < 1.7
        assert gains[0].expected < 1.9

    def test_a_full_cpu_gains_nothing_and_may_lose(self) -> None:
        """CPU 0.88 to 0.99 busy with bulk extension at work: 0.77 to 0.82 times were measured."""
        gain = predict(crowded(0.95, share=0.5, io=BULK), WAREHOUSES, 64, 1.0)
        assert gain.low < 0.9 < gain.expected < 1.1

    def test_a_key_of_the_newest_rows_moves_the_queue(self) -> None:
        for shares in ((1.0,), (0.0, 0.0, 1.0)):
            gain = predict(crowded(0.7), shares, 64, 1.0)
            assert 0.95 <= gain.low <= gain.expected <= gain.high <= 1.05
            assert gain.expected == pytest.approx(1.0, abs=0.01)
            assert gain.next_bottleneck == "extension"

    def test_statements_scattered_over_partitions_lose_on_a_full_cpu(self) -> None:
        full = crowded(0.95, share=0.5, io=BULK)
        together, scattered = (predict(full, WAREHOUSES, 64, m) for m in (1.0, 8.6))
        assert scattered.expected < 0.95 * together.expected
        assert scattered.expected < 0.95

    def test_scattering_costs_with_spare_cpu_too(self) -> None:
        together, scattered = (predict(crowded(0.7), WAREHOUSES, 64, m).expected for m in (1.0, 8.6))
        assert scattered < 0.95 * together

    def test_never_more_than_the_largest_share_allows(self) -> None:
        idle_cpu = calibrated(told({"Lock:extend": 0.95}, cpu=0.02, clients=128))
        gain = predict(idle_cpu, WAREHOUSES, 128, 1.0)
        assert ordered(gain)
        assert 4 < gain.expected < gain.high <= 1 / 0.14

    def test_the_talks_own_figures_do_not_allow_7_times(self) -> None:
        snapshot = told({"Lock:extend": 75 / 128}, cpu=0.35)
        gain = predict(calibrated(snapshot), WAREHOUSES, 128, 1.0)
        assert 1.5 < gain.expected < 3
        assert gain.high < 4.2

    def test_a_short_queue_gains_little(self) -> None:
        storage = {"IO:DataFileRead": 19 / 37, "IO:WalSync": 11 / 37, "Lock:extend": 5 / 37}
        gain = predict(calibrated(observed(storage, cpu=0.06)), WAREHOUSES, 64, 1.0)
        assert gain.expected < 1.16
        assert gain.next_bottleneck == "storage_reads"

    def test_a_leaf_queue_splits_with_the_table(self) -> None:
        gain = predict(calibrated(observed({"LWLock:BufferContent": 0.7}, cpu=0.4)), WAREHOUSES, 64, 1.0)
        assert gain.low < 1.1
        assert gain.expected > 1.5

    def test_the_queue_of_another_table_stays(self) -> None:
        snapshot = observed({"Lock:extend": 0.9}, cpu=0.5)
        other = calibrate(snapshot, diagnose(snapshot), "public.orders")
        assert predict(other, WAREHOUSES, 64, 1.0).expected == pytest.approx(1.0, abs=0.03)

    def test_unknown_cpu_widens_the_range(self) -> None:
        known, unknown = (predict(crowded(cpu), WAREHOUSES, 64, 1.0) for cpu in (0.7, None))
        assert unknown.low < known.low
        assert unknown.high > known.high

    def test_without_any_waits_nothing_is_promised(self) -> None:
        gain = predict(calibrated(bare()), WAREHOUSES, 64, 1.0)
        assert gain.expected == pytest.approx(1.0, abs=0.02)
        assert gain.high > 2

    def test_from_log_lines_only(self) -> None:
        gain = predict(calibrated(bare(log=(log_line(6700, queue=75),))), WAREHOUSES, 128, 1.0)
        assert ordered(gain)
        assert gain.high > 2

    def test_older_servers_lose_their_bulk_extension_as_well(self) -> None:
        old = calibrated(observed({"Lock:extend": 0.9}, cpu=0.2, version=140000))
        assert old.value.pages > 100
        assert old.high.pages == 1
        assert predict(old, WAREHOUSES, 64, 1.0).expected < predict(crowded(0.2), WAREHOUSES, 64, 1.0).expected


class TestMetamorphic:
    @pytest.mark.parametrize("clients", [8, 64, 128])
    def test_today_is_one(self, clients: int) -> None:
        _, today, same = curve(crowded(0.7), (1.0,), [clients])[0]
        assert today == same
        if clients == 64:
            assert today == pytest.approx(1.0, abs=0.03)

    def test_more_equal_partitions_never_gain_less(self) -> None:
        calibration = crowded(0.3, cores=16)
        gains = [predict(calibration, (1 / n,) * n, 64, 1.0).expected for n in (1, 2, 4, 8, 16, 32)]
        assert gains == sorted(gains)
        assert gains[2] / gains[1] > gains[5] / gains[4]  # diminishing returns

    def test_a_longer_queue_never_gains_less(self) -> None:
        gains = [predict(crowded(0.4, share=s), WAREHOUSES, 64, 1.0).expected for s in (0.0, 0.2, 0.4, 0.6, 0.8, 0.95)]
        assert gains == sorted(gains)
        assert gains[0] == pytest.approx(1.0, abs=0.02)

    def test_the_order_of_the_partitions_does_not_matter(self) -> None:
        calibration = crowded(0.7)
        assert predict(calibration, WAREHOUSES, 64, 1.0) == predict(calibration, WAREHOUSES[::-1], 64, 1.0)

    def test_shares_need_not_be_normalised(self) -> None:
        calibration = crowded(0.7)
        assert predict(calibration, TEN, 64, 1.0) == predict(calibration, WAREHOUSES, 64, 1.0)

    def test_clients_bring_more_up_to_a_knee(self) -> None:
        rows = curve(crowded(0.3, cores=16), WAREHOUSES, [4, 16, 64, 128])
        assert all(after[1] >= before[1] and after[2] >= before[2] for before, after in itertools.pairwise(rows))
        assert rows[3][1] / rows[2][1] < 1.02  # the one lock is full today
        assert rows[2][2] > 1.5 * rows[2][1]

    def test_a_candidate_takes_about_a_millisecond(self) -> None:
        calibration = crowded(0.7)
        predict(calibration, WAREHOUSES, 128, 1.0)
        best = float("inf")
        for i in range(20):
            start = time.process_time()
            predict(calibration, WAREHOUSES, 128, 1.0 + i * 1e-9)
            best = min(best, time.process_time() - start)
        assert best < 0.004  # 0.5 ms on an idle machine
