"""Constants of ``rules/read_cost.toml``, measured: what each further partition costs a query on this machine.

Prints microseconds beside the values in use. The least of interleaved rounds on the embedded server, one session.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import psycopg

from partadvisor.io.binaries import find_binaries
from partadvisor.io.server import start_server
from partadvisor.pg import knowledge

FEW, MANY, ROUNDS, CALLS = 1, 64, 15, 40
ROWS = 64_000
_COLUMNS = "(k int NOT NULL, id int NOT NULL, v int NOT NULL, PRIMARY KEY (k, id))"


def _partitioned(name: str, partitions: int) -> str:
    parts = "".join(
        f"CREATE TABLE {name}_{i} PARTITION OF {name} FOR VALUES WITH (MODULUS {partitions}, REMAINDER {i});"
        for i in range(partitions)
    )
    return f"CREATE TABLE {name} {_COLUMNS} PARTITION BY HASH (k); {parts}" + _filled(name)


def _filled(name: str) -> str:
    return (
        f"CREATE INDEX ON {name} (v);"
        f"INSERT INTO {name} SELECT i % 500, i, i FROM generate_series(1, {ROWS}) AS i; VACUUM ANALYZE {name};"
    )


def _microseconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    for _ in range(CALLS):
        run()
    return (time.perf_counter() - start) / CALLS * 1e6


class _Pair:
    """Least times of one measure on the table with few and with many partitions, taken in turns."""

    def __init__(self, measure: Callable[[str], float]) -> None:
        taken: dict[str, list[float]] = {"few": [], "many": []}
        for _ in range(ROUNDS):
            for name in taken:
                taken[name].append(measure(name))
        self.few, self.many = (min(taken[n]) for n in ("few", "many"))

    @property
    def per_partition(self) -> float:
        """What each further partition adds."""
        return (self.many - self.few) / (MANY - FEW)


def _timed(connection: psycopg.Connection, text: str, mode: str, *parameters: int) -> Callable[[str], float]:
    """Time of a prepared statement whose plans are all custom or all generic."""

    def measure(name: str) -> float:
        connection.execute(f"SET plan_cache_mode = force_{mode}_plan".encode())
        statement = text.format(t=name).encode()
        connection.execute(statement, parameters, prepare=True)
        return _microseconds(lambda: connection.execute(statement, parameters, prepare=True).fetchall())

    return measure


def _moved(connection: psycopg.Connection, assignment: str) -> Callable[[str], float]:
    """One update of a row, undone outside of the timing."""

    def measure(name: str) -> float:
        connection.execute("SET plan_cache_mode = auto")
        total = 0.0
        for i in range(CALLS):
            with connection.transaction(force_rollback=True):
                start = time.perf_counter()
                connection.execute(f"UPDATE {name} SET {assignment} WHERE k = {i} AND id = {i or 500}".encode())
                total += time.perf_counter() - start
        return total / CALLS * 1e6

    return measure


def _line(name: str, measured: float) -> None:
    print(f"{name:22} {measured:8.2f} us measured, {float(knowledge.load('read_cost.toml')[name]):8.2f} in use")


def main() -> None:
    """Print each constant as measured and as used."""
    with (
        start_server(find_binaries(), settings={"fsync": "off", "max_locks_per_transaction": "1024"}) as server,
        psycopg.connect(server.dsn(), autocommit=True) as connection,
    ):
        for statement in (_partitioned("few", FEW) + _partitioned("many", MANY)).split(";"):
            connection.execute(statement.encode())
        print(f"{MANY} partitions beside {FEW}, the least of {ROUNDS} rounds of {CALLS} calls")
        everywhere, pruned = "SELECT * FROM {t} WHERE v = %s", "SELECT * FROM {t} WHERE k = %s AND id = %s"
        whole = _Pair(_timed(connection, everywhere, "custom", 7))
        executed = _Pair(_timed(connection, everywhere, "generic", 7))
        generic = _Pair(_timed(connection, pruned, "generic", 7, 7))
        custom = _Pair(_timed(connection, pruned, "custom", 7, 7))
        merged = _Pair(_timed(connection, "SELECT v FROM {t} ORDER BY v LIMIT %s", "generic", 2000))
        first = _Pair(_timed(connection, "SELECT v FROM {t} ORDER BY v LIMIT %s", "generic", 1))
        stays, moves = _Pair(_moved(connection, "v = v + 1")), _Pair(_moved(connection, "k = k + 1000"))
        _line("lookup_us", whole.few)
        _line("plan_us", whole.per_partition - executed.per_partition)
        _line("execute_us", executed.per_partition)
        _line("merge_row_us", ((merged.many - first.many) - (merged.few - first.few)) / 1999)
        _line("generic_us", generic.per_partition)
        _line("move_us", moves.many - stays.many)
        print(f"a pruned custom plan   {custom.per_partition:8.3f} us a partition: flat")
