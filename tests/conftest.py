"""Servers for tests: one embedded PostgreSQL for the session, a fresh database for each test."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from partadvisor.io.binaries import Binaries, find_binaries
from partadvisor.io.server import Server, start_server
from tests.majors import EMBEDDED, major_binaries

_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "track_io_timing": "on",
    "max_connections": "200",
    "max_prepared_transactions": "10",
}
_numbers = itertools.count(1)


def _start(binaries: Binaries) -> Server:
    return start_server(binaries, settings=_SETTINGS, preload=["pg_stat_statements"])


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The embedded PostgreSQL, shared by all tests."""
    with _start(find_binaries()) as started:
        yield started


@pytest.fixture(scope="session")
def make_db() -> Callable[[Server], str]:
    """A function that makes one more database on a server and returns its connection string."""

    def make(server: Server) -> str:
        name = f"test_{next(_numbers)}"
        server.create_database(name)
        return server.dsn(name)

    return make


@pytest.fixture
def db(server: Server, make_db: Callable[[Server], str]) -> str:
    """Connection string of a database made for this test. It is not dropped: that takes longer than making it."""
    return make_db(server)


@pytest.fixture(scope="session")
def major_server(request: pytest.FixtureRequest) -> Iterator[Callable[[int], Server]]:
    """A function from a major version to a running server, started at its first use."""
    started: dict[int, Server] = {}
    with ExitStack() as stack:

        def serve(major: int) -> Server:
            if major == EMBEDDED:
                embedded: Server = request.getfixturevalue("server")
                return embedded
            if major not in started:
                started[major] = stack.enter_context(_start(major_binaries(major)))
            return started[major]

        yield serve
