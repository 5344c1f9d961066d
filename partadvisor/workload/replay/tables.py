"""Rows of one table, made up again: what to fill it with, and inserts like those the application sends.

An insert keeps what decides how it meets other inserts: its columns, its rows, and which columns are the same in all
rows of the statement. What must be unique is numbered by a sequence, so that replaying never fails on a duplicate.
"""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from collections.abc import Iterable, Sequence

from partadvisor.model.activity import RecentRows
from partadvisor.model.base import Value
from partadvisor.model.catalog import Column, Relation
from partadvisor.model.workload import TableAccess
from partadvisor.pg.quote import fit_identifier, quote_ident, quote_idents, quote_literal, quote_qualified
from partadvisor.workload.replay.draws import (
    Draw,
    can_be_made,
    client_draw,
    draw_of,
    numbered_draw,
    server_draw,
    value_at,
)

SCHEMA = "partadvisor_replay"
"""Where the sequences live."""
_ALWAYS_CONSTANT = 0.95
"""Share of multi-row statements in which a column had one value, for it to count as constant in a statement."""
_ROOMY = ("int8", "uuid", "numeric", "text", "varchar", "int4")
"""Types that have a new value for every row, roomiest first."""
Columns = frozenset[str]


class TableValues(Value, frozen=True, kw_only=True):
    """How the columns of one table of ``rows`` rows are made; ``numbered`` ones take the next of their sequence."""

    relation: Relation
    rows: int
    draws: dict[str, Draw]
    numbered: frozenset[str] = frozenset()
    constant: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The table, quoted."""
        return quote_qualified(self.relation.schema, self.relation.name)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns: the copy of the table has no defaults, so every row is given every value."""
        return tuple(c.name for c in self.relation.columns)

    def given(self, access: TableAccess) -> tuple[str, ...]:
        """Columns a statement of this shape gives values to, with those the server would have filled in itself."""
        named = set(access.columns or self.columns)
        filled = {c.name for c in self.relation.columns if c.default is not None or c.identity or c.generated}
        return tuple(name for name in self.columns if name in named | filled)


def table_values(relation: Relation, recent: RecentRows | None, growing: Columns, rows: int) -> TableValues:
    """The columns of ``relation`` when filled with ``rows`` rows; new values of ``growing`` ones lie beyond the old."""
    draws = {c.name: draw_of(c, rows=rows, growing=c.name in growing) for c in relation.columns}
    numbered = {name for name, draw in draws.items() if draw.growing == "number"}
    for columns in _unique_keys(relation):
        if not any(name in numbered or draws[name].growing == "uuid" for name in columns):
            numbered.add(_roomiest(columns, draws))
    draws |= {name: numbered_draw(draws[name], rows) for name in numbered}
    constant = constant_in_statements(recent)
    return TableValues(relation=relation, rows=rows, draws=draws, numbered=frozenset(numbered), constant=constant)


def unmakeable(values: TableValues) -> list[Column]:
    """Columns of a type there is no rule for, that may not be left out."""
    return [c for c in values.relation.columns if c.not_null and not can_be_made(values.draws[c.name])]


def constant_in_statements(recent: RecentRows | None) -> Columns:
    """Columns that nearly always had one value in all rows of a statement; empty when no statement had several."""
    if recent is None:
        return frozenset()
    groups: dict[int, list[tuple[str | None, ...]]] = {}
    for row, statement in zip(recent.rows, recent.statements, strict=True):
        groups.setdefault(statement, []).append(row)
    several = [rows for rows in groups.values() if len(rows) > 1]
    if not several:
        return frozenset()
    same = [sum(len({row[at] for row in rows}) == 1 for rows in several) for at in range(len(recent.columns))]
    return frozenset(
        name for name, count in zip(recent.columns, same, strict=True) if count >= _ALWAYS_CONSTANT * len(several)
    )


def _unique_keys(relation: Relation) -> Iterable[tuple[str, ...]]:
    for index in relation.indexes:
        columns = tuple(c for c in index.columns if c is not None)
        if index.unique and not index.predicate and len(columns) == len(index.columns):
            yield columns


def _roomiest(columns: Sequence[str], draws: dict[str, Draw]) -> str:
    """The column of a unique key that gets a new value for each row: the one with the most values today."""

    def room(name: str) -> tuple[int, int]:
        base = draws[name].base
        return (base in _ROOMY, draws[name].count)

    return max(columns, key=room)


def sequence_name(relation: Relation, column: str) -> str:
    """The sequence that numbers a column, quoted."""
    return quote_qualified(SCHEMA, fit_identifier(f"{relation.schema}.{relation.name}", f".{column}"[-40:]))


def sequences_text(values: TableValues) -> list[str]:
    """Statements that make the sequences, to go on after the filled rows."""
    made = [
        f"CREATE SEQUENCE {sequence_name(values.relation, name)} START {values.rows + 1} CACHE 20"
        for name in sorted(values.numbered)
    ]
    return [f"CREATE SCHEMA IF NOT EXISTS {quote_ident(SCHEMA)}", *made]


def fill_text(values: TableValues) -> str:
    """One statement that fills the table, with numbers and times that end where the replay goes on."""
    rows = values.rows
    drawn: list[str] = []
    made: list[str] = []
    for position, name in enumerate(values.columns):
        draw = values.draws[name]
        if name in values.numbered:
            made.append(value_at(draw, "i"))
        elif draw.growing == "time":
            made.append(f"(clock_timestamp() - ({rows} - i) * interval '1 ms')::{draw.type}")
        elif draw.growing == "uuid":
            made.append(value_at(numbered_draw(draw, rows), "i"))
        else:
            inner, number = server_draw(draw, f"d{position}")
            drawn += inner
            made.append(_or_null(draw, value_at(draw, number)))
    inner_columns = ", ".join(["i", *drawn])
    return (
        f"INSERT INTO {values.name} ({quote_idents(values.columns)})\n"
        f"SELECT {', '.join(made)}\nFROM (SELECT {inner_columns} FROM generate_series(1, {rows}) AS g(i)) AS n"
    )


def insert_script(values: TableValues, access: TableAccess, rows: int, prefix: str) -> list[str]:
    """Pgbench lines: the draws, then one INSERT of ``rows`` rows (its last line ends in a semicolon)."""
    given = values.given(access)
    constant = values.constant | frozenset(access.constant_columns)
    spread = {c for c in given if c not in constant} or (
        {c for c in given if c in values.numbered} if rows > 1 else set()
    )
    lines: list[str] = []
    drawn: list[str] = []
    made: list[str] = []
    for position, name in enumerate(given):
        draw, per_row = values.draws[name], rows > 1 and name in spread
        if name in values.numbered:
            made.append(_next(values, name, rows=rows, per_row=per_row))
        elif draw.growing:
            made.append(_grown(draw))
        elif per_row and _numbers_rows(values, name, given, spread):
            made.append(value_at(numbered_draw(draw, rows), "i"))
        elif per_row:
            inner, number = server_draw(draw, f"d{position}")
            drawn += inner
            made.append(_or_null(draw, value_at(draw, number)))
        else:
            extra, sql = client_draw(draw, f"{prefix}{position}")
            lines += extra
            made.append(sql)
    return [*lines, _insert_text(values, given, made, drawn, rows, access)]


def _insert_text(
    values: TableValues, given: Sequence[str], made: Sequence[str], drawn: Sequence[str], rows: int, access: TableAccess
) -> str:
    head = f"INSERT INTO {values.name} ({quote_idents(list(given))}) "
    tail = " ON CONFLICT DO NOTHING" if access.conflict_action else ""
    if rows <= 1:
        return f"{head}VALUES ({', '.join(made)}){tail};"
    inner = ", ".join(["i", *drawn])
    return f"{head}SELECT {', '.join(made)} FROM (SELECT {inner} FROM generate_series(1, {rows}) AS g(i)) AS n{tail};"


def _next(values: TableValues, name: str, *, rows: int, per_row: bool) -> str:
    call = f"nextval({quote_literal(sequence_name(values.relation, name))})"
    number = call if per_row or rows <= 1 else f"(SELECT {call})"
    return value_at(values.draws[name], number)


def _numbers_rows(values: TableValues, name: str, given: Sequence[str], spread: set[str]) -> bool:
    """Whether the column has to tell the rows of one statement apart: a unique key has no other that does."""
    for columns in _unique_keys(values.relation):
        differing = [c for c in columns if c in given and c in spread]
        if name in columns and differing and differing[-1] == name and not set(differing) & values.numbered:
            return True
    return False


def _grown(draw: Draw) -> str:
    return f"clock_timestamp()::{draw.type}" if draw.growing == "time" else "uuidv7()"


def _or_null(draw: Draw, value: str) -> str:
    return f"CASE WHEN random() < {draw.null_share:.6f} THEN NULL ELSE {value} END" if draw.null_share > 0 else value
