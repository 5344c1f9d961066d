"""The snapshot: one file that holds all the advice is derived from, with no server needed afterwards."""

from __future__ import annotations

from typing import Literal

from partadvisor.model.activity import LogWait, RecentRows, StatementDelta, Window
from partadvisor.model.base import Value
from partadvisor.model.catalog import Relation

SNAPSHOT_VERSION = 1


class ServerInfo(Value, frozen=True, kw_only=True):
    """The server as it described itself. ``version_num`` as in ``server_version_num`` (180006).

    ``settings`` are as SHOW prints them (``16MB``), before any of the collector's own.
    """

    version: str
    version_num: int
    database: str
    encoding: str = "UTF8"
    in_recovery: bool = False
    is_local: bool = False
    cores: int | None = None
    settings: dict[str, str] = {}
    extensions: dict[str, str] = {}
    user: str = ""
    user_is_superuser: bool = False
    user_can_monitor: bool = False
    pooler: str | None = None

    @property
    def major(self) -> int:
        """Major version, 18 for 18.6."""
        return self.version_num // 10000


class Statements(Value, frozen=True, kw_only=True):
    """Statement texts with weights. ``seconds`` is the time the totals cover, None when unknown.

    ``evicted`` is true when pg_stat_statements dropped entries during the window (``dealloc`` moved). ``notes`` say in
    words what the source does not hold.
    """

    source: Literal["pg_stat_statements", "file", "log"]
    seconds: float | None
    entries: tuple[StatementDelta, ...] = ()
    evicted: bool = False
    notes: tuple[str, ...] = ()


class AssumedWait(Value, frozen=True, kw_only=True):
    """A wait share told by the user (``--stats``) instead of sampled."""

    event: str
    share: float
    relation: str | None = None


class AssumedTable(Value, frozen=True, kw_only=True):
    """Rates of one table told by the user (``--stats``) instead of measured."""

    table: str
    inserts_per_second: float | None = None


class Assumed(Value, frozen=True, kw_only=True):
    """What ``--stats`` said: it stands in for a window that nobody could observe.

    ``host_cpu_busy`` is 0..1; the number of cores goes to ``ServerInfo.cores``.
    """

    clients: int | None = None
    host_cpu_busy: float | None = None
    waits: tuple[AssumedWait, ...] = ()
    tables: tuple[AssumedTable, ...] = ()


class Snapshot(Value, frozen=True, kw_only=True):
    """All inputs of diagnosis and advice.

    ``missing`` lists in words what could not be read and why; ``assumptions`` what was taken for granted.
    """

    snapshot_version: int = SNAPSHOT_VERSION
    tool_version: str
    taken_at: str
    server: ServerInfo
    relations: tuple[Relation, ...] = ()
    window: Window | None = None
    statements: tuple[Statements, ...] = ()
    recent_rows: tuple[RecentRows, ...] = ()
    log_waits: tuple[LogWait, ...] = ()
    assumed: Assumed | None = None
    missing: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    redacted: bool = False

    def relation(self, qualified_name: str) -> Relation | None:
        """The relation named ``schema.name`` exactly, or None."""
        return next((r for r in self.relations if r.qualified_name == qualified_name), None)

    def rows_of(self, table: str) -> RecentRows | None:
        """Recent rows of that table, or None."""
        return next((r for r in self.recent_rows if r.table == table), None)
