"""Statements that stop a migration which would go wrong: changed schema, lock queues, too much left to do.

They are SQL and not part of the runner, so that the numbered files are as safe under psql alone.
"""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from partadvisor.pg.quote import quote_literal
from partadvisor.planner.names import STATE_SCHEMA, TRIGGER_PREFIX, Names
from partadvisor.planner.sync import DRAIN_ROWS, dollar_quote

ATTEMPTS_SETTING = f"{STATE_SCHEMA}.lock_attempts"
ASKED_SETTING = f"{STATE_SCHEMA}.asked_at"
"""When the current transaction first asked for a lock that stops clients."""
_PSQL_ATTEMPTS = 120
_AUTOVACUUM_WAIT_MS = 5000
"""Longer than deadlock_timeout, after which a waiting session makes an autovacuum worker give way."""


def lock_functions(names: Names, others: tuple[str, ...], timeout_ms: int) -> list[str]:
    """Three functions that take locks within ``timeout_ms`` or give back what they got, and try again.

    ``locks()``: ACCESS EXCLUSIVE on the table and ``others`` (quoted); ``lock_table()``: on the table alone;
    ``weak_lock()``: SHARE ROW EXCLUSIVE on the table. The runner allows one attempt, psql many.
    """
    table = names.source
    exclusive = " IN ACCESS EXCLUSIVE MODE"
    return [
        _lock_function(names, "locks", (table, *others), exclusive, timeout_ms),
        _lock_function(names, "lock_table", (table,), exclusive, timeout_ms),
        _lock_function(names, "weak_lock", (table,), " IN SHARE ROW EXCLUSIVE MODE", timeout_ms),
    ]


def _lock_function(names: Names, name: str, tables: tuple[str, ...], mode: str, timeout_ms: int) -> str:
    """First SHARE UPDATE EXCLUSIVE on the first table: it stops no client, but makes autovacuum give way.

    A short lock_timeout alone never would, as that ends the wait before deadlock_timeout. Tables that we may not
    lock by themselves are left to the statements that need them.
    """
    listed = ", ".join(quote_literal(table) for table in tables)
    first = quote_literal(tables[0])
    body = f"""DECLARE
  pa_tables text[] := ARRAY[{listed}];
  pa_attempts integer := coalesce(nullif(current_setting('{ATTEMPTS_SETTING}', true), ''), '{_PSQL_ATTEMPTS}')::integer;
  pa_table text; pa_end timestamptz; pa_left integer;
BEGIN
  PERFORM set_config('lock_timeout', '{_AUTOVACUUM_WAIT_MS}', true);
  EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', {first});
  FOR pa_attempt IN 1 .. pa_attempts LOOP
    BEGIN
      PERFORM set_config('{ASKED_SETTING}', clock_timestamp()::text, true);
      pa_end := clock_timestamp() + interval '{timeout_ms} milliseconds';
      FOREACH pa_table IN ARRAY pa_tables LOOP
        CONTINUE WHEN NOT has_table_privilege(pa_table, 'UPDATE,DELETE,TRUNCATE');
        pa_left := ceil(extract(epoch FROM pa_end - clock_timestamp()) * 1000);
        PERFORM set_config('lock_timeout', greatest(pa_left, 1)::text, true);
        EXECUTE format('LOCK TABLE %s{mode}', pa_table);
      END LOOP;
      PERFORM set_config('lock_timeout', '{timeout_ms}', true);
      RETURN;
    EXCEPTION WHEN lock_not_available THEN
      IF pa_attempt = pa_attempts THEN RAISE; END IF;
    END;
    PERFORM pg_sleep(0.5 + random());
  END LOOP;
END"""
    return (
        f"CREATE OR REPLACE FUNCTION {names.state(name)}() RETURNS void LANGUAGE plpgsql\n"
        f"SET search_path = pg_catalog, pg_temp AS {dollar_quote(body)}"
    )


def digest_function(names: Names) -> str:
    """``digest()``: a hash of all that the plan relies on in the table's schema, our own triggers left out."""
    body = f"""SELECT md5(concat_ws(E'\\n',
  (SELECT string_agg(concat_ws(' ', attnum, attname, format_type(atttypid, atttypmod), attnotnull, attcollation,
     attidentity, attgenerated, attstattarget, attoptions, attacl), E'\\n' ORDER BY attnum)
   FROM pg_attribute WHERE attrelid = t AND attnum > 0 AND NOT attisdropped),
  (SELECT string_agg(concat_ws(' ', adnum, pg_get_expr(adbin, adrelid)), E'\\n' ORDER BY adnum)
   FROM pg_attrdef WHERE adrelid = t),
  (SELECT string_agg(concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)), E'\\n'
     ORDER BY conrelid, conname) FROM pg_constraint WHERE conrelid = t OR confrelid = t),
  (SELECT string_agg(concat_ws(' ', pg_get_indexdef(indexrelid), indisvalid, indisreplident), E'\\n'
     ORDER BY indexrelid) FROM pg_index WHERE indrelid = t),
  (SELECT string_agg(concat_ws(' ', pg_get_triggerdef(oid), tgenabled), E'\\n' ORDER BY tgname)
   FROM pg_trigger WHERE tgrelid = t AND NOT tgisinternal AND tgname NOT LIKE '{TRIGGER_PREFIX}%'),
  (SELECT string_agg(concat_ws(' ', polname, polcmd, polpermissive, polroles, pg_get_expr(polqual, polrelid),
     pg_get_expr(polwithcheck, polrelid)), E'\\n' ORDER BY polname) FROM pg_policy WHERE polrelid = t),
  (SELECT concat_ws(' ', relname, relnamespace, relowner, relacl, reloptions, relrowsecurity, relforcerowsecurity,
     relreplident, reltablespace) FROM pg_class WHERE oid = t),
  (SELECT string_agg(DISTINCT concat_ws(' ', classid, objid, deptype), E'\\n') FROM pg_depend
   WHERE refclassid = 'pg_class'::regclass AND refobjid = t
     AND classid NOT IN ('pg_trigger'::regclass, 'pg_constraint'::regclass)
     AND NOT (classid = 'pg_class'::regclass AND deptype = 'a'
       AND EXISTS (SELECT FROM pg_class s WHERE s.oid = objid AND s.relkind = 'S')))))"""
    return (
        f"CREATE OR REPLACE FUNCTION {names.state('digest')}(t regclass) RETURNS text LANGUAGE sql\n"
        f"SET search_path = pg_catalog, pg_temp AS {dollar_quote(body)}"
    )


def remember_digest(names: Names) -> str:
    """Writes down the schema as it is now."""
    return (
        f"INSERT INTO {names.state('fact')}\n"
        f"SELECT 'digest', {names.state('digest')}({quote_literal(names.source)}::regclass) ON CONFLICT DO NOTHING"
    )


def assert_ready(names: Names) -> str:
    """Under the locks: the schema is still the one the plan was made for, and only few changes are left to apply."""
    body = f"""BEGIN
  IF {names.state("digest")}({quote_literal(names.source)}::regclass) IS DISTINCT FROM
     (SELECT value FROM {names.state("fact")} WHERE name = 'digest') THEN
    RAISE EXCEPTION 'the definition of the table has changed since the migration began'
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Roll the migration back and plan it again.';
  END IF;
  IF (SELECT count(*) FROM (SELECT FROM {names.state("changes")} LIMIT {20 * DRAIN_ROWS}) c) = {20 * DRAIN_ROWS} THEN
    RAISE EXCEPTION 'too many changes are waiting to be applied' USING ERRCODE = 'lock_not_available';
  END IF;
END"""
    return f"DO {dollar_quote(body)}"
