"""Script → contexts → rules → findings."""

from __future__ import annotations

import functools
import hashlib
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from partadvisor.lint.context import Context, Hit, ScriptContext, Versions
from partadvisor.lint.registry import RULE_PAGES, Rule, rules
from partadvisor.lint.scope import Tables
from partadvisor.lint.session import Lock
from partadvisor.lint.simulate import Simulated, simulate
from partadvisor.lint.sizes import duration, is_quiet
from partadvisor.lint.suppress import Suppressed, suppress
from partadvisor.model.ddl_parts import Span
from partadvisor.model.finding import (
    Finding,
    NotAnalysed,
    RelationLock,
    ReviewedStatement,
    Severity,
    StatementLock,
)
from partadvisor.sql.lex import normalised
from partadvisor.sql.split import Lines

OLDEST, NEWEST = 13, 18
"""Majors that are meant when nobody says: those the project supports on servers."""
FAILED = "the check of rule"
"""Begins the reason of a piece that a rule could not judge because the rule itself failed."""
ALL_VERSIONS = Versions(oldest=OLDEST, newest=NEWEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the user asked for. ``tables`` is the catalog, if one is given."""

    versions: Versions = ALL_VERSIONS
    tables: Tables = field(default_factory=Tables)
    in_transaction: bool | None = None
    max_locks: int | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    pages: str = RULE_PAGES


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReview:
    """What was found in one file."""

    findings: tuple[Finding, ...]
    statements: tuple[ReviewedStatement, ...]
    not_analysed: tuple[NotAnalysed, ...]
    suppressed: int


def review_text(file: str, text: str, options: Options) -> FileReview:
    """Review one script. ``file`` is its path as it shall be shown."""
    run = simulate(
        file,
        text,
        versions=options.versions,
        tables=options.tables,
        in_transaction=options.in_transaction,
        max_locks=options.max_locks,
    )
    lines = Lines(text)
    chosen = [r for r in rules().values() if is_selected(r, options)]
    told = [f for s in run.scripts for f in _findings(s, chosen, options, lines)]
    found = [f for f in told if isinstance(f, Finding)]
    failed = tuple(f for f in told if isinstance(f, NotAnalysed))
    kept: Suppressed = suppress(file, text, run, _numbered(found), {r.id: r for r in chosen}, lines, options.pages)
    findings = sorted(kept.findings, key=lambda f: (f.line, f.column, f.rule))
    return FileReview(
        findings=tuple(findings),
        statements=tuple(_statement(file, c, lines) for s in run.scripts for c in s.statements),
        not_analysed=(*_not_analysed(file, run, lines), *failed),
        suppressed=kept.count,
    )


def is_selected(rule: Rule, options: Options) -> bool:
    """Whether select and ignore leave the rule in: the longest matching prefix decides, ignore on a tie."""

    def reach(choices: Iterable[str]) -> int:
        fits = [len(c) for c in choices if rule.id.startswith(c.upper()) or rule.slug == c]
        return max(fits, default=-1)

    chosen = 0 if not options.select else reach(options.select)
    return chosen >= 0 and chosen > reach(options.ignore)


def _findings(
    script: ScriptContext, chosen: list[Rule], options: Options, lines: Lines
) -> Iterator[Finding | NotAnalysed]:
    for rule in chosen:
        if rule.check_script is not None:
            yield from _of_rule(rule, rule.check_script, script, None, options, lines)
    for context in script.statements:
        kinds = tuple(type(a) for a in context.facts.actions)
        for rule in chosen:
            if rule.check is not None and _concerns(kinds, rule.wants):
                yield from _of_rule(rule, rule.check, context, context, options, lines)


@functools.cache
def _concerns(kinds: tuple[type, ...], wants: tuple[type, ...]) -> bool:
    """Whether a statement with such actions is one that a rule wants to see."""
    return not wants or any(issubclass(kind, wants) for kind in kinds)


def _of_rule(
    rule: Rule,
    check: Callable[[Any], Iterable[Hit]],
    subject: Any,
    context: Context | None,
    options: Options,
    lines: Lines,
) -> Iterator[Finding | NotAnalysed]:
    """A rule's findings. One that fails says so and leaves the others their say: nobody is to be without a review."""
    script = context.script if context is not None else subject
    try:
        for hit in check(subject):
            if _counts(rule, hit, script, options, context):
                yield _finding(rule, hit, script, context, options, lines)
    except Exception as error:  # noqa: BLE001 - a defect of one rule, reported in the review itself
        line, column = lines.place(context.facts.span.start) if context is not None else (1, 1)
        reason = f"{FAILED} {rule.id} ({_where(error)}); this is a defect of partadvisor"
        yield NotAnalysed(file=script.file, line=line, column=column, reason=reason)


def _where(error: Exception) -> str:
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    place = f" at {PurePath(step.tb_frame.f_code.co_filename).name}:{step.tb_lineno}" if step else ""
    return f"{type(error).__name__}{place}"


def _counts(rule: Rule, hit: Hit, script: ScriptContext, options: Options, context: Context | None) -> bool:
    """Whether a hit becomes a finding: version, catalog, origin and quiet tables decide."""
    record = rule.record
    if not script.versions.any(record.since, record.until):
        return False
    if record.needs == "catalog" and not options.tables.complete:
        return False
    if script.section == "down" and not record.down:
        return False
    if context is not None and context.origin == "routine" and not record.routines:
        return False
    return not hit.about or not all(is_quiet(t, record.quiet) for t in hit.about)


def _finding(
    rule: Rule, hit: Hit, script: ScriptContext, context: Context | None, options: Options, lines: Lines
) -> Finding:
    record = rule.record
    line, column = lines.place(hit.at.start)
    end_line, end_column = lines.place(hit.at.end)
    locks = hit.locks or _relevant_locks(hit, context)
    return Finding(
        rule=rule.id,
        slug=rule.slug,
        severity=options.severity.get(rule.id) or hit.severity or record.severity,
        confidence=hit.confidence or record.confidence,
        file=script.file,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        message=filled(hit.message if hit.message is not None else record.message, hit),
        hint=filled(hit.hint if hit.hint is not None else record.hint, hit),
        blocked=filled(hit.blocked if hit.blocked is not None else record.blocked, hit),
        duration=duration(record, hit),
        recipe=filled(hit.recipe if hit.recipe is not None else record.recipe, hit).strip("\n"),
        relations=tuple(RelationLock(name=k.relation, lock_mode=k.mode) for k in locks),
        section=script.section,
        fix=hit.fix,
        fingerprint=_fingerprint(rule, script, hit.at),
        url=rule.url(options.pages),
    )


def _relevant_locks(hit: Hit, context: Context | None) -> tuple[Lock, ...]:
    about = {t.name for t in hit.about}
    return () if context is None else tuple(k for k in context.locks if not about or k.relation in about)


class _Lenient(string.Formatter):
    """A place without a value stays as it is: a slip in a rule must not cost the user the finding."""

    def get_value(self, key: int | str, args: object, kwargs: Mapping[str, object]) -> object:  # noqa: ARG002
        return kwargs.get(str(key), "{" + str(key) + "}")


def filled(template: str, hit: Hit) -> str:
    """A record's text with the hit's values."""
    return _Lenient().vformat(template, (), hit.values) if "{" in template else template


def _fingerprint(rule: Rule, script: ScriptContext, at: Span) -> str:
    text = normalised_values(script.text[at.start : at.end])
    return hashlib.sha256(f"{rule.id}\0{script.section}\0{text}".encode(errors="replace")).hexdigest()[:20]


def normalised_values(text: str) -> str:
    """Spaces, comments and case evened out; values stay, since they tell two statements apart."""
    return " ".join(text.split()).lower() if "'" in text else normalised(text)


def _numbered(findings: list[Finding]) -> list[Finding]:
    """Equal fingerprints of one file get a number, in the order of the file."""
    import msgspec

    seen: Counter[str] = Counter()
    numbered = []
    for finding in findings:
        seen[finding.fingerprint] += 1
        count = seen[finding.fingerprint]
        numbered.append(
            finding if count == 1 else msgspec.structs.replace(finding, fingerprint=f"{finding.fingerprint}-{count}")
        )
    return numbered


def _statement(file: str, context: Context, lines: Lines) -> ReviewedStatement:
    line, _ = lines.place(context.facts.span.start)
    locks = tuple(StatementLock(relation=k.relation, role=k.role, mode=k.mode) for k in context.locks)
    return ReviewedStatement(file=file, line=line, text=context.facts.text, locks=locks)


def _not_analysed(file: str, run: Simulated, lines: Lines) -> tuple[NotAnalysed, ...]:
    found = []
    for unread in run.unread:
        line, column = lines.place(unread.span.start)
        found.append(NotAnalysed(file=file, line=line, column=column, reason=unread.reason))
    return tuple(dict.fromkeys(sorted(found, key=lambda n: (n.line, n.column))))
