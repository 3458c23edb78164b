"""Patterns of conditions with the syntax of other globs, such as `*.{js,ts}` or `release/[0-9]*`, which is literal."""

from __future__ import annotations

import re

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed
from pipegen.lint.base import CheckedConfig
from pipegen.plan.model import Exists, FilesChanged, Matches, Pattern, Subject
from pipegen.plan.model.logic import atoms

_CHOICES = re.compile(r"\{([^{},]*(?:,[^{},]*)+)\}")
_REFS = (Subject.BRANCH, Subject.TAG)


def check(config: CheckedConfig, report: Report) -> None:
    """Report each pattern of a branch, a tag or a file that another system would read as more than text."""
    conditions = [
        condition for plan in config.plans for condition in (plan.condition, *(job.condition for job in plan.jobs))
    ]
    for atom in atoms(*conditions):
        if not isinstance(atom, FilesChanged | Exists | Matches) or (
            isinstance(atom, Matches) and atom.subject not in _REFS
        ):
            continue
        for pattern in atom.patterns:
            found = None if pattern.is_regex else _literal(pattern, is_ref=isinstance(atom, Matches))
            if found is not None:
                problem, hint = found
                report.add(codes.LITERAL_GLOB, f'in "{pattern.text}", {problem}', at=atom.span, hint=hint)


def _literal(pattern: Pattern, *, is_ref: bool) -> tuple[str, str] | None:
    """Return what is literal in *pattern*, and what to write; None if nothing looks like another glob."""
    text = pattern.text
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
    return None
