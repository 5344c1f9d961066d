"""A proof as a page."""

from __future__ import annotations

from partadvisor.model.diagnosis import GainLimit
from partadvisor.model.proof import Compared, ProveReport
from partadvisor.model.run import Run
from partadvisor.render.html import charts
from partadvisor.render.html.page import drawn, page
from partadvisor.render.prove_text import conditions, largest_waits, limit_text
from partadvisor.render.style import percent, quantity


def prove_html(report: ProveReport) -> str:
    """One self-contained file."""
    inside = [one.inside for one in report.compared]
    return page(
        "prove.html",
        f"{report.table} · proof",
        tone="good" if all(inside) else "warn",
        heading=f"{report.table}: {sum(inside)} of {len(inside)} candidates as predicted",
        conditions=conditions(report),
        limit=limit_text(report),
        picture=drawn(charts.predicted_and_measured(report.compared)),
        compared=[_compared(one) for one in report.compared],
        runs=[_run(run) for run in report.runs],
        skipped=[f"{s.name} ({percent(s.calls_share)} of the calls): {s.reason}" for s in report.not_replayed],
        assumptions=report.assumptions,
    )


def _compared(one: Compared) -> tuple[str, ...]:
    return (
        one.scheme,
        f"{one.predicted.expected:.2f}",
        _between(one.predicted.low, one.predicted.high),
        f"{one.measured:.2f}",
        _between(one.measured_low, one.measured_high),
        "yes" if one.inside else "no",
        _yours(one.yours),
    )


def _between(low: float, high: float) -> str:
    return f"{low:.2f} to {high:.2f}"


def _yours(gain: GainLimit | None) -> str:
    return "" if gain is None else f"{gain.expected:.2f} ({_between(gain.low, gain.high)})"


def _run(run: Run) -> tuple[str, ...]:
    extends = "" if run.extends_per_second is None else quantity(run.extends_per_second)
    times = (f"{run.p50:.1f}", f"{run.p95:.1f}", f"{run.p99:.1f}")
    return (run.name, quantity(run.tps), *times, extends, ", ".join(largest_waits(run)))
