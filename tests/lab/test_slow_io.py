"""The lab's library does what it says, by the server's own clocks and counters."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from partadvisor.io.binaries import find_binaries
from partadvisor.io.server import Server, start_server
from tests.benchmarks.lab import Delays, SlowIo

pytestmark = pytest.mark.long

Lab = tuple[Server, SlowIo]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("lab")
    for parent in (folder, *folder.parents[:2]):
        parent.chmod(0o755)
    slow = SlowIo(folder)
    settings = {"track_io_timing": "on", "track_wal_io_timing": "on", "autovacuum": "off", "fsync": "on"}
    with slow.loaded():
        server = start_server(find_binaries(), settings=settings)
    with server:
        server.execute("CREATE TABLE line (pad text)")
        yield server, slow


def mean_ms(server: Server, counter: str, where: str) -> float:
    """Mean time of one operation of client backends, for what happens in a session of its own."""
    times = {"extend": "extend_time, extends", "read": "read_time, reads", "fsync": "fsync_time, fsyncs"}[counter]
    total, count = times.split(", ")
    rows = server.execute(f"SELECT sum({total}), sum({count}) FROM pg_stat_io WHERE {where}")
    return float(rows[0][0]) / float(rows[0][1])


def test_extension(lab: Lab) -> None:
    server, slow = lab

    def extend(delay: int) -> float:
        slow.set(Delays(extend=delay))
        server.execute("SELECT pg_stat_reset_shared('io')")
        server.execute("INSERT INTO line SELECT repeat('x', 1000) FROM generate_series(1, 800)")
        return mean_ms(server, "extend", "backend_type = 'client backend' AND object = 'relation'")

    assert extend(0) < extend(3000)
    assert extend(3000) > 3


def test_flush(lab: Lab) -> None:
    server, slow = lab

    def flush(delay: int) -> float:
        slow.set(Delays(sync=delay))
        server.execute("SELECT pg_stat_reset_shared('io')")
        for _ in range(5):
            server.execute("INSERT INTO line VALUES ('y')")
        return mean_ms(server, "fsync", "backend_type = 'client backend' AND object = 'wal'")

    assert flush(0) < flush(50_000)
    assert flush(50_000) > 50


def test_reads_of_relations(lab: Lab) -> None:
    server, slow = lab
    slow.set(Delays())
    server.execute("INSERT INTO line SELECT repeat('z', 1000) FROM generate_series(1, 4000)")
    server.stop()
    with slow.loaded():
        server.restart()
    slow.set(Delays(read=5000))
    rows = server.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT count(*) FROM line")
    plan = rows[0][0][0]["Plan"]
    assert plan["Shared Read Blocks"] > 100
    assert plan["Actual Total Time"] > 5  # at least one read took its delay
