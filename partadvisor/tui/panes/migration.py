"""Stage migration: the plan as a tree with the locks of each step, and the statements of the step under the cursor."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.highlight import highlight
from textual.widgets import Static, Tree
from textual.widgets.tree import TreeNode

from partadvisor.model.plan import MigrationPlan, Step
from partadvisor.render.step_text import step_sql
from partadvisor.tui.messages import PlanRequested
from partadvisor.tui.panes.base import Pane
from partadvisor.tui.screens.run import RunScreen
from partadvisor.tui.state import Walk

_STRATEGIES = ("auto", "ahead", "attach", "copy", "rewrite")


class SqlView(VerticalScroll):
    """Statements with highlighting, to scroll."""

    HELP = "The statements of the step, as psql and apply run them. y copies them to the clipboard."

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static(classes="sql")

    def show(self, sql: str) -> None:
        """Other statements, from their top."""
        self.query_one(Static).update(highlight(sql, language="postgresql"))
        self.scroll_home(animate=False)


class MigrationPane(Pane):
    """The tree chooses a step; ``x`` runs the plan, ``y`` copies the step's SQL, ``g`` takes another strategy."""

    STAGE = "migration"
    FIRST = "#steps"
    HELP = (
        "The plan by phases and steps; below a step are the locks it takes, and on what. Up and down move, Enter\n"
        "opens and closes, y copies the statements of the step to the terminal's clipboard, g makes the plan by\n"
        "another strategy (auto, ahead, attach, copy, rewrite), x runs it: dry-run, apply, finish, rollback."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("g", "strategy", "Strategy"),
        Binding("y", "copy", "Copy SQL"),
        Binding("x", "run", "Run …"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._walk = Walk()
        self._plan: MigrationPlan | None = None

    def compose(self) -> ComposeResult:
        """Summary, tree, statements."""
        yield Static("", id="summary")
        with Horizontal(id="plan"):
            yield Tree[Step | None]("plan", id="steps")
            yield SqlView(id="sql")

    def show(self, walk: Walk) -> None:
        """A new plan, if there is one."""
        self._walk, plan = walk, walk.plan
        if plan is None:
            text = "No scheme is chosen: take one in stage candidates, or type your own there."
            self.query_one("#summary", Static).update(text if walk.wanted_plan is None else "")
            return
        stale = "" if walk.mark("migration") == "done" else "  (of an earlier choice)"
        text = f"{plan.table} to {plan.scheme}, strategy {plan.strategy}{stale}\n{plan.reason}"
        warnings = "".join(f"\nwarning: {warning}" for warning in plan.warnings)
        self.query_one("#summary", Static).update(Text(text + warnings))
        if plan is not self._plan:
            self._plan = plan
            self._grow(plan)

    def on_tree_node_highlighted(self, event: Tree.NodeHighlighted[Step | None]) -> None:
        """Show the statements of the step."""
        event.stop()
        step = event.node.data
        if step is not None:
            self.query_one(SqlView).show(step_sql(step))

    def action_strategy(self) -> None:
        """The next strategy."""
        now = _STRATEGIES.index(self._walk.strategy)
        self.post_message(PlanRequested(_STRATEGIES[(now + 1) % len(_STRATEGIES)]))

    def action_copy(self) -> None:
        """The step's statements to the clipboard, by OSC 52."""
        node = self.query_one(Tree).cursor_node
        if node is not None and node.data is not None:
            self.app.copy_to_clipboard(step_sql(node.data))
            self.notify(f"Copied the statements of step {node.data.id}.", timeout=3)

    def action_run(self) -> None:
        """To the screen that runs it."""
        if self._plan is not None:
            self.app.push_screen(RunScreen(self._plan, self._walk.plan_dir, self._walk.dsn))

    def _grow(self, plan: MigrationPlan) -> None:
        tree: Tree[Step | None] = self.query_one("#steps", Tree)
        tree.show_root = False
        tree.clear()
        first: TreeNode[Step | None] | None = None
        for phase in plan.phases:
            branch = tree.root.add(Text.assemble((phase.name, "bold"), f"  {phase.title}"), expand=True)
            for step in phase.steps:
                node = branch.add(_label(step), data=step)
                first = first or node
                _leaves(node, step)
        tree.root.expand()
        if first is not None:
            self.call_after_refresh(tree.move_cursor, first)


def _label(step: Step) -> Text:
    text = Text(step.id, style="bold" if step.point_of_no_return else "")
    strongest = next((lock.mode for lock in step.locks if lock.mode == "ACCESS EXCLUSIVE"), "")
    if step.blocks and not step.blocks.startswith("nothing"):
        text.append(f"  blocks {step.blocks}", style="yellow")
    elif strongest:
        text.append(f"  {strongest}", style="dim")
    if step.point_of_no_return:
        text.append("  no way back", style="red")
    return text.append(f"  {step.title}", style="dim")


def _leaves(node: TreeNode[Step | None], step: Step) -> None:
    how = f"{step.duration_class}, grows with {step.grows_with}" if step.grows_with else step.duration_class
    node.add_leaf(Text(f"takes: {how}", style="dim"), data=step)
    for lock in step.locks:
        node.add_leaf(Text.assemble((lock.mode, "cyan"), f" on {lock.relation} ({lock.role})"), data=step)
    if not step.locks:
        node.add_leaf(Text("no lock", style="dim"), data=step)
    if step.locks:
        node.add_leaf(Text(f"gives up after {step.lock_timeout_ms} ms and tries again", style="dim"), data=step)
