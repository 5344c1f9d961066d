"""Keeps a password given in a DSN out of the process list.

Arguments are visible to every user of the machine for as long as the command runs. When one of them is a DSN with a
password, the program starts itself again with the password in ``PGPASSWORD`` (readable only by the same user) and a
DSN without it. libpq treats both alike.
"""

from __future__ import annotations

import os
import re
import sys
from urllib.parse import unquote

_URL = re.compile(r"^(?P<head>postgres(?:ql)?://[^/?#@]*?):(?P<password>[^@/?#]*)@")
_URL_OPTION = re.compile(r"(?P<head>[?&])password=(?P<password>[^&]*)(?P<tail>&|$)")
_KEYWORD = re.compile(r"(?:^|\s)password\s*=\s*(?P<password>'(?:[^'\\]|\\.)*'|\S*)")


def split_password(dsn: str) -> tuple[str, str | None]:
    """A DSN without its password, and the password (None when it has none)."""
    if re.match(r"^postgres(?:ql)?://", dsn):
        return _split_url(dsn)
    if (found := _KEYWORD.search(dsn)) and re.search(r"(?:^|\s)(?:host|dbname|user|port|service)\s*=", dsn):
        raw = found["password"]
        value = re.sub(r"\\(.)", r"\1", raw[1:-1] if raw.startswith("'") else raw)
        return (dsn[: found.start()] + dsn[found.end() :]).strip(), value
    return dsn, None


def _split_url(dsn: str) -> tuple[str, str | None]:
    if found := _URL.match(dsn):
        return f"{found['head']}@{dsn[found.end() :]}", unquote(found["password"])
    if found := _URL_OPTION.search(dsn):
        kept = found["head"] if found["tail"] == "&" else ""
        return dsn[: found.start()] + kept + dsn[found.end() :], unquote(found["password"])
    return dsn, None


def hide_passwords(arguments: list[str]) -> None:
    """Start the program again without a password in its arguments, if there is one."""
    cleaned = [split_password(argument) for argument in arguments]
    passwords = [password for _dsn, password in cleaned if password]
    if not passwords:
        return
    os.environ["PGPASSWORD"] = passwords[0]
    arguments_without = [dsn for dsn, _password in cleaned]
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "partadvisor", *arguments_without])  # noqa: S606 - ourselves
