"""Steps with a block of other steps."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.reading.syntax import (
    GroovyBlock,
    GroovyCall,
    GroovyList,
    constant,
)
from pipegen.importing.jenkins.stages.commands import number_of
from pipegen.importing.jenkins.stages.directives.secrets import BoundSecret, bind, bindings_of
from pipegen.importing.jenkins.stages.steps import SourceStepContext, StepReader
from pipegen.importing.jenkins.stages.texts import JenkinsNames, is_interpreted
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import replace

# The conditions of attempts after failures of an agent or of Jenkins.
_OF_SYSTEM = frozenset({"agent", "kubernetesAgent", "nonresumable"})
# A path that begins with a variable or a reference, and variables of Jenkins with an absolute path.
_FIRST_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_WORKSPACE = re.compile(r"\$\{WORKSPACE\}(?:/+|\Z)")
_ABSOLUTE = frozenset({"WORKSPACE", "WORKSPACE_TMP", "HOME", "JENKINS_HOME"})
_UNITS = {"SECONDS": "seconds", "MINUTES": "minutes", "HOURS": "hours", "DAYS": "days"}


def duration(call: GroovyCall) -> str:
    """Return the time of *call* as a duration of a config; raise `UntranslatableError` if it is not constant."""
    unit = call.argument("unit")
    name = _UNITS.get(constant(unit.value) or "") if unit is not None else "minutes"
    activity = call.argument("activity")
    if name is None or (activity is not None and constant(activity.value) == "true"):
        raise UntranslatableError("a config limits the whole time of a stage")
    number = number_of(call, "time", "")
    return f"{number} {name.removesuffix('s') if number == 1 else name}"


def _check_whole(call: GroovyCall, context: SourceStepContext, reason: str) -> None:
    """Raise `UntranslatableError` with *reason* unless the block of *call* has all steps of the stage."""
    if call.block is None:
        raise UntranslatableError("it has no steps")
    if not context.is_whole or context.is_after:
        raise UntranslatableError(reason)


def _read_block(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    if call.block is not None:
        reader.read(call.block, context)


def timeout(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `timeout`."""
    _check_whole(call, context, "only all steps of a stage can have a timeout")
    reader.work.keys["timeout"] = duration(call)
    reader.marks.read(call, "time", "unit", "activity")
    _read_block(reader, call, context)


def retry(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `retry`."""
    _check_whole(call, context, "only a whole stage can be tried again")
    set_attempts(reader, call)
    reader.marks.all(replace(call, block=None))
    _read_block(reader, call, context)


def set_attempts(reader: StepReader, call: GroovyCall) -> None:
    """Set the number of attempts to that of *call*, a step or option inside those whose keys are set already."""
    keys, number = reader.work.keys, number_of(call, "count", "")
    if number <= 1:
        return
    if "retry" in keys:
        raise UntranslatableError("the attempts around it are attempts of the stage")
    keys["retry"] = {"count": number - 1, "on": "system"} if _is_of_system(call) else number - 1
    if "timeout" in keys:
        reader.marks.differs(
            call.span,
            f'the timeout of stage "{reader.title}" limits each attempt, and all of them together in the original',
            "if this is too long, set a shorter timeout",
        )


def _is_of_system(call: GroovyCall) -> bool:
    """Return whether *call* only repeats failures of agents and of Jenkins; raise `UntranslatableError` for others."""
    argument = call.argument("conditions")
    if argument is None:
        return False
    conditions = argument.value.items if isinstance(argument.value, GroovyList) else (argument.value,)
    if conditions and all(isinstance(part, GroovyCall) and part.name in _OF_SYSTEM for part in conditions):
        return True
    raise UntranslatableError("a config has no such conditions")


def catch(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `catchError` or `warnError`."""
    result = call.argument("buildResult")
    is_success = call.name == "warnError" or (result is not None and constant(result.value) in ("SUCCESS", "UNSTABLE"))
    if not is_success:
        raise UntranslatableError("a config has no failure of a stage without one of the build")
    _check_whole(call, context, "only the failure of a whole stage can be allowed")
    reader.work.keys["allow_failure"] = True
    reader.marks.read(call, "buildResult", "stageResult", "message", "catchInterruptions")
    _read_block(reader, call, context)
    if call.name == "warnError" or (result is not None and constant(result.value) == "UNSTABLE"):
        reader.marks.differs(
            call.span,
            f'after a failure, "{call.name}" makes the build unstable; with "allow_failure", it can still succeed',
            'read the status of the stage in a stage of "finally" if it matters',
        )
    if "timeout" in reader.work.keys:
        reader.marks.differs(
            call.span,
            'after a timeout, the build is aborted in the original; with "allow_failure", it can still succeed',
            'read the status of the stage in a stage of "finally" if it matters',
        )


def folder(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `dir`."""
    argument = call.argument("path", "")
    if call.block is None or argument is None:
        raise UntranslatableError("it has no steps")
    path = reader.names.variable(argument.value)
    reader.marks.read(call, "path")
    inner = path if not context.directory or _is_absolute(path, reader.names) else f"{context.directory}/{path}"
    inner = _WORKSPACE.sub("", inner, 1) if _WORKSPACE.match(inner) else inner  # where the steps of a stage are
    directory = "" if inner in (".", "./") else inner.removeprefix("./")
    reader.read(call.block, replace(context, directory=directory, is_in_block=context.is_in_block or directory != ""))


def _is_absolute(path: str, names: JenkinsNames) -> bool:
    """Return whether *path* is absolute; raise `UntranslatableError` if only its values decide."""
    first = _FIRST_VARIABLE.match(path)
    if first is None:
        return path.startswith("/")
    value = names.environment.get(first[1])
    if first[1] not in _ABSOLUTE and not value:
        raise UntranslatableError("whether its path is absolute is known only at run time")
    return first[1] in _ABSOLUTE or (value or "").startswith("/")


def with_env(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `withEnv`."""
    argument = call.argument("overrides", "")
    items = argument.value.items if argument is not None and isinstance(argument.value, GroovyList) else None
    if call.block is None or items is None:
        raise UntranslatableError("its variables are known only at run time")
    exports: list[tuple[str, str]] = []
    for item in items:
        name, sign, value = reader.names.variable(item).partition("=")
        if not sign or not re.fullmatch(r"\w+(\+\w*)?", name):
            raise UntranslatableError("a variable is known only at run time")
        plain, plus, _ = name.partition("+")
        if any(f"${{{other}}}" in value for other, _ in exports if other != plain):
            # Groovy inserts all values before the step sets the first variable.
            raise UntranslatableError("a value contains the former value of a variable before it")
        exports.append((plain, f"{value}:${{{plain}}}" if plus else value))
    reader.marks.read(call, "overrides")
    known = _variables(reader)
    if context.is_whole and not context.is_after and not known.keys() & {name for name, _ in exports}:
        reader.work.keys["env"] = {**known, **dict(exports)}
    else:
        context = replace(context, exports=(*context.exports, *exports), is_in_block=True)
    # Commands contain the text of a value that the shell interprets; others read the variable.
    texts = {
        name: value if not value or ("$" not in value and is_interpreted(value)) else None for name, value in exports
    }
    _read_with(reader, texts, call.block, context)


def with_credentials(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `withCredentials`; one with credentials that no secret has can be around all steps of the stage."""
    if call.block is None:
        raise UntranslatableError("it has no steps")
    try:
        bindings, bound = _bound_secrets(reader, call)
    except UntranslatableError as error:
        if context.is_after or not context.is_whole:
            raise
        reader.surround(call, context, str(error))
        return
    known = _variables(reader)
    variables = [item for secret in bound for item in secret.variables.items()]
    if not known.keys().isdisjoint(dict(variables)) and (not context.is_whole or context.is_after):
        raise UntranslatableError("it replaces a variable of the environment for some of the steps")
    known_parts, known_secrets = {**dict(variables), **reader.work.bound}, reader.work.secrets
    if any(known_parts[variable] != part for variable, part in variables) or any(
        known_secrets.get(name, value) != value for secret in bound for name, value in secret.secrets.items()
    ):
        # All secrets of a stage are set before its first command.
        raise UntranslatableError("the stage has the same variables with other credentials")
    reader.work.bound |= dict(variables)
    for secret in bound:
        reader.work.secrets |= secret.secrets
        reader.work.exports += secret.exports
        reader.work.settings += secret.settings
    for binding in bindings:
        reader.marks.all(binding)
    reader.marks.read(call, "bindings")
    context = replace(context, is_in_block=context.is_in_block or not context.is_whole or context.is_after)
    _read_with(reader, dict.fromkeys(name for name, _ in variables), call.block, context)


def _bound_secrets(reader: StepReader, call: GroovyCall) -> tuple[tuple[GroovyCall, ...], list[BoundSecret]]:
    """Return the bindings of *call*, and the secrets of each."""
    argument = call.argument("bindings", "")
    bindings = bindings_of(argument.value) if argument is not None else ()
    if not bindings:
        raise UntranslatableError("its credentials are known only at run time")
    return bindings, [bind(binding, reader.names, _variables(reader)) for binding in bindings]


def _variables(reader: StepReader) -> Mapping[str, Value]:
    """Return the variables of the stage."""
    env = reader.work.keys.get("env")
    return env if isinstance(env, dict) else {}


def _read_with(
    reader: StepReader, variables: Mapping[str, str | None], block: GroovyBlock, context: SourceStepContext
) -> None:
    """Read *block*, inside which Groovy and commands can read *variables* of the environment, by their known values."""
    environment = reader.names.environment
    reader.names = replace(reader.names, environment={**environment, **variables})
    reader.read(block, context)
    reader.names = replace(reader.names, environment=environment)


def container(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `container`: the script runs in one container of its pod; with other steps, all may be in the block."""
    argument = call.argument("name", "")
    name = constant(argument.value) if argument is not None and len(call.arguments) == 1 else None
    if call.block is None or name is None or reader.work.default_container is None:
        reader.surround(call, context)
        return
    block, inner = call.block, replace(context, container=name, is_in_block=True)
    if context.is_nested or not context.is_whole or context.is_after:
        reader.read(block, inner)
    elif reader.attempt(lambda: reader.read(block, inner)) is not None:
        reader.surround(call, replace(context, container=name))
        return
    reader.marks.all(replace(call, block=None))


def lock(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `lock`."""
    argument = call.argument("resource", "")
    name = reader.names.plain_word(argument.value) if argument is not None else None
    if name is None:
        raise UntranslatableError("a stage has a lock of one name")
    _check_whole(call, context, "only a whole stage can have a lock")
    reader.work.keys["lock"] = name
    reader.marks.read(call, "resource")
    _read_block(reader, call, context)


def cosmetic(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read a step that concerns only the log."""
    if call.block is None:
        raise UntranslatableError("it has no steps")
    reader.marks.all(replace(call, block=None))
    reader.read(call.block, context)
