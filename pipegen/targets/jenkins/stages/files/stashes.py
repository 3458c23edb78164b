"""Stashes: the files that stages with isolated workspaces pass on, one stash for each producer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipegen.bindings.expression import Reference, Text
from pipegen.plan.model import Artifact, Job
from pipegen.plan.model.retention import has_values, path_text
from pipegen.shell.values.absence import may_be_absent
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import NamedJob
from pipegen.targets.jenkins.stages.scripts.values import GroovyTexts

# The path of a file by its extension; folders with one, such as `conf.d` and `package.egg-info`, are rare.
_FILE = re.compile(r"(.*/)?[^/.][^/]*\.(?!d$)[A-Za-z][A-Za-z0-9]*")
_TAG = model.GroovyCode("(env.TAG_NAME ?: '').replace(',', '?')")


class Stashes:
    """The stashes of all *named* jobs, named by the slugs of their jobs."""

    def __init__(self, named: Sequence[NamedJob]) -> None:
        self._jobs = {named_job.key: named_job for named_job in named}
        plans = {named_job.plan.name: named_job.plan for named_job in named}
        self._positions = {
            name: {stage: position for position, stage in enumerate(plan.graph.topological())}
            for name, plan in plans.items()
        }
        self._reads = {named_job.key: self._read_stages(named_job) for named_job in named}
        self._read = {self._title(plan, stage) for (plan, _), stages in self._reads.items() for stage in stages}
        self._uncertain = {
            self._title(named_job.plan.name, stage)
            for named_job in named
            for stage in self._reads[named_job.key]
            if may_be_absent(self._jobs[named_job.plan.name, stage].job, named_job.job)
        }

    def read_by(self, reader: NamedJob) -> tuple[model.Unstash, ...]:
        """Return the steps that fetch files for a job, each after those of its ancestors: the latest file wins."""
        plan = reader.plan.name
        stages = sorted(self._reads[plan, reader.job.stage], key=self._positions[plan].__getitem__)
        producers = [self._jobs[plan, stage].job for stage in stages]
        return tuple([model.Unstash(job.slug, may_be_absent(job, reader.job)) for job in producers])

    def left_by(self, producer: NamedJob, values: GroovyTexts) -> model.Stash | None:
        """Return the stash of a job, whose texts have *values*; None if no job reads it, or another combination of it.

        So all combinations have the same steps.
        """
        job = producer.job
        if self._title(*producer.key) not in self._read or not (_shared_paths(job) or producer.script.carries):
            return None
        return model.Stash(
            name=job.slug,
            includes=expanded(_includes(job, producer.script.carries), job, values),
            excludes=excludes(job, values),
            has_folders=has_folders(_shared_paths(job)),
            may_be_empty=not producer.script.carries,
            is_tested=self._title(*producer.key) in self._uncertain,
        )

    def _title(self, plan: str, stage: str) -> tuple[str, str]:
        """Return the pipeline and the matrix of *stage*, or the stage itself without one."""
        combination = self._jobs[plan, stage].job.combination
        return plan, combination.stage if combination is not None else stage

    def _read_stages(self, reader: NamedJob) -> tuple[str, ...]:
        job = reader.job
        read = [*[output.stage for output in job.inputs], *job.containers]
        carried = [stage for stage in read if self._jobs[reader.plan.name, stage].script.carries]
        return tuple(dict.fromkeys((*job.files, *carried)))


def _includes(job: Job, carries: Sequence[str]) -> str:
    """Return the Ant patterns of the files of *job*; a path may be that of a file or of a folder."""
    return patterns(_shared_paths(job), carries)


def _shared_paths(job: Job) -> list[str]:
    """Return the paths of the files that *job* passes on to other stages."""
    return artifact_paths(artifact for artifact in job.artifacts if artifact.travels)


def artifact_paths(artifacts: Iterable[Artifact]) -> list[str]:
    """Return the paths of *artifacts*; those of folders end with a slash."""
    return [
        f"{artifact.path}/" if artifact.is_folder else artifact.path
        for artifact in artifacts
        if artifact.path is not None
    ]


def patterns(paths: Iterable[str], folders: Iterable[str] = ()) -> str:
    """Return the Ant patterns of *folders*, and of *paths*, each of which may be that of a file or of a folder."""
    return ", ".join([*folders, *(pattern for path in paths for pattern in _patterns(path))])


def has_folders(paths: Iterable[str]) -> bool:
    """Return whether one of *paths* may be that of a folder, whose hidden files Ant excludes by default."""
    return not all(map(_FILE.fullmatch, paths))


def _patterns(path: str) -> tuple[str, ...]:
    return (path,) if path.endswith(("/", "/**")) or _FILE.fullmatch(path) else (path, f"{path}/")


def expanded(paths: str, job: Job, values: GroovyTexts) -> model.Value:
    """Return the Ant patterns *paths* of *job* with the values of references.

    A comma separates patterns, so the wildcard for one character matches that of a tag.
    """
    if not has_values(paths):
        return paths
    parts = path_text(paths, job.span).parts
    return model.Joined(
        tuple(
            _TAG if isinstance(part, Reference) and part.name == "tag" else values.name(Text((part,), job.span))
            for part in parts
        )
    )


def excludes(job: Job, values: GroovyTexts) -> model.Value:
    """Return the Ant patterns that *job* excludes from its artifacts."""
    return expanded(", ".join(job.retention.exclude), job, values)
