"""What a snapshot holds, in a few lines, and what it lacks."""

from __future__ import annotations

from partadvisor.model.snapshot import Snapshot
from partadvisor.render.query_text import field
from partadvisor.render.style import Style, quantity


def snapshot_text(snapshot: Snapshot, *, width: int, colour: bool) -> str:
    """Lines of about ``width`` columns, ending in a newline."""
    style, server, window = Style(colour), snapshot.server, snapshot.window
    tables = sum(r.kind in ("table", "partitioned_table") and r.parent is None for r in snapshot.relations)
    lines = field("server", f"PostgreSQL {server.version}, database {server.database}", width, style)
    lines += field("taken", snapshot.taken_at.partition(".")[0], width, style)
    lines += field("relations", f"{tables:,} tables of {len(snapshot.relations):,} relations", width, style)
    watched = "not watched: catalog and statistics only"
    if window is not None:
        watched = f"{window.seconds:.0f} s, {len(window.samples):,} looks at the sessions"
        watched += f", {quantity(window.transactions / window.seconds)} transactions/s" if window.seconds else ""
    elif snapshot.assumed is not None:
        watched = "not watched: the load was told"
    lines += field("watched", watched, width, style)
    statements = sum(len(s.entries) for s in snapshot.statements)
    lines += field("statements", f"{statements:,}" if statements else "none", width, style)
    rows = ", ".join(f"{r.table} {len(r.rows):,}" for r in snapshot.recent_rows)
    lines += field("recent rows", rows or "none", width, style)
    lines += field("values", "redacted: hashes and ranks only" if snapshot.redacted else "", width, style)
    for number, text in enumerate(snapshot.missing):
        lines += field("missing" if number == 0 else "", text, width, style)
    return "\n".join(lines) + "\n"
