"""The inputs of a run as variables of the file, which people fill in when they start a pipeline."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.plan.model import Input, Plan
from pipegen.targets.gitlab.model import RuleEntry, VariableEntry
from pipegen.targets.gitlab.rules.expressions import All, Any, Expression, differs, joined, searched, text
from pipegen.targets.texts import named_inputs

# The start of an expansion in a value, also `%NAME%`.
_EXPANDED = r"[$%]"
_BETWEEN_WORDS = r"_+|(?<=[a-z])(?=[A-Z])"


def input_variables(plans: Sequence[Plan]) -> tuple[VariableEntry, ...]:
    """Return a variable for each input of the file of *plans*."""
    return tuple(_variable(input_) for input_ in plans[0].inputs)


def input_defaults(plans: Sequence[Plan]) -> dict[str, str]:
    """Return the default of each input of the file of *plans*, by the name of its variable."""
    return {input_.name: input_.default or "" for input_ in plans[0].inputs}


def _variable(input_: Input) -> VariableEntry:
    """Return the variable of *input_*; GitLab requires its value among the options, so an empty value is added."""
    value = input_.default or ""
    choices = input_.words
    return VariableEntry(
        name=input_.name,
        value=value,
        # The form shows only variables with a description.
        description=input_.description or _title(input_.name),
        is_raw=re.search(_EXPANDED, value) is not None,
        options=tuple(dict.fromkeys((value, *choices))) if choices and value not in choices else choices,
    )


def _title(name: str) -> str:
    """Return *name* as a title: `dry_run` is "Dry run"."""
    words = re.sub(_BETWEEN_WORDS, " ", name).strip() or name
    return words.capitalize() if words.isupper() else words[:1].upper() + words[1:]


def refusals(plans: Sequence[Plan]) -> tuple[RuleEntry, ...]:
    """Return the rules that prevent pipelines with invalid input values.

    GitLab expands some values before a script could check them: in names of images, environments and archives, and
    in cache keys. It matches with RE2, where `$` is the end of the text and `.` matches no line break
    (https://docs.gitlab.com/ci/jobs/job_rules/#compare-a-variable-to-a-regular-expression).
    """
    return tuple(RuleEntry(condition, when="never") for condition in refused_values(plans).values())


def refused_values(plans: Sequence[Plan]) -> dict[str, str]:
    """Return the condition of the rule against invalid values of each input that is in a name, by the input."""
    return {input_.name: text(_refusal(input_)) for input_ in named_inputs(plans)}


def _refusal(input_: Input) -> Expression:
    """Return the expression that holds if the value of *input_* is not allowed in a name.

    An input without a default may be missing: the script of the stage reports that.
    """
    unnameable = _unnameable(input_.name)
    if input_.accepted is None:
        return unnameable
    not_accepted = searched(input_.name, f"^({input_.accepted})$").negated()
    invalid = not_accepted if input_.words else joined(Any, (not_accepted, unnameable))
    return joined(All, (differs(input_.name, ""), invalid)) if input_.default is None or input_.accepts("") else invalid


def refusal_of(name: str) -> str:
    """Return the condition of the rule against values of the input *name* that are not allowed in names."""
    return text(_unnameable(name))


def _unnameable(name: str) -> Expression:
    return searched(name, "[^ -#&-~]")
