"""`if` in a `script` block as a command of the shell."""

from __future__ import annotations

import re

from pipegen.emit.yaml import Commented
from pipegen.importing.accounting import KeyOutcome
from pipegen.importing.jenkins.reading.statements import GroovyReader
from pipegen.importing.jenkins.reading.syntax import (
    GroovyBlock,
    GroovyCall,
    GroovyConditional,
    OtherGroovy,
    constant,
)
from pipegen.importing.jenkins.stages.build_tests import (
    EMPTY_OR_MISSING,
    MIXED_TYPES,
    NOT_BLANK,
    PART_OF_NAME,
    SEVERAL_TEXTS,
    AllTests,
    AnyTest,
    BuildTest,
    BuildVariable,
    Comparator,
    FoundPath,
    NoTest,
    VariableComparison,
    mixes_types,
)
from pipegen.importing.jenkins.stages.expressions import ExpressionReader
from pipegen.importing.jenkins.stages.shell import ScriptCommand, as_script, command_of, tested
from pipegen.importing.jenkins.stages.shell_text import has_open_quote
from pipegen.importing.jenkins.stages.steps import GroovyHandler, SourceStepContext, StepReader
from pipegen.importing.jenkins.stages.texts import (
    ConfigReference,
    JenkinsNames,
    ShellVariable,
    shell_word,
)
from pipegen.importing.jenkins.stages.work import StageWork
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.readback.groovy import GroovyTokens
from pipegen.source.text import SourceFile
from pipegen.structs import replace

_NAME_OF_CHANGE_REQUEST = "PR-"
_PIPE = re.compile(r"(?<!\|)\|(?!\|)")
_NAME_OF_TAG = re.compile(r"v?\d|v\Z")


def read_conditional(
    reader: StepReader, conditional: GroovyConditional, context: SourceStepContext, read: GroovyHandler, comment: str
) -> None:
    """Read an `if` below *comment* whose statements become commands by *read*; raise `UntranslatableError` for others.

    Their variables last after it.
    """
    if conditional.condition.strip() == "isUnix()":
        reader.commented(comment, context, lambda: _read_unix(reader, conditional, context, read))
        return
    test = shell_test(conditional.condition, reader.names)
    commands = commands_of(reader, conditional.block, context, read)
    others = commands_of(reader, conditional.otherwise, context, read) if conditional.otherwise is not None else []
    sets_variables = any(command.variable or command.sets_variables for command in (*commands, *others))
    ends = ["else", *lines_of(others, is_followed=sets_variables), "fi"] if others else ["fi"]
    if conditional.otherwise is not None and _is_conditional(conditional.otherwise) and not others[0].comment:
        ends = [f"el{others[0].text}"]
    text = "\n".join((f"if {test}; then", *lines_of(commands, is_followed=sets_variables), *ends))
    is_bash = any(command.is_bash for command in (*commands, *others))
    if sets_variables and (context.directory or context.exports or is_bash or _PIPE.search(text)):
        raise UntranslatableError("its variables would not last, as it runs in a shell of its own")
    reader.add(ScriptCommand(text=text, comment=comment, is_bash=is_bash, sets_variables=sets_variables), context)


def _read_unix(
    reader: StepReader, conditional: GroovyConditional, context: SourceStepContext, read: GroovyHandler
) -> None:
    """Read the steps for agents with Unix, on which all scripts run."""
    if any("win" in label.lower() for label in reader.work.agent.labels):
        raise UntranslatableError("its agent may have Windows")
    names = reader.names
    for statement in conditional.block.statements:
        read(reader, conditional.block, statement, context)
    reader.names = names
    if conditional.otherwise is not None:
        reader.marks.all(OtherGroovy(conditional.otherwise.span), KeyOutcome.REPORTED)
        reader.marks.differs(
            conditional.otherwise.span,
            "the steps for agents with Windows are left out: scripts run on Unix",
            "keep a Jenkinsfile for stages that must also run on Windows",
        )


def shell_test(condition: str, names: JenkinsNames) -> str:
    """Return the *condition* of Groovy as a command of the shell; raise `UntranslatableError` for another one."""
    code = GroovyTokens(condition)
    if code.is_word(0, "sh") and code.is_sign(1, "("):
        return _tested_command(condition, code, names)
    return _test(ExpressionReader(code, 0, code.size, names.defined).test(), names)


def _tested_command(condition: str, code: GroovyTokens, names: JenkinsNames) -> str:
    """Return the *condition* `sh(returnStatus: true, …) == 0` as a command, or with `!=` its opposite."""
    end = code.skip(1)
    call = GroovyReader(SourceFile("", condition), code).value(0, end)
    sign = "".join(token.text for token in code.tokens[end : code.size])
    script, status = (
        call.argument(name) if isinstance(call, GroovyCall) else None for name in ("script", "returnStatus")
    )
    if script is None or status is None or constant(status.value) != "true" or sign not in ("==0", "!=0"):
        raise UntranslatableError("it contains Groovy")
    command = tested(command_of(names.script(script.value)))
    return command if sign == "==0" else f"! {command}"


def commands_of(
    reader: StepReader, block: GroovyBlock, context: SourceStepContext, read: GroovyHandler
) -> list[ScriptCommand]:
    """Return the commands of the steps in *block* by *read*; their folder and variables are those of the block."""
    if not block.statements:
        raise UntranslatableError("it contains Groovy")
    context = replace(context, directory="", exports=(), is_whole=False, is_in_block=True)
    work, names = reader.work, reader.names
    reader.work = inner = StageWork()
    try:
        for statement in block.statements:
            read(reader, block, statement, context)
    finally:
        reader.work, reader.names = work, names
    commands = [*inner.commands, *inner.after]
    inner.commands, inner.after = [], []
    if inner != StageWork():
        raise UntranslatableError("it contains steps that are not commands")
    return commands


def _is_conditional(block: GroovyBlock) -> bool:
    """Return whether an `if` is all of *block*."""
    first = block.statements[0] if len(block.statements) == 1 else None
    return isinstance(first, OtherGroovy) and first.conditional is not None


def lines_of(commands: list[ScriptCommand], *, is_followed: bool) -> list[str]:
    """Return *commands* as lines in a block of the shell, without an effect on others that follow it."""
    lines: list[str] = []
    for entry in as_script(commands, is_followed=is_followed):
        if isinstance(entry, Commented):
            lines += [f"  # {line}" for line in entry.above.split("\n")]
        text = str(entry.value if isinstance(entry, Commented) else entry)
        is_literal = "<<" in text or has_open_quote(text)
        lines += [text] if is_literal else [f"  {line}" if line else "" for line in text.split("\n")]
    return lines


def _test(test: BuildTest, names: JenkinsNames) -> str:  # noqa: PLR0911 - one for each kind
    """Return *test* as a command of the shell."""
    match test:
        case VariableComparison():
            return _compared(test, names, is_opposite=False)
        case NoTest(VariableComparison() as inner):
            return _compared(inner, names, is_opposite=True)
        case FoundPath(path):
            return f"[ -e {shell_word([path])} ]"
        case NoTest(FoundPath(path)):
            return f"[ ! -e {shell_word([path])} ]"
        case NoTest(NoTest(inner)):
            return _test(inner, names)
        case AllTests(tests) | AnyTest(tests) if tests:
            sign = " && " if isinstance(test, AllTests) else " || "
            return sign.join(_grouped(part, names) for part in tests)
        case NoTest(AllTests(tests) | AnyTest(tests) as inner) if tests:
            return f"! {_grouped(inner, names)}"
    raise UntranslatableError("it contains Groovy")


def _grouped(test: BuildTest, names: JenkinsNames) -> str:
    """Return *test* as a command of the shell that can be a part of others."""
    command = _test(test, names)
    return f"{{ {command}; }}" if isinstance(test, AllTests | AnyTest) else command


def _compared(test: VariableComparison, names: JenkinsNames, *, is_opposite: bool) -> str:
    value, comparator = _value(test, names), test.comparator
    is_boolean = names.inputs.get(test.variable.name)  # None if it is not a parameter
    _check_type(test, names)
    text = "true" if comparator is Comparator.IS_SET and is_boolean else test.text
    match comparator:
        case (
            Comparator.EQUALS | Comparator.IS_BOOLEAN | Comparator.IS_NUMBER | Comparator.TO_BOOLEAN | Comparator.IS_SET
        ) if text:
            return f'[ "{value}" {"!=" if is_opposite else "="} {shell_word([text])} ]'
        case Comparator.IS_SET:
            return f'[ -{"z" if is_opposite else "n"} "{value}" ]'
        case Comparator.EQUALS:
            return f'[ -{"n" if is_opposite else "z"} "{value}" ]'
        case Comparator.IS_NULL if is_boolean is None:
            return f'[ -{"n" if is_opposite else "z"} "{value}" ]'
        case Comparator.PREFIX | Comparator.SUFFIX | Comparator.CONTAINS:
            return _matched(value, comparator, text, is_opposite=is_opposite)
        case Comparator.SEARCH if test.text == NOT_BLANK:
            return f"{'! ' if is_opposite else ''}printf %s \"{value}\" | grep -q '[^[:space:]]'"
    raise UntranslatableError("it compares a pattern")


def _matched(value: str, comparator: Comparator, text: str, *, is_opposite: bool) -> str:
    """Return the test whether *value* begins or ends with *text*, or contains it."""
    start = "" if comparator is Comparator.PREFIX else "*"
    end = "" if comparator is Comparator.SUFFIX else "*"
    holds, otherwise = ("false", "true") if is_opposite else ("true", "false")
    return f'case "{value}" in ({start}{shell_word([text])}{end}) {holds} ;; (*) {otherwise} ;; esac'


def _check_type(test: VariableComparison, names: JenkinsNames) -> None:
    """Raise `UntranslatableError` if the type of the variable decides, or whether it has a value."""
    comparator, is_boolean = test.comparator, names.inputs.get(test.variable.name)
    is_local = _is_local(test.variable, names)
    if (comparator is Comparator.IS_NUMBER) is not (is_local and _is_status(test.variable.name, names)):
        raise UntranslatableError("Groovy compares a number with a text")
    if is_local and comparator in (Comparator.IS_BOOLEAN, Comparator.IS_NULL, Comparator.TO_BOOLEAN):
        raise UntranslatableError("it contains Groovy")
    if comparator is Comparator.IS_SET and is_boolean and not test.variable.is_parameter:
        raise UntranslatableError("a variable of the environment is a text, which is true if it is not empty")
    if mixes_types(test, is_boolean=bool(is_boolean) and test.variable.is_parameter):
        raise UntranslatableError(MIXED_TYPES)
    if comparator is Comparator.TO_BOOLEAN and not is_boolean:
        raise UntranslatableError(SEVERAL_TEXTS)
    is_empty = comparator is Comparator.EQUALS and not test.text and is_boolean is None and not is_local
    is_assigned = any(test.variable.name in known for known in (names.computed, names.values, names.groovy_env))
    if is_empty or (comparator is Comparator.IS_NULL and is_assigned):
        raise UntranslatableError(EMPTY_OR_MISSING)


def _value(test: VariableComparison, names: JenkinsNames) -> str:
    """Return the variable or the reference that *test* compares."""
    name = test.variable.name
    if _is_local(test.variable, names):
        return _local_value(name, names)
    if name in names.outside and not test.variable.is_parameter:
        raise UntranslatableError(f'it reads "{name}", which no Groovy of the config sets')
    if test.variable.is_parameter and name not in names.inputs:
        raise UntranslatableError("the type of a parameter is not known")
    if name == "BRANCH_NAME" and (
        test.comparator in (Comparator.IS_SET, Comparator.IS_NULL)
        or re.match(_NAME_OF_CHANGE_REQUEST, test.text) is not None
        or (test.comparator in (Comparator.SUFFIX, Comparator.CONTAINS) and PART_OF_NAME.fullmatch(test.text))
    ):
        raise UntranslatableError("a config knows no branch of a change request")
    if name == "BRANCH_NAME" and test.comparator is not Comparator.SUFFIX and _NAME_OF_TAG.match(test.text):
        raise UntranslatableError("a config knows no branch of a tag")
    meaning = names.meaning(f"params.{name}" if test.variable.is_parameter else f"env.{name}")
    if isinstance(meaning, str):
        raise UntranslatableError("it compares a constant")
    return f"${{{meaning.path if isinstance(meaning, ConfigReference) else meaning.name}}}"


def _is_local(variable: BuildVariable, names: JenkinsNames) -> bool:
    return variable.is_bare and variable.name in names.defined


def _is_status(name: str, names: JenkinsNames) -> bool:
    return names.defined[name] == (ShellVariable(name, is_status=True),)


def _local_value(name: str, names: JenkinsNames) -> str:
    """Return the variable of the shell that *name* is in its block."""
    match names.defined[name]:
        case (ShellVariable(default="") as variable,) if variable.is_set:
            return variable.text
    raise UntranslatableError("it contains Groovy")
