"""A rule for people: on the terminal, and as a page of the documentation. Both show the same record and examples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from partadvisor.lint.engine import ALL_VERSIONS, Options, review_text
from partadvisor.lint.registry import Rule
from partadvisor.model.finding import Review
from partadvisor.render.review_text import review_text as rendered
from partadvisor.render.style import Style, pad, wrapped

_PAGE_WIDTH = 100
_FAMILIES = {
    "0": "The review itself",
    "1": "Partitions",
    "2": "Indexes, constraints and columns",
    "3": "Timeouts, transactions and locks",
    "4": "Conversion and swap",
    "5": "Design and loss of data",
}


def _example(rule: Rule, name: str) -> str:
    return (rule.folder / name).read_text(encoding="utf-8")


def versions_text(rule: Rule) -> str:
    """``11 to 16``, ``17 and later``, ``all``."""
    since, until = rule.record.since, rule.record.until
    if until < 999:
        return f"up to {until}" if not since else f"{since} to {until}" if since != until else f"{since}"
    return f"{since} and later" if since else "all"


def rule_entry(rule: Rule) -> dict[str, Any]:
    """All of a rule as plain data."""
    record = msgspec.to_builtins(rule.record)
    examples = {"bad": _example(rule, "bad.sql"), "good": _example(rule, "good.sql")}
    return {"id": rule.id, "slug": rule.slug, **record, "url": rule.url(), **examples}


def rules_list(rules: Iterable[Rule], *, width: int, colour: bool) -> str:
    """One line a rule, by family."""
    style = Style(colour)
    lines: list[str] = []
    family = ""
    for rule in rules:
        if rule.id[2] != family:
            family = rule.id[2]
            lines += ["", style.bold(_FAMILIES.get(family, family))]
        head = f"  {rule.id}  {pad(_painted(rule.record.severity, style), 7)}  "
        lines += wrapped(rule.record.title, width, first=head, rest=" " * 18)
    return "\n".join([*lines[1:], "", 'One of them in full: "partadvisor rules PA101".']) + "\n"


def _painted(severity: str, style: Style) -> str:
    return {"error": style.red, "warning": style.yellow, "info": style.cyan}[severity](severity)


def rule_text(rule: Rule, *, width: int, colour: bool) -> str:
    """A rule on the terminal."""
    style, record = Style(colour), rule.record
    lines = [style.bold(f"{rule.id} {rule.slug}"), *wrapped(f"{record.title}.", width, first="  "), ""]
    about = f"{record.severity}, {record.confidence} confidence; PostgreSQL {versions_text(rule)}"
    lines += [f"  {about}{'; needs --snapshot or --schema' if record.needs == 'catalog' else ''}", ""]
    for title, text in (("Found", record.condition), ("Why it hurts", record.effect), ("Instead", record.workaround)):
        lines += [style.bold(title), *wrapped(text, width, first="  "), ""]
    for title, name in (("Bad", "bad.sql"), ("Good", "good.sql")):
        lines += [style.bold(title), *(f"  {line}" for line in _example(rule, name).splitlines()), ""]
    lines += [style.bold("Sources"), *(f"  {r}" for r in record.references)] if record.references else []
    return "\n".join(lines).rstrip() + "\n"


def rule_page(rule: Rule) -> str:
    """The page of a rule, with the reviewer's own output on its bad example."""
    record = rule.record
    about = f"**{record.severity}**, {record.confidence} confidence; PostgreSQL {versions_text(rule)}"
    needs = "; needs `--snapshot` or `--schema`" if record.needs == "catalog" else ""
    parts = [
        f"# {rule.id} {rule.slug}",
        f"{record.title}.",
        f"{about}{needs}.",
        f"## What is found\n\n{record.condition}",
        f"## Why it hurts\n\n{record.effect}",
        f"## What to do instead\n\n{record.workaround}",
        f"## Bad\n\n```sql\n{_example(rule, 'bad.sql').rstrip()}\n```",
        f"What `partadvisor review` says:\n\n```\n{_output(rule).rstrip()}\n```",
        f"## Good\n\n```sql\n{_example(rule, 'good.sql').rstrip()}\n```",
    ]
    if record.references:
        parts.append("## Sources\n\n" + "\n".join(f"- {r}" for r in record.references))
    return "\n\n".join(parts) + "\n"


def _output(rule: Rule) -> str:
    from partadvisor.lint.catalog import of_schema
    from partadvisor.lint.context import Versions
    from partadvisor.lint.scope import Tables

    text = _example(rule, "bad.sql")
    newest = min(rule.record.until, ALL_VERSIONS.newest)
    versions = Versions(oldest=min(max(rule.record.since, ALL_VERSIONS.oldest), newest), newest=newest)
    tables = of_schema(rule.schema, versions) if rule.record.needs == "catalog" else Tables()
    first = text.splitlines()[0] if text else ""
    path = first.removeprefix("-- path:").strip() if first.startswith("-- path:") else "bad.sql"
    found = review_text(path, text, Options(versions=versions, tables=tables))
    review = Review(
        target_versions=tuple(range(versions.oldest, versions.newest + 1)),
        files=(path,),
        findings=tuple(f for f in found.findings if f.rule == rule.id),
        statements=found.statements,
    )
    return rendered(review, {path: text}, width=_PAGE_WIDTH, colour=False)


def index_page(rules: Iterable[Rule]) -> str:
    """The list of all rules."""
    lines = ["# Rules", "", "One page a rule; `partadvisor rules PA101` shows the same on the terminal."]
    family = ""
    for rule in rules:
        if rule.id[2] != family:
            family = rule.id[2]
            lines += ["", f"## {_FAMILIES.get(family, family)}", "", "| rule | level | finds |", "|---|---|---|"]
        lines.append(f"| [{rule.id} {rule.slug}]({rule.url('')}) | {rule.record.severity} | {rule.record.title} |")
    return "\n".join(lines) + "\n"
