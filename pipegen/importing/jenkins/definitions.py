"""Groovy around the pipeline of a Jenkinsfile that stays Groovy: functions, imports and variables."""

from __future__ import annotations

import re
from collections.abc import Collection

from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.assignments import declared_name
from pipegen.importing.jenkins.reading.source import LIBRARY, JenkinsSource, function_name
from pipegen.importing.jenkins.reading.syntax import GroovyAssignment, GroovyCall, Statement
from pipegen.importing.jenkins.settings import OF_JOB, library_names
from pipegen.importing.jenkins.stages.kept import words

# Calls that settings replace.
_READ = frozenset({"libraries", "_", *OF_JOB})
_LIBRARY = re.compile(rf"{LIBRARY.pattern}\s*_*\s*")
_GENERATED = re.compile(r"import\s+(?:groovy\.transform\.Field|org\.jenkinsci\.plugins\.docker\.workflow\.Docker)\s*;?")
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
    return [
        statement
        for statement in source.others
        if not isinstance(statement, GroovyCall)
        or (statement.name not in _READ and statement.block is None and not library_names(statement))
    ]


def definitions_of(source: JenkinsSource, texts: Collection[str], values: Collection[str], marks: Marks) -> str:
    """Return the definitions around the pipeline that the config needs.

    Constants, and functions whose steps stand for their calls, are needed if a kept text reads them: one of *texts*, or
    a definition. Variables with a name in *values* are not: commands set these.
    """
    statements = _statements(source)
    optional = {name: statement for statement in statements if (name := _optional_name(statement, source)) is not None}
    by_commands = [statement for statement in statements if declared_name(statement) in values]
    needed = [
        statement
        for statement in statements
        if statement not in (*optional.values(), *by_commands) and _definition(statement)
    ]
    pending = [*texts, *map(_definition, needed)]
    while pending:
        for name in words(pending.pop()) & optional.keys():
            needed.append(optional.pop(name))
            pending.append(_definition(needed[-1]))
    imports, constants, others = list[str](), list[str](), list[str]()
    for statement in statements:
        text = _definition(statement)
        is_constant = _constant(statement, source) is not None
        if statement in needed:
            (imports if text.startswith("import ") else constants if is_constant else others).append(text)
        if statement in needed and not is_constant:
            marks.definition(statement)
        elif not isinstance(statement, GroovyCall):
            marks.all(statement)
    return "\n".join((*imports, *constants, *others))


def _optional_name(statement: Statement, source: JenkinsSource) -> str | None:
    """Return the name of the constant, or of the function whose steps stand for its calls, that *statement* defines."""
    name = function_name(statement)
    return name if name in source.functions else _constant(statement, source)


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
    text = _GENERATED.sub("", _LIBRARY.sub("", statement.span.text)).strip()
    if match := _VARIABLE.match(text):
        return f"{match[1]} = {text[match.end() :].strip() or 'null'}"
    return re.sub(r"@Field\b", "@groovy.transform.Field", text)
