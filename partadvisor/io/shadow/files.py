"""Gives empty relations the sizes of full ones, without using disk: the files get longer, their blocks stay holes.

The planner multiplies the density it finds in the statistics by the pages it counts in the file.
"""

from __future__ import annotations

import os
from pathlib import Path

from partadvisor.io.shadow.btree import BLOCK, height_of, tree

SEGMENT_BYTES = 1 << 30
"""A relation's file is continued as FILE.1, FILE.2 … each time it reaches 1 GiB."""


def extend(path: Path, pages: int) -> None:
    """Makes the relation's main fork ``pages`` blocks long; it is never cut."""
    owner = path.stat()
    wanted = max(pages * BLOCK, owner.st_size)
    for number in range(wanted // SEGMENT_BYTES + 1):
        segment = path if number == 0 else path.with_name(f"{path.name}.{number}")
        size = min(SEGMENT_BYTES, wanted - number * SEGMENT_BYTES)
        with segment.open("r+b" if number == 0 else "wb") as file:
            file.truncate(size)
        if number and os.geteuid() == 0:
            os.chown(segment, owner.st_uid, owner.st_gid)


def extend_btree(path: Path, pages: int, key_bytes: float) -> None:
    """The same for a btree that nobody has used yet, with a tree of fitting height in it."""
    height = height_of(pages, key_bytes)
    with path.open("r+b") as file:
        metapage = file.read(BLOCK)
        file.seek(0)
        file.write(tree(metapage, height))
    extend(path, max(pages, height + 2))
