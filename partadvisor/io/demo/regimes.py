"""The loads the demonstration can show: one that the extension lock limits, one that the processors limit."""

from __future__ import annotations

from string import Template

from partadvisor.model.base import Value

_COMMON = {
    "synchronous_commit": "off",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "30min",
    "track_io_timing": "on",
    "wal_level": "replica",
}


class Regime(Value, frozen=True, kw_only=True):
    """A load and the settings that make its limit the true one.

    ``why`` says in one line which settings were chosen and for what; ``values`` fill the ``${name}`` places of the
    schema and the script; ``disk_bytes`` is what a run may write.
    """

    name: str
    script: str
    why: str
    settings: dict[str, str]
    values: dict[str, int]
    disk_bytes: int

    def fill_in(self, text: str) -> str:
        """``text`` with its ``${name}`` places filled."""
        return Template(text).substitute({name: str(value) for name, value in self.values.items()})


REGIMES = {
    regime.name: regime
    for regime in (
        Regime(
            name="extension",
            script="extension.pgbench",
            why="20 lines of 1,850 bytes an order, pages half filled, 16 MB of shared buffers (so the server adds one "
            "page at a time), commits not flushed: the queue for the next page is the limit, not disk or processors",
            settings={**_COMMON, "shared_buffers": "16MB", "max_connections": "150"},
            values={"line_bytes": 1850, "fillfactor": 50, "old_orders": 4},
            disk_bytes=10_000_000_000,
        ),
        Regime(
            name="cpu",
            script="cpu.pgbench",
            why="20 lines of 20 bytes an order, 512 MB of shared buffers, a district's orders read after each: "
            "pages fill slowly and everything is in memory, so the processors are the limit",
            settings={**_COMMON, "shared_buffers": "512MB", "max_connections": "100", "wal_buffers": "16MB"},
            values={"line_bytes": 20, "fillfactor": 100, "old_orders": 40},
            disk_bytes=3_000_000_000,
        ),
    )
}
"""Regime name → regime. Settings and row sizes were measured on two cores, 64 clients, PostgreSQL 18.6."""
