"""Chooses the unique key by which rows are copied, mirrored and compared."""

from __future__ import annotations

from partadvisor.model.catalog import Index, Relation
from partadvisor.model.errors import UsageError
from partadvisor.planner.names import Names
from partadvisor.planner.sync import Pair


def sync_key(relation: Relation) -> tuple[str, ...]:
    """The columns of the primary key, else of the first unique index on columns that cannot be NULL.

    Raises:
        UsageError: there is none.
    """
    candidates = [index for index in relation.indexes if _usable(index, relation)]
    if not candidates:
        raise UsageError(
            f'table "{relation.qualified_name}" has no unique key to copy it by',
            detail="Needed is a valid, not deferrable btree index on NOT NULL columns, without a predicate.",
            hint="Add one with CREATE UNIQUE INDEX CONCURRENTLY, for example on an identity column.",
        )
    best = min(candidates, key=lambda index: (not index.primary, len(index.columns), index.name))
    return tuple(column for column in best.columns if column)


def _usable(index: Index, relation: Relation) -> bool:
    plain = index.unique and index.valid and index.immediate and index.method == "btree" and not index.predicate
    return plain and all(column and _not_null(relation, column) for column in index.columns)


def _not_null(relation: Relation, name: str) -> bool:
    column = relation.column(name)
    return column is not None and column.not_null


def pair_of(relation: Relation, source: str, target: str) -> Pair:
    """Source and target with the columns that are copied."""
    key = sync_key(relation)
    stored = [c for c in relation.columns if not c.generated]
    unique = [index for index in relation.indexes if index.unique]
    fixed = any(c.identity == "always" and c.name not in key for c in relation.columns)
    return Pair(
        source=source,
        target=target,
        key=key,
        columns=tuple(c.name for c in stored),
        compared=tuple(c.name for c in relation.columns if c.generated != "virtual"),
        updatable=tuple(c.name for c in stored if c.name not in key),
        other_unique=len(unique) > 1 or fixed,
        path=type_schemas(relation),
    )


def type_schemas(relation: Relation) -> tuple[str, ...]:
    """Schemas of the columns' types, where operators of extension types are found."""
    names = (part for c in relation.columns for part in (schema_of(c.type), schema_of(c.base_type)) if part)
    return tuple(dict.fromkeys(names))


def schema_of(type_text: str) -> str | None:
    """The schema in front of a type name that the server printed qualified, or None."""
    if type_text.startswith('"'):
        quoted, dot, _ = type_text[1:].replace('""', "\0").partition('".')
        return quoted.replace("\0", '"') if dot else None
    head, dot, _ = type_text.partition("(")[0].partition(".")
    return head if dot else None


def forward(relation: Relation, names: Names) -> Pair:
    """Before the swap: from the table to the partitioned one."""
    return pair_of(relation, names.source, names.new)


def backward(relation: Relation, names: Names) -> Pair:
    """After the swap: from the partitioned table, which has the name, to the retired one."""
    return pair_of(relation, names.source, names.old)
