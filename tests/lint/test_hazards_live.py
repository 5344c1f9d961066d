"""What the rules say of a script is what a server does: bad scripts hurt others as claimed, good ones do not."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

import pytest
from _pytest.mark import ParameterSet

from partadvisor.io.collect.options import CollectOptions
from partadvisor.io.collect.run import collect
from partadvisor.io.server import Server
from partadvisor.lint.catalog import of_schema, of_snapshot
from partadvisor.lint.context import Versions
from partadvisor.lint.engine import ALL_VERSIONS, Options, review_text
from partadvisor.lint.scope import Tables
from tests.lint.live.case import Case, cases
from tests.lint.live.claims import differences
from tests.lint.live.sessions import session
from tests.lint.live.trial import try_out
from tests.majors import EMBEDDED, MAJORS

CASES = cases()


def _majors(case: Case) -> list[int]:
    """Those that a claim about versions is about, each; else the oldest and the embedded one."""
    fit = [m for m in MAJORS if case.since <= m <= case.until]
    assert fit, f"{case.rule} {case.name} holds for no major"
    ranged = case.since > MAJORS[0] or case.until < MAJORS[-1]
    return fit if ranged else [fit[0], EMBEDDED]


def _runs() -> list[ParameterSet]:
    """The embedded major is for the quick suite, the others are for the matrix."""
    return [
        pytest.param(
            case,
            major,
            id=f"{case.rule}-{case.name}-{major}",
            marks=[] if major == EMBEDDED else [pytest.mark.matrix],
        )
        for case in CASES
        for major in _majors(case)
    ]


@pytest.fixture(scope="module")
def database(major_server: Callable[[int], Server], make_db: Callable[[Server], str]) -> Callable[[int], str]:
    """One database of each major for all cases: they work in schemas of their own."""
    return functools.cache(lambda major: make_db(major_server(major)))


@pytest.mark.parametrize(("case", "major"), _runs())
def test_the_server_does_as_claimed(case: Case, major: int, database: Callable[[int], str]) -> None:
    assert not differences(case, try_out(case, database(major)))


_known = functools.cache(of_schema)


REVIEWED = [c for c in CASES if c.claim.reviewed]
SETUPS = {c.rule: text for text, c in {c.setup: c for c in reversed(REVIEWED) if c.setup}.items()}


@pytest.mark.parametrize("case", REVIEWED, ids=lambda c: f"{c.rule}-{c.name}")
def test_the_rule_tells_bad_from_good(case: Case) -> None:
    _tells(case, _known(case.setup, _versions(case)) if case.setup else Tables())


@pytest.mark.long
@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
def test_a_collected_snapshot_tells_it_as_well(setup: str, db: str) -> None:
    with session(db) as connection:
        connection.execute(setup.encode())
    tables = of_snapshot(collect(db, CollectOptions(duration=0)))
    sizeless = {name: replace(t, rows=None, bytes=None) for name, t in tables.base.items()}  # small ones are quiet
    for case in (c for c in REVIEWED if c.setup == setup):
        _tells(case, Tables(sizeless, complete=True))


def _versions(case: Case) -> Versions:
    return Versions(oldest=max(case.since, ALL_VERSIONS.oldest), newest=min(case.until, ALL_VERSIONS.newest))


def _tells(case: Case, tables: Tables) -> None:
    first = case.script.splitlines()[0]
    path = first.removeprefix("-- path:").strip() if first.startswith("-- path:") else f"{case.name}.sql"
    findings = review_text(path, case.script, Options(versions=_versions(case), tables=tables)).findings
    serious = {f.rule for f in findings if f.severity != "info" or f.rule == case.rule}
    if case.bad:
        assert case.rule in serious, f"{case.rule} {case.name}"
    else:
        assert serious == set(), f"{case.rule} {case.name}"


@pytest.mark.parametrize("rule", sorted({c.rule for c in CASES}))
def test_every_rule_shows_the_hazard_and_the_way_out(rule: str) -> None:
    kinds = {c.bad for c in CASES if c.rule == rule}
    assert kinds == {True, False}
