"""From a table, a scheme and a strategy to a migration plan."""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

import difflib
import hashlib
from typing import Any

import msgspec

from partadvisor import __version__
from partadvisor.model.catalog import Relation
from partadvisor.model.errors import UsageError
from partadvisor.model.plan import MigrationPlan, Phase
from partadvisor.model.scheme import Scheme
from partadvisor.model.snapshot import Snapshot
from partadvisor.pg.scheme_text import scheme_text
from partadvisor.planner.ahead_bound import with_bound
from partadvisor.planner.attach import attach_phases
from partadvisor.planner.copy import Job, copy_phases
from partadvisor.planner.key import sync_key
from partadvisor.planner.locking import surroundings
from partadvisor.planner.names import TRIGGER_PREFIX, make_plan_id, names_for
from partadvisor.planner.obstacles import find_obstacles, refuse
from partadvisor.planner.partitioned import (
    as_one_table,
    layout_beside,
    old_partitions,
    partition_obstacles,
    partition_warnings,
    partitions_of,
)
from partadvisor.planner.rewrite import rewrite_phases, rewritten_sql, total_bytes
from partadvisor.planner.strategy import Way, choose
from partadvisor.planner.upkeep import upkeep_files

_VOLATILE = (
    "oid", "rows", "pages", "all_visible_pages", "heap_bytes", "index_bytes", "toast_bytes", "toast_oid", "activity",
)  # fmt: skip
_DISK_MARGIN = 1.2
"""The copy, plus room for WAL until the next checkpoints."""


def plan_migration(snapshot: Snapshot, table: str, scheme: Scheme, strategy: str = "auto") -> MigrationPlan:
    """The plan that turns ``table`` (``schema.name``) into a table partitioned by ``scheme``.

    Raises:
        UsageError: there is no such table, or something about it cannot be carried over; all reasons are listed.
    """
    found = _find(snapshot, table)
    partitions = partitions_of(snapshot.relations, found)
    relation = as_one_table(found, partitions)
    scheme = with_bound(snapshot, relation, scheme)
    layout = layout_beside(snapshot, scheme, relation)
    way = choose(snapshot, relation, scheme, layout, strategy)
    obstacles = find_obstacles(snapshot, relation, scheme, layout, mirrored=way.name == "copy")
    obstacles += partition_obstacles(relation, partitions, snapshot.server.major)
    refuse(table, [*obstacles, *way.obstacles])
    if way.name == "copy":
        sync_key(relation)
    scheme_name, fingerprint = scheme_text(scheme), schema_fingerprint(found, partitions)
    names = names_for(relation, make_plan_id(fingerprint, scheme_name, way.name), old_partitions(partitions))
    job = Job(
        snapshot=snapshot,
        relation=relation,
        layout=way.layout,
        names=names,
        around=surroundings(relation, snapshot.server.major, tuple(p.qualified_name for p in partitions)),
    )
    return MigrationPlan(
        tool_version=__version__,
        table=table,
        scheme=scheme_name,
        strategy=way.name,
        reason=way.reason,
        server_version=snapshot.server.version_num,
        fingerprint=fingerprint,
        phases=_phases(job, way),
        warnings=tuple(_warnings(relation) + partition_warnings(relation, partitions)),
        disk_bytes_needed=_disk(relation) if way.name in {"copy", "rewrite"} else None,
        plan_id=names.plan_id,
        scope=relation.schema,
        relation=relation.name,
        rows_expected=relation.rows if relation.rows >= 0 else None,
        status_sql=_status_sql(job, way),
        partitions=len(way.layout.tree),
        upkeep=upkeep_files(relation, scheme, way.layout, snapshot.server.extensions),
    )


def schema_fingerprint(relation: Relation, partitions: tuple[Relation, ...] = ()) -> str:
    """A hash of everything in the definition of the table and its partitions, nothing of contents, sizes or statistics.

    Our own triggers and checks do not count, so that a migration that has begun still matches its plan.
    """
    definitions = [_definition(each) for each in (relation, *partitions)]
    subject = definitions if partitions else definitions[0]
    return hashlib.sha256(msgspec.json.encode(subject, order="deterministic")).hexdigest()


def _definition(relation: Relation) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(relation)
    for name in _VOLATILE:
        del plain[name]
    for column in plain["columns"]:
        del column["statistics"], column["number"], column["owned_sequence"]
    for index in plain["indexes"]:
        del index["size_bytes"], index["rows"]
    plain["dependents"] = [d for d in plain["dependents"] if d["kind"] != "sequence"]
    plain["constraints"] = [c for c in plain["constraints"] if not c["name"].startswith(TRIGGER_PREFIX)]
    plain["triggers"] = [t for t in plain["triggers"] if not t["name"].startswith(TRIGGER_PREFIX)]
    if relation.parent:  # what a partition has from its parent is part of that one's definition
        for name in ("constraints", "referenced_by", "triggers"):
            plain[name] = [item for item in plain[name] if not item["inherited"]]
    return plain


def _find(snapshot: Snapshot, table: str) -> Relation:
    relation = snapshot.relation(table)
    if relation is not None:
        return relation
    known = [r.qualified_name for r in snapshot.relations]
    near = difflib.get_close_matches(table, known, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else "Tables are written schema.name."
    raise UsageError(f'table "{table}" is not in the snapshot', hint=hint)


def _phases(job: Job, way: Way) -> tuple[Phase, ...]:
    if way.held is not None:
        return attach_phases(job, way.held)
    return rewrite_phases(job) if way.name == "rewrite" else copy_phases(job)


def _warnings(relation: Relation) -> list[str]:
    warnings = []
    if relation.rows < 0:
        warnings.append("the table was never analysed, so its number of rows is not known")
    rows = [trigger.name for trigger in relation.triggers if trigger.row]
    if rows:
        warnings.append(
            f"from the swap on, TG_TABLE_NAME and TG_RELID in row triggers ({', '.join(rows)}) name the partition, "
            "and an UPDATE that moves a row to another partition runs DELETE and INSERT triggers for it"
        )
    return warnings + [
        f'publication "{publication.name}" publishes the partitioned table from the swap on; run on its subscribers: '
        "ALTER SUBSCRIPTION … REFRESH PUBLICATION WITH (copy_data = false)"
        for publication in relation.publications
    ]


def _disk(relation: Relation) -> int:
    return int(total_bytes(relation) * _DISK_MARGIN)


def _status_sql(job: Job, way: Way) -> str | None:
    names = job.names
    if way.held is not None:
        return None
    if way.name == "rewrite":
        return rewritten_sql(names)
    return (
        f"SELECT coalesce((SELECT rows FROM {names.state('position')} WHERE part = 'fill'), 0),\n"
        f"  (SELECT count(*) FROM {names.state('changes')}) + (SELECT count(*) FROM {names.state('reverse')})"
    )
