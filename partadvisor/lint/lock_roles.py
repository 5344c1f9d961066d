"""The role a relation plays in a statement: how it hangs together with the relations that the statement names.

A role is a path from a named relation: ``parent/default partition`` is the default partition of what the statement
treats as parent. Each relation has one role, by the shortest path; of equally short ones that of the first named
relation, and the edge listed first. The lock tables in ``rules/locks/`` are measured, and looked up, by these paths.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

EDGES = (
    "default partition", "partitioned default partition", "partition", "partitioned partition", "parent", "index",
    "partitioned index", "toast", "sequence", "referenced", "referencing", "view", "child", "inherited", "base",
    "table", "partition index", "partitioned partition index", "parent index",
)  # fmt: skip
"""What a relation may be to another, in the order in which a role is chosen."""
_LONGEST = 4
_PARTITIONS = {
    "partition": "subpartition",
    "default partition": "subpartition",
    "partitioned partition": "partitioned subpartition",
    "partitioned default partition": "partitioned subpartition",
}
_CROWDS = ("partition", "partitioned partition", "referencing")

Neighbours = Callable[[str], Mapping[str, Sequence[str]]]
"""From a relation to those it is connected to, by edge."""


def roles(
    anchors: Mapping[str, Iterable[str]],
    neighbours: Neighbours,
    without_crowds: Neighbours | None = None,
    wanted: Iterable[str] = (),
) -> dict[str, str]:
    """Role by relation, the named ones first.

    ``anchors`` are the relations that the statement names, by the part they play in it. ``without_crowds`` is
    asked where no role of ``wanted`` is that of a partition or a referencing table: a thousand of them are not walked
    for the sake of the one they have in common.
    """
    found: dict[str, str] = {}
    for role, names in anchors.items():
        for name in names:
            found.setdefault(name, role)
    spread = _spread(wanted)
    leading = frozenset(name[:at] for name in wanted for at, c in enumerate(name) if c == "/")
    edge = list(found)
    for _ in range(_LONGEST):
        edge = _further(edge, found, lambda name: _near(name, found[name], neighbours, without_crowds, spread, leading))
    return found


def _spread(wanted: Iterable[str]) -> frozenset[str]:
    """The roles whose partitions, other than the default one, or referencing tables play a role of ``wanted``."""
    parts = [name.split("/") for name in wanted]
    return frozenset("/".join(p[:n]) for p in parts for n in range(1, len(p)) if p[n] in _CROWDS)


def _near(
    name: str,
    role: str,
    neighbours: Neighbours,
    without_crowds: Neighbours | None,
    spread: frozenset[str],
    leading: frozenset[str],
) -> Mapping[str, Sequence[str]]:
    """A named relation, and its kin, are asked for their crowds if these matter; one of a crowd only if its kin do."""
    if without_crowds is None:
        return neighbours(name)
    first, _, last = role.partition("/")
    if first and last in ("partition", "referencing") and role not in leading:
        return {}
    if role in spread or "partition" in role.partition("/")[2]:
        return neighbours(name)
    return without_crowds(name)


def _further(names: list[str], found: dict[str, str], near: Neighbours) -> list[str]:
    """Gives roles to what is one step away from ``names``, and returns it."""
    reached = []
    for name in names:
        connected = near(name)
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


def stand_in(role: str, known: Collection[str]) -> str:
    """The role itself, or the one of ``known`` that stands for it: a partition for one of another kind or depth."""
    if role in known or "partition" not in role:
        return role
    plain = ["partition" if part.endswith("partition") else part for part in role.split("/")]
    once = "/".join(part for n, part in enumerate(plain) if not (n > 1 and part == plain[n - 1] == "partition"))
    return once if once in known else role


def in_words(role: str) -> str:
    """A role as it is shown: ``index of partition``, ``default partition``.

    The first of the path is left out where the rest says it all: a partition is one of the table the statement names.
    """
    first, *rest = role.split("/")
    if rest and first in ("target", "parent", "source"):
        first, *rest = rest
    words = ("TOAST table" if part == "toast" else part.replace("_", " ") for part in (*reversed(rest), first))
    return " of ".join(words)
