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
"""Since when the current transaction stops clients, or would if its longest failed try had gone on to now."""
_PSQL_ATTEMPTS = 120
_LATER_LOCK_MS = 40
_QUICK_TRIES = 60
AUTOVACUUM_WAIT_MS = 5000
"""Longer than deadlock_timeout, after which a waiting session makes an autovacuum worker give way."""


EXCLUSIVE = "ACCESS EXCLUSIVE"
NO_WRITES = "SHARE ROW EXCLUSIVE"


def lock_functions(names: Names, referencing: tuple[str, ...], referenced: tuple[str, ...], ms: int) -> list[str]:
    """Functions that take a set of locks within ``ms``, or give back what they got and try again.

    ``locks()`` is for the swap, ``locks_back()`` for the way back, ``lock_table()`` and ``weak_lock()`` for the table
    alone, ``locks_adopt()`` for the parent's foreign keys, ``locks_release()`` for those of the retired table. Tables
    are quoted. The swap stops only writes to the tables it references: clients read them in the same transactions
    in which they write this one, so a stronger lock would hardly ever be free.
    """
    own, inward = (names.source, EXCLUSIVE), tuple((table, EXCLUSIVE) for table in referencing)
    sets = {
        "locks": (own, *inward, *((table, NO_WRITES) for table in referenced)),
        "locks_back": (own, *inward),
        "locks_attach": (own, *inward, *((table, EXCLUSIVE) for table in referenced)),
        "locks_write": tuple((table, NO_WRITES) for table in referenced),
        "lock_table": (own,),
        "weak_lock": ((names.source, NO_WRITES),),
        "locks_adopt": ((names.source, NO_WRITES), *((table, EXCLUSIVE) for table in referenced)),
        "locks_release": tuple((table, EXCLUSIVE) for table in referenced),
    }
    return [_lock_function(names, name, wanted, ms) for name, wanted in sets.items() if wanted]


LOCK_FUNCTIONS = (
    "locks", "locks_back", "locks_attach", "locks_write", "lock_table", "weak_lock", "locks_adopt", "locks_release",
)  # fmt: skip


def _lock_function(names: Names, name: str, wanted: tuple[tuple[str, str], ...], ms: int) -> str:
    """First SHARE UPDATE EXCLUSIVE on the first table and its partitions: no client waits, but autovacuum gives way.

    A short lock_timeout alone never would, as that ends the wait before deadlock_timeout. Then each try takes the
    locks in another order. Clients that hold one of the tables and want another that we have cannot go on, nor can we:
    so a later lock is waited for only briefly, and soon tried again. A first lock that is not to be had is a matter
    of patience, for the caller. Tables that we may not lock by themselves are left to the statements that need them.
    """
    tables = ", ".join(quote_literal(table) for table, _ in wanted)
    modes = ", ".join(quote_literal(mode) for _, mode in wanted)
    body = f"""DECLARE
  pa_tables text[] := ARRAY[{tables}];
  pa_modes text[] := ARRAY[{modes}];
  pa_attempts integer := coalesce(nullif(current_setting('{ATTEMPTS_SETTING}', true), ''), '{_PSQL_ATTEMPTS}')::integer;
  pa_item record; pa_end timestamptz; pa_left integer; pa_got integer; pa_tries integer := 0;
  pa_asked timestamptz; pa_longest interval := '0';
BEGIN
  PERFORM set_config('lock_timeout', '{AUTOVACUUM_WAIT_MS}', true);
  EXECUTE format('LOCK TABLE %s IN SHARE UPDATE EXCLUSIVE MODE', pa_tables[1]);
  WHILE pa_attempts > 0 LOOP
    BEGIN
      pa_asked := clock_timestamp();
      pa_end := pa_asked + interval '{ms} milliseconds';
      pa_got := 0;
      FOR pa_item IN SELECT u.name, u.mode FROM unnest(pa_tables, pa_modes) u(name, mode)
          WHERE has_table_privilege(u.name, 'UPDATE,DELETE,TRUNCATE') ORDER BY random() LOOP
        pa_left := greatest(ceil(extract(epoch FROM pa_end - clock_timestamp()) * 1000)::integer, 1);
        IF pa_got > 0 AND pa_tries % 8 <> 7 THEN pa_left := least(pa_left, {_LATER_LOCK_MS}); END IF;
        PERFORM set_config('lock_timeout', pa_left::text, true);
        EXECUTE format('LOCK TABLE %s IN %s MODE', pa_item.name, pa_item.mode);
        pa_got := pa_got + 1;
      END LOOP;
      PERFORM set_config('lock_timeout', '{ms}', true);
      -- the longest failed try counts as well: whatever is longer in the end, it or this one
      PERFORM set_config('{ASKED_SETTING}', least(pa_asked, clock_timestamp() - pa_longest)::text, true);
      RETURN;
    EXCEPTION WHEN lock_not_available THEN
      pa_tries := pa_tries + 1;
      pa_longest := greatest(pa_longest, clock_timestamp() - pa_asked);
      IF pa_got = 0 OR pa_tries > {_QUICK_TRIES} THEN pa_attempts := pa_attempts - 1; END IF;
      IF pa_attempts = 0 THEN RAISE; END IF;
    END;
    PERFORM pg_sleep(CASE WHEN pa_got = 0 THEN 0.5 + random() ELSE 0.02 + random() * 0.1 END);
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


def assert_same_schema(names: Names) -> str:
    """Under the locks: the schema is still the one the plan was made for."""
    return f"DO {dollar_quote(f'BEGIN{_same_schema(names)}{chr(10)}END')}"


def _same_schema(names: Names) -> str:
    return f"""
  IF {names.state("digest")}({quote_literal(names.source)}::regclass) IS DISTINCT FROM
     (SELECT value FROM {names.state("fact")} WHERE name = 'digest') THEN
    RAISE EXCEPTION 'the definition of the table has changed since the migration began'
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Roll the migration back and plan it again.';
  END IF;"""


def assert_ready(names: Names) -> str:
    """Under the locks: the same, and only few changes are left to apply."""
    body = f"""BEGIN{_same_schema(names)}
  IF (SELECT count(*) FROM (SELECT FROM {names.state("changes")} LIMIT {20 * DRAIN_ROWS}) c) = {20 * DRAIN_ROWS} THEN
    RAISE EXCEPTION 'too many changes are waiting to be applied' USING ERRCODE = 'lock_not_available';
  END IF;
END"""
    return f"DO {dollar_quote(body)}"
