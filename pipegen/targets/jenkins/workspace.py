"""One workspace for all stages of a pipeline."""

from __future__ import annotations

from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.host import SHARED_VALUES


def prepare(checkout: str) -> tuple[model.Step, ...]:
    """Return what comes before all stages: a fresh checkout by the function *checkout*, and no values of old builds."""
    return (model.Checkout(checkout), model.Sh(lines=(f'rm -rf "{SHARED_VALUES}"',)))
