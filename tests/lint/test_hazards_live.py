"""What the rules say of a script is what a server does: bad scripts hurt others as claimed, good ones do not."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
from _pytest.mark import ParameterSet

from partadvisor.io.server import Server
from tests.lint.live.case import Case, cases
from tests.lint.live.claims import differences
from tests.lint.live.trial import try_out
from tests.majors import EMBEDDED, MAJORS

CASES = cases()


def _runs() -> list[ParameterSet]:
    """Each case on the embedded major, or the newest its claims hold for; the other majors are in the matrix."""
    chosen = []
    for case in CASES:
        fit = [m for m in MAJORS if case.since <= m <= case.until]
        assert fit, f"{case.rule} {case.name} holds for no major"
        for major in fit:
            marks = [] if major == EMBEDDED else [pytest.mark.matrix]
            chosen.append(pytest.param(case, major, id=f"{case.rule}-{case.name}-{major}", marks=marks))
    return chosen


@pytest.fixture(scope="module")
def database(major_server: Callable[[int], Server], make_db: Callable[[Server], str]) -> Callable[[int], str]:
    """One database of each major for all cases: they work in schemas of their own."""
    return functools.cache(lambda major: make_db(major_server(major)))


@pytest.mark.parametrize(("case", "major"), _runs())
def test_the_server_does_as_claimed(case: Case, major: int, database: Callable[[int], str]) -> None:
    assert not differences(case, try_out(case, database(major)))


@pytest.mark.parametrize("rule", sorted({c.rule for c in CASES}))
def test_every_rule_shows_the_hazard_and_the_way_out(rule: str) -> None:
    kinds = {c.bad for c in CASES if c.rule == rule}
    assert kinds == {True, False}
