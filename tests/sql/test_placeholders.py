"""Statements as applications write them: what is a placeholder, what only looks like one, and where errors are."""

import random
import subprocess
import sys
import timeit

import pytest

from partadvisor.model.activity import StatementDelta
from partadvisor.model.snapshot import Statements
from partadvisor.model.workload import AccessPattern
from partadvisor.sql import parse as door
from partadvisor.sql.access import access_pattern
from partadvisor.sql.names import SchemaNames
from partadvisor.sql.parse import Unparsed, fingerprint, parse
from partadvisor.sql.placeholders import readings
from partadvisor.workload.families import build_workload
from tests.sql.brief import conditions, first


def _read(text: str) -> str:
    """The reading PostgreSQL's grammar takes."""
    for reading in readings(text):
        if not isinstance(door._grammar(reading.text), door._Refused):
            return reading.text
    raise AssertionError(text)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        # every style
        ("select * from t where a = %s and b = %b", "select * from t where a = $1 and b = $2"),
        (
            "select * from t where a = %(x)s and b = %(y z)s or c = %(x)s",
            "select * from t where a = $1 and b = $2 or c = $1",
        ),
        ("select * from t where a=? and b=?::int", "select * from t where a=$1 and b=$2::int"),
        ("select * from t where a = ?1 and b = ?2 and c = ?1", "select * from t where a = $1 and b = $2 and c = $1"),
        ("select :a::int, :b from t where c=:a", "select $1::int, $2 from t where c=$1"),
        ("select * from t where a = :1", "select * from t where a = $1"),
        ("select * from t where a = :'x' and :\"c\" = 5 limit :n", "select * from t where a = $1 and $2 = 5 limit $3"),
        ("select * from t where a > @from and b < @to", "select * from t where a > $1 and b < $2"),
        (
            "select * from t where a = $2 and b = ? and c = ? and d = $4",
            "select * from t where a = $2 and b = $1 and c = $3 and d = $4",
        ),
        ("insert into t (a, b) values (%s, %s), (%s, %s)", "insert into t (a, b) values ($1, $2), ($3, $4)"),
        # tokens beside them stay apart
        ("select * from t where a in(?)and b>?and c<?", "select * from t where a in($1)and b>$2 and c<$3"),
        ("select * from t where a = ? limit?", "select * from t where a = $1 limit $2"),
        ("select ?||'-'||?||b from t where c=?", "select $1||'-'||$2||b from t where c=$3"),
        ("select 1 from t where a && ? and ?&&b", "select 1 from t where a && $1 and $2&&b"),
        # statements whose rest sqlglot does not cut by itself
        ("call f(?, ?)", "call f($1, $2)"),
        ("explain (analyze) select '?' from t where a = :x", "explain (analyze) select '?' from t where a = $1"),
        ("declare c cursor for select * from t where a = :x", "declare c cursor for select * from t where a = $1"),
        ("prepare p as select * from t where a = %s", "prepare p as select * from t where a = $1"),
        # a list bound as one value has several
        ("select * from t where a in %s and b not in :c", "select * from t where a in ($1, $2) and b not in ($3, $4)"),
        ("select * from t where a in :ids and b = :x", "select * from t where a in ($1, $2) and b = $3"),
    ],
)
def test_each_style(text: str, read: str) -> None:
    assert _read(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "select '%s ? :x @y' from t where a = {}",
        'select a as "%s ? :x @y" from t where a = {}',
        "select 'it''s ?', E'it\\'s %s :x', U&'?', B'1' from t where a = {}",
        "select $$ ? :x $$, $q$ %s $$ @y $q$ from t where a = {}",
        "select 1 -- ? %s :x\n, 2 /* ? /* :x */ %s */ from t where a = {}",
        "select 'C:\\' || 'x?' from t where a = {}",
        "select a from t where b like '%s' and c like 'x%%' and d = {}",
        "select /*+ IndexScan(t ? :x %s) */ a from t where a = {}",
        "select a::int, b[1:2], b[i:j], b[f(1):j], b [1 :j] from t where a = {}",
        "select f(x := 1), f(x => 1) from t where a @> b and c <@ d and e @@ f and @ g > 1 and a = {}",
        "select a % 2, b %> 'x', a %2 from t where a = {}",
        "select a ? 'k', a ?| b, a ?& b, a @? '$.x ? (@ > 1)' from t where a = {}",
        "select (a) ? 'k', a->'b' ? 'k', a[1] ? 'k', \"a\" ? $9, a::jsonb ? 'k' from t where a = {}",
        "select 'ü😀', ü from t where a = {}",
    ],
)
@pytest.mark.parametrize("placeholder", ["%s", "%(naïve)s", "?", ":x", ":'x'", "@limit"])
def test_what_only_looks_like_one_stays(text: str, placeholder: str) -> None:
    assert _read(text.format(placeholder)) == text.format("$1")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("select * from t where a %% 2 = %s", "select * from t where a %  2 = $1"),
        ("select * from t where a ?? 'k' and b = ?", "select * from t where a  ? 'k' and b = $1"),
        ("select * from t where a ??| b and b = ?", "select * from t where a  ?| b and b = $1"),
        ("select * from t where a ? ? and b ? 'k' and c = ?", "select * from t where a ? $1 and b ? 'k' and c = $2"),
        ("select * from t where x = inet ? and c = ?", "select * from t where x = inet $1 and c = $2"),
        (
            "select * from t where a = array[:x, :y] and b[:z] = 1",
            "select * from t where a = array[$1, $2] and b[$3] = 1",
        ),
    ],
)
def test_operators_beside_placeholders(text: str, read: str) -> None:
    assert _read(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "select a ? 'k', b ?| c, b ?& c from t",
        "select a[:n], a[n:], @ a, a %s from t",
        "select * from t where a <@ b and a @> b and @a > 5 and c <%b",
        "select * from t where a = '=%s' and b = '? - 1' and c = 'id = @id' and d = '(? - 1)'",
    ],
)
def test_what_postgresql_takes_is_not_read_again(text: str) -> None:
    assert _read(text) == text


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("select * from t where a=%s", "select * from t where a=$1"),
        ("select * from t where a>=%s+1", "select * from t where a>=$1+1"),
        ("select * from t where a=@x and b = @y", "select * from t where a=$1 and b = $2"),
        ("select * from t where Id = @id", "select * from t where Id = $1"),
        ("insert into t (a, b) values (@a, @b)", "insert into t (a, b) values ($1, $2)"),
        ("select * from t where a like ? escape '!'", "select * from t where a like $1 escape '!'"),
        ("select * from t where ts > ? - interval '1 day'", "select * from t where ts > $1 - interval '1 day'"),
    ],
)
def test_what_postgresql_would_take_for_an_operator_no_one_means(text: str, read: str) -> None:
    assert not isinstance(door._grammar(text), door._Refused)
    assert _read(text) == read


@pytest.mark.parametrize(
    ("text", "reason", "line", "column"),
    [
        ("select *\nfrom t\nwhere abc = :long_name and and x = 1", 'syntax error at or near "and"', 3, 28),
        ("select ?, ?, 'ü'\n from t where where", 'syntax error at or near "where"', 2, 15),
        ("select a from :tab where b = 1", 'syntax error at or near ":tab"', 1, 15),
        ("insert into t (a) values %s", 'syntax error at or near "%s"', 1, 26),
        ("select * from t where a = %s and (b = %s", "syntax error at end of input", 1, 41),
        ("select * from t x y where a = %(x)s", 'syntax error at or near "y"', 1, 19),
        ("select 'open ? from t where a = ?", None, 1, 8),
    ],
)
def test_errors_are_at_the_users_place(text: str, reason: str | None, line: int, column: int) -> None:
    found = parse(text)
    assert isinstance(found, Unparsed)
    assert (found.reason if reason else None, found.line, found.column) == (reason, line, column)


def test_positions_in_trees_are_of_the_users_text(names: SchemaNames) -> None:
    text = "select 'ü' from t where k = :naïve and a in (:x /*, ... */) and ts = any(array[:y /*, ... */])"
    assert conditions(text, names) == ["t: k = $1 and a in $2,... and ts in $3,..."]
    tree = parse(text)
    assert not isinstance(tree, Unparsed)
    where = tree[0]["SelectStmt"]["whereClause"]["BoolExpr"]["args"][1]["A_Expr"]
    written = text.encode()
    assert written[where["rexpr_list_start"] : where["rexpr_list_end"] + 1] == b"(:x /*, ... */)"
    assert written[where["rexpr"]["List"]["items"][0]["ParamRef"]["location"] :].startswith(b":x ")


def test_patterns(names: SchemaNames) -> None:
    assert conditions("select * from t where k=%s and ts >= %(since)s", names) == ["t: k = $1 and ts >= $2"]
    assert conditions("select * from t where k in :ids", names) == ["t: k in $1,$2"]
    assert conditions("delete from t where k between ? and ?", names) == ["t: k >= $1 and k <= $2"]
    assert first("insert into t (k, a) values (:k, :a), (:k, :b)", names).rows == 2
    assert conditions("select * from t where k = any(@ids) limit @limit", names) == ["t: k in array:$1"]


@pytest.mark.parametrize(
    "text",
    [
        "select * from t where k = %s and a = %s",
        "select * from t where k=%s and a=%s",
        "SELECT * FROM t WHERE k = ? AND a = ?",
        "select * from t where k = :k_17 and a = :a_18",
        "select * from t where k = @k and a = @a",
        "select * from t where k = :'k' and a = 5",
    ],
)
def test_one_family_whatever_the_driver(text: str, names: SchemaNames) -> None:
    numbered = "select * from t where k = $1 and a = $2"
    assert fingerprint(text) == fingerprint(numbered)
    entries = tuple(StatementDelta(query_id=t, text=t, calls=1.0) for t in (text, numbered))
    workload = build_workload([Statements(source="file", seconds=None, entries=entries)], names)
    assert [f.calls for f in workload.families] == [2.0]


def test_different_statements_stay_apart() -> None:
    assert fingerprint("select * from t_1 where a = %s") != fingerprint("select * from t_2 where a = %s")
    assert fingerprint("select * from t where a = :x") != fingerprint("select * from t where b = :x")
    assert fingerprint("select `a` from t where b = ?") != fingerprint("select `b` from t where b = ?")


@pytest.mark.parametrize(
    ("text", "reason", "column"),
    [
        ("select a, `order id` from `orders` where b = ?", "`order id`: backtick quoting is not PostgreSQL's", 11),
        ("select '`' from `orders` x where", "`orders`: backtick quoting is not PostgreSQL's", 17),
        ("select t.[Order Id] from [dbo].[orders] t", "[Order Id]: bracket quoting is not PostgreSQL's", 10),
        ("select * from [dbo].[orders] where id = ?", "[dbo]: bracket quoting is not PostgreSQL's", 15),
        ("select * from t x y where a = '`x`'", 'syntax error at or near "y"', 19),
        ("select a[1], [1, 2] from t", 'syntax error at or near "["', 14),
    ],
)
def test_quoting_of_other_products(text: str, reason: str, column: int, names: SchemaNames) -> None:
    assert access_pattern(text, names) == Unparsed(reason, 1, column)


def test_whatever_the_text_is() -> None:
    pieces = ["%s", "%(a)s", "?", "??", "?|", "?1", ":a", ":'a'", "::", "@a", "$1", "`", "[", "]", "'", '"', "$$", "/*"]
    pieces += [
        "*/",
        "--",
        "\n",
        "in",
        "select",
        "a",
        "t",
        "=",
        "(",
        ")",
        ",",
        "1",
        "ü",
        "E'\\",
        "U&",
        "{{",
        "\\",
        "from",
    ]
    chooser = random.Random(11)
    for _ in range(3000):
        text = "".join(chooser.choice((" ", "")) + chooser.choice(pieces) for _ in range(chooser.randint(1, 14)))
        found = parse(text)
        assert isinstance(found, tuple | Unparsed)
        if isinstance(found, Unparsed) and found.line is not None and found.column is not None:
            lines = text.split("\n")
            assert 1 <= found.column <= len(lines[found.line - 1]) + 1
        fingerprint(text)


def test_accepted_texts_load_no_tokenizer() -> None:
    code = (
        "import sys; from partadvisor.sql.parse import parse, fingerprint\n"
        "for t in ('select a ? $1, a % 2, @ b, c[1:2] from t where d::int = $2', 'selec 1', 'select x::'):\n"
        "    parse(t), fingerprint(t)\n"
        "print('sqlglot' in sys.modules)\n"
        "print(parse('select ?')[0].keys(), 'sqlglot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["False", "dict_keys(['SelectStmt']) True"]


def test_accepted_texts_cost_next_to_nothing() -> None:
    text = "select * from t join u using (k) where t.a = $1 and u.c % 2 = $2 and t.b @> $3 order by t.ts limit $4"
    search = min(timeit.repeat(lambda: next(readings(text)), number=200, repeat=5))
    whole = min(timeit.repeat(lambda: parse(text), number=200, repeat=5))
    assert search < whole / 3


def test_a_long_insert() -> None:
    text = f"insert into t (a, b) values {', '.join(['(%s, %s)'] * 5000)}"
    found = parse(text)
    assert not isinstance(found, Unparsed)
    assert len(found[0]["InsertStmt"]["selectStmt"]["SelectStmt"]["valuesLists"]) == 5000


def test_a_pattern_of_an_application(names: SchemaNames) -> None:
    assert isinstance(access_pattern("update t set a = :a, b = not b where id = :id returning *", names), AccessPattern)
