"""The reviewer over whole migrations: precision and recall of every rule, and no error on what is safe."""

from __future__ import annotations

import functools
from collections import Counter
from pathlib import Path

import pytest

from partadvisor.lint.catalog import of_schema
from partadvisor.lint.context import Versions
from partadvisor.lint.engine import ALL_VERSIONS, Options, review_text
from partadvisor.lint.scope import Tables
from partadvisor.model.finding import Finding
from tests.lint.corpus import FOLDER, Label, labels, sizes

PRECISION, RECALL = 0.97, 0.97


@functools.cache
def known(schema: str) -> Tables:
    return of_schema((FOLDER / "schemas" / f"{schema}.sql").read_text(), ALL_VERSIONS)


def catalog(label: Label) -> Tables:
    """What the label lets the reviewer know."""
    if label.knows == "nothing":
        return Tables()
    tables = known(label.schema)
    return sizes(tables, label.schema) if label.knows == "stats" else tables


@functools.cache
def findings(name: str) -> tuple[Finding, ...]:
    label = labels()[name]
    versions = Versions(oldest=label.target, newest=label.target, stated=True) if label.target else ALL_VERSIONS
    options = Options(versions=versions, tables=catalog(label))
    found = review_text(name, Path(FOLDER / name).read_text(), options).findings
    return tuple(f for f in found if f.section != "down" and f.severity != "info")


def missed(name: str) -> list[tuple[str, int]]:
    """Labels that no finding answers. A finding may underline any line of the statement."""
    found = findings(name)
    return [(r, n) for r, n in labels()[name].findings if not any(f.rule == r and _at(name, f) == n for f in found)]


def unlabelled(name: str) -> list[Finding]:
    return [f for f in findings(name) if (f.rule, _at(name, f)) not in labels()[name].findings]


def _at(name: str, finding: Finding) -> int:
    return max((line for line in _starts(name) if line <= finding.line), default=finding.line)


@functools.cache
def _starts(name: str) -> tuple[int, ...]:
    from partadvisor.sql.split import split

    return tuple(s.line for s in split((FOLDER / name).read_text()).statements)


@pytest.mark.parametrize("name", [n for n, label in labels().items() if label.safe])
def test_no_error_on_a_safe_migration(name: str) -> None:
    assert [f"{f.rule} {f.line}: {f.message}" for f in findings(name) if f.severity == "error"] == []


@pytest.mark.parametrize("name", [n for n, label in labels().items() if not label.safe])
def test_an_unsafe_migration_is_not_passed(name: str) -> None:
    assert findings(name)


def test_precision_and_recall() -> None:
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    lacking: Counter[str] = Counter()
    for name, label in labels().items():
        missing = missed(name)
        lacking.update(r for r, _ in missing)
        right.update(r for r, _ in label.findings)
        right.subtract(r for r, _ in missing)
        wrong.update(f.rule for f in unlabelled(name))
    print("\nrule    right  wrong  missed  precision  recall")
    for rule in sorted({*right, *wrong, *lacking}):
        print(_row(rule, right[rule], wrong[rule], lacking[rule]))
    total = right.total(), wrong.total(), lacking.total()
    print(_row("all", *total))
    print([(n, r, line) for n in labels() for r, line in missed(n)])
    print([(n, f.rule, f.line) for n in labels() for f in unlabelled(n)])
    assert total[0] / (total[0] + total[1]) >= PRECISION
    assert total[0] / (total[0] + total[2]) >= RECALL


def _row(rule: str, right: int, wrong: int, lacking: int) -> str:
    precision = right / (right + wrong) if right + wrong else 1.0
    recall = right / (right + lacking) if right + lacking else 1.0
    return f"{rule:6} {right:6} {wrong:6} {lacking:7} {precision:10.2f} {recall:7.2f}"
