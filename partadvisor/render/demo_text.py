"""The demonstration's closing table: before and after, what was lost, how the migration went."""

from __future__ import annotations

from partadvisor.model.run import DemoReport, Run
from partadvisor.render.style import Style, pad, percent

_LABEL, _CELL = 34, 16


def before_after_text(report: DemoReport, *, colour: bool) -> str:
    """The table of a run; without a migration it has only the first column."""
    style = Style(colour)
    runs = [run for run in (report.before, report.after) if run is not None]
    lines = [
        style.bold(_line("", [run.name for run in runs])),
        _line("throughput, orders/s", [f"{run.tps:,.0f}" for run in runs]) + _gain(runs, style),
        _line("latency p50, ms", [f"{run.p50:,.1f}" for run in runs]),
        _line("latency p95, ms", [f"{run.p95:,.1f}" for run in runs]),
        _line("sessions waiting in Lock:extend", [percent(extend_share(run)) for run in runs]),
        _line("largest wait", [_largest(run) for run in runs]),
        "",
        *_ledger(report, style),
        *_migration(report),
    ]
    return "\n".join(lines) + "\n"


def extend_share(run: Run) -> float:
    """Share of active session time in ``Lock:extend``, 0..1."""
    return next((wait.share for wait in run.waits if wait.wait_class == "Lock:extend"), 0.0)


def _line(label: str, cells: list[str]) -> str:
    return pad(label, _LABEL) + "".join(pad(cell, _CELL, right=True) for cell in cells)


def _gain(runs: list[Run], style: Style) -> str:
    if len(runs) < 2:
        return ""
    return "   " + style.bold(f"{runs[1].tps / runs[0].tps:.2f} times")


def _largest(run: Run) -> str:
    if not run.waits:
        return "none"
    largest = max(run.waits, key=lambda wait: wait.share)
    return largest.wait_class.removeprefix("LWLock:").removeprefix("Lock:")


def _ledger(report: DemoReport, style: Style) -> list[str]:
    clean = not report.lost_rows and not report.duplicated_rows
    text = f"rows lost {report.lost_rows}, duplicated {report.duplicated_rows}"
    painted = style.green(text) if clean else style.red(text)
    return [painted + style.dim(", by what each order's own transaction wrote down")]


def _migration(report: DemoReport) -> list[str]:
    outcome = report.migration
    if outcome is None:
        return []
    done = f"{outcome.rows_copied:,} rows copied in {outcome.seconds:.0f} s"
    return [f"{outcome.strategy} to {outcome.scheme}: {done}, longest block {outcome.longest_block_ms:,.0f} ms"]
