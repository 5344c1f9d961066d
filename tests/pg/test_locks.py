"""The conflict table is the server's, and modes are put into words."""

import itertools

import psycopg
import pytest

from partadvisor.pg.locks import CONFLICTS, MODES, blocked_statements, conflicts, mode_name, strongest


def test_every_pair_conflicts_as_on_the_server(db: str) -> None:
    with psycopg.connect(db, autocommit=True) as one, psycopg.connect(db, autocommit=True) as other:
        one.execute("CREATE TABLE t ()")
        for held, wanted in itertools.product(MODES, MODES):
            one.execute(f"BEGIN; LOCK TABLE t IN {held} MODE".encode())
            other.execute("BEGIN")
            try:
                other.execute(f"LOCK TABLE t IN {wanted} MODE NOWAIT".encode())
                refused = False
            except psycopg.errors.LockNotAvailable:
                refused = True
            other.execute("ROLLBACK")
            one.execute("ROLLBACK")
            assert conflicts(held, wanted) == refused, (held, wanted)


def test_names_are_those_of_pg_locks(db: str) -> None:
    with psycopg.connect(db) as connection:
        connection.execute("CREATE TABLE t ()")
        for mode in MODES:
            connection.execute(f"LOCK TABLE t IN {mode} MODE".encode())
        rows = connection.execute("SELECT mode FROM pg_locks WHERE relation = 't'::regclass").fetchall()
    assert {mode_name(mode) for (mode,) in rows} == set(MODES)


@pytest.mark.parametrize(
    ("modes", "left"),
    [
        (["ACCESS SHARE", "ROW SHARE"], ("ROW SHARE",)),
        (["SHARE", "ACCESS SHARE", "SHARE UPDATE EXCLUSIVE"], ("SHARE UPDATE EXCLUSIVE", "SHARE")),
        (["SHARE", "SHARE ROW EXCLUSIVE"], ("SHARE ROW EXCLUSIVE",)),
        (["ROW EXCLUSIVE", "SHARE"], ("ROW EXCLUSIVE", "SHARE")),
        (list(MODES), ("ACCESS EXCLUSIVE",)),
        ([], ()),
    ],
)
def test_strongest(modes: list[str], left: tuple[str, ...]) -> None:
    assert strongest(modes) == left


def test_what_is_blocked() -> None:
    assert [blocked_statements([mode]) for mode in CONFLICTS] == [
        "nothing",
        "nothing",
        "nothing",
        "schema changes and vacuum",
        "writes",
        "writes",
        "writes and SELECT FOR UPDATE",
        "reads and writes",
    ]
