"""Jobs of a pipeline in several files: a parent, and child pipelines that bridges in the parent start.

Facts (https://docs.gitlab.com/ci/pipelines/downstream_pipelines/, and GitLab's code where stated):

- Needs do not cross files. A job of a child fetches artifacts of a job of the parent by `needs: pipeline`, which must
  have succeeded (`Ci::BuildDependencies`), from at most 5 such jobs (`Ci::Config::Entry::Needs`); it does not wait. So
  the bridge waits, and artifacts that may be missing, or of more than 5 jobs, are collected in the parent first.
- Artifacts of the parent are unpacked last (`all` there), and would overwrite later files of the child: if both may
  contain the same path, a job of the child that starts first fetches the artifacts of the parent.
- A child whose rules exclude all jobs fails its bridge, so one job is always included.
- A child is a merge request pipeline if its parent is, compares changes in the same way, and has the parent's commit
  and branch, but its own source, ID and time: the bridge passes on those of the parent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from posixpath import join

from pipegen.structs import Struct, replace
from pipegen.targets.base import GeneratedFile
from pipegen.targets.gitlab.files.assembly import assemble, with_needs
from pipegen.targets.gitlab.files.layout import ChildPart, PipelineLayout
from pipegen.targets.gitlab.files.splitting import Split
from pipegen.targets.gitlab.helper_jobs.collectors import strictest
from pipegen.targets.gitlab.jobs.values.shell_variables import PARENT_VARIABLES
from pipegen.targets.gitlab.model import (
    IS_HELPER,
    NO_CHECKOUT,
    ChildPipeline,
    Document,
    GitLabJob,
    ImageKeys,
    NeedEntry,
    ScriptEntry,
    VariableEntry,
)
from pipegen.targets.gitlab.names import JobNames
from pipegen.targets.gitlab.needs.awaited import StageJob, awaited
from pipegen.targets.gitlab.pipelines import STEP, JobContext, PipelineJob, step_number

# The maximum number of jobs of another pipeline that a job may fetch from.
_MOST_FETCHED = 5
PARENT = "PIPEGEN_PARENT"


def unconditional_job(name: str, image: ImageKeys | None) -> GitLabJob:
    """Return the helper *name*, in *image*, which is in a child pipeline whatever the rules of other jobs exclude."""
    return GitLabJob(
        name=name,
        image=image,
        stage=f"{STEP} 1",
        variables=(IS_HELPER, NO_CHECKOUT),
        script=(ScriptEntry("true", "GitLab makes no pipeline without a job"),),
    )


class ParentAndChildren(Struct):
    """The jobs that stay in the parent, including bridges, and the children."""

    jobs: tuple[GitLabJob, ...]
    children: tuple[ChildPart, ...]


def divide(layout: PipelineLayout, split: Split, names: JobNames) -> ParentAndChildren:
    """Return the jobs of *layout* in files, according to *split*."""
    return _Division.of(layout, split, names).divide()


def with_children(document: Document, files: Mapping[str, GeneratedFile], folder: str) -> Document:
    """Return *document* with the files in *folder* that its bridges start, and the variables that these use."""
    return replace(document, jobs=tuple(_with_child(job, files.get(job.name), folder) for job in document.jobs))


def _with_child(job: GitLabJob, file: GeneratedFile | None, folder: str) -> GitLabJob:
    if file is None:
        return job
    values = {PARENT: "$CI_PIPELINE_ID", **PARENT_VARIABLES}
    passed = tuple(VariableEntry(name, value) for name, value in values.items() if name in file.text)
    return replace(job, trigger=ChildPipeline(join(folder, file.name)), variables=(*job.variables, *passed))


class _Division(Struct, kw_only=True):
    """The jobs of *layout* in files, according to *split*; new jobs take their names from *names*.

    Attributes:
        stages: the stage of each job, by the name of the job.
        bridges: the name of the job that starts each child, by the number of the child.
        child_context: the pipeline as it is in a child.
        child_jobs: the jobs of all children.
    """

    layout: PipelineLayout
    split: Split
    names: JobNames
    stages: Mapping[str, str]
    bridges: Mapping[int, str]
    child_context: JobContext
    child_jobs: tuple[PipelineJob, ...]

    @classmethod
    def of(cls, layout: PipelineLayout, split: Split, names: JobNames) -> _Division:
        stages = {pipeline_job.job.name: pipeline_job.stage for pipeline_job in layout.pipeline_jobs}
        prefix = "" if split.resource_group else f"{layout.pipeline.prefix}child: "
        bridges = {part: names.take(f"{prefix}{title}") for part, title in split.titles.items()}
        child_context, child_jobs = layout.for_child(split.parts)
        return cls(
            layout=layout,
            split=split,
            names=names,
            stages=stages,
            bridges=bridges,
            child_context=child_context,
            child_jobs=child_jobs,
        )

    def divide(self) -> ParentAndChildren:
        """Return the jobs in files."""
        parent_jobs = [
            pipeline_job.job for pipeline_job in self.layout.pipeline_jobs if pipeline_job.stage not in self.split.parts
        ]
        collectors = self.layout.pipeline.collectors(self.names, parent_jobs, self.layout.stage_jobs)
        children: list[ChildPart] = []
        starting: dict[int, list[GitLabJob]] = {}
        for part, bridge in self.bridges.items():
            fetching = _Fetching(self, part)
            jobs = fetching.jobs()
            new_collectors: list[GitLabJob] = []
            collected: dict[str, tuple[NeedEntry, ...]] = {}
            for job, needs in fetching.collected.items():
                collected[job], created = collectors.gather(job, needs, _MOST_FETCHED)
                new_collectors += created
            jobs = [_with_fetched(job, collected.get(job.name, ())) for job in jobs]
            children.append(ChildPart(self.split.titles[part], bridge, self._child(part, fetching.received(jobs))))
            fetched = [need.job for job in children[-1].jobs for need in job.needs if need.pipeline]
            starting[part] = [*new_collectors, self._bridge(part, fetched)]
        jobs = _in_steps(self._in_order(starting))
        bridges = {f"child {part}": StageJob(job=name, last=name, artifacts=()) for part, name in self.bridges.items()}
        stage_jobs = {
            stage: stage_job for stage, stage_job in self.layout.stage_jobs.items() if stage not in self.split.parts
        } | bridges
        return ParentAndChildren(
            tuple(assemble(self.layout.pipeline, jobs, stage_jobs, self.names, self.layout.report)), tuple(children)
        )

    def _child(self, part: int, jobs: Sequence[GitLabJob]) -> tuple[GitLabJob, ...]:
        """Return the *jobs* of a child as they are in its file."""
        stage_jobs = {
            stage: stage_job
            for stage, stage_job in self.layout.stage_jobs.items()
            if self.split.parts.get(stage) == part
        }
        # A whole pipeline keeps its steps.
        ordered = [*jobs] if self.split.resource_group else _in_steps(jobs)
        if all(job.rules for job in ordered):
            name = self.names.take(f"{self.layout.pipeline.prefix}start of {self.split.titles[part]}")
            ordered.insert(0, unconditional_job(name, self.child_context.shell_image()))
        return tuple(assemble(self.child_context, ordered, stage_jobs, self.names, self.layout.report))

    def _in_order(self, starting: Mapping[int, Sequence[GitLabJob]]) -> Iterator[GitLabJob]:
        """Yield the jobs of the parent, each bridge in the position of the first stage of its child."""
        started: set[int] = set()
        for job in self.layout.pipeline_jobs:
            part = self.split.parts.get(job.stage)
            if part is None:
                yield with_needs(job.job, _merged(self._parent_need(need) for need in job.job.needs))
            elif part not in started:
                started.add(part)
                yield from starting[part]

    def _parent_need(self, need: NeedEntry) -> NeedEntry:
        """Return *need* as a job of the parent has it: on the bridge if the needed job is in a child."""
        part = self.split.parts.get(self.stages.get(need.job, ""))
        return need if part is None else NeedEntry(self.bridges[part], artifacts=False)

    def _bridge(self, part: int, fetched: Iterable[str]) -> GitLabJob:
        """Return the job that starts the child *part*, after all needs of its jobs, and after the jobs *fetched*."""
        needs: list[NeedEntry] = []
        for pipeline_job in self.layout.pipeline_jobs:
            if self.split.parts.get(pipeline_job.stage) == part:
                needs += [self._parent_need(need) for need in pipeline_job.job.needs if not self.is_in(need.job, part)]
        needs += [
            self._parent_need(NeedEntry(self.layout.stage_jobs[stage].last, artifacts=False))
            for stage in self._passed(needs)
        ]
        needs += [NeedEntry(name, artifacts=False) for name in fetched]
        merged = _merged(replace(need, artifacts=False, is_optional=self._may_miss(need.job)) for need in needs)
        return GitLabJob(
            name=self.bridges[part],
            stage=f"{STEP} 1",
            needs=merged,
            rules=self.layout.pipeline.bridge_rules,
            # Otherwise, all variables of this file would override those that jobs of the child set.
            inherits_variables=False,
            # The bridge of a whole pipeline stands for its stages.
            variables=() if self.split.resource_group else (IS_HELPER,),
            trigger=ChildPipeline(""),
            resource_group=self.split.resource_group,
        )

    def _passed(self, needs: Sequence[NeedEntry]) -> Iterator[str]:
        """Yield the stages before those in *needs* that may be missing while the bridge itself is present."""
        stage_jobs = self.layout.stage_jobs
        direct = dict.fromkeys(stage for need in needs if (stage := self.stages.get(need.job, "")) in stage_jobs)
        yield from (stage for stage in awaited(direct, None, stage_jobs) if stage not in direct)

    def is_in(self, job: str, part: int) -> bool:
        return self.split.parts.get(self.stages.get(job, "")) == part

    def _may_miss(self, job: str) -> bool:
        stage_job = self.layout.stage_jobs.get(self.stages.get(job, ""))
        return stage_job is not None and stage_job.is_conditional and self.stages.get(job) not in self.split.parts


class _Fetching:
    """The way in which the jobs of a child fetch artifacts of the parent.

    *collected* are the needs of jobs whose artifacts the parent collects first.
    """

    def __init__(self, division: _Division, part: int) -> None:
        self._of = division
        self._part = part
        self._artifacts = {job.job.name: job.job.artifacts for job in division.layout.pipeline_jobs}
        self._artifact_keys = {job.job.name: job.job.artifact_keys for job in division.layout.pipeline_jobs}
        self.collected: dict[str, tuple[NeedEntry, ...]] = {}

    def jobs(self) -> list[GitLabJob]:
        """Return the jobs of the child, with needs on each other and on jobs of the parent that they fetch from."""
        return [
            self._fetching(pipeline_job.job)
            for pipeline_job in self._of.child_jobs
            if self._of.split.parts.get(pipeline_job.stage) == self._part
        ]

    def _fetching(self, job: GitLabJob) -> GitLabJob:
        inside = [need for need in job.needs if self._of.is_in(need.job, self._part)]
        outside = [need for need in job.needs if need.artifacts and need not in inside]
        if len(outside) > _MOST_FETCHED or any(map(self._is_uncertain, outside)):
            self.collected[job.name] = tuple(outside)
            outside = []
        fetched = [NeedEntry(need.job, artifacts=True, pipeline=f"${PARENT}") for need in outside]
        return with_needs(job, (*inside, *fetched))

    def _is_uncertain(self, need: NeedEntry) -> bool:
        stage_job = self._of.layout.stage_jobs[self._of.stages[need.job]]
        return stage_job.condition is not None or stage_job.may_be_passed

    def received(self, jobs: Sequence[GitLabJob]) -> list[GitLabJob]:
        """Return *jobs* with receivers before those whose parent artifacts would overwrite later files."""
        result: list[GitLabJob] = []
        receivers: dict[tuple[NeedEntry, ...], GitLabJob] = {}
        for job in jobs:
            outside = tuple(need for need in job.needs if need.pipeline)
            inside = [need for need in job.needs if not need.pipeline]
            if outside and self._clash(job, outside, inside):
                if outside not in receivers:
                    receivers[outside] = self._receiver(job.name, outside)
                    result.append(receivers[outside])
                inside = [NeedEntry(receivers[outside].name, artifacts=True), *inside]
                outside = ()
            result.append(with_needs(job, (*inside, *outside)))
        return result

    def _clash(self, job: GitLabJob, outside: Sequence[NeedEntry], inside: Sequence[NeedEntry]) -> bool:
        earlier = [path for need in self._wanted(job, outside) for path in self._artifacts.get(need, ())]
        later = [path for need in inside if need.artifacts for path in self._artifacts.get(need.job, ())]
        return any(_may_overlap(path, other) for path in earlier for other in later)

    def _wanted(self, job: GitLabJob, outside: Sequence[NeedEntry]) -> list[str]:
        """Return the jobs of the parent that produce the artifacts of *outside*, collected or not."""
        return [need.job for need in self.collected.get(job.name, outside)]

    def _receiver(self, reader: str, outside: tuple[NeedEntry, ...]) -> GitLabJob:
        paths = dict.fromkeys(
            path for need in self.collected.get(reader, outside) for path in self._artifacts.get(need.job, ())
        )
        return GitLabJob(
            name=self._of.names.take(f"receive for {reader}"),
            image=self._of.child_context.shell_image(),
            stage=f"{STEP} 1",
            needs=outside,
            variables=(IS_HELPER,),
            script=(ScriptEntry("true"),),
            artifacts=tuple(paths),
            artifact_keys=strictest(self._artifact_keys[need.job] for need in self.collected.get(reader, outside)),
        )


def _in_steps(jobs: Iterable[GitLabJob]) -> list[GitLabJob]:
    """Return *jobs* in steps as early as their needs allow; jobs in named steps are unchanged."""
    by_name = {job.name: job for job in jobs}
    steps: dict[str, int] = {}
    for name in by_name if _are_sorted(by_name) else _after_needs(by_name):
        steps[name] = 1 + max([steps[need.job] for need in by_name[name].needs if need.job in steps], default=0)
    return [
        replace(job, stage=f"{STEP} {steps[name]}") if step_number(job) not in (0, steps[name]) else job
        for name, job in by_name.items()
    ]


def _are_sorted(jobs: Mapping[str, GitLabJob]) -> bool:
    """Return whether each of *jobs* comes after those that it needs in the same file, as in most configs."""
    open_names = set(jobs)
    for name, job in jobs.items():
        open_names.discard(name)
        if any(need.job in open_names and not need.pipeline for need in job.needs):
            return False
    return True


def _after_needs(jobs: Mapping[str, GitLabJob]) -> Iterator[str]:
    """Yield the names of *jobs*, each after those that it needs in the same file."""
    seen: set[str] = set()
    stack = [iter(jobs)]
    path: list[str] = []
    while stack:
        name = next((name for name in stack[-1] if name not in seen), None)
        if name is not None:
            seen.add(name)
            path.append(name)
            stack.append(iter([need.job for need in jobs[name].needs if not need.pipeline and need.job in jobs]))
        else:
            stack.pop()
            if path and len(stack) == len(path):
                yield path.pop()


def _merged(needs: Iterable[NeedEntry]) -> tuple[NeedEntry, ...]:
    """Return *needs* with one for each job, which fetches if one of them does."""
    merged: dict[str, NeedEntry] = {}
    for need in needs:
        earlier = merged.get(need.job)
        merged[need.job] = need if earlier is None else replace(earlier, artifacts=earlier.artifacts or need.artifacts)
    return tuple(merged.values())


def _with_fetched(job: GitLabJob, fetched: Sequence[NeedEntry]) -> GitLabJob:
    """Return *job* with *fetched*, needs on jobs of its parent."""
    return replace(job, needs=(*job.needs, *(replace(need, pipeline=f"${PARENT}") for need in fetched)))


def _may_overlap(pattern: str, other_pattern: str) -> bool:
    """Return whether two path patterns may match the same file: one contains the other, as far as both are literal."""
    first, second = _fixed(pattern), _fixed(other_pattern)
    shorter, longer = sorted((first, second), key=len)
    return longer[: len(shorter)] == shorter


def _fixed(path: str) -> list[str]:
    """Return the segments of *path* before the first that has a wildcard or a variable."""
    segments = [segment for segment in path.split("/") if segment]
    end = next((index for index, segment in enumerate(segments) if "*" in segment or "$" in segment), len(segments))
    return segments[:end]
