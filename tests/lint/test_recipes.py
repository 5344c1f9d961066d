"""What a rule tells people to paste is SQL that runs, and that the reviewer has nothing against."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from partadvisor.io.server import Server
from partadvisor.lint.engine import Options, review_text
from partadvisor.lint.registry import Rule, rules
from partadvisor.model.finding import Finding
from tests.lint.corpus import psql
from tests.lint.test_rules import catalog, reviewed, versions_of

# a text with … in it leaves something for the reader to fill in
RECIPES = [
    pytest.param(rule, finding, id=rule.id)
    for rule in rules().values()
    for finding in reviewed(rule, "bad.sql")[:1]
    if finding.rule == rule.id and finding.recipe and "…" not in finding.recipe
]
AFTER = ("PA120", "PA214", "PA405", "PA410")
"""Recipes that go after the flagged statement, not in its place."""
EARLIER = ("PA411",)
"""Recipes that go before what the script has done by then."""


@pytest.mark.parametrize(("rule", "finding"), RECIPES)
def test_recipe_does_not_break_the_rule_again(rule: Rule, finding: Finding) -> None:
    versions = versions_of(rule)
    schema = rule.schema if (rule.folder / "live.toml").exists() else ""
    options = Options(versions=versions, tables=catalog(schema, {}, versions))
    found = review_text("recipe.sql", finding.recipe, options).findings
    assert [f.message for f in found if f.rule == rule.id] == []


@pytest.fixture(scope="module")
def shared(server: Server, make_db: Callable[[Server], str]) -> str:
    """One database for all: each rule works in a schema of its own."""
    return make_db(server)


@pytest.mark.parametrize(("rule", "finding"), [p for p in RECIPES if p.id not in EARLIER])
def test_recipe_runs(rule: Rule, finding: Finding, shared: str) -> None:
    dsn = f"{shared} options='-c search_path={rule.id.lower()}'"
    lines = (rule.folder / "bad.sql").read_text().splitlines(keepends=True)
    done = "".join(lines if rule.id in AFTER else lines[: finding.line - 1])
    assert psql(dsn, f"CREATE SCHEMA {rule.id.lower()};\n{rule.schema}") is None
    assert psql(dsn, f"{done}\n{finding.recipe}") is None
