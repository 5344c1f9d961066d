"""Limits and constants by name; the numbers and where they come from are in ``rules/thresholds.toml``."""

from __future__ import annotations

from typing import Literal

from partadvisor.pg import knowledge


def threshold(name: str, end: Literal["low", "value", "high"] = "value") -> float:
    """The number called ``section.name``; ``end`` picks an end of its range where it has one.

    Raises:
        KeyError: there is no such threshold, or it has no range.
    """
    section, _, key = name.partition(".")
    return float(knowledge.load("thresholds.toml")[section][key][end])
