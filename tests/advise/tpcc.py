"""The order-entry schema of TPC-C as HammerDB creates it: columns that matter, and every primary key."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from partadvisor.model.activity import RecentRows
from partadvisor.model.catalog import Relation
from tests.advise.builders import column, recent, statistics, table, uniform

WAREHOUSES = 50

PRIMARY_KEYS: dict[str, tuple[str, ...]] = {
    "warehouse": ("w_id",),
    "district": ("d_w_id", "d_id"),
    "customer": ("c_w_id", "c_d_id", "c_id"),
    "history": (),
    "new_order": ("no_w_id", "no_d_id", "no_o_id"),
    "orders": ("o_w_id", "o_d_id", "o_id"),
    "order_line": ("ol_w_id", "ol_d_id", "ol_o_id", "ol_number"),
    "item": ("i_id",),
    "stock": ("s_i_id", "s_w_id"),
}
WAREHOUSE_COLUMN = {
    "warehouse": "w_id",
    "district": "d_w_id",
    "customer": "c_w_id",
    "history": "h_w_id",
    "new_order": "no_w_id",
    "orders": "o_w_id",
    "order_line": "ol_w_id",
    "stock": "s_w_id",
}


def tpcc_table(name: str) -> Relation:
    key = PRIMARY_KEYS[name]
    columns = [column(c, stats=_statistics(c)) for c in key]
    if name == "history":
        columns = [column(c, stats=_statistics(c), not_null=False) for c in ("h_c_id", "h_c_d_id", "h_c_w_id")]
        columns += [column("h_w_id", stats=uniform(WAREHOUSES)), column("h_d_id", stats=uniform(10), not_null=False)]
        columns += [column("h_date", "timestamp without time zone", stats=statistics(-0.1, correlation=0.99))]
    if name == "order_line":
        columns += [
            column("ol_delivery_d", "timestamp without time zone", not_null=False, stats=statistics(5000, nulls=0.3)),
            column("ol_i_id", stats=statistics(100_000)),
        ]
    columns.append(column("filler", "text", stats=statistics(-1)))
    return table(name, columns, key=key)


def _statistics(name: str):  # type: ignore[no-untyped-def]
    if name.endswith("w_id"):
        return uniform(WAREHOUSES)
    if name.endswith("d_id"):
        return uniform(10)
    if name == "ol_number":
        return uniform(15)
    return statistics(3000)


def order_lines(relation: Relation, transactions: int = 150, *, lines: int = 10, seed: int = 1) -> RecentRows:
    def rows(chance: random.Random, t: int) -> Iterable[Sequence[object]]:
        w, d, o = chance.randint(1, WAREHOUSES), chance.randint(1, 10), 3000 + t // 500 + chance.randint(0, 5)
        return [(w, d, o, n, chance.randint(1, 100_000)) for n in range(1, lines + 1)]

    return recent(relation, ("ol_w_id", "ol_d_id", "ol_o_id", "ol_number", "ol_i_id"), transactions, rows, seed=seed)
