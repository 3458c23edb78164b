"""Patterns of conditions with syntax of other systems, which is literal: `*.{js,ts}`, `release/[0-9]*`, `$BRANCH`."""

from __future__ import annotations

import re

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed
from pipegen.lint.base import CheckedConfig
from pipegen.plan.model import Condition, Exists, FilesChanged, Matches, Pattern, Subject
from pipegen.plan.model.logic import atoms

_CHOICES = re.compile(r"\{([^{},]*(?:,[^{},]*)+)\}")
_VARIABLE = re.compile(r"\$(\w+|\{\w+\})")
_REFS = {Subject.BRANCH: "branch", Subject.TAG: "tag"}


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
        ref = _REFS.get(atom.subject) if isinstance(atom, Matches) else ""
        if ref is None:
            continue
        for pattern in atom.patterns:
            problem, hint = _other_syntax(pattern, ref)
            if problem:
                report.add(codes.LITERAL_GLOB, f'in "{pattern.text}", {problem}', at=atom.span, hint=hint)


def _other_syntax(pattern: Pattern, ref: str) -> tuple[str, str]:
    """Return the literal syntax in *pattern*, and what to write; "" if there is none. *ref* is "" for files."""
    text = pattern.text
    if pattern.is_regex:
        return "", ""
    if choices := _CHOICES.search(text):
        before, after = text[: choices.start()], text[choices.end() :]
        several = [f"{before}{choice.strip()}{after}" for choice in choices[1].split(",")]
        return f'"{choices[0]}" is literal text', f"write each alternative as a pattern: {listed(several)}"
    if variable := _VARIABLE.search(text):
        return f'"{variable[0]}" is literal text: a pattern contains no variables', _without(variable, text, ref)
    if ref and "[" in text:
        return (
            '"[" is literal text, which no branch or tag contains',
            'write a regular expression between slashes, such as "/^v[0-9]/"',
        )
    if ref and text.startswith("!"):
        return '"!" is literal text', f'put what to exclude into "not": {{ … "{text[1:]}" }}'
    return "", ""


def _without(variable: re.Match[str], text: str, ref: str) -> str:
    """Return what to write in place of *text*, which contains *variable*. *ref* is "" for files."""
    name = variable[1].strip("{}")
    if name == "CI_DEFAULT_BRANCH":
        return 'write the name of the branch, such as "main"'
    if ref and variable[0] == text:
        return f'write the text itself, or compare with the variable: "equal: [{ref}, env.{name}]"'
    return "write the text itself"
