"""Jobs of a pipeline put into several files: a parent, and children that bridges in the parent start.

Facts (https://docs.gitlab.com/ci/pipelines/downstream_pipelines/, and GitLab's code where said):

- Needs do not cross files. A job of a child fetches artifacts of a job of the parent by `needs: pipeline`, which must
  have succeeded (`Ci::BuildDependencies`), of 5 such jobs at most (`Ci::Config::Entry::Needs`); it does not wait. So
  the bridge waits, and what may be missing, or more than 5, is collected in the parent first.
- What is fetched from the parent is unpacked last (`all` there), so over later files of the child: where both may hold
  one path, a job of the child that starts first fetches the parent's.
- A child in which no job is let in by its rules fails its bridge, so one job is let in always.
- A child is a merge request's where its parent is, compares changes as that does, and has the parent's commit and
  branch, but a source, an ID and a time of its own: the bridge hands over those of the parent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from posixpath import join

from pipegen.structs import Struct, replace
from pipegen.targets.base import GeneratedFile
from pipegen.targets.gitlab.files.assembly import assembled
from pipegen.targets.gitlab.files.layout import ChildPart, PipelineLayout
from pipegen.targets.gitlab.helper_jobs.collectors import strictest
from pipegen.targets.gitlab.model import (
    HELPER,
    ChildPipeline,
    Document,
    GitLabJob,
    ImageKeys,
    NeedEntry,
    ScriptEntry,
    VariableEntry,
)
from pipegen.targets.gitlab.names import JobNames
from pipegen.targets.gitlab.needs.awaited import Place, awaited
from pipegen.targets.gitlab.pipelines import STEP, JobContext, PipelineJob, step_number

# How many jobs of another pipeline a job may fetch from.
MOST_FETCHED = 5
PARENT = "PIPEGEN_PARENT"
# What the parent hands over beside its ID where something asks for it.
HANDED = {"PIPEGEN_SOURCE": "$CI_PIPELINE_SOURCE", "PIPEGEN_CREATED_AT": "$CI_PIPELINE_CREATED_AT"}
_IS_HELPER = VariableEntry(HELPER, "1")


def always_in(name: str, image: ImageKeys | None) -> GitLabJob:
    """Return the helper *name*, in *image*, that is in a child whatever its rules keep out."""
    return GitLabJob(
        name=name,
        image=image,
        stage=f"{STEP} 1",
        variables=(_IS_HELPER, VariableEntry("GIT_STRATEGY", "none")),
        script=(ScriptEntry("true", "GitLab makes no pipeline without a job"),),
    )


class ParentAndChildren(Struct):
    """The jobs that stay in the parent, bridges among them, and the children."""

    jobs: tuple[GitLabJob, ...]
    children: tuple[ChildPart, ...]


def divided(
    laid: PipelineLayout, parts: Mapping[str, int], titles: Mapping[int, str], names: JobNames
) -> ParentAndChildren:
    """Return the jobs of *laid* in files: *parts* says which stages are in which child, *titles* what it is called."""
    return _Division.of(laid, parts, names, titles).divided()


def with_children(document: Document, files: Mapping[str, GeneratedFile], folder: str) -> Document:
    """Return *document* with the files in *folder* that its bridges start, and the variables that these ask for."""
    return replace(document, jobs=tuple(_started(job, files.get(job.name), folder) for job in document.jobs))


def _started(job: GitLabJob, file: GeneratedFile | None, folder: str) -> GitLabJob:
    if file is None:
        return job
    handed = tuple(VariableEntry(name, value) for name, value in HANDED.items() if f"${name}" in file.text)
    return replace(job, trigger=ChildPipeline(join(folder, file.name)), variables=(*job.variables, *handed))


class _Division(Struct):
    laid: PipelineLayout
    parts: Mapping[str, int]
    names: JobNames
    titles: Mapping[int, str]
    stages: dict[str, str]
    bridges: dict[int, str]
    inside: JobContext
    made_inside: tuple[PipelineJob, ...]

    @classmethod
    def of(
        cls, laid: PipelineLayout, parts: Mapping[str, int], names: JobNames, titles: Mapping[int, str]
    ) -> _Division:
        stages = {one.job.name: one.stage for one in laid.made}
        bridges = {part: names.take(f"{laid.pipeline.prefix}child: {title}") for part, title in titles.items()}
        return cls(laid, parts, names, titles, stages, bridges, *laid.inside(parts))

    def divided(self) -> ParentAndChildren:
        """Return the jobs in files."""
        staying = [one.job for one in self.laid.made if one.stage not in self.parts]
        collectors = self.laid.pipeline.collectors(self.names, staying, self.laid.places)
        children: list[ChildPart] = []
        starting: dict[int, list[GitLabJob]] = {}
        for part, bridge in self.bridges.items():
            fetching = _Fetching(self, part)
            jobs = fetching.jobs()
            handed: list[GitLabJob] = []
            collected: dict[str, tuple[NeedEntry, ...]] = {}
            for job, needs in fetching.handed.items():
                collected[job], made = collectors.gather(job, needs, MOST_FETCHED)
                handed += made
            jobs = [_with_fetched(job, collected.get(job.name, ())) for job in jobs]
            children.append(ChildPart(self.titles[part], bridge, self._child(part, fetching.received(jobs))))
            fetched = [need.job for one in children[-1].jobs for need in one.needs if need.pipeline]
            starting[part] = [*handed, self._bridge(part, fetched)]
        jobs = in_steps(self._in_order(starting))
        bridges = {f"child {part}": Place(job=name, last=name, artifacts=()) for part, name in self.bridges.items()}
        places = {stage: place for stage, place in self.laid.places.items() if stage not in self.parts} | bridges
        return ParentAndChildren(
            tuple(assembled(self.laid.pipeline, jobs, places, self.names, self.laid.report)), tuple(children)
        )

    def _child(self, part: int, jobs: Sequence[GitLabJob]) -> tuple[GitLabJob, ...]:
        """Return the *jobs* of a child as they stand in its file."""
        places = {stage: place for stage, place in self.laid.places.items() if self.parts.get(stage) == part}
        found = list(in_steps(jobs))
        if all(job.rules for job in found):
            name = self.names.take(f"{self.laid.pipeline.prefix}start of {self.titles[part]}")
            found.insert(0, always_in(name, self.inside.shell_image()))
        return tuple(assembled(self.inside, found, places, self.names, self.laid.report))

    def _in_order(self, starting: Mapping[int, Sequence[GitLabJob]]) -> Iterator[GitLabJob]:
        """Yield the jobs of the parent, each bridge where the first stage of its child would stand."""
        seen: set[int] = set()
        for one in self.laid.made:
            part = self.parts.get(one.stage)
            if part is None:
                yield _needing(one.job, _once(self._seen(need) for need in one.job.needs))
            elif part not in seen:
                seen.add(part)
                yield from starting[part]

    def _seen(self, need: NeedEntry) -> NeedEntry:
        """Return *need* as a job of the parent has it."""
        part = self.parts.get(self.stages.get(need.job, ""))
        return need if part is None else NeedEntry(self.bridges[part], artifacts=False)

    def _bridge(self, part: int, fetched: Iterable[str]) -> GitLabJob:
        """Return the job that starts the child of *part*, after all that its jobs come after or have *fetched*."""
        needs: list[NeedEntry] = []
        for one in self.laid.made:
            if self.parts.get(one.stage) == part:
                needs += [self._seen(need) for need in one.job.needs if not self.is_in(need.job, part)]
        needs += [self._seen(NeedEntry(self.laid.places[stage].last, artifacts=False)) for stage in self._passed(needs)]
        needs += [NeedEntry(name, artifacts=False) for name in fetched]
        waited = _once(replace(need, artifacts=False, is_optional=self._may_miss(need.job)) for need in needs)
        return GitLabJob(
            name=self.bridges[part],
            stage=f"{STEP} 1",
            needs=waited,
            rules=self.laid.pipeline.bridge_rules,
            # Else all variables of this file would override those that jobs of the child set.
            inherits_variables=False,
            variables=(_IS_HELPER, VariableEntry(PARENT, "$CI_PIPELINE_ID")),
            trigger=ChildPipeline(""),
        )

    def _passed(self, needs: Sequence[NeedEntry]) -> Iterator[str]:
        """Yield the stages before those of *needs* that may be missing, where the bridge itself is there."""
        places = self.laid.places
        direct = dict.fromkeys(stage for need in needs if (stage := self.stages.get(need.job, "")) in places)
        yield from (stage for stage in awaited(direct, None, places) if stage not in direct)

    def is_in(self, job: str, part: int) -> bool:
        return self.parts.get(self.stages.get(job, "")) == part

    def _may_miss(self, job: str) -> bool:
        place = self.laid.places.get(self.stages.get(job, ""))
        return place is not None and place.condition is not None and self.stages.get(job) not in self.parts


class _Fetching:
    """How the jobs of a child fetch what stages of the parent have left.

    *handed* are the needs of jobs that are to be collected in the parent first.
    """

    def __init__(self, division: _Division, part: int) -> None:
        self._of = division
        self._part = part
        self._left = {one.job.name: one.job.artifacts for one in division.laid.made}
        self._kept = {one.job.name: one.job.kept for one in division.laid.made}
        self.handed: dict[str, tuple[NeedEntry, ...]] = {}

    def jobs(self) -> list[GitLabJob]:
        """Return the jobs of the child, with needs on others of it and on jobs of the parent that it fetches from."""
        return [self._fetching(one.job) for one in self._of.made_inside if self._of.parts.get(one.stage) == self._part]

    def _fetching(self, job: GitLabJob) -> GitLabJob:
        here = [need for need in job.needs if self._of.is_in(need.job, self._part)]
        there = [need for need in job.needs if need.artifacts and need not in here]
        if len(there) > MOST_FETCHED or any(map(self._is_uncertain, there)):
            self.handed[job.name] = tuple(there)
            there = []
        fetched = [NeedEntry(need.job, artifacts=True, pipeline=f"${PARENT}") for need in there]
        return _needing(job, (*here, *fetched))

    def _is_uncertain(self, need: NeedEntry) -> bool:
        place = self._of.laid.places[self._of.stages[need.job]]
        return place.condition is not None or place.may_be_passed

    def received(self, jobs: Sequence[GitLabJob]) -> list[GitLabJob]:
        """Return *jobs* with those before them that fetch what would else be unpacked over later files."""
        found: list[GitLabJob] = []
        made: dict[tuple[NeedEntry, ...], GitLabJob] = {}
        for job in jobs:
            there = tuple(need for need in job.needs if need.pipeline)
            here = [need for need in job.needs if not need.pipeline]
            if there and self._clash(job, there, here):
                if there not in made:
                    made[there] = self._receiver(job.name, there)
                    found.append(made[there])
                here = [NeedEntry(made[there].name, artifacts=True), *here]
                there = ()
            found.append(_needing(job, (*here, *there)))
        return found

    def _clash(self, job: GitLabJob, there: Sequence[NeedEntry], here: Sequence[NeedEntry]) -> bool:
        before = [path for need in self._wanted(job, there) for path in self._left.get(need, ())]
        after = [path for need in here if need.artifacts for path in self._left.get(need.job, ())]
        return any(_may_be_one(one, other) for one in before for other in after)

    def _wanted(self, job: GitLabJob, there: Sequence[NeedEntry]) -> list[str]:
        """Return the jobs of the parent that *there* is fetched of, be they collected before."""
        return [need.job for need in self.handed.get(job.name, there)]

    def _receiver(self, reader: str, there: tuple[NeedEntry, ...]) -> GitLabJob:
        paths = dict.fromkeys(path for need in self.handed.get(reader, there) for path in self._left.get(need.job, ()))
        return GitLabJob(
            name=self._of.names.take(f"receive for {reader}"),
            image=self._of.inside.shell_image(),
            stage=f"{STEP} 1",
            needs=there,
            variables=(_IS_HELPER,),
            script=(ScriptEntry("true"),),
            artifacts=tuple(paths),
            kept=strictest(self._kept[need.job] for need in self.handed.get(reader, there)),
        )


def _needing(job: GitLabJob, needs: tuple[NeedEntry, ...]) -> GitLabJob:
    """Return *job* with other *needs*; the same one where they are no others, which is weighed no more then."""
    return job if needs == job.needs else replace(job, needs=needs)


def in_steps(jobs: Iterable[GitLabJob]) -> list[GitLabJob]:
    """Return *jobs* in steps as early as their needs allow, those in steps with names as they are."""
    found = {job.name: job for job in jobs}
    steps: dict[str, int] = {}
    for name in found if _stand_after_needs(found) else _after_needs(found):
        steps[name] = 1 + max([steps[need.job] for need in found[name].needs if need.job in steps], default=0)
    return [
        replace(job, stage=f"{STEP} {steps[name]}") if step_number(job) not in (0, steps[name]) else job
        for name, job in found.items()
    ]


def _stand_after_needs(jobs: Mapping[str, GitLabJob]) -> bool:
    """Return whether each of *jobs* stands after those that it needs in the same file, as most people write them."""
    open_names = set(jobs)
    for name, job in jobs.items():
        open_names.discard(name)
        if any(need.job in open_names and not need.pipeline for need in job.needs):
            return False
    return True


def _after_needs(jobs: Mapping[str, GitLabJob]) -> Iterator[str]:
    """Yield the names of *jobs*, each after those that it needs in the same file."""
    seen: set[str] = set()
    waiting = [iter(jobs)]
    path: list[str] = []
    while waiting:
        name = next((one for one in waiting[-1] if one not in seen), None)
        if name is not None:
            seen.add(name)
            path.append(name)
            waiting.append(iter([need.job for need in jobs[name].needs if not need.pipeline and need.job in jobs]))
        else:
            waiting.pop()
            if path and len(waiting) == len(path):
                yield path.pop()


def _once(needs: Iterable[NeedEntry]) -> tuple[NeedEntry, ...]:
    """Return *needs* with one for each job: it fetches where one of them does, and may miss where all may."""
    found: dict[str, NeedEntry] = {}
    for need in needs:
        before = found.get(need.job)
        found[need.job] = need if before is None else replace(before, artifacts=before.artifacts or need.artifacts)
    return tuple(found.values())


def _with_fetched(job: GitLabJob, found: Sequence[NeedEntry]) -> GitLabJob:
    """Return *job* with the needs *found* in its parent."""
    return replace(job, needs=(*job.needs, *(replace(need, pipeline=f"${PARENT}") for need in found)))


def _may_be_one(one: str, other: str) -> bool:
    """Return whether two patterns of paths may mean one file: as far as no name is open, one lies in the other."""
    first, second = _fixed(one), _fixed(other)
    shorter, longer = sorted((first, second), key=len)
    return longer[: len(shorter)] == shorter


def _fixed(path: str) -> list[str]:
    """Return the steps of *path* before the first that is open."""
    steps = [step for step in path.split("/") if step]
    end = next((place for place, step in enumerate(steps) if "*" in step or "$" in step), len(steps))
    return steps[:end]
