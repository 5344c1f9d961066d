"""The rules: one folder each below ``rules/hazards``, named ``PA101-attach-without-check``.

A folder holds ``rule.toml`` (the record), ``pa101.py`` (the check), ``bad.sql``, ``good.sql`` and ``cases.toml``. Id
and slug come from the folder's name, so that no list can drift. Records are read when needed: most scripts break
few rules, and reading fifty records costs more than checking a script.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import msgspec

from partadvisor.lint.context import Context, Hit, ScriptContext
from partadvisor.model.base import Value
from partadvisor.model.ddl import Action
from partadvisor.model.finding import Confidence, Severity
from partadvisor.pg.knowledge import rules_directory

RULE_PAGES = "docs/rules/"
"""Where the generated pages are, below the project's folder."""
_FOLDER = re.compile(r"(PA\d{3})-([a-z0-9]+(?:-[a-z0-9]+)*)")


class Record(Value, frozen=True, kw_only=True):
    """``rule.toml``. Texts in ``message``, ``hint``, ``blocked`` and ``recipe`` are templates with ``{name}`` places.

    ``since`` and ``until`` are majors, both included. ``needs`` "catalog": only with ``--snapshot`` or ``--schema``.
    ``quiet``: for whom the rule is silent, "new" tables of this file, "small" ones, "idle" ones, "small and idle" ones.
    ``work``: what goes on while others wait. ``routines``: also for statements in functions that are only defined.
    """

    title: str
    severity: Severity
    confidence: Confidence
    message: str
    condition: str
    effect: str
    workaround: str
    references: tuple[str, ...]
    blocked: str = ""
    hint: str = ""
    recipe: str = ""
    since: int = 0
    until: int = 999
    needs: Literal["syntax", "catalog"] = "syntax"
    work: Literal["", "scan", "rewrite", "index build", "wait"] = ""
    quiet: tuple[Literal["new", "small", "idle", "small and idle"], ...] = ("new", "small and idle")
    fixable: bool = False
    routines: bool = False
    down: bool = True


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule. ``wants`` are the classes of actions it looks at, empty for every statement."""

    id: str
    slug: str
    folder: Path
    wants: tuple[type[Action], ...]
    check: Callable[[Context], Iterable[Hit]] | None
    check_script: Callable[[ScriptContext], Iterable[Hit]] | None

    @property
    def record(self) -> Record:
        """Its record."""
        return _record(self.folder)

    @property
    def schema(self) -> str:
        """What exists before its examples, as SQL."""
        return example_schema(self.folder)

    def url(self, base: str = RULE_PAGES) -> str:
        """Its page below ``base``."""
        return f"{base}{self.id}-{self.slug}.md"


def example_schema(folder: Path) -> str:
    """What exists before a rule's examples: the shared schema that its ``live.toml`` names, then its ``setup.sql``."""
    live = folder / "live.toml"
    shared = tomllib.loads(live.read_text(encoding="utf-8")).get("setup", "range") if live.is_file() else ""
    files = (rules_directory() / "setups" / f"{shared}.sql", folder / "setup.sql")
    return "\n".join(f.read_text(encoding="utf-8") for f in files if f.is_file())


@functools.cache
def _record(folder: Path) -> Record:
    return msgspec.convert(tomllib.loads((folder / "rule.toml").read_text(encoding="utf-8")), Record)


def _module(path: Path) -> ModuleType:
    """A check's module, loaded by its path; Python keeps its compiled form beside it."""
    spec = importlib.util.spec_from_file_location(f"partadvisor_rule_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _rule(folder: Path) -> Rule | None:
    name = _FOLDER.fullmatch(folder.name)
    path = folder / f"{name[1].lower()}.py" if name else None
    if name is None or path is None or not path.is_file():
        return None
    module: Any = _module(path)
    return Rule(
        name[1],
        name[2],
        folder,
        tuple(getattr(module, "WANTS", ())),
        getattr(module, "check", None),
        getattr(module, "check_script", None),
    )


@functools.cache
def rules() -> dict[str, Rule]:
    """All rules by id, in order."""
    folder = rules_directory() / "hazards"
    found = (_rule(f) for f in sorted(folder.iterdir()) if f.is_dir())
    return {r.id: r for r in found if r is not None}
