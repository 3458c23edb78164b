"""The run of a pipeline for an event: jobs, their order, scripts, variables and images."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from posixpath import normpath
from typing import TypeAlias

from pipegen.importing.arcs import closure, in_order
from pipegen.importing.gitlab.left_values import LeftValues
from pipegen.importing.gitlab.reading.order import Need, values_in, whole_name
from pipegen.importing.gitlab.reading.rules import ALWAYS, MANUAL, ON_FAILURE, ON_SUCCESS
from pipegen.importing.gitlab.runnable import RunnableJob, RunnablePipeline, StartedJob
from pipegen.importing.gitlab.values import expanded_all, ground
from pipegen.readback.gitlab_file import FIRST_STAGE, LAST_STAGE
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.jobs.raw import AFTER_FAILURES


class RunWork(Struct, kw_only=True):
    """The work of a combination of a job: its scripts, the values of variables, and where it runs.

    *environment* is the name of the environment that it deploys to, "" for none, *address* that of its page. *paths*
    are those of artifacts, of caches and of each kind of reports, from the checkout. *variables* contain the values
    that other jobs leave, *values* those that it leaves itself.
    """

    script: tuple[str, ...]
    after: tuple[str, ...]
    variables: Mapping[str, str]
    image: str
    services: tuple[str, ...]
    tags: str
    paths: tuple[tuple[str, str], ...]
    environment: str
    address: str
    values: LeftValues


# The work of each combination, by its name, the variables of the workflow and of a rule, and those of other jobs.
_Values: TypeAlias = tuple[tuple[str, str], ...]
Works: TypeAlias = dict[tuple[str, _Values, _Values, _Values], RunWork]


class RunJob(Struct, kw_only=True):
    """A combination of a *job*; *before* are all jobs that end before it, *files* those whose files it gets.

    Jobs that only start after a failure are in neither of these, unless it runs after failures, too. *stopped_by* are
    those whose failure keeps it from starting, *started_by* those with which one that waits for a failure starts. If it
    *may_start_early*, it starts before these have ended if one that
    it needs is skipped. If it is *skipped*, it needs a job that does not start by itself.
    """

    name: str
    job: str
    when: str
    is_optional: bool
    allowed: tuple[str, ...]
    before: frozenset[str]
    files: frozenset[str]
    stopped_by: frozenset[str]
    started_by: frozenset[str]
    may_start_early: bool
    is_skipped: bool
    work: RunWork


def run(pipeline: RunnablePipeline, started: Sequence[StartedJob], works: Works) -> dict[str, RunJob] | None:
    """Return the jobs of the run of *started* by name, None if GitLab refuses it.

    It does so if a job needs one that is not in the run, or itself through others. It starts no pipeline for jobs of
    `.pre` and `.post` alone.

    Their work is in *works* from now on, which runs of the same pipeline share.
    """
    starts = {name: start for start in started for name in start.combinations}
    jobs = _present(pipeline, starts)
    if any(_missing(jobs)):
        return None
    if not starts_pipeline(pipeline, started):
        return {}
    direct, files, skipped = _order(starts, jobs)
    ancestors = closure(direct)
    if any(name in earlier for name, earlier in ancestors.items()):
        return None
    shown = frozenset(combination for job in jobs.values() if job.is_shown for combination in job.combinations)
    leaving = frozenset(combination for job in jobs.values() if job.leaves_files for combination in job.combinations)
    stopped_by = _stopped_by(starts, jobs, direct)
    started_by = _started_by(starts, jobs, direct, stopped_by)
    failed = frozenset(name for name, start in starts.items() if start.when == ON_FAILURE)
    run_jobs: dict[str, RunJob] = {}
    for name, job in jobs.items():
        for own_name in job.combinations if job.is_shown else ():
            own = starts[own_name]
            missing = failed if own.when not in AFTER_FAILURES else frozenset()
            senders = (_through_helpers(files[own_name], files, shown) & ancestors[own_name] & leaving) - missing
            run_jobs[own_name] = RunJob(
                name=own_name,
                job=name,
                when=_without_effect(own.when, direct[own_name]),
                is_optional=_is_optional(own),
                allowed=own.allowed,
                before=(ancestors[own_name] & shown) - missing,
                files=senders,
                stopped_by=stopped_by[own_name] & shown,
                started_by=started_by.get(own_name, frozenset()) & shown,
                may_start_early=job.needs is not None
                and own.when == ALWAYS
                and _may_start_early(direct, direct[own_name], starts, stopped_by),
                is_skipped=own_name in skipped,
                work=_work(own_name, job, own, _received(senders, starts, jobs), works),
            )
    return run_jobs


def _may_start_early(
    direct: Mapping[str, frozenset[str]],
    needs: frozenset[str],
    starts: Mapping[str, StartedJob],
    stopped_by: Mapping[str, frozenset[str]],
) -> bool:
    """Return whether a job that always starts does so before all its *needs* have ended, if one of them is skipped.

    https://gitlab.com/gitlab-org/gitlab/-/blob/master/lib/gitlab/ci/status/composite.rb. Needs of needs make no
    difference: if one is skipped, so is the one that needs it, unless this one starts after failures.
    """
    pending, implied = list(needs), set[str]()
    while pending:
        name = pending.pop()
        if starts[name].when not in AFTER_FAILURES:
            pending += direct[name] - implied
            implied |= direct[name]
    may_be_skipped = any(starts[need].when == ON_FAILURE or stopped_by[need] for need in needs)
    return len(needs - implied) > 1 and may_be_skipped


def starts_pipeline(pipeline: RunnablePipeline, started: Iterable[StartedJob]) -> bool:
    """Return whether the *started* jobs are a pipeline: for those of `.pre` and `.post` alone, GitLab starts none."""
    return any(pipeline.jobs[start.name].job.stage not in (FIRST_STAGE, LAST_STAGE) for start in started)


def missing_needs(pipeline: RunnablePipeline, started: Sequence[StartedJob]) -> Iterator[tuple[str, str]]:
    """Yield each job of the run of *started* that needs one that is not in the run, with the name of that one."""
    yield from _missing(_present(pipeline, {name: start for start in started for name in start.combinations}))


def _missing(jobs: Mapping[str, RunnableJob]) -> Iterator[tuple[str, str]]:
    for name, job in jobs.items():
        yield from ((name, need.name) for need in job.needs or () if need.name not in jobs and not need.is_optional)


def _received(senders: Iterable[str], starts: Mapping[str, StartedJob], jobs: Mapping[str, RunnableJob]) -> _Values:
    """Return the values that the combinations *senders* leave for a job."""
    names = sorted({starts[sender].name for sender in senders})
    return tuple(value for name in names for value in jobs[name].values.for_others.items())


def _work(name: str, job: RunnableJob, started: StartedJob, received: _Values, works: Works) -> RunWork:
    """Return the work of the combination *name* of *job*, which has *started*, and *received* values of other jobs."""
    key = name, started.of_workflow, started.variables, received
    if key not in works:
        # Those of a rule come last in `initialize` in `lib/gitlab/ci/pipeline/seed/build.rb` of GitLab.
        values = {**dict(started.of_workflow), **job.combinations[name], **dict(started.variables)}
        variables = {**job.variables, **expanded_all(values), **dict(received)}
        known = {**variables, "CI_PROJECT_DIR": ".", "CI_JOB_STAGE": job.job.stage}
        works[key] = RunWork(
            script=job.script,
            after=job.after,
            variables=variables,
            image=job.image,
            services=job.services,
            tags=" ".join(sorted(ground(tag, variables) for tag in job.tags)),
            paths=tuple((kind, normpath(ground(path, known))) for kind, path in job.paths),
            environment=job.environment,
            address=job.address,
            values=job.values,
        )
    return works[key]


def _present(pipeline: RunnablePipeline, starts: Mapping[str, StartedJob]) -> dict[str, RunnableJob]:
    """Return the jobs of *pipeline* with only the combinations in *starts*."""
    jobs: dict[str, RunnableJob] = {}
    for name in dict.fromkeys(start.name for start in starts.values()):
        job = pipeline.jobs[name]
        combinations = {own: values for own, values in job.combinations.items() if own in starts}
        jobs[name] = job if len(combinations) == len(job.combinations) else replace(job, combinations=combinations)
    return jobs


def _through_helpers(
    names: frozenset[str], files: Mapping[str, frozenset[str]], shown: frozenset[str]
) -> frozenset[str]:
    """Return the jobs whose files a job gets from jobs with *names*: helpers pass on *files* of others."""
    helpers, passed = set[str](), names - shown
    while passed:
        helpers |= passed
        names = names.union(*(files[name] for name in passed))
        passed = names - shown - helpers
    return names & shown


def _without_effect(when: str, before: Collection[str]) -> str:
    """Return how a job starts: the first jobs of a run start the same way, whatever happens to others."""
    return ON_SUCCESS if when == "always" and not before else when


def _order(
    starts: Mapping[str, StartedJob], jobs: Mapping[str, RunnableJob]
) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]], frozenset[str]]:
    """Return the combinations directly before each combination of *jobs*, those whose files it gets, and skipped ones.

    These need a job that a person has not started yet, or that waits for a failure.
    """
    direct: dict[str, frozenset[str]] = {}
    files: dict[str, frozenset[str]] = {}
    for name, job in jobs.items():
        needs = [need for need in job.needs or () if need.name in jobs]
        for own_name, values in job.combinations.items() if job.needs is not None else ():
            direct[own_name] = _needed([need for need in needs if need.name != name], values, jobs)
            files[own_name] = _needed([need for need in needs if need.has_files], values, jobs)
    skipped = _skipped(starts, direct)
    earlier = {
        number: [name for name, job in jobs.items() if job.job.stage_number < number]
        for number in {job.job.stage_number for job in jobs.values()}
    }
    of_stage = {number: _all_combinations(names, jobs) for number, names in earlier.items()}
    awaited = {
        number: frozenset(name for name in names if starts[name].is_awaited and name not in skipped)
        for number, names in of_stage.items()
    }
    # Those that wait for no other never run.
    failing = {
        number: awaited[number].union(
            name
            for name in names
            if starts[name].when == ON_FAILURE and direct.get(name, awaited[jobs[starts[name].name].job.stage_number])
        )
        for number, names in of_stage.items()
    }
    for job in jobs.values():
        chosen = _all_combinations(job.dependencies, jobs) if job.dependencies is not None else None
        for own_name in job.combinations:
            if job.needs is None:
                earlier_jobs = failing if starts[own_name].when in AFTER_FAILURES else awaited
                direct[own_name] = earlier_jobs[job.job.stage_number]
                files[own_name] = of_stage[job.job.stage_number]
            if chosen is not None:
                files[own_name] &= chosen
    return direct, files, skipped


def _skipped(starts: Mapping[str, StartedJob], needs: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return the combinations that need an optional one, one that starts after a failure, or a skipped one.

    A job without needs only looks at the results of earlier stages: `lib/gitlab/ci/status/composite.rb` of GitLab.
    """
    skipped: set[str] = set()
    for name in in_order({name: needs.get(name, frozenset()) for name in starts}):
        is_skipped = any(need in skipped or _is_passed(starts[need]) for need in needs.get(name, ()))
        if is_skipped and starts[name].when not in AFTER_FAILURES:
            skipped.add(name)
    return frozenset(skipped)


def _stopped_by(
    starts: Mapping[str, StartedJob], jobs: Mapping[str, RunnableJob], direct: Mapping[str, frozenset[str]]
) -> dict[str, frozenset[str]]:
    """Return the combinations whose failure keeps each from starting.

    A job with needs is also skipped if one that it needs is, and one without needs looks at all earlier stages.
    """
    stopped_by: dict[str, frozenset[str]] = {}
    failing = _failing(starts)
    failing_before = _of_earlier_stages(failing, starts, jobs)
    for name in in_order(direct):
        job = jobs[starts[name].name]
        if starts[name].when in AFTER_FAILURES:
            stopped_by[name] = frozenset()
        elif job.needs is None:
            stopped_by[name] = failing_before[job.job.stage_number]
        else:
            through = (stopped_by[need] for need in direct[name] if starts[need].when not in AFTER_FAILURES)
            stopped_by[name] = (direct[name] & failing).union(*through)
    return stopped_by


def _started_by(
    starts: Mapping[str, StartedJob],
    jobs: Mapping[str, RunnableJob],
    direct: Mapping[str, frozenset[str]],
    stopped_by: Mapping[str, frozenset[str]],
) -> dict[str, frozenset[str]]:
    """Return the combinations whose failure starts each one that waits for a failure.

    With needs, these are needed ones with whose failure no other needed one is skipped:
    `lib/gitlab/ci/status/composite.rb` of GitLab.
    """
    started_by: dict[str, frozenset[str]] = {}

    def runs_after(name: str, failed: Collection[str]) -> bool:
        start = starts[name]
        if start.when == ON_FAILURE:
            return name in failed or not started_by[name].isdisjoint(failed)
        return start.when in AFTER_FAILURES or stopped_by[name].isdisjoint(failed)

    failing = _failing(starts)
    failing_before = _of_earlier_stages(failing, starts, jobs)
    for name in in_order(direct):
        job = jobs[starts[name].name]
        if starts[name].when != ON_FAILURE:
            continue
        if job.needs is None:
            started_by[name] = failing_before[job.job.stage_number]
            continue
        started_by[name] = frozenset(
            need
            for need in direct[name] & failing
            if any(
                all(runs_after(other, (need, cause)) for other in direct[name])
                for cause in started_by.get(need, (need,))
            )
        )
    return started_by


def _failing(starts: Mapping[str, StartedJob]) -> frozenset[str]:
    """Return the combinations whose failure counts."""
    return frozenset(name for name, start in starts.items() if "any" not in start.allowed)


def _of_earlier_stages(
    names: Collection[str], starts: Mapping[str, StartedJob], jobs: Mapping[str, RunnableJob]
) -> dict[int, frozenset[str]]:
    """Return those of the combinations *names* in stages before each, by its number."""
    numbers = {name: jobs[starts[name].name].job.stage_number for name in names}
    return {
        number: frozenset(name for name, own in numbers.items() if own < number)
        for number in {job.job.stage_number for job in jobs.values()}
    }


def _is_passed(start: StartedJob) -> bool:
    """Return whether a run without failures can end before the job starts."""
    return start.when == ON_FAILURE or _is_optional(start)


def _is_optional(start: StartedJob) -> bool:
    """Return whether a person may start the job, and no job of a later stage waits for it."""
    return start.when == MANUAL and not start.is_awaited


def _all_combinations(names: Iterable[str], jobs: Mapping[str, RunnableJob]) -> frozenset[str]:
    """Return the combinations of the jobs with these *names*, some of which are those of single combinations."""
    return frozenset(
        combination
        for name in names
        if (whole := whole_name(name, jobs)) in jobs
        for combination in jobs[whole].combinations
        if whole == name or values_in(combination) == values_in(name)
    )


def _needed(needs: Iterable[Need], own: Mapping[str, str], jobs: Mapping[str, RunnableJob]) -> frozenset[str]:
    """Return the combinations that *needs* of a combination with the *own* values are on."""
    return frozenset(combination for need in needs for combination in need.chosen(jobs[need.name].combinations, own))
