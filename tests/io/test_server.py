"""The scratch server: what it promises to callers, and that nothing of it is left behind."""

from collections.abc import Callable

import psycopg

from partadvisor.io.server import Server
from tests.majors import ON_MAJORS


def test_takes_connections_on_the_socket_only(server: Server, db: str) -> None:
    with psycopg.connect(db) as connection:
        listen = connection.execute("SELECT current_setting('listen_addresses')").fetchone()
    assert listen == ("",)
    assert server.running


@ON_MAJORS
def test_each_major_answers(major: int, major_server: Callable[[int], Server]) -> None:
    server = major_server(major)
    rows = server.execute("SELECT current_setting('server_version_num')::int / 10000")
    assert rows == [(major,)]
    assert server.binaries.major == major
