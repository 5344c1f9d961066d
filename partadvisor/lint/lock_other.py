"""Which forms of ``rules/locks/`` the statements other than ALTER TABLE are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from partadvisor.lint.lock_graph import owners
from partadvisor.lint.lock_partition import drop_table_form
from partadvisor.lint.lock_use import Use, use
from partadvisor.lint.partition_index import lacks
from partadvisor.lint.scope import Scope
from partadvisor.lint.tables import Table
from partadvisor.model import ddl
from partadvisor.model.ddl_parts import Name

_SEQUENCE_CALL = re.compile(r"(?i)\b(?:next|set)val\s*\(\s*'([^']+)'")
_ALTER_DOMAIN = re.compile(r"(?is)ALTER\s+DOMAIN\s+(?:\w+\.)?(?P<name>\w+)\s+(?P<what>ADD|VALIDATE|SET\s+NOT\s+NULL)\b")
_INDEX_DEPENDS = re.compile(r"(?i)ALTER\s+INDEX\s+(?P<name>\w+)\s+DEPENDS\b")
_RENAMES = {"view": "rename_view", "materialized view": "rename_materialized_view", "column": "rename_column",
            "policy": "rename_policy", "trigger": "rename_trigger"}  # fmt: skip
_DROPS = {"view": "drop_view", "materialized view": "drop_materialized_view", "policy": "drop_policy",
          "rule": "drop_rule", "foreign table": "drop_foreign_table"}  # fmt: skip
_COMMENTS = {"table": "comment_on_table", "column": "comment_on_column", "constraint": "comment_on_constraint",
             "index": "comment_on_index"}  # fmt: skip


def other_uses(action: ddl.Action, facts: ddl.Facts, scope: Scope) -> Iterator[Use]:
    """The forms of one action."""
    match action:
        case ddl.CreateTable():
            yield from _create_table(action, facts, scope)
        case ddl.CreateIndex():
            yield use(_index_form(action, scope), scope, target=action.table)
        case ddl.AttachIndex():
            yield use("attach_index", scope, parent_index=action.parent, index=action.index)
        case ddl.AlterIndex():
            yield use(_alter_index_form(action), scope, index=action.index)
        case ddl.Drop():
            yield from (u for name in action.names for u in _drop(action, name, scope))
        case ddl.Rename(table=Name() as name):
            yield from _rename(action, name, scope)
        case ddl.SetSchema(name=Name() as name):
            yield from _set_schema(action, name, scope)
        case ddl.CreateTrigger():
            yield _create_trigger(action, scope)
        case ddl.CreateOther() | ddl.AlterOther():
            yield from _of_object(action, scope)
        case _:
            yield from _of_whole_tables(action, facts, scope)


def _of_whole_tables(action: ddl.Action, facts: ddl.Facts, scope: Scope) -> Iterator[Use]:
    match action:
        case ddl.Truncate():
            yield from _truncate(action, facts, scope)
        case ddl.LockTable():
            yield use(_lock_form(action, facts), scope, target=action.tables)
        case ddl.Maintain():
            yield from (_maintain(action, name, scope) for name in action.names)
        case ddl.Grant():
            yield use("grant", scope, target=action.tables)
        case ddl.Comment(name=Name()) if action.kind in _COMMENTS:
            part = "index" if action.kind == "index" else "target"
            yield use(_COMMENTS[action.kind], scope, **{part: action.name})
        case ddl.Other():
            yield from _unread(facts, scope)


def _alter_index_form(action: ddl.AlterIndex) -> str:
    known = ("set options", "reset options", "set tablespace")
    return f"alter_index_{(action.what if action.what in known else 'set statistics').replace(' ', '_')}"


def _lock_form(action: ddl.LockTable, facts: ddl.Facts) -> str:
    only = re.match(r"(?i)lock\s+(?:table\s+)?only\b", facts.text) is not None
    mode = action.mode.lower().replace(" ", "_")
    return "lock_only_access_exclusive" if only and mode == "access_exclusive" else f"lock_{mode}"


def row_uses(facts: ddl.Facts, scope: Scope) -> Iterator[Use]:
    """What reading and writing rows locks, in whatever statement it is done."""
    for action in facts.actions:
        yield from _writes(action, facts, scope)
    if facts.reads and not any(isinstance(a, (ddl.CreateOther, ddl.Copy)) for a in facts.actions):
        yield use("select", scope, source=facts.reads)
    if {"nextval", "setval"} & set(facts.functions) and not any(isinstance(a, ddl.AlterTable) for a in facts.actions):
        for name in dict.fromkeys(_SEQUENCE_CALL.findall(facts.text)):
            yield use("nextval", scope, sequence=name)


def _writes(action: ddl.Action, facts: ddl.Facts, scope: Scope) -> Iterator[Use]:
    match action:
        case ddl.Insert():
            yield use("insert", scope, target=action.table)
        case ddl.Update() | ddl.Merge():
            yield use(type(action).__name__.lower(), scope, target=action.table)
        case ddl.Delete():
            yield use("delete", scope, target=action.table)
            yield use("delete_referenced", scope, target=action.table)
        case ddl.Copy(direction="from"):
            yield use("insert", scope, target=action.table)
        case ddl.Copy():
            yield use("copy_to", scope, source=(action.table,) if action.table else facts.reads)
        case ddl.Query(locking=locking) if locking:
            yield use("select_for_update", scope, source=facts.reads)


def _create_table(action: ddl.CreateTable, facts: ddl.Facts, scope: Scope) -> Iterator[Use]:
    if action.partition_of is not None:
        default = action.bound is not None and action.bound.strategy == "default"
        yield use("create_default_partition" if default else "create_partition", scope, parent=action.partition_of)
    for constraint in (*action.constraints, *(k for c in action.columns for k in c.constraints)):
        if constraint.references is not None and constraint.references.name != action.table.name:
            yield use("create_table_references", scope, referenced=constraint.references)
    if action.like:
        yield use("create_table_like" if action.like_options else "create_table_like_plain", scope, source=action.like)
    if action.inherits:
        yield use("create_table_inherits", scope, inherited=action.inherits)
    if action.from_query and facts.reads:
        yield use("create_table_as", scope, source=facts.reads)


def _index_form(action: ddl.CreateIndex, scope: Scope) -> str:
    table = scope.table(action.table)
    if action.concurrently:
        return "create_index_concurrently_partitioned" if table.partitioned else "create_index_concurrently"
    if action.only:
        return "create_index_only"
    partitions = scope.partitions_of(action.table)
    if partitions and not any(lacks(p, action) for p in partitions):
        return "create_index_partitions_have_it"
    return "create_index"


def _drop(action: ddl.Drop, name: Name, scope: Scope) -> Iterator[Use]:
    table = scope.table(name)
    match action.kind:
        case "table":
            yield use(drop_table_form(action, table, scope), scope, target=name)
        case "index":
            yield use(_drop_index_form(action, name, scope), scope, index=name)
        case "sequence":
            owned = "drop_sequence_owned" if owners(scope, table.name) else "drop_sequence"
            form = "drop_sequence_cascade" if action.cascade else owned
            yield use(form, scope, sequence=name)
        case "trigger":
            statement = set(action.parts) <= set(table.statement_triggers)
            yield use("drop_trigger_statement" if statement else "drop_trigger", scope, target=name)
        case "statistic ext":
            names = {f"{schema}.{name.name}" for schema in ((name.schema,) if name.schema else scope.search_path)}
            of = tuple(t.name for t in scope.tables if names & set(t.statistics))
            yield Use("drop_statistics", {"target": of} if of else {})
        case kind if kind in _DROPS:
            yield use(_DROPS[kind], scope, **{"view" if "view" in kind else "target": name})


def _drop_index_form(action: ddl.Drop, name: Name, scope: Scope) -> str:
    index = scope.index(name)
    partitioned = index is not None and scope.table(index.table).partitioned
    if action.concurrently:
        return "drop_index_concurrently_partitioned" if partitioned else "drop_index_concurrently"
    return "drop_index"


def _rename(action: ddl.Rename, name: Name, scope: Scope) -> Iterator[Use]:
    table = scope.table(name)
    index = f"{table.name.rpartition('.')[0]}.{action.old}"
    match action.kind:
        case "table":
            is_index = scope.tables.get(table.name) is None and scope.index(name) is not None
            form = "rename_index_as_table" if is_index else "rename_table"
            yield use(form, scope, **{"index" if is_index else "target": name})
        case "index":
            yield use("rename_index", scope, index=name)
        case "sequence":
            yield use("rename_sequence", scope, sequence=name)
        case "constraint":
            keyed = action.old in table.indexes
            yield use("rename_key", scope, target=name, index=index) if keyed else use("rename_constraint", scope,
                                                                                      target=name)  # fmt: skip
        case kind if kind in _RENAMES:
            yield use(_RENAMES[kind], scope, **{"view" if "view" in kind else "target": name})


def _set_schema(action: ddl.SetSchema, name: Name, scope: Scope) -> Iterator[Use]:
    match action.kind:
        case "table":
            owned = scope.table(name).owned_sequences
            yield use("set_schema_sequence" if owned else "set_schema", scope, target=name)
        case "sequence":
            yield use("sequence_set_schema", scope, sequence=name)
        case "view":
            yield use("view_set_schema", scope, view=name)


def _truncate(action: ddl.Truncate, facts: ddl.Facts, scope: Scope) -> Iterator[Use]:
    for number, name in enumerate(action.tables):
        only = action.only[number : number + 1] == (True,)
        if only and scope.table(name).partitioned:
            yield use("truncate_only_partitioned", scope, target=name)
        else:
            yield use("truncate_cascade" if action.cascade else "truncate", scope, target=name)
        if "RESTART IDENTITY" in " ".join(facts.text.upper().split()):
            yield use("truncate_restart_identity", scope, target=name)


def _maintain(action: ddl.Maintain, name: Name, scope: Scope) -> Use:
    table = scope.table(name)
    part = "partitioned_" if table.partitioned else ""
    suffix = "_concurrently" if action.concurrently else ""
    match action.command:
        case "refresh materialized view":
            return use(f"refresh_materialized_view{suffix}", scope, view=name)
        case "reindex" if action.kind == "index":
            index = scope.index(name)
            part = "partitioned_" if index is not None and scope.table(index.table).partitioned else ""
            return use(f"reindex_{part}index{suffix}", scope, index=name)
        case "reindex":
            return use(f"reindex_{part}table{suffix}", scope, target=name)
        case "vacuum":
            full = "vacuum_full" if action.full else "vacuum"
            return use(f"{full}_partitioned" if table.partitioned else full, scope, target=name)
        case "cluster":
            return use("cluster_partitioned" if table.partitioned else "cluster", scope, target=name)
        case _:
            return use("analyze", scope, target=name)


def _create_trigger(action: ddl.CreateTrigger, scope: Scope) -> Use:
    if action.constraint and action.references is not None:
        return use("create_constraint_trigger", scope, target=action.table, referenced=action.references)
    spreads = action.row and scope.table(action.table).partitioned
    return use("create_trigger_row_partitioned" if spreads else "create_trigger", scope, target=action.table)


def _of_object(action: ddl.CreateOther | ddl.AlterOther, scope: Scope) -> Iterator[Use]:
    made, tables = isinstance(action, ddl.CreateOther), action.tables
    match action.kind:
        case "view" | "materialized view" if made and action.kind == "view":
            known = action.name is not None and scope.tables.get(scope.resolve(action.name)) is not None
            view = action.name if known else None
            yield use("replace_view" if known else "create_view", scope, view=view, base=tables)
        case "materialized view" if made:
            yield use("create_materialized_view", scope, base=tables)
        case "view" | "materialized view":
            yield use("view_owner" if action.what == "owner" else "view_set_options", scope, view=action.name)  # type: ignore[union-attr]
        case "sequence" if made:
            yield use("create_sequence_owned", scope, owner=tables)
        case "sequence":
            yield _alter_sequence(action, scope)  # type: ignore[arg-type]
        case "policy" | "rule" | "statistics":
            yield use(f"{'create' if made else 'alter'}_{action.kind}", scope, target=tables)
        case "type" if isinstance(action, ddl.AlterOther) and action.what == "other":
            typed = tuple(t.name for t in scope.tables if _is(t.of_type, action.name, scope))
            yield Use("alter_type_add_attribute", {"user": typed} if typed else {})
        case "publication" if made:
            yield use("create_publication", scope, target=tables)
        case "publication":
            yield _alter_publication(action, scope)  # type: ignore[arg-type]


def _is(type_text: str | None, name: Name | None, scope: Scope) -> bool:
    """Whether a column's type, as the catalog prints it, is the type of that name."""
    if type_text is None or name is None:
        return False
    schema, _, own = type_text.replace('"', "").rpartition(".")
    return own == name.name and schema in ("", *((name.schema,) if name.schema else scope.search_path))


def _unread(facts: ddl.Facts, scope: Scope) -> Iterator[Use]:
    """Statements that are no typed facts but lock tables all the same."""
    if found := _ALTER_DOMAIN.match(facts.text):
        domain = Name(name=found["name"].lower(), span=facts.span)
        users = tuple(t.name for t in scope.tables if any(_is(c.type, domain, scope) for c in t.columns.values()))
        what = " ".join(found["what"].upper().split())
        not_valid = "_not_valid" if "NOT VALID" in facts.text.upper() else ""
        forms = {"ADD": f"alter_domain_add_check{not_valid}", "VALIDATE": "alter_domain_validate"}
        yield Use(forms.get(what, "alter_domain_set_not_null"), {"user": users} if users else {})
    elif found := _INDEX_DEPENDS.match(facts.text):
        yield use("alter_index_depends_on_extension", scope, index=Name(name=found["name"], span=facts.span))


def _alter_sequence(action: ddl.AlterOther, scope: Scope) -> Use:
    if action.what == "owned by":
        return use("sequence_owned_by", scope, sequence=action.name, owner=action.tables)
    if "owned_by" in dict(action.options):
        return use("sequence_owned_by_none", scope, sequence=action.name)
    form = {"owner": "sequence_owner", "set logged": "sequence_set_logged", "set unlogged": "sequence_set_logged"}
    changes_type = "as" in dict(action.options)
    return use(form.get(action.what, "alter_sequence_type" if changes_type else "alter_sequence"), scope,
               sequence=action.name)  # fmt: skip


def _alter_publication(action: ddl.AlterOther, scope: Scope) -> Use:
    if action.what.startswith("set"):
        named = {scope.resolve(t) for t in action.tables}
        former = tuple(t.name for t in _published(action, scope) if t.name not in named)
        return Use("alter_publication_set", {"target": tuple(named), "former": former})
    drops = action.what.startswith("drop")
    return use("alter_publication_drop" if drops else "alter_publication_add", scope, target=action.tables)


def _published(action: ddl.AlterOther, scope: Scope) -> list[Table]:
    name = action.name.name if action.name else ""
    return [t for t in scope.tables if any(p == name or p.endswith(f".{name}") for p in t.publications)]
