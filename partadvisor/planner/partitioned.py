"""A table that is partitioned already as a migration's source: its partitions, and what they may not have.

The new table takes from the parent what a table has once, and from the partitions what only they can have, such as
storage parameters, which therefore have to be the same in all. What a partition has for itself does not come along.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from partadvisor.model.catalog import Index, Relation
from partadvisor.model.scheme import Scheme
from partadvisor.model.snapshot import Snapshot
from partadvisor.pg import versions
from partadvisor.pg.quote import fit_identifier
from partadvisor.planner.definitions import index_body
from partadvisor.planner.names import OldPartition
from partadvisor.planner.obstacles import Obstacle, outbound
from partadvisor.planner.partitions import Layout, layout_of

_SHARED = ("options", "toast_options", "tablespace", "access_method", "replica_identity")
_GENERATIONS = 100


def partitions_of(relations: Iterable[Relation], relation: Relation) -> tuple[Relation, ...]:
    """Everything below ``relation``, parents first; empty for an ordinary table."""
    children: dict[str, list[Relation]] = {}
    for other in relations:
        if other.parent:
            children.setdefault(other.parent, []).append(other)
    found: list[Relation] = []
    waiting = [relation]
    while waiting:
        below = sorted(children.get(waiting.pop(0).qualified_name, []), key=lambda r: r.name)
        found += below
        waiting += below
    return tuple(found)


def old_partitions(partitions: tuple[Relation, ...]) -> tuple[OldPartition, ...]:
    """Their names."""
    return tuple(OldPartition(schema=p.schema, name=p.name, leaf=p.kind == "table") for p in partitions)


def as_one_table(relation: Relation, partitions: tuple[Relation, ...]) -> Relation:
    """The parent with the sizes of all partitions and with what only leaves have."""
    leaves = [p for p in partitions if p.kind == "table"]
    if not leaves:
        return relation
    first = leaves[0]
    return msgspec.structs.replace(
        relation,
        rows=sum(leaf.rows for leaf in leaves) if all(leaf.rows >= 0 for leaf in leaves) else relation.rows,
        heap_bytes=sum(leaf.heap_bytes for leaf in leaves),
        index_bytes=sum(leaf.index_bytes for leaf in leaves),
        toast_bytes=sum(leaf.toast_bytes for leaf in leaves),
        **{name: getattr(first, name) for name in _SHARED},
    )


def layout_beside(snapshot: Snapshot, scheme: Scheme, relation: Relation) -> Layout:
    """The scheme's partitions, under names that those there now leave free: ``t_p0``, or else ``t_g2_p0`` and so on."""
    layout = layout_of(scheme, relation)
    if relation.kind != "partitioned_table":
        return layout
    taken = {r.name for r in snapshot.relations if r.schema == relation.schema}
    for generation in range(2, _GENERATIONS):
        if not any(part.name in taken for part in layout.tree):
            break
        layout = layout_of(scheme, relation, fit_identifier(relation.name, f"_g{generation}"))
    return layout


def partition_obstacles(relation: Relation, partitions: tuple[Relation, ...], major: int) -> list[Obstacle]:
    """What in a partitioned table cannot come along."""
    found = [obstacle for part in partitions for obstacle in _of_partition(relation, part)]
    leaves = [p for p in partitions if p.kind == "table"]
    for name in _SHARED:
        if len({getattr(leaf, name) for leaf in leaves}) > 1:
            what = name.replace("options", "storage parameters").replace("_", " ")
            found.append(_no(f"its partitions have different {what}", "Make them the same in all partitions"))
    if len({p.name for p in partitions} | {relation.name}) <= len(partitions):
        found.append(_no("two of its partitions have the same name, in different schemas", "Rename one"))
    own = [c.name for c in outbound(relation) if c.references == relation.qualified_name]
    if partitions and own and not versions.has("not_valid_foreign_key", major):
        found.append(_no(f'foreign key "{own[0]}" references the table itself', "Drop it for the conversion"))
    return found


def _no(reason: str, remedy: str) -> Obstacle:
    return Obstacle(reason=reason, remedy=remedy)


def _of_partition(relation: Relation, part: Relation) -> Iterator[Obstacle]:
    name = part.qualified_name
    if part.kind not in {"table", "partitioned_table"}:
        yield _no(f'partition "{name}" is a {part.kind.replace("_", " ")}', "Detach it first")
    if part.detach_pending:
        yield _no(f'partition "{name}" is being detached', "ALTER TABLE … DETACH PARTITION … FINALIZE first")
    for what in _own_things(relation, part):
        yield _no(f'partition "{name}" has {what} of its own, which would not come along', "Drop it, or detach it")


def _own_things(relation: Relation, part: Relation) -> Iterator[str]:
    yield from (f'index "{index.name}"' for index in _own_indexes(relation, part))
    yield from (f'constraint "{c.name}"' for c in part.constraints if not (c.inherited or c.kind == "trigger"))
    yield from (f'trigger "{t.name}"' for t in part.triggers if not t.inherited)
    yield from (f'policy "{p.name}"' for p in part.policies)
    yield from (f'foreign key "{c.name}" of "{c.table}" to it' for c in part.referenced_by if not c.inherited)
    yield from (f'{d.kind.replace("_", " ")} "{d.name}"' for d in part.dependents if d.kind != "sequence")
    yield from (f'statistics "{s.name}"' for s in part.extended_statistics)
    published = {p.name for p in relation.publications}
    yield from (f'publication "{p.name}"' for p in part.publications if p.name not in published)


def _own_indexes(relation: Relation, part: Relation) -> list[Index]:
    """Those that say something none of the parent's says."""
    shared = {(index.unique, index_body(index)) for index in relation.indexes}
    return [index for index in part.indexes if (index.unique, index_body(index)) not in shared]


def partition_warnings(relation: Relation, partitions: tuple[Relation, ...]) -> list[str]:
    """What is lost with the partitions, but can be done without."""
    if not partitions:
        return []
    gone = "from the swap on, the old partitions have left their schema, so that clients fail that name one"
    warnings = [gone + " instead of writing to a table that nobody reads"]
    granted = [p.name for p in partitions if p.grants]
    commented = [p.name for p in partitions if p.comment]
    defaults = [p.name for p in partitions if any(_default_of(relation, c.name) != c.default for c in p.columns)]
    for what, names in (("privileges", granted), ("comments", commented), ("column defaults", defaults)):
        if names:
            warnings.append(f"{what} of partitions do not come along ({_some(names)}); those of the table do")
    return warnings


def _default_of(relation: Relation, name: str) -> str | None:
    column = relation.column(name)
    return column.default if column else None


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
