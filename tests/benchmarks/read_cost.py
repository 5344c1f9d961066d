"""Constants of ``rules/read_cost.toml``, measured: what each further partition costs a query on this machine.

Prints microseconds beside the values in use. The least of interleaved rounds on the embedded server, one session;
planning is processor time as the server counts it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import psycopg

from partadvisor.io.binaries import find_binaries
from partadvisor.io.server import start_server
from partadvisor.io.shadow.planning_time import planner_times
from partadvisor.pg import knowledge

FEW, MANY, ROUNDS, CALLS = 1, 64, 15, 40
ROWS = 64_000
PLANS = 60
_INDEXES = {"bare": (), "other": ("w", "x"), "own": ("v",)}
_WIDE = "(k int NOT NULL, id int NOT NULL, v int, w int, x int)"
_COLUMNS = "(k int NOT NULL, id int NOT NULL, v int NOT NULL, PRIMARY KEY (k, id))"


_PLAIN = (
    f"CREATE TABLE plain {_WIDE}; CREATE INDEX ON plain (w); CREATE INDEX ON plain (x);"
    "CREATE TABLE o (id int PRIMARY KEY, g int); INSERT INTO o SELECT i, i % 100 FROM generate_series(1, 5000) AS i;"
    "CREATE INDEX ON o (g); VACUUM ANALYZE o"
)


def _partitioned(name: str, partitions: int) -> str:
    return f"CREATE TABLE {name} {_COLUMNS} PARTITION BY HASH (k); {_parts(name, partitions)}" + _filled(name)


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


class _Planning:
    """Planning of tables that differ in their indexes, with few and with many partitions."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection
        _make(connection, _PLAIN)
        for name, indexes in _INDEXES.items():
            for count in (FEW, MANY):
                parts = _parts(f"{name}_{count}", count)
                _make(connection, f"CREATE TABLE {name}_{count} {_WIDE} PARTITION BY HASH (k); {parts}")
                _make(connection, _indexed(f"{name}_{count}", indexes))
        _make(connection, _two_levels(f"deep_{MANY}") + _indexed(f"deep_{MANY}", _INDEXES["other"]))

    def least(self, text: str, table: str) -> float:
        """Microseconds of the cheapest of many plans."""
        taken_us = []
        with self._connection.transaction(), planner_times(self._connection) as taken:
            for _ in range(PLANS):
                taken()
                self._connection.execute(f"EXPLAIN {text.format(t=table)}".encode())
                taken_us.append(1000 * (taken() or 0.0))
        return min(taken_us)

    def each(self, text: str, name: str) -> float:
        """What each further partition adds."""
        return (self.least(text, f"{name}_{MANY}") - self.least(text, f"{name}_{FEW}")) / (MANY - FEW)

    def constants(self) -> dict[str, float]:
        """By their names in the file."""
        whole, one = "SELECT * FROM {t}", "SELECT * FROM {t} WHERE v = 7"
        join, pruned = "SELECT * FROM o JOIN {t} AS t ON t.v = o.id WHERE o.g = 3", "SELECT * FROM {t} WHERE k = 7"
        deep = "SELECT * FROM {t} WHERE k = 7 AND id = 7"
        bare, other = self.each(whole, "bare"), self.each(whole, "other")
        index = (other - bare) / len(_INDEXES["other"])
        searched, unsearched = self.each(one, "own"), self.each(one, "bare")
        return {
            "partitioned_us": self.least(pruned, f"other_{MANY}") - self.least(pruned, "plain"),
            "plan_us": bare,
            "plan_index_us": index,
            "plan_condition_us": unsearched - bare,
            "plan_path_us": searched - unsearched - index,
            "plan_join_us": self.each(join, "own") - searched,
            "parent_us": self.least(deep, f"deep_{MANY}") - self.least(deep, f"other_{MANY}"),
        }


def _make(connection: psycopg.Connection, statements: str) -> None:
    for statement in filter(str.strip, statements.split(";")):
        connection.execute(statement.encode())


def _parts(name: str, count: int, then: str = "") -> str:
    return "".join(
        f"CREATE TABLE {name}_{i} PARTITION OF {name} FOR VALUES WITH (MODULUS {count}, REMAINDER {i}) {then};"
        for i in range(count)
    )


def _two_levels(name: str) -> str:
    first = _parts(name, 8, "PARTITION BY HASH (id)")
    second = "".join(_parts(f"{name}_{i}", MANY // 8) for i in range(8))
    return f"CREATE TABLE {name} {_WIDE} PARTITION BY HASH (k); {first} {second}"


def _indexed(name: str, columns: Sequence[str]) -> str:
    indexes = "".join(f"CREATE INDEX ON {name} ({column});" for column in columns)
    rows = f"INSERT INTO {name} SELECT i % 500, i, i, i, i FROM generate_series(1, {ROWS}) AS i;"
    return f"{indexes} {rows} VACUUM ANALYZE {name}"


def _line(name: str, measured: float) -> None:
    print(f"{name:22} {measured:8.2f} us measured, {float(knowledge.load('read_cost.toml')[name]):8.2f} in use")


def main() -> None:
    """Print each constant as measured and as used."""
    with (
        start_server(find_binaries(), settings={"fsync": "off", "max_locks_per_transaction": "1024"}) as server,
        psycopg.connect(server.dsn(), autocommit=True) as connection,
    ):
        _make(connection, _partitioned("few", FEW) + _partitioned("many", MANY))
        print(f"{MANY} partitions beside {FEW}, the least of {ROUNDS} rounds of {CALLS} calls")
        everywhere, pruned = "SELECT * FROM {t} WHERE v = %s", "SELECT * FROM {t} WHERE k = %s AND id = %s"
        executed = _Pair(_timed(connection, everywhere, "generic", 7))
        generic = _Pair(_timed(connection, pruned, "generic", 7, 7))
        custom = _Pair(_timed(connection, pruned, "custom", 7, 7))
        merged = _Pair(_timed(connection, "SELECT v FROM {t} ORDER BY v LIMIT %s", "generic", 2000))
        first = _Pair(_timed(connection, "SELECT v FROM {t} ORDER BY v LIMIT %s", "generic", 1))
        stays, moves = _Pair(_moved(connection, "v = v + 1")), _Pair(_moved(connection, "k = k + 1000"))
        _line("lookup_us", executed.few)
        for name, measured in _Planning(connection).constants().items():
            _line(name, measured)
        _line("execute_us", executed.per_partition)
        _line("merge_row_us", ((merged.many - first.many) - (merged.few - first.few)) / 1999)
        _line("generic_us", generic.per_partition)
        _line("move_us", moves.many - stays.many)
        print(f"a pruned custom plan   {custom.per_partition:8.3f} us a partition: flat")
