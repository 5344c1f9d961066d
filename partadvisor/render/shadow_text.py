"""What the planner says of the candidates, for people: failures first, then what gets dearer, then the sums."""

from __future__ import annotations

from collections.abc import Sequence

from partadvisor.model.advice import Candidate, TableAdvice
from partadvisor.model.shadow import PlannedQuery, Verification
from partadvisor.render.query_text import field
from partadvisor.render.style import Style, quantity

_SHOWN = 5
_DEARER = 1.05
"""Below this ratio a cost counts as unchanged: estimates of partitions are rounded one by one."""


def verification_lines(table: TableAdvice, width: int, style: Style) -> list[str]:
    """The chosen candidate in full, or the first one when none is chosen, and a line for each of the others."""
    verified = [c for c in table.candidates if c.verification is not None]
    if not verified:
        return []
    first = next((c for c in verified if c.rank == table.recommended), verified[0])
    lines = ["", *_full(first, width, style)]
    for candidate in verified:
        if candidate is not first and candidate.verification is not None:
            lines += field(f"# {candidate.rank}", _brief(candidate.verification), width, style)
            lines += _alarms(candidate.verification, width, style)
    return lines


def _full(candidate: Candidate, width: int, style: Style) -> list[str]:
    found = candidate.verification
    if found is None:
        return []
    lines = field("planner", f"{candidate.scheme}: {_brief(found)}", width, style)
    lines += _alarms(found, width, style)
    dearer = [q for q in found.queries if (q.cost_ratio or 0.0) >= _DEARER]
    lines += _listed("dearer", [_dearer(q) for q in dearer], width, style)
    unplanned = [q for q in found.queries if q.problem is not None and not q.fails]
    lines += _listed("not planned", [f"{q.name}: {q.problem}" for q in unplanned], width, style)
    return lines + _listed("note", found.notes if found.planned else (), width, style)


def _alarms(found: Verification, width: int, style: Style) -> list[str]:
    """What must not be overlooked."""
    fails = [f"{q.name}: {q.problem}" for q in found.queries if q.fails]
    return [
        *_listed(style.red("will fail"), fails, width, style),
        *_listed(style.red("disagree"), found.differences, width, style),
    ]


def _brief(found: Verification) -> str:
    if not found.planned:
        return "; ".join(found.notes) or "no query could be planned"
    queries = "1 query" if found.planned == 1 else f"{found.planned} queries"
    parts = [f"{queries} planned, cost {_ratio(found.cost_ratio)}"]
    if found.planning_time_ratio is not None:
        parts.append(f"planning time {_ratio(found.planning_time_ratio)}")
    if found.locks_max is not None:
        parts.append(f"at most {found.locks_max} relation locks ({found.locks_generic_max} with a generic plan)")
    equal = found.compared_partitions - found.different_partitions
    if found.compared_partitions:
        parts.append(f"partitions as predicted in {equal} of {found.compared_partitions}")
    return ", ".join(parts)


def _ratio(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f}x" if value < 10 else f"{value:,.0f}x"


def _dearer(query: PlannedQuery) -> str:
    rate = "" if query.calls_per_second is None else f", {quantity(query.calls_per_second)}/s"
    costs = f"{quantity(query.cost_before or 0.0)} to {quantity(query.cost_after or 0.0)}"
    return f"{_ratio(query.cost_ratio)} {query.name}: cost {costs}, {query.partitions} partitions{rate}"


def _listed(label: str, texts: Sequence[str], width: int, style: Style) -> list[str]:
    shown = [*texts[:_SHOWN], *((f"and {len(texts) - _SHOWN} more",) if len(texts) > _SHOWN else ())]
    return [line for n, text in enumerate(shown) for line in field(label if n == 0 else "", text, width, style)]
