"""Texts that GitLab expands: names of images and archives, cache keys, environments."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from pipegen.bindings.expression import Bare, Defaulted, Part, Reference, Scope, Text
from pipegen.diagnostics.codes import NOT_EXPANDED
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Commands, Job, Plan
from pipegen.plan.model.steps import declares
from pipegen.shell.images import IMAGE_OUTPUTS
from pipegen.targets.gitlab.jobs.values.shell_variables import expanded_variable, pipeline_variable
from pipegen.targets.gitlab.jobs.values.variables import expands_plainly, is_of_gitlab

_NAME = re.compile(r"\$(\w+)", re.ASCII)
# A dollar sign before may be the escape of a text that looks like a variable.
_NEEDLESS_BRACES = r"(?<!\$)\$\{([A-Za-z_]\w*)\}(?!\w)"
# In the pipeline of a merge request, the slug is that of its source branch.
_BRANCHES, _SLUG = frozenset({"branch", "sourceBranch"}), "${CI_COMMIT_REF_SLUG}"


def expanded(
    text: Text,
    use: str,
    plan: Plan,
    report: Report,
    *,
    is_slug: bool = False,
    producers: Mapping[str, Job] | None = None,
) -> str:
    """Return *text* in GitLab's syntax; references that GitLab cannot expand in *use* are reported.

    With *is_slug*, the name of a branch is a slug, because archives and keys cannot contain slashes. *producers* are
    the stages whose outputs are variables, by dotenv reports; the job that reads them sets the defaults.
    """
    braced = "".join(
        [
            escaped(part)
            if isinstance(part, str)
            else _output(part, producers or {}) or _expanded(part, use, plan, report, is_slug=is_slug)
            for part in text.parts
        ]
    )
    return without_needless_braces(braced)


def without_needless_braces(text: str) -> str:
    """Return *text* with `$NAME` in place of `${NAME}` where no character of a name follows."""
    return re.sub(_NEEDLESS_BRACES, r"$\1", text)


def _output(part: Part, producers: Mapping[str, Job]) -> str:
    """Return the variable of an output that a report sets; a container is not an image."""
    if not isinstance(part, Reference) or part.scope is not Scope.STAGE:
        return ""
    producer = producers.get(part.namespace or "")
    if producer is None or (part.name == "container" and not declares(producer.steps, part.name)):
        return ""
    return f"${{{expanded_variable(producer, part.name)}}}"


def report_local_images(text: Text, producers: Mapping[str, Job], report: Report) -> None:
    """Report references of *text*, the name of an image, to images of *producers* that are in no registry."""
    for reference in text.references():
        stage = reference.namespace or ""
        is_image = reference.scope is Scope.STAGE and reference.name in IMAGE_OUTPUTS
        if is_image and not declares(producers[stage].steps, reference.name):
            hint = f'publish the image in stage "{stage}", and use its name: "${{{stage}.publishedImage}}"'
            _add("variable", reference, "the name of an image", hint, report)


def can_expand(text: Text) -> bool:
    """Return whether GitLab can expand *text*."""
    return all(not isinstance(part, Reference | Defaulted) or _is_known(part) for part in text.parts)


def variable_texts(job: Job, plan: Plan, others: Collection[str]) -> dict[str, str]:
    """Return the variables in `env` of *job* as those of GitLab, which expands the variables in them.

    They are without those that only a shell can set: GitLab knows its own variables, inputs, the *others* of the job,
    and those before.
    """
    known = {*others, *(each.name for each in plan.inputs)}
    values: dict[str, str] = {}
    for name, text in [variable for step in job.steps if isinstance(step, Commands) for variable in step.env]:
        read = {part.name for part in text.parts if isinstance(part, Bare)}
        if can_expand(text) and all(is_of_gitlab(each) or each in known for each in read - {*values}):
            values[name] = _variable_text(text, plan)
        else:
            values.pop(name, None)
    return values


def plain_value(text: Text, plan: Plan, known: Collection[str]) -> str | None:
    """Return *text* of `env` in GitLab's syntax, None unless all its variables have plain values.

    They are GitLab's, or those of the job that are *known*.
    """
    if not can_expand(text):
        return None
    value = _variable_text(text, plan)
    return value if value.isprintable() and expands_plainly(value, known) else None


def _variable_text(text: Text, plan: Plan) -> str:
    parts = [
        part.source if isinstance(part, Bare) else _expanded(part, "env", plan, Report(), is_slug=False)
        for part in text.parts
    ]
    return re.sub(_NEEDLESS_BRACES, r"$\1", "".join(parts))


def escaped(text: str) -> str:
    """Return *text* in GitLab's syntax, so that nothing in it is expanded."""
    return text.replace("$", "$$")


def _expanded(part: Part, use: str, plan: Plan, report: Report, *, is_slug: bool) -> str:
    if not isinstance(part, Reference):
        return escaped(part if isinstance(part, str) else getattr(part, "source", ""))
    if part.scope is Scope.SETUP and part.name == "pipeline":
        return escaped(plan.name)
    if part.scope is Scope.INPUT and part.default is None:
        return f"${{{part.name}}}"
    variable = _variable(part.name) if part.scope is Scope.SETUP and part.default is None else None
    if variable is None:
        _report(part, use, report)
        return ""
    return _SLUG if is_slug and part.name in _BRANCHES else _NAME.sub(r"${\1}", variable)


def _is_known(part: Reference | Defaulted) -> bool:
    if isinstance(part, Defaulted) or part.default is not None:
        return False
    if part.scope is not Scope.SETUP:
        return part.scope is Scope.INPUT
    return part.name == "pipeline" or _variable(part.name) is not None


def _variable(name: str) -> str | None:
    return "$CI_JOB_URL" if name == "logURL" else pipeline_variable(name)


def _report(reference: Reference, use: str, report: Report) -> None:
    if reference.default is None:
        hint = "use ${setup.commit}, ${setup.branch}, ${setup.tag} or ${setup.params.NAME}"
        _add("variable", reference, use, hint, report)
    else:
        _add("default", reference, use, "remove the default", report)


def _add(lacks: str, reference: Reference, use: str, hint: str, report: Report) -> None:
    report.add(
        NOT_EXPANDED,
        f'GitLab has no {lacks} for "{reference}" in {use}, which GitLab itself expands',
        at=reference.span,
        hint=hint,
    )
