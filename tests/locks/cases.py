"""The statement forms as data: ``tests/cases/locks/*.toml``."""

import functools
import tomllib
from pathlib import Path

import msgspec

from tests.majors import VERSIONS

_FOLDER = Path(__file__).parent.parent / "cases" / "locks"
SETUPS: dict[str, str] = tomllib.loads((_FOLDER / "setups.toml").read_text())


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One statement on one setup. ``on`` says which relation plays which role in it: ``parent=p partition=t``.

    ``outside``: not in a transaction block. ``refused``: what the server says to it, in part. ``some``: roles of which
    the statement locks only those relations that hold its rows. ``scans_vary``: what it scans depends on more than the
    form; the table then says what it may scan.
    """

    form: str
    sql: str
    on: str
    setup: str = ""
    since: int = min(VERSIONS)
    until: int = max(VERSIONS)
    outside: bool = False
    refused: str = ""
    some: str = ""
    scans_vary: bool = False
    topic: str = ""

    @property
    def anchors(self) -> dict[str, str]:
        """Relation by role, in the order in which roles are given away."""
        return dict(word.split("=", 1) for word in self.on.split())

    def __str__(self) -> str:
        return f"{self.form} [{self.setup or 'base'}] {self.sql}"


@functools.cache
def all_cases() -> tuple[Case, ...]:
    """Every case, by file and place in it."""
    return tuple(
        msgspec.convert({**row, "topic": path.stem}, Case)
        for path in sorted(_FOLDER.glob("*.toml"))
        if path.stem != "setups"
        for row in tomllib.loads(path.read_text())["cases"]
    )


def cases_of(major: int) -> list[Case]:
    """Those that exist on a major version."""
    return [case for case in all_cases() if case.since <= major <= case.until]


def setup_text(setup: str, schema: str) -> str:
    """The script that makes what a case finds."""
    names = ["base", *setup.split()]
    return "\n".join(SETUPS[name] for name in names).replace("{schema}", schema)
