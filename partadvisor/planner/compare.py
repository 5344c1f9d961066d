"""Compares two copies of a table bit for bit while clients write: both before the swap, the kept one after it."""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from collections.abc import Callable

from partadvisor.pg.quote import quote_ident, quote_literal
from partadvisor.planner.names import Names
from partadvisor.planner.sync import PLANS, RANGE_JOIN, Pair, key_of, keys_as, marks, order_of, plpgsql_function

MAX_NOTED = 200


def compare_function(name: str, names: Names, pair: Pair, changes: str, part: str) -> str:
    """``compare(batch)``: compares the next batch of keys bit for bit; gives its rows, at least 1, or 0 at the end."""
    difference, label = names.state("difference"), quote_literal(part)
    keys, high = keys_as(pair, "s"), marks(pair, "pa_high")[1:-1]
    upto = f"{key_of(pair, 's')} <= {marks(pair, 'pa_high')}"
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
    ORDER BY {order_of(pair, "s")} OFFSET pa_batch - 1 LIMIT 1;
    IF FOUND THEN
      {compare(" WHERE " + both)}
    ELSE
      {compare(f" WHERE {low}" if low else "")}
      pa_last := true;
    END IF;"""

    return _walk_function(name, names, pair, part, step, high)


def compare_kept_function(name: str, names: Names, pair: Pair, changes: str, part: str) -> str:
    """``back_compare(batch)``: after the swap, every row of the old table is still there, bit for bit, or was noted.

    Walks the old table, which stands still while the new one grows: rows written since fall out of the join, and notes,
    which have no index, are only looked at where rows differ. So the work stays bounded however fast clients insert.
    What the new table had too many was found by ``compare`` before the swap.
    """
    label, key, difference = quote_literal(part), key_of(pair, "s"), names.state("difference")
    keys, high = keys_as(pair, "s"), marks(pair, "pa_high")[1:-1]
    upto = f"{key_of(pair, 's')} <= {marks(pair, 'pa_high')}"
    image, other = (f"ROW({', '.join(f'{a}.{quote_ident(c)}' for c in pair.compared)})::record" for a in ("s", "n"))
    noted = f"ROW({', '.join(f'c.k{n}' for n in range(1, len(pair.key) + 1))})::text"
    missing = f"n.{quote_ident(pair.key[0])} IS NULL"

    def compare(where: str) -> str:
        bounds = f" WHERE {where}" if where else ""
        return f"""INSERT INTO {difference}
    SELECT {label}, CASE WHEN {missing} THEN 'only in the old table' ELSE 'different' END, ROW{key}::text
    FROM (SELECT * FROM {pair.target} s{bounds}) s
    LEFT JOIN (SELECT * FROM {pair.source} s{bounds}) n ON {key_of(pair, "n")} = {key}
    WHERE {missing} OR {image} *<> {other};
    IF FOUND THEN
      DELETE FROM {difference} d WHERE d.part = {label} AND d.key IN (SELECT {noted} FROM {changes} c);
    END IF;"""

    def step(low: str) -> str:
        both = f"{low} AND {upto}" if low else upto
        return f"""SELECT {keys} INTO pa_high FROM {pair.target} s{f" WHERE {low}" if low else ""}
    ORDER BY {order_of(pair, "s")} OFFSET pa_batch - 1 LIMIT 1;
    IF FOUND THEN
      {compare(both)}
    ELSE
      {compare(low)}
      pa_last := true;
    END IF;"""

    return _walk_function(name, names, pair, part, step, high)


def _walk_function(name: str, names: Names, pair: Pair, part: str, step: Callable[[str], str], high: str) -> str:
    """A function that goes through a table in key order, a batch a call; gives 0 once the end was reached."""
    position, difference, label = names.state("position"), names.state("difference"), quote_literal(part)
    after = f"{key_of(pair, 's')} > {marks(pair, 'pa_low')}"
    return plpgsql_function(
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
    IF NOT pa_last THEN INSERT INTO {position} SELECT {label}, {high}, pa_batch; END IF;
  ELSE
    {step(after)}
    IF NOT pa_last THEN
      DELETE FROM {position} WHERE part = {label};
      INSERT INTO {position} SELECT {label}, {high}, pa_low.rows + pa_batch;
    END IF;
  END IF;
  IF pa_last THEN INSERT INTO {names.state("fact")} VALUES ({label}, 'compared'); END IF;
  RETURN pa_batch;
END""",
        pair.path,
        PLANS + RANGE_JOIN,
    )


def difference_query(names: Names, part: str) -> str:
    """What a comparison found: problem and key."""
    return f"SELECT problem, key FROM {names.state('difference')} WHERE part = {quote_literal(part)} LIMIT 20"
