"""Whole migrations with what a reviewer must say of each: ``tests/cases/migrations/labels.toml``."""

from __future__ import annotations

import functools
import re
import subprocess
import tomllib
from dataclasses import replace
from pathlib import Path

import msgspec

from partadvisor.io.binaries import find_binaries
from partadvisor.lint.scope import Tables
from partadvisor.model.base import Value

FOLDER = Path(__file__).parent.parent / "cases" / "migrations"
SCHEMAS = ("events", "iot", "saas", "shop")
ROLES = ("saas_admin", "saas_app", "shop_app", "shop_report")
_UP = re.compile(
    r"^-- (?:\+goose Up|migrate:up.*)\n(.*?)(?=^-- (?:\+goose Down|migrate:down)|\Z)", re.MULTILINE | re.DOTALL
)
_NO_TRANSACTION = re.compile(r"\+goose NO TRANSACTION|migrate:up transaction:false")
_SQLSTATE = re.compile(r"ERROR:\s+(?P<state>[0-9A-Z]{5})")


class Label(Value, frozen=True, kw_only=True):
    """``schema`` is loaded first; ``findings`` are pairs of rule and line of the statement, errors and warnings alike.

    ``sqlstate`` is how the server itself ends the script, on the embedded version or on ``target``.
    """

    schema: str
    safe: bool
    knows: str = "nothing"
    target: int | None = None
    sqlstate: str | None = None
    findings: tuple[tuple[str, int], ...] = ()


@functools.cache
def labels() -> dict[str, Label]:
    """By path below the folder."""
    return msgspec.convert(tomllib.loads((FOLDER / "labels.toml").read_text()), dict[str, Label])


def deployed(name: str) -> tuple[str, bool]:
    """What the migration's tool sends to the server, and whether it does so in a transaction of its own."""
    text = (FOLDER / name).read_text()
    tool = name.partition("/")[0]
    if tool in ("goose", "dbmate"):
        up = _UP.search(text)
        assert up, f"{name} has no part for the way up"
        return up[1], not _NO_TRANSACTION.search(text)
    # Flyway leaves out the transaction by itself when a script holds nothing that may run in one
    return text, tool == "flyway" and not re.match(r"(?i)\s*create index concurrently", text)


def psql(dsn: str, script: str, *, one_transaction: bool = False) -> str | None:
    """Runs a script as its user would; the state of the first error, None when it ends well."""
    command = [str(find_binaries().program("psql")), "-XqAt", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=sqlstate"]
    done = subprocess.run(
        [*command, *(["-1"] if one_transaction else []), "-d", dsn, "-f", "-"],
        input=script,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return None
    error = _SQLSTATE.search(done.stderr)
    assert error, done.stderr
    return error["state"]


def sizes(tables: Tables, schema: str) -> Tables:
    """The same tables with the sizes and traffic that ``schemas/SCHEMA.toml`` tells of them."""
    told = tomllib.loads((FOLDER / "schemas" / f"{schema}.toml").read_text())
    changed = {name: replace(tables.base[name], **values) for name, values in told.items()}
    return Tables({**tables.base, **changed}, complete=True)
