"""Texts that GitLab itself expands: names of archives, keys of caches, environments."""

from __future__ import annotations

import re

from pipegen.bindings.expression import Part, Reference, Scope, Text
from pipegen.diagnostics.codes import NOT_EXPANDED
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Plan
from pipegen.targets.gitlab.host import pipeline_variable

_NAME = re.compile(r"\$(\w+)", re.ASCII)
# Branches may hold slashes, which archives and keys may not.
_BRANCH, _SLUG = "branch", "${CI_COMMIT_REF_SLUG}"


def expanded(text: Text, what: str, plan: Plan, report: Report, *, is_slug: bool = False) -> str:
    """Return *text* as GitLab expands it to what is meant; what it cannot expand of *what* is reported.

    Where it *is_slug*, the name of a branch stands in it with what is no letter or digit made `-`.
    """
    return "".join(_expanded(part, what, plan, report, is_slug=is_slug) for part in text.parts)


def escaped(text: str) -> str:
    """Return *text* as GitLab must find it so that nothing in it is expanded."""
    return text.replace("$", "$$")


def _expanded(part: Part, what: str, plan: Plan, report: Report, *, is_slug: bool) -> str:
    match part:
        case str():
            return escaped(part)
        case Reference(scope=Scope.SETUP, name="pipeline"):
            return escaped(plan.name)
        case Reference(scope=Scope.SETUP, name=name, default=None):
            if is_slug and name == _BRANCH:
                return _SLUG
            if found := _variable(name):
                return _NAME.sub(r"${\1}", found)
            return _reported(part, what, report)
        case Reference():
            return _reported(part, what, report)
        case _:
            return escaped(getattr(part, "source", ""))


def _variable(name: str) -> str | None:
    return "$CI_JOB_URL" if name == "logURL" else pipeline_variable(name)


def _reported(reference: Reference, what: str, report: Report) -> str:
    has_default = reference.default is not None
    report.add(
        NOT_EXPANDED,
        f'GitLab has no {"default" if has_default else "variable"} for "{reference}" in {what}, which it expands itself',
        at=reference.span,
        hint="leave the default out" if has_default else "use ${setup.commit}, ${setup.branch}, ${setup.tag} or ${setup.params.NAME}",
    )
    return ""
