"""The run of a pipeline for an event: jobs, their order, scripts, variables and images."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, product
from typing import TypeAlias

from pipegen.importing.arcs import closure
from pipegen.importing.gitlab.reading.expressions import ExpressionError, Facts, holds, tested_names, tests_in
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline, Variable
from pipegen.importing.gitlab.reading.order import Need, needs_of
from pipegen.importing.gitlab.reading.rules import MANUAL, NEVER, ON_SUCCESS, Rule, rules_of, workflow_rules
from pipegen.importing.gitlab.reading.tree import is_null, items_of, text_of, texts_of
from pipegen.importing.gitlab.values import expanded, expanded_all, literals, texts_of_variables
from pipegen.readback.gitlab_file import HELPER
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Scalar, entries_of, whole_number
from pipegen.structs import Struct, replace

_UNKNOWN = "unknown"
# GitLab runs no more of a job: https://docs.gitlab.com/ci/yaml/#parallel
_MOST_COMBINATIONS = 200


# The rule that decides, by the rules of a job and the values of the variables that they test.
_Decisions: TypeAlias = dict[tuple[int, tuple[str | None, ...]], Rule | None]


class RunnableJob(Struct, kw_only=True):
    """A job with what all its runs have in common; *rules* are None if GitLab alone can evaluate them.

    *tested* are the names of variables in rules, and *known* the texts of those of the job, without those of a matrix,
    which the rules test, or the name of the combination, if it *tests_axes*.
    """

    job: SourceJob
    rules: tuple[Rule, ...] | None
    tested: tuple[str, ...]
    tests_axes: bool
    known: Mapping[str, str]
    needs: tuple[Need, ...] | None
    combinations: Mapping[str, Mapping[str, str]]
    script: tuple[str, ...]
    after: tuple[str, ...]
    variables: Mapping[str, str]
    image: str
    services: tuple[str, ...]
    is_shown: bool
    leaves_files: bool

    @property
    def dependencies(self) -> tuple[str, ...] | None:
        """The names of the only jobs whose files it gets, None if these are all."""
        node = self.job.get("dependencies")
        return None if node is None else texts_of(node)


class RunnablePipeline(Struct, kw_only=True):
    """A pipeline with the jobs of all its runs; *rules* are those of its workflow, *known* the texts of variables."""

    jobs: Mapping[str, RunnableJob]
    rules: tuple[Rule, ...]
    known: Mapping[str, str]

    def started(self, facts: Facts) -> tuple[StartedJob, ...]:
        """Return the jobs that start in a run with *facts*."""
        if self.rules:
            rule = _first(self.rules, facts, self.known)
            if rule is None or rule.when == NEVER:
                return ()
        decisions: _Decisions = {}
        return tuple(started for job in self.jobs.values() for started in _started(job, facts, decisions))


class StartedJob(Struct, kw_only=True):
    """A job in a run: how it starts, whether later stages wait for it, and the rule's variables.

    *combinations* are those of its matrix that start so. *allowed* are the exit codes with which it may fail, and "any"
    for all failures.
    """

    name: str
    combinations: tuple[str, ...]
    when: str
    is_awaited: bool
    allowed: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()


class RunJob(Struct, kw_only=True):
    """A combination of a *job*; *before* are all jobs that end before it, *files* those whose files it gets."""

    name: str
    job: str
    when: str
    is_optional: bool
    allowed: tuple[str, ...]
    before: frozenset[str]
    files: frozenset[str]
    script: tuple[str, ...]
    after: tuple[str, ...]
    variables: Mapping[str, str]
    image: str
    services: tuple[str, ...]


def runnable(source: SourcePipeline) -> RunnablePipeline:
    """Return *source* with what all its runs have in common."""
    try:
        rules = workflow_rules(source)
    except ExpressionError:
        rules = ()
    same_rules: dict[tuple[Rule, ...], tuple[Rule, ...]] = {}
    jobs = {name: _runnable(job, source, same_rules) for name, job in source.jobs.items()}
    return RunnablePipeline(jobs=jobs, rules=rules, known=_known(source.variables))


def _runnable(
    job: SourceJob, source: SourcePipeline, same_rules: dict[tuple[Rule, ...], tuple[Rule, ...]]
) -> RunnableJob:
    """Return *job* with what all its runs have in common; equal rules are one value, that of *same_rules*."""
    rules: tuple[Rule, ...] | None = None
    with suppress(ExpressionError):
        rules = rules_of(job, source)
        rules = same_rules.setdefault(rules, rules)
    combinations = dict(_combinations(job))
    axes = next(iter(combinations.values()), {}).keys()
    tested = {name for rule in rules or () for test in tests_in(rule.formula) for name in tested_names(test)}
    return RunnableJob(
        job=job,
        rules=rules,
        tested=tuple(sorted(tested)),
        tests_axes=not tested.isdisjoint({*axes, "CI_JOB_NAME"} if axes else ()),
        known={**_known(job.variables), "CI_JOB_NAME": job.name, "CI_JOB_STAGE": job.stage},
        needs=_known_needs(job, source),
        combinations=combinations,
        script=_commands(job, "before_script", "script"),
        after=_commands(job, "after_script"),
        variables=texts_of_variables(job.variables),
        image=_image(job),
        services=_services(job),
        is_shown=HELPER not in job.variables,
        leaves_files=_leaves_files(job),
    )


def run(pipeline: RunnablePipeline, started: Sequence[StartedJob]) -> dict[str, RunJob] | None:
    """Return the jobs of the run of *started* by name, None if GitLab refuses it: a job needs one that is not in it."""
    starts = {name: one for one in started for name in one.combinations}
    jobs = _present(pipeline, starts)
    if any(need.name not in jobs and not need.is_optional for job in jobs.values() for need in job.needs or ()):
        return None
    direct, files = _order(starts, jobs)
    ancestors = closure(direct)
    shown = frozenset(one for job in jobs.values() if job.is_shown for one in job.combinations)
    leaving = frozenset(one for job in jobs.values() if job.leaves_files for one in job.combinations)
    run_jobs: dict[str, RunJob] = {}
    for name, job in jobs.items():
        for own_name, values in job.combinations.items() if job.is_shown else ():
            own = starts[own_name]
            run_jobs[own_name] = RunJob(
                name=own_name,
                job=name,
                when=_without_effect(own.when, direct[own_name]),
                is_optional=own.when == MANUAL and not own.is_awaited,
                allowed=own.allowed,
                before=ancestors[own_name] & shown,
                files=_through_helpers(files[own_name], files, shown) & ancestors[own_name] & leaving,
                script=job.script,
                after=job.after,
                variables={**job.variables, **expanded_all(dict(own.variables)), **literals(values)},
                image=job.image,
                services=job.services,
            )
    return run_jobs


def _present(pipeline: RunnablePipeline, starts: Mapping[str, StartedJob]) -> dict[str, RunnableJob]:
    """Return the jobs of *pipeline* with only the combinations in *starts*."""
    jobs: dict[str, RunnableJob] = {}
    for name in dict.fromkeys(one.name for one in starts.values()):
        job = pipeline.jobs[name]
        combinations = {own: values for own, values in job.combinations.items() if own in starts}
        jobs[name] = job if len(combinations) == len(job.combinations) else replace(job, combinations=combinations)
    return jobs


def _through_helpers(
    names: frozenset[str], files: Mapping[str, frozenset[str]], shown: frozenset[str]
) -> frozenset[str]:
    """Return the jobs whose files a job gets from jobs with *names*: helpers pass on *files* of others."""
    result, pending = set[str](), set(names)
    while pending:
        name = pending.pop()
        if name in shown:
            result.add(name)
        else:
            pending |= files[name]
    return frozenset(result)


def _known_needs(job: SourceJob, source: SourcePipeline) -> tuple[Need, ...] | None:
    """Return the needs of *job* without those on jobs that may be in files that cannot be read."""
    needs = needs_of(job, source)
    if needs is None or source.is_complete:
        return needs
    return tuple(need for need in needs if need.name in source.jobs)


def _without_effect(when: str, before: Collection[str]) -> str:
    """Return how a job starts: the first jobs of a run start the same way, whatever happens to others."""
    return ON_SUCCESS if when == "always" and not before else when


def _known(variables: Mapping[str, Variable]) -> Mapping[str, str]:
    return {name: one.text for name, one in variables.items()}


def _first(rules: Sequence[Rule], facts: Facts, known: Mapping[str, str]) -> Rule | None:
    """Return the first of *rules* that holds; the variables of *facts* have precedence over *known* ones."""
    facts = replace(facts, variables={**known, **facts.variables})
    return next((rule for rule in rules if holds(rule.formula, facts)), None)


def _started(job: RunnableJob, facts: Facts, decisions: _Decisions) -> Iterator[StartedJob]:
    """Yield how the combinations of *job* start in a run with *facts*, in which rules have made *decisions*."""
    if not job.tests_axes:
        yield from _started_alike(job, tuple(job.combinations), facts, job.known, decisions)
        return
    for name, values in job.combinations.items():
        known = {**job.known, **values, "CI_JOB_NAME": _name_in_gitlab(job.job, values)}
        yield from _started_alike(job, (name,), facts, known, decisions)


def _name_in_gitlab(job: SourceJob, values: Mapping[str, str]) -> str:
    """Return GitLab's name of the combination of *job* with *values*: https://docs.gitlab.com/ci/yaml/#parallel."""
    is_number = isinstance(job.get("parallel"), Scalar)
    return f"{job.name} {'/'.join(values.values())}" if is_number else f"{job.name}: [{', '.join(values.values())}]"


def _started_alike(
    job: RunnableJob, names: tuple[str, ...], facts: Facts, known: Mapping[str, str], decisions: _Decisions
) -> Iterator[StartedJob]:
    """Yield how the combinations *names* of *job* start, if they do: for all of them, variables are *known*."""
    if job.rules is None:
        yield StartedJob(name=job.job.name, combinations=names, when=_UNKNOWN, is_awaited=True)
        return
    case = id(job.rules), tuple(map(known.get, job.tested))
    if case not in decisions:
        decisions[case] = _first(job.rules, facts, known)
    rule = decisions[case]
    if rule is None or rule.when == NEVER:
        return
    is_awaited = rule.when != "on_failure" and not (rule.when == MANUAL and rule.allow_failure)
    allowed = ("any",) if rule.allow_failure else tuple(sorted(rule.exit_codes))
    yield StartedJob(
        name=job.job.name,
        combinations=names,
        when=rule.when,
        is_awaited=is_awaited,
        allowed=allowed,
        variables=rule.variables,
    )


def _order(
    starts: Mapping[str, StartedJob], jobs: Mapping[str, RunnableJob]
) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """Return the combinations directly before each combination of *jobs*, and those whose files it gets."""
    direct: dict[str, frozenset[str]] = {}
    files: dict[str, frozenset[str]] = {}
    earlier = {
        number: [name for name, one in jobs.items() if one.job.stage_number < number]
        for number in {one.job.stage_number for one in jobs.values()}
    }
    of_stage = {number: _all_combinations(names, jobs) for number, names in earlier.items()}
    awaited = {
        number: frozenset(name for name in names if starts[name].is_awaited) for number, names in of_stage.items()
    }
    for name, job in jobs.items():
        chosen = _all_combinations(job.dependencies, jobs) if job.dependencies is not None else None
        for own_name, values in job.combinations.items():
            if job.needs is None:
                direct[own_name] = awaited[job.job.stage_number]
                files[own_name] = of_stage[job.job.stage_number]
            else:
                needs = [need for need in job.needs if need.name in jobs]
                direct[own_name] = _needed([need for need in needs if need.name != name], values, jobs)
                files[own_name] = _needed([need for need in needs if need.has_files], values, jobs)
            if chosen is not None:
                files[own_name] &= chosen
    return direct, files


def _all_combinations(names: Iterable[str], jobs: Mapping[str, RunnableJob]) -> frozenset[str]:
    return frozenset(one for name in names if name in jobs for one in jobs[name].combinations)


def _needed(needs: Iterable[Need], own: Mapping[str, str], jobs: Mapping[str, RunnableJob]) -> frozenset[str]:
    """Return the combinations that *needs* of a combination with the *own* values are on."""
    return frozenset(one for need in needs for one in need.chosen(jobs[need.name].combinations, own))


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
        number = whole_number(text_of(node)) or 1
        for part in range(1, min(number, _MOST_COMBINATIONS) + 1):
            yield (
                f"{job.name}: {part}",
                {"CI_NODE_INDEX": str(part), "CI_NODE_TOTAL": str(number)},
            )
    else:
        seen: dict[str, Mapping[str, str]] = {}
        for item in items_of(node.get("matrix") if isinstance(node, TreeMapping) else None):
            axes = {entry.key.text: texts_of(entry.value) for entry in entries_of(item)}
            for values in islice(product(*axes.values()), _MOST_COMBINATIONS):
                seen.setdefault(
                    f"{job.name}: {', '.join(values)}",
                    dict(zip(axes, values, strict=True)),
                )
        yield from seen.items()


def _commands(job: SourceJob, *keys: str) -> tuple[str, ...]:
    texts = (text_of(item).rstrip() for key in keys for item in items_of(job.get(key)))
    return tuple(text for text in texts if text)


def _services(job: SourceJob) -> tuple[str, ...]:
    items = items_of(job.get("services"))
    return tuple(expanded(text_of(one.get("name") if isinstance(one, TreeMapping) else one)) for one in items)


def _image(job: SourceJob) -> str:
    node = job.get("image")
    if isinstance(node, TreeMapping):
        entrypoint = [word for word in texts_of(node.get("entrypoint")) if word]
        return expanded(text_of(node.get("name"))) + (f" {entrypoint}" if node.get("entrypoint") else "")
    return expanded(text_of(node))
