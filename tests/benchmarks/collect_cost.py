"""What collecting costs a server under 64 writers: throughput with it ÷ without, and the server time it takes.

One load runs all the time; windows with and without a collection alternate (ABBA, so that drift cancels), and each
pair gives a ratio. The collection in each window is a whole one: connection, catalog, counters, looks, recent rows.
The second number depends less on how noisy the machine is: the processor time of our server process.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import threading
import time
from pathlib import Path

from partadvisor.io.binaries import find_binaries
from partadvisor.io.collect.run import CollectOptions, collect
from partadvisor.io.pgbench import Load, wait_for_log
from partadvisor.io.server import Server, start_server

CLIENTS = 64
PAIRS = 4
SECONDS = 6.0
_SETTINGS = {
    "shared_buffers": "64MB",
    "synchronous_commit": "off",
    "fsync": "off",
    "max_connections": "200",
    "autovacuum": "off",
}
_SCRIPT = "\\set k random(1, 50)\nINSERT INTO line SELECT :k, n, repeat('x', 60) FROM generate_series(1, 10) AS n;\n"


def main() -> None:
    """Print the ratio of each pair, their median, and the processor time of our server process."""
    with (
        tempfile.TemporaryDirectory() as name,
        start_server(find_binaries(), settings=_SETTINGS, preload=["pg_stat_statements"]) as server,
    ):
        folder = Path(name)
        server.execute("CREATE EXTENSION pg_stat_statements")
        server.execute("CREATE UNLOGGED TABLE line (k int, n int, pad text)")
        (folder / "insert.sql").write_text(_SCRIPT)
        with Load(server, "postgres", {folder / "insert.sql": 1}, folder, clients=CLIENTS) as load:
            time.sleep(1)
            order = (True, False, False, True) * (PAIRS // 2)
            windows = [_window(server, collecting) for collecting in order]
            wait_for_log()
            tps = [(collecting, load.latencies(began, ended).tps) for collecting, began, ended, _ in windows]
    busy = [cpu / (ended - began) for collecting, began, ended, cpu in windows if collecting]
    _report([dict(pair) for pair in zip(tps[::2], tps[1::2], strict=True)], statistics.median(busy))


def _window(server: Server, collecting: bool) -> tuple[bool, float, float, float]:
    """Whether we collected, begin and end of the window, and processor seconds of our server process."""
    began, cpu = time.time(), 0.0
    if collecting:
        collector = threading.Thread(target=collect, args=(server.dsn(), CollectOptions(duration=SECONDS - 1)))
        collector.start()
        cpu = _processor_seconds(server, collector)
        collector.join()
    time.sleep(max(0.0, began + SECONDS - time.time()))
    return collecting, began, time.time(), cpu


def _processor_seconds(server: Server, collector: threading.Thread) -> float:
    """The last reading before the process ends; the end itself is cheap."""
    time.sleep(0.2)
    rows = server.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'partadvisor/collect'")
    stat, ticks = Path(f"/proc/{rows[0][0]}/stat"), 0
    while collector.is_alive():
        try:
            ticks = sum(map(int, stat.read_text().rpartition(")")[2].split()[11:13]))
        except OSError:  # it has ended
            break
        time.sleep(0.02)
    return ticks / os.sysconf("SC_CLK_TCK")


def _report(pairs: list[dict[bool, float]], busy: float) -> None:
    ratios = [pair[True] / pair[False] for pair in pairs]
    for pair, ratio in zip(pairs, ratios, strict=True):
        print(f"  {pair[False]:8.0f} tps without, {pair[True]:8.0f} with: {ratio:.3f}")
    print(f"throughput with collect / without: {statistics.median(ratios):.3f} (median of {len(ratios)} pairs,")
    print(f"  {min(ratios):.3f} to {max(ratios):.3f}); our server process: {busy:.2%} of one core")
