"""The curves of the chosen scheme in words: where more partitions stop paying, where more clients do."""

from __future__ import annotations

from partadvisor.advise.curves import knee
from partadvisor.model.advice import Candidate, CountPoint, TableAdvice
from partadvisor.render.query_text import field
from partadvisor.render.style import Style


def curve_lines(table: TableAdvice, chosen: Candidate, width: int, style: Style) -> list[str]:
    """A line for the counts, one for the clients."""
    lines = field("counts", "  ".join(_count(point, chosen) for point in table.counts), width, style)
    return lines + field("clients", clients_text(table), width, style)


def _count(point: CountPoint, chosen: Candidate) -> str:
    mark = "*" if point.partitions == _hash_partitions(chosen) else ""
    return f"{mark}{point.partitions}: {point.throughput_ratio.expected:.2f}x"


def _hash_partitions(chosen: Candidate) -> int:
    return int(chosen.scheme.rpartition("into ")[2]) if "into " in chosen.scheme else chosen.partitions


def clients_text(table: TableAdvice) -> str:
    """Where throughput stops rising with more clients, today and with the scheme."""
    if not table.clients:
        return ""
    now, then = knee(table.clients, today=True), knee(table.clients, today=False)
    most = table.clients[-1].clients
    best = max(table.clients, key=lambda p: p.candidate)
    gain = f"{best.candidate:.1f} times today's throughput with {best.clients}"
    today = f"today more than {now} gain nothing" if now else f"today more clients still gain at {most}"
    after = f"more than {then} gain nothing ({gain})" if then else f"{gain}, still rising"
    return f"{today}; with the scheme {after}"
