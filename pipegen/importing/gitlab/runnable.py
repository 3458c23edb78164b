"""A pipeline with what all its runs have in common, and the jobs that start in a run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, product
from typing import TypeAlias

from pipegen.importing.gitlab.left_values import NO_VALUES, LeftValues, generated_values
from pipegen.importing.gitlab.reading.expressions.formulas import (
    Facts,
    Formula,
    holds,
    tested_names,
    tests_in,
)
from pipegen.importing.gitlab.reading.expressions.parser import ExpressionError
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline, inherited
from pipegen.importing.gitlab.reading.order import Need, is_elsewhere, needs_of
from pipegen.importing.gitlab.reading.rules import (
    MANUAL,
    NEVER,
    ON_FAILURE,
    Rule,
    may_have_rules_elsewhere,
    rules_of,
    workflow_rules,
)
from pipegen.importing.gitlab.reading.stored import artifacts_of, is_outside
from pipegen.importing.gitlab.reading.tree import flat_items, text_of, texts_of
from pipegen.importing.gitlab.reading.variables import Variable
from pipegen.importing.gitlab.stages.keys.matrices import NUMBERS, reads_number
from pipegen.importing.gitlab.values import expanded, texts_of_variables
from pipegen.readback.gitlab_file import HELPER
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Scalar, child, entries_of, whole_number
from pipegen.structs import Struct, replace

# How a job starts whose rules GitLab alone can evaluate.
UNKNOWN = "unknown"
_COBERTURA = "cobertura"
# The kinds of paths that are not reports.
ARTIFACTS, CACHES, OTHER_FILES = "artifacts", "caches", "files of other pipelines"
# GitLab runs no more of a job: https://docs.gitlab.com/ci/yaml/#parallel
_MOST_COMBINATIONS = 200
# Whether a condition holds, by its number and the values of the variables that it tests.
_Decisions: TypeAlias = dict[tuple[int, tuple[str | None, ...]], bool]


class RunnableRule(Struct, kw_only=True):
    """A rule, with the *number* of its condition, and the names of the variables *tested* there."""

    rule: Rule
    number: int
    tested: tuple[str, ...]


class RunnableJob(Struct, kw_only=True):
    """A job with what all its runs have in common; *rules* are None if GitLab alone can evaluate them.

    *known* are the texts of its variables, without those of a matrix, which the rules test, or the name of the
    combination, if it *tests_axes*. *address* is that of its environment.
    """

    job: SourceJob
    rules: tuple[RunnableRule, ...] | None
    tests_axes: bool
    known: Mapping[str, str]
    needs: tuple[Need, ...] | None
    combinations: Mapping[str, Mapping[str, str]]
    script: tuple[str, ...]
    after: tuple[str, ...]
    variables: Mapping[str, str]
    image: str
    services: tuple[str, ...]
    tags: tuple[str, ...]
    paths: tuple[tuple[str, str], ...]
    environment: str
    address: str
    values: LeftValues
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
    rules: tuple[RunnableRule, ...]
    known: Mapping[str, str]

    def started(self, facts: Facts) -> tuple[StartedJob, ...]:
        """Return the jobs that start in a run with *facts*."""
        decisions: _Decisions = {}
        rule = _first(self.rules, facts, self.known, decisions)
        if self._is_excluded_by(rule):
            return ()
        variables: Mapping[str, str] = dict(rule.variables) if rule is not None else {}
        return tuple(started for job in self.jobs.values() for started in _started(job, facts, variables, decisions))

    def is_excluded(self, facts: Facts) -> bool:
        """Return whether its workflow has no runs with *facts*."""
        return self._is_excluded_by(_first(self.rules, facts, self.known, {}))

    def _is_excluded_by(self, rule: Rule | None) -> bool:
        """Return whether it has no run in which *rule* is the first of its workflow that holds."""
        return bool(self.rules) and (rule is None or rule.when == NEVER)


class StartedJob(Struct, kw_only=True):
    """A job in a run: how it starts, whether later stages wait for it, and the *variables* of its rule.

    *combinations* are those of its matrix that start so. *allowed* are the exit codes with which it may fail, and "any"
    for all failures. *of_workflow* are the variables of a rule of the workflow, which those of a matrix replace.
    """

    name: str
    combinations: tuple[str, ...]
    when: str
    is_awaited: bool
    allowed: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    of_workflow: tuple[tuple[str, str], ...]


# The number of each condition, and the names of the variables tested there.
_Conditions: TypeAlias = dict[Formula, tuple[int, tuple[str, ...]]]


def _numbered(rules: Sequence[Rule], conditions: _Conditions) -> tuple[RunnableRule, ...]:
    """Return *rules* with the number of each condition, which is added to *conditions* if it is new."""
    numbered: list[RunnableRule] = []
    for rule in rules:
        formula = rule.formula
        if formula not in conditions:
            tested = dict.fromkeys(name for test in tests_in(formula) for name in tested_names(test))
            conditions[formula] = len(conditions), tuple(tested)
        number, names = conditions[formula]
        numbered.append(RunnableRule(rule=rule, number=number, tested=names))
    return tuple(numbered)


def runnable(source: SourcePipeline, *, has_helpers: bool, left_out: Collection[str] = ()) -> RunnablePipeline:
    """Return *source* with what all its runs have in common; only the file of a config *has_helpers* of its stages.

    The helpers *left_out* of a source are not compared either.
    """
    conditions: _Conditions = {}
    try:
        rules = _numbered(workflow_rules(source), conditions)
    except ExpressionError:
        rules = ()
    jobs = {name: _runnable(job, source, conditions, has_helpers=has_helpers) for name, job in source.jobs.items()}
    jobs.update({name: replace(jobs[name], is_shown=False) for name in left_out})
    return RunnablePipeline(jobs=jobs, rules=rules, known=_known(source.variables))


def _runnable(job: SourceJob, source: SourcePipeline, conditions: _Conditions, *, has_helpers: bool) -> RunnableJob:
    """Return *job* with what all its runs have in common; equal conditions have one number."""
    rules: tuple[RunnableRule, ...] | None = None
    with suppress(ExpressionError):
        rules = None if may_have_rules_elsewhere(job, source) else _numbered(rules_of(job, source), conditions)
    # GitLab sets the numbers in each matrix; most sources have no use for them, and not all generated files have them.
    combinations = dict(combinations_of(job, has_numbers=has_helpers or reads_number(job)))
    axes = next(iter(combinations.values()), {}).keys()
    tested = {name for rule in rules or () for name in rule.tested}
    return RunnableJob(
        job=job,
        rules=rules,
        tests_axes=not tested.isdisjoint({*axes, "CI_JOB_NAME"} if axes else ()),
        known={**_known(job.variables), "CI_JOB_NAME": job.name, "CI_JOB_STAGE": job.stage},
        needs=_known_needs(job, source),
        combinations=combinations,
        script=_commands(job, "before_script", "script"),
        after=_commands(job, "after_script"),
        variables=texts_of_variables(job.variables),
        image=_image(job),
        environment=expanded(text_of(job.environment("name"))),
        address=expanded(text_of(job.environment("url"))),
        values=generated_values(job) if has_helpers else NO_VALUES,
        services=_services(job),
        tags=tuple(map(expanded, texts_of(job.get("tags")))),
        paths=tuple(_paths(job)),
        is_shown=not has_helpers or HELPER not in job.variables,
        leaves_files=_leaves_files(job),
    )


def _known_needs(job: SourceJob, source: SourcePipeline) -> tuple[Need, ...] | None:
    """Return the needs of *job* without those on jobs that may be in files that cannot be read."""
    needs = needs_of(job, source)
    if needs is None or source.is_complete:
        return needs
    return tuple(need for need in needs if need.name in source.jobs)


def _known(variables: Mapping[str, Variable]) -> Mapping[str, str]:
    return {name: variable.text for name, variable in variables.items()}


def _first(rules: Sequence[RunnableRule], facts: Facts, known: Mapping[str, str], decisions: _Decisions) -> Rule | None:
    """Return the first of *rules* that holds; the variables of *facts* have precedence over *known* ones."""
    for rule in rules:
        case = rule.number, tuple(map(known.get, rule.tested))
        if case not in decisions:
            values = {name: value for name, value in zip(rule.tested, case[1], strict=True) if value is not None}
            own = replace(facts, variables={**values, **facts.variables})
            decisions[case] = holds(rule.rule.formula, own)
        if decisions[case]:
            return rule.rule
    return None


def _started(
    job: RunnableJob, facts: Facts, set_by_workflow: Mapping[str, str], decisions: _Decisions
) -> Iterator[StartedJob]:
    """Yield how the combinations of *job* start in a run with *facts*, in which rules have made *decisions*.

    Variables that a rule of the workflow sets replace those of the file.
    """
    taken = inherited(set_by_workflow, "variables", job.job.entries.get("inherit"))
    variables = {name: text for name, text in taken.items() if name not in job.job.own_variables}
    job = replace(job, known={**job.known, **variables}) if variables else job
    if not job.tests_axes:
        yield from _started_alike(job, tuple(job.combinations), facts, job.known, variables, decisions)
        return
    for name, values in job.combinations.items():
        known = {**job.known, **values, "CI_JOB_NAME": _name_in_gitlab(job.job, values)}
        yield from _started_alike(job, (name,), facts, known, variables, decisions)


def _name_in_gitlab(job: SourceJob, values: Mapping[str, str]) -> str:
    """Return GitLab's name of the combination of *job* with *values*: https://docs.gitlab.com/ci/yaml/#parallel."""
    if isinstance(job.get("parallel"), Scalar):
        return f"{job.name} {'/'.join(values.values())}"
    return f"{job.name}: [{', '.join(text for name, text in values.items() if name not in NUMBERS)}]"


def _started_alike(
    job: RunnableJob,
    names: tuple[str, ...],
    facts: Facts,
    known: Mapping[str, str],
    variables: Mapping[str, str],
    decisions: _Decisions,
) -> Iterator[StartedJob]:
    """Yield how the combinations *names* of *job* start, if they do: for all of them, variables are *known*.

    The workflow sets *variables*.
    """
    of_workflow = tuple(variables.items())
    if job.rules is None:
        yield StartedJob(name=job.job.name, combinations=names, when=UNKNOWN, is_awaited=True, of_workflow=of_workflow)
        return
    rule = _first(job.rules, facts, known, decisions)
    if rule is None or rule.when == NEVER:
        return
    is_awaited = rule.when != ON_FAILURE and not (rule.when == MANUAL and rule.allow_failure)
    allowed = ("any",) if rule.allow_failure else tuple(sorted(rule.exit_codes))
    yield StartedJob(
        name=job.job.name,
        combinations=names,
        when=rule.when,
        is_awaited=is_awaited,
        allowed=allowed,
        variables=tuple(dict(rule.variables).items()),
        of_workflow=of_workflow,
    )


def _paths(job: SourceJob) -> Iterator[tuple[str, str]]:
    """Yield the kind and the path of each report of *job*, and of its artifacts and caches; variables are not reports.

    In place of a path, files of other pipelines have the texts of the need.
    Files of pipegen itself are not artifacts.
    """
    yield from ((ARTIFACTS, expanded(path)) for path in _stored_paths(job) if not path.startswith(".pipegen/"))
    for need in filter(is_elsewhere, flat_items(job.get("needs"))):
        texts = {entry.key.text: text_of(entry.value) for entry in entries_of(need) if entry.key.text != "artifacts"}
        yield OTHER_FILES, expanded(" ".join(texts[key] for key in sorted(texts)))
    for cache in flat_items(job.get("cache")):
        paths = texts_of(child(cache, "paths"))
        yield from ((CACHES, expanded(path)) for path in paths if not is_outside(path, job))
    for kind, node in ((entry.key.text, entry.value) for entry in artifacts_of(job)[1].entries):
        if isinstance(node, TreeMapping):
            yield text_of(node.get("coverage_format")) or _COBERTURA, expanded(text_of(node.get("path")))
        elif kind != "dotenv":
            yield from ((kind, expanded(path)) for path in texts_of(node))


def _stored_paths(job: SourceJob) -> list[str]:
    return [path for path in texts_of(artifacts_of(job)[0].get("paths")) if not is_outside(path, job)]


def _leaves_files(job: SourceJob) -> bool:
    keys, reports = artifacts_of(job)
    has_variables = reports.get("dotenv") is not None
    is_for_failures = text_of(keys.get("when")) == "on_failure"
    # Its keys in a file that only GitLab reads may leave files.
    is_elsewhere = bool(job.unknown) or (job.get("script") is None and "trigger" not in job.entries)
    return is_elsewhere or (not is_for_failures and (bool(_stored_paths(job)) or has_variables))


def combinations_of(job: SourceJob, *, has_numbers: bool) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the name and the values of each combination of *job*; of a matrix, its number only if it *has_numbers*."""
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
        for item in flat_items(child(node, "matrix")):
            axes = {entry.key.text: texts_of(entry.value) for entry in entries_of(item)}
            for values in islice(product(*axes.values()), _MOST_COMBINATIONS):
                seen.setdefault(
                    f"{job.name}: {', '.join(values)}",
                    dict(zip(axes, values, strict=True)),
                )
        for number, (name, chosen) in enumerate(seen.items(), start=1):
            numbers = {"CI_NODE_INDEX": str(number), "CI_NODE_TOTAL": str(len(seen))} if has_numbers else {}
            yield name, {**numbers, **chosen}


def _commands(job: SourceJob, *keys: str) -> tuple[str, ...]:
    texts = (text_of(item).rstrip() for key in keys for item in flat_items(job.get(key)))
    return tuple(text for text in texts if text)


def _services(job: SourceJob) -> tuple[str, ...]:
    items = flat_items(job.get("services"))
    return tuple(expanded(text_of(item.get("name") if isinstance(item, TreeMapping) else item)) for item in items)


def _image(job: SourceJob) -> str:
    node = job.get("image")
    if isinstance(node, TreeMapping):
        entrypoint = [word for word in texts_of(node.get("entrypoint")) if word]
        return expanded(text_of(node.get("name"))) + (f" {entrypoint}" if node.get("entrypoint") else "")
    return expanded(text_of(node))
