"""Copies the rows that were there before the mirror, in key order, batch by batch up to a fixed bound."""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from partadvisor.pg.quote import quote_ident, quote_idents
from partadvisor.planner.names import Names
from partadvisor.planner.sync import PLANS, RANGE_JOIN, Pair, key_of, keys_as, marks, order_of, plpgsql_function


def fill_function(name: str, names: Names, pair: Pair) -> str:
    """``fill(batch)``: copies the next batch in key order; gives rows copied, at least 1, or 0 at the end."""
    columns = quote_idents(pair.columns)
    position, key, high = names.state("position"), key_of(pair, "s"), marks(pair, "pa_high")
    keys = keys_as(pair, "s")
    upto = f"{key} <= {marks(pair, 'pa_bound')}"
    after = f"{key} > {marks(pair, 'pa_low')}"

    def copy(low: str) -> str:
        return (
            f"INSERT INTO {pair.target} ({columns}) OVERRIDING SYSTEM VALUE\n"
            f"    SELECT {columns} FROM {pair.source} s WHERE {low}{key} <= {high} ON CONFLICT DO NOTHING;"
        )

    def chunk(low: str) -> str:
        return (
            f"SELECT {keys} INTO pa_high FROM {pair.source} s WHERE {low}{upto}\n"
            f"    ORDER BY {order_of(pair, 's')} OFFSET pa_batch - 1 LIMIT 1;"
        )

    assign = ", ".join(f"k{n} = pa_high.k{n}" for n in range(1, len(pair.key) + 1))
    return plpgsql_function(
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
  ELSIF {marks(pair, "pa_low")} >= {marks(pair, "pa_bound")} THEN
    RETURN 0;
  ELSE
    {chunk(after + " AND ")}
  END IF;
  IF NOT FOUND THEN pa_high := pa_bound; END IF;
  IF pa_first THEN
    {copy("")}
    GET DIAGNOSTICS pa_done = ROW_COUNT;
    INSERT INTO {position} SELECT 'fill', {high[1:-1]}, pa_done;
  ELSE
    {copy(after + " AND ")}
    GET DIAGNOSTICS pa_done = ROW_COUNT;
    UPDATE {position} SET {assign}, rows = rows + pa_done WHERE part = 'fill';
  END IF;
  RETURN greatest(pa_done, 1);
END""",
        pair.path,
        PLANS + RANGE_JOIN,
    )


def bound_statement(names: Names, pair: Pair) -> str:
    """Fixes where the fill ends: rows that come later come by the trigger."""
    keys = ", ".join(quote_ident(c) for c in pair.key)
    return (
        f"INSERT INTO {names.state('position')} SELECT 'bound', {keys}, 0 FROM {pair.source} s\n"
        f"ORDER BY {order_of(pair, 's', ' DESC')} LIMIT 1 ON CONFLICT DO NOTHING"
    )
