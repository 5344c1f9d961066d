"""The role a relation plays in a statement: how it hangs together with the relations that the statement names.

A role is a path from a named relation: ``parent/default partition`` is the default partition of what the statement
treats as parent. Each relation has one role, by the shortest path; of equally short ones that of the first named
relation, and the edge listed first. The lock tables in ``rules/locks/`` are measured, and looked up, by these paths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

EDGES = (
    "default partition", "partition", "partitioned partition", "parent", "index", "partitioned index", "toast",
    "sequence", "referenced", "referencing", "view", "child", "inherited", "base", "table", "partition index",
    "parent index",
)  # fmt: skip
"""What a relation may be to another, in the order in which a role is chosen."""
_LONGEST = 4
_PARTITIONS = {
    "partition": "subpartition",
    "default partition": "subpartition",
    "partitioned partition": "partitioned subpartition",
}

Neighbours = Callable[[str], Mapping[str, Sequence[str]]]
"""From a relation to those it is connected to, by edge."""


def roles(anchors: Mapping[str, Iterable[str]], neighbours: Neighbours) -> dict[str, str]:
    """Role by relation, the named ones first.

    ``anchors`` are the relations that the statement names, by the part they play in it.
    """
    found: dict[str, str] = {}
    for role, names in anchors.items():
        for name in names:
            found.setdefault(name, role)
    edge = list(found)
    for _ in range(_LONGEST):
        edge = _further(edge, found, neighbours)
    return found


def _further(names: list[str], found: dict[str, str], neighbours: Neighbours) -> list[str]:
    """Gives roles to what is one step away from ``names``, and returns it."""
    reached = []
    for name in names:
        connected = neighbours(name)
        for edge in EDGES:
            for other in connected.get(edge, ()):
                if other not in found:
                    found[other] = step(found[name], edge)
                    reached.append(other)
    return reached


def step(role: str, edge: str) -> str:
    """The role one edge further; partitions of partitions are ``subpartition`` at any depth."""
    head, _, last = role.rpartition("/")
    if edge in _PARTITIONS and head and (last in _PARTITIONS.values() or last == "partitioned partition"):
        return f"{head}/{_PARTITIONS[edge]}"
    return f"{role}/{edge}"


def in_words(role: str) -> str:
    """A role as it is shown: ``index of partition``, ``default partition``.

    The first of the path is left out where the rest says it all: a partition is one of the table the statement names.
    """
    first, *rest = role.split("/")
    if rest and first in ("target", "parent", "source"):
        first, *rest = rest
    words = ("TOAST table" if part == "toast" else part.replace("_", " ") for part in (*reversed(rest), first))
    return " of ".join(words)
