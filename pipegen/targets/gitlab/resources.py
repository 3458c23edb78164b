"""How much of a machine a job asks for."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.plan.model import Machine
from pipegen.targets.gitlab.model import Variable

_UNITS = (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10))


def requests(machine: Machine) -> Iterator[Variable]:
    """Yield the variables by which a job asks Kubernetes' executor, the only one that hands out machines."""
    # https://docs.gitlab.com/runner/executors/kubernetes/#overwrite-container-resources
    asked = machine.resources
    if asked is not None and asked.cpu is not None:
        yield Variable("KUBERNETES_CPU_REQUEST", f"{asked.cpu // 1000}" if asked.cpu % 1000 == 0 else f"{asked.cpu}m")
    if asked is not None and asked.memory is not None:
        yield Variable("KUBERNETES_MEMORY_REQUEST", _written(asked.memory))


def _written(memory: int) -> str:
    """Return *memory* in the largest unit that says it exactly."""
    return next((f"{memory // size}{unit}" for unit, size in _UNITS if memory % size == 0), str(memory))
