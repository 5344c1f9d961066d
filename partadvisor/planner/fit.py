"""Whether all rows of a table belong to one partition of a scheme, as far as the snapshot tells.

What is known of values is a sample, so this only chooses; the server proves it before the table is touched.
"""

from __future__ import annotations

from partadvisor.model.catalog import Column, Relation
from partadvisor.model.scheme import HashLevel, ListLevel, Scheme
from partadvisor.model.snapshot import Snapshot
from partadvisor.pg.ordering import equality_key, is_text, order_key, sorts_like_bytes
from partadvisor.pg.quote import quote_ident, quote_literal
from partadvisor.planner.ahead_bound import known_values, likely_next
from partadvisor.planner.attach import Held
from partadvisor.planner.partitions import Layout, Partition, column_of

_REMEDY = "Roll back and plan again with --strategy copy, or with other bounds."


def holding(snapshot: Snapshot, relation: Relation, scheme: Scheme, layout: Layout) -> Partition | str:
    """The partition that all known rows belong to, or why there is none."""
    level = scheme.levels[0]
    if len(scheme.levels) > 1:
        return "the scheme has two levels, so old rows have to be spread"
    if isinstance(level, HashLevel):
        return "hash partitions divide the rows that are there"
    if len(level.columns) > 1:
        return "the key has several columns"
    column = column_of(relation, level.columns[0])
    values = known_values(snapshot, relation, column)
    if not values:
        return f'the values of column "{column.name}" are not known; ANALYZE the table and collect again'
    if isinstance(level, ListLevel):
        return _in_list(column, values, layout)
    return _in_range(column, values, layout)


def grows_out(snapshot: Snapshot, relation: Relation, scheme: Scheme, part: Partition) -> bool:
    """Whether new rows may soon belong beyond the partition: the key looks like a counter or a clock near its end."""
    if part.high is None:
        return False
    column = column_of(relation, scheme.levels[0].columns[0])
    near = likely_next(snapshot, relation, column)
    return near is None or bool(order_key(column.base_type, near) > order_key(column.base_type, part.high))


def held_by(relation: Relation, scheme: Scheme, part: Partition) -> Held:
    """The table as that partition, with the CHECK that implies the partition's bound."""
    column = column_of(relation, scheme.levels[0].columns[0])
    name = quote_ident(column.name)
    check, outside = _of_list(name, part) if part.values else _of_range(name, part)
    suffix = part.name.removeprefix(relation.name)
    return Held(
        name=part.name,
        suffix=suffix if suffix != part.name else f"_{part.name[-8:]}",
        bound=part.bound,
        check=check,
        outside=outside,
        remedy=_REMEDY,
    )


def _of_list(name: str, part: Partition) -> tuple[str, str]:
    literals = ", ".join(quote_literal(v) for v in part.values if v is not None)
    among = f"{name} IN ({literals})" if literals else "false"
    if None in part.values:
        return f"{name} IS NULL OR {among}", f"NOT ({among})"
    return f"{name} IS NOT NULL AND {among}", f"{name} IS NULL OR NOT ({among})"


def _of_range(name: str, part: Partition) -> tuple[str, str]:
    low = [(f"{name} >= {quote_literal(part.low)}", f"{name} < {quote_literal(part.low)}")] if part.low else []
    high = [(f"{name} < {quote_literal(part.high)}", f"{name} >= {quote_literal(part.high)}")] if part.high else []
    both = [(f"{name} IS NOT NULL", f"{name} IS NULL"), *low, *high]
    return " AND ".join(inside for inside, _ in both), " OR ".join(outside for _, outside in both)


def _in_list(column: Column, values: list[str], layout: Layout) -> Partition | str:
    statistics = column.statistics
    if statistics is None or statistics.histogram or not 0 < statistics.n_distinct <= len(statistics.most_common):
        return f'column "{column.name}" may have values that the statistics do not name'
    wanted = {equality_key(column.base_type, value) for value in values} | (
        {None} if statistics.null_fraction else set()
    )
    for part in layout.parts:
        if wanted <= {None if v is None else equality_key(column.base_type, v) for v in part.values}:
            return part
    return f'rows with different values of column "{column.name}" belong to different partitions'


def _in_range(column: Column, values: list[str], layout: Layout) -> Partition | str:
    if is_text(column.base_type) and not sorts_like_bytes(column.collation or ""):
        return f'how values of column "{column.name}" sort is known to the server only'
    if column.statistics and column.statistics.null_fraction:
        return f'column "{column.name}" has rows that are NULL, which belong to the DEFAULT partition'
    keys = [order_key(column.base_type, value) for value in values]
    if None in keys:
        return f'how values of column "{column.name}" sort is known to the server only'
    for part in layout.parts:
        above = part.low is None or order_key(column.base_type, part.low) <= min(keys)
        below = part.high is None or max(keys) < order_key(column.base_type, part.high)
        if above and below and part.bound != "DEFAULT":
            return part
    return f'rows with different values of column "{column.name}" belong to different partitions'
