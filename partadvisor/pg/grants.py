"""Access control lists, as the catalog prints them, to GRANT statements."""

from __future__ import annotations

import re

from partadvisor.model.base import Value
from partadvisor.model.errors import UsageError
from partadvisor.pg.quote import quote_ident

_PRIVILEGES = {
    "r": "SELECT", "a": "INSERT", "w": "UPDATE", "d": "DELETE", "D": "TRUNCATE", "x": "REFERENCES",
    "t": "TRIGGER", "m": "MAINTAIN", "U": "USAGE",
}  # fmt: skip
_NAME = r'(?:"(?:[^"]|"")*"|[^"=/]*)'
_ITEM = re.compile(rf"(?P<grantee>{_NAME})=(?P<flags>[a-zA-Z*]*)/(?P<grantor>{_NAME})")


class AclItem(Value, frozen=True, kw_only=True):
    """One entry: ``grantee`` is ``""`` for PUBLIC; privileges with and without the grant option."""

    grantee: str
    grantor: str
    privileges: tuple[str, ...]
    grantable: tuple[str, ...]


def parse_acl_item(text: str) -> AclItem:
    """``app=arw*/owner`` taken apart.

    Raises:
        UsageError: it has another form.
    """
    found = _ITEM.fullmatch(text)
    if not found:
        raise UsageError(f"a privilege of the snapshot cannot be understood: {text}")
    flags = re.findall(r"([a-zA-Z])(\*?)", found["flags"])
    return AclItem(
        grantee=_plain(found["grantee"]),
        grantor=_plain(found["grantor"]),
        privileges=tuple(_PRIVILEGES[letter] for letter, star in flags if not star),
        grantable=tuple(_PRIVILEGES[letter] for letter, star in flags if star),
    )


def _plain(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def grant_statements(items: tuple[str, ...], target: str, owner: str, column: str | None = None) -> list[str]:
    """Statements that give ``target`` (quoted, with TABLE or SEQUENCE in front) the privileges of ``items``.

    Empty ``items`` mean the built-in default: the owner alone.
    """
    found = [parse_acl_item(item) for item in items]
    statements = []
    if column is None and found:
        statements.append(f"REVOKE ALL ON {target} FROM {quote_ident(owner)}")
    for item in found:
        role = quote_ident(item.grantee) if item.grantee else "PUBLIC"
        for privileges, suffix in ((item.privileges, ""), (item.grantable, " WITH GRANT OPTION")):
            if privileges:
                words = ", ".join(f"{p} ({quote_ident(column)})" if column else p for p in privileges)
                statements.append(f"GRANT {words} ON {target} TO {role}{suffix}")
    return statements
