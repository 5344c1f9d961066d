"""What a rule claims of its scripts: ``live.toml`` beside ``bad.sql`` and ``good.sql``.

A claim is about other sessions, so it names what they run. ``[probes]`` are statements by name, run (and rolled back)
after each statement of the script while its locks are held; a setup brings its own. The other keys at the top:

``setup``      a shared schema of ``rules/setups`` (with probes), "" for none; ``setup.sql`` of the folder
               runs after it. Each case has a schema of its own to work in, so names are not qualified
``since``, ``until``  majors for which the claims hold
``traffic``    statements that commit between the statements of the script, again and again; ``{n}`` counts them
``open``       statements of transactions that are open when the script starts, each ``{sql, until}``: until "waited"
               (the script waits for a lock), "end", or a number of statements of the script
``meanwhile``  a statement that another session runs over and over, waiting as long as it takes

Every other table is the claim about the script of that name, ``[bad]`` about ``bad.sql``: names starting with "bad"
show the hazard, with "good" the way out. ``Claim`` below says what its keys mean. A good script blocks no probe but the
``brief`` ones, fails and breaks nothing, and keeps what a bad script of the folder ``loses``.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from partadvisor.lint.registry import example_schema
from partadvisor.pg.knowledge import rules_directory

SETUPS = rules_directory() / "setups"
HAZARDS = rules_directory() / "hazards"
LOCK_WAIT = "lock wait"
"""Stands among the relations read for a script that itself waits for a lock meanwhile."""


class Open(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A transaction that runs when the script starts, and when it commits."""

    sql: str
    until: Literal["waited", "end"] | int = "waited"


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a script does to the others."""

    blocks: tuple[str, ...] = ()
    """Probes that have to wait for the script."""
    reading: tuple[str, ...] = ()
    """Relations whose rows the script reads or writes while those probes wait; of a good one: accepted so."""
    fails: str | None = None
    """SQLSTATE that ends the script."""
    interrupts: dict[str, str] = {}
    """Probes that fail in between, and their SQLSTATE."""
    breaks: dict[str, str] = {}
    """Probes that fail afterwards, and their SQLSTATE; also "traffic", which then fails too."""
    loses: tuple[str, ...] = ()
    """Queries that answer something else than without the script."""
    deadlocks: bool = False
    """The script and ``meanwhile`` wait for each other."""
    brief: tuple[str, ...] = ()
    """Of a good script: probes that may wait, but while they do, no table is read or written row by row."""
    keeps: tuple[str, ...] = ()
    """Queries that answer the same as without the script."""
    since: int = 11
    until: int = 99
    open: tuple[Open, ...] | None = None
    """Instead of the one at the top."""
    reviewed: bool = True
    """False: not a script that somebody writes, but what a tool sends in its place."""


class _Top(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    setup: str = "range"
    since: int = 11
    until: int = 99
    probes: dict[str, str] = {}
    traffic: tuple[str, ...] = ()
    open: tuple[Open, ...] = ()
    meanwhile: str | None = None


@dataclass(frozen=True, kw_only=True)
class Case:
    """One script, the world it runs in, and what is claimed of it."""

    rule: str
    name: str
    script: str
    setup: str
    probes: dict[str, str]
    traffic: tuple[str, ...]
    open: tuple[Open, ...]
    meanwhile: str | None
    claim: Claim
    since: int
    until: int

    @property
    def bad(self) -> bool:
        """Whether the script shows the hazard."""
        return self.name.startswith("bad")


def cases() -> list[Case]:
    """The cases of all rules, in the order of their ids."""
    return [case for file in sorted(HAZARDS.glob("*/live.toml")) for case in _cases(file)]


def _read(file: Path) -> tuple[_Top, dict[str, Claim]]:
    content = tomllib.loads(file.read_text())
    top_keys = {f.name for f in msgspec.structs.fields(_Top)}
    top = msgspec.convert({k: v for k, v in content.items() if k in top_keys}, _Top)
    return top, msgspec.convert({k: v for k, v in content.items() if k not in top_keys}, dict[str, Claim])


def _cases(file: Path) -> list[Case]:
    top, claims = _read(file)
    lost = tuple(dict.fromkeys(q for claim in claims.values() for q in claim.loses))
    return [_case(file.parent, name, top, claim, lost) for name, claim in claims.items()]


def _case(folder: Path, name: str, top: _Top, claim: Claim, lost: tuple[str, ...]) -> Case:
    if name.startswith("good"):  # what a bad script loses, a good one keeps
        claim = msgspec.structs.replace(claim, keeps=(*claim.keeps, *lost))
    return Case(
        rule=folder.name.split("-")[0],
        name=name,
        script=(folder / f"{name}.sql").read_text(),
        setup=example_schema(folder),
        probes={**_shared_probes(top.setup), **top.probes},
        traffic=top.traffic,
        open=top.open if claim.open is None else claim.open,
        meanwhile=top.meanwhile,
        claim=claim,
        since=max(top.since, claim.since),
        until=min(top.until, claim.until),
    )


def _shared_probes(setup: str) -> dict[str, Any]:
    file = SETUPS / f"{setup}.toml"
    return tomllib.loads(file.read_text()) if file.exists() else {}
