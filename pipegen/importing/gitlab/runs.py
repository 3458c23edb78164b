"""What a pipeline runs for an event: jobs, their order, scripts, variables and images."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product

from pipegen.importing.arcs import closure
from pipegen.importing.gitlab.expressions import ExpressionError, Facts, holds
from pipegen.importing.gitlab.jobs import SourceJob, SourcePipeline, Variable
from pipegen.importing.gitlab.order import needs_of
from pipegen.importing.gitlab.rules import MANUAL, NEVER, ON_SUCCESS, Rule, rules_of, workflow_rules
from pipegen.importing.gitlab.tree import (
    entries_of,
    is_null,
    items_of,
    text_of,
    texts_of,
)
from pipegen.readback.gitlab_file import HELPER
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Scalar
from pipegen.structs import Struct, field

_VARIABLE = re.compile(r"\$\$|\$(\w+)|\$\{(\w+)\}|\$", re.ASCII)
# Stands for a dollar sign that begins no variable.
_DOLLAR = "\0"
_UNKNOWN = "unknown"
_MOST_LEVELS = 10


class StartedJob(Struct, kw_only=True):
    """A job in a run: how it starts, whether later stages wait for it, and the rules' variables."""

    job: SourceJob
    when: str
    is_awaited: bool
    variables: Mapping[str, str] = field(default_factory=dict)


class RunJob(Struct, kw_only=True):
    """A combination of a *job*; *before* are all jobs that end before it, *files* those whose files it gets."""

    name: str
    job: str
    when: str
    is_optional: bool
    before: frozenset[str]
    files: frozenset[str]
    script: tuple[str, ...]
    after: tuple[str, ...]
    variables: Mapping[str, str]
    image: str


def run(source: SourcePipeline, facts: Facts) -> dict[str, RunJob] | None:
    """Return the jobs of the run with *facts* by name, None if GitLab refuses it: a job needs one that is not in it."""
    if not _starts(source, facts):
        return {}
    started = {
        name: started_job
        for name, job in source.jobs.items()
        if (started_job := _started(job, source, facts)) is not None
    }
    if _has_missing_needs(started, source):
        return None
    direct, files = _order(started, source)
    ancestors = closure(direct)
    combinations = {name: list(_combinations(one.job)) for name, one in started.items()}
    names = {name: frozenset(one for one, _ in combinations[name]) for name in started}
    shown = {name for name, one in started.items() if HELPER not in one.job.variables}
    leaving = {name for name, one in started.items() if _leaves_files(one.job)}
    jobs: dict[str, RunJob] = {}
    for name in shown:
        started_job = started[name]
        for own_name, values in combinations[name]:
            variables = {
                **_texts(started_job.job.variables),
                **_expanded_all(started_job.variables),
                **_literals(values),
            }
            jobs[own_name] = RunJob(
                name=own_name,
                job=name,
                when=_without_effect(started_job.when, direct[name]),
                is_optional=started_job.when == MANUAL and not started_job.is_awaited,
                before=frozenset[str]().union(*(names[other] for other in ancestors[name] if other in shown)),
                files=frozenset[str]().union(*(names[other] for other in files[name] & ancestors[name] & leaving)),
                script=_commands(started_job.job, "before_script", "script"),
                after=_commands(started_job.job, "after_script"),
                variables=variables,
                image=_image(started_job.job),
            )
    return jobs


def _without_effect(when: str, before: Collection[str]) -> str:
    """Return how a job starts: the first jobs of a run start the same way, whatever happens to others."""
    return ON_SUCCESS if when == "always" and not before else when


def _starts(source: SourcePipeline, facts: Facts) -> bool:
    try:
        rules = workflow_rules(source)
    except ExpressionError:
        return True
    if not rules:
        return True
    rule = _first(rules, _with(facts, source.variables, {}))
    return rule is not None and rule.when != NEVER


def _with(facts: Facts, variables: Mapping[str, Variable], extra: Mapping[str, str]) -> Facts:
    """Return *facts* with *variables*, over which those of the run have precedence."""
    known = {name: one.text for name, one in variables.items()}
    return Facts(
        variables={**known, **extra, **facts.variables},
        changed=facts.changed,
        has_files=facts.has_files,
    )


def _first(rules: Sequence[Rule], facts: Facts) -> Rule | None:
    return next((rule for rule in rules if holds(rule.formula, facts)), None)


def _started(job: SourceJob, source: SourcePipeline, facts: Facts) -> StartedJob | None:
    try:
        rules = rules_of(job, source)
    except ExpressionError:
        return StartedJob(job=job, when=_UNKNOWN, is_awaited=True)
    known = {"CI_JOB_NAME": job.name, "CI_JOB_STAGE": job.stage}
    rule = _first(rules, _with(facts, job.variables, known))
    if rule is None or rule.when == NEVER:
        return None
    is_awaited = rule.when != "on_failure" and not (rule.when == MANUAL and rule.allow_failure)
    return StartedJob(job=job, when=rule.when, is_awaited=is_awaited, variables=dict(rule.variables))


def _has_missing_needs(started: Mapping[str, StartedJob], source: SourcePipeline) -> bool:
    """Return whether a job needs one that is not in the run."""
    return any(
        need.name not in started and not need.is_optional
        for started_job in started.values()
        for need in needs_of(started_job.job, source) or ()
    )


def _order(
    started: Mapping[str, StartedJob], source: SourcePipeline
) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """Return the jobs directly before each job, and those whose files it gets."""
    direct: dict[str, frozenset[str]] = {}
    files: dict[str, frozenset[str]] = {}
    for name, started_job in started.items():
        needs = needs_of(started_job.job, source)
        earlier = [other for other, its in started.items() if its.job.stage_number < started_job.job.stage_number]
        if needs is None:
            direct[name] = frozenset(other for other in earlier if started[other].is_awaited)
            files[name] = frozenset(earlier)
        else:
            direct[name] = frozenset(need.name for need in needs if need.name in started and need.name != name)
            files[name] = frozenset(need.name for need in needs if need.name in started and need.has_files)
        dependencies = started_job.job.entries.get("dependencies")
        if dependencies is not None and not is_null(dependencies.value):
            files[name] &= frozenset(texts_of(dependencies.value))
    return direct, files


def _leaves_files(job: SourceJob) -> bool:
    artifacts = job.get("artifacts")
    keys = artifacts if isinstance(artifacts, TreeMapping) else TreeMapping((), job.span)
    reports = keys.get("reports")
    has_variables = isinstance(reports, TreeMapping) and reports.get("dotenv") is not None
    is_for_failures = text_of(keys.get("when")) == "on_failure"
    return not is_for_failures and (not is_null(keys.get("paths")) or has_variables)


def _combinations(job: SourceJob) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the name and the values of each combination of *job*."""
    node = job.get("parallel")
    if node is None:
        yield job.name, {}
    elif isinstance(node, Scalar):
        number = int(text_of(node)) if text_of(node).isdecimal() else 1
        for part in range(1, number + 1):
            yield (
                f"{job.name}: {part}",
                {"CI_NODE_INDEX": str(part), "CI_NODE_TOTAL": str(number)},
            )
    else:
        seen: dict[str, Mapping[str, str]] = {}
        for item in items_of(node.get("matrix") if isinstance(node, TreeMapping) else None):
            axes = {entry.key.text: texts_of(entry.value) for entry in entries_of(item)}
            for values in product(*axes.values()):
                seen.setdefault(
                    f"{job.name}: {', '.join(values)}",
                    dict(zip(axes, values, strict=True)),
                )
        yield from seen.items()


def _commands(job: SourceJob, *keys: str) -> tuple[str, ...]:
    texts = (text_of(item).rstrip() for key in keys for item in items_of(job.get(key)))
    return tuple(text for text in texts if text)


def _image(job: SourceJob) -> str:
    node = job.get("image")
    if isinstance(node, TreeMapping):
        entrypoint = [word for word in texts_of(node.get("entrypoint")) if word]
        return expanded(text_of(node.get("name"))) + (f" {entrypoint}" if node.get("entrypoint") else "")
    return expanded(text_of(node))


# Variables


def _texts(variables: Mapping[str, Variable]) -> dict[str, str]:
    return {
        name: expanded(variable.text) if variable.is_expanded else variable.text.replace("$", _DOLLAR)
        for name, variable in variables.items()
    }


def _expanded_all(values: Mapping[str, str]) -> dict[str, str]:
    return {name: expanded(text) for name, text in values.items()}


def _literals(values: Mapping[str, str]) -> dict[str, str]:
    return {name: text.replace("$", _DOLLAR) for name, text in values.items()}


def expanded(text: str) -> str:
    """Return *text*, in which GitLab expands variables, with each variable as `${NAME}`."""

    def replaced(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return f"${{{name}}}" if name else _DOLLAR

    return _VARIABLE.sub(replaced, text)


def ground(text: str, variables: Mapping[str, str], level: int = 0) -> str:
    """Return *text* with the values of *variables*; others stay `${NAME}`."""

    def replaced(match: re.Match[str]) -> str:
        name = match[2] or ""
        value = variables.get(name)
        if value is None or level > _MOST_LEVELS or f"${{{name}}}" in value:
            return match[0]
        return ground(value, variables, level + 1)

    return _VARIABLE.sub(replaced, text)
