"""What statements write: rows per statement, and which columns are the same or different within one."""

import pytest

from partadvisor.sql.access import access_pattern
from partadvisor.sql.names import SchemaNames
from tests.sql.brief import first, pattern


@pytest.mark.parametrize(
    ("text", "rows", "constant", "varying"),
    [
        # one row: every column, those left out included, has one value
        ("insert into t (id, k) values ($1, $2)", 1, "id k a b ts", ""),
        ("insert into t values (default, $1)", 1, "id k a b ts", ""),
        ("insert into t default values", 1, "id k a b ts", ""),
        # several rows: parameters of different number may be equal
        ("insert into t (id, k) values ($1,$2),($3,$4)", 2, "a b ts", ""),
        ("insert into t (id, k) values ($1,$2),($3,$2)", 2, "k a b ts", ""),
        ("insert into t (id, k, a) values (1,7,'x'),(2,7,'y'),(3,7,'x')", 3, "k b ts", "id a"),
        ("insert into t (id, k) values (1,$1),(2,7)", 2, "a b ts", "id"),
        ("insert into t (k, ts, a) values ($1,now(),lower('X')),($2,now(),lower('X'))", 2, "ts a b", "id"),
        ("insert into t (k, a) values ($1,gen_random_uuid()),($2,gen_random_uuid())", 2, "b ts", "a id"),
        ("insert into t (k, a) values ($1,my_function()),($2,my_function())", 2, "b ts", "id"),
        ("insert into t (id, ts, b) values (default,default,$1),(default,default,$2)", 2, "ts k a", "id"),
        ("insert into u (k) values (1),(2)", 2, "c", "k id"),
        ("insert into t (id, k, a) values ($1,$2::int + 1,'a'::text),($3,$2::int + 1,'a'::text)", 2, "k a b ts", ""),
        ("insert into nowhere (x, y) values ($1,5),($2,5)", 2, "y", ""),
        # INSERT … SELECT
        ("insert into t (id, k) select g, $1 from generate_series(1,40) g", 40, "k a b ts", "id"),
        ("insert into t (id, k) select g, $1 from generate_series($2,$3) g", None, "k a b ts", "id"),
        ("insert into t (id, k) select g, h from generate_series(1,4) g, generate_series(1,4) h", None, "a b ts", ""),
        ("insert into t (id, k) select o, x from unnest($1::int[]) with ordinality as n(x, o)", None, "a b ts", "id"),
        ("insert into t (id, k) select unnest($1::int[]), $2", None, "k a b ts", ""),
        ("insert into t (id, k) select nextval('s'), k from u where u.k = $1", None, "k a b ts", "id"),
        ("insert into t (id, k, a) select id, k, c from u where k in ($1,$2)", None, "b ts", ""),
        ("insert into t (id, k) select u.id, x.k from u join t x using (k) where u.k = 5", None, "k a b ts", ""),
        ("insert into t (id, k) select $1, $2", 1, "id k a b ts", ""),
        ("insert into t (id, k) select $1, $2 where not exists (select 1 from u where k = $2)", 1, "id k a b ts", ""),
        ("insert into t (id, k) select max(id), $1 from u", 1, "id k a b ts", ""),
        ("insert into t (id, k) select id, k from u limit 1", 1, "id k a b ts", ""),
        ("insert into t (k, id) select k, count(*) from u where k = 3 group by k", None, "k a b ts", ""),
        ("insert into t (id, k) select x, y from (values (1,$1),(2,$1),(3,$1)) s(x,y)", 3, "k a b ts", "id"),
        ("insert into t (id, k) select g, k from (select 5 as k) s, generate_series(1,3) g", 3, "k a b ts", "id"),
        ("insert into t (id, k) select id, (select max(k) from u) from u", None, "a b ts", ""),
        ("insert into t (id, k) select k, id from u union all select 1, 2", None, "a b ts", ""),
        ("insert into t (id) select id from jsonb_to_recordset($1) as r(id int)", None, "k a b ts", ""),
    ],
)
def test_rows_and_constancy(names: SchemaNames, text: str, rows: int | None, constant: str, varying: str) -> None:
    found = first(text, names)
    assert found.role == "insert"
    assert found.rows == rows
    assert set(found.constant_columns) == set(constant.split())
    assert set(found.varying_columns) == set(varying.split())


@pytest.mark.parametrize(
    ("text", "rows", "constant", "varying"),
    [
        ("using (values (1,2),(3,2)) s(id,k) on t.id = s.id {insert} (id,k) values (s.id,s.k)", 2, "k a b ts", "id"),
        ("using (select $1 as id, $2 as k) s on t.id = s.id {insert} (id,k) values (s.id,s.k)", 1, "id k a b ts", ""),
        ("using u on t.id = u.id {insert} (id,k,a) values (u.id,7,u.c)", None, "k b ts", ""),
        ("using unnest($1::int[]) s(id) on t.id = s.id {insert} (id,k) values (s.id,$2)", None, "k a b ts", ""),
        ("using u on t.id = u.id when matched then delete", None, "", ""),
    ],
)
def test_rows_a_merge_inserts(names: SchemaNames, text: str, rows: int | None, constant: str, varying: str) -> None:
    found = first(f"merge into t {text.replace('{insert}', 'when not matched then insert')}", names)
    assert found.role == "merge"
    assert found.rows == rows
    assert set(found.constant_columns) == set(constant.split())
    assert set(found.varying_columns) == set(varying.split())


def test_a_row_made_by_another_part_of_the_statement(names: SchemaNames) -> None:
    text = (
        "with o as (insert into u (id, k) values ($1, $2) returning id, k) "
        "insert into t (id, k, a) select o.id, x, o.k from o, unnest($3::int[]) x"
    )
    orders, lines = pattern(text, names).tables
    assert (orders.table, lines.table) == ("public.u", "public.t")
    assert {"id", "a"} <= set(lines.constant_columns)
    assert "k" not in (*lines.constant_columns, *lines.varying_columns)


def test_one_row_that_stands_for_several(names: SchemaNames) -> None:
    found = access_pattern("insert into t (k, ts, a, id) values ($1, now(), 'x', default)", names, repeated=True)
    assert not hasattr(found, "reason")
    assert set(found.tables[0].constant_columns) == {"ts", "a", "b"}
    assert found.tables[0].varying_columns == ("id",)
    assert found.tables[0].rows is None


def test_conflicts(names: SchemaNames) -> None:
    found = first("insert into t (id,k) values (1,2) on conflict (id, k) where b do nothing", names)
    assert (found.conflict_columns, found.conflict_action, found.set_columns) == (("id", "k"), "nothing", ())
    found = first("insert into t as x values (1) on conflict on constraint t_pkey do update set a = excluded.a", names)
    assert (found.conflict_constraint, found.conflict_action, found.set_columns) == ("t_pkey", "update", ("a",))
    assert found.conflict_columns is None
    assert first("insert into t values (1) on conflict do nothing", names).conflict_columns is None
    by_expression = pattern("insert into t values (1) on conflict (lower(a)) do nothing", names)
    assert by_expression.notes == ("ON CONFLICT names an expression",)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("insert into t values (1) returning xmax, t.ctid, id", ("xmax", "ctid")),
        ("insert into t values (1) returning (xmax = 0) as inserted", ("xmax",)),
        ("update t set a = 1 returning tableoid::regclass", ("tableoid",)),
        ("insert into t values (1) returning *", ()),
    ],
)
def test_returned_system_columns(names: SchemaNames, text: str, columns: tuple[str, ...]) -> None:
    assert first(text, names).returning_system_columns == columns


@pytest.mark.parametrize(
    ("text", "role", "columns"),
    [
        ("update t set k = $1, a = a + 1", "update", ("k", "a")),
        ("update t set (a, k) = (select 1, 2), b = true", "update", ("a", "k", "b")),
        ("merge into t using u on t.id = u.id when matched then update set k = u.k", "merge", ("k",)),
        ("delete from t where id = 1", "delete", ()),
    ],
)
def test_set_columns(names: SchemaNames, text: str, role: str, columns: tuple[str, ...]) -> None:
    found = first(text, names)
    assert (found.role, found.set_columns) == (role, columns)


def test_merge_and_copy_columns(names: SchemaNames) -> None:
    text = "merge into t using u on t.id = u.id when not matched then insert values (u.id, u.k)"
    assert first(text, names).columns == ("id", "k")
    assert first("copy t (k, a) from stdin", names).columns == ("k", "a")
    assert first("copy t from stdin", names).columns == ("id", "k", "a", "b", "ts")
    assert pattern("copy t to stdout", names).tables[0].role == "read"
    assert pattern("copy t from stdin", names).kind == "copy"


def test_a_subquery_in_a_multiple_assignment_is_read_once(names: SchemaNames) -> None:
    tables = pattern("update t set (a, k) = (select c, k from u where u.id = t.id)", names).tables
    assert [t.table for t in tables] == ["public.t", "public.u"]
