"""Functions with the steps of matrix stages, which would otherwise stand in the file once for each combination.

The steps may differ in values of axes. Those are variables in the environment of each stage, as in a `matrix` of
Declarative, which cannot be in a `parallel` (Pipeline Syntax, "Declarative Matrix") and gives its stages the same name
in each combination. In scripted files, the variables are set around the call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, product
from typing import Any

from pipegen.structs import Struct, replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import literals
from pipegen.targets.jenkins.model.parts import parts_of
from pipegen.targets.jenkins.model.steps import Around
from pipegen.targets.jenkins.named_jobs import NamedJob
from pipegen.targets.jenkins.names import StageNames, steps_function_name
from pipegen.targets.jenkins.styles.directives import with_agent_in_steps
from pipegen.targets.jenkins.styles.group_names import shown_combinations
from pipegen.targets.jenkins.styles.mails import of_any_stage
from pipegen.targets.jenkins.styles.script_blocks import without_script
from pipegen.targets.jenkins.styles.shapes import holes, with_expressions
from pipegen.targets.templates import (
    DifferentError,
    Merger,
    Rule,
    TemplateVariable,
    Values,
    assignment_text,
    columns,
    script_text,
    text_parts,
    with_plain_axes,
)

# In a path, a name and a script, such a value needs no quotes, and nothing in it is expanded.
_PLAIN_VALUE = r"[A-Za-z0-9][A-Za-z0-9._-]*"
# In a variable, nothing in such a value is expanded.
_VARIABLE_VALUE = r"[^$\\\n]+"
# A function replaces copies if the file gets shorter by so many lines.
_LEAST_SAVED = 5
# The lines of a function without its steps, and those of `environment {}` without variables.
_FUNCTION, _ENVIRONMENT = 4, 2
# Those around a script of several lines, those around steps in a block, and those of a mail.
_AROUND_SCRIPT, _AROUND_BLOCK, _MAIL = 2, 2, 3
# The lines of a stage without its steps, and those of a loop over an axis.
_STAGE, _LOOP = 3, 2
_AXIS = r"[A-Za-z0-9_]+"
# Text that is the same between double quotes of Groovy.
_PLAIN_TEXT = r"[ !#%-\[\]-~]*"
# A line that sets a variable to its own value.
_OWN_VALUE = r"(\w+)=\$\{?\1\}?"

# Functions have all that combinations of a matrix do if the file gets shorter by so many lines.
_LEAST_SAVED_DIRECTIVES = 8
# The lines of a directive without its content, and those in a docker agent.
_AROUND_DIRECTIVE, _CONTAINER = 2, 4

# Returns a stage in another form.
_Changing = Callable[[model.StageBlock], model.StageBlock]
# Returns a stage with a call of a function in place of its steps, and with the variables that the function reads.
_Calling = Callable[[model.StageBlock, str, Values], model.StageBlock]


class _Steps(Struct):
    """Steps of combinations, and the variables that they read."""

    steps: tuple[model.Step, ...]
    variables: tuple[str, ...]


def in_declarative(
    blocks: tuple[model.Block, ...], named: Iterable[NamedJob], names: StageNames
) -> tuple[tuple[model.Block, ...], tuple[model.StepsFunction, ...]]:
    """Return *blocks* whose stages call functions where combinations of a matrix share steps, and these functions.

    The functions take *names*.
    """
    stages = [stage for block in blocks for chain in block.chains for stage in chain.stages if not stage.steps_function]
    replaced, functions = _with_functions(stages, named, names, _with_environment)
    return (tuple(_replaced(block, replaced) for block in blocks), functions) if functions else (blocks, ())


def without_directives(
    stages: Sequence[model.StageBlock], named: Iterable[NamedJob], names: StageNames, with_directives: _Changing
) -> tuple[dict[str, model.StageBlock], tuple[model.StepsFunction, ...]]:
    """Return those of *stages*, by name, that call a function for all that they do, and these functions.

    They replace what *with_directives* would write for each combination of a matrix, where the file gets shorter.
    """
    by_name = {stage.name: stage for stage in stages if not stage.steps_function}
    whole: list[model.StageBlock] = []
    named = tuple(named)
    for combinations in matrices_of(named).values():
        members = [by_name[name] for name in combinations if name in by_name]
        values = [combinations[stage.name] for stage in members]
        if len(members) > 1 and _saved(members, values, with_directives) >= _LEAST_SAVED_DIRECTIVES:
            whole += map(_with_all_in_steps, members)
    return _with_functions(whole, named, names, _with_environment)


def in_scripted(
    stages: Sequence[model.StageBlock], named: Iterable[NamedJob], names: StageNames
) -> tuple[tuple[model.StageBlock, ...], tuple[model.StepsFunction, ...]]:
    """Return *stages* of a scripted file and functions, as in `in_declarative`."""
    replaced, functions = _with_functions(stages, named, names, _within_variables, has_loops=True)
    return tuple(replaced.get(stage.name, stage) for stage in stages), functions


def _with_functions(
    stages: Iterable[model.StageBlock],
    named: Iterable[NamedJob],
    names: StageNames,
    calling: _Calling,
    *,
    has_loops: bool = False,
) -> tuple[dict[str, model.StageBlock], tuple[model.StepsFunction, ...]]:
    """Return those of *stages* that call a function, by name and as *calling* writes that, and these functions."""
    by_name = {stage.name: stage for stage in stages}
    functions: list[model.StepsFunction] = []
    replaced: dict[str, model.StageBlock] = {}
    for title, values in matrices_of(named).items():
        members = [by_name[name] for name in values if name in by_name]
        shared = _shared(members, [values[stage.name] for stage in members], has_loops=has_loops)
        if shared is None:
            continue
        name = names.take(steps_function_name(title), "{name}{number}")
        function = model.StepsFunction(
            name, f"What each combination of stage {title} does.", without_script(shared.steps)
        )
        functions.append(function)
        for stage in members:
            variables = {name: values[stage.name][name] for name in shared.variables}
            replaced[stage.name] = calling(stage, function.name, variables)
    return replaced, tuple(functions)


def matrices_of(named: Iterable[NamedJob]) -> dict[str, dict[str, Values]]:
    """Return the matrix stages by title, with the variables of each combination, by its name, if they can be some."""
    named_jobs = tuple(named)
    shown = shown_combinations(named_jobs)
    matrices: dict[str, dict[str, Values]] = {}
    for named_job in named_jobs:
        combination = named_job.job.combination
        if combination is None or not all(
            re.fullmatch(_AXIS, axis) and re.fullmatch(_VARIABLE_VALUE, value) for axis, value in combination.values
        ):
            continue
        members = matrices.setdefault(shown[named_job.name].stage, {})
        values = {f"matrix_{axis}": value for axis, value in combination.values}
        if not {name.lower() for name in values}.isdisjoint(name.lower() for name, _ in named_job.variables):
            continue
        if not members or next(iter(members.values())).keys() == values.keys():
            members[named_job.name] = values
    return matrices


def _shared(stages: Sequence[model.StageBlock], values: Sequence[Values], *, has_loops: bool = False) -> _Steps | None:
    """Return the steps that equal those of each of *stages* with its *values*; None if copies are as short.

    With *has_loops*, a loop may declare the stages.
    """
    if len(stages) < 2 or _are_taken(values[0], stages):  # noqa: PLR2004 - several
        return None
    texts = _Texts(values)
    try:
        steps = Merger(texts.rules()).merged([stage.steps for stage in stages])
    except DifferentError:
        return None
    variables = tuple(name for name in values[0] if name in texts.used)
    shared = _Steps(steps, variables)
    saved = sum(_line_count(stage.steps) for stage in stages) - _shared_lines(stages, shared)
    if has_loops and loop_prefix(stages, values) is not None:
        copies = sum(_STAGE + _line_count(stage.steps) for stage in stages)
        around = _STAGE + _LOOP * len(values[0]) + (_AROUND_BLOCK if variables else 0)
        saved = copies - around - _line_count(shared.steps)
    return shared if saved >= _LEAST_SAVED else None


def loop_prefix(stages: Sequence[model.StageBlock], values: Sequence[Values]) -> str | None:
    """Return the text before *values* in the names of *stages*; None if no loops over the axes can declare these.

    They must be all combinations in order, and differ only in their steps.
    """
    axes = [dict.fromkeys(own[axis] for own in values) for axis in values[0]]
    if [tuple(own.values()) for own in values] != [*product(*axes)]:
        return None
    prefix = stages[0].name.removesuffix(", ".join(values[0].values()))
    first, *others = [replace(stage, name="", steps=()) for stage in stages]
    if not re.fullmatch(_PLAIN_TEXT, prefix) or any(other != first for other in others):
        return None
    names = (prefix + ", ".join(own.values()) for own in values)
    return prefix if all(stage.name == name for stage, name in zip(stages, names, strict=True)) else None


def _shared_lines(stages: Sequence[model.StageBlock], shared: _Steps) -> int:
    """Return how many lines the function with *shared* and its calls take, those of its variables among them."""
    variables = len(shared.variables) + (_ENVIRONMENT if shared.variables and not stages[0].environment else 0)
    return len(stages) * (1 + variables) + _FUNCTION + _line_count(shared.steps)


def _saved(stages: Sequence[model.StageBlock], values: Sequence[Values], with_directives: _Changing) -> int:
    """Return by how many lines a function for all that *stages* do is shorter than what *with_directives* writes."""
    directives = [with_directives(stage) for stage in stages]
    whole = [_with_all_in_steps(stage) for stage in stages]
    shared = _shared(whole, values)
    if shared is None or any(map(_needs_directives, directives)) or _are_taken(values[0], directives):
        return 0
    shared_steps = _shared(directives, values)
    steps = sum(_line_count(stage.steps) for stage in directives)
    lines = _shared_lines(directives, shared_steps) if shared_steps is not None else steps
    return lines + sum(map(_directive_lines, directives)) - _shared_lines(whole, shared)


def _needs_directives(stage: model.StageBlock) -> bool:
    """Return whether *stage* has directives that steps do not replace: those need a function, or other stages.

    Imports do not read a `try` beside functions of pipegen that test for stashes.
    """
    tests = any(
        step.is_tested if isinstance(step, model.Stash) else isinstance(step, model.Unstash) and step.is_optional
        for step in parts_of(*stage.steps)
    )
    posts = (stage.always, stage.failure, stage.unsuccessful, stage.on_failure)
    return bool(stage.tools or stage.pod or stage.approval) or (tests and any(posts))


def _with_all_in_steps(stage: model.StageBlock) -> model.StageBlock:
    """Return *stage* with steps that also take its agent, set its variables and send its mail."""
    mails = tuple(of_any_stage(step, stage) if isinstance(step, model.SendMail) else step for step in stage.on_failure)
    stage = with_agent_in_steps(replace(stage, on_failure=mails))
    steps = stage.steps
    if stage.environment:
        settings = literals([f"{variable.name}={variable.value}" for variable in stage.environment])
        steps = (model.Wrapped(f"withEnv({settings})", steps),)
    if stage.on_failure:
        steps = (model.Ensured(steps=steps, on_failure=(model.Wrapped("catchError", stage.on_failure),)),)
    return replace(stage, steps=steps, environment=(), on_failure=())


def _directive_lines(stage: model.StageBlock) -> int:
    """Return how many lines the directives of *stage* take that its steps can replace."""
    blocks = [len(stage.options), len(stage.environment)]
    if stage.container is not None:
        blocks.append(_CONTAINER)
    elif stage.agent is not None:
        blocks.append(1)
    posts = [_line_count(steps) for steps in (stage.always, stage.failure, stage.unsuccessful) if steps]
    posts += [_AROUND_BLOCK + _line_count(stage.on_failure)] if stage.on_failure else []
    blocks.append(sum(_AROUND_DIRECTIVE + lines for lines in posts))
    return sum(_AROUND_DIRECTIVE + lines for lines in blocks if lines)


def _are_taken(names: Iterable[str], stages: Sequence[model.StageBlock]) -> bool:
    return any(_is_taken(name, stage) for name in names for stage in stages)


def _is_taken(name: str, stage: model.StageBlock) -> bool:
    """Return whether *name* has another meaning in *stage*; in variables of Jenkins, upper and lower case are one."""
    if any(variable.name.lower() == name.lower() for variable in stage.environment):
        return True
    word = re.compile(rf"\b{name}\b", re.IGNORECASE)
    scripts = [part.lines for part in parts_of(*stage.steps) if isinstance(part, model.Sh)]
    own = re.compile(rf"{name}=.+")
    return any(
        any(word.search(line) for line in lines) and not any(own.fullmatch(line) for line in lines) for lines in scripts
    )


class _Texts:
    """Merges texts of steps by the *values* of variables in each stage; *used* are the variables of these so far."""

    def __init__(self, values: Sequence[Values]) -> None:
        self._all_values = values
        self._values = with_plain_axes(values, lambda value: re.fullmatch(_PLAIN_VALUE, value) is not None)
        self.used: set[str] = set()

    def rules(self) -> dict[tuple[type, str], Rule]:
        """Return the rules for fields of steps that may contain variables."""
        return {
            **{(model.Stash, name): self._text for name in ("name", "includes", "excludes")},
            **{(model.Archive, name): self._text for name in ("includes", "excludes")},
            **{(kind, "image"): self._image for kind in (model.InImage, model.ServiceContainer)},
            (model.Unstash, "name"): self._text,
            (model.InputStep, "message"): self._text,
            (model.Succeeded, "stage"): self._text,
            (model.Wrapped, "head"): self._groovy,
            (model.GroovyStatement, "text"): self._groovy,
            (model.GroovyStatement, "values"): _without_texts,
            (model.Binding, "credential"): self._text,
            (model.OnAgent, "agent"): self._agent,
            (model.Sh, "lines"): self._script,
        }

    def _script(self, scripts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """Return the lines of a script, without those that set a variable to its own value."""
        return tuple(line for line in map(self._line, columns(scripts)) if not re.fullmatch(_OWN_VALUE, line))

    def _line(self, lines: Sequence[str]) -> str:
        if len(set(lines)) == 1:
            return lines[0]
        if setting := assignment_text(lines, self._all_values):
            self.used.add(setting.partition("=$")[2])
            return setting
        self._parts(lines)
        return script_text(lines, self._values)

    def _agent(self, agents: Sequence[model.Agent]) -> model.Agent:
        """Return the agent with the label of each of *agents*."""
        if any(agent.is_pinned for agent in agents):
            raise DifferentError
        return model.Agent(expression=self._text([agent.label for agent in agents]).text)

    def _image(self, images: Sequence[model.Value]) -> model.Value:
        """Return the name of each of *images*, or the call that builds it."""
        calls = [image for image in images if isinstance(image, model.FunctionCall)]
        if len(calls) < len(images) or len({call.function for call in calls}) > 1:
            return self._text(images)
        arguments = columns([call.arguments for call in calls])
        return replace(
            calls[0], arguments=tuple(texts[0] if len(set(texts)) == 1 else self._text(texts) for texts in arguments)
        )

    def _groovy(self, codes: Sequence[str]) -> str:
        """Return the Groovy that equals each of *codes*, which differ in texts."""
        shapes = [holes(code) for code in codes]
        if len({shape.code for shape in shapes}) > 1:
            raise DifferentError
        expressions: list[str | None] = []
        for texts in columns([shape.texts for shape in shapes]):
            is_common = len(set(texts)) == 1
            expressions.append(None if is_common else self._text(texts).text)
        return with_expressions(shapes[0].code, shapes[0].texts, expressions)

    def _text(self, texts: Sequence[Any]) -> model.GroovyCode:
        """Return the text with variables that equals each of *texts*, which differ."""
        if not all(isinstance(text, str) for text in texts):
            raise DifferentError
        parts = self._parts(texts)
        if len(parts) == 1 and isinstance(parts[0], TemplateVariable):
            return model.GroovyCode(f"env.{parts[0].name}")
        if not all(re.fullmatch(_PLAIN_TEXT, part) for part in parts if isinstance(part, str)):
            raise DifferentError
        written = (part if isinstance(part, str) else f"${{env.{part.name}}}" for part in parts)
        return model.GroovyCode(f'"{"".join(written)}"')

    def _parts(self, texts: Sequence[str]) -> tuple[str | TemplateVariable, ...]:
        parts = text_parts(texts, self._values)
        self.used |= {part.name for part in parts if isinstance(part, TemplateVariable)}
        return parts


def _without_texts(values: Sequence[tuple[model.Value, ...]]) -> tuple[model.Value, ...]:
    """Return no values in place of texts: they are in the Groovy of the step."""
    if not all(isinstance(value, str) for value in chain(*values)):
        raise DifferentError
    return ()


def _line_count(steps: Iterable[model.Step]) -> int:
    """Return how many lines *steps* take in the file."""
    count = 0
    for step in steps:
        match step:
            case model.Sh():
                count += len(step.lines) + (_AROUND_SCRIPT if len(step.lines) > 1 else 0)
            case model.Ensured():
                count += _AROUND_BLOCK + sum(map(_line_count, (step.steps, step.on_failure, step.always)))
            case _ if isinstance(step, Around):
                count += _AROUND_BLOCK + _line_count(step.steps)
            case model.SendMail():
                count += _MAIL
            case _:
                count += 1
    return count


def _with_environment(stage: model.StageBlock, function: str, variables: Values) -> model.StageBlock:
    """Return *stage* with a call of *function* in place of its steps, and *variables* in its environment."""
    environment = tuple(model.EnvironmentVariable(name, value) for name, value in variables.items())
    return replace(stage, steps=(), steps_function=function, environment=(*stage.environment, *environment))


def _within_variables(stage: model.StageBlock, function: str, variables: Values) -> model.StageBlock:
    """Return *stage* with a call of *function* in place of its steps, in a block that sets *variables*."""
    call = model.GroovyStatement(f"{function}()")
    settings = literals([f"{name}={value}" for name, value in variables.items()])
    return replace(stage, steps=(model.Wrapped(f"withEnv({settings})", (call,)) if variables else call,))


def _replaced(block: model.Block, stages: Mapping[str, model.StageBlock]) -> model.Block:
    """Return *block* with those of *stages*, by name, that are in it."""
    chains = tuple(
        replace(chain, stages=tuple(stages.get(stage.name, stage) for stage in chain.stages)) for chain in block.chains
    )
    return replace(block, chains=chains)
