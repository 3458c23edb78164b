"""Expansions `${…}` that no shell or only bash accepts: others fail with "bad substitution"."""

from __future__ import annotations

import re
from collections.abc import Collection

from pipegen.bindings.github_expressions import github_hint
from pipegen.bindings.grammar import REFERENCE
from pipegen.bindings.script.cursor import suggest_namespace
from pipegen.bindings.script.syntax import Lexed
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.source.tree import Scalar

_VARIABLE = r"(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])"
# https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_06_02
_POSIX = rf"(?:#?{_VARIABLE}\}}|{_VARIABLE}(?::?[-=?+]|[#%]))"
_UNUSUAL = re.compile(rf"\$\{{(?!{_POSIX})")
# https://www.gnu.org/software/bash/manual/html_node/Shell-Parameter-Expansion.html
_BASH = rf"""(?x)
    (?: [!#]? (?P<name>{_VARIABLE}) \[ [^\]]* \]
      | !     {_VARIABLE} [@*]?
      |       {_VARIABLE} (?= : | [/^,~] | @[A-Za-z]\}} )
    )
    (?: \}} | :?[-=?+] | : | [#%/^,~] | @[A-Za-z]\}} )
"""
# Namespaces of other systems, and the hint for each.
ELSEWHERE = {
    "secrets": 'write "${{{name}}}": the secrets of a stage are variables of its script',
    "env": 'write "${{{name}}}" for a variable of the environment',
    "params": 'write "${{inputs.{name}}}" for an input, "${{setup.params.{name}}}" for a parameter of the job',
    "vars": 'write "${{{name}}}" for a variable of the engine, "${{inputs.{name}}}" for an input',
}


def is_unusual(script: str) -> bool:
    """Return whether *script* may contain an expansion that is not POSIX."""
    return _UNUSUAL.search(script) is not None


# The default of a value, as the shell has it for variables.
_SHELL_DEFAULT = r"(?P<namespace>[\w-]+)\.(?P<name>[\w-]+):?[-=](?P<default>[^|{}]*)"
# How other systems write the output of a stage.
_OUTPUT = r"(?:needs|steps|jobs|stages)\.(?P<stage>[\w-]+)\.(?:outputs\.)?(?P<name>[\w-]+)"


def report_substitutions(
    lexed: Lexed, source: Scalar, stages: Collection[str], report: Report, *, is_bash: bool
) -> None:
    """Report the expansions in *source* that its shell refuses."""
    for expansion in lexed.expansions:
        start, end = expansion.start, expansion.end
        if source.text.startswith("${{", start) and source.text.startswith("}", end):
            end += 1
        written = source.text[start:end]
        if not _UNUSUAL.match(written):
            continue
        at = source.part(start, end)
        if not re.match(_BASH, written[2:]):
            report.add(
                codes.BAD_SUBSTITUTION,
                f'no shell can expand "{_short(written)}": the script would fail with "bad substitution"',
                at=at,
                hint=_hint(written[2:-1], stages),
            )
        elif not is_bash:
            report.add(
                codes.BASH_SUBSTITUTION,
                f'only bash can expand "{_short(written)}", and this stage runs in sh',
                at=at,
                label='other shells fail with "bad substitution"',
                hint='add "shell: bash" to the stage, and use an image that has bash',
            )


def _short(written: str) -> str:
    line = written.partition("\n")[0]
    return line if line == written else f"{line} …"


def _hint(body: str, stages: Collection[str]) -> str:
    dotted = re.fullmatch(REFERENCE, f"{body}}}")
    if body.startswith("{"):
        known = github_hint(body.strip("{}"))
        return known or 'write "${stage.name}", "${inputs.name}" or "${setup.name}" for a value, "$NAME" for a variable'
    if (stage := body.rpartition(".")[0]) in stages:
        return f'rename the stage "{stage}": a stage whose values others read has letters, digits, "_" and "-"'
    if dotted is None:
        other = 'a name has only letters, digits and "_"; put text for another program in single quotes'
        return _default_hint(body, stages) or other
    namespace, name = dotted["namespace"], dotted["name"]
    if namespace in ELSEWHERE:
        return ELSEWHERE[namespace].format(name=name)
    if (output := re.fullmatch(_OUTPUT, body)) and output["stage"] in stages:
        suggested, name = output["stage"], output["name"]
    else:
        suggested = suggest_namespace(namespace, stages) or ""
    if suggested:
        return f'write "${{{suggested}.{name}}}"'
    return f'there is no stage "{namespace}"; put text for another program in single quotes'


def _default_hint(body: str, stages: Collection[str]) -> str:
    """Return how to write the default in *body*, "" if it is not the value of a stage or another one with a default."""
    match = re.fullmatch(_SHELL_DEFAULT, body)
    if match is None or match["namespace"] not in (*stages, "inputs", "matrix", "setup"):
        return ""
    return f'write "${{{match["namespace"]}.{match["name"]}|{match["default"]}}}": a default follows a bar'
