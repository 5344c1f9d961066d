"""From the OID of any relation to the table it stores data for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from partadvisor.io.collect.session import Session
from partadvisor.model.base import Value


class Owner(Value, frozen=True, kw_only=True):
    """A relation's name, and the table that it is the heap, an index or the TOAST of."""

    relation: str
    table: str
    via: Literal["heap", "index", "toast"]

    @classmethod
    def unknown(cls, oid: int) -> Owner:
        """A relation that is gone."""
        return cls(relation=f"oid {oid}", table=f"oid {oid}", via="heap")


def owners(session: Session, oids: Iterable[int] | None) -> dict[int, Owner]:
    """Owners of these relations, or of all relations of the database when None; runs its own transaction."""
    wanted = sorted(set(oids or ()))
    if oids is not None and not wanted:
        return {}
    with session.transaction():
        rows = session.rows("owner_of_oids", {"oids": wanted, "all": oids is None})
    return {r["oid"]: Owner(relation=r["relation"], table=r["table"], via=r["via"]) for r in rows}
