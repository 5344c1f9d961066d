"""Keeps two copies of a table equal while clients write: triggers, fill, reconcile and compare, as SQL functions.

How no row is lost, resurrected or left stale, without locking a single row of the source:

- INSERT is mirrored at once by a statement trigger, in the client's own transaction.
- UPDATE and DELETE only note their keys in ``changes``. Applying them at once could not see a row that a fill
  batch has copied but not committed, nor any row newer than the snapshot of a REPEATABLE READ client.
- A fill batch copies what its snapshot shows and skips what is there already.
- ``reconcile`` runs under one snapshot: it takes all noted keys it sees and makes the target's rows of these keys
  equal to the source's. Whoever changes a key later notes it again.

So under every snapshot, a key that is not noted is equal on both sides, or not yet filled and absent; ``compare``
checks exactly that. Before the swap the source is locked, the last notes are applied, and nothing can differ.

The functions find everything by qualified name. Operators are resolved on a path of ``pg_catalog`` and the
schemas of the columns' types, nothing a client can set.
"""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from collections.abc import Callable

from partadvisor.model.base import Value
from partadvisor.pg.quote import quote_ident, quote_idents, quote_literal
from partadvisor.planner.names import Names

DRAIN_ROWS = 1000
"""Notes that may be left when the lock is asked for: applying them takes some tens of milliseconds."""
RECONCILE_ROWS = 20_000
"""Notes applied in one transaction, for whose end clients wait that insert one of its keys again."""
MAX_NOTED = 200
REHEARSED_ROWS = 1000


class Pair(Value, frozen=True, kw_only=True):
    """Two tables that are to be equal. ``source`` and ``target`` are quoted, the rest plain.

    ``columns`` are those with stored values of their own (no generated ones), ``compared`` also stored generated ones;
    ``updatable`` those an UPDATE may set, without the key. ``other_unique``: the target has a second unique index.
    """

    source: str
    target: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    compared: tuple[str, ...]
    updatable: tuple[str, ...]
    other_unique: bool
    path: tuple[str, ...] = ()


def dollar_quote(body: str) -> str:
    """``body`` between dollar quotes that do not occur in it."""
    tag = "$partadvisor$"
    while tag in body:
        tag = tag[:-1] + "_$"
    return f"{tag}\n{body}\n{tag}"


def _function(name: str, arguments: str, result: str, body: str, path: tuple[str, ...], options: str = "") -> str:
    search = ", ".join(quote_ident(schema) for schema in ("pg_catalog", *path, "pg_temp"))
    return (
        f"CREATE OR REPLACE FUNCTION {name}({arguments}) RETURNS {result} LANGUAGE plpgsql{options}\n"
        f"SET search_path = {search} AS {dollar_quote(body)}"
    )


_PLANS = " SET plan_cache_mode = force_custom_plan SET enable_seqscan = off SET jit = off"
_RANGE_JOIN = " SET enable_nestloop = off"  # the planner takes a range of a composite key for a few rows
_LOOKUPS = " SET enable_hashjoin = off SET enable_mergejoin = off"
_DEFINER = " SECURITY DEFINER"


def keys_as(pair: Pair, alias: str = "") -> str:
    """The key columns under the names they have in our own tables: k1, k2 and so on."""
    dot = f"{alias}." if alias else ""
    return ", ".join(f"{dot}{quote_ident(c)} AS k{n}" for n, c in enumerate(pair.key, start=1))


def _key(pair: Pair, alias: str) -> str:
    return f"({', '.join(f'{alias}.{quote_ident(c)}' for c in pair.key)})"


def _marks(pair: Pair, alias: str) -> str:
    return f"({', '.join(f'{alias}.k{n}' for n in range(1, len(pair.key) + 1))})"


def _order(pair: Pair, alias: str, direction: str = "") -> str:
    return ", ".join(f"{alias}.{quote_ident(c)}{direction}" for c in pair.key)


def work_tables(names: Names, pair: Pair) -> list[str]:
    """Tables for noted keys, positions and differences, typed as the key is."""
    keys, empty = keys_as(pair), f"FROM {pair.source} WITH NO DATA"
    return [
        f"CREATE TABLE {names.state('changes')} AS SELECT {keys} {empty}",
        f"CREATE TABLE {names.state('reverse')} AS SELECT {keys} {empty}",
        f"CREATE TABLE {names.state('position')} AS SELECT ''::text AS part, {keys}, 0::bigint AS rows\n{empty}",
        f"ALTER TABLE {names.state('position')} ADD PRIMARY KEY (part)",
        f"CREATE TABLE {names.state('difference')} (part text NOT NULL, problem text NOT NULL, key text NOT NULL)",
        f"CREATE TABLE {names.state('fact')} (name text PRIMARY KEY, value text NOT NULL)",
    ]


def insert_function(name: str, pair: Pair, changes: str) -> str:
    """Statement trigger: mirrors inserted rows; a row whose key or unique value is still taken is noted instead."""
    columns = quote_idents(pair.columns)
    return _function(
        name,
        "",
        "trigger",
        f"""DECLARE pa_done bigint;
BEGIN
  INSERT INTO {pair.target} ({columns}) OVERRIDING SYSTEM VALUE
  SELECT {columns} FROM pa_new_rows ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS pa_done = ROW_COUNT;
  IF pa_done <> (SELECT count(*) FROM pa_new_rows) THEN
    INSERT INTO {changes} SELECT {keys_as(pair)} FROM pa_new_rows;
  END IF;
  RETURN NULL;
END""",
        pair.path,
        _DEFINER,
    )


def rehearse_function(name: str, pair: Pair) -> str:
    """``rehearse()``: writes a few rows to the copy as the triggers will, and takes them back.

    What fails there would fail in clients' transactions, such as a check that finds its functions by search_path.
    """
    columns = quote_idents(pair.columns)
    return _function(
        name,
        "",
        "void",
        f"""BEGIN
  INSERT INTO {pair.target} ({columns}) OVERRIDING SYSTEM VALUE
  SELECT {columns} FROM {pair.source} LIMIT {REHEARSED_ROWS};
  RAISE EXCEPTION USING ERRCODE = '{_TAKE_BACK}', MESSAGE = 'taken back';
EXCEPTION
  WHEN SQLSTATE '{_TAKE_BACK}' OR lock_not_available OR deadlock_detected THEN
    IF SQLSTATE <> '{_TAKE_BACK}' THEN RAISE; END IF;
  WHEN OTHERS THEN
    RAISE EXCEPTION 'rows cannot be mirrored: %', SQLERRM USING ERRCODE = 'object_not_in_prerequisite_state',
      DETAIL = 'The copy is written with search_path = pg_catalog, by the owner of the table.',
      HINT = 'Give functions in checks, generated columns and index expressions a search_path of their own '
        '(ALTER FUNCTION … SET search_path), or qualify the names in them. Clients have noticed nothing.';
END""",
        pair.path,
        _DEFINER + " SET row_security = on",
    )


_TAKE_BACK = "PA001"


def note_function(name: str, pair: Pair, changes: str, tables: tuple[str, ...]) -> str:
    """Statement trigger that notes the keys of its transition tables."""
    keys = "\n  UNION ".join(f"SELECT {keys_as(pair)} FROM {table}" for table in tables)
    body = f"BEGIN\n  INSERT INTO {changes} {keys};\n  RETURN NULL;\nEND"
    return _function(name, "", "trigger", body, pair.path, _DEFINER)


def truncate_function(name: str, pair: Pair) -> str:
    """Statement trigger: what is emptied here is emptied there."""
    body = f"BEGIN\n  TRUNCATE {pair.target};\n  RETURN NULL;\nEND"
    return _function(name, "", "trigger", body, pair.path, _DEFINER)


def triggers(names: Names, table: str, functions: dict[str, str]) -> list[str]:
    """The four statement triggers on ``table``; they also fire for ``session_replication_role = replica``."""
    tables = {
        "insert": "REFERENCING NEW TABLE AS pa_new_rows ",
        "update": "REFERENCING OLD TABLE AS pa_old_rows NEW TABLE AS pa_new_rows ",
        "delete": "REFERENCING OLD TABLE AS pa_old_rows ",
        "truncate": "",
    }
    made = [
        f"CREATE TRIGGER {names.trigger(event)} AFTER {event.upper()} ON {table}\n"
        f"  {tables[event]}FOR EACH STATEMENT EXECUTE FUNCTION {function}()"
        for event, function in functions.items()
    ]
    return made + [f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {names.trigger(event)}" for event in functions]


def fill_function(name: str, names: Names, pair: Pair) -> str:
    """``fill(batch)``: copies the next batch in key order; gives rows copied, at least 1, or 0 at the end."""
    columns = quote_idents(pair.columns)
    position, key, marks = names.state("position"), _key(pair, "s"), _marks(pair, "pa_high")
    keys = keys_as(pair, "s")
    upto = f"{key} <= {_marks(pair, 'pa_bound')}"
    after = f"{key} > {_marks(pair, 'pa_low')}"

    def copy(low: str) -> str:
        return (
            f"INSERT INTO {pair.target} ({columns}) OVERRIDING SYSTEM VALUE\n"
            f"    SELECT {columns} FROM {pair.source} s WHERE {low}{key} <= {marks} ON CONFLICT DO NOTHING;"
        )

    def chunk(low: str) -> str:
        return (
            f"SELECT {keys} INTO pa_high FROM {pair.source} s WHERE {low}{upto}\n"
            f"    ORDER BY {_order(pair, 's')} OFFSET pa_batch - 1 LIMIT 1;"
        )

    assign = ", ".join(f"k{n} = pa_high.k{n}" for n in range(1, len(pair.key) + 1))
    return _function(
        name,
        "pa_batch integer",
        "bigint",
        f"""#variable_conflict use_column
DECLARE pa_low record; pa_bound record; pa_high record; pa_first boolean; pa_done bigint;
BEGIN
  SELECT * INTO pa_bound FROM {position} WHERE part = 'bound';
  IF NOT FOUND THEN RETURN 0; END IF;
  SELECT * INTO pa_low FROM {position} WHERE part = 'fill' FOR UPDATE;
  pa_first := NOT FOUND;
  IF pa_first THEN
    {chunk("")}
  ELSIF {_marks(pair, "pa_low")} >= {_marks(pair, "pa_bound")} THEN
    RETURN 0;
  ELSE
    {chunk(after + " AND ")}
  END IF;
  IF NOT FOUND THEN pa_high := pa_bound; END IF;
  IF pa_first THEN
    {copy("")}
    GET DIAGNOSTICS pa_done = ROW_COUNT;
    INSERT INTO {position} SELECT 'fill', {marks[1:-1]}, pa_done;
  ELSE
    {copy(after + " AND ")}
    GET DIAGNOSTICS pa_done = ROW_COUNT;
    UPDATE {position} SET {assign}, rows = rows + pa_done WHERE part = 'fill';
  END IF;
  RETURN greatest(pa_done, 1);
END""",
        pair.path,
        _PLANS + _RANGE_JOIN,
    )


def bound_statement(names: Names, pair: Pair) -> str:
    """Fixes where the fill ends: rows that come later come by the trigger."""
    keys = ", ".join(quote_ident(c) for c in pair.key)
    return (
        f"INSERT INTO {names.state('position')} SELECT 'bound', {keys}, 0 FROM {pair.source} s\n"
        f"ORDER BY {_order(pair, 's', ' DESC')} LIMIT 1 ON CONFLICT DO NOTHING"
    )


def settled_fact(copy: str) -> str:
    """Name under which the time is kept since when a copy (``new`` or ``old``) has nearly all its rows."""
    return f"settled {copy}"


def reconcile_function(name: str, names: Names, pair: Pair, notes: str, copy: str) -> str:
    """``reconcile(alone)``: applies up to RECONCILE_ROWS notes; gives their number, or 0 when fewer than DRAIN_ROWS.

    Needs one snapshot for its statements (repeatable read), or, with ``alone``, that nobody else writes the source;
    then it applies all. A key that is noted twice may be applied twice, which does no harm.
    """
    changes, settled = names.state(notes), quote_literal(settled_fact(copy))
    columns = quote_idents(pair.columns)
    marks = ", ".join(f"k{n}" for n in range(1, len(pair.key) + 1))
    noted = f"(SELECT DISTINCT {marks} FROM {changes} WHERE ctid = ANY (pa_taken)) c"
    target, source = f"{_key(pair, 't')} = {_marks(pair, 'c')}", f"{_key(pair, 's')} = {_marks(pair, 'c')}"
    gone = "" if pair.other_unique else f" AND NOT EXISTS (SELECT FROM {pair.source} s WHERE {source})"
    setting = ", ".join(f"{quote_ident(c)} = EXCLUDED.{quote_ident(c)}" for c in pair.updatable)
    action = f"DO UPDATE SET {setting}" if setting else "DO NOTHING"
    conflict = "" if pair.other_unique else f"\n  ON CONFLICT ({quote_idents(pair.key)}) {action}"
    return _function(
        name,
        "pa_alone boolean DEFAULT false",
        "bigint",
        f"""#variable_conflict use_column
DECLARE pa_done bigint; pa_taken tid[];
BEGIN
  IF NOT pa_alone AND current_setting('transaction_isolation') NOT IN ('repeatable read', 'serializable') THEN
    RAISE EXCEPTION 'reconcile needs a REPEATABLE READ transaction';
  END IF;
  SELECT array_agg(ctid) INTO pa_taken
  FROM (SELECT ctid FROM {changes} LIMIT CASE WHEN pa_alone THEN NULL ELSE {RECONCILE_ROWS} END) r;
  DELETE FROM {pair.target} t USING {noted} WHERE {target}{gone};
  INSERT INTO {pair.target} ({columns}) OVERRIDING SYSTEM VALUE
  SELECT {", ".join(f"s.{quote_ident(c)}" for c in pair.columns)}
  FROM {pair.source} s JOIN {noted} ON {source}{conflict};
  DELETE FROM {changes} WHERE ctid = ANY (pa_taken);
  GET DIAGNOSTICS pa_done = ROW_COUNT;
  IF NOT pa_alone THEN
    INSERT INTO {names.state("fact")} AS f VALUES ({settled}, extract(epoch FROM clock_timestamp())::text)
    ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value WHERE pa_done = {RECONCILE_ROWS};
  END IF;
  RETURN CASE WHEN pa_done < {DRAIN_ROWS} THEN 0 ELSE pa_done END;
END""",
        pair.path,
        _PLANS + _LOOKUPS,
    )


def compare_function(name: str, names: Names, pair: Pair, changes: str, part: str) -> str:
    """``compare(batch)``: compares the next batch of keys bit for bit; gives its rows, at least 1, or 0 at the end."""
    difference, label = names.state("difference"), quote_literal(part)
    keys, marks = keys_as(pair, "s"), _marks(pair, "pa_high")[1:-1]
    upto = f"{_key(pair, 's')} <= {_marks(pair, 'pa_high')}"
    image = ", ".join(f"s.{quote_ident(c)}" for c in pair.compared)
    matching = " AND ".join(f"a.k{n} = b.k{n}" for n in range(1, len(pair.key) + 1))
    either = ", ".join(f"coalesce(a.k{n}, b.k{n})" for n in range(1, len(pair.key) + 1))
    noted = f"({', '.join(f'c.k{n}' for n in range(1, len(pair.key) + 1))})"

    def side(table: str, where: str) -> str:
        return f"(SELECT {keys}, ROW({image}) AS image FROM {table} s{where})"

    def compare(where: str) -> str:
        return f"""INSERT INTO {difference}
    SELECT {label}, CASE WHEN b.k1 IS NULL THEN 'missing in the copy' WHEN a.k1 IS NULL THEN 'only in the copy'
      ELSE 'different' END, ROW({either})::text
    FROM {side(pair.source, where)} a FULL JOIN {side(pair.target, where)} b ON {matching}
    WHERE (a.k1 IS NULL OR b.k1 IS NULL OR a.image *<> b.image)
      AND NOT EXISTS (SELECT FROM {names.state(changes)} c WHERE {noted} = ({either}))
    LIMIT {MAX_NOTED};"""

    def step(low: str) -> str:
        both = f"{low} AND {upto}" if low else upto
        return f"""SELECT {keys} INTO pa_high FROM {pair.source} s{f" WHERE {low}" if low else ""}
    ORDER BY {_order(pair, "s")} OFFSET pa_batch - 1 LIMIT 1;
    IF FOUND THEN
      {compare(" WHERE " + both)}
    ELSE
      {compare(f" WHERE {low}" if low else "")}
      pa_last := true;
    END IF;"""

    return _walk_function(name, names, pair, part, step, marks)


def compare_kept_function(name: str, names: Names, pair: Pair, changes: str, part: str) -> str:
    """``back_compare(batch)``: after the swap, every row of the old table is still there, bit for bit, or was noted.

    Walks the old table, which stands still while the new one grows: rows written since fall out of the join, and notes,
    which have no index, are only looked at where rows differ. So the work stays bounded however fast clients insert.
    What the new table had too many was found by ``compare`` before the swap.
    """
    label, key, difference = quote_literal(part), _key(pair, "s"), names.state("difference")
    keys, marks = keys_as(pair, "s"), _marks(pair, "pa_high")[1:-1]
    upto = f"{_key(pair, 's')} <= {_marks(pair, 'pa_high')}"
    image, other = (f"ROW({', '.join(f'{a}.{quote_ident(c)}' for c in pair.compared)})::record" for a in ("s", "n"))
    noted = f"ROW({', '.join(f'c.k{n}' for n in range(1, len(pair.key) + 1))})::text"
    missing = f"n.{quote_ident(pair.key[0])} IS NULL"

    def compare(where: str) -> str:
        bounds = f" WHERE {where}" if where else ""
        return f"""INSERT INTO {difference}
    SELECT {label}, CASE WHEN {missing} THEN 'only in the old table' ELSE 'different' END, ROW{key}::text
    FROM (SELECT * FROM {pair.target} s{bounds}) s
    LEFT JOIN (SELECT * FROM {pair.source} s{bounds}) n ON {_key(pair, "n")} = {key}
    WHERE {missing} OR {image} *<> {other};
    IF FOUND THEN
      DELETE FROM {difference} d WHERE d.part = {label} AND d.key IN (SELECT {noted} FROM {changes} c);
    END IF;"""

    def step(low: str) -> str:
        both = f"{low} AND {upto}" if low else upto
        return f"""SELECT {keys} INTO pa_high FROM {pair.target} s{f" WHERE {low}" if low else ""}
    ORDER BY {_order(pair, "s")} OFFSET pa_batch - 1 LIMIT 1;
    IF FOUND THEN
      {compare(both)}
    ELSE
      {compare(low)}
      pa_last := true;
    END IF;"""

    return _walk_function(name, names, pair, part, step, marks)


def _walk_function(name: str, names: Names, pair: Pair, part: str, step: Callable[[str], str], marks: str) -> str:
    """A function that goes through a table in key order, a batch a call; gives 0 once the end was reached."""
    position, difference, label = names.state("position"), names.state("difference"), quote_literal(part)
    after = f"{_key(pair, 's')} > {_marks(pair, 'pa_low')}"
    return _function(
        name,
        "pa_batch integer",
        "bigint",
        f"""#variable_conflict use_column
DECLARE pa_low record; pa_high record; pa_last boolean := false;
BEGIN
  IF EXISTS (SELECT FROM {names.state("fact")} WHERE name = {label}) THEN RETURN 0; END IF;
  SELECT * INTO pa_low FROM {position} WHERE part = {label};
  IF NOT FOUND THEN
    DELETE FROM {difference} WHERE part = {label};
    {step("")}
    IF NOT pa_last THEN INSERT INTO {position} SELECT {label}, {marks}, pa_batch; END IF;
  ELSE
    {step(after)}
    IF NOT pa_last THEN
      DELETE FROM {position} WHERE part = {label};
      INSERT INTO {position} SELECT {label}, {marks}, pa_low.rows + pa_batch;
    END IF;
  END IF;
  IF pa_last THEN INSERT INTO {names.state("fact")} VALUES ({label}, 'compared'); END IF;
  RETURN pa_batch;
END""",
        pair.path,
        _PLANS + _RANGE_JOIN,
    )


def difference_query(names: Names, part: str) -> str:
    """What a comparison found: problem and key."""
    return f"SELECT problem, key FROM {names.state('difference')} WHERE part = {quote_literal(part)} LIMIT 20"
