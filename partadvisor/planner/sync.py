"""Keeps two copies of a table equal while clients write: how it works, the triggers, and what all functions share.

The functions that copy, apply notes and compare are in ``fill``, ``reconcile`` and ``compare``.

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

from partadvisor.model.base import Value
from partadvisor.pg.quote import quote_ident, quote_idents
from partadvisor.planner.names import Names

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


def plpgsql_function(
    name: str, arguments: str, result: str, body: str, path: tuple[str, ...], options: str = ""
) -> str:
    """A function that finds operators in ``pg_catalog`` and on ``path`` only."""
    search = ", ".join(quote_ident(schema) for schema in ("pg_catalog", *path, "pg_temp"))
    return (
        f"CREATE OR REPLACE FUNCTION {name}({arguments}) RETURNS {result} LANGUAGE plpgsql{options}\n"
        f"SET search_path = {search} AS {dollar_quote(body)}"
    )


PLANS = " SET plan_cache_mode = force_custom_plan SET enable_seqscan = off SET jit = off"
RANGE_JOIN = " SET enable_nestloop = off"  # the planner takes a range of a composite key for a few rows
LOOKUPS = " SET enable_hashjoin = off SET enable_mergejoin = off"
_DEFINER = " SECURITY DEFINER"


def keys_as(pair: Pair, alias: str = "") -> str:
    """The key columns under the names they have in our own tables: k1, k2 and so on."""
    dot = f"{alias}." if alias else ""
    return ", ".join(f"{dot}{quote_ident(c)} AS k{n}" for n, c in enumerate(pair.key, start=1))


def key_of(pair: Pair, alias: str) -> str:
    """The key of a row as a row constructor."""
    return f"({', '.join(f'{alias}.{quote_ident(c)}' for c in pair.key)})"


def marks(pair: Pair, alias: str) -> str:
    """The same under the names that keys have in our own tables."""
    return f"({', '.join(f'{alias}.k{n}' for n in range(1, len(pair.key) + 1))})"


def order_of(pair: Pair, alias: str, direction: str = "") -> str:
    """The key as an ORDER BY list."""
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
    return plpgsql_function(
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
    return plpgsql_function(
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
    return plpgsql_function(name, "", "trigger", body, pair.path, _DEFINER)


def truncate_function(name: str, pair: Pair) -> str:
    """Statement trigger: what is emptied here is emptied there."""
    body = f"BEGIN\n  TRUNCATE {pair.target};\n  RETURN NULL;\nEND"
    return plpgsql_function(name, "", "trigger", body, pair.path, _DEFINER)


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
