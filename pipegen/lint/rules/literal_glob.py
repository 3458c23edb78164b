"""Patterns of conditions with the syntax of other globs, such as `*.{js,ts}` or `release/[0-9]*`, which is literal."""

from __future__ import annotations

import re

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed
from pipegen.lint.base import CheckedConfig
from pipegen.plan.model import Condition, Exists, FilesChanged, Matches, Pattern, Subject
from pipegen.plan.model.logic import atoms

_CHOICES = re.compile(r"\{([^{},]*(?:,[^{},]*)+)\}")
_REFS = (Subject.BRANCH, Subject.TAG)


def check(config: CheckedConfig, report: Report) -> None:
    """Report each pattern of a branch, a tag or a file that another system would read as more than text."""
    for plan in config.plans:
        _check(plan.condition, report)
        for job in plan.jobs:
            allowed, approval = job.limits.allow_failure, job.deployment.approval
            _check(job.condition, report)
            _check(allowed.condition if allowed is not None else None, report)
            _check(approval.condition if approval is not None else None, report)
            for case in job.cases:
                _check(case.condition, report)


def _check(condition: Condition | None, report: Report) -> None:
    for atom in atoms(condition):
        if not isinstance(atom, FilesChanged | Exists | Matches):
            continue
        is_ref = isinstance(atom, Matches)
        if isinstance(atom, Matches) and atom.subject not in _REFS:
            continue
        for pattern in atom.patterns:
            problem, hint = _other_syntax(pattern, is_ref=is_ref)
            if problem:
                report.add(codes.LITERAL_GLOB, f'in "{pattern.text}", {problem}', at=atom.span, hint=hint)


def _other_syntax(pattern: Pattern, *, is_ref: bool) -> tuple[str, str]:
    """Return what is literal in *pattern*, and what to write; "" if nothing looks like another glob."""
    text = pattern.text
    if pattern.is_regex:
        return "", ""
    if choices := _CHOICES.search(text):
        before, after = text[: choices.start()], text[choices.end() :]
        several = [f"{before}{choice.strip()}{after}" for choice in choices[1].split(",")]
        return f'"{choices[0]}" is literal text', f"write each alternative as a pattern: {listed(several)}"
    if is_ref and "[" in text:
        return (
            '"[" is literal text, which no branch or tag contains',
            'write a regular expression between slashes, such as "/^v[0-9]/"',
        )
    if is_ref and text.startswith("!"):
        return '"!" is literal text', f'put what to exclude into "not": {{ … "{text[1:]}" }}'
    return "", ""
