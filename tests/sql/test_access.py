"""Conditions, joins and roles of every table a statement touches."""

import pytest

from partadvisor.sql.access import access_pattern
from partadvisor.sql.names import SchemaNames, TableNames
from partadvisor.sql.parse import Unparsed
from tests.sql.brief import condition, conditions, first, joins, order, pattern


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # comparisons
        ("select * from t where k=$1 and 5 < a", ["t: k = $1 and a > 5"]),
        ("select * from t where a in ($1,$2) and k not in (3, 4)", ["t: a in $1,$2 and k not_in 3,4"]),
        ("select * from t where a in ($1) and k not in (3)", ["t: a = $1 and k <> 3"]),
        ("select * from t where a = any(array[$1])", ["t: a in $1"]),
        ("select * from t where a in ($1 /*, ... */)", ["t: a in $1,..."]),
        ("select * from t where k = any(array[$1 /*, ... */])", ["t: k in $1,..."]),
        ("select * from t where k between $1 and $2", ["t: k >= $1 and k <= $2"]),
        ("select * from t where k not between 1 and 2", ["t: (k < 1 or k > 2)"]),
        ("select * from t where k between symmetric 2 and 1", ["t: (k >= 2 and k <= 1 or k >= 1 and k <= 2)"]),
        ("select * from t where k is null and a is not null", ["t: k is_null and a is_not_null"]),
        ("select * from t where (a,k) = ($1,$2)", ["t: a = $1 and k = $2"]),
        ("select * from t where (a,k) in ((1,2),(3,4))", ["t: (a = 1 and k = 2 or a = 3 and k = 4)"]),
        ("select * from t where (a,k) > ($1,$2)", ["t: ?a,k"]),
        ("select * from t where k = any($1) and a <> all($2)", ["t: k in array:$1 and a not_in array:$2"]),
        ("""select * from t where a = any('{1,"x,y",NULL}'::text[])""", ["t: a in 1,x,y,NULL"]),
        ("select * from t where k = any(array(select k from u))", ["t: ?k", "u:"]),
        ("select * from t where k is distinct from 3", ["t: ?k"]),
        ("select * from t where a like 'x%' and k ~ $1", ["t: a like x% and k other $1"]),
        ("select * from t where b", ["t: b = true"]),
        ("select * from t where not b", ["t: b = false"]),
        ("select * from t where b is not true", ["t: (b = false or b is_null)"]),
        ("select * from t where b is unknown", ["t: b is_unknown"]),
        # negation
        ("select * from t where not (k < 5 or a = 2)", ["t: k >= 5 and a <> 2"]),
        ("select * from t where not (k = 5 and a is null)", ["t: (k <> 5 or a is_not_null)"]),
        ("select * from t where not (k in (1,2))", ["t: k not_in 1,2"]),
        # wrapped columns and kinds of operands
        ("select * from t where lower(a) = 'x' and k::bigint = 5", ["t: f(a) = x and f(k) = 5"]),
        ("select * from t where a = 'x' collate \"C\"", ["t: a = x"]),
        ("select * from t where k + 0 = 5 and k = 5 + 1", ["t: f(k) = 5 and k = folded"]),
        ("select * from t where ts >= now() - interval $1", ["t: ts >= stable"]),
        ("select * from t where ts > current_date and a = random()", ["t: ts > stable and a = volatile"]),
        ("select * from t where ts > timestamptz '2026-01-01' + interval '1 day'", ["t: ts > stable"]),
        ("select * from t where ts > date_trunc('day', timestamp '2026-01-01')", ["t: ts > stable"]),
        ("select * from t where a = my_function($1)", ["t: a = volatile"]),
        ("select * from t where k = a", ["t: ?k,a"]),
        # OR
        ("select * from t where k = 1 or k = $2", ["t: (k = 1 or k = $2)"]),
        ("select * from t where ($1 is null or k = $1)", ["t: (? or k = $1)"]),
        ("select * from t, u where t.k = 1 or u.c = 2", ["t: (k = 1 or ?)", "u: (? or c = 2)"]),
        # equivalence
        ("select * from t join u on t.k=u.k where u.k=5", ["t: k = 5", "u: k = 5"]),
        ("select * from t join u using (k) where k = $1", ["t: k = $1", "u: k = $1"]),
        ("select * from t natural join u where id = 3", ["t: id = 3", "u: id = 3"]),
        ("select * from t a, t b, u where a.k=b.k and b.k=u.k and u.k=5", ["a: k = 5", "b: k = 5", "u: k = 5"]),
        ("select * from t join u on t.k=u.k where t.k in (1,2)", ["t: k in 1,2", "u:"]),
        # outer joins
        ("select * from t left join u on t.k=u.k where t.k=5", ["t: k = 5", "u: k = 5"]),
        ("select * from t left join u on t.k=u.k and u.k=5", ["t:", "u: k = 5"]),
        ("select * from t left join u on t.k=u.k and t.a=5", ["t:", "u:"]),
        ("select * from t left join u on t.k=u.k where u.k=4", ["t: k = 4", "u: k = 4"]),
        ("select * from t left join u on t.k=u.k where u.k is null", ["t:", "u: ?k"]),
        ("select * from t right join u on t.k=u.k where u.k=5", ["t: k = 5", "u: k = 5"]),
        ("select * from t full join u on t.k=u.k and t.k = 3", ["t:", "u:"]),
        # subqueries
        ("select * from (select k, count(*) n from t group by k) s where s.k=$1 and n > 3", ["t: k = $1"]),
        ("select * from (select k+1 as k from t group by k+1) s where s.k=$1", ["t:"]),
        ("select * from (select * from t limit 5) s where s.k=$1", ["t:"]),
        ("select * from (select distinct on (a) * from t) s where s.k=1 and a=2", ["t: a = 2"]),
        ("select * from (select k from t union all select k from u) s where k=3", ["t: k = 3", "u: k = 3"]),
        ("select * from (select k from t except select k from u) s where k=3", ["t:", "u:"]),
        ("select * from (select *, sum(a) over (partition by k) from t) s where k=4 and a=3", ["t: k = 4"]),
        ("select * from (select *, sum(a) over () from t) s where k=4", ["t:"]),
        ("select * from (select id, lower(a) x from t) s where x = 'a'", ["t: f(a) = a"]),
        ("select * from (select 5 as five) s join t on t.k = s.five", ["t: k = 5"]),
        ("select * from (select id i, k j from t) s(x) where x = 1 and j = 2", ["t: id = 1 and k = 2"]),
        ("select * from v where key = 7", ["t: k = 7"]),
        # WITH
        ("with x as (select * from t) select * from x where k=1", ["t: k = 1"]),
        ("with x as materialized (select * from t) select * from x where k=1", ["t:"]),
        ("with x as (select * from t) select * from x a join x b using (id) where a.k=1", ["t:"]),
        ("with x as not materialized (select * from t) select * from x a, x b where a.k=1", ["t: k = 1", "t_1:"]),
        ("with x(q) as (select k from t), y as (select q from x) select * from y where q = 2", ["t: k = 2"]),
        (
            """with recursive r as (select id, k from t where id=1 union all
            select t.id, t.k from t join r on t.k=r.id) select * from r where k = 9""",
            ["t: id = 1", "t_1: k = column:r.id"],
        ),
        # semi joins
        ("select * from t where exists (select 1 from u where u.k=t.k) and k=7", ["t: k = 7", "u: k = 7"]),
        (
            "select * from t where not exists (select 1 from u where u.k=t.k and u.c=t.a) and k=7",
            ["t: k = 7", "u: k = 7"],
        ),
        ("select * from t where k in (select k from u where c=3)", ["t: k in subquery", "u: c = 3"]),
        ("select * from t where k in (select k from u) and k = 3", ["t: k in subquery and k = 3", "u: k = 3"]),
        (
            "select * from t where (k, id) in (select k, id from u) and k = 3",
            ["t: k in subquery and id in subquery and k = 3", "u: k = 3"],
        ),
        ("select * from t where k not in (select k from u)", ["t: k not_in subquery", "u:"]),
        ("select * from t where k = (select max(k) from u where c = $1)", ["t: k = subquery", "u: c = $1"]),
        ("select (select c from u where u.id=t.id) from t where k = 1", ["t: k = 1", "u: id = column:t.id"]),
        ("select * from t, lateral (select * from u where u.k=t.k limit 3) l", ["t:", "u: k = column:t.k"]),
        ("select * from unnest($1::int[]) x(k) join t using (k)", ["t: k = column:x.k"]),
        # other statements
        ("update t set a=u.c from u where u.id=t.id and u.id=$2", ["t: id = $2", "u: id = $2"]),
        ("delete from t using u where t.k=u.k and u.k=3", ["t: k = 3", "u: k = 3"]),
        ("delete from t where id in (select id from t where k=$1 limit 10)", ["t: id in subquery", "t_1: k = $1"]),
        ("merge into t using u on t.id=u.id and u.id=5 when matched then delete", ["t: id = 5", "u: id = 5"]),
        (
            "merge into t using u on t.k=u.k and t.k=5 and u.c=1 when not matched then insert (id) values (1)",
            ["t: k = 5", "u:"],
        ),
        ("declare c cursor for select * from t where k = 1", ["t: k = 1"]),
        ("create table x as select * from t where k = 1", ["t: k = 1"]),
        ("copy (select * from t where k = 1) to stdout", ["t: k = 1"]),
        ("select 1 from t where current_user = $1 and true", ["t:"]),
    ],
)
def test_conditions(names: SchemaNames, text: str, expected: list[str]) -> None:
    assert conditions(text, names) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select * from t join u on t.k=u.k and t.a < u.c", ["t.k=u.k", "u.k=t.k"]),
        ("select * from t left join u on t.k=u.k", ["t.k~u.k", "u.k~t.k"]),
        ("select * from t left join u on t.k=u.k where u.c = 1", ["t.k=u.k", "u.k=t.k"]),
        ("select * from t where k in (select k from u)", ["t.k=u.k", "u.k=t.k"]),
        ("select * from t where not exists (select 1 from u where u.k=t.k)", ["t.k~u.k", "u.k~t.k"]),
        ("select * from t x, (select id, k kk from u) y where x.k = y.kk", ["x.k=u.k", "u.k=x.k"]),
        ("select * from t join u on t.k::bigint = u.k", []),
        ("select * from t join u on t.k = u.k or t.a = u.c", []),
    ],
)
def test_joins(names: SchemaNames, text: str, expected: list[str]) -> None:
    assert joins(text, names) == expected


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("select * from t", "public.t"),
        ("select * from public.t", "public.t"),
        ("select * from orders", "shop.orders"),
        ("select * from elsewhere.t", "elsewhere.t"),
        ("select * from nowhere", "nowhere"),
        ('select * from "Nowhere"', "Nowhere"),
        ("select public.t.k from public.t where public.t.k = 1", "public.t"),
        ("select * from only t", "public.t"),
        ("select * from t tablesample system (1)", "public.t"),
        ("table t", "public.t"),
    ],
)
def test_table_names(names: SchemaNames, text: str, table: str) -> None:
    assert first(text, names).table == table


def test_a_name_in_two_schemas_follows_the_search_path() -> None:
    both = SchemaNames(search_path=("b",), by_name={"t": ("a.t", "b.t")})
    neither = SchemaNames(search_path=("c",), by_name={"t": ("a.t", "b.t")})
    assert first("select * from t", both).table == "b.t"
    assert first("select * from t", neither).table == "t"


def test_unknown_tables_take_unqualified_columns_only_when_there_is_one(names: SchemaNames) -> None:
    assert conditions("select * from nowhere where q = 5", names) == ["nowhere: q = 5"]
    assert conditions("select * from nowhere, elsewhere where q = 5", names) == ["nowhere:", "elsewhere:"]
    assert conditions("select * from t, nowhere where k = 5 and q = 6", names) == ["t: k = 5", "nowhere: q = 6"]


def test_types_of_operands(names: SchemaNames) -> None:
    text = """select * from t where a = 5 and k = 5000000000 and id = 1.5 and b = true
        and ts > '2026-01-01' and ts < $1::date"""
    found = [c.operands[0].type for c in first(text, names).condition.parts]  # type: ignore[union-attr]
    assert found == ["integer", "bigint", "numeric", "boolean", None, "date"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select * from t order by ts desc, id limit 5", "ts desc nulls first, id. limit 5"),
        ("select * from t order by ts desc nulls last, id nulls first", "ts desc, id nulls first."),
        ("select k x, ts from t order by x, 2", "k, ts."),
        ("select * from t order by lower(a), ts limit $1", "limit ?"),
        ("select * from t order by ts, lower(a) limit 5 offset 10", "ts limit 15"),
        ("select * from t order by ts limit 5 offset $1", "ts. limit ?"),
        ("select * from t order by k using >", ""),
        ("select * from t join u using (id) order by t.ts, u.c fetch first 3 rows only", "ts limit 3"),
        ("select * from t join u using (id) order by u.c limit 3", "limit 3"),
        ("select * from (select * from t where k = 1) s order by ts limit 3", "ts. limit 3"),
        ("select max(ts) from t where k = 1", "ts desc nulls first. limit 1"),
        ("select min(ts) from t", "ts. limit 1"),
        ("select max(ts), min(ts) from t", "grouped"),
        ("select max(ts) from t group by k", "grouped"),
        ("select k, count(*) from t group by k order by k limit 10", "k. limit 10 grouped"),
        ("select distinct k from t order by k limit 10", "k. limit 10 grouped"),
        ("select distinct on (k) * from t order by k, ts desc", "k, ts desc nulls first. grouped"),
        ("select id, row_number() over (order by ts) from t limit 10", "limit 10 grouped"),
        ("select * from t limit all", ""),
        ("select * from t limit null", ""),
        ("select id, k from t union all select id, k from u order by k desc limit 3", "k desc nulls first. limit 3"),
        ("select id, k from t union select id, k from u order by 2 limit 3", "k. limit 3 grouped"),
        ("(select k from t order by ts limit 1) union all select k from u order by k limit 3", "ts. limit 1"),
        ("select k from t union all select k from u", ""),
        ("select * from (select id, k from t union all select id, k from u) x order by id limit 9", "id. limit 9"),
        ("select * from (select id i from t union all select id from u) x order by i desc", "id desc nulls first."),
        ("select * from (select id from t union select id from u) x order by id limit 9", ""),
    ],
)
def test_order_and_limit(names: SchemaNames, text: str, expected: str) -> None:
    assert order(first(text, names)) == expected


VIEWS = SchemaNames(
    {"public.t": TableNames(("id", "k", "a")), "public.v": TableNames(("key", "id"))},
    {
        "public.v": " SELECT t.k AS key, t.id FROM t WHERE t.a = 'x'::text;",
        "public.vv": "SELECT v.key AS warehouse, v.id FROM v WHERE v.key > 5",
        "public.star": "select * from t where k = 1",
        "public.grouped": "SELECT k, count(*) AS n FROM t GROUP BY k",
        "public.joined": "SELECT t.id, u.c FROM t JOIN u ON u.id = t.id",
    },
    ("public",),
    {n: (f"public.{n}",) for n in ("t", "v", "vv", "star", "grouped", "joined")},
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("update v set key = 3 where id = 4", "update t: a = x and id = 4"),
        (
            "update vv w set warehouse = 3 where w.id = 4 and warehouse < 9",
            "update t: a = x and k > 5 and id = 4 and k < 9",
        ),
        ("delete from public.v where v.key = $1", "delete t: a = x and k = $1"),
        ("delete from star where a = 'y'", "delete t: k = 1 and a = y"),
        ("insert into v (id, key) values (1, 2)", "insert t:"),
        ("insert into vv values (1, 2)", "insert t:"),
        ("merge into v using t s on s.id = v.id when matched then update set key = s.k", "merge t: a = x"),
        ("update grouped set n = 1 where k = 2", "update grouped: k = 2"),
        ("delete from joined where id = 2", "delete joined: id = 2"),
    ],
)
def test_writes_through_views(text: str, expected: str) -> None:
    found = first(text, VIEWS)
    assert f"{found.role} {found.table.removeprefix('public.')}: {condition(found.condition)}".strip() == expected


def test_columns_written_through_views_are_the_tables() -> None:
    assert first("update vv set warehouse = 3", VIEWS).set_columns == ("k",)
    assert first("insert into vv (id, warehouse) values (1, 2)", VIEWS).columns == ("id", "k")
    inserted = first("insert into v values (1, 2) on conflict (key) do update set id = excluded.id", VIEWS)
    assert (inserted.columns, inserted.conflict_columns, inserted.set_columns) == (("k", "id"), ("k",), ("id",))


def test_row_locks(names: SchemaNames) -> None:
    assert first("select * from t where id = 1 for update skip locked", names).locks_rows
    both = pattern("select * from t join u using (id) for no key update of u", names).tables
    assert [t.locks_rows for t in both] == [False, True]


@pytest.mark.parametrize(
    "text",
    [
        "begin", "COMMIT", "set work_mem = '1MB'", "savepoint $1", "FETCH $1 FROM c", "create table x (a int)",
        "vacuum t", "truncate t", "explain select * from t", "select 1", "values (1)", "select nextval('s')",
        "select pg_sleep($1)", "listen x", "/* c */ release savepoint $1",
    ],
)  # fmt: skip
def test_no_table_access(names: SchemaNames, text: str) -> None:
    assert pattern(text, names).tables == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("selec 1", 'syntax error at or near "selec"'),
        ("select from where", "syntax error"),
        ("select * from t; select 1", "2 statements"),
        ("", "no statement"),
        ("<insufficient privilege>", "hidden"),
        ("execute p(1)", "EXECUTE"),
        ("call neword($1)", "procedure"),
        ("select neword($1)", "function neword"),
        ("select 'a\0b' from t", "NUL"),
        ("select '\ud800' from t", "Unicode"),
        ("select * from t where a = " + "(" * 200_000, "memory exhausted"),
        ("select " + "||".join(["a"] * 30_000), "too deeply"),
        ("select " + "+".join(["1"] * 5_000) + " from t", "too deeply"),
        ("select * from t where " + "f(" * 900 + "1" + ")" * 900, "too deeply"),
    ],
)
def test_not_understood(names: SchemaNames, text: str, reason: str) -> None:
    found = access_pattern(text, names)
    assert isinstance(found, Unparsed)
    assert reason in found.reason


def test_error_place_counts_characters(names: SchemaNames) -> None:
    found = access_pattern("select 'ü',\n  'ß' fro t t t", names)
    assert isinstance(found, Unparsed)
    assert (found.line, found.column) == (2, 11)
