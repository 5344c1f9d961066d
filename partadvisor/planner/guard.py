"""Statements that stop a migration which would go wrong: changed schema, lock queues, too much left to do.

They are SQL and not part of the runner, so that the numbered files are as safe under psql alone.
"""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from partadvisor.pg.quote import quote_literal
from partadvisor.planner.names import STATE_SCHEMA, TRIGGER_PREFIX, Names
from partadvisor.planner.reconcile import DRAIN_ROWS, settled_fact
from partadvisor.planner.sync import dollar_quote

ATTEMPTS_SETTING = f"{STATE_SCHEMA}.lock_attempts"
ASKED_SETTING = f"{STATE_SCHEMA}.asked_at"
"""Since when the current transaction stops clients, or would if its longest failed try had gone on to now."""
MAX_LEFT = 20 * DRAIN_ROWS
"""Changes that are never applied under a lock: some tenths of a second."""
_SETTLE_MARGIN = "1 second"
"""Longer than a commit takes after the last statement of its transaction."""
_PSQL_ATTEMPTS = 120
_LATER_LOCK_MS = 40
_QUICK_TRIES = 60
PATIENT_LOCK_TIMEOUT_MS = 10_000
"""For locks that no client queues behind. Longer than deadlock_timeout (1 s by default), after which a waiting session
makes an autovacuum worker give way; a shorter wait never gets the lock while one is at work."""


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
    """Autovacuum gives way first, also on both copies. Then each try takes the locks in another order.

    Clients that hold one of the tables and want another that we have cannot go on, nor can we: so a later lock is
    waited for only briefly, and soon tried again. A first lock that is not to be had is a matter of patience, for the
    caller. Tables that we may not lock by themselves are left to the statements that need them.
    """
    tables = tuple(table for table, _ in wanted)
    modes = _texts(tuple(mode for _, mode in wanted))
    body = f"""DECLARE
  pa_tables text[] := {_texts(tables)};
  pa_modes text[] := {modes};
  pa_attempts integer := coalesce(nullif(current_setting('{ATTEMPTS_SETTING}', true), ''), '{_PSQL_ATTEMPTS}')::integer;
  pa_item record; pa_end timestamptz; pa_left integer; pa_got integer; pa_tries integer := 0;
  pa_asked timestamptz; pa_longest interval := '0';
BEGIN
  {_outlast(_texts((*tables, names.new, names.old)))};
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


def _outlast(tables: str) -> str:
    """Body of a block that takes SHARE UPDATE EXCLUSIVE on those of the tables that exist, with their partitions.

    No client waits for that lock or behind it, but autovacuum gives way and stays away, which a short lock_timeout
    alone never achieves: it ends the wait before deadlock_timeout. ``tables`` is an expression of type text[].
    """
    detection = "(SELECT setting::integer FROM pg_settings WHERE name = 'deadlock_timeout')"
    patience = f"greatest({PATIENT_LOCK_TIMEOUT_MS}, 3 * {detection})"
    return f"""DECLARE
  pa_table text;
  pa_before text := current_setting('lock_timeout');
BEGIN
  PERFORM set_config('lock_timeout', {patience}::text, true);
  FOREACH pa_table IN ARRAY {tables} LOOP
    IF to_regclass(pa_table) IS NOT NULL AND has_table_privilege(to_regclass(pa_table), 'UPDATE,DELETE,TRUNCATE') THEN
      EXECUTE format('LOCK TABLE %s IN SHARE UPDATE EXCLUSIVE MODE', pa_table);
    END IF;
  END LOOP;
  PERFORM set_config('lock_timeout', pa_before, true);
END"""


def outlast(*tables: str) -> str:
    """Statement for a transaction that is about to lock ``tables`` (quoted): makes autovacuum give way first."""
    return f"DO {dollar_quote(_outlast(_texts(tables)))}"


def _texts(names: tuple[str, ...]) -> str:
    return f"ARRAY[{', '.join(quote_literal(name) for name in names)}]"


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
  (SELECT string_agg(concat_ws(' ', p.relid, p.parentrelid, pg_get_expr(c.relpartbound, c.oid)), E'\\n'
     ORDER BY p.relid) FROM pg_partition_tree(t) p JOIN pg_class c ON c.oid = p.relid WHERE c.oid <> t),
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
    body = f"BEGIN{_same_schema(names)}{_few_left(names, 'changes')}\nEND"
    return f"DO {dollar_quote(body)}"


def assert_few_left(names: Names) -> str:
    """Under the locks of the way back: only few changes are left to apply."""
    body = f"BEGIN{_few_left(names, 'reverse')}\nEND"
    return f"DO {dollar_quote(body)}"


def _few_left(names: Names, notes: str) -> str:
    return f"""
  IF (SELECT count(*) FROM (SELECT FROM {names.state(notes)} LIMIT {MAX_LEFT}) c) = {MAX_LEFT} THEN
    RAISE EXCEPTION 'too many changes are waiting to be applied' USING ERRCODE = 'lock_not_available';
  END IF;"""


def assert_seen(names: Names, copy: str) -> str:
    """Before the locks: no transaction is left whose snapshot is older than the filled copy.

    Rows of the copy are invisible to it, as after a rewriting ALTER TABLE, so that a REPEATABLE READ client that first
    touches the table after the swap would find it empty, and its updates would silently do nothing. Sessions whose
    activity we may not read cannot be waited for.
    """
    body = f"""DECLARE pa_who text;
BEGIN
  SELECT format('process %s (%s%s) has been in a transaction for %s s and would not see the rows of the copy', a.pid,
    a.usename, nullif(', ' || a.application_name, ', '), extract(epoch FROM clock_timestamp() - a.xact_start)::integer)
  INTO pa_who FROM pg_stat_activity a
  WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.backend_type = 'client backend'
    AND a.backend_xmin IS NOT NULL
    AND a.xact_start < (SELECT to_timestamp(f.value::float8) + interval '{_SETTLE_MARGIN}'
      FROM {names.state("fact")} f WHERE f.name = {quote_literal(settled_fact(copy))})
  ORDER BY a.xact_start LIMIT 1;
  IF pa_who IS NOT NULL THEN
    RAISE EXCEPTION '%', pa_who USING ERRCODE = 'object_in_use', HINT = 'It is tried again when that has ended.';
  END IF;
END"""
    return f"DO {dollar_quote(body)}"


def assert_alone() -> str:
    """Under the locks of a rewrite: nobody seen has a snapshot that lasts, by which the table would be empty.

    A transaction that is idle and still has one is REPEATABLE READ or SERIALIZABLE, or has an open cursor. Statements
    at work are told from such ones by their age only, or under many short ones the rewrite would never come about.
    """
    body = f"""DECLARE pa_who text;
BEGIN
  SELECT format('process %s (%s%s) has a snapshot that would not see the rewritten rows', a.pid, a.usename,
    nullif(', ' || a.application_name, ', '))
  INTO pa_who FROM pg_stat_activity a
  WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.backend_type = 'client backend'
    AND a.backend_xmin IS NOT NULL
    AND (a.state LIKE 'idle%' OR a.query_start < clock_timestamp() - interval '{_SETTLE_MARGIN}')
  ORDER BY a.xact_start LIMIT 1;
  IF pa_who IS NOT NULL THEN
    RAISE EXCEPTION '%', pa_who USING ERRCODE = 'object_in_use', HINT = 'It is tried again when that has ended.';
  END IF;
END"""
    return f"DO {dollar_quote(body)}"
