"""What travels between stages that have workspaces of their own: one stash for each stage that leaves something."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipegen.plan.model import Job
from pipegen.shell.absence import may_be_absent
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import NamedJob


class Stashes:
    """The stashes of all *named* jobs, each named by the slug of its job."""

    def __init__(self, named: Sequence[NamedJob]) -> None:
        self._jobs = {(one.plan.name, one.job.stage): one for one in named}
        plans = {one.plan.name: one.plan for one in named}
        self._places = {
            name: {stage: place for place, stage in enumerate(plan.graph.topological())} for name, plan in plans.items()
        }
        self._reads = {(one.plan.name, one.job.stage): self._read_stages(one) for one in named}
        self._read = {(plan, stage) for (plan, _), stages in self._reads.items() for stage in stages}
        self._doubted = {
            (one.plan.name, stage)
            for one in named
            for stage in self._reads[one.plan.name, one.job.stage]
            if may_be_absent(self._jobs[one.plan.name, stage].job, one.job)
        }

    def read_by(self, reader: NamedJob) -> tuple[model.Unstash, ...]:
        """Return what fetches files for a job, each after those of its own ancestors: what is written last, stays."""
        plan = reader.plan.name
        wanted = sorted(self._reads[plan, reader.job.stage], key=self._places[plan].__getitem__)
        found = [self._jobs[plan, stage].job for stage in wanted]
        return tuple([model.Unstash(job.slug, may_be_absent(job, reader.job)) for job in found])

    def left_by(self, producer: NamedJob) -> model.Stash | None:
        """Return the stash that a job leaves, None when nobody reads it."""
        job = producer.job
        if (producer.plan.name, job.stage) not in self._read:
            return None
        return model.Stash(
            name=job.slug,
            includes=_includes(job, producer.script.carries),
            excludes=excludes(job),
            holds_user_files=bool(_travelling(job)),
            may_be_empty=not producer.script.carries,
            is_told=(producer.plan.name, job.stage) in self._doubted,
        )

    def _read_stages(self, reader: NamedJob) -> tuple[str, ...]:
        job = reader.job
        read = [*[output.stage for output in job.inputs], *job.containers]
        carried = [stage for stage in read if self._jobs[reader.plan.name, stage].script.carries]
        return tuple(dict.fromkeys((*job.files, *carried)))


def _includes(job: Job, carries: Sequence[str]) -> str:
    """Return the Ant patterns of what *job* leaves; a path may be that of a file or of a folder."""
    return patterns(_travelling(job), carries)


def _travelling(job: Job) -> list[str]:
    """Return the paths of the files that *job* leaves for other stages."""
    return [artifact.path for artifact in job.artifacts if artifact.path is not None and artifact.travels]


def patterns(paths: Iterable[str], folders: Iterable[str] = ()) -> str:
    """Return the Ant patterns of *folders*, and of *paths*, each of which may be that of a file or of a folder."""
    found = [pattern for path in paths for pattern in ((path,) if path.endswith("/**") else (path, f"{path}/"))]
    return ", ".join([*folders, *found])


def excludes(job: Job) -> str:
    """Return the Ant patterns of what *job* leaves out of its artifacts."""
    return ", ".join(job.retention.exclude)
