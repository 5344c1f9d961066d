"""Script → contexts → rules → findings."""

from __future__ import annotations

import hashlib
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from partadvisor.lint.context import Context, Hit, ScriptContext, Versions
from partadvisor.lint.registry import RULE_PAGES, Record, Rule, rules
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
    found = [f for s in run.scripts for f in _findings(s, chosen, options, lines)]
    kept: Suppressed = suppress(file, text, run, _numbered(found), {r.id: r for r in chosen}, lines, options.pages)
    findings = sorted(kept.findings, key=lambda f: (f.line, f.column, f.rule))
    return FileReview(
        findings=tuple(findings),
        statements=tuple(_statement(file, c, lines) for s in run.scripts for c in s.statements),
        not_analysed=_not_analysed(file, run, lines),
        suppressed=kept.count,
    )


def is_selected(rule: Rule, options: Options) -> bool:
    """Whether select and ignore leave the rule in: the longest matching prefix decides, ignore on a tie."""

    def reach(choices: Iterable[str]) -> int:
        fits = [len(c) for c in choices if rule.id.startswith(c.upper()) or rule.slug == c]
        return max(fits, default=-1)

    chosen = 0 if not options.select else reach(options.select)
    return chosen >= 0 and chosen > reach(options.ignore)


def _findings(script: ScriptContext, chosen: list[Rule], options: Options, lines: Lines) -> Iterator[Finding]:
    for rule in chosen:
        if rule.check_script is not None:
            for hit in _hits_of_script(rule, script, options):
                yield _finding(rule, hit, script, None, options, lines)
    for context in script.statements:
        kinds = tuple(type(a) for a in context.facts.actions)
        for rule in chosen:
            if rule.check is None or (rule.wants and not any(issubclass(k, rule.wants) for k in kinds)):
                continue
            for hit in rule.check(context):
                if _counts(rule, hit, context.script, options, context):
                    yield _finding(rule, hit, script, context, options, lines)


def _hits_of_script(rule: Rule, script: ScriptContext, options: Options) -> Iterator[Hit]:
    if rule.check_script is not None:
        yield from (h for h in rule.check_script(script) if _counts(rule, h, script, options, None))


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


def known_rule_ids() -> Iterable[str]:
    """All rule ids."""
    return rules().keys()


def record_of(rule_id: str) -> Record:
    """The record of a rule."""
    return rules()[rule_id].record
