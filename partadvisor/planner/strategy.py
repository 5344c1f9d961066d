"""Which strategy carries a table over, and why: the one asked for, or the gentlest that fits."""

from __future__ import annotations

import msgspec

from partadvisor.model.base import Value
from partadvisor.model.catalog import Relation
from partadvisor.model.errors import UsageError
from partadvisor.model.plan import StrategyName
from partadvisor.model.scheme import RangeLevel, Scheme
from partadvisor.model.snapshot import Snapshot
from partadvisor.planner.ahead import ahead_obstacles, held_before
from partadvisor.planner.attach import Held, stay_obstacles
from partadvisor.planner.fit import grows_out, held_by, holding
from partadvisor.planner.obstacles import Obstacle
from partadvisor.planner.partitions import Layout, Partition
from partadvisor.planner.rewrite import size_limit, total_bytes


class Way(Value, frozen=True, kw_only=True):
    """A strategy with its reason. ``layout`` is what it has to make: without ``held``, where the table becomes that.

    ``obstacles`` are those of this strategy alone.
    """

    name: StrategyName
    reason: str
    layout: Layout
    held: Held | None = None
    obstacles: tuple[Obstacle, ...] = ()


def choose(snapshot: Snapshot, relation: Relation, scheme: Scheme, layout: Layout, wanted: str) -> Way:
    """The strategy ``wanted``, or with ``auto`` the one that fits.

    Raises:
        UsageError: the strategy does not fit the scheme or the rows.
    """
    first = scheme.levels[0]
    if isinstance(first, RangeLevel) and first.start is not None:
        return _ahead(relation, first, layout, wanted)
    if wanted == "ahead":
        raise UsageError(
            "strategy ahead needs a scheme that begins beyond the present rows",
            hint="Such as range(id) from now, hash(id) into 8, where id only grows.",
        )
    if wanted == "attach":
        return _asked_to_attach(snapshot, relation, scheme, layout)
    size, limit = total_bytes(relation), size_limit()
    if wanted == "rewrite":
        return Way(name="rewrite", reason=f"it was asked for; the table has {_megabytes(size)}", layout=layout)
    if wanted == "auto" and relation.rows >= 0 and size <= limit:
        reason = f"the table is small ({_megabytes(size)}, at most {_megabytes(limit)}): one transaction does it all"
        return Way(name="rewrite", reason=reason, layout=layout)
    return (wanted == "auto" and _attach_unasked(snapshot, relation, scheme, layout)) or Way(
        name="copy", reason="every row has to move to the partition it belongs to", layout=layout
    )


def _ahead(relation: Relation, first: RangeLevel, layout: Layout, wanted: str) -> Way:
    if wanted not in {"auto", "ahead"}:
        raise UsageError(
            f"an ahead scheme leaves old rows where they are, so strategy {wanted} does not apply",
            hint="Use --strategy ahead.",
        )
    column = first.columns[0]
    return Way(
        name="ahead",
        reason="old rows stay where they are, only new ones are spread",
        layout=layout,
        held=held_before(relation, column, str(first.start)),
        obstacles=tuple(ahead_obstacles(relation, column)),
    )


def _asked_to_attach(snapshot: Snapshot, relation: Relation, scheme: Scheme, layout: Layout) -> Way:
    part = holding(snapshot, relation, scheme, layout)
    if isinstance(part, str):
        raise UsageError(
            f'table "{relation.qualified_name}" cannot become one partition of this scheme',
            detail=f"{part[0].upper()}{part[1:]}.",
            hint="Use --strategy copy.",
        )
    return _attach(relation, scheme, layout, part)


def _attach_unasked(snapshot: Snapshot, relation: Relation, scheme: Scheme, layout: Layout) -> Way | None:
    part = holding(snapshot, relation, scheme, layout)
    if isinstance(part, str) or stay_obstacles(relation) or grows_out(snapshot, relation, scheme, part):
        return None
    return _attach(relation, scheme, layout, part)


def _attach(relation: Relation, scheme: Scheme, layout: Layout, part: Partition) -> Way:
    others = tuple(other for other in layout.parts if other != part)
    return Way(
        name="attach",
        reason=f"all rows belong to one partition, {part.name}, so the table becomes that and nothing is copied",
        layout=msgspec.structs.replace(layout, parts=others),
        held=held_by(relation, scheme, part),
        obstacles=tuple(stay_obstacles(relation)),
    )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
