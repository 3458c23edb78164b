"""The part of a generated file that belongs to a stage."""

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
from pipegen.readback.groovy import GroovyTokens, Token, TokenKind
from pipegen.targets.base import GeneratedFile, Target
from pipegen.targets.gitlab.names import job_names
from pipegen.targets.jenkins.names import display_names

Excerpts = Mapping[tuple[str, str], str]

# A top-level key of a generated file with its indented lines.
_BLOCK = re.compile(r"^(?=[^\s#])(?P<key>.*)\n(?:(?:[ \t].*)?\n)*", re.MULTILINE)


def excerpts(analysed: Analysed, target: Target) -> tuple[Excerpts, str]:
    """Return the text that *target* generates for each stage, by pipeline and stage, or the reason for none."""
    report = Report()
    try:
        files = generate(analysed, target, {}, report)
    except Stopped:
        reasons = (
            f"{diagnostic.code.number}: {diagnostic.message}"
            for diagnostic in report.diagnostics()
            if diagnostic.severity is Severity.ERROR
        )
        return {}, "\n".join(dict.fromkeys(reasons))
    match target.NAME:
        case "gitlab":
            texts, reason = _gitlab(analysed, files), "no job belongs to a single stage"
        case "jenkins":
            texts, reason = (
                _jenkins(analysed.plans, files),
                "the stages of such a large Jenkinsfile are in tables",
            )
        case _:
            texts, reason = {}, f'the text of a stage in files of "{target.NAME}" is not known'
    return texts, "" if texts else reason


def _gitlab(analysed: Analysed, files: Sequence[GeneratedFile]) -> Excerpts:
    blocks = {block["key"]: block[0].rstrip() + "\n" for file in files for block in _BLOCK.finditer(file.text)}
    names = job_names(analysed.plans, analysed.settings.get("gitlab"))
    titles = {(plan.name, job.stage): job.title for plan in analysed.plans for job in plan.jobs}
    # Combinations of a matrix are one job, or a job each.
    keys = {stage: (_key(name), _key(name.removesuffix(stage[1]) + titles[stage])) for stage, name in names.items()}
    return {stage: blocks[key] for stage, options in keys.items() if (key := _first(options, blocks)) is not None}


def _first(keys: Sequence[str], blocks: Mapping[str, str]) -> str | None:
    return next((key for key in keys if key in blocks), None)


def _key(name: str) -> str:
    """Return the line that begins a job."""
    return write({name: {"stage": ""}}).partition("\n")[0]


def _jenkins(plans: Sequence[Plan], files: Sequence[GeneratedFile]) -> Excerpts:
    stages_by_name = {name: stage for stage, name in display_names(plans).items()}
    try:
        blocks = [block for file in files for block in _blocks(file.text)]
    except UnreadableError:
        return {}
    own = {name.text: text for name, text in blocks if name.kind is TokenKind.TEXT}
    looped = {
        name: text
        for declared, text in blocks
        if declared.kind is TokenKind.EXPRESSION
        for name in stages_by_name
        if re.fullmatch(_pattern(declared.text), name)
    }
    return {stages_by_name[name]: text for name, text in {**looped, **own}.items() if name in stages_by_name}


def _pattern(name: str) -> str:
    """Return a pattern for the names of the stages that a loop declares with *name*, which contains variables."""
    return ".+".join(map(re.escape, re.split(r"\$\{\w+\}", name)))


def _blocks(text: str) -> Iterator[tuple[Token, str]]:
    """Yield each stage of a Jenkinsfile that has steps, by its name, which contains variables in a loop."""
    code = GroovyTokens(text)
    for index in range(code.size - 3):
        name = code.tokens[index + 2]
        is_stage = (
            code.word(index) in {"stage", "addStage"}
            and code.is_sign(index + 1, "(")
            and name.kind in {TokenKind.TEXT, TokenKind.EXPRESSION}
        )
        brace = code.skip(index + 1) if is_stage else code.size
        if not code.is_sign(brace, "{") or code.word(brace + 1) in {"stages", "parallel"}:
            continue
        start, end = code.tokens[index].start, code.tokens[code.end_of(brace)].end
        yield name, dedent(text[text.rfind("\n", 0, start) + 1 : end]) + "\n"
