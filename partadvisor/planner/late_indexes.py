"""Indexes that only serve reads are built after the fill: leaf by leaf, concurrently, then attached to the parent's.

A fill that keeps them up to date row by row takes far longer than sorting each leaf once. Unique ones are there from
the start, because the mirror needs them. Clients write to the leaves all the time, so that a plain CREATE INDEX
would stop them for as long as it takes; CREATE INDEX CONCURRENTLY does not, but has to run outside a transaction.
"""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from collections import Counter

from partadvisor.model.catalog import Index, Relation
from partadvisor.pg.quote import quote_literal
from partadvisor.planner.definitions import index_body, index_on
from partadvisor.planner.names import Names
from partadvisor.planner.partitions import Layout
from partadvisor.planner.sync import dollar_quote

_NAMED_BYTES = 24
"""Of the columns' part of an index's name that are surely kept where the server cuts it to fit."""


def late_indexes(relation: Relation) -> tuple[Index, ...]:
    """Those that can wait.

    The server numbers leaf indexes that want the same name in the order they are made in, so whose names could
    meet are made in their usual order, at once. So are those with an expression or a predicate: a function in it
    that fails has to fail in the rehearsal, not after a long fill.
    """
    wanted = Counter(_wanted_name(index) for index in relation.indexes)
    plain = (i for i in relation.indexes if i.valid and not (i.unique or i.constraint or i.exclusion or i.predicate))
    return tuple(index for index in plain if all(index.columns) and wanted[_wanted_name(index)] == 1)


def _wanted_name(index: Index) -> str:
    columns = "_".join(column or "" for column in (*index.columns, *index.included))
    return columns.encode()[:_NAMED_BYTES].decode(errors="ignore") if all(index.columns) else ""


def declare(names: Names, relation: Relation, layout: Layout) -> list[str]:
    """The parents' indexes, of no use until each leaf has its part."""
    middle = [names.in_schema(part.name) for part in layout.tree if part.parts]
    statements = []
    for index in late_indexes(relation):
        statements.append(index_on(index, f"ONLY {names.new}"))
        statements += [f"CREATE INDEX ON ONLY {table} {index_body(index)}" for table in middle]
        if index.comment:
            statements.append(f"COMMENT ON INDEX {names.in_new(index.name)} IS {quote_literal(index.comment)}")
    return statements


def build_query(names: Names, relation: Relation) -> str:
    """Gives the statements that are left to run, one a row, each outside a transaction.

    An interruption leaves an invalid index, which is dropped first and built when the query is asked again.
    """
    wanted = ",\n    ".join(
        f"({quote_literal(names.in_new(index.name))}::regclass, {quote_literal(index_body(index))})"
        for index in late_indexes(relation)
    )
    return f"""SELECT CASE WHEN c.indexrelid IS NULL THEN format('CREATE INDEX CONCURRENTLY ON %s %s', t.relid, w.body)
  ELSE format('DROP INDEX CONCURRENTLY %s', c.indexrelid::regclass) END
FROM (VALUES {wanted}) w(index, body)
JOIN pg_index p ON p.indexrelid = w.index
CROSS JOIN pg_partition_tree({quote_literal(names.new)}) t
LEFT JOIN pg_index c ON c.indrelid = t.relid AND {_SAME}
WHERE t.isleaf AND c.indisvalid IS NOT TRUE
ORDER BY t.relid::oid, w.index::oid"""


_SAME = """NOT (c.indisunique OR p.indisunique)
  AND (c.indnkeyatts, c.indkey::text, c.indclass::text, c.indcollation::text, c.indoption::text)
    = (p.indnkeyatts, p.indkey::text, p.indclass::text, p.indcollation::text, p.indoption::text)
  AND pg_get_expr(c.indexprs, c.indrelid) IS NOT DISTINCT FROM pg_get_expr(p.indexprs, p.indrelid)
  AND pg_get_expr(c.indpred, c.indrelid) IS NOT DISTINCT FROM pg_get_expr(p.indpred, p.indrelid)"""
"""Whether two indexes say the same; columns have the same numbers in all our tables."""


def attach_function(names: Names) -> str:
    """``attach_index()``: attaches one index to its parent's, or gives 0 when all are.

    One in a transaction: it locks the leaf's index, which clients' mirrored inserts hold in an order of their own.
    """
    body = f"""DECLARE pa_parent regclass; pa_child regclass;
BEGIN
  SELECT p.indexrelid, c.indexrelid INTO pa_parent, pa_child
  FROM pg_partition_tree({quote_literal(names.new)}) t
  JOIN pg_index p ON p.indrelid = t.parentrelid
  JOIN pg_index c ON c.indrelid = t.relid AND {_SAME}
  WHERE (c.indisvalid OR NOT t.isleaf)
    AND NOT EXISTS (SELECT FROM pg_inherits h WHERE h.inhrelid = c.indexrelid)
    AND NOT EXISTS (SELECT FROM pg_inherits h JOIN pg_index o ON o.indexrelid = h.inhrelid
      WHERE h.inhparent = p.indexrelid AND o.indrelid = t.relid)
  ORDER BY t.level DESC, t.relid::oid LIMIT 1;
  IF pa_child IS NULL THEN RETURN 0; END IF;
  EXECUTE format('ALTER INDEX %s ATTACH PARTITION %s', pa_parent, pa_child);
  RETURN 1;
END"""
    return (
        f"CREATE OR REPLACE FUNCTION {names.state('attach_index')}() RETURNS bigint LANGUAGE plpgsql\n"
        f"SET search_path = pg_catalog, pg_temp AS {dollar_quote(body)}"
    )
