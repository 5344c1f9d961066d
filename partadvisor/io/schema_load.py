"""Runs a schema script on a scratch server, statement by statement, and says which statements it could not run.

A schema in a repository seldom comes with the roles, schemas and extensions of its server. What is only a name
(roles, schemas) is made up; the rest is left out and listed, so that one missing extension does not cost the
whole analysis. Transaction control is left out too: one failed statement must not undo the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import psycopg
from psycopg import errors

from partadvisor.io.connect import Connection
from partadvisor.pg.quote import quote_ident
from partadvisor.sql.split import Script, Statement, split

_MADE_UP = re.compile(r'^(role|schema) "(?P<name>.+)" does not exist$')
_MAX_MADE_UP = 100
_TRANSACTION = re.compile(
    r"(?i)^(begin|start\s+transaction|commit|end|rollback|abort|savepoint|release)\b(?!\s+atomic)"
)
_SET_LOCAL = re.compile(r"(?i)^set\s+local\b")
_ELSEWHERE = re.compile(r"(?i)^(create|drop|alter)\s+(database|tablespace|subscription)\b")
_COPY = re.compile(r"(?i)^copy\b")
_COPY_STDIN = re.compile(r"(?i)\bfrom\s+stdin\b")
_INCLUDES = re.compile(r"^\\(i|ir|include|include_relative|copy|gexec)\b")


@dataclass
class Loaded:
    """What became of a script.

    ``problems`` are lines ``file:line: statement: message``; ``made_up`` are roles and schemas that the script takes
    for granted.
    """

    problems: list[str] = field(default_factory=list)
    made_up: list[str] = field(default_factory=list)


def load_schema(connection: Connection, name: str, text: str) -> Loaded:
    """Runs the script ``text`` of file ``name`` on an autocommit connection of a superuser.

    Raises:
        psycopg.OperationalError: the server is gone.
    """
    loaded = Loaded()
    script = split(text)
    data = _copy_data(script)
    problems = [
        (skipped.line, skipped.text, "psql would read more from elsewhere")
        for skipped in script.skipped
        if skipped.kind == "psql command" and _INCLUDES.match(skipped.text)
    ]
    for statement in script.statements:
        reason = _skip_reason(statement.text)
        if reason == "":
            continue
        problem = reason or _run(connection, statement, next(data, "") if _is_copy_in(statement) else None, loaded)
        if problem:
            problems.append((statement.line, statement.text, problem))
    loaded.problems = [f"{name}:{line}: {_shown(text)}: {problem}" for line, text, problem in sorted(problems)]
    return loaded


def _copy_data(script: Script) -> Iterator[str]:
    """Each COPY … FROM stdin has its data, in the same order."""
    return (skipped.text for skipped in script.skipped if skipped.kind == "COPY data")


def _is_copy_in(statement: Statement) -> bool:
    return bool(_COPY.match(statement.text) and _COPY_STDIN.search(statement.text))


def _skip_reason(text: str) -> str | None:
    """Why a statement is not run: empty when that needs no telling, None when it is run."""
    if _TRANSACTION.match(text):
        return ""
    if found := _ELSEWHERE.match(text):
        return f"a {found[2].lower()} is not part of a schema"
    if _COPY.match(text) and not _COPY_STDIN.search(text):
        return "reads or writes outside the database"
    return None


def _run(connection: Connection, statement: Statement, data: str | None, loaded: Loaded) -> str | None:
    """The server's message if the statement fails; missing roles and schemas are made and it is run again."""
    text = _SET_LOCAL.sub("SET", statement.text)
    while True:
        try:
            _execute(connection, text, data)
        except psycopg.Error as error:
            if connection.closed or connection.broken:
                raise
            message = error.diag.message_primary or str(error)
            if not _make_up(connection, error, loaded):
                return message
        else:
            return None


def _execute(connection: Connection, text: str, data: str | None) -> None:
    if data is None:
        connection.execute(text.encode())
        return
    with connection.cursor() as cursor, cursor.copy(text.encode()) as copy:
        copy.write(data)


def _make_up(connection: Connection, error: psycopg.Error, loaded: Loaded) -> bool:
    """Makes the role or schema that an error says is missing; False when that is not what is missing."""
    found = _MADE_UP.match(error.diag.message_primary or "")
    known = isinstance(error, errors.UndefinedObject | errors.InvalidSchemaName)
    if not found or not known or len(loaded.made_up) >= _MAX_MADE_UP:
        return False
    kind, name = found[1], found["name"]
    connection.execute(f"CREATE {kind.upper()} {quote_ident(name)}".encode())
    loaded.made_up.append(f"{kind} {name}")
    return True


def _shown(text: str, width: int = 60) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"
