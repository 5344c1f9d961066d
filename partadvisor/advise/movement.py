"""Updates of the key: which statements move rows to another partition."""

from __future__ import annotations

from collections.abc import Sequence

from partadvisor.model.catalog import Relation
from partadvisor.model.workload import TableAccess

_WHOLE_ROW = 0.8  # of the columns outside the primary key: more than that is a mapper writing everything back
_FEWEST = 3


def sets_whole_row(access: TableAccess, relation: Relation) -> bool:
    """Whether an UPDATE sets (nearly) every column, as object mappers do, and not because the values change."""
    primary = {c for index in relation.indexes if index.primary for c in index.columns}
    own = [c.name for c in relation.columns if c.name not in primary and not c.generated]
    written = sum(c in access.set_columns for c in own)
    return access.role == "update" and len(own) >= _FEWEST and written >= _WHOLE_ROW * len(own)


def moved_by(access: TableAccess, relation: Relation, key: Sequence[str]) -> tuple[str, ...]:
    """Key columns whose change by this access moves rows; none for one that writes whole rows back."""
    if access.role not in ("update", "merge"):
        return ()
    columns = tuple(c for c in access.set_columns if c in key)
    return () if columns and sets_whole_row(access, relation) else columns
