"""Workload files: what is read, and where an error points."""

import json

import pytest

from partadvisor.model.errors import UsageError
from partadvisor.workload.files import parse_workload

ANNOTATED = """\
-- Written by hand.
-- name: add order line
-- calls: 1200 per second
-- mean_ms: 0.4
-- rows: 10
INSERT INTO order_line (w, d) VALUES ($1, $2);

-- NAME:  by key
-- calls: 1_200/min
SELECT * FROM t WHERE a = ';';
\\timing on
selec broken;
"""


def test_annotated_sql() -> None:
    found = parse_workload("q.sql", ANNOTATED)
    assert (found.source, found.seconds) == ("file", 1.0)
    first, second, third = found.entries
    assert (first.name, first.calls, first.total_ms, first.rows) == ("add order line", 1200, 480, 12_000)
    assert (first.text, first.query_id) == ("INSERT INTO order_line (w, d) VALUES ($1, $2)", "q.sql:6")
    assert (second.name, second.calls) == ("by key", 20)
    assert (third.name, third.text, third.calls) == (None, "selec broken", 1)


def test_counts_have_no_span() -> None:
    found = parse_workload("q.sql", "-- calls: 17\nselect 1 from t; select 2 from t")
    assert (found.seconds, [e.calls for e in found.entries]) == (None, [17, 1])


@pytest.mark.parametrize(
    "rate", ["2 per second", "2/s", "2 per sec", "120 per minute", "7200 per hours", "2.0 / second"]
)
def test_rates(rate: str) -> None:
    assert parse_workload("q.sql", f"-- calls: {rate}\nselect 1").entries[0].calls == 2


CSV = """queryid,query,calls,total_exec_time,mean_exec_time,rows,shared_blks_read,wal_bytes,total_plan_time
-12,"select ""a"", b
from t where k = $1",10,25.5,2.55,20,3,4096,1.5
13,begin,5,,,,,,
"""


def test_csv() -> None:
    found = parse_workload("s.csv", CSV)
    assert (found.source, found.seconds) == ("pg_stat_statements", None)
    first, second = found.entries
    assert first.text == 'select "a", b\nfrom t where k = $1'
    assert (first.query_id, first.calls, first.total_ms, first.plan_ms) == ("-12", 10, 25.5, 1.5)
    assert (first.rows, first.shared_reads, first.wal_bytes) == (20, 3, 4096)
    assert (second.text, second.total_ms) == ("begin", 0)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([{"queryid": 1, "query": "select 1", "calls": 4, "total_time": 8.0, "userid": 10}]),
        json.dumps({"queryid": "1", "query": "select 1", "calls": "4", "mean_exec_time": 2.0}) + "\n",
        "\ufeffquery,calls,mean_time\nselect 1,4,2\n",
        '"query","calls","total_exec_time"\r\n"select 1","4","8"\r\n',
    ],
)
def test_other_shapes(text: str) -> None:
    (only,) = parse_workload("s", text).entries
    assert (only.text, only.calls, only.total_ms) == ("select 1", 4, 8)


def test_json_lines_and_hidden_texts() -> None:
    rows = [{"query": "select 1", "calls": 1}, {"query": None, "calls": 2}]
    found = parse_workload("s", "\n".join(map(json.dumps, rows)))
    assert [e.text for e in found.entries] == ["select 1", "<insufficient privilege>"]


def test_long_texts_in_csv() -> None:
    text = "select " + ", ".join(["1"] * 100_000)
    assert parse_workload("s", f'query,calls\n"{text}",1\n').entries[0].text == text


@pytest.mark.parametrize(
    ("text", "place", "detail"),
    [
        ("", "", ""),
        ("-- nothing\n", "", ""),
        ("select 1;\n  -- calls: often\nselect 2", "f:2:13", 'found "often"'),
        ("-- calls: 5 per fortnight\nselect 2", "f:1:11", "a rate such as"),
        ("-- mean_ms: 1,5\nselect 2", "f:1:13", 'a number after "mean_ms:"'),
        ("-- calls:\nselect 2", "f:1:10", 'found ""'),
        ("-- calls: 1/s\nselect 1;\n-- calls: 5\nselect 2", "f:4:1", "cannot be compared"),
        ("query,calls\nselect 1,2\nselect 2,x\n", "f:3:1", '"calls" is "x"'),
        ("query,calls\nselect 1,2,3\n", "f:2:1", "2 columns, this row 3"),
        ('query,calls\n"select\n1",2\n"select 2"x,5\n', "f:4:1", "Not CSV"),
        ("query,calls\nselect 1,nan\n", "f:2:1", '"calls" is "nan"'),
        ('[{"query": "select 1", "calls": 1},\n {"query": 5}]', "f:1:1", 'Expected "query" and "calls"'),
        ('[{"query": "select 1",\n "calls" 1}]', "f:2:10", "Not JSON"),
        ('{"query": "a", "calls": 1}\n[5]', "f:2:1", "Expected objects"),
    ],
)
def test_unreadable(text: str, place: str, detail: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_workload("f", text)
    assert place in error.value.message
    assert detail in (error.value.detail or "")
    assert error.value.hint


def test_what_is_no_statement_is_told() -> None:
    text = "\\set x 5\n\\timing on\nselec 1;\nCOPY t FROM stdin;\n1\t2\n\\.\nselect * from t where k = :x;\n"
    found = parse_workload("q.sql", text)
    assert [e.text for e in found.entries] == ["selec 1", "COPY t FROM stdin", "select * from t where k = :x"]
    assert found.notes == ("q.sql: 2 psql commands and the data of 1 COPY passed over, being no statements",)
    assert parse_workload("q.sql", "select 1").notes == ()
