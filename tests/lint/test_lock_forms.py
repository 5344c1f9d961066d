"""Locks as the engine gets them: with and without a catalog, over several versions, in words."""

import pytest

from partadvisor.lint.catalog import of_schema
from partadvisor.lint.context import Versions
from partadvisor.lint.lock_forms import locks_of
from partadvisor.lint.lock_roles import in_words, roles, stand_in
from partadvisor.lint.lock_table import form, form_names
from partadvisor.lint.scope import Scope, Tables
from partadvisor.lint.session import Lock
from partadvisor.sql.ddl.facts import facts_of
from partadvisor.sql.parse import Unparsed

NOW, ALL = Versions(oldest=18, newest=18), Versions(oldest=11, newest=18)
SCHEMA = """
CREATE TABLE r (id int PRIMARY KEY);
CREATE TABLE p (id int NOT NULL, k int REFERENCES r) PARTITION BY RANGE (id);
CREATE TABLE p_1 PARTITION OF p FOR VALUES FROM (0) TO (100);
CREATE TABLE p_d PARTITION OF p DEFAULT;
CREATE INDEX p_k ON p (k);
CREATE INDEX p_1_k ON p_1 (k);
"""


def locks(sql: str, tables: Tables | None = None, versions: Versions = NOW) -> tuple[Lock, ...]:
    facts = facts_of(sql)
    assert not isinstance(facts, Unparsed)
    return locks_of(facts, Scope(tables or Tables()), versions, 0)


def shown(found: tuple[Lock, ...]) -> set[tuple[str, str, str]]:
    return {(k.relation.removeprefix("public."), k.role, k.mode) for k in found}


def test_relations_the_statement_never_names() -> None:
    tables = of_schema(SCHEMA, NOW)
    assert shown(locks("CREATE TABLE p_2 PARTITION OF p FOR VALUES FROM (100) TO (200)", tables)) == {
        ("p", "parent", "ACCESS EXCLUSIVE"),
        ("p_d", "default partition", "ACCESS EXCLUSIVE"),
        ("r", "referenced", "SHARE ROW EXCLUSIVE"),
    }


def test_an_index_is_named_where_its_table_does_not_cover_it() -> None:
    tables = of_schema(SCHEMA, NOW)
    found = shown(locks("ALTER INDEX p_k ATTACH PARTITION p_1_k", tables))
    assert ("p_1_k", "index", "ACCESS EXCLUSIVE") in found
    assert {name for name, _, _ in shown(locks("ALTER TABLE p ADD COLUMN x int", tables))} == {"p", "p_1", "p_d"}


def test_what_is_locked_if_it_is_there_is_described_when_nothing_is_known() -> None:
    found = locks("ALTER TABLE p ADD COLUMN x int")
    assert [(k.relation, k.mode) for k in found if k.certain] == [("public.p", "ACCESS EXCLUSIVE")]
    assert {k.relation for k in found if not k.certain} == {
        "every partition of public.p",
        "every table that inherits from public.p",
    }


def test_the_strongest_of_the_versions_counts() -> None:
    sql = "ALTER TABLE p ATTACH PARTITION t FOR VALUES FROM (1) TO (2)"
    assert ("p", "parent", "ACCESS EXCLUSIVE") in shown(locks(sql, versions=ALL))
    assert ("p", "parent", "SHARE UPDATE EXCLUSIVE") in shown(locks(sql))


@pytest.mark.parametrize(
    ("sql", "work"),
    [
        ("ALTER TABLE p_1 ALTER k TYPE bigint", "rewrite"),
        ("ALTER TABLE p_1 ALTER k SET NOT NULL", "scan"),
        ("CREATE INDEX ON p_1 (id)", "index build"),
        ("ALTER TABLE p_1 ADD CHECK (id > 0) NOT VALID", ""),
    ],
)
def test_what_is_done_under_the_lock(sql: str, work: str) -> None:
    found = locks(sql, of_schema(SCHEMA, NOW))
    assert {k.work for k in found if k.relation == "public.p_1"} == {work}


def test_every_form_can_be_read_for_every_version() -> None:
    for name in form_names():
        entry = form(name, ALL)
        assert entry.locks or entry.refused or not entry.scans


def test_a_relation_has_the_role_of_its_shortest_path() -> None:
    edges = {
        "p": {"partition": ["b"], "partitioned partition": ["a"]},
        "a": {"partition": ["c"], "partitioned index": ["i"]},
        "b": {"index": ["i"]},
    }
    assert roles({"target": ["p"], "other": ["b"]}, lambda name: edges.get(name, {})) == {
        "p": "target",
        "b": "other",
        "a": "target/partitioned partition",
        "i": "other/index",
        "c": "target/subpartition",
    }


def test_a_partition_of_another_kind_stands_in_for_one_that_was_not_measured() -> None:
    known = {"referenced/partition", "target/default partition"}
    assert stand_in("referenced/default partition", known) == "referenced/partition"
    assert stand_in("referenced/default partition/partition", known) == "referenced/partition"
    assert stand_in("target/default partition", known) == "target/default partition"
    assert stand_in("target/partition", known) == "target/partition"


@pytest.mark.parametrize(
    ("role", "words"),
    [
        ("target", "target"),
        ("target/partition", "partition"),
        ("target/partition/index", "index of partition"),
        ("parent/default partition", "default partition"),
        ("referenced/partition", "partition of referenced"),
        ("target/toast/index", "index of TOAST table"),
    ],
)
def test_roles_in_words(role: str, words: str) -> None:
    assert in_words(role) == words
