"""Sizes of the files a table is stored in: heap, indexes, TOAST."""

from __future__ import annotations

from collections.abc import Sequence

from partadvisor.io.collect.session import Session
from partadvisor.model.base import Value

_BLOCK_BYTES = 8192


class Part(Value, frozen=True, kw_only=True):
    """One relation with data of table ``table``; ``bytes`` is the size of its main fork."""

    table: int
    oid: int
    via: str
    bytes: int


def storage_parts(session: Session, oids: list[int]) -> list[Part]:
    """Heap, indexes and TOAST of the relations with their sizes, inside the current transaction.

    The size of a relation under somebody's ACCESS EXCLUSIVE lock is the planner's last estimate.
    """
    rows = session.rows("storage_parts", {"oids": oids})
    measured = session.unlocked("exact sizes", "sizes", [row["oid"] for row in rows])
    sizes = {row["oid"]: row["bytes"] for row in measured}
    parts = []
    for row in rows:
        size = sizes.get(row["oid"])
        known = row["pages"] * _BLOCK_BYTES if size is None else size
        parts.append(Part(table=row["table_oid"], oid=row["oid"], via=row["via"], bytes=known))
    return parts


def sum_by_table(parts: Sequence[Part]) -> dict[int, tuple[int, int, int]]:
    """Bytes of heap, indexes and TOAST by table OID."""
    sums: dict[int, list[int]] = {}
    for part in parts:
        entry = sums.setdefault(part.table, [0, 0, 0])
        entry[("heap", "index", "toast").index(part.via)] += part.bytes
    return {table: (heap, index, toast) for table, (heap, index, toast) in sums.items()}
