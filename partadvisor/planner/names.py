"""What a migration calls the things it makes, all in one place.

Everything beside the table itself lives in schema ``partadvisor`` and in two schemas of this plan: one where the
new table waits under its final name, one where the old table goes. So no index, constraint or sequence ever needs
another name, and the swap is two ALTER TABLE ... SET SCHEMA.
"""

from __future__ import annotations

import hashlib

from partadvisor.model.base import Value
from partadvisor.model.catalog import Relation
from partadvisor.pg.quote import fit_identifier, quote_ident, quote_qualified

STATE_SCHEMA = "partadvisor"
JOURNAL = quote_qualified(STATE_SCHEMA, "journal")
TRIGGER_PREFIX = "partadvisor_"


def make_plan_id(fingerprint: str, scheme: str, strategy: str) -> str:
    """Eight hexadecimal digits; the same schema, scheme and strategy give the same plan."""
    return hashlib.sha256(f"{fingerprint}\0{scheme}\0{strategy}".encode()).hexdigest()[:8]


class OldPartition(Value, frozen=True, kw_only=True):
    """Plain name of a partition that the table has before."""

    schema: str
    name: str
    leaf: bool


class Names(Value, frozen=True, kw_only=True):
    """Quoted names of one migration. ``schema`` and ``table`` are plain.

    ``partitions`` are those of a table that is partitioned already, parents first.
    """

    plan_id: str
    schema: str
    table: str
    partitions: tuple[OldPartition, ...] = ()

    @property
    def source(self) -> str:
        """The table as clients know it: the old one before the swap, the partitioned one after it."""
        return quote_qualified(self.schema, self.table)

    @property
    def new_schema(self) -> str:
        """Schema in which the partitioned table waits."""
        return quote_ident(f"{STATE_SCHEMA}_{self.plan_id}_new")

    @property
    def old_schema(self) -> str:
        """Schema in which the replaced table waits."""
        return quote_ident(f"{STATE_SCHEMA}_{self.plan_id}_old")

    @property
    def new(self) -> str:
        """The partitioned table before the swap."""
        return f"{self.new_schema}.{quote_ident(self.table)}"

    @property
    def old(self) -> str:
        """The replaced table after the swap."""
        return f"{self.old_schema}.{quote_ident(self.table)}"

    def part_before(self, part: OldPartition) -> str:
        """A partition of the replaced table before the swap."""
        return quote_qualified(part.schema, part.name)

    def part_after(self, part: OldPartition) -> str:
        """The same after it."""
        return f"{self.old_schema}.{quote_ident(part.name)}"

    def state(self, what: str) -> str:
        """A table or function of this plan in the state schema."""
        return quote_qualified(STATE_SCHEMA, f"{what}_{self.plan_id}")

    def trigger(self, what: str) -> str:
        """A trigger of ours."""
        return quote_ident(f"{TRIGGER_PREFIX}{self.plan_id}_{what}")

    def in_schema(self, name: str) -> str:
        """Another object of the table's own schema."""
        return quote_qualified(self.schema, name)

    def in_new(self, name: str) -> str:
        """An index or sequence of the partitioned table before the swap."""
        return f"{self.new_schema}.{quote_ident(name)}"


def names_for(relation: Relation, plan_id: str, partitions: tuple[OldPartition, ...] = ()) -> Names:
    """The names of a migration of ``relation``."""
    return Names(plan_id=plan_id, schema=relation.schema, table=relation.name, partitions=partitions)


def leaf_name(table: str, suffix: str) -> str:
    """A partition's plain name, cut to what the server keeps."""
    return fit_identifier(table, suffix)
