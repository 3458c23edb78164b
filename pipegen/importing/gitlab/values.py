"""Values of variables in a run, and texts with them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipegen.importing.gitlab.reading.variables import Variable

_VARIABLE = re.compile(r"\$\$|\$(\w+)|\$\{(\w+)\}|\$", re.ASCII)
# Stands for a dollar sign that begins no variable.
_DOLLAR = "\0"
_MOST_LEVELS = 10
# Longer values are not compared in full.
_MOST_CHARACTERS = 100_000


def texts_of_variables(variables: Mapping[str, Variable]) -> dict[str, str]:
    """Return the texts of *variables*, with each variable that GitLab expands in them as `${NAME}`."""
    return {
        name: expanded(variable.text) if variable.is_expanded else variable.text.replace("$", _DOLLAR)
        for name, variable in variables.items()
    }


def expanded_all(values: Mapping[str, str]) -> dict[str, str]:
    """Return *values*, in which GitLab expands variables, with each variable as `${NAME}`."""
    return {name: expanded(text) for name, text in values.items()}


def expanded(text: str) -> str:
    """Return *text*, in which GitLab expands variables, with each variable as `${NAME}`."""

    def replaced(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return f"${{{name}}}" if name else _DOLLAR

    return _VARIABLE.sub(replaced, text)


def ground(text: str, variables: Mapping[str, str]) -> str:
    """Return *text* with the values of *variables*; others stay `${NAME}`."""
    known: dict[tuple[str, int], str] = {}
    rest = _MOST_CHARACTERS

    def value_of(name: str, level: int) -> str:
        value = variables.get(name)
        if value is None or level > _MOST_LEVELS or f"${{{name}}}" in value:
            return f"${{{name}}}"
        if (name, level) not in known:
            known[name, level] = replaced(value, level + 1)
        return known[name, level]

    def replaced(text: str, level: int) -> str:
        nonlocal rest

        def value(match: re.Match[str]) -> str:
            nonlocal rest
            result = value_of(match[2], level) if match[2] else match[0]
            rest -= len(result)
            return result if rest > 0 else match[0]

        return _VARIABLE.sub(value, text)

    return replaced(text, 0)
