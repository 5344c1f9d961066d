"""Reviewing scripts: one of 200 lines from a cold process, and 2,000 of them beside squawk in the same run.

squawk (``squawk-cli``) is a compiled linter of single statements. It is the pace to be measured by, not the same work:
the reviewer also keeps the session, the tables and their locks from statement to statement.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.lint.scripts import corpus

FILES = 2_000
LINES = 200
RUNS = 7


def _scripts(folder: Path) -> int:
    """2,000 scripts of the corpus's statements; how many lines they have."""
    chance = random.Random(1)
    lines = 0
    for number in range(FILES):
        text = "\n".join(chance.sample(corpus(), 3))
        (folder / f"{number:04}.sql").write_text(text)
        lines += text.count("\n") + 1
    return lines


def _seconds(*command: str) -> float:
    """Wall time; 0 and 1 are the linters' own exit codes, anything else is a failure."""
    began = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{command[0]} failed with {done.returncode}")
    return time.perf_counter() - began


def _one(folder: Path) -> Path:
    path = folder / "one.sql"
    path.write_text("\n".join("\n".join(corpus()).splitlines()[:LINES]) + "\n")
    return path


def main() -> None:
    """Print times, rates and ratios."""
    review = (sys.executable, "-m", "partadvisor", "review", "--fail-on", "never")
    squawk = str(Path(sys.executable).parent / "squawk")
    with tempfile.TemporaryDirectory() as name:
        one = _one(Path(name))
        _seconds(*review, str(one))  # the first run writes Python's compiled files
        pairs = [(_seconds(*review, str(one)), _seconds(sys.executable, "-c", "pass")) for _ in range(RUNS)]
        cold, empty = (statistics.median(p[i] for p in pairs) for i in (0, 1))
        beside = f"{cold / empty:.1f} x an empty Python program ({empty:.3f} s)"
        print(f"one script of {LINES} lines, cold: {cold:.3f} s, {beside}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = _scripts(folder)
        files = [str(p) for p in sorted(folder.glob("*.sql"))]
        ours = min(_seconds(*review, name) for _ in range(3))
        theirs = min(_seconds(squawk, *files) for _ in range(3))
        rate = (
            f"{FILES / ours:.0f} files/s, {ours / theirs:.1f} x squawk ({theirs:.2f} s, {FILES / theirs:.0f} files/s)"
        )
        print(f"{FILES} scripts, {lines} lines: {ours:.2f} s, {rate}")
