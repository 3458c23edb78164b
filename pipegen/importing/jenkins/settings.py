"""The sections of a pipeline without its stages: parameters, triggers, options and tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import chain

from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.source import JenkinsSource, sections
from pipegen.importing.jenkins.reading.syntax import (
    GroovyArgument,
    GroovyCall,
    GroovyList,
    GroovyText,
    OtherGroovy,
    Statement,
    calls,
    constant,
    texts,
)
from pipegen.importing.jenkins.reading.syntax import Value as GroovyValue
from pipegen.importing.jenkins.stages.steps import one_line
from pipegen.importing.jenkins.stages.surrounding import duration
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.source.tree import whole_number
from pipegen.structs import MutableStruct, field, replace
from pipegen.targets.jenkins.settings import POLLED

_DISCARD = {
    "numToKeepStr": "builds",
    "daysToKeepStr": "days",
    "artifactNumToKeepStr": "artifact_builds",
    "artifactDaysToKeepStr": "artifact_days",
}
# Options that a generated file has in any case.
_NEEDLESS = frozenset({"skipDefaultCheckout", "preserveStashes"})
# Steps that can be options; they surround all stages.
_WRAPPING = frozenset(
    {"ansiColor", "lock", "retry", "withCredentials", "withEnv", "withAWS", "withChecks", "warnError"}
)
# hudson.scheduler.CronTab of Jenkins
_TIMES = {
    "@yearly": "H H H H *",
    "@annually": "H H H H *",
    "@monthly": "H H H * *",
    "@weekly": "H H * * H",
    "@daily": "H H * * *",
    "@midnight": "H H(0-2) * * *",
    "@hourly": "H * * * *",
}
# Calls outside the pipeline that set what generated files set, too.
OF_JOB = frozenset({"properties"})
# Properties of a job that are options of a pipeline, too.
_PROPERTIES = frozenset({"buildDiscarder", "disableConcurrentBuilds"})
_OUTSIDE = "it is outside the pipeline"
_TIMEZONE = re.compile(r"TZ=(\S+)")


class FileSettings(MutableStruct):
    """The keys of a config without its stages; *refused* has the messages about those that a config refuses."""

    inputs: dict[str, Value] = field(default_factory=dict)
    pipeline: dict[str, Value] = field(default_factory=dict)
    target: dict[str, Value] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)


def boolean_inputs(source: JenkinsSource, refused: Mapping[str, str]) -> dict[str, bool]:
    """Return the parameters of *source* that are inputs by name, with whether they are booleans."""
    calls = parameter_calls(source)
    inputs = {name: call for name, call in calls.items() if name not in refused and _has_known_values(call)}
    return {name: call.name == "booleanParam" for name, call in inputs.items()}


def raw_parameters(source: JenkinsSource, inputs: Collection[str]) -> frozenset[str]:
    """Return the names of the parameters of *source* that are not *inputs*."""
    names = {constant(name.value) for call in _calls(source.section("parameters")) if (name := call.argument("name"))}
    return frozenset(name for name in names if name is not None and name not in inputs)


def parameter_calls(source: JenkinsSource) -> dict[str, GroovyCall]:
    """Return the parameters of *source* that a config can have as inputs, by name."""
    calls = [call for call in _calls(source.section("parameters")) if call.name in _PARAMETERS]
    named = [(constant(name.value), call) for call in calls if (name := call.argument("name")) is not None]
    return {name: call for name, call in named if name is not None}


def settings_of(source: JenkinsSource, refused: Mapping[str, str], marks: Marks) -> FileSettings:
    """Return the settings of *source* without inputs that a config refuses: *refused* has their names, and reasons."""
    settings = FileSettings(refused=refused)
    for other in source.others:
        _other(other, settings, marks)
    for name, read in _SECTIONS.items():
        section = source.section(name)
        if section is not None:
            marks.translated(section)
            for call in _calls(section):
                _read(call, read, settings, marks)
            for statement in section.block.statements if section.block else ():
                if isinstance(statement, OtherGroovy):
                    marks.left_out(statement, "a config has no Groovy")
    called = [library_names(statement) for statement in source.others if isinstance(statement, GroovyCall)]
    libraries = [*source.libraries, *chain(*called), *_directive_libraries(source, marks)]
    if libraries:
        settings.target["libraries"] = list[Value](libraries)
    return settings


def _read(call: GroovyCall, read: Reader, settings: FileSettings, marks: Marks) -> None:
    try:
        read(call, settings, marks)
    except UntranslatableError as error:
        marks.left_out(call, str(error), hint="set it in the job")


def _calls(section: GroovyCall | None) -> list[GroovyCall]:
    statements = section.block.statements if section is not None and section.block is not None else ()
    return [statement for statement in statements if isinstance(statement, GroovyCall)]


def library_names(call: GroovyCall, name: str = "library") -> tuple[str, ...]:
    """Return the names of libraries in *call*; () if it is no `library`, or has other arguments too."""
    argument = call.argument("", "identifier")
    is_only = call.name == name and argument is not None and len(call.arguments) == 1
    return (texts(argument.value) or ()) if is_only and argument is not None else ()


def _directive_libraries(source: JenkinsSource, marks: Marks) -> Iterator[str]:
    """Yield the names of the libraries in the directive `libraries`; others are reported."""
    for section in sections(source.pipeline, "libraries"):
        marks.translated(section)
        for call in _calls(section):
            if names := library_names(call, "lib"):
                marks.all(call)
                yield from names
            else:
                marks.left_out(call, "its name is known only at run time", hint='name it in the setting "libraries"')


def _other(statement: Statement, settings: FileSettings, marks: Marks) -> None:
    """Read a call outside the pipeline; other statements there are definitions."""
    if isinstance(statement, GroovyCall) and statement.name == "pipeline":
        reason = 'Jenkins runs the first block "pipeline" of a file'
        marks.left_out(statement, reason, hint="import it from a file of its own if it is in use")
    elif isinstance(statement, GroovyCall) and (statement.name == "_" or library_names(statement)):
        marks.all(statement)
    elif isinstance(statement, GroovyCall) and statement.name in OF_JOB:
        _properties(statement, settings, marks)
    elif isinstance(statement, GroovyCall) and statement.block is not None:
        marks.left_out(statement, _OUTSIDE, hint="set it in the job")


def _properties(call: GroovyCall, settings: FileSettings, marks: Marks) -> None:
    """Read `properties`, which sets properties of the job before the options of the pipeline do."""
    items = _items(call)
    if not items:
        marks.left_out(call, _OUTSIDE, hint="set it in the job")
        return
    marks.translated(call)
    for item in items:
        if item.name in _PROPERTIES:
            _read(item, _option, settings, marks)
        elif item.name == "pipelineTriggers" and _items(item):
            marks.translated(item)
            for trigger in _items(item):
                _read(trigger, _trigger, settings, marks)
        else:
            marks.left_out(item, _OUTSIDE, hint="set it in the job")


def _items(call: GroovyCall) -> tuple[GroovyCall, ...]:
    """Return the items of the list that is the only argument of *call*; () if it has other items than calls."""
    value = call.arguments[0].value if len(call.arguments) == 1 else None
    items = value.items if isinstance(value, GroovyList) else ()
    return calls(value) if len(calls(value)) == len(items) else ()


# Parameters


def _parameter(call: GroovyCall, settings: FileSettings, marks: Marks) -> None:
    arguments = {argument.name: argument for argument in call.arguments}
    name = constant(arguments["name"].value) if "name" in arguments else None
    if name is None:
        raise UntranslatableError("its name is known only at run time")
    if reason := settings.refused.get(name) or _obstacle(call):
        _raw_call(call, "parameters", settings, marks, reason)
        return
    value: dict[str, Value] = {}
    if "description" in arguments and (text := constant(arguments["description"].value)):
        value["description"] = text
    if call.name == "booleanParam":
        value["default"] = "defaultValue" in arguments and constant(arguments["defaultValue"].value) == "true"
    elif call.name == "choice":
        listed = _choices(arguments["choices"].value)
        value |= {"choices": listed, "default": listed[0]}
    else:
        value["default"] = (constant(arguments["defaultValue"].value) or "") if "defaultValue" in arguments else ""
    is_short = value.keys() == {"default"} and call.name != "booleanParam" and value["default"] != ""
    settings.inputs[name] = value["default"] if is_short else value
    marks.read(call, "name", "description", "defaultValue", "choices", "trim")


def _obstacle(call: GroovyCall) -> str:
    """Return the reason why the parameter *call* is not an input; "" if it is one."""
    if call.name not in _PARAMETERS:
        return f'a config has no input of the kind "{call.name}"'
    return "" if _has_known_values(call) else "its values are known only at run time"


def _has_known_values(call: GroovyCall) -> bool:
    """Return whether the default of the parameter *call*, or its choices, are constant."""
    if call.name == "choice":
        choices = call.argument("choices")
        return choices is not None and bool(_choices(choices.value))
    default = call.argument("defaultValue")
    return default is None or constant(default.value) is not None


def _choices(value: GroovyValue) -> list[str]:
    """Return the choices in *value*, a list, or a text with one in each line; any may be empty."""
    choices = texts(value) or ()
    return choices[0].rstrip("\n").split("\n") if isinstance(value, GroovyText) and choices else list(choices)


_PARAMETERS = frozenset({"string", "text", "booleanParam", "choice"})


# Triggers


def _trigger(call: GroovyCall, settings: FileSettings, marks: Marks) -> None:
    argument = call.argument("", "spec")
    text = constant(argument.value) if argument is not None else None
    if call.name == "pollSCM" and text is not None and re.fullmatch(POLLED, " ".join(text.split())):
        settings.target["poll"] = " ".join(text.split())
        marks.read(call, "spec")
        return
    if call.name not in ("cron", "pollSCM") or text is None:
        _raw_call(call, "triggers", settings, marks)
        return
    schedules: list[Value] = []
    timezone = ""
    for line in text.split("\n"):
        if match := _TIMEZONE.fullmatch(line.strip()):
            timezone = match[1]
        elif line.strip() and not line.strip().startswith("#"):
            cron = _TIMES.get(line.strip(), " ".join(line.split()))
            schedules.append({"cron": cron, "timezone": timezone} if timezone else cron)
    if schedules:
        settings.pipeline["schedule"] = schedules if len(schedules) > 1 else schedules[0]
    marks.read(call, "spec")


# Options


def _option(call: GroovyCall, settings: FileSettings, marks: Marks) -> None:
    if call.name in _NEEDLESS:
        marks.all(call)
    elif call.name == "buildDiscarder":
        _discard(call, settings, marks)
    elif call.name == "timestamps":
        settings.target["timestamps"] = True
        marks.all(call)
    elif call.name == "disableConcurrentBuilds":
        abort = call.argument("abortPrevious")
        cancels = abort is not None and constant(abort.value) == "true"
        settings.pipeline["concurrency"] = {"cancel": True} if cancels else {}
        marks.read(call, "abortPrevious")
    elif call.name == "timeout" and not _is_of_inactivity(call):
        settings.pipeline["timeout"] = duration(call)
        marks.read(call, "time", "unit", "activity")
    elif call.name == "checkoutToSubdirectory":
        marks.left_out_folder(call)
    elif call.name == "parallelsAlwaysFailFast":
        settings.pipeline["fail_fast"] = True
        marks.report_fail_fast(call.span)
        marks.all(call)
    else:
        _raw_option(call, settings, marks)


def _is_of_inactivity(call: GroovyCall) -> bool:
    activity = call.argument("activity")
    return activity is not None and constant(activity.value) != "false"


def _raw_option(call: GroovyCall, settings: FileSettings, marks: Marks) -> None:
    _raw_call(call, "wrap" if call.name in _WRAPPING else "options", settings, marks)


def _raw_call(call: GroovyCall, key: str, settings: FileSettings, marks: Marks, reason: str = "") -> None:
    """Add *call* to the setting *key* as it is."""
    text = one_line(replace(call, block=None))
    if text is None:
        raise UntranslatableError("it has several lines")
    if "(" not in text.partition(" ")[0]:
        arguments = text.removeprefix(call.name).strip()
        text = call.name + (arguments if arguments.startswith("(") else f"({arguments})")
    known = settings.target.get(key)
    items = list(known) if isinstance(known, list) else []
    settings.target[key] = [*items, text]
    if refusal := settings.refused.get(f"targets.{key}.{text}"):
        marks.left_out(call, refusal, hint="set it in the job")
    else:
        marks.raw(call, "the pipeline", reason)


def is_reported(key: str) -> bool:
    """Return whether a refused *key* is an item of a setting with calls: these are reported at their lines."""
    return re.match(r"targets\.(options|wrap|triggers|parameters)\.", key) is not None


def _discard(call: GroovyCall, settings: FileSettings, marks: Marks) -> None:
    rotators = [rotator for argument in call.arguments for rotator in calls(argument.value)]
    if len(rotators) != 1 or rotators[0].name != "logRotator":
        raise UntranslatableError("only a log rotator has an equivalent")
    limits: dict[str, Value] = {}
    for argument in rotators[0].arguments:
        number = whole_number(constant(argument.value) or "")
        if number is not None and argument.name in _DISCARD:
            limits[_DISCARD[argument.name]] = number
    if limits:
        settings.target["discard"] = limits
    marks.translated(call)
    marks.read(rotators[0], *(argument.name for argument in rotators[0].arguments if _is_kept(argument)))


def _is_kept(argument: GroovyArgument) -> bool:
    text = constant(argument.value)
    return text is not None and (not text or (whole_number(text) is not None and argument.name in _DISCARD))


# Tools


def _tool(call: GroovyCall, settings: FileSettings, marks: Marks) -> None:
    name = constant(call.arguments[0].value) if call.arguments else None
    if name is None:
        raise UntranslatableError("its name is known only at run time")
    known = settings.target.get("tools")
    settings.target["tools"] = {**(known if isinstance(known, dict) else {}), call.name: name}
    marks.all(call)


Reader = Callable[[GroovyCall, FileSettings, Marks], None]
_SECTIONS: Mapping[str, Reader] = {
    "parameters": _parameter,
    "triggers": _trigger,
    "options": _option,
    "tools": _tool,
}
