"""Inputs that no stage reads."""

from __future__ import annotations

import re

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig
from pipegen.lint.removal import is_in_file
from pipegen.plan.model import Subject
from pipegen.plan.model.logic import atoms, facts_of

# References read inputs; a script may also use the variable that an engine sets for an input.
_READ = r"\b(?:inputs|params)\.([A-Za-z0-9_-]+)|\$\{?([A-Za-z_][A-Za-z0-9_]*)\b(?!\.)"


def check(config: CheckedConfig, report: Report) -> None:
    """Report inputs that no reference, condition or variable reads."""
    inputs = {input_.name: input_ for plan in config.plans for input_ in plan.inputs}
    if not inputs:
        return
    names = [name for file in config.files for match in re.findall(_READ, file.text) for name in match if name]
    conditions = [
        *(plan.condition for plan in config.plans),
        *(condition for stage in config.stages() for condition in stage.job.conditions),
    ]
    facts = [fact for atom in atoms(*conditions) for fact in facts_of(atom)]
    read = {*names, *(fact.name for fact in facts if fact.subject in (Subject.INPUT, Subject.VARIABLE))}
    for name, input_ in inputs.items():
        if name not in read and is_in_file(input_.span, config.file):
            report.add(
                codes.UNUSED_INPUT,
                f'no stage reads the input "{name}"',
                at=input_.span,
                hint=f"remove it, or read it: ${{inputs.{name}}}",
            )
