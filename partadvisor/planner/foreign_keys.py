"""Foreign keys in both directions across the swap: dropped, added without a check, validated afterwards.

Up to 17 a partitioned table cannot have a foreign key that is not validated. There each leaf gets it NOT VALID, is
validated on its own, and the parent's key then adopts the leaves' without another check.
"""

from __future__ import annotations

from partadvisor.model.catalog import Constraint, Relation
from partadvisor.pg import versions
from partadvisor.pg.quote import quote_ident, quote_literal, quote_qualified
from partadvisor.planner.names import Names
from partadvisor.planner.obstacles import inbound, outbound
from partadvisor.planner.partitions import Layout

_NOT_VALID = " NOT VALID"


def other_tables(relation: Relation) -> tuple[tuple[str, str], ...]:
    """Plain qualified name and role of each other table that a foreign key connects."""
    found = {}
    for constraint in inbound(relation):
        found[str(constraint.table)] = "referencing"
    for constraint in outbound(relation):
        if constraint.references != relation.qualified_name:
            # a table on both sides needs the stronger lock of a referencing one
            found.setdefault(str(constraint.references), "referenced")
    return tuple(found.items())


def qualified(plain: str) -> str:
    """``schema.table`` quoted; the schema ends at the first dot."""
    schema, _, name = plain.partition(".")
    return quote_qualified(schema, name)


def drop_outbound(relation: Relation, table: str, *, to_itself: bool) -> list[str]:
    """The retired table must not hold back deletes in others, nor may its own keys act while it only mirrors."""
    return [
        f"ALTER TABLE {table} DROP CONSTRAINT {quote_ident(c.name)}"
        for c in outbound(relation)
        if _is_own(c, relation) is to_itself
    ]


def add_outbound(relation: Relation, table: str, *, to_itself: bool | None = None) -> list[str]:
    """Enforced for new rows from now on, the others unchecked; all keys, or only those (not) to the table itself."""
    chosen = [c for c in outbound(relation) if to_itself is None or _is_own(c, relation) is to_itself]
    return [statement for c in chosen for statement in (_add(c, table), *_comment(c, table))]


def _is_own(constraint: Constraint, relation: Relation) -> bool:
    return constraint.references == relation.qualified_name


def restore_outbound(relation: Relation, names: Names, major: int) -> list[str]:
    """To the retired table, on its leaves where it is partitioned and the version cannot do better."""
    leaves = [part for part in names.partitions if part.leaf]
    if not leaves or versions.has("not_valid_foreign_key", major):
        return add_outbound(relation, names.old, to_itself=False)
    return [_add(c, names.part_after(leaf)) for c in outbound(relation) for leaf in leaves]


def add_outbound_checked(relation: Relation, table: str) -> list[str]:
    """As :func:`add_outbound`, checking the rows that are there."""
    return [statement.removesuffix(_NOT_VALID) for statement in add_outbound(relation, table)]


def add_outbound_partitioned(relation: Relation, names: Names, layout: Layout, major: int) -> list[str]:
    """The same for the partitioned table, on its leaves where the version cannot do better."""
    if versions.has("not_valid_foreign_key", major):
        return add_outbound(relation, names.source)
    return [_add(c, names.in_schema(leaf.name)) for c in outbound(relation) for leaf in layout.leaves]


def validate_outbound(relation: Relation, names: Names, layout: Layout, major: int) -> list[str]:
    """One statement for each check of rows; each may be a transaction of its own."""
    if versions.has("not_valid_foreign_key", major):
        return [_validate(c, names.source) for c in outbound(relation)]
    return [_validate(c, names.in_schema(leaf.name)) for c in outbound(relation) for leaf in layout.leaves]


def adopt_outbound(relation: Relation, names: Names, major: int) -> list[str]:
    """Up to 17: the partitioned table's own foreign key, which takes over the validated ones of the leaves."""
    if versions.has("not_valid_foreign_key", major) or not outbound(relation):
        return []
    added = [_add(c, names.source).removesuffix(_NOT_VALID) for c in outbound(relation)]
    return added + _comments(relation, names.source)


def drop_inbound(relation: Relation) -> list[str]:
    """Other tables' foreign keys to whatever they point at now."""
    return [f"ALTER TABLE {qualified(str(c.table))} DROP CONSTRAINT {quote_ident(c.name)}" for c in inbound(relation)]


def add_inbound(relation: Relation) -> list[str]:
    """The same keys, to what has the name now, unchecked for present rows."""
    statements = []
    for constraint in inbound(relation):
        table = qualified(str(constraint.table))
        statements += [_add(constraint, table), *_comment(constraint, table)]
    return statements


def validate_inbound(relation: Relation) -> list[str]:
    """Those that were valid before become valid again."""
    return [_validate(c, qualified(str(c.table))) for c in inbound(relation) if c.validated]


def validate_old(relation: Relation, names: Names, major: int) -> list[str]:
    """After a swap back."""
    leaves = [part for part in names.partitions if part.leaf]
    if not leaves or versions.has("not_valid_foreign_key", major):
        return [_validate(c, names.source) for c in outbound(relation)]
    checked = [_validate(c, names.part_before(leaf)) for c in outbound(relation) for leaf in leaves]
    return checked + adopt_outbound(relation, names, major)


def _add(constraint: Constraint, table: str) -> str:
    suffix = "" if constraint.definition.endswith(_NOT_VALID) else _NOT_VALID
    return f"ALTER TABLE {table} ADD CONSTRAINT {quote_ident(constraint.name)} {constraint.definition}{suffix}"


def _validate(constraint: Constraint, table: str) -> str:
    return f"ALTER TABLE {table} VALIDATE CONSTRAINT {quote_ident(constraint.name)}"


def _comments(relation: Relation, table: str) -> list[str]:
    return [statement for constraint in outbound(relation) for statement in _comment(constraint, table)]


def _comment(constraint: Constraint, table: str) -> list[str]:
    if not constraint.comment:
        return []
    name = quote_ident(constraint.name)
    return [f"COMMENT ON CONSTRAINT {name} ON {table} IS {quote_literal(constraint.comment)}"]
