"""What pruning has to know about the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from partadvisor.model.catalog import Relation
from partadvisor.pg.hashing.types import base_name
from partadvisor.pg.ordering import is_text, order_key, sorts_like_bytes


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """``type`` is the base type. ``sorted`` is false when text has an order that only the server knows.

    ``comparable`` is false under a nondeterministic collation, where different texts may be equal. ``labels`` are an
    enum's, in order; empty when it is none, or when they were not collected. ``declared`` is the domain, if it is one.
    """

    type: str
    not_null: bool = False
    sorted: bool = True
    comparable: bool = True
    labels: tuple[str, ...] = ()
    declared: str = ""
    collation: str = "default"

    def has_collation(self, name: str) -> bool:
        """Whether this is the column's collation, both as SQL writes them."""
        return _bare(self.collation) == _bare(name)

    def order(self, text: str, type_name: str | None = None) -> Any:
        """The key of a value of this column, or of another type of its family; None when it is not known."""
        if not self.sorted:
            return None
        return order_key(type_name or self.type, text, () if type_name else self.labels)


def column_facts(
    relation: Relation, *, default_collation: str | None = None, labels: Mapping[str, tuple[str, ...]] | None = None
) -> dict[str, ColumnFacts]:
    """Facts of every column of a relation.

    Args:
        relation: from the catalog.
        default_collation: the database's; None when it is not known.
        labels: of enum types by their name.
    """
    found = {}
    for column in relation.columns:
        collation = column.collation or default_collation
        text = is_text(column.base_type)
        found[column.name] = ColumnFacts(
            type=column.base_type,
            not_null=column.not_null,
            sorted=not text or (collation is not None and sorts_like_bytes(collation)),
            comparable=column.collation_deterministic,
            labels=(labels or {}).get(column.base_type, ()),
            collation=column.collation or "default",
            declared="" if base_name(column.type) == base_name(column.base_type) else column.type,
        )
    return found


def _bare(collation: str) -> str:
    return collation.rsplit('."', 1)[-1].removeprefix("pg_catalog.").strip('"')
