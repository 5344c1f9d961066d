"""The walkthrough: composition, the work in threads, and the handlers that change the state."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import ContentSwitcher, Footer, Input, Static
from textual.worker import get_current_worker

from partadvisor.model.errors import PartadvisorError, UsageError
from partadvisor.tui import messages, work
from partadvisor.tui.commands import WalkCommands
from partadvisor.tui.defects import as_error
from partadvisor.tui.demo import Demo
from partadvisor.tui.panes.base import Pane
from partadvisor.tui.panes.candidates import CandidatesPane
from partadvisor.tui.panes.compare import ComparePane
from partadvisor.tui.panes.diagnosis import DiagnosisPane
from partadvisor.tui.panes.export import ExportPane
from partadvisor.tui.panes.migration import MigrationPane
from partadvisor.tui.panes.review import ReviewPane
from partadvisor.tui.panes.source import SourcePane
from partadvisor.tui.panes.tables import TablesPane
from partadvisor.tui.screens.help import HelpScreen
from partadvisor.tui.state import STAGES, Opening, StageName, Walk
from partadvisor.tui.widgets.live_waits import LiveWaits
from partadvisor.tui.widgets.stage_list import StageList
from partadvisor.tui.widgets.status_line import StatusLine

_PANES = (
    SourcePane, TablesPane, DiagnosisPane, CandidatesPane, ComparePane, MigrationPane, ReviewPane, ExportPane,
)  # fmt: skip
Job = Callable[[work.Report, work.Stop, work.Seen], messages.Finished]


def _is_ours(node: object, binding: Binding) -> bool:
    """Whether a key is this program's own, not one of Textual's for moving about."""
    method = getattr(type(node), f"action_{binding.action.partition('(')[0]}", None)
    return bool(binding.description) and str(getattr(method, "__module__", "")).startswith("partadvisor")


class Walkthrough(App[None]):
    """Stages from a source to an exported migration. Handlers change the state; all else is shown from it."""

    CSS_PATH = "app.tcss"
    COMMANDS = App.COMMANDS | {WalkCommands}
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - declared by Textual
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "next", "Next"),
        Binding("question_mark,f1", "help", "Help", key_display="?"),
        Binding("escape", "out", "Back", show=False),
        Binding("ctrl+q,q", "quit", "Quit", show=False, key_display="q"),
        *(Binding(str(n), f"stage('{name}')", f"Stage {name}", show=False) for n, name in enumerate(STAGES, start=1)),
    ]

    def __init__(self, opening: Opening | None = None) -> None:
        super().__init__()
        self.walk = Walk()
        self.defect: Exception | None = None
        self._opening = opening or Opening()
        self._stage: StageName = "source"
        self._busy: StageName | None = None
        self._stop_asked = False
        self._refused: tuple[object, ...] = ()
        self._demo = Demo()

    def compose(self) -> ComposeResult:
        """Title, stages and pane, status, keys."""
        yield Static("partadvisor", id="title")
        with Horizontal(id="body"):
            yield StageList()
            with ContentSwitcher(initial="source"):
                for pane in _PANES:
                    yield pane()
        yield StatusLine("", id="status")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Begin with what the command line named."""
        self._show()
        self._focus_pane()
        if self._opening.source is not None or self._opening.schema is not None:
            self._open(self._opening)

    # What is shown

    def _pane(self) -> Pane:
        return self.query_one(f"#{self._stage}", Pane)

    def _show(self) -> None:
        self.query_one(StageList).show(self.walk, self._stage)
        self._pane().show(self.walk)
        parts = ["partadvisor", self.walk.source, self.walk.table or "", self.walk.scheme or ""]
        self.query_one("#title", Static).update(
            Text(" · ".join(p for p in parts if p), no_wrap=True, overflow="ellipsis")
        )

    def _change(self, **values: Any) -> None:
        self.walk = msgspec.structs.replace(self.walk, **values)
        self._show()

    def _enter(self, stage: StageName) -> None:
        self._stage = stage
        self.query_one("#body ContentSwitcher", ContentSwitcher).current = stage
        self._say("")
        self._change(visited=self.walk.visited | {stage})
        self._focus_pane()
        self._start_what_lacks()

    def _focus_pane(self) -> None:
        if self._pane().FIRST:
            self.screen.set_focus(self._pane().query_one(self._pane().FIRST))

    def _say(self, text: str) -> None:
        if self._busy is None:
            self.query_one("#status", StatusLine).said(text)

    # Work in threads

    def _work(self, stage: StageName, job: Job) -> None:
        """Start work, unless some is going on already."""
        if self._busy is not None:
            self.notify(f"Still at work on {self._busy}; try again when it is done.", timeout=3)
            return
        self._busy, self._stop_asked = stage, False
        self.run_worker(lambda: self._run(stage, job), thread=True, exit_on_error=False, group="walk")

    def _run(self, stage: StageName, job: Job) -> None:
        """In a thread: only messages leave it."""
        worker = get_current_worker()
        try:
            self.post_message(job(self._tell, lambda: self._stop_asked or worker.is_cancelled, self._tell_look))
        except PartadvisorError as error:
            self.post_message(messages.Failed(stage, error))
        except Exception as error:  # noqa: BLE001 - shown in place, whatever it is
            self.post_message(messages.Failed(stage, as_error(error)))

    def _tell(self, what: str, share: float | None) -> None:
        self.post_message(messages.Progressed(what, share))

    def _tell_look(self, waits: dict[str, int]) -> None:
        self.post_message(messages.Looked(waits))

    def _start_what_lacks(self) -> None:
        """The plan is made when its stage is entered, the comparison gets two sides."""
        wanted = self.walk.wanted_plan
        if self._stage == "migration" and wanted not in (None, self.walk.plan_of, self._refused) and not self._busy:
            now = self.walk
            self._work("migration", lambda _report, _stop, _seen: work.make_plan(now))
        if self._stage == "compare" and self.walk.advised is not None:
            self._compare(self.walk.left, self.walk.right)

    def on_progressed(self, message: messages.Progressed) -> None:
        """Say how far it is."""
        if self._busy is not None:
            self.query_one("#status", StatusLine).working(message.what, message.share)

    def on_looked(self, message: messages.Looked) -> None:
        """Move the picture."""
        self.query_one(LiveWaits).add(message.waits)

    def on_finished(self, message: messages.Finished) -> None:
        """Take the result."""
        self._busy = None
        self.walk = message.change(self.walk)
        self._say(message.said)
        self._show()
        if message.stage in ("source", "candidates") and self._stage == message.stage:
            self._focus_pane()
        self._start_what_lacks()

    def on_failed(self, message: messages.Failed) -> None:
        """Say why, where it was asked for."""
        self._busy = None
        if message.stage == "migration":
            self._refused = self.walk.wanted_plan or ()
        if message.stage == self._stage == "source":
            self.screen.set_focus(self.query_one("#input"))
        self.query_one("#status", StatusLine).error(message.error)

    # What the panes ask for

    def on_stage_requested(self, message: messages.StageRequested) -> None:
        """Go there."""
        self._enter(message.stage)

    def on_open_requested(self, message: messages.OpenRequested) -> None:
        """Read or watch it, with the command line's other options."""
        self._open(msgspec.structs.replace(self._opening, source=message.opening.source, schema=None))

    def _open(self, opening: Opening) -> None:
        self._clear_for_source()
        self._work("source", lambda report, stop, seen: work.open_source(opening, report, stop, seen))

    def _clear_for_source(self) -> None:
        """A fresh picture; and keys are keys again, not text for the field."""
        if self._busy is None:
            self.query_one(LiveWaits).restart()
            self.query_one("#snapshot").focus()

    def on_demo_requested(self) -> None:
        """Start it, then watch it as any server."""
        duration = self._opening.duration

        def job(report: work.Report, stop: work.Stop, seen: work.Seen) -> messages.Finished:
            opening = Opening(source=self._demo.start(report, stop), duration=duration)
            return work.open_source(opening, report, stop, seen)

        self._clear_for_source()
        self._work("source", job)

    def on_table_chosen(self, message: messages.TableChosen) -> None:
        """Look at it; its answer is worked out where there is none."""
        if message.table == self.walk.table and self.walk.advised is not None:
            self._enter("diagnosis")
            return
        now = self.walk
        self._work("tables", lambda _r, _stop, _seen: work.advise_table(now, message.table, ()))

    def on_scheme_typed(self, message: messages.SchemeTyped) -> None:
        """Score it beside the others."""
        now, table = self.walk, self.walk.table
        if table is None:
            self._failed_here(UsageError("no table is chosen", hint="Take one in stage tables."))
            return
        keys = (*now.keys, message.text)
        self._work("candidates", lambda _r, _stop, _seen: work.advise_table(now, table, keys))

    def on_scheme_chosen(self, message: messages.SchemeChosen) -> None:
        """Plan with it from now on, if it is possible at all."""
        one = self.walk.candidate_of(message.scheme)
        if one is not None and not one.feasible:
            reasons = " ".join(b.text for b in one.blockers)
            self._failed_here(UsageError(f"{message.scheme} is not possible", detail=reasons))
            return
        self._change(scheme=message.scheme)
        self._say(f"chosen: {message.scheme}; stage migration plans with it")

    def on_compare_chosen(self, message: messages.CompareChosen) -> None:
        """One side, the other stays."""
        self._compare(message.left or self.walk.left, message.right or self.walk.right)
        if self._stage != "compare":
            self._say(f"to compare: {self.walk.left} with {self.walk.right}; see stage compare")

    def _compare(self, left: str | None, right: str | None) -> None:
        """Sides that are not known candidates are filled with the chosen scheme and the best other one."""
        found = [c.scheme for c in (self.walk.advised.candidates if self.walk.advised else ())]
        if left not in found:
            left = self.walk.scheme if self.walk.scheme in found else next(iter(found), None)
        if right not in found or right == left:
            right = next((scheme for scheme in found if scheme != left), None)
        self._change(left=left, right=right)

    def on_plan_requested(self, message: messages.PlanRequested) -> None:
        """By another strategy."""
        if self._busy is None:
            self._change(strategy=message.strategy)
            self._say(f"strategy {message.strategy}")
            self._refused = ()
            self._start_what_lacks()

    def on_review_requested(self, message: messages.ReviewRequested) -> None:
        """Review it."""
        now = self.walk
        self._work("review", lambda _r, _stop, _seen: work.review_script(now, message.file, message.text))

    def on_export_requested(self, message: messages.ExportRequested) -> None:
        """Write it; a plan is made first where there is none for the choice."""
        now = self.walk

        def job(report: work.Report, _stop: work.Stop, _seen: work.Seen) -> messages.Finished:
            report(f"writing {message.folder}", None)
            return work.export(now, message.kind, message.folder)

        self._work("export", job)

    def on_migrated(self, message: messages.Migrated) -> None:
        """Remember where the plan's files are."""
        self._change(plan_dir=Path(message.folder))

    def _failed_here(self, error: PartadvisorError) -> None:
        self.query_one("#status", StatusLine).error(error)

    # Keys

    def action_next(self) -> None:
        """The next stage."""
        self._enter(STAGES[min(len(STAGES) - 1, STAGES.index(self._stage) + 1)])

    def action_stage(self, stage: StageName) -> None:
        """The stage of that number."""
        self._enter(stage)

    def action_out(self) -> None:
        """End the watching early; else out of a field, to the stages, to the stage before."""
        if self._busy == "source" and not self._stop_asked:
            self._stop_asked = True
            return
        stages = self.query_one(StageList)
        if isinstance(self.focused, Input) and f"#{self.focused.id}" != self._pane().FIRST:
            self._focus_pane()
        elif self.focused is not stages:
            stages.focus()
        elif self._stage != "source":
            self._enter(STAGES[STAGES.index(self._stage) - 1])
            stages.focus()

    def action_help(self) -> None:
        """Help for the focused widget and its stage."""
        if isinstance(self.screen, HelpScreen):
            return
        nodes = self.focused.ancestors_with_self if self.focused else [self._pane()]
        texts = [str(getattr(node, "HELP", "")) for node in nodes if getattr(node, "HELP", None)]
        if self._pane().HELP not in texts:
            texts.append(self._pane().HELP)
        keys = [
            (self.get_key_display(active.binding), active.binding.description)
            for active in self.screen.active_bindings.values()
            if _is_ours(active.node, active.binding) and not active.binding.action.startswith("stage(")
        ]
        keys += [("1-8", "Stages by number"), ("tab", "Next field"), ("^p", "All commands, themes")]
        self.push_screen(HelpScreen(texts, list(dict.fromkeys(keys))))

    async def action_quit(self) -> None:
        """Stop what runs, keep its state, and go."""
        self._stop_asked = True
        self.exit()

    def close_demo(self) -> None:
        """Stop the demonstration's server; called when the screen is given back."""
        with contextlib.suppress(PartadvisorError):
            self._demo.close()

    def _fatal_error(self) -> None:
        """No traceback on the terminal: the front end shows the defect as it shows every other."""
        self.defect = self._exception
        self._close_messages_no_wait()
