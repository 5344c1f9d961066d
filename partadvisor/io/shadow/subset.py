"""Which relations a shadow of one table needs: those its queries name, and what hangs together with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from partadvisor.model.catalog import Relation


def needed(relations: Sequence[Relation], names: Iterable[str]) -> tuple[Relation, ...]:
    """The relations of those names, with the base tables of views and with whole partition and inheritance trees."""
    by_name = {r.qualified_name: r for r in relations}
    children: dict[str, list[str]] = {}
    bases: dict[str, list[str]] = {}
    for one in relations:
        for parent in (one.parent, *one.inheritance_parents):
            if parent is not None:
                children.setdefault(parent, []).append(one.qualified_name)
        for dependent in one.dependents:
            bases.setdefault(dependent.name, []).append(one.qualified_name)
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        relation = by_name.get(name)
        waiting += bases.get(name, [])
        if relation is None:
            continue
        found.add(name)
        waiting += children.get(name, [])
        waiting += [p for p in (relation.parent, *relation.inheritance_parents) if p is not None]
    return tuple(r for r in relations if r.qualified_name in found)
