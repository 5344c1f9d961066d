"""How much slower clients' statements are than without us: mean times of the same statements, now and while we rested.

Statement by statement where pg_stat_statements is there, so that another mix of statements is not taken for a slowdown;
else by the active time of a transaction (from PostgreSQL 14 on, where the server counts that).
"""

# ruff: noqa: S608  (the extension's schema is quoted by the server)

from __future__ import annotations

from partadvisor.io.migrate.worker import Worker

Counters = dict[object, tuple[float, float]]
"""Calls and milliseconds by statement, as counted since the server's statistics began."""
_MIN_CALLS = 20
"""Fewer say nothing about a mean."""
_ACTIVE_TIME_SINCE = 140000
_DATABASE = "SELECT xact_commit + xact_rollback, active_time FROM pg_stat_database WHERE datname = current_database()"
_EXTENSION = (
    "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace\n"
    "WHERE e.extname = 'pg_stat_statements' AND current_setting('pg_stat_statements.max', true) IS NOT NULL"
)


class Foreground:
    """Watches clients of one database. ``source`` says by what, None when there is nothing to watch them by."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.means: dict[object, float] = {}
        self.last: Counters = {}
        self.query = _query(worker)
        self.source = None if self.query is None else self.query[0]
        self.own = _own_statements(worker) if self.source == "pg_stat_statements" else frozenset[object]()

    def mark(self) -> None:
        """Begins a window."""
        self.last = self._read()

    def rested(self) -> None:
        """Ends a window in which we did nothing: its means are what the later ones are compared with."""
        self.means.update({key: spent / calls for key, (calls, spent) in self._window().items()})

    def slowdown(self, own: tuple[int, float]) -> float | None:
        """Ends a window in which we worked; time of its statements by what they take otherwise, None when too few.

        ``own`` are our transactions and milliseconds in it, which the database's counters hold as well.
        """
        window = self._window()
        if "database" in window:
            calls, spent = window["database"]
            window["database"] = (max(calls - own[0], 0), max(spent - own[1], 0.0))
        known = {key: found for key, found in window.items() if self.means.get(key, 0) > 0}
        if sum(calls for calls, _ in known.values()) < _MIN_CALLS:
            return None
        usual = sum(calls * self.means[key] for key, (calls, _) in known.items())
        return sum(spent for _, spent in known.values()) / usual

    def _window(self) -> Counters:
        before, self.last = self.last, self._read()
        moved = {key: (calls - before.get(key, (0, 0))[0], spent - before.get(key, (0, 0))[1])
                 for key, (calls, spent) in self.last.items()}  # fmt: skip
        return {key: found for key, found in moved.items() if found[0] > 0}

    def _read(self) -> Counters:
        if self.query is None:
            return {}
        kind, sql = self.query
        rows = self.worker.read(sql)
        if kind == "pg_stat_statements":
            return {
                (user, query): (calls, spent) for user, query, calls, spent in rows if (user, query) not in self.own
            }
        return {"database": (float(rows[0][0]), float(rows[0][1]))}


def _own_statements(worker: Worker) -> frozenset[object]:
    """Role and query of statements that we run ourselves while we rest, told by their text.

    Clients of the same role lose their COMMIT by that. Reading texts for each look would cost too much.
    """
    schema = worker.read(_EXTENSION)[0][0]
    rows = worker.read(
        f"SELECT userid::int8, queryid FROM {schema}.pg_stat_statements(true)\n"
        "WHERE userid = (SELECT oid FROM pg_roles WHERE rolname = current_user) AND (query ~* '^(SET|BEGIN|COMMIT)'\n"
        "  OR query ~ 'partadvisor|pg_stat_statements|pg_stat_replication')"
    )
    return frozenset(rows)


def _query(worker: Worker) -> tuple[str, str] | None:
    if found := worker.read(_EXTENSION):
        return "pg_stat_statements", (
            "SELECT userid::int8, queryid, sum(calls)::float8, sum(total_exec_time)::float8\n"
            f"FROM {found[0][0]}.pg_stat_statements(false)\n"
            "WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) GROUP BY 1, 2"
        )
    return ("pg_stat_database", _DATABASE) if worker.version >= _ACTIVE_TIME_SINCE else None
