"""Every message of the walkthrough: what a pane asks for, and what work reports. Only the app handles them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from partadvisor.model.errors import PartadvisorError
from partadvisor.model.plan import ApplyReport
from partadvisor.tui.state import Opening, StageName, Walk

if TYPE_CHECKING:
    from partadvisor.io.migrate.progress import Progress  # loads the driver


@dataclass
class StageRequested(Message):
    """Go to a stage."""

    stage: StageName


@dataclass
class OpenRequested(Message):
    """Read a snapshot file or a schema, or watch the server behind a DSN."""

    opening: Opening


@dataclass
class DemoRequested(Message):
    """Start the demonstration's server and load, and watch it."""


@dataclass
class TableChosen(Message):
    """Look at this table from now on."""

    table: str


@dataclass
class SchemeChosen(Message):
    """Plan with this scheme from now on."""

    scheme: str


@dataclass
class SchemeTyped(Message):
    """Score a scheme of the user's own."""

    text: str


@dataclass
class CompareChosen(Message):
    """Show these two side by side; None leaves a side as it is."""

    left: str | None = None
    right: str | None = None


@dataclass
class PlanRequested(Message):
    """Make the plan for the chosen table and scheme by a strategy."""

    strategy: str


@dataclass
class ReviewRequested(Message):
    """Review a script: of a file, or as typed."""

    file: str
    text: str | None


@dataclass
class ExportRequested(Message):
    """Write something into a folder: ``snapshot``, ``advice``, ``diagnosis``, ``plan`` or ``all``."""

    kind: str
    folder: Path


@dataclass
class Progressed(Message):
    """Work goes on; ``share`` is the finished part (0..1), None when unknown."""

    what: str
    share: float | None


@dataclass
class Looked(Message):
    """One look at a server's sessions: how many active ones wait for what."""

    waits: dict[str, int]


@dataclass
class Finished(Message):
    """Work of a stage is done: ``change`` gives the state after it, from the state when it is handled."""

    stage: StageName
    change: Callable[[Walk], Walk]
    said: str = ""


@dataclass
class Failed(Message):
    """Work of a stage failed; nothing has changed."""

    stage: StageName
    error: PartadvisorError


@dataclass
class Migrating(Message):
    """A running migration reports."""

    progress: Progress


@dataclass
class Migrated(Message):
    """A run of a migration ended well."""

    action: str
    folder: Path
    report: ApplyReport


@dataclass
class MigrationFailed(Message):
    """A run of a migration failed or was stopped."""

    error: PartadvisorError
