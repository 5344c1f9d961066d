"""The lock tables, and what ``review`` makes of them, are what the servers do."""

from collections.abc import Callable

import pytest

from partadvisor.io.server import Server
from partadvisor.lint.context import Versions
from partadvisor.lint.lock_table import form, form_names
from partadvisor.lint.scope import Tables
from tests.locks.cases import all_cases, cases_of
from tests.locks.lookup import catalog, difference, predicted, telling
from tests.locks.measure import Measured, measure
from tests.locks.table import by_role
from tests.majors import EMBEDDED, VERSIONS

_QUICK = 7
"""Every n-th case is part of the quick suite."""


@pytest.fixture(scope="session")
def tables(server: Server, make_db: Callable[[Server], str]) -> Tables:
    return catalog(make_db(server), all_cases())


def compare(measured: list[Measured], tables: Tables, major: int) -> tuple[int, list[str]]:
    """How many locks were compared, and what differs."""
    compared, wrong = 0, []
    versions = Versions(oldest=major, newest=major)
    for case, schema, seen, graph in measured:
        if case.variant and seen.refused:
            continue
        if bool(case.refused) != bool(seen.refused) or case.refused not in seen.refused:
            wrong.append(f"{case}: the server says {seen.refused!r}")
        if seen.refused:
            compared += 1
            continue
        vary = case.scans_vary or case.topic == "rows"  # it depends on the plan
        table, roles = form(case.form, versions), by_role(case, schema, seen, graph)
        for role, modes in roles.locks.items():
            compared += 1
            if modes != table.locks.get(role, ()) and not (role in table.partly and modes == ()):
                wrong.append(f"{case}: {role}: table {table.locks.get(role)}, server {modes}")
        wrong += [f"{case}: rewrites {r}" for r, is_so in roles.rewritten.items() if is_so != (r in table.rewrites)]
        wrong += [
            f"{case}: scans {r}" for r, is_so in roles.scanned.items() if is_so and not vary and r not in table.scans
        ]
        said, perhaps = predicted(case, tables, major)
        real = telling(seen, graph, schema)
        compared += len({*said, *real})
        wrong += [f"{case}: {line}" for line in difference(said, perhaps, real)]
    return compared, wrong


def test_there_are_enough_forms() -> None:
    assert len(form_names()) >= 240
    assert {case.form for case in all_cases()} == set(form_names())


def test_some_on_the_embedded_server(
    server: Server, make_db: Callable[[Server], str], capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [c for c in cases_of(EMBEDDED) if not c.outside and not c.variant][::_QUICK]
    tables = catalog(make_db(server), cases)
    compared, wrong = compare(list(measure(make_db(server), cases)), tables, EMBEDDED)
    with capsys.disabled():
        print(f"\n{len(cases)} statements on {EMBEDDED}: {compared} locks compared, {len(wrong)} differences")
    assert wrong == []


@pytest.mark.matrix
@pytest.mark.parametrize("major", sorted(VERSIONS))
def test_every_form_on_every_version(
    major: int,
    major_server: Callable[[int], Server],
    make_db: Callable[[Server], str],
    tables: Tables,
    capsys: pytest.CaptureFixture[str],
) -> None:
    measured = list(measure(make_db(major_server(major)), cases_of(major)))
    compared, wrong = compare(measured, tables, major)
    with capsys.disabled():
        print(f"\n{len(measured)} statements on {major}: {compared} locks compared, {len(wrong)} differences")
    assert wrong == []
