"""Which statements of a table's workload are run again, and which tables that takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from partadvisor.model.base import Value
from partadvisor.model.workload import QueryFamily
from partadvisor.workload.replay.statements import ParameterTypes, Script, Skipped, script
from partadvisor.workload.replay.tables import TableValues

MOST_STATEMENTS = 40
"""Scripts of one run; pgbench takes 128."""
_ENOUGH_CALLS = 0.995


class Replay(Value, frozen=True, kw_only=True):
    """Scripts with whole-number weights, and what is left out; ``share`` is the part of the calls they stand for."""

    scripts: tuple[Script, ...]
    weights: tuple[int, ...]
    skipped: tuple[Skipped, ...]
    share: float


def heaviest(families: Sequence[QueryFamily], table: str) -> tuple[QueryFamily, ...]:
    """The families that touch ``table``, by falling number of calls, up to nearly all of its calls."""
    own = [f for f in families if f.pattern and any(t.table == table for t in f.pattern.tables)]
    own.sort(key=lambda f: -_calls(f))
    total, so_far, kept = sum(map(_calls, own)), 0.0, 0
    while kept < min(len(own), MOST_STATEMENTS) and so_far < _ENOUGH_CALLS * total:
        so_far += _calls(own[kept])
        kept += 1
    return tuple(own[:kept])


def tables_of(families: Sequence[QueryFamily]) -> tuple[str, ...]:
    """Every table the families touch, in order of first use."""
    return tuple(dict.fromkeys(t.table for f in families if f.pattern for t in f.pattern.tables))


def replay(
    families: Sequence[QueryFamily], all_calls: float, tables: Mapping[str, TableValues], types: ParameterTypes
) -> Replay:
    """Scripts for the families. ``all_calls`` are those of all families of the table, in the families' own unit."""
    made = [script(family, tables, types) for family in families]
    scripts = tuple(one for one in made if isinstance(one, Script))
    largest = max((one.weight for one in scripts), default=1.0) or 1.0
    return Replay(
        scripts=scripts,
        weights=tuple(max(1, round(1000 * one.weight / largest)) for one in scripts),
        skipped=tuple(one for one in made if isinstance(one, Skipped)),
        share=sum(one.weight for one in scripts) / all_calls if all_calls > 0 else 0.0,
    )


def _calls(family: QueryFamily) -> float:
    return family.calls if family.calls_per_second is None else family.calls_per_second
