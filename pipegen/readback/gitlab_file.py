"""The jobs of a `.gitlab-ci.yml`, with the keys that determine when a job starts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from pipegen.structs import Struct, replace

Path = tuple[str | int, ...]
# The variables of a combination of a matrix, and their values.
Values = tuple[tuple[str, str], ...]

HELPER = "PIPEGEN_HELPER"
# Top-level keys that are not jobs: https://docs.gitlab.com/ci/yaml/
KEYWORDS = frozenset(
    {
        *("after_script", "before_script", "cache", "default", "image", "include", "services", "spec", "stages"),
        *("variables", "workflow"),
    }
)
USUAL_STAGES = ("build", "test", "deploy")
FIRST_STAGE, LAST_STAGE = ".pre", ".post"
_CONDITIONS = ("if", "changes", "exists")
# GitLab allows eleven levels: https://docs.gitlab.com/ci/yaml/#extends
_MOST_LEVELS = 11
# https://docs.gitlab.com/ci/yaml/#parallelmatrix
_MOST_COMBINATIONS = 200
# In a need, the value of the combination that has it: https://docs.gitlab.com/ci/yaml/matrix_expressions/
OWN_VALUE = re.compile(r"\$\[\[\s*matrix\.([\w-]+)\s*\]\]")


class WrongFileError(ValueError):
    """An error in a file, with its path: keys and indexes from the top."""

    def __init__(self, message: str, *path: str | int) -> None:
        super().__init__(message)
        self.path = path


class NeedInFile(Struct):
    """A need on a job of the same file, which may be missing if it is optional; *combinations* are () for all."""

    job: str
    is_optional: bool
    combinations: tuple[Values, ...] = ()


class JobInFile(Struct, kw_only=True):
    """A job: *stage* is the number of its stage, *needs* are None if the stages define its order.

    *rules* decide whether it runs, "" if it always does. If the stages define the order, nobody waits for a job without
    *is_awaited*; with *may_be_optional*, a person may start it, in some runs or in all. *children* are the files of the
    child pipelines that it starts; with *awaits_children*, the job ends when they do. *combinations* are those of its
    matrix.
    """

    name: str
    stage: int
    needs: tuple[NeedInFile, ...] | None
    rules: str
    is_helper: bool
    is_awaited: bool
    may_be_optional: bool
    children: tuple[str, ...]
    awaits_children: bool
    combinations: tuple[Values, ...]

    def combination_names(self) -> dict[str, Values]:
        """Return the combinations of a matrix job by the names of their jobs."""
        return {f"{self.name}: {', '.join(value for _, value in values)}": values for values in self.combinations}


def jobs(document: object) -> dict[str, JobInFile]:
    """Return the jobs of the file *document* by name, in text order."""
    if not isinstance(document, Mapping):
        raise WrongFileError("a mapping of jobs is expected")
    if "include" in document:
        raise WrongFileError('the jobs of an "include" are not in this file', "include")
    stages = _stages(document)
    jobs_by_name = {}
    extended_jobs: dict[str, _Extended] = {}
    for name in document:
        if name in KEYWORDS or (isinstance(name, str) and name.startswith(".")):
            continue
        if not isinstance(name, str) or not isinstance(document[name], Mapping):
            raise WrongFileError(f'"{name}" is not a job: a mapping is expected', name)
        jobs_by_name[name] = _job(name, _extended(name, document, extended_jobs).keys, stages)
    if not jobs_by_name:
        raise WrongFileError("the file has no jobs")
    for job in jobs_by_name.values():
        _check_needs(job, jobs_by_name)
    return _with_combinations(jobs_by_name) if any(job.combinations for job in jobs_by_name.values()) else jobs_by_name


def _with_combinations(jobs_by_name: Mapping[str, JobInFile]) -> dict[str, JobInFile]:
    """Return the jobs with one for each combination of a matrix, named as the plan names them: `unit: 3.11, linux`."""
    names = {name: job.combination_names() for name, job in jobs_by_name.items()}
    return {
        own_name: replace(job, name=own_name, needs=job.needs and tuple(_single_needs(job.needs, dict(own), names)))
        for name, job in jobs_by_name.items()
        for own_name, own in (names[name] or {name: ()}).items()
    }


def _single_needs(
    needs: Sequence[NeedInFile], own: Mapping[str, str], names: Mapping[str, Mapping[str, Values]]
) -> Iterator[NeedInFile]:
    """Yield *needs* with one for each needed combination; *names* are those of the combinations of each job.

    The needs can contain *own* values of the job.
    """
    for need in needs:
        combinations = names.get(need.job)
        if not combinations:
            yield need
            continue
        needed = [tuple((axis, _with_own(value, own)) for axis, value in values) for values in need.combinations]
        for name, values in combinations.items():
            if not needed or values in needed:
                yield replace(need, job=name, combinations=())


def _with_own(value: str, own: Mapping[str, str]) -> str:
    return OWN_VALUE.sub(lambda match: own.get(match[1], match[0]), value)


def _stages(document: Mapping[str, Any]) -> dict[str, int]:
    declared = document.get("stages")
    if declared is not None and not (isinstance(declared, list) and all(isinstance(name, str) for name in declared)):
        raise WrongFileError('"stages" must be a list of names', "stages")
    order = dict.fromkeys(
        (FIRST_STAGE, *(name for name in declared or USUAL_STAGES if name not in {FIRST_STAGE, LAST_STAGE}), LAST_STAGE)
    )
    return {stage: number for number, stage in enumerate(order)}


class _Extended(Struct):
    """The *keys* of a job, merged with those of jobs that it extends in so many *levels*."""

    keys: Mapping[str, Any]
    levels: int


def _extended(name: str, document: Mapping[str, Any], extended_jobs: dict[str, _Extended], level: int = 0) -> _Extended:
    """Return the job *name* merged with the jobs that it extends, and add it to *extended_jobs*."""
    own = document.get(name)
    if (
        not isinstance(own, Mapping)
        or level + (extended_jobs[name].levels if name in extended_jobs else 0) > _MOST_LEVELS
    ):
        raise WrongFileError(f'"{name}" cannot be extended', name)
    if name in extended_jobs:
        return extended_jobs[name]
    bases = own.get("extends") or []
    bases = [bases] if isinstance(bases, str) else bases
    if not (isinstance(bases, list) and all(isinstance(base, str) for base in bases)):
        raise WrongFileError(f'what "{name}" extends is a name, or a list of names', name, "extends")
    keys: dict[str, Any] = {}
    levels = 0
    for base in bases:
        if base not in document:
            raise WrongFileError(f'"{name}" extends "{base}", which does not exist', name, "extends")
        extended = _extended(base, document, extended_jobs, level + 1)
        keys, levels = _merged(keys, extended.keys), max(levels, extended.levels + 1)
    extended_jobs[name] = _Extended(_merged(keys, own), levels)
    return extended_jobs[name]


def _merged(base: Mapping[str, Any], extending: Mapping[str, Any]) -> dict[str, Any]:
    nested = {
        key: {**base[key], **extending[key]}
        for key in base.keys() & extending.keys()
        if isinstance(base[key], Mapping) and isinstance(extending[key], Mapping)
    }
    return {**base, **extending, **nested}


def _job(name: str, keys: Mapping[str, Any], stages: Mapping[str, int]) -> JobInFile:
    stage = keys.get("stage", "test")
    if not isinstance(stage, str) or stage not in stages:
        raise WrongFileError(f'the stage of "{name}" is not among "stages"', name, "stage")
    trigger, variables = keys.get("trigger"), keys.get("variables")
    included = trigger.get("include") if isinstance(trigger, Mapping) else None
    return JobInFile(
        name=name,
        stage=stages[stage],
        needs=tuple(_needs(name, keys["needs"])) if "needs" in keys else None,
        rules=_rules(name, keys),
        is_helper=isinstance(variables, Mapping) and HELPER in variables,
        is_awaited=not _is_optional_manual(keys, all),
        may_be_optional=_is_optional_manual(keys, any),
        children=tuple(_children(included)),
        # https://docs.gitlab.com/ci/yaml/#triggerstrategy
        awaits_children=isinstance(trigger, Mapping) and trigger.get("strategy") in ("depend", "mirror"),
        combinations=tuple(_combinations(keys.get("parallel"))),
    )


def _combinations(parallel: object) -> Iterator[Values]:
    """Yield the combinations of the matrix in *parallel*, or its parts.

    Each map of a matrix has one value or several for each variable.
    """
    if isinstance(parallel, int) and parallel <= _MOST_COMBINATIONS:
        yield from ((("part", str(part)),) for part in range(1, parallel + 1))
    matrix = parallel.get("matrix") if isinstance(parallel, Mapping) else None
    for axes in matrix if isinstance(matrix, list) else ():
        if isinstance(axes, Mapping):
            lists = [value if isinstance(value, list) else [value] for value in axes.values()]
            if prod(map(len, lists)) <= _MOST_COMBINATIONS:
                for values in product(*lists):
                    yield tuple((str(axis), str(value)) for axis, value in zip(axes, values, strict=True))


def _needs(name: str, needs: object) -> Iterator[NeedInFile]:
    if not isinstance(needs, list):
        raise WrongFileError(f'the needs of "{name}" must be a list', name, "needs")
    for number, need in enumerate(needs):
        if isinstance(need, str):
            yield NeedInFile(need, is_optional=False)
        elif isinstance(need, Mapping) and isinstance(need.get("job"), str):
            # A need on another pipeline downloads artifacts, but does not wait.
            if not {"pipeline", "project"} & need.keys():
                combinations = tuple(_combinations(need.get("parallel")))
                yield NeedInFile(need["job"], is_optional=need.get("optional") is True, combinations=combinations)
        elif not (isinstance(need, Mapping) and "pipeline" in need):
            raise WrongFileError(f'a need of "{name}" names no job', name, "needs", number)


def _rules(name: str, keys: Mapping[str, Any]) -> str:
    """Return a text of the rules that decide whether a job runs, "" if it always does."""
    rules = keys.get("rules")
    legacy_rules = [keys.get("only"), keys.get("except")]
    if rules is None and legacy_rules == [None, None]:
        return ""
    for number, rule in enumerate(rules if isinstance(rules, list) else ()):
        if not isinstance(rule, Mapping):
            continue
        if "needs" in rule:
            raise WrongFileError(f'rules change the needs of "{name}"', name, "rules", number, "needs")
        if not any(key in rule for key in _CONDITIONS) and rule.get("when") != "never":
            return ""
    return repr([rules, *legacy_rules])


def _is_optional_manual(keys: Mapping[str, Any], of: Callable[[Iterable[bool]], bool]) -> bool:
    """Return whether the job is manual and the pipeline continues without it, by all or any *of* its rules.

    A manual job may fail by default, but not if rules make it manual:
    https://docs.gitlab.com/ci/jobs/job_control/#types-of-manual-jobs
    """
    rules = keys.get("rules")
    if not isinstance(rules, list):
        return keys.get("when") == "manual" and keys.get("allow_failure", True) is True
    running = [rule for rule in rules if isinstance(rule, Mapping) and rule.get("when") != "never"]
    allowed = keys.get("allow_failure", False)
    return bool(running) and of(
        rule.get("when", keys.get("when")) == "manual" and rule.get("allow_failure", allowed) is True
        for rule in running
    )


def _children(included: object) -> Iterator[str]:
    for include in included if isinstance(included, list) else [included]:
        path = include.get("local") if isinstance(include, Mapping) else include
        if isinstance(path, str):
            yield path.removeprefix("/")


def _check_needs(job: JobInFile, jobs_by_name: Mapping[str, JobInFile]) -> None:
    for number, need in enumerate(job.needs or ()):
        other = jobs_by_name.get(need.job)
        if other is None and not need.is_optional:
            raise WrongFileError(f'"{job.name}" needs "{need.job}", which does not exist', job.name, "needs", number)
        if other is not None and other.stage > job.stage:
            raise WrongFileError(
                f'"{job.name}" needs "{need.job}", which is in a later stage', job.name, "needs", number
            )
