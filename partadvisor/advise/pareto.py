"""Schemes that no other feasible scheme beats in everything: gain, read cost, number of leaves, migration."""

from __future__ import annotations

from collections.abc import Sequence

from partadvisor.advise.scoring import Scored

_MIGRATION_EFFORT = {"ahead": 0.0, "attach": 1.0, "copy": 2.0}


def pareto_front(scored: Sequence[Scored]) -> frozenset[str]:
    """Texts of the feasible schemes on the front; differences below the model's precision count as equal."""
    feasible = [s for s in scored if s.feasible]
    objectives = {s.text: _objectives(s) for s in feasible}
    return frozenset(
        s.text
        for s in feasible
        if not any(_dominates(objectives[o.text], objectives[s.text]) for o in feasible if o.text != s.text)
    )


def _objectives(scored: Scored) -> tuple[float, float, float, float]:
    """Smaller is better; gain in twentieths and read cost in per cent, about what the model can tell apart."""
    return (
        -round(scored.gain.expected * 20),
        round((scored.read.cost_ratio - 1) * 100),
        float(scored.leaves),
        _MIGRATION_EFFORT[scored.migration],
    )


def _dominates(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True)) and one != other
