"""Statements that make the partitioned table: columns, partitions, indexes, constraints and per-leaf settings.

``LIKE`` copies columns with types, defaults, generated expressions, identity, storage, comments and checks exactly as
the server has them; what LIKE leaves out is added from the snapshot. What clients would notice (grants, row
security, triggers, foreign keys) belongs to the swap.
"""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.model.catalog import Index, Relation
from partadvisor.pg.quote import quote_ident, quote_literal
from partadvisor.planner.definitions import index_on, index_storage
from partadvisor.planner.names import Names
from partadvisor.planner.partitions import Layout, Partition

_COMPRESSION_SINCE = 14
_ACCESS_METHOD_SINCE = 17


def create_table(
    names: Names, relation: Relation, layout: Layout, major: int, late: tuple[Index, ...] = ()
) -> list[str]:
    """The partitioned table with all partitions, constraints, and indexes but the ``late`` ones, still empty."""
    owner = quote_ident(relation.owner)
    return [
        _parent(names, relation, layout, major),
        f"ALTER TABLE {names.new} OWNER TO {owner}",
        *_partitions(names, relation, layout),
        *leaf_settings(relation, names.new),
        *(statement for index in relation.indexes if index not in late for statement in _index(names, relation, index)),
        *_identity_names(names, relation),
        strip_default_privileges(names, layout),
    ]


def _parent(names: Names, relation: Relation, layout: Layout, major: int) -> str:
    copied = ["DEFAULTS", "CONSTRAINTS", "GENERATED", "IDENTITY", "STORAGE", "COMMENTS"]
    if major >= _COMPRESSION_SINCE:
        copied.append("COMPRESSION")
    like = " ".join(f"INCLUDING {what}" for what in copied)
    return f"CREATE TABLE {names.new} (LIKE {names.source} {like})\nPARTITION BY {layout.key}{_method(relation, major)}"


def _method(relation: Relation, major: int) -> str:
    custom = relation.access_method not in {None, "heap"} and major >= _ACCESS_METHOD_SINCE
    return f" USING {quote_ident(str(relation.access_method))}" if custom else ""


def _partitions(names: Names, relation: Relation, layout: Layout) -> Iterator[str]:
    for part in layout.parts:
        yield from _partition(names, names.new, part, relation)


def _partition(names: Names, parent: str, part: Partition, relation: Relation) -> Iterator[str]:
    table = names.in_schema(part.name)
    key = f"\nPARTITION BY {part.key}" if part.key else leaf_options(relation)
    yield f"CREATE TABLE {table} PARTITION OF {parent} {part.bound}{key}"
    yield f"ALTER TABLE {table} OWNER TO {quote_ident(relation.owner)}"
    for child in part.parts:
        yield from _partition(names, table, child, relation)


def leaf_options(relation: Relation) -> str:
    """Storage parameters, which only leaves can have."""
    options = [*relation.options, *(f"toast.{option}" for option in relation.toast_options)]
    words = ", ".join(f"{name} = {quote_literal(value)}" for name, _, value in (o.partition("=") for o in options))
    method = relation.access_method
    using = f" USING {quote_ident(method)}" if method not in {None, "heap"} and method else ""
    place = f" TABLESPACE {quote_ident(relation.tablespace)}" if relation.tablespace else ""
    return using + (f" WITH ({words})" if words else "") + place


def leaf_settings(relation: Relation, table: str) -> Iterator[str]:
    """Column settings of ``table`` (quoted), which LIKE leaves out."""
    for column in relation.columns:
        name = quote_ident(column.name)
        if column.statistics_target is not None:
            yield f"ALTER TABLE {table} ALTER COLUMN {name} SET STATISTICS {column.statistics_target}"
        if column.options:
            words = ", ".join(f"{n} = {v}" for n, _, v in (option.partition("=") for option in column.options))
            yield f"ALTER TABLE {table} ALTER COLUMN {name} SET ({words})"


def _index(names: Names, relation: Relation, index: Index) -> Iterator[str]:
    if index.constraint:
        constraint = next(c for c in relation.constraints if c.name == index.constraint)
        yield (
            f"ALTER TABLE {names.new} ADD CONSTRAINT {quote_ident(constraint.name)} "
            f"{constraint.definition}{index_storage(index)}"
        )
        if constraint.comment:
            yield (
                f"COMMENT ON CONSTRAINT {quote_ident(constraint.name)} ON {names.new} "
                f"IS {quote_literal(constraint.comment)}"
            )
    else:
        yield index_on(index, names.new)
    if index.comment:
        yield f"COMMENT ON INDEX {names.in_new(index.name)} IS {quote_literal(index.comment)}"


def _identity_names(names: Names, relation: Relation) -> Iterator[str]:
    """LIKE chooses the sequence's name; it gets the old one, and its privileges and comment."""
    for column in relation.columns:
        if not column.identity:
            continue
        arguments = (quote_literal(names.new), quote_literal(column.name), quote_literal(names.source))
        yield _IDENTITY.format(new=arguments[0], column=arguments[1], old=arguments[2])


_IDENTITY = """DO $partadvisor$
DECLARE
  old regclass := pg_get_serial_sequence({old}, {column});
  new regclass := pg_get_serial_sequence({new}, {column});
  wanted name := (SELECT relname FROM pg_class WHERE oid = old);
  item record;
BEGIN
  IF (SELECT relname FROM pg_class WHERE oid = new) <> wanted THEN
    EXECUTE format('ALTER SEQUENCE %s RENAME TO %I', new, wanted);
  END IF;
  EXECUTE format('ALTER SEQUENCE %s AS %s', new,
    (SELECT format_type(seqtypid, NULL) FROM pg_sequence WHERE seqrelid = old));
  FOR item IN SELECT a.* FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = old AND a.grantee <> c.relowner LOOP
    EXECUTE format('GRANT %s ON SEQUENCE %s TO %s%s', item.privilege_type, new,
      CASE WHEN item.grantee = 0 THEN 'PUBLIC' ELSE format('%I', pg_get_userbyid(item.grantee)) END,
      CASE WHEN item.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
  END LOOP;
  EXECUTE format('COMMENT ON SEQUENCE %s IS %L', new, obj_description(old, 'pg_class'));
END $partadvisor$"""


def strip_default_privileges(names: Names, layout: Layout) -> str:
    """Takes back what ALTER DEFAULT PRIVILEGES gave to the new relations: a leaf has no row security of its own."""
    tables = ", ".join(quote_literal(t) for t in (names.new, *(names.in_schema(p.name) for p in layout.tree)))
    return f"""DO $partadvisor$
DECLARE item record;
BEGIN
  FOR item IN SELECT DISTINCT c.oid::regclass AS relation, a.grantee
    FROM unnest(ARRAY[{tables}]::regclass[]) u(oid) JOIN pg_class c ON c.oid = u.oid, aclexplode(c.relacl) a
    WHERE a.grantee <> c.relowner LOOP
    EXECUTE format('REVOKE ALL ON TABLE %s FROM %s', item.relation,
      CASE WHEN item.grantee = 0 THEN 'PUBLIC' ELSE format('%I', pg_get_userbyid(item.grantee)) END);
  END LOOP;
END $partadvisor$"""
