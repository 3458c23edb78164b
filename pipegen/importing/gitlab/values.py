"""Values of variables in a run, and texts with them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipegen.importing.gitlab.reading.variables import Variable
from pipegen.importing.sharing import MOST_CHARACTERS

_VARIABLE = re.compile(r"\$\$|\$(\w+)|\$\{(\w+)\}|\$", re.ASCII)
# Stands for a dollar sign that begins no variable.
_DOLLAR = "\0"
_MOST_LEVELS = 100
# Words of a shell as pipegen writes them: in single quotes, in double quotes, or bare.
_WORD = re.compile(
    r"'(?P<single>[^']*)'|\"(?P<double>(?:[^\"\\]|\\.)*)\"|\\(?P<escaped>.)|(?P<bare>[^'\"\\])",
    re.DOTALL,
)


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
    """Return *text* with the values of *variables*, without the end of a long one; others stay `${NAME}`."""
    if "$" not in text:
        return text[:MOST_CHARACTERS]
    known: dict[str, str] = {}

    def value_of(name: str, level: int) -> str:
        value = variables.get(name)
        if value is None or level > _MOST_LEVELS:
            return f"${{{name}}}"
        if name not in known:
            known[name] = f"${{{name}}}"  # in a variable that contains itself
            known[name] = replaced(value, level + 1)
        return known[name]

    def replaced(text: str, level: int) -> str:
        parts, length, end = list[str](), 0, 0
        for match in _VARIABLE.finditer(text):
            parts += text[end : match.start()], value_of(match[2], level) if match[2] else match[0]
            length, end = length + len(parts[-2]) + len(parts[-1]), match.end()
            if length > MOST_CHARACTERS:
                break
        return "".join((*parts, text[end:]))[:MOST_CHARACTERS]

    return replaced(text, 0)


def word_value(text: str) -> str:
    """Return the value of the shell word *text*, with each variable as `${NAME}`."""
    parts = []
    for match in _WORD.finditer(text):
        if match["single"] is not None:
            parts.append(match["single"].replace("$", _DOLLAR))
        elif match["double"] is not None:
            escaped = re.sub(
                r"\\([$`\"\\])",
                lambda match: _DOLLAR if match[1] == "$" else match[1],
                match["double"],
            )
            parts.append(escaped)
        else:
            parts.append((match["escaped"] or match["bare"]).replace("$", "$" if match["bare"] else _DOLLAR))
    return expanded("".join(parts))
