"""WAL position and how far standbys and logical subscribers are behind it, in seconds."""

from __future__ import annotations

from collections import deque

from partadvisor.io.migrate.worker import Worker

_KEPT = 600
_POSITIONS = """SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8,
  coalesce(nullif(r.application_name, ''), host(r.client_addr), 'standby'),
  pg_wal_lsn_diff(r.replay_lsn, '0/0')::float8, coalesce(extract(epoch FROM r.replay_lag), 0)::float8
FROM (SELECT) one LEFT JOIN pg_stat_replication r ON r.replay_lsn IS NOT NULL"""


class Standbys:
    """Remembers when WAL was written, since a standby that stands still reports no lag of its own."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.written: deque[tuple[float, float]] = deque(maxlen=_KEPT)
        self.position = 0.0

    def furthest_behind(self, now: float) -> tuple[str, float] | None:
        """Name and seconds of the one furthest behind, None when none is; also notes the WAL position (bytes)."""
        rows = self.worker.read(_POSITIONS)
        self.position = rows[0][0]
        self.written.append((now, self.position))
        lags = [(name, self._lag(now, replayed, told)) for _, name, replayed, told in rows if replayed is not None]
        return max(lags, key=lambda lag: lag[1], default=None)

    def _lag(self, now: float, replayed: float, told: float) -> float:
        if replayed >= self.position:
            return 0.0
        first = next(at for at, position in self.written if position > replayed)
        return max(now - first, told)
