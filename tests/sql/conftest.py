"""Names the statements in these tests mean."""

import pytest

from partadvisor.sql.names import SchemaNames, TableNames


@pytest.fixture(scope="session")
def names() -> SchemaNames:
    tables = {
        "public.t": TableNames(
            ("id", "k", "a", "b", "ts"), {"id": "nextval('t_id_seq'::regclass)", "ts": "now()", "b": "false"}
        ),
        "public.u": TableNames(("id", "k", "c"), {}, frozenset({"id"})),
        "shop.orders": TableNames(("w_id", "o_id", "placed")),
        "public.v": TableNames(("id", "key")),
    }
    return SchemaNames(
        tables,
        {"public.v": " SELECT t.id,\n    t.k AS key\n   FROM public.t;"},
        ("public",),
        {"t": ("public.t",), "u": ("public.u",), "orders": ("shop.orders",), "v": ("public.v",)},
    )
