"""What collecting costs a busy server: the same load with and without, in pairs, as a ratio of throughput.

The load holds 64 writers on one table, in the regime where they queue for its extension lock.
"""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from pathlib import Path

from partadvisor.io.binaries import find_binaries
from partadvisor.io.collect.run import CollectOptions, collect
from partadvisor.io.pgbench import Load
from partadvisor.io.server import Server, start_server

CLIENTS = 64
PAIRS = 5
SECONDS = 5.0
_SETTINGS = {"shared_buffers": "64MB", "synchronous_commit": "off", "max_connections": "200", "autovacuum": "off"}
_SCRIPT = "\\set k random(1, 50)\nINSERT INTO line SELECT :k, n, repeat('x', 60) FROM generate_series(1, 10) AS n;\n"


def main() -> None:
    """Print the ratio of each pair, and their median."""
    with (
        tempfile.TemporaryDirectory() as folder,
        start_server(find_binaries(), settings=_SETTINGS, preload=["pg_stat_statements"]) as server,
    ):
        server.execute("CREATE EXTENSION pg_stat_statements")
        ratios = [_pair(server, Path(folder), number) for number in range(PAIRS)]
    spread = f"{min(ratios):.3f} to {max(ratios):.3f}"
    print(f"throughput with collect / without: median {statistics.median(ratios):.3f} ({spread}, {PAIRS} pairs)")


def _pair(server: Server, folder: Path, number: int) -> float:
    """One run without and one with; which comes first alternates, since a growing table and disk drift."""
    order = (False, True) if number % 2 else (True, False)
    tps = {collecting: _run(server, folder / f"{number}-{collecting}", collecting) for collecting in order}
    ratio = tps[True] / tps[False]
    print(f"  {tps[False]:8.0f} tps without, {tps[True]:8.0f} with: {ratio:.3f}", flush=True)
    return ratio


def _run(server: Server, folder: Path, collecting: bool) -> float:
    server.execute("DROP TABLE IF EXISTS line")
    server.execute("CREATE TABLE line (k int, n int, pad text)")
    server.execute("CHECKPOINT")
    folder.mkdir(parents=True)
    script = folder / "insert.sql"
    script.write_text(_SCRIPT)
    options = CollectOptions(duration=SECONDS)
    with Load(server, "postgres", script, folder, clients=CLIENTS) as load:
        time.sleep(1)
        began = time.time()
        collector = threading.Thread(target=collect, args=(server.dsn(), options))
        if collecting:
            collector.start()
        time.sleep(SECONDS)
        ended = time.time()
        if collecting:
            collector.join()
        time.sleep(1)
        return load.latencies(began, ended).tps
