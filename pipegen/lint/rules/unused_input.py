"""Parameters that people fill in for nothing."""

from __future__ import annotations

import re

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked
from pipegen.lint.removal import is_in
from pipegen.plan.model import IsSet, Matches, Subject
from pipegen.plan.model.logic import atoms

# An input is read by a reference; a script may also know the variable that engines make of it.
_READ = r"\b(?:inputs|params)\.([A-Za-z0-9_-]+)|\$\{?([A-Za-z_][A-Za-z0-9_]*)\b(?!\.)"


def check(checked: Checked, report: Report) -> None:
    """Report inputs that no reference, no condition and no variable of their name reads."""
    inputs = {given.name: given for plan in checked.plans for given in plan.inputs}
    if not inputs:
        return
    found = [name for file in checked.files() for one in re.findall(_READ, file.text) for name in one if name]
    conditions = [*(plan.condition for plan in checked.plans), *(work.job.condition for work in checked.work())]
    asked = [atom for atom in atoms(*conditions) if isinstance(atom, Matches | IsSet)]
    read = {*found, *(atom.name for atom in asked if atom.subject in (Subject.INPUT, Subject.VARIABLE))}
    for name, given in inputs.items():
        if name not in read and is_in(given.span, checked.file):
            report.add(
                codes.UNUSED_INPUT,
                f'no stage reads the input "{name}"',
                at=given.span,
                hint=f"remove it, or read it: ${{inputs.{name}}}",
            )
