"""Strategy *ahead*: the table becomes the partition below a bound, and only rows from the bound on are spread.

It is *attach* with a partition that the scheme makes for it, beyond whatever is in the table.
"""

from __future__ import annotations

from partadvisor.model.catalog import Relation
from partadvisor.pg.quote import fit_identifier, quote_ident, quote_literal
from partadvisor.planner.attach import Held, stay_obstacles
from partadvisor.planner.obstacles import Obstacle
from partadvisor.planner.partitions import BEFORE


def ahead_obstacles(relation: Relation, column: str) -> list[Obstacle]:
    """What this strategy cannot do although *copy* could."""
    key = relation.column(column)
    nullable = key is not None and not key.not_null
    found = [Obstacle(reason=f'column "{column}" can be NULL', remedy="SET NOT NULL first")] if nullable else []
    return found + stay_obstacles(relation)


def held_before(relation: Relation, column: str, start: str) -> Held:
    """The partition below ``start``."""
    return Held(
        name=fit_identifier(relation.name, BEFORE),
        suffix=BEFORE,
        bound=f"FOR VALUES FROM (MINVALUE) TO ({quote_literal(start)})",
        check=f"{quote_ident(column)} < {quote_literal(start)}",
        outside=f"{quote_ident(column)} >= {quote_literal(start)}",
        remedy="Roll back and plan again with a later bound.",
    )
