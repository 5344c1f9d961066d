"""Scripts to mutate: what the rules' folders, the migrations and the everyday statements hold."""

from __future__ import annotations

import functools
import random
import tomllib
from pathlib import Path

from partadvisor.lint.registry import rules

TESTS = Path(__file__).parent.parent
_PIECES = (
    "'", '"', "$$", "$a$", ";", "--", "/*", "*/", "(", ")", "\\", "\\.", "\n", "\0", "\u20ac", "E'\\'", ", ", "::",
    "$1", ":x", "%s", "BEGIN;", "COMMIT;", "SAVEPOINT s;", "ROLLBACK TO s;", "BEGIN ATOMIC ", "END;",
    "DO $$ BEGIN ", " END $$;",
    "EXECUTE 'DROP TABLE t';", "COPY t FROM stdin;\n", " NOT VALID", " CONCURRENTLY", "\\gexec\n", "-- +goose Up\n",
    "-- migrate:down\n", "-- partadvisor: ignore PA101\n", "ALTER TABLE t RENAME TO u;", "DROP TABLE t CASCADE;",
    "SET search_path = '';",
)  # fmt: skip
_CHARACTERS = (0, 9, 13, 39, 34, 36, 59, 0x85, 0x2028, 0xFFFD, 0x1F600)


@functools.cache
def corpus() -> tuple[str, ...]:
    """All scripts, each once, in a fixed order."""
    texts: dict[str, None] = {}
    for rule in rules().values():
        for name in ("bad.sql", "good.sql", "setup.sql"):
            path = rule.folder / name
            if path.exists():
                texts[path.read_text(encoding="utf-8")] = None
        path = rule.folder / "cases.toml"
        if path.exists():
            cases = tomllib.loads(path.read_text(encoding="utf-8")).get("case", ())
            texts.update(dict.fromkeys(c["sql"] for c in cases))
    for path in sorted((TESTS / "cases" / "migrations").rglob("*.sql")):
        texts[path.read_text(encoding="utf-8")] = None
    texts[(TESTS / "sql" / "everyday_statements.sql").read_text(encoding="utf-8")[:20_000]] = None
    return tuple(texts)


def mutated(seed: int) -> str:
    """One mutated script; the same for the same seed and corpus."""
    chance = random.Random(seed)
    texts = corpus()
    text = chance.choice(texts)
    if chance.random() < 0.3:
        other = chance.choice(texts)
        text = text[: chance.randrange(len(text) + 1)] + other[chance.randrange(len(other) + 1) :]
    for _ in range(chance.choice((0, 1, 1, 2, 3, 8))):
        text = _change(text, chance)
    return text


def _change(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    end = min(len(text), at + chance.choice((1, 1, 2, 5, 20, 80)))
    match chance.randrange(6):
        case 0:
            return text[:at] + text[end:]
        case 1:
            return text[:at] + text[at:end] * chance.choice((2, 3, 10)) + text[end:]
        case 2:
            return text[:at] + chance.choice(_PIECES) + text[at:]
        case 3:
            return text[:at] + chr(chance.choice(_CHARACTERS)) + text[end:]
        case 4:
            words = text.split(" ")
            chance.shuffle(words)
            return " ".join(words) if len(words) < 200 else text[:at]
    return text[:at] + chr(chance.randrange(32, 127)) + text[min(len(text), at + 1) :]
