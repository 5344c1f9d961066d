"""Ways to get rows and indexes into hash partitions, each in one statement, in seconds and as ratios of the first.

Indexes kept up by the insert; built afterwards, plainly or concurrently; or stand-alone leaves filled by a pass over
the table each, indexed, and attached without a scan thanks to a check on ``satisfies_hash_partition``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import psycopg

from partadvisor.io.binaries import find_binaries
from partadvisor.io.server import start_server

PARTITIONS = 16
_SETTINGS = {"shared_buffers": "512MB", "max_wal_size": "8GB", "fsync": "off", "autovacuum": "off"}
_LATE = ("a", "at")


def main(rows: int = 1_000_000) -> None:
    """Print seconds and ratio of each way."""
    print(f"{rows:,} rows with a primary key and two indexes, into {PARTITIONS} hash partitions")
    with (
        start_server(find_binaries(), settings=_SETTINGS) as server,
        psycopg.connect(server.dsn(), autocommit=True) as connection,
    ):

        def run(sql: str) -> None:
            connection.execute(sql.encode())

        run("CREATE TABLE line (w int, id bigint, a int, b text, at timestamptz, PRIMARY KEY (w, id))")
        run(
            "INSERT INTO line SELECT i % 100, i, i::bigint * 7919 % 1000003, md5(i::text), now() + i * interval '1 s'\n"
            f"FROM generate_series(1, {rows}) i"
        )
        run("VACUUM ANALYZE line")
        first = 0.0
        for name, way in _WAYS.items():
            seconds = way(run)
            first = first or seconds
            print(f"  {name:42} {seconds:7.1f} s  {seconds / first:5.2f}", flush=True)


def _routed(run: Callable[[str], None], late: str | None) -> float:
    """Rows routed by the partitioned table; ``late`` is how the two indexes are built afterwards, None for at once."""
    run("DROP TABLE IF EXISTS t")
    run("CREATE TABLE t (LIKE line, PRIMARY KEY (w, id)) PARTITION BY HASH (w)")
    for n in range(PARTITIONS):
        run(f"CREATE TABLE t_{n} PARTITION OF t FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {n})")
    for column in _LATE if late is None else ():
        run(f"CREATE INDEX ON t ({column})")
    run("CHECKPOINT")
    began = time.monotonic()
    run("INSERT INTO t SELECT * FROM line")
    for column in _LATE if late is not None else ():
        run(f"CREATE INDEX t_{column} ON ONLY t ({column})")
        for n in range(PARTITIONS):
            run(f"CREATE INDEX {late} t_{n}_{column} ON t_{n} ({column})")
            run(f"ALTER INDEX t_{column} ATTACH PARTITION t_{n}_{column}")
    return time.monotonic() - began


def _alone(run: Callable[[str], None]) -> float:
    """Each leaf by itself, attached at the end."""
    run("DROP TABLE IF EXISTS t")
    run("CREATE TABLE t (LIKE line, PRIMARY KEY (w, id)) PARTITION BY HASH (w)")
    run("CHECKPOINT")
    began = time.monotonic()
    for n in range(PARTITIONS):
        fits = f"satisfies_hash_partition('t'::regclass, {PARTITIONS}, {n}, w)"
        run(f"CREATE TABLE t_{n} (LIKE line)")
        run(f"INSERT INTO t_{n} SELECT * FROM line WHERE {fits}")
        run(f"ALTER TABLE t_{n} ADD PRIMARY KEY (w, id), ADD CHECK ({fits})")
        for column in _LATE:
            run(f"CREATE INDEX ON t_{n} ({column})")
        run(f"ALTER TABLE t ATTACH PARTITION t_{n} FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {n})")
    return time.monotonic() - began


_WAYS: dict[str, Callable[[Callable[[str], None]], float]] = {
    "indexes kept up by the insert": lambda run: _routed(run, None),
    "indexes built afterwards": lambda run: _routed(run, ""),
    "indexes built afterwards, concurrently": lambda run: _routed(run, "CONCURRENTLY"),
    "stand-alone leaves, a pass for each": _alone,
}


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
