"""Picks a file from the folders below the working one."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import DirectoryTree, Static


class PickScreen(ModalScreen[str | None]):
    """Gives the file's name, None when nothing was picked."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back")]

    def compose(self) -> ComposeResult:
        """A tree of files."""
        with Vertical(classes="dialog"):
            yield Static("Pick a file: arrows move, Enter opens a folder or takes a file, Esc goes back.")
            yield DirectoryTree(Path.cwd())

    def on_directory_tree_file_selected(self, event: DirectoryTree.FileSelected) -> None:
        """Taken; a name below the working folder is given as people type it."""
        path, here = event.path.resolve(), Path.cwd().resolve()
        self.dismiss(str(path.relative_to(here) if path.is_relative_to(here) else path))
