"""Identity columns of a table that becomes a partition, and back: the value goes over, the generator is made again."""

from __future__ import annotations

from partadvisor.pg.quote import quote_ident, quote_literal
from partadvisor.planner.copy import Job


def move_identity(job: Job, giver: str, taker: str) -> list[str]:
    """The value goes over, then the partition gives up its own identity, which 17 and later do not allow."""
    return [
        _TAKE.format(giver=quote_literal(giver), taker=quote_literal(taker), column=quote_literal(column.name),
                     drop=f"ALTER TABLE {giver} ALTER COLUMN {quote_ident(column.name)} DROP IDENTITY")
        for column in job.relation.columns
        if column.identity
    ]  # fmt: skip


_TAKE = """DO $partadvisor$
DECLARE old text := pg_get_serial_sequence({giver}, {column}); last bigint; called boolean; step bigint;
BEGIN
  SELECT seqincrement INTO step FROM pg_sequence WHERE seqrelid = old::regclass;
  EXECUTE format('ALTER SEQUENCE %s INCREMENT BY %s', old, step);
  EXECUTE format('SELECT last_value, is_called FROM %s', old) INTO last, called;
  PERFORM setval(pg_get_serial_sequence({taker}, {column}), last, called);
END $partadvisor$;
{drop}"""


def give_identity(job: Job, giver: str, taker: str) -> list[str]:
    """Makes the old table's identity again, like the partitioned table's, and goes on where that is."""
    return [
        _GIVE.format(
            giver=quote_literal(giver), taker=quote_literal(taker), column=quote_literal(column.name),
            kind="ALWAYS" if column.identity == "always" else "BY DEFAULT", schema=quote_literal(job.names.schema),
        )
        for column in job.relation.columns
        if column.identity
    ]  # fmt: skip


_GIVE = """DO $partadvisor$
DECLARE
  old text := pg_get_serial_sequence({giver}, {column});
  made text; s record; last bigint; called boolean; item record;
BEGIN
  SELECT q.*, c.relname INTO s FROM pg_sequence q JOIN pg_class c ON c.oid = q.seqrelid
  WHERE q.seqrelid = old::regclass;
  EXECUTE format('ALTER TABLE %s ALTER COLUMN %I ADD GENERATED {kind} AS IDENTITY '
    '(SEQUENCE NAME %I.%I INCREMENT BY %s MINVALUE %s MAXVALUE %s START WITH %s CACHE %s %s)',
    {taker}, {column}, {schema}, s.relname, s.seqincrement, s.seqmin, s.seqmax, s.seqstart, s.seqcache,
    CASE WHEN s.seqcycle THEN 'CYCLE' ELSE 'NO CYCLE' END);
  made := pg_get_serial_sequence({taker}, {column});
  EXECUTE format('SELECT last_value, is_called FROM %s', old) INTO last, called;
  PERFORM setval(made, last, called);
  FOR item IN SELECT a.* FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = old::regclass AND a.grantee <> c.relowner LOOP
    EXECUTE format('GRANT %s ON SEQUENCE %s TO %s%s', item.privilege_type, made,
      CASE WHEN item.grantee = 0 THEN 'PUBLIC' ELSE format('%I', pg_get_userbyid(item.grantee)) END,
      CASE WHEN item.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
  END LOOP;
  EXECUTE format('COMMENT ON SEQUENCE %s IS %L', made, obj_description(old::regclass, 'pg_class'));
END $partadvisor$"""
