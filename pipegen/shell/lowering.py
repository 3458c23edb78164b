"""The context in which the steps of a job are lowered."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pipegen.plan.model import Job, Plan
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.names import JobVariables, JobWords
from pipegen.structs import Struct

_NO_LOOPS: Mapping[str, str] = MappingProxyType({})


class Lowering(Struct, kw_only=True):
    """The context in which the steps of a job are lowered.

    Attributes:
        job, plan: the job and its plan.
        producers: the pipeline's jobs by stage.
        host: the environment of the script.
        variables: the names of the variables that hold values.
        needed: the job's own names that a later step or another job uses.
        optional: the inputs that may be empty.
        words: the words of the job's own texts, which name no variable of ours.
        direct: the outputs that commands of the user write straight to their files.
        loops: the variables of the enclosing loops' names, by name.
        depth: the number of enclosing loops.
    """

    job: Job
    plan: Plan
    producers: Mapping[str, Job]
    host: ShellEnvironment
    variables: JobVariables
    needed: frozenset[str]
    optional: frozenset[str] = frozenset()
    words: JobWords | None = None
    direct: frozenset[str] = frozenset()
    loops: Mapping[str, str] = _NO_LOOPS
    depth: int = 0
