"""Which part of a generated file is a stage's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from textwrap import dedent

from pipegen.compiler import Analysed, generate
from pipegen.diagnostics.model import Severity
from pipegen.diagnostics.report import Report, Stopped
from pipegen.emit.yaml import write
from pipegen.plan.model import Plan
from pipegen.readback.errors import UnreadableError
from pipegen.readback.groovy import GroovyTokens, TokenKind
from pipegen.targets.base import GeneratedFile, Target
from pipegen.targets.gitlab.names import JobNames, stage_names
from pipegen.targets.jenkins.names import display_names

Excerpts = Mapping[tuple[str, str], str]

# A key at the top of a file that pipegen wrote, and all that is set in below it.
_BLOCK = re.compile(r"^(?=[^\s#])(?P<key>.*)\n(?:(?:[ \t].*)?\n)*", re.MULTILINE)


def excerpts(analysed: Analysed, target: Target) -> tuple[Excerpts, str]:
    """Return what *target* makes of each stage, by pipeline and stage; and why there is nothing, "" where there is."""
    report = Report()
    try:
        files = generate(analysed, target, {}, report)
    except Stopped:
        reasons = (
            f"{one.code.number}: {one.message}" for one in report.diagnostics() if one.severity is Severity.ERROR
        )
        return {}, "\n".join(dict.fromkeys(reasons))
    match target.NAME:
        case "gitlab":
            found, reason = _gitlab(analysed.plans, files), "no job is the stage's own"
        case "jenkins":
            found, reason = (
                _jenkins(analysed.plans, files),
                "the stages of a Jenkinsfile as large as this stand in tables",
            )
        case _:
            found, reason = {}, f'which text of "{target.NAME}" is a stage\'s own is not known'
    return found, "" if found else reason


def _gitlab(plans: Sequence[Plan], files: Sequence[GeneratedFile]) -> Excerpts:
    blocks = {block["key"]: block[0].rstrip() + "\n" for file in files for block in _BLOCK.finditer(file.text)}
    keys = {of: _key(name) for of, name in stage_names(plans, JobNames(), Report()).items()}
    return {of: blocks[key] for of, key in keys.items() if key in blocks}


def _key(name: str) -> str:
    """Return the line that begins a job."""
    return write({name: {"stage": ""}}).partition("\n")[0]


def _jenkins(plans: Sequence[Plan], files: Sequence[GeneratedFile]) -> Excerpts:
    shown = {name: of for of, name in display_names(plans).items()}
    try:
        found = {name: text for file in files for name, text in _blocks(file.text)}
    except UnreadableError:
        return {}
    return {shown[name]: text for name, text in found.items() if name in shown}


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield each stage of a Jenkinsfile that has steps, by its name."""
    code = GroovyTokens(text)
    for place in range(code.size - 3):
        name = code.tokens[place + 2]
        is_stage = (
            code.word(place) in {"stage", "addStage"} and code.is_sign(place + 1, "(") and name.kind is TokenKind.TEXT
        )
        brace = code.skip(place + 1) if is_stage else code.size
        if not code.is_sign(brace, "{") or code.word(brace + 1) in {"stages", "parallel"}:
            continue
        start, end = code.tokens[place].start, code.tokens[code.end_of(brace)].end
        yield name.text, dedent(text[text.rfind("\n", 0, start) + 1 : end]) + "\n"
