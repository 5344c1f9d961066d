"""The migrations of the corpus are SQL that a server runs: the safe ones to their end, the others as labelled."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from partadvisor.io.server import Server
from tests.lint.corpus import FOLDER, ROLES, SCHEMAS, deployed, labels, psql
from tests.majors import EMBEDDED


@pytest.fixture(scope="session")
def with_schema(major_server: Callable[[int], Server]) -> Callable[[int, str], str]:
    """A function that makes one of the schemas anew and returns a connection string to work there.

    All are in one database of a server: a schema of their own is made faster than a database, and removed much faster.
    """
    ready: set[int] = set()
    numbers = itertools.count(1)

    def make(major: int, schema: str) -> str:
        server = major_server(major)
        if major not in ready:
            for role in ROLES:
                server.execute(f"CREATE ROLE {role}")
            server.create_database("corpus")
            ready.add(major)
        name = f"{schema}_{next(numbers)}"
        dsn = f"{server.dsn('corpus')} options='-c search_path={name}'"
        script = (FOLDER / "schemas" / f"{schema}.sql").read_text()
        assert psql(dsn, f"CREATE SCHEMA {name};\n{script}") is None
        return dsn

    return make


def _runs() -> list[object]:
    """Each migration on the embedded major, or in the matrix on the one that its label names."""
    return [
        pytest.param(name, label.target or EMBEDDED, id=name, marks=[pytest.mark.matrix] if label.target else [])
        for name, label in labels().items()
    ]


@pytest.mark.parametrize(("name", "major"), _runs())
def test_the_server_runs_it_as_labelled(name: str, major: int, with_schema: Callable[[int, str], str]) -> None:
    label = labels()[name]
    script, one_transaction = deployed(name)
    dsn = with_schema(major, label.schema)
    if name.startswith("alembic/"):
        psql(dsn, "CREATE TABLE alembic_version (version_num varchar(32) NOT NULL)")
    assert psql(dsn, script, one_transaction=one_transaction) == label.sqlstate


def test_labels_and_files_are_the_same_set() -> None:
    files = {str(p.relative_to(FOLDER)) for p in FOLDER.rglob("*.sql")} - {f"schemas/{s}.sql" for s in SCHEMAS}
    assert files == set(labels())


def test_there_are_enough_and_half_are_safe() -> None:
    safe = [label.safe for label in labels().values()]
    assert len(safe) >= 60
    assert 0.45 <= sum(safe) / len(safe) <= 0.6
