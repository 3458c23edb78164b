"""The commands that pipegen itself adds to the script of a stage: they check the shell, and carry values and files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from pipegen.importing.gitlab.left_values import read_variable
from pipegen.importing.gitlab.runs import RunWork
from pipegen.importing.gitlab.values import word_value
from pipegen.plan.model import Case
from pipegen.shell.values.image_values import IMAGE_CHECK

# Options of the shell; the runner itself sets pipefail.
_OPTIONS = ("set +o pipefail", "set -o pipefail")
_CHECKS = frozenset({"true", *_OPTIONS})
# A path below the folder that carries values and files, and a copy of a file to carry.
_CARRIED = r"""(?:\.pipegen/[^\s;"']+|'\.pipegen/[^'\n]+'|"\.pipegen/[^"\n]+")"""
_COPY = r'"\$pipegen/files[^\n]*'
_CARRYING = re.compile(
    rf"""
    (?:\#[^\n]*\n)?
    (?:
        pipegen=\$\(mktemp\ -d\)
        | trap\ '\{{\ trap\ ""\ HUP\ INT\ TERM;\ rm\ -rf\ "\$pipegen";[^\n]*\ EXIT\ntrap\ 'exit\ 143'\ HUP\ INT\ TERM
        | mkdir\ -p\ (?:{_CARRIED}|"\$pipegen/files")(?:\ntar\ -cf\ {_CARRIED}\ -C\ "\$pipegen/files"\ \.)?
        | if\ \[\ -e\ [^\n]+\ \];\ then\n(?:\ \ mkdir\ -p\ {_COPY}\n)?\ \ cp\ -RPp\ [^\n]+\ {_COPY}\nfi
        | if\ \[\ -e\ [^\n]+\ \];\ then\ tar\ -cf\ {_CARRIED}\ [^\n]+;\ fi
        | set\ --\nfor\ pipegen_path\ in\ [^\n]+\ done\nif\ \[\ \$\#\ [^\n]+\ tar\ -cf\ {_CARRIED}\ "\$@";\ fi
        | tar\ -xf\ {_CARRIED}
        | if\ \[\ -e\ {_CARRIED}\ \];\ then\ tar\ -xf\ {_CARRIED};\ fi
        | rm\ -rf\ \.pipegen
        | printf\ %s\ [^\n]+\ >{_CARRIED}
        | sed\ -n\ s/\^\w+=//p\ \S+\ >{_CARRIED}
        | (?:mkdir\ -p\ \.pipegen/dotenv\nrm\ -f\ {_CARRIED}\n)?\[\ -z\ [^\n]+\ \]\ \|\|\ printf\ [^\n]+\ >>{_CARRIED}
        | sed\ -n\ '1s[^'\n]+'\ {_CARRIED}\ >{_CARRIED}
    )\n?
    """,
    re.VERBOSE,
)
_EXPORT = re.compile(r"export ([A-Za-z_]\w*)=(.*)", re.DOTALL)
# A variable that depends on the case that applies.
_CHOICE = f'case "${{{Case.NUMBER}-}}" in\n'
_BRANCH = re.compile(
    r"""  (?P<case>\d+|\*)\) (?P<export>export \w+=(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^'"\\\s;])*) ;;\n""", re.DOTALL
)
_REFERENCE = re.compile(r"\$\{(\w+)\}")


def is_own(command: str) -> bool:
    """Return whether *command* is one that pipegen adds to a script."""
    patterns = (_CARRYING, IMAGE_CHECK)
    return command in _CHECKS or any(pattern.fullmatch(command) is not None for pattern in patterns)


def added_variables(
    work: RunWork, actual: tuple[str, ...], expected: tuple[str, ...], case: str
) -> dict[str, str] | None:
    """Return the variables that the *actual* commands of *work* set apart from those *expected*; None if these differ.

    *case* is the number of the case that applies, "" for none.
    """
    commands = tuple(text for text in actual if text not in _OPTIONS or text in expected)
    bounds = _position(commands, expected)
    if bounds is None:
        return None
    variables: dict[str, str] = {}
    for command in (*commands[: bounds[0]], *commands[bounds[1] :]):
        text = _chosen(command, case)
        match = _EXPORT.fullmatch(text)
        if match is not None:
            variables.pop(match[1], None)  # the last value counts, and those before it can be in it
            variables[match[1]] = word_value(match[2])
        elif (value := read_variable(text, work.variables, work.values)) is not None:
            variables[value[0]] = value[1]
        elif not is_own(text):
            return None
    return dict(_in_order(variables, work.variables))


def _in_order(variables: Mapping[str, str], others: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the *variables* that a script sets in this order; until then, only *others* have a value."""
    later = variables.keys() - set(others)
    for name, text in variables.items():
        later.discard(name)
        parts = _REFERENCE.split(text)
        names = (
            part if number % 2 == 0 else f"${{{part}}}" if part not in later else ""
            for number, part in enumerate(parts)
        )
        yield name, "".join(names)


def _chosen(command: str, case: str) -> str:
    """Return the command that *command* runs in *case*, if it chooses one by the number of the case, else itself."""
    if not command.startswith(_CHOICE) or not command.endswith("esac"):
        return command
    position, end = len(_CHOICE), len(command) - len("esac")
    while position < end:
        branch = _BRANCH.match(command, position, end)
        if branch is None:
            return command
        if branch["case"] in (case, "*"):
            return branch["export"]
        position = branch.end()
    return "true"


def _position(commands: tuple[str, ...], expected: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the start and end of *expected* in *commands*: the same commands, or all of them in one subshell."""
    for start in range(len(commands) - len(expected), -1, -1):
        if commands[start : start + len(expected)] == expected and (expected or start == len(commands)):
            return start, start + len(expected)
    lines = [line for text in expected for line in text.split("\n")]
    for at, text in enumerate(commands):
        inner = text.removeprefix("(\n").removesuffix("\n)").split("\n")
        if text.startswith("(\n") and len(inner) == len(lines) and all(map(_is_indented, inner, lines)):
            return at, at + 1
    return (len(commands), len(commands)) if not expected or expected == ("true",) else None


def _is_indented(line: str, original: str) -> bool:
    """Return whether *line* of a subshell is *original*: lines of a text in quotes have no additional spaces."""
    return line in (original, f"  {original}")
