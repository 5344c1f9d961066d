"""Runs a plan on a server, with live progress: dry-run, apply, finish, rollback. Leaving it keeps the state."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, RichLog, Static
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from partadvisor.model.errors import PartadvisorError, UsageError
from partadvisor.model.plan import MigrationPlan
from partadvisor.render.outcome_text import outcome_text
from partadvisor.tui.defects import as_error
from partadvisor.tui.messages import Migrated, Migrating, MigrationFailed
from partadvisor.tui.screens.confirm import ConfirmScreen
from partadvisor.tui.widgets.status_line import StatusLine
from partadvisor.tui.work import run_plan

if TYPE_CHECKING:
    from partadvisor.io.migrate.progress import Progress  # loads the driver

_ACTIONS = (
    ("dry-run", "dry-run    check that the plan fits, change nothing"),
    ("apply", "apply      everything up to the swap; goes on where it was stopped"),
    ("finish", "finish     drop the old table; there is no way back"),
    ("rollback", "rollback   undo it, with every row written since"),
)
_QUESTIONS = {
    "finish": "This drops the old table of {table}. There is no way back afterwards.",
    "rollback": "This undoes the migration of {table} and removes the partitioned table.",
}


class RunScreen(ModalScreen[None]):
    """Plan folder, server, what to do, and how it goes."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back, or stop")]
    HELP = (
        "The plan is written to the folder first: keep that until the migration is finished. Enter on a line runs it.\n"
        "Esc while it runs stops after the current batch and keeps the state; apply goes on from there."
    )

    def __init__(self, plan: MigrationPlan, folder: Path | None, dsn: str | None) -> None:
        super().__init__()
        self._plan, self._folder, self._dsn = plan, folder, dsn
        self._at_work, self._stop_asked = False, False
        self._last = ""

    def compose(self) -> ComposeResult:
        """Fields, actions, progress."""
        folder = str(self._folder or "migration")
        server = "the server the snapshot came from" if self._dsn else "postgresql://owner@host/database"
        with Vertical(classes="dialog"):
            yield Static(Text(f"Run the plan: {self._plan.table} to {self._plan.scheme}", style="bold"))
            yield Static("plan folder", classes="label")
            yield Input(value=folder, id="plan-dir", compact=True)
            yield Static("server", classes="label")
            yield Input(placeholder=server, id="dsn", compact=True)
            yield OptionList(*(Option(text, id=name) for name, text in _ACTIONS), id="actions", compact=True)
            yield RichLog(id="log", wrap=True, markup=False, min_width=20)
            yield StatusLine("", id="run-status")

    def on_mount(self) -> None:
        """The safest action first."""
        actions = self.query_one("#actions", OptionList)
        actions.highlighted = 0
        actions.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """On to the next field."""
        event.stop()
        self.focus_next()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Run it, after a typed confirmation where there is no way back."""
        event.stop()
        action = str(event.option_id)
        if self._at_work:
            return
        if action in _QUESTIONS:
            question = _QUESTIONS[action].format(table=self._plan.table)
            self.app.push_screen(
                ConfirmScreen(question, self._plan.table), lambda sure: self._start(action) if sure else None
            )
        else:
            self._start(action)

    def action_back(self) -> None:
        """Stop what runs; with nothing running, back to the plan."""
        if self._at_work:
            self._stop_asked = True
            self.query_one(StatusLine).said("stopping after this batch; the state is kept")
        else:
            self.dismiss()

    def _start(self, action: str) -> None:
        dsn = self.query_one("#dsn", Input).value.strip() or self._dsn
        folder = Path(self.query_one("#plan-dir", Input).value.strip() or "migration").expanduser()
        if not dsn:
            self.query_one(StatusLine).error(UsageError("no server is named", hint="Type its DSN above."))
            return
        self._at_work, self._stop_asked, self._last = True, False, ""
        self.query_one(StatusLine).working(action, None)
        self.run_worker(lambda: self._run(action, folder, dsn), thread=True, exit_on_error=False, group="migration")

    def _run(self, action: str, folder: Path, dsn: str) -> None:
        """In a thread."""
        worker = get_current_worker()
        try:
            report = run_plan(
                self._plan, action, folder, dsn,
                self._tell,
                lambda: self._stop_asked or worker.is_cancelled,
            )  # fmt: skip
            self.post_message(Migrated(action, folder, report))
        except PartadvisorError as error:
            self.post_message(MigrationFailed(error))
        except Exception as error:  # noqa: BLE001 - shown in place, whatever it is
            self.post_message(MigrationFailed(as_error(error)))

    def _tell(self, progress: Progress) -> None:
        self.post_message(Migrating(progress))

    def on_migrating(self, message: Migrating) -> None:
        """A step, a batch, or a lock that was not to be had."""
        progress, log = message.progress, self.query_one(RichLog)
        if progress.step != self._last:
            self._last = progress.step
            log.write(Text(f"{progress.phase}: {progress.title}"))
        rate = "" if progress.rows_per_second is None else f" {progress.rows_done or 0:,} rows,"
        rate += "" if progress.rows_per_second is None else f" {progress.rows_per_second:,.0f}/s"
        self.query_one(StatusLine).working(f"{progress.step}{rate}", progress.share, progress.message)

    def on_migrated(self, message: Migrated) -> None:
        """The outcome, and what may come next; the app hears it too."""
        self._at_work = False
        log, report = self.query_one(RichLog), message.report
        for note in report.preflight:
            log.write(Text(f"pre-flight: {note}"))
        if message.action == "dry-run":
            log.write(Text(f"It fits. {len(report.steps_run)} steps would run: {', '.join(report.steps_run)}"))
        else:
            log.write(Text(outcome_text(report), style="bold"))
        self.query_one(StatusLine).said(f"{message.action} done")
        self.app.post_message(message)

    def on_migration_failed(self, message: MigrationFailed) -> None:
        """What the server or the runner said."""
        self._at_work = False
        self.query_one(StatusLine).error(message.error)
