"""How long and how large a proof is."""

from __future__ import annotations

from pathlib import Path

import msgspec

BASELINE = "baseline"
"""Name of the variant that is the table as it is."""


class ProveOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How long and how large. ``seconds`` is measured time for each variant, in ``rounds`` turns."""

    clients: int
    seconds: float = 20.0
    rounds: int = 3
    rows: int = 200_000
    pg_bin: Path | None = None
