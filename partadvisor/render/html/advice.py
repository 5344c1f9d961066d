"""The advice as a page: the answer, the candidates with their pictures, then the diagnosis it rests on."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from partadvisor.model.advice import Advice, Candidate, Incompatibility, QueryEffect, TableAdvice
from partadvisor.render.curve_text import clients_text
from partadvisor.render.html import charts
from partadvisor.render.html.diagnosis import diagnosis_values
from partadvisor.render.html.page import drawn, page
from partadvisor.render.overview_text import ANSWER, chosen_of
from partadvisor.render.style import percent, quantity

_MOST_PICTURES = 12
"""Tables with pictures; a page of hundreds has to stay small."""
_PARETO = "Numbers are ranks, whiskers the predicted range. Large dots: no other candidate is better in both."
_WHAT: dict[str, str] = {
    "fails": "fails",
    "wrong": "gives another result",
    "retry": "fails now and then",
    "slower": "plans longer",
    "differs": "differs in labels",
}


def advice_html(advice: Advice, *, source: str = "INPUT") -> str:
    """One self-contained file. ``source`` is what was given as input, as a shell reads it, for the next command."""
    chosen = [t for t in advice.tables if t.recommended is not None]
    return page(
        "advice.html",
        f"{_heading(advice)} · advice",
        tone="bad" if chosen else "good",
        heading=_heading(advice),
        overview=[_overview(t) for t in advice.tables],
        groups=advice.groups,
        tables=[_table(t, number, source) for number, t in enumerate(advice.tables)],
        d=diagnosis_values(advice.diagnosis),
        assumptions=advice.assumptions,
        missing=advice.missing,
    )


def _heading(advice: Advice) -> str:
    chosen = [t.table for t in advice.tables if t.recommended is not None]
    if not chosen:
        return "Do not partition"
    more = f" and {len(chosen) - 1} more" if len(chosen) > 1 else ""
    return f"Partition {chosen[0]}{more}"


def _overview(table: TableAdvice) -> tuple[str, ...]:
    chosen = chosen_of(table)
    gain = "" if chosen is None else f"{chosen.throughput_ratio.low:.1f} to {chosen.throughput_ratio.high:.1f} times"
    return table.table, ANSWER[table.verdict], chosen.scheme if chosen else "", gain, ", ".join(table.together)


def _table(table: TableAdvice, number: int, source: str) -> dict[str, Any]:
    chosen, pictures = chosen_of(table), number < _MOST_PICTURES
    return {
        "name": table.table,
        "answer": ANSWER[table.verdict],
        "reason": table.reason,
        "candidates": [_candidate(c, table) for c in table.candidates],
        "pareto": drawn(charts.pareto(table.candidates, table.recommended, f"pareto-{number}"))
        if pictures and len(table.candidates) > 1
        else None,
        "pareto_caption": _PARETO,
        "chosen": None if chosen is None else _chosen(chosen, table, number, source, pictures=pictures),
        "obstacles": list(_obstacles(table)),
        "verification": [row for c in table.candidates if (row := _verified(c))],
    }


def _candidate(one: Candidate, table: TableAdvice) -> dict[str, Any]:
    gain = one.throughput_ratio
    return {
        "rank": one.rank,
        "chosen": one.rank == table.recommended,
        "scheme": one.scheme,
        "partitions": one.partitions,
        "share": percent(one.write.max_share),
        "per_insert": quantity(one.write.partitions_per_statement),
        "gain": f"{gain.expected:.2f} ({gain.low:.2f} to {gain.high:.2f})",
        "cost": f"{one.read.cost_ratio:.3g}" + (" (planner)" if one.read.verified else ""),
        "per_query": quantity(one.read.partitions_per_query),
        "way": one.migration if one.feasible else "not possible",
    }


def _chosen(one: Candidate, table: TableAdvice, number: int, source: str, *, pictures: bool) -> dict[str, Any]:
    name, key = shlex.quote(table.table), shlex.quote(one.scheme)
    spread = {"recent_rows": "the rows inserted last", "statistics": "column statistics", "assumed": "an assumption"}
    return {
        "scheme": one.scheme,
        "fill": drawn(charts.partition_fill(one, f"fill-{number}")) if pictures and len(one.write.shares) > 1 else None,
        "fill_caption": f"Like {one.write.effective_partitions:.1f} equally full partitions; from "
        f"{spread[one.write.source]}, routed by PostgreSQL's own hash.",
        "counts": drawn(charts.count_curve(table.counts, f"counts-{number}")) if pictures and table.counts else None,
        "clients": drawn(charts.client_curve(table.clients, f"clients-{number}"))
        if pictures and table.clients
        else None,
        "clients_caption": f"Model: {clients_text(table)}.",
        "worse": [_worse(q) for q in one.worse],
        "compatibility": [_incompatible(i) for i in one.compatibility],
        "notes": [*one.warnings, *(f"Given up: {loss}" for loss in table.losses), *_sensitivity(one)],
        "next": f"partadvisor plan {source} --table {name} --key {key} -o migration",
    }


def _sensitivity(one: Candidate) -> list[str]:
    return [f"Would change the choice: {one.sensitivity}"] if one.sensitivity else []


def _worse(query: QueryEffect) -> tuple[str, ...]:
    rate = "" if query.calls_per_second is None else quantity(query.calls_per_second)
    partitions = f"{quantity(query.partitions_touched)} of {query.partitions}"
    why = "; ".join((*query.causes, query.why))
    factor = f"{query.time_ratio:.2f}" if query.time_known else "?"
    return query.name, factor, f"{quantity(query.added_ms)} ms", rate, partitions, why


def _incompatible(one: Incompatibility) -> tuple[str, ...]:
    return one.statement or "the table", _WHAT[one.effect], one.text, one.remedy, one.rule


def _obstacles(table: TableAdvice) -> Iterator[str]:
    for one in table.candidates:
        for blocker in one.blockers:
            yield f"# {one.rank} {one.scheme}: {blocker.text} [{blocker.rule}]"


def _verified(one: Candidate) -> tuple[str, ...] | None:
    found = one.verification
    if found is None:
        return None
    equal = found.compared_partitions - found.different_partitions
    locks = "" if found.locks_max is None else str(found.locks_max)
    return (
        one.scheme,
        _ratio(found.cost_ratio),
        _ratio(found.planning_time_ratio),
        locks,
        f"{equal} of {found.compared_partitions}",
    )


def _ratio(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f} times"
