"""How values of a column are made up again from its statistics: how many there are, how often each, in which order.

A value has a number from 1 on. The listed ones (most common values) come first with their shares, the others follow
and are equally frequent. Which number comes next is drawn by the client (pgbench, cheap) or by the server (a fill,
many rows); both end in the same value of the column's type. Columns are drawn independently of each other.
"""

from __future__ import annotations

import itertools
from typing import Literal

import msgspec

from partadvisor.model.base import Value
from partadvisor.model.catalog import Column
from partadvisor.pg.hashing.types import base_name
from partadvisor.pg.quote import quote_literal

Growth = Literal["", "number", "time", "uuid"]
_GROWING: dict[str, Growth] = {
    **dict.fromkeys(("int2", "int4", "int8", "numeric", "float4", "float8", "oid"), "number"),
    **dict.fromkeys(("date", "timestamp", "timestamptz"), "time"),
    "uuid": "uuid",
}
_INTEGERS = ("int2", "int4", "int8", "oid")
_MOST_LISTED = 100
_NOTHING_KNOWN = 1_000
"""Distinct values of a column without statistics."""
_PARTS = 1_000_000
"""The client draws a millionth."""
_EVEN = 1.5
"""Listed values are taken as equally frequent when the commonest is at most so many times as frequent as the rarest."""


class Draw(Value, frozen=True, kw_only=True):
    """The values of one column, and how often each comes.

    ``listed`` are (text or None when redacted, share of those not null); ``others`` counts the rest. ``growing``
    columns get the next value each time instead. ``low`` and ``high`` are the ends of the histogram, text of the
    type. ``width`` is the mean width in bytes.
    """

    type: str
    listed: tuple[tuple[str | None, float], ...] = ()
    others: int = 0
    low: str | None = None
    high: str | None = None
    growing: Growth = ""
    width: int = 0
    null_share: float = 0.0

    @property
    def base(self) -> str:
        """``pg_type.typname``."""
        return base_name(self.type)

    @property
    def count(self) -> int:
        """Number of distinct values."""
        return max(1, len(self.listed) + self.others)


def draw_of(column: Column, *, rows: int, growing: bool) -> Draw:
    """The values of ``column`` among ``rows`` rows; ``growing`` when new values lie beyond the old ones."""
    found = column.statistics
    growth = _GROWING.get(base_name(column.base_type), "") if growing else ""
    if found is None:
        return Draw(type=column.base_type, others=min(rows, _NOTHING_KNOWN), growing=growth, width=_plain_width(column))
    distinct = min(rows, found.n_distinct if found.n_distinct >= 0 else -found.n_distinct * rows)
    present = max(1e-9, 1 - found.null_fraction)
    listed = tuple(
        (None if found.values_hashed else value, min(1.0, share / present))
        for value, share in found.most_common[:_MOST_LISTED]
    )
    others = max(0, round(distinct) - len(listed))
    return Draw(
        type=column.base_type,
        listed=listed,
        others=others or (0 if listed else 1),
        low=found.histogram[0] if found.histogram else None,
        high=found.histogram[-1] if found.histogram else None,
        growing=growth,
        width=found.avg_width or _plain_width(column),
        null_share=found.null_fraction,
    )


def numbered_draw(draw: Draw, rows: int) -> Draw:
    """The same column with a value of its own for each row: the row's number, as a value of the type."""
    return msgspec.structs.replace(draw, listed=(), others=rows, low=None, high=None, null_share=0.0)


def _plain_width(column: Column) -> int:
    return 16 if base_name(column.base_type) in ("text", "varchar", "bpchar", "bytea", "jsonb", "json") else 0


def can_be_made(draw: Draw) -> bool:
    """Whether there is a way to make values of the type."""
    if draw.growing or (draw.listed and not draw.others and all(v is not None for v, _ in draw.listed)):
        return True
    return _numbered(draw, "1") is not None


def value_at(draw: Draw, number: str) -> str:
    """SQL for the value with the number that the SQL ``number`` gives (integer, from 1 on)."""
    if draw.growing == "time":  # the newest are those just filled in
        return f"(now() - ({draw.count} - ({number})) * interval '1 ms')::{draw.type}"
    named = [value for value, _ in draw.listed if value is not None]
    made = _numbered(draw, f"({number})")
    if not named:
        return made or "NULL"
    array = f"(ARRAY[{', '.join(map(quote_literal, named))}])[{number}]::{draw.type}"
    if made is None or not draw.others:
        return array
    return f"CASE WHEN ({number}) <= {len(named)} THEN {array} ELSE {_numbered(draw, f'({number} - {len(named)})')} END"


def server_draw(draw: Draw, name: str) -> tuple[list[str], str]:
    """Output columns of a SELECT that draw anew for each row, and SQL over those columns for the number drawn.

    Two levels, because a volatile expression written twice would be two draws.
    """
    if _is_even(draw):
        return [f"(1 + floor(random() * {draw.count}))::int8 AS {name}"], name
    ends = ", ".join(f"{end:.6f}" for end in itertools.accumulate(share for _, share in draw.listed))
    drawn, last = [f"(width_bucket(random(), ARRAY[{ends}]::float8[]) + 1)::int8 AS {name}"], len(draw.listed)
    if not draw.others:
        return drawn, f"least({name}, {last})"
    drawn.append(f"floor(random() * {draw.others})::int8 AS {name}_o")
    return drawn, f"CASE WHEN {name} > {last} THEN {last} + 1 + {name}_o ELSE {name} END"


def client_draw(draw: Draw, name: str) -> tuple[list[str], str]:
    """Pgbench lines that draw into variables, and SQL for the value.

    An integer is computed by the client, so that the statement keeps a bare parameter as the application's does.
    """
    lines = _number_lines(draw, name)
    if draw.base in _INTEGERS and (plain := _client_integer(draw, name)) is not None:
        return [*lines, f"\\set {name} {plain}"], f":{name}"
    return lines, value_at(draw, f":{name}::int8")


def _number_lines(draw: Draw, name: str) -> list[str]:
    if _is_even(draw):
        return [f"\\set {name} random(1, {draw.count})"]
    ends = [round(_PARTS * end) for end in itertools.accumulate(share for _, share in draw.listed)]
    cases = " ".join(f"WHEN :{name}_u <= {end} THEN {number}" for number, end in enumerate(ends, start=1))
    last = len(draw.listed)
    rest = f"{last} + :{name}_o" if draw.others else str(last)
    other = [f"\\set {name}_o random(1, {draw.others})"] if draw.others else []
    return [f"\\set {name}_u random(1, {_PARTS})", *other, f"\\set {name} CASE {cases} ELSE {rest} END"]


def _client_integer(draw: Draw, name: str) -> str | None:
    """Pgbench arithmetic from the number to the value; None when listed values follow no rule."""
    named = [value for value, _ in draw.listed if value is not None]
    step, start = _spacing(draw)
    made = f"{start} + (:{name} - {len(named)} - 1) * {step}"
    if not named:
        return made
    cases = " ".join(f"WHEN :{name} = {number} THEN {value}" for number, value in enumerate(named, start=1))
    return f"CASE {cases} ELSE {made} END" if draw.others else f"CASE {cases} ELSE {named[-1]} END"


def _spacing(draw: Draw) -> tuple[int, int]:
    """Step and first value of the integers that are not listed: even over the histogram's range."""
    low, high = _whole(draw.low), _whole(draw.high)
    if low is None or high is None or draw.others < 1:
        return 1, 1
    return max(1, (high - low) // max(1, draw.others - 1)), low


def _whole(text: str | None) -> int | None:
    try:
        return None if text is None else int(float(text))
    except (ValueError, OverflowError):
        return None


def _is_even(draw: Draw) -> bool:
    """Whether every number is as likely as any other."""
    shares = [share for _, share in draw.listed]
    if not shares:
        return True
    rest = max(0.0, 1 - sum(shares))
    if draw.others:
        shares.append(rest / draw.others)
    return max(shares) <= _EVEN * min(shares)


def _numbered(draw: Draw, number: str) -> str | None:
    """SQL for the value of the n-th of the others; None for a type there is no rule for."""
    base, width = draw.base, draw.width
    step, start = _spacing(draw)
    if base in _INTEGERS:
        return f"({start} + ({number} - 1) * {step})::{draw.type}"
    text = f"{number}::text"
    padded = f"rpad({text} || '-', {max(width - 1, 8)}, 'x')" if width > 9 else text
    rules = {
        **dict.fromkeys(("numeric", "float4", "float8"), _real(draw, number)),
        "money": f"{number}::numeric::money",
        **dict.fromkeys(("text", "varchar", "bpchar", "name", "citext"), f"{padded}::{draw.type}"),
        "uuid": f"md5({text})::uuid",
        "bool": f"({number} % 2 = 0)",
        "date": _moment(draw, number, "date", "1"),
        "timestamp": _moment(draw, number, "timestamp", "interval '1 s'"),
        "timestamptz": _moment(draw, number, "timestamptz", "interval '1 s'"),
        "time": f"(time '00:00' + {number} * interval '1 s')",
        "interval": f"({number} * interval '1 s')",
        "inet": f"(inet '10.0.0.0' + {number})",
        "cidr": f"(inet '10.0.0.0' + {number})::cidr",
        "bytea": f"convert_to({padded}, 'UTF8')",
        "jsonb": f"jsonb_build_object('n', {number}, 'x', repeat('x', {max(0, width - 24)}))",
        "json": f"json_build_object('n', {number}, 'x', repeat('x', {max(0, width - 24)}))",
    }
    if draw.type.endswith("[]"):
        element = _numbered(Draw(type=draw.type[:-2], others=draw.others), number)
        return None if element is None else f"ARRAY[{element}]::{draw.type}"
    return rules.get(base)


def _real(draw: Draw, number: str) -> str:
    """Numbers: even over the histogram's range, or 1, 2, 3 … where there is none."""
    try:
        low, high = float(draw.low or ""), float(draw.high or "")
    except ValueError:
        return f"{number}::{draw.type}"
    return f"({low!r} + ({high - low!r}) * ({number} - 1) / {max(1, draw.others - 1)})::{draw.type}"


def _moment(draw: Draw, number: str, type_name: str, step: str) -> str:
    """Days or times: even over the histogram's range, or one ``step`` apart where there is none."""
    if draw.low is None or draw.high is None:
        return f"({type_name} '2024-01-01' + ({number} * {step}))::{type_name}"
    low, high = (f"{type_name} {quote_literal(end).strip()}" for end in (draw.low, draw.high))
    part = f"({number} - 1)::float8 / {max(1, draw.others - 1)}"
    whole = "::int4" if type_name == "date" else ""
    return f"({low} + (({high} - {low}) * {part}){whole})"
