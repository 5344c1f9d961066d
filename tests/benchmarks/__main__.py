"""Runs all benchmarks, or those named: ``python -m tests.benchmarks [NAME…]``. Each prints ratios of one run."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import tests.benchmarks


def main(names: list[str]) -> None:
    """Run the named benchmarks, by default every module of this folder that has a ``main``."""
    found = sorted(m.name for m in pkgutil.iter_modules(tests.benchmarks.__path__) if not m.name.startswith("_"))
    if unknown := set(names) - set(found):
        sys.exit(f"no benchmark named {', '.join(sorted(unknown))}; there are: {', '.join(found)}")
    for name in names or found:
        print(f"== {name}", flush=True)
        importlib.import_module(f"tests.benchmarks.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
