"""How much of a workload was understood, by calls and by time, and why not the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from partadvisor.model.workload import Coverage, Gap, QueryFamily

NOT_A_TABLE_ACCESS = "not a table access"
_EXAMPLE = 200


class Read(NamedTuple):
    """A family together with the reason it is not understood, without its place."""

    family: QueryFamily
    reason: str | None

    @property
    def ms(self) -> float:
        """Its total time."""
        return self.family.calls * self.family.mean_ms


def coverage(read: Sequence[Read], notes: Iterable[str] = ()) -> Coverage:
    """Shares of the families that touch tables. Without any time known, calls stand for it."""
    kept = [r for r in read if r.reason != NOT_A_TABLE_ACCESS]
    calls, ms = sum(r.family.calls for r in kept), sum(r.ms for r in kept)
    understood = [r for r in kept if r.reason is None]
    by_reason: dict[str, list[Read]] = {}
    for one in kept:
        if one.reason is not None:
            by_reason.setdefault(one.reason, []).append(one)
    gaps = [_gap(reason, missed, calls, ms) for reason, missed in by_reason.items()]
    calls_share, time_share = _shares(understood, calls, ms)
    return Coverage(
        families=len(kept),
        understood_families=len(understood),
        calls_share=calls_share,
        time_share=time_share,
        gaps=tuple(sorted(gaps, key=lambda g: (-g.time_share, -g.calls_share, g.reason))),
        without_table=len(read) - len(kept),
        notes=tuple(notes),
    )


def _gap(reason: str, missed: list[Read], calls: float, ms: float) -> Gap:
    heaviest = max(missed, key=lambda r: (r.ms, r.family.calls))
    calls_share, time_share = _shares(missed, calls, ms)
    return Gap(
        reason=heaviest.family.not_analysed or reason if len(missed) == 1 else reason,
        families=len(missed),
        calls_share=calls_share,
        time_share=time_share,
        example=" ".join(heaviest.family.text[: 4 * _EXAMPLE].split())[:_EXAMPLE],
    )


def _shares(part: list[Read], calls: float, ms: float) -> tuple[float, float]:
    """Of calls and of time; all of nothing is understood."""
    calls_share = sum(r.family.calls for r in part) / calls if calls > 0 else 1.0
    return calls_share, sum(r.ms for r in part) / ms if ms > 0 else calls_share
