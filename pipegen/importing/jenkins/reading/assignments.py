"""Values that one stage of a Jenkinsfile computes, and that it and later stages read: candidates for outputs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence

from pipegen.importing.jenkins.reading.source import JenkinsSource, JenkinsStage, sections
from pipegen.importing.jenkins.reading.syntax import GroovyAssignment, GroovyBlock, GroovyCall, OtherGroovy, Statement
from pipegen.readback.groovy import GroovyTokens, TokenKind
from pipegen.structs import Struct, replace

# Names of stages in references, without those of pipegen's own values.
_REFERENCED = re.compile(r"(?!(?:setup|inputs|matrix)$)[A-Za-z0-9_-]+")
_UNREADABLE = re.compile(r"[^A-Za-z0-9_]+")
_DECLARED = re.compile(r"(?:@Field\s+)?(?:def|String)\s+(\w+)\s*(?:=\s*(?:null|''|\"\")\s*)?;?")
_CHANGING = frozenset("+-*/")
# A word of a text, the quote before it, and the end of an item of `withEnv`, which sets a variable.
_WORD = re.compile(r"(['\"]?)\b(\w+)(\+?\w*=|)")


class AssignedValue(Struct, kw_only=True):
    """A value that *stage* assigns to *name*, a variable of the file, or with *is_environment* one of the environment.

    *is_output* is whether later stages get it, *readers* are those stages with its name in their steps.
    """

    name: str
    stage: str
    is_environment: bool
    is_output: bool
    readers: frozenset[str]

    @property
    def path(self) -> str:
        """The reference with which later stages read it, without its braces."""
        return f"{self.stage}.{self.name}"


class _Occurrence(Struct):
    """A name in the code or in a text: its offset, and whether it gets a value there."""

    start: int
    is_assigned: bool


def assigned_values(source: JenkinsSource, taken: Collection[str]) -> tuple[AssignedValue, ...]:
    """Return the values of *source* that a stage assigns once, and that only it and later stages name.

    Other parts of the file, such as `post` and functions, do not name them; names in *taken* have other values.
    """
    return tuple(value for value in _candidates(source, taken) if not value.is_output or _can_be_read(value.stage))


def with_readable_names(
    source: JenkinsSource, taken: Collection[str], usable: Collection[str] | None = None
) -> JenkinsSource:
    """Return *source* with shorter names for the stages whose values later stages name, if references need them.

    With *usable*, only values with these names count.
    """
    names = {stage.name for stage in source.stages}
    shorter: dict[str, str] = {}
    for value in _candidates(source, taken):
        if (usable is None or value.name in usable) and value.readers - {value.stage} and not _can_be_read(value.stage):
            name = _UNREADABLE.sub("-", value.stage).strip("-")
            if _can_be_read(name) and name.lower() not in {other.lower() for other in names - {value.stage}}:
                shorter[value.stage] = name
                names.add(name)
    return replace(
        source,
        stages=tuple(
            replace(
                stage,
                name=shorter.get(stage.name, stage.name),
                cell=None if stage.cell is None else shorter.get(stage.cell, stage.cell),
            )
            for stage in source.stages
        ),
        before={
            shorter.get(name, name): frozenset(shorter.get(other, other) for other in before)
            for name, before in source.before.items()
        },
    )


def _candidates(source: JenkinsSource, taken: Collection[str]) -> Iterator[AssignedValue]:
    """Yield the values that a stage of *source* assigns once, whatever its name."""
    assignments = [
        (stage, assignment, is_environment)
        for stage in source.stages
        if stage.matrix is None and stage.cell is None
        for assignment, is_environment in _assignments(stage)
        if assignment.name not in taken
    ]
    occurrences = _occurrences(source, {assignment.name for _, assignment, _ in assignments})
    regions = sorted(region for stage in source.stages for region in _regions(stage))
    declared = {name for statement in source.others if (name := declared_name(statement)) is not None}
    for stage, assignment, is_environment in assignments:
        name = assignment.name
        assigned = [
            occurrence.start
            for occurrence in occurrences[name]
            if occurrence.is_assigned and _region(regions, occurrence.start)
        ]
        readers = _readers(occurrences[name], regions, assignment.span.start, is_declared=name in declared)
        if assigned == [assignment.span.start] and readers is not None:
            later = {other.name for other in source.stages if stage.name in source.before[other.name]}
            others = readers - {stage.name}
            is_output = bool(later if is_environment else others)
            if others <= later:
                yield AssignedValue(
                    name=name,
                    stage=stage.name,
                    is_environment=is_environment,
                    is_output=is_output,
                    readers=frozenset(readers),
                )


def _can_be_read(stage: str) -> bool:
    """Return whether references can contain the name *stage*."""
    return _REFERENCED.fullmatch(stage) is not None


def declared_name(statement: Statement) -> str | None:
    """Return the name of the variable that *statement*, outside the pipeline, declares without a value."""
    match = _DECLARED.fullmatch(statement.span.text.strip()) if isinstance(statement, OtherGroovy) else None
    return match[1] if match else None


def _assignments(stage: JenkinsStage) -> Iterator[tuple[GroovyAssignment, bool]]:
    """Yield what the steps of *stage* assign, and whether it is a variable of the environment."""
    pending = [section.block for section in sections(stage.call, "steps") if section.block is not None]
    while pending:
        for statement in pending.pop().statements:
            match statement:
                case GroovyCall(block=GroovyBlock() as block):
                    pending.append(block)
                case GroovyAssignment():
                    yield statement, False
                case OtherGroovy(variable=GroovyAssignment() as variable):
                    yield variable, True


def _occurrences(source: JenkinsSource, names: Collection[str]) -> Mapping[str, Sequence[_Occurrence]]:
    """Return where the code of *source* and the texts in it contain each of *names*."""
    occurrences: dict[str, list[_Occurrence]] = {name: [] for name in names}
    code = source.code
    for index in range(code.size):
        token = code.tokens[index]
        if token.text in occurrences and token.kind is TokenKind.WORD:
            occurrences[token.text].append(_Occurrence(token.start, _is_assigned(code, index)))
        elif token.kind in (TokenKind.TEXT, TokenKind.EXPRESSION):
            for match in _WORD.finditer(source.file.text, token.start, token.end):
                if match[2] in occurrences:
                    occurrences[match[2]].append(_Occurrence(token.start, match[1] != "" and match[3] != ""))
    return occurrences


def _is_assigned(code: GroovyTokens, index: int) -> bool:
    """Return whether the variable at *index* gets a value."""
    sign, after = code.tokens[index + 1], code.tokens[index + 2]
    if sign.text in _CHANGING:
        return after.text in ("=", sign.text)
    return code.is_sign(index + 1, "=") and not code.is_sign(index + 2, "=")


def _regions(stage: JenkinsStage) -> Iterator[tuple[int, int, str]]:
    """Yield the start and end of the steps and of the environment of *stage*, with its name."""
    for name in ("steps", "environment"):
        for section in sections(stage.call, name):
            if section.block is not None:
                yield section.block.span.start, section.block.span.end, stage.name


def _region(regions: Sequence[tuple[int, int, str]], offset: int) -> str | None:
    """Return the stage whose steps or environment contain *offset*; None if there is none."""
    at = bisect_right(regions, (offset, offset, "")) - 1
    return regions[at][2] if at >= 0 and regions[at][0] <= offset < regions[at][1] else None


def _readers(
    occurrences: Sequence[_Occurrence], regions: Sequence[tuple[int, int, str]], own: int, *, is_declared: bool
) -> set[str] | None:
    """Return the stages of *occurrences* other than the one at *own*; None if another part of the file has one.

    The declaration of the variable is the first of them outside stages.
    """
    readers: set[str] = set()
    outside = 0
    for occurrence in occurrences:
        stage = _region(regions, occurrence.start)
        if stage is None:
            outside += 1
        elif occurrence.start != own:
            readers.add(stage)
    return None if outside > is_declared else readers
