"""Reads columns with their defaults, sequences and statistics."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec

from partadvisor.io.collect.session import Row, Session
from partadvisor.model.catalog import Column, ColumnStatistics


def read_columns(session: Session, oids: list[int]) -> dict[int, tuple[Column, ...]]:
    """Live columns by relation OID, in order of their number."""
    params = {"oids": oids}
    defaults = _by_number(session.unlocked("column defaults", "defaults", oids), "expression")
    sequences = _by_number(session.rows("owned_sequences", params), "sequence")
    statistics = _statistics(session, oids)
    columns: dict[int, list[Column]] = defaultdict(list)
    for row in session.rows("columns", params):
        oid, number = row.pop("relation_oid"), row["number"]
        row["default"] = defaults.get((oid, number))
        row["owned_sequence"] = sequences.get((oid, number))
        row["statistics"] = statistics.get((oid, row["name"]))
        columns[oid].append(msgspec.convert(row, Column))
    return {oid: tuple(found) for oid, found in columns.items()}


def _by_number(rows: list[Row], field: str) -> dict[tuple[int, int], Any]:
    return {(row["relation_oid"], row["number"]): row[field] for row in rows}


def _statistics(session: Session, oids: list[int]) -> dict[tuple[int, str], ColumnStatistics]:
    """Statistics of the whole tree where there are any for a partitioned table, else of the relation itself."""
    rows = session.attempt("column statistics", lambda: session.rows("statistics", {"oids": oids})) or []
    _note_unreadable(session, oids)
    chosen: dict[tuple[int, str], ColumnStatistics] = {}
    # a table with inheritance children has both; its own rows are the ones an INSERT adds to
    for row in sorted(rows, key=lambda r: r["inherited"], reverse=True):
        chosen[(row["relation_oid"], row["column_name"])] = _column_statistics(row)
    return chosen


def _note_unreadable(session: Session, oids: list[int]) -> None:
    """A member of pg_monitor sees every counter, but statistics only of columns it may read."""
    for row in session.rows("unreadable_tables", {"oids": oids}):
        if row["tables"]:
            others = f" and {row['tables'] - 1} more" if row["tables"] > 1 else ""
            session.note(f"column statistics of {row['example']}{others}: GRANT SELECT on them to the role")


def _column_statistics(row: Row) -> ColumnStatistics:
    values, shares = row["common_values"] or (), row["common_shares"] or ()
    return ColumnStatistics(
        null_fraction=row["null_fraction"],
        n_distinct=row["n_distinct"],
        avg_width=row["avg_width"],
        correlation=row["correlation"],
        most_common=tuple(zip(values, shares, strict=True)) if values else (),
        histogram=tuple(row["histogram"] or ()),
        inherited=row["inherited"],
    )
