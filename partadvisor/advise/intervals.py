"""How sure a sampled share is: intervals that know that one sample resembles the next.

The unit is the sample, not the session. Queues come and go in episodes, so neighbouring samples tell nearly the
same; taking every session of every sample as an observation makes intervals that hold the truth in one case of ten.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

_CUT = 0.05  # autocorrelations below it are noise: stop adding them up
_Z = 1.959964  # 97.5 % quantile of the normal distribution


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A share 0..1 with its 95 % interval and the number of independent samples it is worth."""

    share: float
    low: float
    high: float
    effective: float


def effective_samples(series: Sequence[float]) -> float:
    """N ÷ (1 + 2 Σ autocorrelations until they fall below 0.05), at most n.

    The result is corrected for the mean being estimated from the same series, which hides a part of slow movement.
    """
    import numpy as np

    values = np.asarray(series, dtype=float)
    n = len(values)
    if n < 3:
        return float(n)
    centred = values - values.mean()
    variance = float(centred @ centred)
    if variance <= 1e-12 * max(1.0, float(values @ values)):
        return float(n)
    stretch = 1.0
    for lag in range(1, n // 3 + 1):
        correlation = float(centred[:-lag] @ centred[lag:]) / variance
        if correlation < _CUT:
            break
        stretch += 2 * correlation
    stretch /= 1 - min(stretch / n, 0.5)
    return max(min(n / stretch, float(n)), 1.0)


def share_estimate(parts: Sequence[float], totals: Sequence[float]) -> Estimate:
    """Share Σparts ÷ Σtotals of sampled session counts, sample by sample in order.

    A ratio of means: its error is that of ``part - share x total``. The interval is Wilson's for as many independent
    yes-or-no observations as would have that error, with Student's quantile, so it never leaves 0..1 and leans
    towards the middle when episodes are few.
    """
    n, total = len(parts), float(sum(totals))
    if n == 0 or total <= 0:
        return Estimate(share=0.0, low=0.0, high=1.0, effective=0.0)
    share = min(1.0, sum(parts) / total)
    mean_total = total / n
    residuals = [(part - share * whole) / mean_total for part, whole in zip(parts, totals, strict=True)]
    effective = effective_samples(residuals)
    if effective < 2:
        return Estimate(share=share, low=0.0, high=1.0, effective=effective)
    variance = sum(r * r for r in residuals) / (n - 1) / max(effective - 1, 1.0)
    quantile = student_quantile(effective - 1)
    if variance <= 0 or share in (0.0, 1.0):
        trials = effective * max(mean_total, 1.0)
    else:
        trials = share * (1 - share) / variance
    low, high = _wilson(share, trials, quantile)
    return Estimate(share=share, low=low, high=high, effective=effective)


def student_quantile(degrees: float) -> float:
    """97.5 % quantile of Student's t (Cornish-Fisher series, within 4 % from 2 degrees of freedom on)."""
    d = max(degrees, 1.5)
    first = (_Z**3 + _Z) / 4
    second = (5 * _Z**5 + 16 * _Z**3 + 3 * _Z) / 96
    third = (3 * _Z**7 + 19 * _Z**5 + 17 * _Z**3 - 15 * _Z) / 384
    return _Z + first / d + second / d**2 + third / d**3


def _wilson(share: float, trials: float, quantile: float) -> tuple[float, float]:
    square = quantile * quantile / trials
    centre = (share + square / 2) / (1 + square)
    half = math.sqrt(share * (1 - share) * square + square * square / 4) / (1 + square)
    return max(0.0, centre - half), min(1.0, centre + half)


def more_samples(estimate: Estimate, half_width: float) -> int:
    """How many times as long one has to sample for an interval of ± ``half_width``, rounded up."""
    now = (estimate.high - estimate.low) / 2
    return max(1, math.ceil((now / half_width) ** 2))


def certainty(value: float, limit: float, low: float, high: float) -> float:
    """Chance, 0.5..1, that the truth is on the same side of ``limit`` as ``value``, given its 95 % interval."""
    side = (value - low) if value > limit else (high - value)
    error = max(side / _Z, 1e-9)
    return 0.5 * (1 + math.erf(abs(value - limit) / error / math.sqrt(2)))
