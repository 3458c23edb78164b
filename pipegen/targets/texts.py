"""Inputs that an engine puts into names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.bindings.expression import Reference, Scope
from pipegen.diagnostics.codes import UNNAMEABLE_VALUE
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Input, Plan
from pipegen.plan.model.inputs import NAMEABLE
from pipegen.plan.model.texts import named_texts


def named_inputs(plans: Sequence[Plan]) -> dict[Input, tuple[str, Reference]]:
    """Return the inputs that an engine puts into names, in file order, each with its first use."""
    if not plans[0].inputs:
        return {}
    uses: dict[str, tuple[str, Reference]] = {}
    for plan in plans:
        for job in plan.jobs:
            for use, text in named_texts(job):
                for reference in text.references():
                    if reference.scope is Scope.INPUT:
                        uses.setdefault(reference.name, (use, reference))
    return {each: uses[each.name] for each in plans[0].inputs if each.name in uses}


def check_named_inputs(plans: Sequence[Plan], report: Report) -> None:
    """Report inputs of *plans* with a default or choice that an engine cannot use in a name unchanged."""
    for input_, (use, reference) in named_inputs(plans).items():
        values = (*input_.words, *((input_.default,) if input_.default is not None else ()))
        invalid = next((value for value in values if not re.fullmatch(NAMEABLE, value)), None)
        if invalid is not None:
            report.add(
                UNNAMEABLE_VALUE,
                f'"{invalid}" is not allowed in {use}: engines expand "$" and "%", and accept only printable ASCII',
                at=reference.span,
                related=[Label(input_.span, "a value of this input")],
                hint="give the input other values, or use it in the script",
            )
