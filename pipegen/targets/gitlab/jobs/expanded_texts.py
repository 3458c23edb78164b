"""Texts that GitLab itself expands: names of images and archives, keys of caches, environments."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipegen.bindings.expression import Defaulted, Part, Reference, Scope, Text
from pipegen.diagnostics.codes import NOT_EXPANDED
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job, Plan
from pipegen.targets.gitlab.jobs.shell_variables import expanded_variable, pipeline_variable

_NAME = re.compile(r"\$(\w+)", re.ASCII)
# Branches may hold slashes, which archives and keys may not.
_NO_NAMES = frozenset({"imageID", "imageLocalName", "container"})
_BRANCH, _SLUG = "branch", "${CI_COMMIT_REF_SLUG}"


def expanded(
    text: Text,
    what: str,
    plan: Plan,
    report: Report,
    *,
    is_slug: bool = False,
    producers: Mapping[str, Job] | None = None,
) -> str:
    """Return *text* as GitLab expands it to what is meant; what it cannot expand of *what* is reported.

    Where it *is_slug*, the name of a branch stands in it with what is no letter or digit made `-`. *producers* are
    the stages whose outputs are there as variables, by dotenv reports, in which a default is the job's own variable.
    """
    return "".join(
        [
            escaped(part)
            if isinstance(part, str)
            else _output(part, producers or {}) or _expanded(part, what, plan, report, is_slug=is_slug)
            for part in text.parts
        ]
    )


def _output(part: Part, producers: Mapping[str, Job]) -> str:
    """Return the variable of an output that a report sets; an image by its ID has no name that a runner could pull."""
    if not isinstance(part, Reference) or part.scope is not Scope.STAGE or part.name in _NO_NAMES:
        return ""
    producer = producers.get(part.namespace or "")
    return f"${{{expanded_variable(producer, part.name)}}}" if producer is not None else ""


def can_expand(text: Text) -> bool:
    """Return whether GitLab expands *text* by itself to what is meant."""
    return all(not isinstance(part, Reference | Defaulted) or _is_known(part) for part in text.parts)


def escaped(text: str) -> str:
    """Return *text* as GitLab must find it so that nothing in it is expanded."""
    return text.replace("$", "$$")


def _expanded(part: Part, what: str, plan: Plan, report: Report, *, is_slug: bool) -> str:
    if not isinstance(part, Reference):
        return escaped(part if isinstance(part, str) else getattr(part, "source", ""))
    if part.scope is Scope.SETUP and part.name == "pipeline":
        return escaped(plan.name)
    if part.scope is Scope.INPUT and part.default is None:
        return f"${{{part.name}}}"
    variable = _variable(part.name) if part.scope is Scope.SETUP and part.default is None else None
    if variable is None:
        _report(part, what, report)
        return ""
    return _SLUG if is_slug and part.name == _BRANCH else _NAME.sub(r"${\1}", variable)


def _is_known(part: Reference | Defaulted) -> bool:
    if isinstance(part, Defaulted) or part.default is not None:
        return False
    if part.scope is not Scope.SETUP:
        return part.scope is Scope.INPUT
    return part.name == "pipeline" or _variable(part.name) is not None


def _variable(name: str) -> str | None:
    return "$CI_JOB_URL" if name == "logURL" else pipeline_variable(name)


def _report(reference: Reference, what: str, report: Report) -> None:
    lacks = "variable" if reference.default is None else "default"
    report.add(
        NOT_EXPANDED,
        f'GitLab has no {lacks} for "{reference}" in {what}, which it expands itself',
        at=reference.span,
        hint="leave the default out"
        if reference.default is not None
        else "use ${setup.commit}, ${setup.branch}, ${setup.tag} or ${setup.params.NAME}",
    )
