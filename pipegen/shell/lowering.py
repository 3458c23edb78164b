"""What the steps of one job are lowered with."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pipegen.plan.model import Job, Plan
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.names import JobVariables
from pipegen.structs import Struct

_NO_LOOPS: Mapping[str, str] = MappingProxyType({})


class Lowering(Struct, kw_only=True):
    """What the steps of one job are lowered with.

    Attributes:
        job, plan: the job and its plan.
        producers: the pipeline's jobs by stage.
        host: where the script runs.
        variables: the names of the variables that hold values.
        needed: the job's own names that a later step or another job uses.
        optional: the inputs that may be empty.
        loops: the variables of the names of the loops around, by name.
        depth: how many loops are around.
    """

    job: Job
    plan: Plan
    producers: Mapping[str, Job]
    host: ShellEnvironment
    variables: JobVariables
    needed: frozenset[str]
    optional: frozenset[str] = frozenset()
    loops: Mapping[str, str] = _NO_LOOPS
    depth: int = 0
