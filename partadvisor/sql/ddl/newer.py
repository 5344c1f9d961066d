"""Statements of servers newer than the parser: ALTER TABLE … SPLIT PARTITION and MERGE PARTITIONS.

libpg_query is of one PostgreSQL version; these two are read from the tokens, as far as reviewing needs them.
"""

from __future__ import annotations

from partadvisor.model import ddl
from partadvisor.model.ddl_parts import Name
from partadvisor.sql.ddl.source import Source


def newer(source: Source) -> ddl.Action | None:
    """The action of a statement that the parser refused, None when it is not one of these."""
    words = [t.word for t in source.toks]
    if words[:2] != ["alter", "table"]:
        return None
    if "split" in words[2:] and "partition" in words[2:]:
        return _split(source, words)
    if "merge" in words[2:] and "partitions" in words[2:]:
        return _merge(source, words)
    return None


def _name(source: Source, number: int) -> Name | None:
    """The name that begins with that token."""
    if number >= len(source.toks) or not source.toks[number].name:
        return None
    token = source.toks[number]
    if number + 2 < len(source.toks) and source.toks[number + 1].word == "." and source.toks[number + 2].name:
        return source.name_at(token.start, source.toks[number + 2].name, token.name)
    return source.name_at(token.start, token.name, None)


def _table(source: Source, words: list[str]) -> tuple[Name | None, bool, bool]:
    at, only, exists = 2, False, False
    if words[at : at + 2] == ["if", "exists"]:
        at, exists = at + 2, True
    if words[at : at + 1] == ["only"]:
        at, only = at + 1, True
    return _name(source, at), only, exists


def _split(source: Source, words: list[str]) -> ddl.Action | None:
    table, only, exists = _table(source, words)
    at = words.index("split", 2)
    old = _name(source, at + 2)
    if table is None or old is None or words[at + 1] != "partition":
        return None
    new = [_name(source, i + 1) for i in range(at + 2, len(words)) if words[i] == "partition" and source.toks[i].depth]
    into = tuple(n for n in new if n is not None)
    return ddl.SplitPartition(span=source.whole, table=table, only=only, if_exists=exists, partition=old, into=into)


def _merge(source: Source, words: list[str]) -> ddl.Action | None:
    table, only, exists = _table(source, words)
    at = words.index("merge", 2)
    if table is None or words[at + 1 : at + 3] != ["partitions", "("] or "into" not in words[at:]:
        return None
    target = words.index("into", at)
    starts = [i for i in range(at + 3, target) if words[i - 1] in ("(", ",")]
    old = tuple(n for n in (_name(source, i) for i in starts) if n is not None)
    new = _name(source, target + 1)
    if new is None or not old:
        return None
    return ddl.MergePartitions(span=source.whole, table=table, only=only, if_exists=exists, partitions=old, into=new)
