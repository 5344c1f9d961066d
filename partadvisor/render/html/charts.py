"""The pictures of the reports, one function a picture; each returns an ``<svg>`` element."""

from __future__ import annotations

from collections.abc import Sequence

from partadvisor.advise import waits
from partadvisor.model.advice import Candidate, ClientPoint, CountPoint
from partadvisor.model.diagnosis import LatencySplit, LogTimeline, WaitShare
from partadvisor.model.proof import Compared
from partadvisor.render.html.drawing import ACCENT, GOOD, INK, MUTED, SERIES, SOFT, WARN, figure, styled, svg

_ROW = 0.34
_MARGIN = 0.75
_LABEL = 40
_LEAST_CHANGE = 0.05
"""Share of today's read cost that the picture shows at least, so that nothing looks like much."""


@styled
def wait_bars(shares: Sequence[WaitShare]) -> str:
    """Share of session time by class, with 95 % intervals."""
    rows = list(reversed(shares))
    made, axes = figure(_MARGIN + _ROW * len(rows))
    errors = [[100 * (w.share - w.low) for w in rows], [100 * (w.high - w.share) for w in rows]]
    names = [waits.label(w.wait_class) for w in rows]
    axes.barh(names, [100 * w.share for w in rows], color=ACCENT, height=0.62, xerr=errors, ecolor=INK, capsize=3)
    axes.set_xlabel("share of session time, % (whisker: 95 % interval)")
    axes.set_xlim(0, max(5.0, 104 * max(w.high for w in rows)))
    axes.grid(visible=False, axis="y")
    return svg(made, "waits", "Share of session time by wait class")


@styled
def latency_bar(split: LatencySplit) -> str:
    """The parts of the mean transaction, side by side."""
    made, axes = figure(1.5)
    start = 0.0
    for part, colour in zip(sorted(split.parts, key=lambda p: -p.ms), SERIES, strict=False):
        axes.barh([""], [part.ms], left=start, color=colour, height=0.5, label=f"{part.part} {part.ms:.3g} ms")
        start += part.ms
    axes.set_xlabel("milliseconds of a transaction")
    axes.set_xlim(0, split.transaction_ms)
    axes.grid(visible=False, axis="y")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, fontsize=8.5)
    return svg(made, "latency", "Where the time of a transaction goes")


@styled
def log_skyline(timeline: LogTimeline) -> str:
    """Sessions in a logged wait, over time."""
    made, axes = figure(2.2)
    places = range(len(timeline.buckets))
    axes.bar(places, [b.waiting for b in timeline.buckets], width=1.0, align="edge", color=ACCENT)
    shown = places[:: max(1, len(places) // 4)]
    axes.set_xticks(list(shown), [timeline.buckets[n].start for n in shown], fontsize=8.5)
    axes.set_ylabel("waiting sessions")
    axes.set_xlabel(f"time as the log shows it, {timeline.bucket_seconds:.0f} s a bar")
    axes.grid(visible=False, axis="x")
    return svg(made, "log", "Sessions in a logged wait for an extension lock over time")


@styled
def pareto(candidates: Sequence[Candidate], recommended: int | None, name: str) -> str:
    """Expected throughput against read cost: up and to the left is better."""
    made, axes = figure(3.4)
    for one in candidates:
        gain, colour = one.throughput_ratio, _candidate_colour(one, recommended)
        axes.errorbar(
            [one.read.cost_ratio], [gain.expected], yerr=[[gain.expected - gain.low], [gain.high - gain.expected]],
            fmt="o" if one.pareto else ".", color=colour, ecolor=colour, elinewidth=1, capsize=3,
        )  # fmt: skip
    for place, ranks in _labels(candidates).items():
        axes.annotate(ranks, place, textcoords="offset points", xytext=(7, 5), color=INK)
    costs = [one.read.cost_ratio for one in candidates]
    axes.set_xlim(min(*costs, 1 - _LEAST_CHANGE), max(*costs, 1.0) * (1 + _LEAST_CHANGE))
    axes.ticklabel_format(axis="x", useOffset=False)
    axes.axhline(1.0, color=MUTED, linewidth=0.8)
    axes.axvline(1.0, color=MUTED, linewidth=0.8)
    axes.set_xlabel("read cost, times today's")
    axes.set_ylabel("insert throughput, times today's")
    return svg(made, name, "Throughput against read cost of each candidate")


def _labels(candidates: Sequence[Candidate]) -> dict[tuple[float, float], str]:
    """The ranks to write at each place; candidates that fall together share a label."""
    found: dict[tuple[float, float], str] = {}
    for one in candidates:
        place = (round(one.read.cost_ratio, 2), round(one.throughput_ratio.expected, 1))
        found[place] = f"{found[place]}, {one.rank}" if place in found else str(one.rank)
    return found


def _candidate_colour(one: Candidate, recommended: int | None) -> str:
    if one.rank == recommended:
        return GOOD
    return ACCENT if one.feasible else WARN


@styled
def partition_fill(candidate: Candidate, name: str) -> str:
    """Share of the inserts that falls on each partition, largest first."""
    shares = sorted(candidate.write.shares, reverse=True)
    made, axes = figure(2.2)
    axes.bar(range(1, len(shares) + 1), [100 * s for s in shares], color=ACCENT, width=0.8)
    axes.axhline(100 / len(shares), color=WARN, linewidth=1, linestyle="--", label="even spread")
    axes.set_xlabel("partitions, fullest first")
    axes.set_ylabel("share of inserts, %")
    axes.set_xlim(0.4, len(shares) + 0.6)
    axes.grid(visible=False, axis="x")
    axes.legend(loc="upper right", fontsize=8.5)
    return svg(made, name, f"Share of inserts by partition of {candidate.scheme}")


@styled
def client_curve(points: Sequence[ClientPoint], name: str) -> str:
    """Throughput over clients, today and with the scheme."""
    made, axes = figure(3.0)
    clients = [p.clients for p in points]
    axes.plot(clients, [p.candidate for p in points], color=GOOD, marker="o", markersize=4, label="with the scheme")
    axes.plot(clients, [p.today for p in points], color=ACCENT, marker="o", markersize=4, label="today")
    axes.set_xscale("log", base=2)
    axes.set_xticks(clients, [str(n) for n in clients])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("concurrent clients")
    axes.set_ylabel("throughput, times today's")
    axes.legend(loc="upper left", fontsize=8.5)
    return svg(made, name, "Expected throughput over concurrent clients")


@styled
def count_curve(points: Sequence[CountPoint], name: str) -> str:
    """Throughput over the number of hash partitions, with its range."""
    made, axes = figure(2.6)
    counts, gains = [p.partitions for p in points], [p.throughput_ratio for p in points]
    axes.fill_between(counts, [g.low for g in gains], [g.high for g in gains], color=SOFT, linewidth=0, label="range")
    axes.plot(counts, [g.expected for g in gains], color=ACCENT, marker="o", markersize=4, label="expected")
    axes.set_xscale("log", base=2)
    axes.set_xticks(counts, [str(n) for n in counts])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("hash partitions")
    axes.set_ylabel("throughput, times today's")
    axes.legend(loc="lower right", fontsize=8.5)
    return svg(made, name, "Expected throughput over the number of partitions")


@styled
def predicted_and_measured(compared: Sequence[Compared]) -> str:
    """Each candidate's predicted range and the measured ratio with the range of its rounds."""
    rows = list(reversed(compared))
    made, axes = figure(_MARGIN + 0.7 * len(rows))
    places = range(len(rows))
    for place, one in zip(places, rows, strict=True):
        axes.plot([one.predicted.low, one.predicted.high], [place] * 2, color=SOFT, linewidth=12, solid_capstyle="butt")
        axes.plot([one.measured_low, one.measured_high], [place] * 2, color=INK, linewidth=1.2)
    expected = [one.predicted.expected for one in rows]
    axes.plot(expected, places, "|", color=ACCENT, markersize=14, markeredgewidth=2, label="predicted")
    axes.plot([o.measured for o in rows], places, "D", color=INK, markersize=6, label="measured")
    axes.axvline(1.0, color=MUTED, linewidth=0.8)
    axes.set_yticks(list(places), [_short(one.scheme) for one in rows])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlim(left=0)
    axes.set_xlabel("throughput, times the baseline (band: predicted range; line: range of the rounds)")
    axes.legend(loc="best", fontsize=8.5)
    axes.grid(visible=False, axis="y")
    return svg(made, "proof", "Predicted and measured throughput")


def _short(text: str) -> str:
    return text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"
