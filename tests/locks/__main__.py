"""``python -m tests.locks write [MAJOR…]``: measures every statement form and writes ``rules/locks/``.

``check`` measures as well, and compares with the files instead.
"""

import argparse
import itertools
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from partadvisor.io.binaries import find_binaries
from partadvisor.io.server import start_server
from tests.locks.cases import Case, all_cases, cases_of
from tests.locks.measure import Measured, measure
from tests.locks.table import Contradiction, Entry, add, by_role, write
from tests.majors import EMBEDDED, VERSIONS, major_binaries

FOLDER = Path(__file__).parent.parent.parent / "rules" / "locks"
_SETTINGS = {"fsync": "off", "autovacuum": "off", "max_connections": "100"}
_AT_ONCE = 2


def main() -> int:
    """0 when all cases agree with their form, and nothing was written otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tests.locks", description=__doc__)
    parser.add_argument("command", choices=["write", "check"])
    parser.add_argument("majors", nargs="*", type=int, default=sorted(VERSIONS))
    parser.add_argument("--form", default="", help="only forms whose name has this in it")
    words = parser.parse_args()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        runs = list(pool.map(lambda major: _run(major, words.form), words.majors))
    entries, wrong = collect(zip(words.majors, runs, strict=True))
    print(f"{len(entries)} forms, {sum(len(run) for run in runs)} measurements on {words.majors}", *wrong, sep="\n")
    if wrong:
        return 1
    order = {case.form: number for number, case in reversed(list(enumerate(all_cases())))}
    ordered = sorted(entries.values(), key=lambda entry: order[entry.form])
    texts = {t: write(es, t) for t, es in itertools.groupby(ordered, lambda e: e.topic)}
    return _compare(texts) if words.command == "check" else _save(texts)


def _run(major: int, form: str) -> list[Measured]:
    binaries = find_binaries() if major == EMBEDDED else major_binaries(major)
    with start_server(binaries, settings=_SETTINGS) as server:
        server.create_database("locks")
        return list(measure(server.dsn("locks"), (c for c in cases_of(major) if form in c.form)))


def collect(runs: Iterator[tuple[int, list[Measured]]]) -> tuple[dict[str, Entry], list[str]]:
    """The entry of each form, and what contradicts it."""
    entries: dict[str, Entry] = {}
    wrong = []
    for major, run in runs:
        for case, schema, seen, graph in run:
            entry = entries.setdefault(case.form, _new(case))
            if case.variant and seen.refused:
                continue
            try:
                if not _expected(case, seen.refused):
                    raise Contradiction(f'the server says "{seen.refused}"')
                if seen.refused:
                    entry.refused[major] = seen.refused
                else:
                    add(entry, major, case, by_role(case, schema, seen, graph))
            except Contradiction as problem:
                wrong.append(f"{major} {case}: {str(problem).replace(schema + '.', '')}")
    return entries, wrong


def _expected(case: Case, refused: str) -> bool:
    return case.refused in refused if case.refused else not refused


def _new(case: Case) -> Entry:
    return Entry(form=case.form, example=case.sql, topic=case.topic, outside=case.outside)


def _save(texts: dict[str, str]) -> int:
    for topic, text in texts.items():
        (FOLDER / f"{topic}.toml").write_text(text)
    return 0


def _compare(texts: dict[str, str]) -> int:
    stale = [topic for topic, text in texts.items() if (FOLDER / f"{topic}.toml").read_text() != text]
    print("\n".join(f"rules/locks/{topic}.toml is not what the servers do" for topic in stale) or "no difference")
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
