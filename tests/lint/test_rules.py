"""Every rule's folder: its examples and cases say what the rule does, and its check stays within its bounds."""

from __future__ import annotations

import ast
import re
import string
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from partadvisor.lint.catalog import of_schema
from partadvisor.lint.context import Versions
from partadvisor.lint.engine import ALL_VERSIONS, Options, review_text
from partadvisor.lint.registry import Rule, rules
from partadvisor.lint.scope import Tables
from partadvisor.model.base import Value
from partadvisor.model.finding import Finding

RULES = rules()
MOST_LINES = 80


class Case(Value, frozen=True, kw_only=True):
    """One entry of ``cases.toml``."""

    name: str
    sql: str
    flagged: bool
    lines: tuple[int, ...] = ()
    schema: str = ""
    tables: dict[str, dict[str, float]] = {}  # noqa: RUF012 - msgspec copies it
    versions: tuple[int, int] | None = None
    in_transaction: bool | None = None
    path: str = "migration.sql"
    severity: str | None = None
    confidence: str | None = None
    max_locks: int | None = None


def cases() -> list[Any]:
    import msgspec

    found = []
    for rule in RULES.values():
        path = rule.folder / "cases.toml"
        entries = tomllib.loads(path.read_text(encoding="utf-8"))["case"] if path.exists() else []
        found += [pytest.param(rule, msgspec.convert(e, Case), id=f"{rule.id}-{e['name']}") for e in entries]
    return found


def catalog(schema: str, sizes: dict[str, dict[str, float]], versions: Versions) -> Tables:
    if not schema:
        return Tables()
    tables = of_schema(schema, versions)
    changed = {n: replace(tables.base[n], **dict(s)) for n, s in sizes.items()}  # type: ignore[arg-type]
    return Tables({**tables.base, **changed}, complete=True)


def setup(rule: Rule) -> str:
    """What exists before the examples of a rule that wants to know, and of those tried on a server."""
    known = rule.record.needs == "catalog" or (rule.folder / "live.toml").exists()
    return rule.schema if known else ""


def versions_of(rule: Rule) -> Versions:
    """The versions the rule is for, within those meant by default."""
    oldest, newest = max(rule.record.since, ALL_VERSIONS.oldest), min(rule.record.until, ALL_VERSIONS.newest)
    return Versions(oldest=min(oldest, newest), newest=newest)


def reviewed(rule: Rule, name: str) -> list[Finding]:
    text = (rule.folder / name).read_text(encoding="utf-8")
    first = text.splitlines()[0] if text else ""
    path = first.removeprefix("-- path:").strip() if first.startswith("-- path:") else name
    options = Options(versions=versions_of(rule), tables=catalog(setup(rule), {}, versions_of(rule)))
    return list(review_text(path, text, options).findings)


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_bad_example_is_flagged_by_exactly_this_rule(rule: Rule) -> None:
    found = {f.rule for f in reviewed(rule, "bad.sql") if f.severity != "info" or f.rule == rule.id}
    assert found == {rule.id}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_good_example_is_clean(rule: Rule) -> None:
    assert [f for f in reviewed(rule, "good.sql") if f.severity != "info" or f.rule == rule.id] == []


@pytest.mark.parametrize(("rule", "case"), cases())
def test_case(rule: Rule, case: Case) -> None:
    versions = (
        Versions(oldest=case.versions[0], newest=case.versions[1], stated=True) if case.versions else ALL_VERSIONS
    )
    options = Options(
        versions=versions,
        tables=catalog(case.schema, case.tables, versions),
        in_transaction=case.in_transaction,
        max_locks=case.max_locks,
    )
    found = [f for f in review_text(case.path, case.sql.lstrip("\n"), options).findings if f.rule == rule.id]
    assert bool(found) == case.flagged
    if case.lines:
        assert tuple(f.line for f in found) == case.lines
    if case.severity:
        assert {f.severity for f in found} == {case.severity}
    if case.confidence:
        assert {f.confidence for f in found} == {case.confidence}
    for finding in found:
        for text in (finding.message, finding.hint, finding.blocked, finding.recipe):
            assert not re.search(r"\{\w+\}", text), f"a place of the text has no value: {text}"


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_record_is_complete_and_the_texts_have_their_values(rule: Rule) -> None:
    record = rule.record
    assert record.references or rule.id.startswith("PA00")
    for text in (record.title, record.condition, record.effect, record.workaround):
        assert text
        assert text[-1] != " "
    if not record.title.endswith("?"):
        assert not record.title.endswith(".")
    for finding in reviewed(rule, "bad.sql"):
        for text in (finding.message, finding.hint, finding.blocked, finding.recipe):
            assert not re.search(r"\{\w+\}", text), f"a place of the text has no value: {text}"
    assert all(list(string.Formatter().parse(t)) is not None for t in (record.message, record.recipe))


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_recipe_is_sql(rule: Rule) -> None:
    from partadvisor.sql.parse import Unparsed, parse
    from partadvisor.sql.split import split

    for finding in reviewed(rule, "bad.sql"):
        if finding.rule == rule.id and finding.recipe:
            for statement in split(finding.recipe).statements:
                assert not isinstance(parse(statement.text), Unparsed), statement.text


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_check_is_small_and_keeps_to_its_layer(rule: Rule) -> None:
    path: Path = rule.folder / f"{rule.id.lower()}.py"
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    imported = [n.module or "" for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom)]
    imported += [a.name for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Import) for a in n.names]
    allowed = ("partadvisor.model.", "partadvisor.pg.", "partadvisor.lint.")
    foreign = {m for m in imported if m.startswith("partadvisor") and not m.startswith(allowed)}
    assert not foreign
    assert not {m.split(".")[0] for m in imported} & {"sqlglot", "postgast", "psycopg", "os", "subprocess", "socket"}
    engine = rule.id.startswith("PA00")
    assert engine or (rule.check is None) != (rule.check_script is None)


def test_ids_are_unique() -> None:
    folders = [r.folder.name[:5] for r in RULES.values()]
    assert len(folders) == len(set(folders))
