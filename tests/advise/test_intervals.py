"""Intervals are right when they hold the truth as often as they say, bursts or not."""

import random

import pytest

from partadvisor.advise.intervals import certainty, effective_samples, more_samples, share_estimate, student_quantile

Series = tuple[list[float], list[float]]


def _waits(rng: random.Random, on: float, off: float, n: int, sessions: int = 64) -> Series:
    """Samples of how many of 64 sessions wait, in episodes of on/off samples mean length; truth by construction."""
    inside = rng.random() < (on / (on + off) if on else 0)
    parts = []
    for _ in range(n):
        if on and rng.random() < 1 / (on if inside else off):
            inside = not inside
        share = 0.65 if inside else 0.05
        mean, spread = sessions * share, (sessions * share * (1 - share)) ** 0.5
        parts.append(min(sessions, max(0, round(rng.gauss(mean, spread)))))
    return [float(p) for p in parts], [float(sessions)] * n


@pytest.mark.parametrize(("on", "off", "n"), [(0, 0, 300), (2, 2, 300), (5, 15, 300), (10, 10, 400), (2, 6, 150)])
def test_the_95_percent_interval_holds_the_truth_in_at_least_90_percent(on: int, off: int, n: int) -> None:
    rng = random.Random(2024)
    truth = 0.05 + 0.60 * on / (on + off) if on else 0.05
    repetitions = 200
    held = sum(e.low <= truth <= e.high for e in (share_estimate(*_waits(rng, on, off, n)) for _ in range(repetitions)))
    assert held / repetitions >= 0.90


def test_intervals_that_ignore_episodes_would_be_far_too_narrow() -> None:
    estimate = share_estimate(*_waits(random.Random(1), 5, 15, 300))
    assert estimate.effective < 100
    naive = 1.96 * (estimate.share * (1 - estimate.share) / (300 * 64)) ** 0.5
    assert (estimate.high - estimate.low) / 2 > 5 * naive


def test_independent_samples_are_worth_their_number() -> None:
    rng = random.Random(3)
    assert effective_samples([rng.random() for _ in range(400)]) > 300


def test_a_constant_series_has_no_width_but_zero_is_never_certain() -> None:
    constant = share_estimate([32.0] * 100, [64.0] * 100)
    assert constant.share == 0.5
    assert constant.high - constant.low < 0.05
    never = share_estimate([0.0] * 100, [10.0] * 100)
    assert never.low == 0
    assert 0 < never.high < 0.01


@pytest.mark.parametrize(("parts", "totals"), [([], []), ([0.0, 0.0], [0.0, 0.0]), ([3.0], [4.0])])
def test_hardly_any_samples_say_nothing(parts: list[float], totals: list[float]) -> None:
    estimate = share_estimate(parts, totals)
    assert (estimate.low, estimate.high) == (0.0, 1.0)


@pytest.mark.parametrize(("degrees", "expected"), [(2, 4.303), (5, 2.571), (20, 2.086), (1000, 1.962)])
def test_student_quantiles(degrees: int, expected: float) -> None:
    assert student_quantile(degrees) == pytest.approx(expected, rel=0.04)


def test_half_the_width_takes_four_times_the_samples() -> None:
    estimate = share_estimate(*_waits(random.Random(4), 5, 15, 300))
    half = (estimate.high - estimate.low) / 2
    assert more_samples(estimate, half / 2) == pytest.approx(4, abs=1)


def test_certainty_is_one_half_at_the_limit_and_grows_with_the_distance() -> None:
    assert certainty(0.5, 0.5, 0.4, 0.6) == pytest.approx(0.5)
    assert certainty(0.6, 0.5, 0.5, 0.7) == pytest.approx(0.975, abs=0.01)
    assert certainty(0.4, 0.5, 0.3, 0.5) == pytest.approx(0.975, abs=0.01)
