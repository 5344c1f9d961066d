"""Applies noted keys: makes the target's rows of these keys equal to the source's, under one snapshot."""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from partadvisor.pg.quote import quote_ident, quote_idents, quote_literal
from partadvisor.planner.names import Names
from partadvisor.planner.sync import LOOKUPS, PLANS, Pair, key_of, marks, plpgsql_function

DRAIN_ROWS = 1000
"""Notes that may be left when the lock is asked for: applying them takes some tens of milliseconds."""
RECONCILE_ROWS = 20_000
"""Notes applied in one transaction, for whose end clients wait that insert one of its keys again."""


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
    keys = ", ".join(f"k{n}" for n in range(1, len(pair.key) + 1))
    noted = f"(SELECT DISTINCT {keys} FROM {changes} WHERE ctid = ANY (pa_taken)) c"
    target, source = f"{key_of(pair, 't')} = {marks(pair, 'c')}", f"{key_of(pair, 's')} = {marks(pair, 'c')}"
    gone = "" if pair.other_unique else f" AND NOT EXISTS (SELECT FROM {pair.source} s WHERE {source})"
    setting = ", ".join(f"{quote_ident(c)} = EXCLUDED.{quote_ident(c)}" for c in pair.updatable)
    action = f"DO UPDATE SET {setting}" if setting else "DO NOTHING"
    conflict = "" if pair.other_unique else f"\n  ON CONFLICT ({quote_idents(pair.key)}) {action}"
    return plpgsql_function(
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
        PLANS + LOOKUPS,
    )
