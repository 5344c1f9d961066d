"""Bounds that a user gives: what cannot be one is refused before anything is computed with it."""

from __future__ import annotations

import pytest

from partadvisor.advise.bounds import check_bounds
from partadvisor.model.errors import UsageError
from partadvisor.pg.scheme_text import parse_scheme
from tests.advise.builders import column, table

EVENTS = table("events", [column("id", "bigint"), column("at", "date"), column("kind", "text")], key=("id",))


@pytest.mark.parametrize(
    ("scheme", "said"),
    [
        ("range(id) at (200, 100)", "do not ascend"),
        ("range(id) at (100, 100)", "do not ascend"),
        ("range(at) at ('2026-02-01', '2026-01-31')", "do not ascend"),
        ("range(id) at (abc)", '"abc" is no value of column "id" of table public.events'),
        ("list(id) in ((1, x))", '"x" is no value'),
        ("hash(id) into 4, range(at) at ('2026-02-01', '2026-01-31')", "do not ascend"),
    ],
)
def test_refused(scheme: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        check_bounds(parse_scheme(scheme), EVENTS)
    assert said in error.value.message


@pytest.mark.parametrize("scheme", ["range(id) at (-5, 0, 7)", "range(kind) at (b, a)", "list(id) in ((3), (1, null))"])
def test_taken(scheme: str) -> None:
    check_bounds(parse_scheme(scheme), EVENTS)
