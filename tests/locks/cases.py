"""The statement forms as data: ``tests/cases/locks/*.toml``."""

import functools
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from tests.majors import VERSIONS

_FOLDER = Path(__file__).parent.parent / "cases" / "locks"
_SURROUNDINGS = {"p": (("default", "sub"), ("default_partitioned",)), "t": (("child",),)}
_OTHERWISE = {"t_partitioned", "default", "default_partitioned"}
SETUPS: dict[str, str] = tomllib.loads((_FOLDER / "setups.toml").read_text())


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One statement on one setup. ``on`` says which relation plays which role in it: ``parent=p partition=t``.

    ``outside``: not in a transaction block. ``refused``: what the server says to it, in part. ``some``: roles of which
    the statement locks only those relations that hold its rows. ``scans_vary``: what it scans depends on more than the
    form; the table then says what it may scan. ``variant``: made from another case, and of no account where refused.
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
    variant: bool = False

    @property
    def anchors(self) -> dict[str, str]:
        """Relation by role, in the order in which roles are given away."""
        return dict(word.split("=", 1) for word in self.on.split())

    def __str__(self) -> str:
        return f"{self.form} [{self.setup or 'base'}] {self.sql}"


@functools.cache
def all_cases() -> tuple[Case, ...]:
    """Every case, by file and place in it."""
    written = (
        msgspec.convert({**row, "topic": path.stem}, Case)
        for path in sorted(_FOLDER.glob("*.toml"))
        if path.stem != "setups"
        for row in tomllib.loads(path.read_text())["cases"]
    )
    return tuple(found for case in written for found in (case, *_variants(case)))


def _variants(case: Case) -> Iterator[Case]:
    """The same amid more relations: a form must hold for them too, as far as the server takes the statement at all."""
    there = set(case.setup.split())
    if case.refused or case.some or there & _OTHERWISE:
        return
    for anchor, surroundings in _SURROUNDINGS.items():
        for more in surroundings:
            if anchor in case.anchors.values() and not there & set(more) and (not case.outside or anchor == "p"):
                yield msgspec.structs.replace(case, setup=" ".join([*more, *case.setup.split()]), variant=True)


def cases_of(major: int) -> list[Case]:
    """Those that exist on a major version."""
    return [case for case in all_cases() if case.since <= major <= case.until]


def setup_text(setup: str, schema: str) -> str:
    """The script that makes what a case finds."""
    names = ["base", *setup.split()]
    return "\n".join(SETUPS[name] for name in names).replace("{schema}", schema)
