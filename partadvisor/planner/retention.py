"""Drops partitions that are older than what is kept: detached first, each by itself, dropped when nobody sees them."""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from partadvisor.model.catalog import Relation
from partadvisor.model.scheme import RangeLevel
from partadvisor.pg.quote import quote_ident, quote_literal, quote_qualified

_MARK = "partadvisor: detached by retention, to be dropped"


def in_comment(relation: Relation) -> str:
    """The table's name on one line: a name may hold a line's end."""
    return " ".join(relation.qualified_name.splitlines())


def retention_script(relation: Relation, level: RangeLevel) -> str:
    """A script for psql with the variable ``keep``: an interval, or for number steps how many values below the largest.

    DETACH CONCURRENTLY where the server allows it: from 14 on, without a DEFAULT partition, outside a transaction.
    """
    column = next(c for c in relation.columns if c.name == level.columns[0])
    table, key = quote_qualified(relation.schema, relation.name), quote_ident(level.columns[0])
    kind = "numeric" if level.step else column.base_type
    newest = f"(SELECT max({key}) FROM {table})"
    limit = f"{newest} - :'keep'::numeric" if level.step else f"(now() - :'keep'::interval)::{kind}"
    example = "1000000" if level.step else "12 months"
    return f"""-- Drops partitions of {in_comment(relation)}
-- whose rows are all older than what is kept: THEIR ROWS ARE GONE.
-- run: psql -X -f upkeep-retention.sql -v keep='{example}' DSN     add -v dry=1 to see the statements only
-- locks: with DETACH CONCURRENTLY SHARE UPDATE EXCLUSIVE on the table, else ACCESS EXCLUSIVE on it and on its DEFAULT
--   partition, asked for half a second; if that is not to be had, the next run goes on. ACCESS EXCLUSIVE on tables that
--   foreign keys connect when a detached partition is dropped. Rows that other tables reference stop it.
-- schedule, with cron:  30 3 * * * psql -X -q -f upkeep-retention.sql -v keep='{example}' DSN
\\set ON_ERROR_STOP on
\\if :{{?keep}}
\\else
  \\echo say what is kept: -v keep='{example}'
  \\quit
\\endif
SET search_path = pg_catalog, pg_temp;
SET lock_timeout = '500ms';
SELECT current_setting('server_version_num')::integer >= 140000 AND NOT EXISTS (
  SELECT FROM pg_partitioned_table p WHERE p.partrelid = {quote_literal(table)}::regclass AND p.partdefid <> 0)
  AS concurrently \\gset
CREATE TEMPORARY TABLE pa_old AS
SELECT c.oid::regclass AS part, c.relname, s.high FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid,
  LATERAL (SELECT substring(pg_get_expr(c.relpartbound, c.oid) FROM $$TO \\(''?([^'')]+)''?\\)$$)::{kind} AS high) s
WHERE i.inhparent = {quote_literal(table)}::regclass AND pg_get_expr(c.relpartbound, c.oid) LIKE 'FOR VALUES%'
  AND s.high <= {limit};
\\if :{{?dry}}
  SELECT format('ALTER TABLE %s DETACH PARTITION %s', {quote_literal(table)}, part) AS would_run
  FROM pa_old ORDER BY high;
  \\quit
\\endif
\\if :concurrently
  -- It waits for transactions that may use the partition, nobody waits for it; an interrupted one is finished first.
  SET lock_timeout = 0;
  SELECT format('ALTER TABLE %s DETACH PARTITION %s FINALIZE', {quote_literal(table)}, i.inhrelid::regclass)
  FROM pg_inherits i WHERE i.inhparent = {quote_literal(table)}::regclass AND i.inhdetachpending \\gexec
\\endif
SELECT format('ALTER TABLE %s DETACH PARTITION %s%s', {quote_literal(table)}, o.part,
    CASE WHEN :'concurrently' THEN ' CONCURRENTLY' ELSE '' END),
  format('COMMENT ON TABLE %s IS %L', o.part, {quote_literal(_MARK)})
FROM pa_old o JOIN pg_inherits i ON i.inhrelid = o.part ORDER BY o.high \\gexec
SET lock_timeout = '500ms';
SELECT format('DROP TABLE %s', c.oid::regclass) FROM pg_class c
WHERE c.relnamespace = {quote_literal(quote_ident(relation.schema))}::regnamespace AND NOT c.relispartition
  AND c.relkind IN ('r', 'p') AND obj_description(c.oid, 'pg_class') = {quote_literal(_MARK)} \\gexec
"""
