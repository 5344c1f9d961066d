"""Where a condition reaches, checked by the planner: a table partitioned by its key is pruned to one partition
exactly where the access pattern says that the key is equal to a value.
"""

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from partadvisor.model.workload import AllOf, AnyOf, Comparison, Condition
from partadvisor.sql.names import SchemaNames, TableNames
from tests.sql.brief import pattern

_PARTS = 4
_SETUP = """
CREATE TABLE t (id int, k int, a text, b bool, ts timestamptz) PARTITION BY HASH (k);
CREATE TABLE u (id int, k int, c int) PARTITION BY HASH (k);
CREATE VIEW v AS SELECT id, k AS key FROM t;
CREATE VIEW w AS SELECT k, count(*) AS n FROM t GROUP BY k;
"""
_NAMES = SchemaNames(
    {"public.t": TableNames(("id", "k", "a", "b", "ts")), "public.u": TableNames(("id", "k", "c"))},
    {"public.v": "SELECT id, k AS key FROM public.t", "public.w": "SELECT k, count(*) AS n FROM public.t GROUP BY k"},
    ("public",),
    {"t": ("public.t",), "u": ("public.u",), "v": ("public.v",), "w": ("public.w",)},
)
STATEMENTS = """
select * from t where k = 5
select * from t where 5 = k and a = 'x'
select * from t where k = 5 + 1
select * from t where not (k <> 5)
select * from t where not (not (k = 5) or a = 'x')
select * from t where (a, k) = ('x', 5)
select * from t where k + 0 = 5
select * from t where k::bigint = 5
select * from t where k = 5 or a = 'x'
select * from t where k = 5 or k = 5
select * from t join u on t.k = u.k where u.k = 5
select * from t join u using (k) where k = 5
select * from t natural join u where k = 5
select * from t, u where t.k = u.k and u.c = t.id and t.k = 5
select * from t x, t y, u where x.k = y.k and y.k = u.k and u.k = 5
select * from t left join u on t.k = u.k where t.k = 5
select * from t left join u on t.k = u.k and u.k = 5
select * from t left join u on t.k = u.k and t.k = 5
select * from t left join u on t.k = u.k where u.k = 5
select * from t left join u on t.id = u.id where u.k = 5
select * from t left join u on t.id = u.id and u.k = 5 where u.c = 3
select * from t right join u on t.k = u.k where u.k = 5
select * from t right join u on t.k = u.k where t.k = 5
select * from t right join u on t.id = u.id and t.k = 5
select * from t full join u on t.k = u.k and t.k = 5
select * from t left join (select * from u where k = 5) s on t.k = s.k
select * from t left join (select * from u where c = 5) s on t.k = s.k where t.k = 5
select * from t left join (select k, count(*) from u group by k) s on t.k = s.k where t.k = 5
select * from t left join (u x join u y on x.k = y.k) on t.id = x.id where y.k = 5
select * from t left join (u x join u y on x.k = y.k and y.k = 5) on t.id = x.id
select * from (select * from t) s where k = 5
select * from (select id, k as q from t where a = 'x') s where q = 5
select * from (select id, k + 1 as q from t) s where q = 5
select * from (select * from t limit 5) s where k = 5
select * from (select * from t offset 5) s where k = 5
select * from (select k, count(*) from t group by k) s where k = 5
select * from (select k, a, count(*) from t group by 1, 2) s where k = 5 and a = 'x'
select * from (select a, max(k) as k from t group by a) s where k = 5
select * from (select distinct k, a from t) s where k = 5
select * from (select distinct on (k) * from t order by k) s where k = 5
select * from (select distinct on (a) * from t order by a) s where k = 5
select * from (select *, sum(id) over (partition by k) from t) s where k = 5
select * from (select *, sum(id) over (partition by a, k order by ts) from t) s where k = 5
select * from (select *, sum(id) over (partition by a) from t) s where k = 5
select * from (select *, sum(id) over w from t window w as (partition by k)) s where k = 5
select * from (select k, id from t union all select k, id from u) s where k = 5
select * from (select k, id from t union select k, id from u) s where k = 5
select * from (select k from t intersect select k from u) s where k = 5
select * from (select k from t except select k from u) s where k = 5
select * from (select k, id from t union all select c, id from u) s where k = 5
select * from (select k from t union all select k from u limit 3) s where k = 5
select * from (select k, count(*) n from t group by k) s join u on u.k = s.k where u.k = 5
select * from (select k, count(*) n from t where k = 5 group by k) s join u on u.k = s.k
select * from (select 5 as five) s join t on t.k = s.five
select * from v where key = 5
select * from v join u on v.key = u.k where u.k = 5
select * from w where k = 5
with x as (select * from t) select * from x where k = 5
with x as materialized (select * from t) select * from x where k = 5
with x as (select * from t) select * from x p join x q on p.id = q.id where p.k = 5 and q.k = 5
with x as not materialized (select * from t) select * from x p join x q on p.id = q.id where p.k = 5
with x as (select * from t), y as (select * from x) select * from y where k = 5
with x as (select *, random() from t) select * from x where k = 5
with x as (select * from t for update) select * from x where k = 5
with x as (select k, count(*) from t group by k) select * from x where k = 5
with recursive r as (select id, k from t where k = 5 union all select t.id, t.k from t join r using (id)) table r
select * from t where exists (select 1 from u where u.k = t.k) and k = 5
select * from t where exists (select 1 from u where u.k = t.k and u.k = 5)
select * from t where not exists (select 1 from u where u.k = t.k) and k = 5
select * from t where not exists (select 1 from u where u.k = t.k and u.k = 5)
select * from t where k in (select k from u where c = 3) and k = 5
select * from t where k in (select k from u where k = 5)
select * from t where k not in (select k from u where k = 5)
select * from t where id in (select id from u where k = 5)
select * from t where a = 'x' or exists (select 1 from u where u.k = 5)
select * from t where id = (select max(id) from u where k = 5)
select (select max(c) from u where u.k = 5) from t where k = 5
select * from t, lateral (select * from u where u.k = t.k) l where t.k = 5
select * from t where k = 5 union all select * from t where k = 6
select count(*) from t where k = 5 having count(*) > 1
update t set a = 'x' where k = 5
update t set a = 'x' from u where t.k = u.k and u.k = 5
update t set a = 'x' where id in (select id from u where k = 5)
delete from t where k = 5
delete from t using u where t.k = u.k and t.k = 5
merge into t using u on t.k = u.k and t.k = 5 when matched then delete
merge into t using u on t.k = u.k and t.k = 5 when not matched then insert (id) values (1)
merge into t using u on t.k = u.k and u.k = 5 when not matched then insert (id) values (1)
merge into t using (select * from u where k = 5) s on t.k = s.k when not matched then insert (id) values (1)
insert into u (id, k) select id, k from t where k = 5
""".strip().splitlines()


@pytest.fixture(scope="module")
def connection(server: object, make_db: object) -> Iterator[psycopg.Connection]:
    with psycopg.connect(make_db(server), autocommit=True) as opened:  # type: ignore[operator]
        opened.execute(_SETUP)
        for table in ("t", "u"):
            for part in range(_PARTS):
                opened.execute(
                    f"CREATE TABLE {table}_p{part} PARTITION OF {table} "
                    f"FOR VALUES WITH (MODULUS {_PARTS}, REMAINDER {part})"
                )
        opened.execute("SET enable_partitionwise_join = off")
        yield opened


def _scanned(plan: Any, counts: dict[str, int]) -> dict[str, int]:
    """Leaf scans by parent table."""
    if "Relation Name" in plan and "Scan" in plan["Node Type"]:
        table = plan["Relation Name"].split("_p")[0]
        counts[table] = counts.get(table, 0) + 1
    for child in plan.get("Plans", ()):
        _scanned(child, counts)
    return counts


def _pinned(condition: Condition) -> bool:
    match condition:
        case AllOf(parts=parts):
            return any(_pinned(p) for p in parts)
        case AnyOf(parts=parts):
            return all(_pinned(p) for p in parts)
        case Comparison(column="k", operator="=", wrapped=False, operands=(operand,)):
            return operand.kind in ("constant", "folded")
        case _:
            return False


@pytest.mark.parametrize("text", STATEMENTS)
def test_pruned_where_the_pattern_says_so(connection: psycopg.Connection, text: str) -> None:
    row = connection.execute(f"EXPLAIN (FORMAT JSON, COSTS OFF) {text}").fetchone()
    assert row is not None
    scanned = _scanned(row[0][0]["Plan"], {})
    expected: dict[str, int] = {}
    for access in pattern(text, _NAMES).tables:
        if access.role != "insert":
            table = access.table.removeprefix("public.")
            expected[table] = expected.get(table, 0) + (1 if _pinned(access.condition) else _PARTS)
    assert scanned == expected, json.dumps(row[0][0]["Plan"], indent=1)
