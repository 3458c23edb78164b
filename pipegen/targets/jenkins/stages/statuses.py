"""What came of stages, handed to the scripts that ask for it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pipegen.emit.groovy import literal
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import NamedJob

_PREFIX = "PIPEGEN_STATUS"


class Statuses:
    """Which stages of the *named* jobs are asked about; *ends* names the end of each pipeline with finally stages."""

    def __init__(self, named: Sequence[NamedJob], ends: Mapping[str, str]) -> None:
        self._shown = {(one.plan.name, one.job.stage): one.name for one in named}
        self._ends = ends
        self._asked = {(one.plan.name, stage) for one in named for stage in one.job.statuses}

    def told(self, named: NamedJob) -> tuple[model.Step, ...]:
        """Return what comes last in a stage: that it has succeeded, where somebody asks for it."""
        return (model.Succeeded(named.name),) if (named.plan.name, named.job.stage) in self._asked else ()

    def given(self, named: NamedJob, step: model.Step) -> model.Step:
        """Return *step* with the variables for what its script asks for."""
        if not named.job.statuses:
            return step
        slugs = {"": "", **{job.stage: job.slug for job in named.plan.jobs}}
        values = [f"{literal(variable(slugs[one]) + '=')} + {self._status(named, one)}" for one in named.job.statuses]
        return model.Wrapped(f"withEnv([{', '.join(values)}])", (step,))

    def _status(self, named: NamedJob, stage: str) -> str:
        if not stage:
            return f"statusOfAll({literal(self._ends[named.plan.name])})"
        return f"status({literal(self._shown[named.plan.name, stage])})"


def variable(slug: str) -> str:
    """Return the environment variable for the status of the stage with that *slug*; "" is the pipeline."""
    return f"{_PREFIX}_{re.sub('[^A-Z0-9]', '_', slug.upper())}" if slug else _PREFIX
