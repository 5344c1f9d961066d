"""A review for other programs: GitHub annotations and GitLab's code quality report."""

from __future__ import annotations

import json

from partadvisor.model.finding import Finding, Review

_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}
_GITLAB = {"error": "critical", "warning": "major", "info": "info"}


def github_text(review: Review) -> str:
    """Workflow commands, one a finding; what could not be analysed is a notice."""
    lines = [_github(f) for f in review.findings]
    for piece in review.not_analysed:
        place = f"file={_property(piece.file)},line={piece.line},col={piece.column}"
        lines.append(f"::notice {place},title=not analysed::{_data(piece.reason)}")
    return "".join(line + "\n" for line in lines)


def _github(finding: Finding) -> str:
    place = f"file={_property(finding.file)},line={finding.line},endLine={finding.end_line},col={finding.column}"
    if finding.end_line == finding.line:
        place += f",endColumn={finding.end_column}"
    title = _property(f"{finding.rule} {finding.slug}")
    return f"::{_GITHUB[finding.severity]} {place},title={title}::{_data(_whole(finding))}"


def _whole(finding: Finding) -> str:
    parts = [finding.message]
    if finding.blocked:
        parts.append(f"Blocked: {finding.blocked}{', ' if finding.duration else ''}{finding.duration}.")
    parts += [finding.hint] if finding.hint else []
    parts += [f"Instead:\n{finding.recipe}"] if finding.recipe else []
    return "\n".join(parts)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def gitlab_text(review: Review) -> str:
    """Code quality report, which is a JSON list."""
    entries = [
        {
            "description": f"{f.rule} {f.slug}: {_whole(f)}",
            "check_name": f.rule,
            "fingerprint": f"{f.file}:{f.fingerprint}",
            "severity": _GITLAB[f.severity],
            "location": {"path": f.file, "lines": {"begin": f.line, "end": f.end_line}},
        }
        for f in review.findings
    ]
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"
