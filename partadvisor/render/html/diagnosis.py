"""A diagnosis as a page, and as the first part of the advice's page."""

from __future__ import annotations

from typing import Any

from partadvisor.advise import waits
from partadvisor.model.diagnosis import Diagnosis, LatencySplit, LogRelation, TableWait, WaitShare
from partadvisor.render.diagnosis_text import TITLES, TO_PARTITION, seen
from partadvisor.render.html import charts
from partadvisor.render.html.page import drawn, page
from partadvisor.render.latency_text import milliseconds
from partadvisor.render.style import percent, quantity

_EVENTS = 3


def diagnosis_html(d: Diagnosis) -> str:
    """One self-contained file."""
    return page(
        "diagnosis.html",
        f"{TITLES[d.verdict]} · diagnosis",
        d=diagnosis_values(d),
        assumptions=d.assumptions,
        missing=d.missing,
    )


def diagnosis_values(d: Diagnosis) -> dict[str, Any]:
    """What the template's ``diagnosis`` part shows."""
    gain = d.gain_limit
    return {
        "verdict": d.verdict,
        "confidence": percent(d.confidence) if d.verdict != "insufficient" else "",
        "tone": "bad" if d.verdict in TO_PARTITION else "good" if d.verdict == "none" else "warn",
        "title": TITLES[d.verdict],
        "reason": d.reason,
        "seen": f"{seen(d)}.",
        "wait_picture": drawn(charts.wait_bars(d.waits)) if d.waits else None,
        "wait_source": "Source: sampled pg_stat_activity; intervals allow for neighbouring samples being alike."
        if d.samples
        else "Source: shares told or logged, not sampled.",
        "wait_rows": [_wait_row(w) for w in d.waits],
        **_latency(d.latency),
        "log_picture": drawn(charts.log_skyline(d.log)) if d.log else None,
        "log_rows": [_log_row(r) for r in d.log.relations] if d.log else [],
        "table_rows": [_table_row(t) for t in d.tables],
        "gain": gain
        and {
            "expected": f"{gain.expected:.2f}",
            "low": f"{gain.low:.2f}",
            "high": f"{gain.high:.2f}",
            "next": waits.queue_name(gain.next_bottleneck),
        },
        "advice": d.advice,
    }


def _wait_row(w: WaitShare) -> tuple[str, ...]:
    events = ", ".join(f"{name} {quantity(mean)}" for name, mean in list(w.events.items())[:_EVENTS])
    between = f"{percent(w.low)} to {percent(w.high)}"
    return waits.label(w.wait_class), percent(w.share), between, quantity(w.sessions), events


def _latency(split: LatencySplit | None) -> dict[str, Any]:
    if split is None:
        return {"latency_picture": None}
    return {
        "latency_picture": drawn(charts.latency_bar(split)),
        "transaction": milliseconds(split.transaction_ms),
        "latency_rows": [
            (
                p.part,
                milliseconds(p.ms),
                f"{milliseconds(p.low)} to {milliseconds(p.high)}",
                "" if p.counter_ms is None else milliseconds(p.counter_ms),
                p.counter,
            )
            for p in sorted(split.parts, key=lambda p: -p.ms)
        ],
        "latency_notes": split.notes,
    }


def _log_row(r: LogRelation) -> tuple[str, ...]:
    longest, queue = f"{r.longest_s:.1f} s", str(r.deepest_queue or "")
    return r.relation, r.table, quantity(r.waits), f"{quantity(r.waited_s)} s", longest, queue, r.first, r.last


def _table_row(t: TableWait) -> tuple[str, ...]:
    return (
        t.table,
        percent(t.extension_share),
        "" if t.relation is None else f"{t.via} {t.relation}" if t.relation != t.table else "table",
        "" if t.lock_busy is None else percent(t.lock_busy),
        "" if t.inserts_per_second is None else quantity(t.inserts_per_second),
        "" if t.pages_per_second is None else quantity(t.pages_per_second),
    )
