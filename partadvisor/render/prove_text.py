"""A proof for people: the variants side by side, then predicted against measured on one scale."""

from __future__ import annotations

from partadvisor.advise import waits
from partadvisor.model.diagnosis import GainLimit
from partadvisor.model.proof import Compared, ProveReport
from partadvisor.model.run import Run
from partadvisor.render.diagnosis_text import TITLES
from partadvisor.render.style import Style, bar, pad, percent, quantity, visible_length, wrapped

_WAITS = 3
_SCALE = 40


def prove_text(report: ProveReport, *, width: int, colour: bool) -> str:
    """The whole page, lines of at most ``width`` characters (from 60 on), ending in a newline."""
    style, width = Style(colour), max(width, 60)
    skipped = [f"{s.name} ({percent(s.calls_share)} of the calls): {s.reason}" for s in report.not_replayed]
    parts = [
        _head(report, style, width),
        _runs(report, style, width),
        _compared(report, style, width),
        _listed("Not replayed", skipped, style, width),
        _listed("Taken for granted", list(report.assumptions), style, width),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _head(report: ProveReport, style: Style, width: int) -> list[str]:
    title = style.bold(f"Proof for {report.table}")
    elsewhere = _limited_elsewhere(report)
    limit = wrapped(limit_text(report), width)
    return [title, *wrapped(conditions(report), width), *(map(style.yellow, limit) if elsewhere else limit)]


def conditions(report: ProveReport) -> str:
    """What was run, in a sentence."""
    rounds = len(next(iter(report.rounds.values()), ()))
    return (
        f"PostgreSQL {report.server_version} on a scratch server, {report.clients} clients, {report.rows:,} rows, "
        f"{report.seconds:.0f} s a variant in {rounds} turns; {report.statements} statements stand for "
        f"{percent(report.replayed_share)} of the table's calls."
    )


def limit_text(report: ProveReport) -> str:
    """What limits the scratch server: a proof about another queue than the user's says little about that one."""
    here = f"On this machine: {TITLES[report.limit]} ({report.limit})."
    if not _limited_elsewhere(report):
        return here
    return f"{here} On the snapshot's server it is {report.your_limit}: what that queue costs does not show here."


def _limited_elsewhere(report: ProveReport) -> bool:
    return report.your_limit not in (None, "insufficient", report.limit)


def _runs(report: ProveReport, style: Style, width: int) -> list[str]:
    most = max((run.tps for run in report.runs), default=1.0) or 1.0
    bar_width = max(8, min(30, width - 50))
    lines = [style.bold("Measured")]
    for run in report.runs:
        drawn = style.cyan(bar(run.tps / most, bar_width))
        rate = f"{quantity(run.tps)} statements/s"
        times = f"p50 {run.p50:.1f}  p95 {run.p95:.1f}  p99 {run.p99:.1f} ms"
        lines += [f"  {run.name}", *_beside(drawn, rate, times, width)]
        lines += [style.dim(line) for line in wrapped(", ".join(largest_waits(run)), width, first="    ")]
    return lines


def _beside(drawn: str, rate: str, times: str, width: int) -> list[str]:
    row = f"    {drawn} {pad(rate, 19, right=True)}"
    if visible_length(row) + 2 + len(times) <= width:
        return [f"{row}  {times}"]
    return [row, f"    {times}"]


def largest_waits(run: Run) -> list[str]:
    """The largest waits with their shares, and the rate of extensions."""
    named = [f"{_event(w.wait_class)} {percent(w.share)}" for w in run.waits[:_WAITS] if w.share > 0]
    if run.extends_per_second is not None:
        named.append(f"{quantity(run.extends_per_second)} extensions/s")
    return named


def _event(event: str) -> str:
    return "CPU or runnable" if event == "CPU" else event


def _compared(report: ProveReport, style: Style, width: int) -> list[str]:
    if not report.compared:
        return []
    top = 1.1 * max(max(c.predicted.high, c.measured_high, 1.0) for c in report.compared)
    title = "Throughput, times the baseline: predicted ├●┤ before the candidate ran, measured ◆"
    lines = [style.bold(line) for line in wrapped(title, width)]
    for one in report.compared:
        lines += [
            f"  {one.scheme}",
            f"    {style.cyan(_scale(one, top, min(_SCALE, width - 36)))} {_verdict(one, style)}",
        ]
        lines += [style.dim(line) for line in wrapped(_numbers(one), width, first="    ")]
    return lines


def _scale(one: Compared, top: float, width: int) -> str:
    def place(value: float) -> int:
        return min(width - 1, max(0, round(value / top * (width - 1))))

    drawn = ["·"] * width
    low, high = place(one.predicted.low), place(one.predicted.high)
    drawn[low : high + 1] = "─" * (high - low + 1)
    drawn[low], drawn[high] = "├", "┤"
    drawn[place(1.0)] = "│"
    drawn[place(one.predicted.expected)] = "●"
    drawn[place(one.measured)] = "◆"
    return "".join(drawn)


def _verdict(one: Compared, style: Style) -> str:
    if one.inside:
        return style.green(f"{one.measured:.2f}, as predicted")
    return style.yellow(f"{one.measured:.2f}, outside the prediction")


def _numbers(one: Compared) -> str:
    text = (
        f"predicted {_range(one.predicted)}, then the next limit is {waits.queue_name(one.predicted.next_bottleneck)}; "
        f"measured {one.measured:.2f} ({one.measured_low:.2f} to {one.measured_high:.2f})"
    )
    return f"{text}; on the snapshot's server {_range(one.yours)}" if one.yours else text


def _range(gain: GainLimit) -> str:
    return f"{gain.expected:.2f} ({gain.low:.2f} to {gain.high:.2f})"


def _listed(title: str, items: list[str], style: Style, width: int) -> list[str]:
    if not items:
        return []
    return [style.bold(title), *(line for item in items for line in wrapped(item, width, first="  · "))]
