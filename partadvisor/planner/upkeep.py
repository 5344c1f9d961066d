"""What keeps a range scheme alive after a migration: partitions made ahead, old ones dropped, as files to schedule.

Partitions are made beside the table and attached, since CREATE TABLE … PARTITION OF would stop every reader and writer.
Each is made and attached in a transaction of its own, so that no two partitions are ever locked in another order than
inserts lock them; a lock that is not to be had is given up after half a second and asked for again.
"""

# ruff: noqa: S608  (SQL is what this module makes; names are quoted by pg.quote)

from __future__ import annotations

from collections.abc import Iterator

from partadvisor.model.catalog import Relation
from partadvisor.model.plan import UpkeepFile
from partadvisor.model.scheme import Interval, RangeLevel, Scheme
from partadvisor.pg.quote import fit_identifier, quote_ident, quote_literal, quote_qualified
from partadvisor.planner.build import leaf_options, leaf_settings
from partadvisor.planner.calendar import AHEAD
from partadvisor.planner.partitions import Layout, Partition
from partadvisor.planner.retention import in_comment, retention_script
from partadvisor.planner.sync import dollar_quote

_LENGTHS: dict[Interval, str] = {
    "hour": "1 hour", "day": "1 day", "week": "7 days", "month": "1 month", "quarter": "3 months", "year": "1 year",
}  # fmt: skip
_PARTMAN = 5
"""First major version of pg_partman that names partitions as we do."""


def upkeep_files(
    relation: Relation, scheme: Scheme, layout: Layout, extensions: dict[str, str]
) -> tuple[UpkeepFile, ...]:
    """Files for a scheme whose first level is by interval or step; none for others."""
    level = scheme.levels[0]
    if not isinstance(level, RangeLevel) or not (level.interval or level.step):
        return ()
    files = [
        UpkeepFile(name="upkeep-ahead.sql", text=_header(relation) + _ahead(relation, level, layout)),
        UpkeepFile(name="upkeep-retention.sql", text=retention_script(relation, level)),
    ]
    major = extensions.get("pg_partman", "").partition(".")[0]
    if major.isdigit() and int(major) >= _PARTMAN and len(scheme.levels) == 1 and level.interval != "hour":
        files.append(UpkeepFile(name="upkeep-pg_partman.sql", text=_partman(relation, level)))
    return tuple(files)


def _header(relation: Relation) -> str:
    job = f"partadvisor ahead {in_comment(relation)}".replace("'", "''")
    return f"""-- Makes the partitions of {in_comment(relation)}
-- that the next {AHEAD} intervals need. Running it again does no harm.
-- locks: SHARE UPDATE EXCLUSIVE on the table; ACCESS EXCLUSIVE on its DEFAULT partition while that is scanned, so keep
--   it empty; SHARE ROW EXCLUSIVE on tables that foreign keys reference. Asked for half a second at a time.
-- Rows that are in the DEFAULT partition already keep their partition from being made: a WARNING says so. Move them.
-- schedule, with cron:     15 * * * * psql -X -q -f upkeep-ahead.sql DSN
-- schedule, with pg_cron:  \\set job `cat upkeep-ahead.sql`
--                          SELECT cron.schedule('{job}', '15 * * * *', :'job');
"""


def _ahead(relation: Relation, level: RangeLevel, layout: Layout) -> str:
    column = next(c for c in relation.columns if c.name == level.columns[0])
    kind, table = column.base_type, quote_qualified(relation.schema, relation.name)
    at, length, goal, first, suffix = _arithmetic(level, kind, table)
    model = next(part for part in layout.parts if part.bound != "DEFAULT")
    prefix, children = _prefix(relation.name, model, level), "".join(_children(relation, model))
    settings = "".join(f"      EXECUTE format({quote_literal(s)}, pa_name);\n" for s in leaf_settings(relation, "%s"))
    body = f"""DECLARE
  pa_table regclass := {quote_literal(table)};
  pa_from {at}; pa_to {at}; pa_goal {at} := {goal};
  pa_plain text; pa_name text; pa_tries integer; pa_leaf record;
BEGIN
  LOOP
    SELECT max(b.high) INTO pa_from FROM (
      SELECT substring(pg_get_expr(c.relpartbound, c.oid) FROM $$TO \\(''?([^'')]+)''?\\)$$)::{at} AS high
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = pa_table AND pg_get_expr(c.relpartbound, c.oid) LIKE 'FOR VALUES%') b;
    pa_from := coalesce(pa_from, {first});
    EXIT WHEN pa_from IS NULL OR pa_from > pa_goal;
    pa_to := {length};
    pa_plain := {quote_literal(prefix)} || {suffix};
    pa_name := format('%I.%I', {quote_literal(relation.schema)}, pa_plain);
    pa_tries := 0;
    LOOP
      BEGIN
        PERFORM set_config('lock_timeout', '500ms', true);
        EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', pa_table);
        EXECUTE format({quote_literal(f"CREATE TABLE %s (LIKE %s {_LIKE}){_tail(relation, model)}")},
          pa_name, pa_table);
        EXECUTE format({quote_literal(f"ALTER TABLE %s OWNER TO {quote_ident(relation.owner)}")}, pa_name);
{children}{settings}        EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)',
          pa_table, pa_name, pa_from, pa_to);
{_identity(relation)}        EXIT;
      EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
        pa_tries := pa_tries + 1;
        IF pa_tries >= 20 THEN RAISE; END IF;
      WHEN check_violation THEN
        RAISE WARNING 'partition % cannot be made: rows from % on are in the DEFAULT partition', pa_name, pa_from;
        RETURN;
      END;
      PERFORM pg_sleep(0.2 + random());
    END LOOP;
    COMMIT;
  END LOOP;
END"""
    return f"DO {dollar_quote(body)};\n"


_LIKE = "INCLUDING ALL EXCLUDING IDENTITY EXCLUDING STATISTICS EXCLUDING COMMENTS"


def _arithmetic(level: RangeLevel, kind: str, table: str) -> tuple[str, str, str, str, str]:
    """Type to count in, where a partition ends, what must be covered, where an empty table begins, and the name's end.

    Bounds by calendar are those of UTC, as the migration made them.
    """
    if level.step:
        key = quote_ident(level.columns[0])
        goal = f"(SELECT max({key}) FROM {table}) + {AHEAD * level.step}"
        return "numeric", f"pa_from + {level.step}", goal, "NULL", "'_p' || replace(pa_from::text, '-', 'm')"
    interval = level.interval or "month"
    zone = "timestamp with time zone"
    now = "now()" if kind == zone else "(now() AT TIME ZONE 'UTC')"
    length = f"interval {quote_literal(_LENGTHS[interval])}"
    low = "(pa_from AT TIME ZONE 'UTC')" if kind == zone else "pa_from"
    high = f"({low} + {length}) AT TIME ZONE 'UTC'" if kind == zone else f"{low} + {length}"
    pattern = "YYYYMMDDHH24" if interval == "hour" else "YYYYMMDD"
    first = f"date_trunc({quote_literal(interval)}, now() AT TIME ZONE 'UTC')"
    return (
        zone if kind == zone else "timestamp", high, f"{now} + {AHEAD + 1} * {length}",
        f"{first} AT TIME ZONE 'UTC'" if kind == zone else first, f"'_p' || to_char({low}, '{pattern}')",
    )  # fmt: skip


def _identity(relation: Relation) -> str:
    """Replica identity of the new tables: each partition has its own."""
    if relation.replica_identity == "default":
        return ""
    index = next((i.name for i in relation.indexes if i.replica_identity), None)
    leaves, what = "SELECT t.relid, '' AS index FROM pg_partition_tree(pa_name) t", ""
    if index:
        parent = quote_literal(quote_qualified(relation.schema, index))
        what = "USING INDEX %I"
        leaves = f"""SELECT t.relid, c.relname AS index FROM pg_partition_tree(pa_name) t
          JOIN pg_index x ON x.indrelid = t.relid JOIN pg_class c ON c.oid = x.indexrelid
          WHERE {parent}::regclass IN (SELECT a.relid FROM pg_partition_ancestors(x.indexrelid) a)"""
    change = f"ALTER TABLE %s REPLICA IDENTITY {what or relation.replica_identity.upper()}"
    return f"""        FOR pa_leaf IN {leaves} LOOP
          EXECUTE format({quote_literal(change)}, pa_leaf.relid::regclass, pa_leaf.index);
        END LOOP;
"""


def _prefix(name: str, model: Partition, level: RangeLevel) -> str:
    """The table's name, cut so that the ends of all names fit."""
    longest = "_p" + "0" * (24 if level.step else 10 if level.interval == "hour" else 8)
    deeper = f"_p{len(model.parts)}" if model.parts else ""
    return fit_identifier(name, longest + deeper).removesuffix(longest + deeper)


def _tail(relation: Relation, part: Partition) -> str:
    """Options of a leaf, or the key of a partition that has partitions; percent signs are doubled for format()."""
    return (f" PARTITION BY {part.key}" if part.key else leaf_options(relation)).replace("%", "%%")


def _children(relation: Relation, model: Partition) -> Iterator[str]:
    """The second level, made before the partition is attached and seen."""
    schema = quote_literal(relation.schema)
    for child in model.parts:
        end = child.name.rpartition("_")[2]
        make = f"CREATE TABLE %I.%I PARTITION OF %s {child.bound.replace('%', '%%')}{_tail(relation, child)}"
        yield f"        EXECUTE format({quote_literal(make)}, {schema}, pa_plain || '_{end}', pa_name);\n"
        owner = f"ALTER TABLE %I.%I OWNER TO {quote_ident(relation.owner)}"
        yield f"        EXECUTE format({quote_literal(owner)}, {schema}, pa_plain || '_{end}');\n"


def _partman(relation: Relation, level: RangeLevel) -> str:
    """Takes what is there over: pg_partman leaves partitions alone that have the names it would give."""
    interval = quote_literal(str(level.step) if level.step else _LENGTHS[level.interval or "month"])
    return f"""-- Hands {in_comment(relation)}
-- over to pg_partman: use this instead of upkeep-ahead.sql and upkeep-retention.sql.
-- Its maintenance (run_maintenance_proc, or its background worker) has to be scheduled. Set retention when you need it.
SELECT quote_ident(n.nspname) AS partman FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'pg_partman' \\gset
SELECT :partman.create_parent(p_parent_table := {quote_literal(f"{relation.schema}.{relation.name}")},
  p_control := {quote_literal(level.columns[0])}, p_interval := {interval},
  p_premake := {AHEAD}, p_default_table := false);
-- Retention: set retention = '12 months', retention_keep_table = false in the table's row of part_config.
"""
