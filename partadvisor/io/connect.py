"""Opens connections, and turns what goes wrong on them into errors a DBA can act on.

No password leaves this module: libpq's messages may quote parts of a connection string that it could not
parse, so those are never passed on. A transaction pooler hands the server session to somebody else after
every transaction; nothing here may therefore depend on, or leave behind, session state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import conninfo, errors
from psycopg.adapt import Buffer, Loader

from partadvisor.model.errors import ServerError, UsageError

Connection = psycopg.Connection[tuple[Any, ...]]

_CONNECT_TIMEOUT_S = 10
_SECRET_KEYS = ("password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key")
_FORMS = 'Write it as "postgresql://user@host:5432/database" or "host=… port=… dbname=… user=…".'

# libpq gives no SQLSTATE for a refused connection, only the server's message; what is not listed "could not connect"
_FAILURES: tuple[tuple[str, str, str | None], ...] = (
    (r"password authentication failed|no password supplied|authentication failed", "{server} refused the password",
     "Set PGPASSWORD, use a password file (~/.pgpass), or name another user."),
    (r'database ".*" does not exist', 'database "{database}" does not exist on {server}',
     "List the databases with: psql -l."),
    (r'role ".*" does not exist', 'role "{user}" does not exist on {server}',
     "Name the user in the connection string."),
    (r"no pg_hba\.conf entry", "{server} does not let this host, user and database in",
     "Add a line to pg_hba.conf, or connect with SSL if that is what it asks for."),
    (r"too many clients|remaining connection slots|too many connections", "{server} has no free connection slot",
     "A superuser, or a member of pg_use_reserved_connections (16+), can use the reserved slots."),
    (r"starting up|in recovery mode|shutting down|not accepting connections",
     "{server} is not accepting connections now", "Try again when it has started."),
    (r"could not translate host name|Name or service not known|could not resolve", 'host "{host}" is not known', None),
    (r"Connection refused|No such file or directory|timeout expired|timed out|No route to host|unreachable",
     "{server} is unreachable", "Check host and port, and that the server runs and listens there."),
    (r"permission denied for database", 'role "{user}" may not connect to database "{database}"',
     "GRANT CONNECT ON DATABASE … TO …"),
)  # fmt: skip


class _LenientText(Loader):
    """Text of a SQL_ASCII database: any bytes; what is not UTF-8 is shown as the replacement character."""

    def load(self, data: Buffer) -> str:
        return bytes(data).decode("utf-8", "replace")


def connect(
    dsn: str,
    *,
    application_name: str = "partadvisor/collect",
    read_only: bool = True,
    statement_timeout_ms: int | None = None,
    lock_timeout_ms: int | None = None,
    autocommit: bool = True,
) -> Connection:
    """A new connection without server-side prepared statements, marked with ``application_name``.

    With ``read_only`` every transaction block that psycopg opens on it is READ ONLY. The timeouts become
    session settings, except behind a transaction pooler, where they would reach other clients: there the
    caller must use SET LOCAL (``is_pooled`` tells).

    Raises:
        UsageError: the connection string cannot be understood.
        ServerError: unreachable, refused, or gone at once.
    """
    connection = _open(dsn, application_name, "utf8")
    if connection.info.parameter_status("server_encoding") == "SQL_ASCII":
        connection.close()  # such a database holds any bytes, and refuses to send those that are not UTF-8
        connection = _open(dsn, application_name, "sql_ascii")
        for name in ("text", "name", "varchar", "bpchar"):
            connection.adapters.register_loader(name, _LenientText)
    try:
        with server_errors(connection):
            _prepare(
                connection, read_only, {"statement_timeout": statement_timeout_ms, "lock_timeout": lock_timeout_ms}
            )
            connection.autocommit = autocommit
    except BaseException:
        connection.close()
        raise
    return connection


def _open(dsn: str, application_name: str, client_encoding: str) -> Connection:
    words = _parse(dsn)
    try:
        return psycopg.connect(
            dsn,
            autocommit=True,
            prepare_threshold=None,
            application_name=application_name,
            client_encoding=client_encoding,
            connect_timeout=int(words.get("connect_timeout") or _CONNECT_TIMEOUT_S),
        )
    except psycopg.Error as error:
        raise _connection_failure(words, error) from None


def _prepare(connection: Connection, read_only: bool, timeouts: dict[str, int | None]) -> None:
    connection.read_only = read_only or None
    wanted = {name: ms for name, ms in timeouts.items() if ms is not None}
    if wanted and not is_pooled(connection):
        for name, ms in wanted.items():
            connection.execute("SELECT pg_catalog.set_config(%s, %s, false)", [name, str(ms)])


def is_pooled(connection: Connection) -> bool:
    """Whether something between us and the server answers in its place.

    A pooler sends a made-up process id when a client connects, as it does not know yet which server
    session will serve it; the server itself tells the true one.
    """
    row = connection.execute("SELECT pg_catalog.pg_backend_pid()").fetchone()
    return row is not None and row[0] != connection.info.backend_pid


@contextmanager
def server_errors(connection: Connection) -> Iterator[None]:
    """Maps what psycopg raises inside to our errors: a lost connection, a cancelled or refused statement.

    Raises:
        ServerError: with the server's message as detail.
    """
    try:
        yield
    except psycopg.Error as error:
        raise describe(connection, error) from error


def describe(connection: Connection, error: psycopg.Error) -> ServerError:
    """The error to show for a failed statement or a lost connection."""
    said = _server_message(error)
    if connection.closed or connection.broken:
        return ServerError(
            "the server closed the connection", detail=said, hint="Look at the server's log, then run it again."
        )
    if isinstance(error, errors.QueryCanceled):
        return ServerError("the server cancelled a statement", detail=said)
    return ServerError("the server refused a statement", detail=said)


def redact_dsn(dsn: str) -> str:
    """The connection string in keyword form without any secret, for messages and files.

    Raises:
        UsageError: it cannot be understood.
    """
    words = {key: value for key, value in _parse(dsn).items() if key not in _SECRET_KEYS}
    return conninfo.make_conninfo("", **words)


def _parse(dsn: str) -> dict[str, str]:
    """The words of a connection string, with libpq's environment variables not yet applied."""
    try:
        words = conninfo.conninfo_to_dict(dsn)
    except psycopg.Error:
        # the message quotes the string, and with it perhaps a piece of the password
        raise UsageError("the connection string cannot be understood", hint=_FORMS) from None
    if not re.fullmatch(r"[\d,]*", str(words.get("port") or "")):
        raise UsageError("the connection string cannot be understood", detail="The port is not a number.", hint=_FORMS)
    is_url = "://" in dsn
    if "@" in str(words.get("host") or "") or (is_url and "@" in str(words.get("dbname") or "")):
        raise UsageError(
            'the connection string has an "@" or "/" in the user name or password',
            hint='In a URL they are written as "%40" and "%2F".',
        )
    return {key: str(value) for key, value in words.items() if value is not None}


def _connection_failure(words: dict[str, str], error: psycopg.Error) -> ServerError:
    said = _without_secrets(_server_message(error), words)
    host, port = words.get("host") or words.get("hostaddr") or "", words.get("port") or "5432"
    names = {
        "host": host,
        "server": f'server "{host}", port {port},' if host else f"server at port {port}",
        "database": words.get("dbname") or words.get("user") or "",
        "user": words.get("user") or "",
    }
    for pattern, primary, hint in _FAILURES:
        if re.search(pattern, said, re.IGNORECASE):
            return ServerError(_tidy(primary.format(**names)), detail=said, hint=hint)
    return ServerError(_tidy("could not connect to {server}".format(**names)), detail=said)


def _tidy(primary: str) -> str:
    return primary.removesuffix(",").replace('""', "of that name")


def _server_message(error: psycopg.Error) -> str:
    """The first line a server sent, else all that libpq says, without psycopg's own preamble."""
    if error.diag.message_primary:
        return f"{error.diag.severity_nonlocalized or 'ERROR'}: {error.diag.message_primary}"
    return re.sub(r"^connection (failed|is bad): ", "", str(error).strip()) or type(error).__name__


def _without_secrets(text: str, words: dict[str, str]) -> str:
    for key in _SECRET_KEYS:
        if words.get(key):
            text = text.replace(words[key], "****")
    return text
