"""Statements of the workload as pgbench scripts: the application's own text, with values drawn for its parameters.

A parameter that is compared with a column takes values of that column; any other gets a plausible one of the type the
server gives it. Inserts are made anew from their shape (``tables``). What cannot be run again is named, with its share
of the calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from partadvisor.model.base import Value
from partadvisor.model.workload import AllOf, AnyOf, Comparison, Condition, Not, QueryFamily, TableAccess
from partadvisor.pg.hashing.types import base_name
from partadvisor.sql.lex import tokens
from partadvisor.workload.replay.draws import Draw, client_draw, value_at
from partadvisor.workload.replay.tables import TableValues, insert_script

ParameterTypes = Callable[[str], Mapping[int, str] | str]
"""A statement's text → the type of each parameter, or why the server refuses it."""

_PLAUSIBLE = {
    **dict.fromkeys(("int2", "int4", "int8", "oid", "numeric", "float4", "float8"), "10"),
    **dict.fromkeys(("text", "varchar", "bpchar", "name"), "'1'"),
    "bool": "true",
    "date": "current_date",
    "timestamp": "localtimestamp",
    "timestamptz": "now()",
    "interval": "interval '1 day'",
    "uuid": "gen_random_uuid()",
    "jsonb": "'{}'::jsonb",
    "json": "'{}'::json",
}
_ARRAY_LENGTH = 5
_LARGEST = 2**31 - 1
_CLIENT_MARK = re.compile(r"(?<!:):[A-Za-z0-9_]")
"""What pgbench would take for one of its variables."""


class Script(Value, frozen=True, kw_only=True):
    """One statement for pgbench. ``weight`` is calls a second, or calls; ``guessed`` parameters have no column."""

    name: str
    text: str
    weight: float
    guessed: int = 0


class Skipped(Value, frozen=True, kw_only=True):
    """A statement that is not run again, and why."""

    name: str
    weight: float
    reason: str


class _Use(NamedTuple):
    """A parameter and the column it is compared with; ``end`` when it closes a range that ``start`` opens."""

    draw: Draw
    array: bool = False
    start: int | None = None
    span: int = 1


def script(family: QueryFamily, tables: Mapping[str, TableValues], types: ParameterTypes) -> Script | Skipped:
    """The statement of a family, ready to run again."""
    name = family.name or " ".join(family.text.split())[:60]
    weight = family.calls if family.calls_per_second is None else family.calls_per_second
    pattern = family.pattern
    if pattern is None:
        return Skipped(name=name, weight=weight, reason=family.not_analysed or "not understood")
    target = next((t for t in pattern.tables if t.role == "insert" and t.table in tables), None)
    if target is not None:
        rows = max(1, round(target.rows if target.rows is not None else family.rows_per_call or 1))
        return Script(name=name, weight=weight, text="\n".join(insert_script(tables[target.table], target, rows, "p")))
    if pattern.kind == "insert":
        return Skipped(name=name, weight=weight, reason="inserts into a table that is not built")
    return _own_text(family, name, weight, tables, types)


def _own_text(
    family: QueryFamily, name: str, weight: float, tables: Mapping[str, TableValues], types: ParameterTypes
) -> Script | Skipped:
    text = family.text.rstrip().rstrip(";")
    if _has_client_marks(text):
        return Skipped(name=name, weight=weight, reason="holds text that pgbench takes for a variable")
    known = types(text)
    if isinstance(known, str):
        return Skipped(name=name, weight=weight, reason=f"the scratch server refuses it: {known}")
    uses = dict(_uses(family, tables))
    lines, values = _drawn(uses, set(known))
    guessed = 0
    for number in known.keys() - values.keys():
        plausible = _plausible(known[number])
        if plausible is None:
            return Skipped(name=name, weight=weight, reason=f"no value of type {known[number]} for ${number}")
        values[number] = plausible
        guessed += 1
    return Script(name=name, weight=weight, text="\n".join([*lines, f"{_filled(text, values)};"]), guessed=guessed)


def _has_client_marks(text: str) -> bool:
    """Pgbench looks for ``:name`` everywhere, inside literals too; casts (``::``) are left alone."""
    return any(_CLIENT_MARK.search(text, t.start, t.end) for t in tokens(text) if t.kind != "comment") or bool(
        _CLIENT_MARK.search("".join(text[t.start : t.end] for t in tokens(text) if t.kind in ("mark", "word")))
    )


def _uses(family: QueryFamily, tables: Mapping[str, TableValues]) -> Iterator[tuple[int, _Use]]:
    for access in family.pattern.tables if family.pattern else ():
        values = tables.get(access.table)
        if values is not None:
            yield from _access_uses(access, values, family.rows_per_call)


def _access_uses(access: TableAccess, values: TableValues, rows_per_call: float) -> Iterator[tuple[int, _Use]]:
    opened: dict[str, int] = {}
    for comparison in _comparisons(access.condition):
        draw = values.draws.get(comparison.column)
        for operand in comparison.operands if draw else ():
            number = _number(operand.value)
            if draw is None or number is None or operand.kind not in ("parameter", "array_parameter"):
                continue
            closes = comparison.operator in ("<", "<=") and comparison.column in opened
            span = max(1, round(draw.count * rows_per_call / values.rows))
            yield (
                number,
                _Use(draw, operand.kind == "array_parameter", opened[comparison.column] if closes else None, span),
            )
            if comparison.operator in (">", ">="):
                opened[comparison.column] = number


def _comparisons(condition: Condition) -> Iterator[Comparison]:
    if isinstance(condition, Comparison):
        yield condition
    elif isinstance(condition, AllOf | AnyOf):
        for part in condition.parts:
            yield from _comparisons(part)
    elif isinstance(condition, Not):
        yield from _comparisons(condition.part)


def _number(text: str | None) -> int | None:
    return int(text[1:]) if text and re.fullmatch(r"\$\d+", text) else None


def _drawn(uses: Mapping[int, _Use], present: set[int]) -> tuple[list[str], dict[int, str]]:
    lines: list[str] = []
    values: dict[int, str] = {}
    for number, use in uses.items():
        if number not in present:
            continue
        if use.array:
            parts = [client_draw(use.draw, f"p{number}_{i}") for i in range(_ARRAY_LENGTH)]
            lines += [line for part, _ in parts for line in part]
            values[number] = f"ARRAY[{', '.join(sql for _, sql in parts)}]::{use.draw.type}[]"
        elif use.start is not None:
            last, values[number] = _closing(use.draw, number)
            lines.append(f"\\set p{number} least(:p{use.start} + {use.span}, {last})")
        else:
            extra, values[number] = client_draw(use.draw, f"p{number}")
            lines += extra
    return lines, values


def _closing(draw: Draw, number: int) -> tuple[int, str]:
    """The other end of a range and its largest value: an integer's variable holds the value, others' its number."""
    if client_draw(draw, f"p{number}")[1] == f":p{number}":
        return _LARGEST, f":p{number}"
    return draw.count, value_at(draw, f":p{number}::int8")


def _plausible(type_name: str) -> str | None:
    return _PLAUSIBLE.get(base_name(type_name))


def _filled(text: str, values: Mapping[int, str]) -> str:
    """The text with each parameter replaced in its place; nothing else is touched."""
    parts, at = [], 0
    for token in tokens(text):
        if token.kind == "parameter":
            parts += [text[at : token.start], values[int(text[token.start + 1 : token.end])]]
            at = token.end
    return "".join([*parts, text[at:]])
