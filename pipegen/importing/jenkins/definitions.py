"""Groovy around the pipeline of a Jenkinsfile that stays Groovy: functions, imports and variables."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.source import JenkinsSource
from pipegen.importing.jenkins.reading.syntax import GroovyAssignment, GroovyCall, Statement
from pipegen.importing.jenkins.settings import OF_JOB
from pipegen.importing.jenkins.stages.kept import words

# Calls that settings replace.
_READ = frozenset({"library", "libraries", "_", *OF_JOB})
_LIBRARY = re.compile(r"@Library\([^)]*\)\s*_?\s*")
_FIELD = re.compile(r"import\s+groovy\.transform\.Field\s*;?")
# A variable of the file, which functions and stages read: one without a type is visible in all of them.
_VARIABLE = re.compile(r"(?:final\s+)?(?:def|String|boolean|int|List|Map)\s+(\w+)\s*(=(?!=)|$)")


# The name of a function, of a class or of an import at the start of a line, or of a variable.
_NAME = re.compile(
    r"^[\w<>@, \[\]]+? (\w+)\s*\(|^(?:import\s[\w.]+\.|class )(\w+)|^(?:@[\w.]+ \w+ )?(\w+)\s*=(?!=)", re.MULTILINE
)


def defined_names(source: JenkinsSource) -> frozenset[str]:
    """Return the names of the functions, classes and variables around the pipeline."""
    return frozenset(
        name
        for statement in _statements(source)
        for match in _NAME.finditer(_definition(statement))
        for name in match.groups()
        if name is not None
    )


def leave_out(source: JenkinsSource, marks: Marks) -> None:
    """Report the definitions around the pipeline, which the config refuses."""
    for statement in _statements(source):
        if _definition(statement):
            marks.left_out(statement, "the generated file refuses it", hint="give functions other names")


def _statements(source: JenkinsSource) -> list[Statement]:
    """Return the statements around the pipeline that stay there: no blocks, which a config refuses."""
    others = source.others
    return [one for one in others if not isinstance(one, GroovyCall) or (one.name not in _READ and one.block is None)]


def definitions_of(source: JenkinsSource, texts: Collection[str], marks: Marks) -> str:
    """Return the definitions around the pipeline, with the constants that they or the kept *texts* read."""
    statements = _statements(source)
    constants = {name: one for one in statements if (name := _constant(one, source)) is not None}
    kept = [text for one in statements if one not in constants.values() and (text := _definition(one))]
    names = frozenset[str]().union(*map(words, (*texts, *kept)))
    needed = [_definition(one) for name, one in constants.items() if name in names]
    for statement in statements:
        if statement not in constants.values() and _definition(statement):
            marks.definition(statement)
        elif not isinstance(statement, GroovyCall):
            marks.all(statement)
    return "\n".join((*_imports(kept), *needed, *_others(kept)))


def _constant(statement: Statement, source: JenkinsSource) -> str | None:
    """Return the name of the constant that *statement* defines, None if it defines none."""
    if isinstance(statement, GroovyAssignment):
        return statement.name if statement.name in source.constants else None
    match = _VARIABLE.match(statement.span.text)
    return match[1] if match and match[1] in source.constants else None


def _definition(statement: Statement) -> str:
    """Return *statement* as a definition for all of the file; "" if nothing of it is left."""
    if isinstance(statement, GroovyAssignment | GroovyCall):
        return statement.whole.text
    text = _FIELD.sub("", _LIBRARY.sub("", statement.span.text)).strip()
    if match := _VARIABLE.match(text):
        return f"{match[1]} = {text[match.end() :].strip() or 'null'}"
    return re.sub(r"@Field\b", "@groovy.transform.Field", text)


def _imports(kept: list[str]) -> Iterator[str]:
    yield from (text for text in kept if text.startswith("import "))


def _others(kept: list[str]) -> Iterator[str]:
    yield from (text for text in kept if not text.startswith("import "))
