"""The command palette: every stage, and every key of the pane one is in."""

from __future__ import annotations

from collections.abc import Iterator

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.types import IgnoreReturnCallbackType

from partadvisor.tui.messages import StageRequested
from partadvisor.tui.state import STAGES, StageName


class WalkCommands(Provider):
    """Stages by name, and what the footer and its hidden neighbours offer."""

    async def discover(self) -> Hits:
        """Everything, before anything is typed."""
        for name, run, helped in self._all():
            yield DiscoveryHit(name, run, help=helped)

    async def search(self, query: str) -> Hits:
        """What fits the typed letters."""
        matcher = self.matcher(query)
        for name, run, helped in self._all():
            score = matcher.match(name)
            if score > 0:
                yield Hit(score, matcher.highlight(name), run, help=helped)

    def _all(self) -> Iterator[tuple[str, IgnoreReturnCallbackType, str]]:
        for number, stage in enumerate(STAGES, start=1):
            yield f"Go to {stage}", self._go(stage), f"stage {number}"
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if binding.description and len(binding.key) <= 2 and binding.description != "Palette":
                yield binding.description, self._act(binding.action, active.node), f"key {binding.key}"

    def _go(self, stage: StageName) -> IgnoreReturnCallbackType:
        return lambda: self.app.post_message(StageRequested(stage))

    def _act(self, action: str, node: object) -> IgnoreReturnCallbackType:
        from textual.dom import DOMNode

        async def run() -> None:
            await self.app.run_action(action, node if isinstance(node, DOMNode) else None)

        return run
