"""What ``rules/functions.toml`` says about functions is what the server's catalog says."""

import psycopg
import pytest

from partadvisor.pg import knowledge
from partadvisor.sql.volatility import volatility

_LETTERS = {"i": "immutable", "s": "stable", "v": "volatile"}


@pytest.fixture(scope="module")
def functions(server: object, make_db: object) -> dict[str, tuple[str, bool, bool]]:
    """Least stable volatility, whether any returns a set, whether any is an aggregate; by name."""
    with psycopg.connect(make_db(server)) as connection:  # type: ignore[operator]
        rows = connection.execute(
            "SELECT proname::text, max(CASE provolatile WHEN 'v' THEN 3 WHEN 's' THEN 2 ELSE 1 END), "
            "bool_or(proretset), bool_or(prokind = 'a') FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace "
            "GROUP BY 1"
        ).fetchall()
    return {name: ("isv"[least - 1], returns_set, aggregate) for name, least, returns_set, aggregate in rows}


@pytest.mark.parametrize("kind", ["immutable", "stable", "volatile"])
def test_volatility(functions: dict[str, tuple[str, bool, bool]], kind: str) -> None:
    names = knowledge.load("functions.toml")[kind]
    assert {n: _LETTERS[functions[n][0]] for n in names} == dict.fromkeys(names, kind)


def test_sets_and_aggregates(functions: dict[str, tuple[str, bool, bool]]) -> None:
    known = knowledge.load("functions.toml")
    assert set(known["one_column_sets"]) <= set(known["sets"])
    assert [n for n in known["sets"] if not functions[n][1]] == []
    assert set(known["aggregates"]) == {n for n, f in functions.items() if f[2]}


def test_functions_that_differ_by_row_are_volatile(functions: dict[str, tuple[str, bool, bool]]) -> None:
    names = [n for n in knowledge.load("functions.toml")["differs_by_row"] if n in functions]
    assert len(names) >= 5
    assert {functions[n][0] for n in names} == {"v"}


def test_unknown_is_volatile() -> None:
    assert volatility("my_function") == "volatile"
