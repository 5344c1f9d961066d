"""A review as SARIF 2.1.0: rules with their help, relative paths, fingerprints that outlive moved lines, and fixes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from partadvisor.lint.registry import Rule
from partadvisor.model.finding import Edit, Finding, NotAnalysed, Review
from partadvisor.sql.split import Lines

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVEL = {"error": "error", "warning": "warning", "info": "note"}
_PRECISION = {"high": "very-high", "medium": "high", "low": "medium"}


def sarif_text(review: Review, rules: Mapping[str, Rule], texts: Mapping[str, str], *, tool_version: str) -> str:
    """The log, with one run."""
    used = sorted({f.rule for f in review.findings})
    places = {rule: number for number, rule in enumerate(used)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "partadvisor",
                "semanticVersion": tool_version,
                "rules": [_rule(rules[r], _url(review, r)) for r in used],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The folder the review was started in."}}},
        "results": [_result(f, places[f.rule], texts) for f in review.findings],
        "invocations": [
            {"executionSuccessful": True, "toolExecutionNotifications": [_notification(n) for n in review.not_analysed]}
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _url(review: Review, rule: str) -> str:
    return next((f.url for f in review.findings if f.rule == rule), "")


def _rule(rule: Rule, url: str) -> dict[str, Any]:
    record = rule.record
    entry: dict[str, Any] = {
        "id": rule.id,
        "name": rule.slug,
        "shortDescription": {"text": f"{record.title}."},
        "fullDescription": {"text": record.effect},
        "help": {"text": f"{record.condition}\n\n{record.effect}\n\n{record.workaround}"},
        "defaultConfiguration": {"level": _LEVEL[record.severity]},
        "properties": {"precision": _PRECISION[record.confidence], "tags": ["postgresql", "migration"]},
    }
    if url.startswith(("http://", "https://")):
        entry["helpUri"] = url
    return entry


def _location(file: str, region: dict[str, Any]) -> dict[str, Any]:
    artifact = {"uri": quote(file), "uriBaseId": "SRCROOT"}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _result(finding: Finding, place: int, texts: Mapping[str, str]) -> dict[str, Any]:
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    blocked = f" Blocked: {finding.blocked}." if finding.blocked else ""
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": place,
        "level": _LEVEL[finding.severity],
        "message": {"text": f"{finding.message}.{blocked} {finding.hint}".strip()},
        "locations": [_location(finding.file, region)],
        "partialFingerprints": {"partadvisorStatement/v1": finding.fingerprint},
        "properties": {"confidence": finding.confidence},
    }
    if finding.recipe:
        result["properties"]["recipe"] = finding.recipe
    if finding.fix is not None and finding.file in texts:
        lines = Lines(texts[finding.file])
        changes = [_replacement(e, lines) for e in finding.fix.edits]
        artifact = {"uri": quote(finding.file), "uriBaseId": "SRCROOT"}
        change = {"artifactLocation": artifact, "replacements": changes}
        result["fixes"] = [{"description": {"text": finding.fix.title}, "artifactChanges": [change]}]
    return result


def _replacement(edit: Edit, lines: Lines) -> dict[str, Any]:
    (line, column), (end_line, end_column) = lines.place(edit.span.start), lines.place(edit.span.end)
    region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    return {"deletedRegion": region, "insertedContent": {"text": edit.text}}


def _notification(piece: NotAnalysed) -> dict[str, Any]:
    region = {"startLine": piece.line, "startColumn": piece.column}
    message = {"text": f"not analysed: {piece.reason}"}
    return {"level": "note", "message": message, "locations": [_location(piece.file, region)]}
