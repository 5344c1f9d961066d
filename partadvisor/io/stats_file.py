"""``--stats FILE.toml``: what a live server would have told, laid over a snapshot that has no server.

Every number is checked and every name is looked up, with the nearest one offered: a typing error that is silently
ignored would change the advice.
"""

from __future__ import annotations

import datetime
import difflib
import math
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from partadvisor.advise.waits import events_of
from partadvisor.model.base import Value
from partadvisor.model.catalog import Column, ColumnStatistics, Index, Relation
from partadvisor.model.errors import UsageError
from partadvisor.model.snapshot import Assumed, AssumedTable, AssumedWait, Snapshot

Share = Annotated[float, Meta(ge=0, le=1)]
Amount = Annotated[float, Meta(ge=0, le=1e15)]  # beyond any server, within what is exact

T = TypeVar("T", bound=Value)

_MAJORS = range(11, 19)
_TYPING_ERROR = 0.85  # similarity from which an unknown event is taken for a known one
_TYPE_WORDS = {"str": "text", "int": "a whole number", "float": "a number", "array": "an array", "object": "a table",
               "bool": "true or false"}  # fmt: skip
_BLOCK_BYTES = 8192
_ROW_OVERHEAD = 28  # tuple header with padding, and line pointer
_INDEX_OVERHEAD = 16  # index tuple header and line pointer, rounded up
_INDEX_FILL = 0.9
_UNKNOWN_WIDTH = 32
_WIDTHS = {
    "boolean": 1, "smallint": 2, "integer": 4, "real": 4, "date": 4, "bigint": 8, "double precision": 8, "time": 8,
    "time without time zone": 8, "timestamp with time zone": 8, "timestamp without time zone": 8, "uuid": 16,
    "numeric": 8, "interval": 16, "inet": 7, "oid": 4,
}  # fmt: skip


class ColumnTold(Value, frozen=True, kw_only=True):
    """``[tables."s.t".columns.c]``; ``n_distinct`` follows PostgreSQL: negative is a fraction of the rows."""

    n_distinct: Annotated[float, Meta(ge=-1)] | None = None
    null_fraction: Share | None = None
    correlation: Annotated[float, Meta(ge=-1, le=1)] | None = None
    average_width: Annotated[int, Meta(ge=0)] | None = None
    most_common: tuple[tuple[Any, Share], ...] = ()


class TableTold(Value, frozen=True, kw_only=True):
    """``[tables."s.t"]``."""

    rows: Amount | None = None
    bytes_per_row: Amount | None = None
    inserts_per_second: Amount | None = None
    columns: dict[str, ColumnTold] = msgspec.field(default_factory=dict)


class WaitTold(Value, frozen=True, kw_only=True):
    """``[[waits]]``: share of active sessions in one wait event, ``CPU`` for none."""

    event: str
    share: Share
    relation: str | None = None


class Told(Value, frozen=True, kw_only=True):
    """The whole file."""

    clients: Annotated[int, Meta(ge=1, le=262_143)] | None = None  # max_connections ends there
    cores: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    host_cpu_busy: Share | None = None
    tables: dict[str, TableTold] = msgspec.field(default_factory=dict)
    waits: tuple[WaitTold, ...] = ()


def read_stats(path: Path) -> Told:
    """Reads and checks a statistics file.

    Raises:
        UsageError: unreadable, not TOML, an unknown name or a value out of range; says where.
    """
    try:
        plain = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f'could not read statistics "{path}"', detail=f"{error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f'"{path}" is not TOML', detail=f"{error}.") from error
    _check_names(path, plain)
    told = _converted(path, plain)
    _check_sums(path, told)
    return told


def _converted(path: Path, plain: Mapping[str, Any]) -> Told:
    """The parts one by one, since an error must name the table and the column it is in."""
    for table, told in _tables_in(plain.get("tables")):
        for column, values in _tables_in(told.get("columns")):
            _convert(path, f'column "{column}" of table "{table}"', values, ColumnTold)
        _convert(path, f'table "{table}"', told, TableTold)
    return _convert(path, "", plain, Told)


def _convert(path: Path, where: str, plain: Any, type_: type[T]) -> T:
    try:
        return msgspec.convert(plain, type_)
    except msgspec.ValidationError as error:
        raise UsageError(f'statistics "{path}" hold a wrong value', detail=_in_words(str(error), where)) from error


def _in_words(said: str, where: str) -> str:
    """A message like ``Expected `int | null`, got `str` - at `$.clients``` for people who write TOML."""
    text, _, place = said.partition(" - at ")
    for name, word in _TYPE_WORDS.items():
        text = text.replace(f"`{name}", f"`{word}").replace(f" | {name}", f" | {word}")
    text = text.replace(" | null", "").replace("`", "")
    at = place.strip("`").removeprefix("$").removeprefix(".")
    said_at = " in ".join(part for part in (at, where) if part)
    return f"{said_at}: {text[:1].lower()}{text[1:]}." if said_at else f"{text}."


def _check_sums(path: Path, told: Told) -> None:
    """Shares of one whole."""
    sums = {"the wait shares": sum(wait.share for wait in told.waits)}
    for table, about in told.tables.items():
        for name, column in about.columns.items():
            values = sum(share for _value, share in column.most_common) + (column.null_fraction or 0.0)
            sums[f'the shares of column "{name}" of table "{table}"'] = values
    for what, total in sums.items():
        if total > 1.0 + 1e-6:
            raise UsageError(f'{what} in "{path}" add up to {total:.2f}', hint="They are shares of one whole.")


def _check_names(path: Path, plain: Mapping[str, Any]) -> None:
    _check_keys(path, "the file", plain, Told)
    for name, table in _tables_in(plain.get("tables")):
        _check_keys(path, f'table "{name}"', table, TableTold)
        for column_name, column in _tables_in(table.get("columns")):
            _check_keys(path, f'column "{column_name}" of table "{name}"', column, ColumnTold)
    waits = plain.get("waits")
    for wait in waits if isinstance(waits, list) else ():
        if isinstance(wait, dict):
            _check_keys(path, "a wait", wait, WaitTold)


def _tables_in(value: Any) -> Iterable[tuple[str, dict[str, Any]]]:
    return ((k, v) for k, v in value.items() if isinstance(v, dict)) if isinstance(value, dict) else ()


def _check_keys(path: Path, where: str, plain: Mapping[str, Any], type_: type[Value]) -> None:
    for key in plain:
        if key not in type_.__struct_fields__:
            raise UsageError(
                f'unknown key "{key}" in statistics "{path}"',
                detail=f"It is in {where}; known there: {', '.join(type_.__struct_fields__)}.",
                hint=nearest(key, type_.__struct_fields__) or _unquoted(where, key, plain[key]),
            )


def _unquoted(where: str, key: str, value: Any) -> str | None:
    """TOML reads a dotted name as nested tables."""
    if where.startswith('table "') and isinstance(value, dict):
        return f'A name with a dot is quoted: [tables."{where.split(chr(34))[1]}.{key}"].'
    return None


def nearest(name: str, known: Iterable[str]) -> str | None:
    """A hint with the name that was probably meant, None when none is close."""
    found = difflib.get_close_matches(name, list(known), n=1)
    return f'Perhaps you meant "{found[0]}".' if found else None


def apply_stats(snapshot: Snapshot, told: Told) -> Snapshot:
    """The snapshot with the told numbers in place of the unknown ones, and what had to be assumed for them.

    Raises:
        UsageError: a table or column does not exist; names the nearest.
    """
    tables = _by_relation(snapshot, told)
    assumptions: list[str] = []
    relations = tuple(
        _told_relation(r, tables[r.qualified_name], assumptions) if r.qualified_name in tables else r
        for r in snapshot.relations
    )
    assumed = Assumed(
        clients=told.clients,
        host_cpu_busy=told.host_cpu_busy,
        waits=tuple(_wait(snapshot, wait, tables, assumptions) for wait in told.waits),
        tables=tuple(
            AssumedTable(table=name, inserts_per_second=table.inserts_per_second)
            for name, table in tables.items()
            if table.inserts_per_second is not None
        ),
    )
    return msgspec.structs.replace(
        snapshot,
        server=msgspec.structs.replace(snapshot.server, cores=told.cores or snapshot.server.cores),
        relations=relations,
        assumed=assumed,
        assumptions=(*snapshot.assumptions, *assumptions),
    )


def _by_relation(snapshot: Snapshot, told: Told) -> dict[str, TableTold]:
    tables: dict[str, TableTold] = {}
    for name, table in told.tables.items():
        found = _relation(snapshot, name).qualified_name
        if found in tables:
            raise UsageError(f'table "{found}" is in the statistics twice', hint=f'One of them is "{name}".')
        tables[found] = table
    return tables


def _wait(snapshot: Snapshot, told: WaitTold, tables: Mapping[str, TableTold], assumptions: list[str]) -> AssumedWait:
    """A wait with its relation; an extension queue without one is put where the inserts are told to be."""
    _check_event(told.event)
    relation = _waited_for(snapshot, told.relation) if told.relation else None
    rates = {name: table.inserts_per_second or 0.0 for name, table in tables.items()}
    busiest = max(rates, key=lambda name: rates[name], default=None)
    if relation is None and told.event == "Lock:extend" and busiest is not None and rates[busiest] > 0:
        relation = busiest
        assumptions.append(f"{told.event} is waited for on {busiest}: its relation is not told, most inserts go there")
    return AssumedWait(event=told.event, share=told.share, relation=relation)


def _waited_for(snapshot: Snapshot, name: str) -> str:
    """A table, or ``schema.index``: an index is extended as well."""
    indexes = {f"{r.schema}.{index.name}" for r in snapshot.relations for index in r.indexes}
    return name if name in indexes else _relation(snapshot, name).qualified_name


def _check_event(event: str) -> None:
    """An event that is none, and looks like one, is a typing error; others may come from extensions."""
    known = {"CPU", *(name for major in _MAJORS for name in events_of(major))}
    types = {name.partition(":")[0] for name in known} | {"Activity", "Extension", "InjectionPoint"}
    if event in known:
        return
    kind, colon, _name = event.partition(":")
    same = [name for name in known if name.lower() == event.lower()]
    near = same or difflib.get_close_matches(event, known, n=1)
    close = bool(near) and difflib.SequenceMatcher(None, event, near[0]).ratio() >= _TYPING_ERROR
    if kind not in types or not colon or same or (close and kind == "Lock"):
        raise UsageError(
            f'wait event "{event}" does not exist',
            detail='Events are written as type and name of pg_stat_activity, "Lock:extend", or "CPU" for none.',
            hint=f'Perhaps you meant "{near[0]}".' if near else None,
        )


def _relation(snapshot: Snapshot, name: str) -> Relation:
    """A table by its qualified name, or by its bare name when only one schema has it."""
    tables = [r for r in snapshot.relations if r.kind in ("table", "partitioned_table")]
    found = [r for r in tables if name in (r.qualified_name, r.name)]
    exact = [r for r in found if r.qualified_name == name]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if found:
        names = ", ".join(r.qualified_name for r in found)
        raise UsageError(f'table "{name}" in the statistics is ambiguous', detail=f"There are {names}.")
    raise UsageError(
        f'table "{name}" in the statistics does not exist in the schema',
        hint=nearest(name, [r.qualified_name for r in tables] + [r.name for r in tables]),
    )


def _told_relation(relation: Relation, told: TableTold, assumptions: list[str]) -> Relation:
    for name in told.columns:
        if relation.column(name) is None:
            raise UsageError(
                f'column "{name}" of table "{relation.qualified_name}" in the statistics does not exist',
                hint=nearest(name, [c.name for c in relation.columns]),
            )
    columns = tuple(_told_column(c, told.columns[c.name]) if c.name in told.columns else c for c in relation.columns)
    relation = msgspec.structs.replace(relation, columns=columns)
    return relation if told.rows is None else _sized(relation, told.rows, told.bytes_per_row, assumptions)


def _sized(relation: Relation, rows: float, bytes_per_row: float | None, assumptions: list[str]) -> Relation:
    """Heap and index sizes of that many rows."""
    if bytes_per_row is None:
        bytes_per_row = row_bytes(relation)
        assumptions.append(f"{relation.qualified_name}: {bytes_per_row:.0f} bytes a row, from its column types")
    heap = math.ceil(rows * bytes_per_row / _BLOCK_BYTES) * _BLOCK_BYTES
    if relation.kind == "partitioned_table":
        return msgspec.structs.replace(relation, rows=rows)
    indexes = tuple(msgspec.structs.replace(i, size_bytes=index_bytes(relation, i, rows)) for i in relation.indexes)
    return msgspec.structs.replace(
        relation,
        rows=rows,
        pages=heap // _BLOCK_BYTES,
        heap_bytes=heap,
        indexes=indexes,
        index_bytes=sum(i.size_bytes for i in indexes),
    )


def row_bytes(relation: Relation) -> float:
    """Bytes a row takes in the heap, by the widths of its columns."""
    return _ROW_OVERHEAD + sum(_width(c) for c in relation.columns)


def index_bytes(relation: Relation, index: Index, rows: float) -> int:
    """Bytes of an index over that many rows, by the widths of its columns."""
    keys = sum(_width(relation.column(name) if name else None) for name in (*index.columns, *index.included))
    return math.ceil(rows * (_INDEX_OVERHEAD + keys) / _INDEX_FILL / _BLOCK_BYTES) * _BLOCK_BYTES


def _width(column: Column | None) -> int:
    if column and column.statistics and column.statistics.avg_width:
        return column.statistics.avg_width
    return _WIDTHS.get(column.base_type, _UNKNOWN_WIDTH) if column else _UNKNOWN_WIDTH


def _told_column(column: Column, told: ColumnTold) -> Column:
    known = column.statistics or ColumnStatistics()
    return msgspec.structs.replace(
        column,
        statistics=ColumnStatistics(
            n_distinct=known.n_distinct if told.n_distinct is None else told.n_distinct,
            null_fraction=known.null_fraction if told.null_fraction is None else told.null_fraction,
            correlation=known.correlation if told.correlation is None else told.correlation,
            avg_width=told.average_width or _width(column),
            most_common=tuple((_printed(v), share) for v, share in told.most_common) or known.most_common,
            histogram=known.histogram if not told.most_common else (),
        ),
    )


def _printed(value: Any) -> str:
    """A TOML value as PostgreSQL prints it."""
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            return value.isoformat(sep=" ")
        return value.astimezone(datetime.UTC).isoformat(sep=" ").removesuffix(":00")
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else str(value)
