"""Which types have a partition hash that can be computed away from the server, and why the others do not.

Kept apart from the arithmetic so that feasibility questions do not load numpy.
"""

from __future__ import annotations

import functools
import re

from partadvisor.model.errors import PartadvisorError


class UnroutableType(PartadvisorError):
    """The type has no hash operator class, or its hash cannot be known outside its server."""


class InvalidKeyValue(PartadvisorError):
    """A value is not text output of the type it is said to have."""


# What format_type prints, where it differs from pg_type.typname.
_TYPNAMES = {
    "smallint": "int2",
    "integer": "int4",
    "int": "int4",
    "bigint": "int8",
    "real": "float4",
    "double precision": "float8",
    "decimal": "numeric",
    "boolean": "bool",
    "character varying": "varchar",
    "character": "bpchar",
    '"char"': "char",
    "timestamp without time zone": "timestamp",
    "timestamp with time zone": "timestamptz",
    "time without time zone": "time",
    "time with time zone": "timetz",
}

COLLATED = {"text", "varchar", "bpchar"}

ROUTABLE = COLLATED | {
    *("int2", "int4", "int8", "oid", "xid", "cid", "xid8", "pg_lsn", "tid", "oidvector"),
    *("bool", "char", "name", "bytea", "uuid", "inet", "cidr", "macaddr", "macaddr8"),
    *("numeric", "float4", "float8"),
    *("date", "time", "timetz", "timestamp", "timestamptz", "interval"),
}

_NO_HASH_CLASS = {
    *("json", "jsonpath", "xml", "money", "bit", "varbit", "bit varying", "tsvector", "tsquery"),
    *("point", "line", "lseg", "box", "path", "polygon", "circle", "pg_snapshot", "txid_snapshot"),
}

_NOT_REPRODUCED = {"jsonb", "record", "aclitem", "citext", "hstore"}

_MODIFIER = re.compile(r"\(\s*-?\d+\s*(?:,\s*-?\d+\s*)?\)")


@functools.cache
def base_name(type_name: str) -> str:
    """The ``pg_type.typname`` of a type as ``format_type`` or ``typname`` prints it, without modifiers.

    ``numeric(10,2)`` gives ``numeric``, ``character(3)`` gives ``bpchar``. A bare ``char`` is the one-byte ``"char"``,
    as in ``typname``; ``char(n)`` is ``bpchar``. Names that are not built in come back as they are.
    """
    bare, modified = _MODIFIER.subn(" ", type_name)
    name = " ".join(bare.split()).removeprefix("pg_catalog.")
    if '"' not in name:
        name = name.lower()
    if name == "char" and modified:
        return "bpchar"
    if name.startswith("interval "):  # "interval day to second": the fields only restrict the input
        return "interval"
    return _TYPNAMES.get(name, name)


def is_hashable(type_name: str, *, deterministic: bool = True) -> bool:
    """Whether the partition hash of this type's values can be computed here.

    ``deterministic`` is false for a column whose collation is not deterministic.
    """
    return _obstacle(base_name(type_name), deterministic) is None


def check_hashable(type_name: str, *, deterministic: bool = True) -> str:
    """The base name of a routable type.

    Raises:
        UnroutableType: with the reason as detail.
    """
    name = base_name(type_name)
    obstacle = _obstacle(name, deterministic)
    if obstacle is not None:
        raise UnroutableType(f"cannot compute the hash partition of values of type {type_name}", detail=obstacle)
    return name


def _obstacle(name: str, deterministic: bool) -> str | None:
    """Why values of this base type cannot be routed, in a sentence; None when they can."""
    if name in COLLATED and not deterministic:
        return "Under a nondeterministic collation the server hashes the sort key of its own ICU library."
    if name in ROUTABLE:
        return None
    if name in _NO_HASH_CLASS:
        return "The type has no default hash operator class, so it cannot be a hash partition key."
    if name.endswith("[]") or name.startswith("_"):
        return "Hashes of arrays are not computed outside the server."
    if name in _NOT_REPRODUCED or name.endswith(("range", "multirange")):
        return "Hashes of this type are not computed outside the server."
    return (
        "Not a built-in type with a known hash: an enum hashes the label's OID, which differs from server to server, "
        "and other user-defined types hash as their own code decides. A domain routes as its base type."
    )
