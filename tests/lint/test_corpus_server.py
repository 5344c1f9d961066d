"""The migrations of the corpus are SQL that a server runs: the safe ones to their end, the others as labelled."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from partadvisor.io.server import Server
from tests.lint.corpus import FOLDER, ROLES, SCHEMAS, deployed, labels, psql
from tests.majors import EMBEDDED


@pytest.fixture(scope="session")
def with_schema(major_server: Callable[[int], Server]) -> Callable[[int, str], str]:
    """A function that makes a database with one of the schemas and returns its connection string."""
    made: set[tuple[int, str]] = set()
    numbers = iter(range(1, 10_000))

    def make(major: int, schema: str) -> str:
        server = major_server(major)
        template = f"corpus_{schema}"
        if (major, schema) not in made:
            if not any(done == major for done, _ in made):
                for role in ROLES:
                    server.execute(f"CREATE ROLE {role}")
            server.create_database(template)
            assert psql(server.dsn(template), (FOLDER / "schemas" / f"{schema}.sql").read_text()) is None
            made.add((major, schema))
        name = f"corpus_{schema}_{next(numbers)}"
        server.create_database(name, template=template)
        return server.dsn(name)

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
