"""Steps of plugins and shared libraries before and after the script of a stage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipegen.bindings.expression import Bare, Constant, Expression, List, Loop, Map, Scope, Text
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.emit.groovy import literal
from pipegen.plan.model import Job, Plan, PluginCall
from pipegen.plan.model.texts import call_texts, plugin_texts
from pipegen.readback.errors import UnreadableError
from pipegen.readback.groovy import GroovyTokens, TokenKind
from pipegen.source.text import Span
from pipegen.structs import Struct, replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import expression, list_of
from pipegen.targets.jenkins.settings import JenkinsSettings
from pipegen.targets.jenkins.stages.known_steps import KnownStep, is_on_agent, known_steps, runs_program
from pipegen.targets.jenkins.stages.raw import NAME, is_head
from pipegen.targets.jenkins.stages.scripts.values import GroovyTexts

# The start of a call, with or without parentheses or a block.
_START = rf"{NAME}(?:[ \t({{]|\Z)"
# Signs at the end of a line after which Groovy reads on in the next line.
_GOES_ON = frozenset(",+-*:?=&|<>.")
# The parameters of a step, as keys of a map and of Groovy.
_KEY = r"[A-Za-z_]\w*"
# A text that is a call in Groovy, such as `java()`, and one with a value of pipegen.
_NESTED_CALL = r"[A-Za-z_]\w*\(([A-Za-z_]\w*:.*)?\)"
_VALUE_IN_STRING = r"\$\{([^{}]*)\}"
_REFERENCE = r"\$\{([\w-]+)(\[[^]{}]*\])?\.[\w.-]+(\|[^{}]*)?\}"


# Words of Groovy, and values of Jenkins, that are not calls of steps.
_NO_CALLS = frozenset(
    (  # noqa: SIM905
        " as assert boolean break case catch continue currentBuild def default do else env false final finally for if "
        "in instanceof int new null params return scm String switch this throw true try void while"
    ).split(" ")
)


class _Writer(Struct):
    """Writes parameters in Groovy, with *texts* for values; *values* are those in them that Groovy computes."""

    texts: GroovyTexts
    values: list[model.Value]

    def statement(self, call: PluginCall) -> str:
        """Return *call* in Groovy; a bare name is a call."""
        if call.arguments is not None:
            return f"{call.text}({self._arguments(call.arguments)})"
        return f"{call.text}()" if re.fullmatch(NAME, call.text) else call.text

    def _arguments(self, value: Expression) -> str:
        if isinstance(value, Map):
            return ", ".join(f"{_key(key)}: {self._value(entry)}" for key, entry in value.entries)
        return "" if isinstance(value, Constant) and value.value is None else self._value(value)

    def _value(self, value: Expression) -> str:
        """Return *value* as an expression in Groovy."""
        match value:
            case Map():
                return f"[{self._arguments(value)}]" if value.entries else "[:]"
            case List():
                return f"[{', '.join(map(self._item, value.items))}]"
            case Constant():
                return _constant(value)
            case Text():
                computed = self.texts.value(value)
                self.values.append(computed)
                return expression(computed)
            case _:
                raise TypeError(f"{value} is not a parameter of a step")

    def _item(self, value: Expression) -> str:
        """Return *value*, an item of a list: a map of one name to its parameters is a call."""
        match value:
            case Map(entries=((Text() as key, Map() as parameters),)) if re.fullmatch(_KEY, key.constant or ""):
                return f"{key.constant}({self._arguments(parameters)})"
        return self._value(value)


def plugin_steps(calls: Sequence[PluginCall], texts: GroovyTexts) -> tuple[model.GroovyStatement, ...]:
    """Return the steps that the user wrote as *calls*."""
    return tuple(_lowered(call, texts) for call in calls)


def settings(variables: Sequence[tuple[str, Text]], texts: GroovyTexts) -> str:
    """Return *variables* in Groovy, as the list of `withEnv`."""
    values = replace(texts, reads_environment=True)
    return list_of([_setting(name, values.value(text)) for name, text in variables])


def set_together(env: Sequence[tuple[str, Text]]) -> list[list[tuple[str, Text]]]:
    """Return the variables *env* in groups: Jenkins computes a list of `withEnv` before it sets its variables."""
    groups: list[list[tuple[str, Text]]] = []
    names: set[str] = set()
    for name, text in env:
        if not groups or any(isinstance(part, Bare) and part.name in names for part in text.parts):
            groups.append([])
            names = set()
        groups[-1].append((name, text))
        names.add(name)
    return groups


def _setting(name: str, value: model.Value) -> str:
    parts = value.parts if isinstance(value, model.Joined) else (value,)
    if isinstance(parts[0], str):
        return expression(model.Joined((f"{name}={parts[0]}", *parts[1:])))
    return expression(model.Joined((f"{name}=", *parts)))


def _lowered(call: PluginCall, texts: GroovyTexts) -> model.GroovyStatement:
    writer = _Writer(replace(texts, reads_environment=True), [])
    text = writer.statement(call)
    return model.GroovyStatement(text, values=tuple(writer.values))


def enclosed(job: Job, steps: tuple[model.Step, ...], texts: GroovyTexts) -> tuple[model.Step, ...]:
    """Return *steps* inside the blocks of plugins of *job*, the first outermost."""
    calls = job.plugin_steps.around if job.plugin_steps is not None and steps else ()
    for call in reversed(calls):
        steps = (model.Wrapped(_lowered(call, texts).text, steps, is_copied=True),)
    return steps


def ensured(
    steps: tuple[model.Step, ...], always: tuple[model.Step, ...], failure: tuple[model.Step, ...]
) -> tuple[model.Step, ...]:
    """Return *steps*, those that *always* follow, and those after a *failure*, in the order of `post` of Jenkins."""
    if always:
        steps = (model.Ensured(steps=steps, always=always),) if steps else always
    if failure and steps:
        steps = (model.Ensured(steps=steps, on_failure=(model.Wrapped(model.NOT_STOPPED, failure),)),)
    return steps


def names(job: Job) -> tuple[str, ...]:
    """Return the names of all steps of plugins of *job*, and of the calls in their blocks."""
    return tuple(_names(_calls(job)))


def run_programs(calls: Sequence[PluginCall], settings: JenkinsSettings) -> bool:
    """Return whether *calls* may run programs."""
    has_functions = bool(settings.definitions or settings.libraries)
    return any(runs_program(name, may_be_function=has_functions) for name in _names(calls) if name not in _NO_CALLS)


def _names(calls: Sequence[PluginCall]) -> Iterator[str]:
    for call in calls:
        yield _name(call)
        if call.arguments is None and _has_block(call.text):
            yield from _called(call.text, 1)


def _called(text: str, first: int, *, reads_strings: bool = False) -> Iterator[str]:
    """Yield the names of the calls in the Groovy *text* from token *first*; with *reads_strings*, those in `${}`, too.

    They are any words with a value, arguments or a block after them, except those that the text itself defines.
    """
    try:
        code = GroovyTokens(text)
    except UnreadableError:  # `check_plugin_steps` reports it
        return
    local = _NO_CALLS | {code.word(index) for index in range(1, code.size) if _is_defined(code, index)}
    for index in range(first, code.size):
        token, following = code.tokens[index], code.tokens[index + 1]
        begins = following.kind is not TokenKind.SIGN or following.text in ("(", "{", ".")
        if code.word(index) not in local and not code.is_sign(index - 1, ".") and begins:
            yield code.word(index)
        if reads_strings and token.kind is TokenKind.EXPRESSION:
            for value in re.findall(_VALUE_IN_STRING, text[token.start : token.end]):
                yield from _called(value, 0)


def _is_defined(code: GroovyTokens, index: int) -> bool:
    """Return whether the word at *index* is the name of a variable that begins there, or of a failure or its class.

    The calls that its value comes from have names of their own.
    """
    is_variable = code.is_word(index - 1, "def") and code.is_sign(index + 1, "=")
    opening = index - 2 if code.is_sign(index - 2, "(") else index - 1
    return is_variable or (code.is_sign(opening, "(") and code.is_word(opening - 1, "catch"))


def needs_agent(job: Job) -> bool:
    """Return whether a step of a plugin of *job* certainly needs an agent, or the stage asks for one."""
    if job.plugin_steps is None:
        return False
    is_known = any(map(is_on_agent, names(job)))
    is_known |= any(is_on_agent(name) for call in _calls(job) for name in _called(call.text, 1, reads_strings=True))
    is_known |= any(call.arguments is None and _has_block(call.text) for call in _calls(job))
    references = (reference for text in plugin_texts(job.plugin_steps) for reference in text.references())
    reads_outputs = any(reference.scope in (Scope.STAGE, Scope.OWN) for reference in references)
    machine = job.machine
    is_asked = bool(machine.labels or machine.label_expressions) or (machine.image or machine.pod) is not None
    return is_known or reads_outputs or is_asked


def reads_status(job: Job, calls: Sequence[PluginCall]) -> bool:
    """Return whether *calls* of *job*, or its variables, contain the status of a stage or of the pipeline."""
    env = job.plugin_steps.env if job.plugin_steps is not None else ()
    variables = (*env, *(variable for case in job.cases for variable in case.variables))
    texts = (*call_texts(calls), *(text for _, text in variables))
    return any(reference.scope is Scope.STATUS for text in texts for reference in text.references())


def check_plugin_steps(job: Job, plan: Plan, report: Report) -> None:
    """Report steps of plugins of *job* that are not calls, and wrong parameters of known steps."""
    around = job.plugin_steps.around if job.plugin_steps is not None else ()
    for call in around:
        _check_block(call, report)
    for call in _calls(job):
        if call in around:
            continue
        if call.arguments is not None:
            _check_parameters(call, call.arguments, report)
        elif not _is_call(call.text):
            _refuse(
                call.span,
                "this is not a Jenkins step",
                'write a call, such as "waitForQualityGate abortPipeline: true", a map, such as "acmeDeploy: {to: '
                'staging}", or several statements in "script { … }"',
                report,
            )
        else:
            _check_statement(call, plan, report)


def _is_call(text: str) -> bool:
    """Return whether *text* is one call in Groovy with balanced brackets, perhaps with a block or on several lines."""
    if not re.match(_START, text) or "\0" in text:
        return False
    try:
        code = GroovyTokens(text)
    except UnreadableError:
        return False
    index = code.skip(0)
    while index < code.size:
        previous, token = code.tokens[index - 1], code.tokens[index]
        is_broken = "\n" in text[previous.end : token.start] and previous.text not in _GOES_ON
        is_after_block = previous.text == "}" and not code.is_sign(index, ",")
        if is_broken or is_after_block or token.text in (";", "\\"):
            return False
        index = code.skip(index)
    last = code.tokens[code.size - 1]
    return last.end == len(text) and last.text not in (",", ".", "=")


def _has_block(text: str) -> bool:
    """Return whether the step *text* has other steps inside."""
    return text.endswith("}")


def _calls(job: Job) -> tuple[PluginCall, ...]:
    return job.plugin_steps.calls if job.plugin_steps is not None else ()


def _name(call: PluginCall) -> str:
    """Return the name of the step of *call*."""
    return re.split(r"[ \t({]", call.text, maxsplit=1)[0]


def _constant(value: Constant) -> str:
    if value.value is None:
        return "null"
    if isinstance(value.value, bool | int):
        return str(value.value).lower()
    return value.text if re.fullmatch(r"-?\d+[.]\d+", value.text) else literal(value.text)


def _key(key: Text) -> str:
    name = key.constant or ""
    return name if re.fullmatch(_KEY, name) else literal(name)


def _check_statement(call: PluginCall, plan: Plan, report: Report) -> None:
    """Report the step *call* in Groovy if it has steps inside, or contains a value."""
    name = _name(call)
    if not _has_block(call.text):
        _known(name, call.span, report)
    namespaces = {"setup", "inputs", "matrix", *(job.stage for job in plan.jobs)}
    reference = next((match for match in re.finditer(_REFERENCE, call.text) if match[1] in namespaces), None)
    if reference is not None:
        hint = f"write the step as a map of its parameters: {{{name}: {{PARAMETER: '{reference[0]}'}}}}"
        _refuse(call.span, f'"{reference[0]}" in a step in Groovy is not replaced', hint, report)


def _check_block(call: PluginCall, report: Report) -> None:
    """Report the block *call* if it is not the head of a block, or if its parameters are known only at run time."""
    step = known_steps().get(_name(call))
    reference = next((reference for text in call_texts((call,)) for reference in text.references()), None)
    if call.arguments is None and not is_head(call.text):
        hint = "write the step without its braces, on one line, such as \"sshagent(['deploy-key'])\""
        _refuse(call.span, "this is not a Jenkins step with a block", hint, report)
    elif call.arguments is not None and not re.fullmatch(NAME, call.text):
        hint = 'write the name of a step, such as "withMaven", and its parameters as a map'
        _refuse(call.span, f'"{call.text}" is not the name of a Jenkins step', hint, report)
    elif step is not None and not step.is_block:
        hint = 'move it to "before" or "after"'
        _refuse(call.span, f'the step "{_name(call)}" has no other steps inside', hint, report)
    elif reference is not None:
        hint = 'write the value out, or set a variable in "before" of an earlier step and read it in the script'
        _refuse(reference.span, f'"{reference}" in a step around others is known only at run time', hint, report)
    elif call.arguments is not None:
        _check_values(call.arguments, call.text, "{}", report)
        if step is not None:
            _check_names(step, call, call.arguments, report)


def _check_parameters(call: PluginCall, arguments: Expression, report: Report) -> None:
    """Report the step *call*, a name with *arguments*, if Jenkins refuses it."""
    name = call.text
    if not re.fullmatch(NAME, name):
        hint = 'write the name of a step, such as "acmeDeploy", and its parameters as a map'
        if isinstance(arguments, Text | Constant) and _is_call(name):
            text = arguments.text if isinstance(arguments, Constant) else arguments.constant
            hint = f"for YAML, this is a key with a value; put quotes around the step: '{name}: {text}'"
        _refuse(call.span, f'"{name}" is not the name of a Jenkins step', hint, report)
        return
    _check_values(arguments, name, "{}", report)
    step = _known(name, call.span, report)
    if step is not None:
        _check_names(step, call, arguments, report)


def _check_names(step: KnownStep, call: PluginCall, arguments: Expression, report: Report) -> None:
    """Report parameters in *arguments* of *call* that its *step* does not have, and those that it needs."""
    if not isinstance(arguments, Map):
        return
    name = call.text
    for parameter, _ in arguments.entries:
        own_name = parameter.constant
        if own_name is not None and own_name not in step.parameters:
            suggested = suggestion(own_name, step.parameters)
            known = f"its parameters are {listed(step.parameters)}" if step.parameters else "it has no parameters"
            hint = f'rename it to "{suggested}"' if suggested else known
            _refuse(parameter.span, f'the step "{name}" has no parameter "{own_name}"', hint, report)
    for required in step.required:
        if arguments.get(required) is None:
            _refuse(call.span, f'the step "{name}" needs the parameter "{required}"', f'add "{required}"', report)


def _check_values(value: Expression, name: str, form: str, report: Report) -> None:
    """Report values in the parameters of the step *name* that are not data; *form* is what Groovy has around them."""
    match value:
        case Map():
            for key, entry in value.entries:
                if key.constant is None:
                    hint = "write out the name, and put the value after it"
                    _refuse(key.span, f'the step "{name}" has a parameter whose name is not known', hint, report)
                _check_values(entry, name, form.replace("{}", f"{key.constant}: {{}}"), report)
        case List():
            for item in value.items:
                _check_values(item, name, form.replace("{}", "[{}]"), report)
        case Loop():
            hint = "pass the text, and split it in a step of a library"
            _refuse(value.span, f'a list of the step "{name}" is known only at run time', hint, report)
        case Text() if re.fullmatch(_NESTED_CALL, value.constant or ""):
            hint = f'write the whole step as text in Groovy: "{name}({form.replace("{}", value.constant or "")})"'
            if form.endswith("[{}]"):
                called = (value.constant or "").partition("(")[0]
                hint = f"write a map of its name to its parameters: {{{called}: {{}}}}"
            _refuse(value.span, f'"{value.constant}" in a map is a text for Jenkins, not a call', hint, report)


def _known(name: str, span: Span, report: Report) -> KnownStep | None:
    """Return the known step *name*, None if it is of a library or a plugin that is not known; blocks are reported."""
    step = known_steps().get(name)
    if step is None or not step.is_block:
        return step
    hint = 'to put it around the steps of the stage, write "steps: {jenkins: {around: […]}}"'
    _refuse(span, f'the step "{name}" has other steps inside', hint, report)
    return None


def _refuse(span: Span, message: str, hint: str, report: Report) -> None:
    report.add(codes.INVALID_PLUGIN_STEP, message, at=span, hint=hint)
