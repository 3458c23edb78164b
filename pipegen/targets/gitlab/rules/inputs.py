"""Parameters of a run: variables of the file, which people fill in where they start a pipeline."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.plan.model import Input, Plan
from pipegen.targets.gitlab.model import RuleEntry, VariableEntry
from pipegen.targets.gitlab.rules.expressions import All, Any, Expression, differs, joined, searched, text
from pipegen.targets.texts import named_inputs

# What GitLab expands in a value, `%NAME%` too.
_EXPANDED = r"[$%]"


def input_variables(plans: Sequence[Plan]) -> tuple[VariableEntry, ...]:
    """Return a variable for each input of the file that *plans* are of."""
    return tuple(_variable(one) for one in plans[0].inputs)


def input_defaults(plans: Sequence[Plan]) -> dict[str, str]:
    """Return the default of each input of the file that *plans* are of, by the name of its variable."""
    return {one.name: one.default or "" for one in plans[0].inputs}


def _variable(one: Input) -> VariableEntry:
    """Return the variable of *one*; GitLab wants its value among the options, so that none is an option too."""
    value = one.default or ""
    choices = one.words
    return VariableEntry(
        name=one.name,
        value=value,
        # Only what has a description stands in the form.
        description=one.description or f"Read as inputs.{one.name}.",
        is_raw=re.search(_EXPANDED, value) is not None,
        options=tuple(dict.fromkeys((value, *choices))) if choices and value not in choices else choices,
    )


def refusals(plans: Sequence[Plan]) -> tuple[RuleEntry, ...]:
    """Return the rules by which no pipeline is made of values that inputs of *plans* do not take.

    GitLab expands some of them before a script could look at them: in names of images, environments and archives, and
    in keys of caches. It searches with RE2, in which `$` is the end of the text and `.` no line break
    (https://docs.gitlab.com/ci/jobs/job_rules/#compare-a-variable-to-a-regular-expression).
    """
    return tuple(RuleEntry(text(_refusal(one)), when="never") for one in named_inputs(plans))


def _refusal(one: Input) -> Expression:
    """Return the expression that holds where the value of *one* is none that may stand in a name.

    One without a default may be missing: the script of the stage says so then.
    """
    unnameable = searched(one.name, "[^ -#&-~]")
    if one.accepted is None:
        return unnameable
    refused = searched(one.name, f"^({one.accepted})$").negated()
    wrong = refused if one.words else joined(Any, (refused, unnameable))
    return joined(All, (differs(one.name, ""), wrong)) if one.default is None or one.accepts("") else wrong
