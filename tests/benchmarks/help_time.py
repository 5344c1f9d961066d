"""How long ``partadvisor --help`` takes from a cold process, beside an empty Python program in the same run."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

RUNS = 15


def seconds(*arguments: str) -> float:
    """Median wall time of a Python program over several interleavable runs."""
    taken = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> None:
    """Print the median and the ratio."""
    empty, helped = seconds("-c", "pass"), seconds("-m", "partadvisor", "--help")
    print(f"partadvisor --help: {helped:.3f} s, {helped / empty:.1f} x an empty Python program ({empty:.3f} s)")
