"""The pages of an empty btree of a given height.

The planner reads the height from the metapage, and while estimating it may look for the smallest or largest value in
the index itself. So there has to be a tree that can be descended: one page a level, the lowest without tuples.
Layouts are those of ``nbtree.h`` and ``itup.h``, the same since PostgreSQL 11.
"""

from __future__ import annotations

import struct

BLOCK = 8192
_PAGE_HEADER = struct.Struct("=QHHHHHHI")  # lsn, checksum, flags, lower, upper, special, size and version, prune xid
_HEADER_BYTES = 24
_LINE_POINTER_BYTES = 4
_SPECIAL = struct.Struct("=IIIHH")  # previous, next, level, flags, cycle id
_LAYOUT_VERSION = 4
_LEAF, _ROOT = 1, 2
_TUPLE = struct.Struct("=HHHH")  # block high, block low, offset (number of attributes), size and flags
_TUPLE_IS_PIVOT = 0x2000
_LINE_POINTER_NORMAL = 1
_META_ROOT_AT = _HEADER_BYTES + 8  # after magic and version: root, level, fast root, fast level


def tree(metapage: bytes, height: int) -> bytes:
    """The first ``height + 2`` blocks of an index: its metapage, pointing at a root of that level, and a page a level.

    Args:
        metapage: block 0 as CREATE INDEX wrote it.
        height: levels above the leaves; 0 is a root that is a leaf.
    """
    meta = bytearray(metapage)
    struct.pack_into("=IIII", meta, _META_ROOT_AT, 1, height, 1, height)
    pages = [_page(level, child=height - level + 2 if level else None, root=level == height)
             for level in range(height, -1, -1)]  # fmt: skip
    return bytes(meta) + b"".join(pages)


def _page(level: int, *, child: int | None, root: bool) -> bytes:
    """A page that is the only one of its level; above the leaves it has one downlink, which needs no key."""
    page = bytearray(BLOCK)
    special = BLOCK - _SPECIAL.size
    lower, upper = _HEADER_BYTES, special
    if child is not None:
        upper -= _TUPLE.size
        lower += _LINE_POINTER_BYTES
        _TUPLE.pack_into(page, upper, child >> 16, child & 0xFFFF, 0, _TUPLE_IS_PIVOT | _TUPLE.size)
        pointer = upper | _LINE_POINTER_NORMAL << 15 | _TUPLE.size << 17
        struct.pack_into("=I", page, _HEADER_BYTES, pointer)
    _PAGE_HEADER.pack_into(page, 0, 0, 0, 0, lower, upper, special, BLOCK | _LAYOUT_VERSION, 0)
    flags = (_ROOT if root else 0) | (_LEAF if level == 0 else 0)
    _SPECIAL.pack_into(page, special, 0, 0, level, flags, 0)
    return bytes(page)


def height_of(pages: int, key_bytes: float) -> int:
    """Levels above the leaves of a btree of that many pages: what a fan-out of pages filled to 70 % makes of it."""
    fan_out = max(2.0, (BLOCK - _HEADER_BYTES - _SPECIAL.size) * 0.7 / (key_bytes + _TUPLE.size + _LINE_POINTER_BYTES))
    level, height = max(1.0, pages - 1), 0
    while level > 1:
        level /= fan_out
        height += 1
    return height
