"""The size of generated code in a method of the JVM, in nodes of Groovy's syntax tree.

Methods of Jenkinsfiles failed with "Method code too large" between 2,521 and 3,389 nodes, depending on their shape;
1,500 are safe, including a few for the method itself. Nodes are statements and expressions, including blocks,
closures, argument lists and the names of called methods.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import is_interpolated
from pipegen.targets.jenkins.model.steps import Around

LARGEST = 1_490
# A block fails at about 250 statements; a step has at most two, and rarely that.
_MOST_STATEMENTS = 240

# A call as a statement, and in an expression; a closure; a text; an argument `name: text`.
_STATEMENT = 4
_CALL = 3
_CLOSURE = 2
_TEXT = 1
_NAMED = 3
_PROPERTY = 3
# `"--network=${network} " + text`, and an argument.
_NETWORK = 6
# A variable that gets a value.
_ASSIGNMENT = 3
# A declarative stage with empty `steps`.
LEAST_STAGE = 2 * (_STATEMENT + _CLOSURE) + _TEXT
# `when` of a declarative stage around its condition; `post { always { node {} } }`.
_WHEN = 18
_NODE = 25
_AGENT = 4
# The map of named arguments.
_MAP = 1
# `pipeline {}` with its agent, options and stages; a directive in it with a block.
_PIPELINE = 28
# A stage around others: `stage('name') { parallel {} }`.
_GROUP = 2 * (_STATEMENT + _CLOSURE) + _TEXT
# In Groovy code: words and texts, operators, the statement and call of a line, and the operand before `?:`,
# which occurs twice in the tree.
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_WORD = re.compile(r"\w+")
# Parentheses after a name, and braces; other parentheses have no node.
_OPENED = re.compile(r"(?<=\w) ?\(|\{")
# An expression in a text; braces inside it are in quotes or in pairs.
_EXPRESSION = re.compile(r"\$\{((?:[^{}'\"]|\{[^{}]*\}|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")*)\}")
_SIGN = re.compile(r"[.\[:+!?-]|&&|\|\||[<>=]=?")
_LINE = 4
_TWICE = 8


def weigh_added(stage: model.StageBlock) -> int:
    """Return the weight of the `addStage` call of *stage*."""
    options = [_NAMED - _TEXT + weigh_names(stage.after)] if stage.after else []
    if stage.condition:
        options.append(_NAMED - _TEXT + _CLOSURE + weigh_groovy(stage.condition))
    if stage.agent is None or stage.agent.is_pinned or stage.agent.label:
        options.append(_NAMED)
    if stage.on_failure:
        options.append(_NAMED - _TEXT + _CLOSURE + weigh_steps(stage.on_failure))
    if stage.fail_fast:
        options.append(_NAMED)
    arguments = _MAP + sum(options) if options else 0
    return _STATEMENT + arguments + _TEXT + _CLOSURE + weigh_steps(stage.steps)


def weigh_pipeline(body: model.Declarative) -> int:
    """Return the weight of `pipeline {}`."""
    around = (2 * _GROUP if body.group else 0) + (_NODE + _AGENT if body.teardown else 0)
    around += weigh_pod(body.agent) if isinstance(body.agent, model.PodAgent) else 0
    final = sum(_NODE + weigh_added(stage) for stage in body.final)
    return _PIPELINE + around + final + sum(map(_weigh_block, body.blocks))


def weigh_names(names: Sequence[str]) -> int:
    """Return the weight of a list of *names*; a long list is a sum of lists."""
    return 1 + len(names) + 2 * (len(names) // 200)


def weigh_steps(steps: Iterable[model.Step]) -> int:
    """Return the weight of *steps*; more steps than a block can contain are too large for any method."""
    all_steps = tuple(steps)
    return sum(map(_weigh_step, all_steps)) + (LARGEST if len(all_steps) > _MOST_STATEMENTS else 0)


def weigh_groovy(code: str) -> int:
    """Return the maximum weight of Groovy code."""
    lines = sum(1 for line in _QUOTED.sub("x", code).splitlines() if line.strip(" })]"))
    return _weigh_code(code) + _LINE * lines


def _weigh_code(code: str) -> int:
    """Return the maximum weight of Groovy code without that of its lines."""
    bare = _QUOTED.sub("x", code)
    signs = len(_SIGN.findall(bare)) + 2 * len(_OPENED.findall(bare))
    return len(_WORD.findall(bare)) + signs + _TWICE * bare.count("?:")


def _weigh_block(block: model.Block) -> int:
    around = _GROUP + _weigh_selected(block.selected) + _weigh_when(block.when) if block.name else 0
    return around + sum(map(_weigh_chain, block.chains))


def _weigh_chain(chain: model.Chain) -> int:
    around = _GROUP if chain.name else 0
    condition = _weigh_selected(chain.selected)
    return around + condition * (1 if chain.name else len(chain.stages)) + sum(map(_weigh_stage, chain.stages))


def _weigh_selected(selected: model.Selected) -> int:
    if selected.lines:
        return _weigh_when(selected.lines)
    return 17 + 5 * len(selected.pipelines) if selected.pipelines else 0


def _weigh_when(lines: Sequence[str]) -> int:
    """Return the weight of `when` with *lines*."""
    return _WHEN + sum(map(weigh_groovy, lines)) if lines else 0


def _weigh_stage(stage: model.StageBlock) -> int:
    steps = _STATEMENT if stage.steps_function else weigh_steps(stage.steps)
    failure = _STATEMENT if stage.failure_function else weigh_steps(stage.on_failure)
    failure += 2 * (_STATEMENT + _CLOSURE) if stage.on_failure or stage.unsuccessful else 0
    failure += weigh_steps(stage.unsuccessful)
    failure += _STATEMENT + _CLOSURE + weigh_steps(stage.failure) if stage.failure else 0
    always = _STATEMENT + _CLOSURE + weigh_steps(stage.always) if stage.always else 0
    post = _STATEMENT + _CLOSURE + failure + always if failure or always else 0
    success = _STATEMENT + 2 * _TEXT if stage.tells_success else 0
    return (
        LEAST_STAGE + _weigh_where(stage) + _weigh_when(stage.when) + steps + post + success + _weigh_directives(stage)
    )


def _weigh_directives(stage: model.StageBlock) -> int:
    """Return the weight of `input`, `options`, `environment` and `tools` of a declarative stage."""
    block = _STATEMENT + _CLOSURE
    options = block + sum(_STATEMENT + _MAP + _weigh_head(option.text) for option in stage.options)
    variables = block + sum(_ASSIGNMENT + weigh_value(variable.value) for variable in stage.environment)
    tools = block + (_STATEMENT + _CLOSURE + _TEXT) * len(stage.tools)
    approval = 4 * block + 2 * (_STATEMENT + _TEXT)
    return (
        (options if stage.options else 0)
        + (variables if stage.environment else 0)
        + (tools if stage.tools else 0)
        + (approval if stage.approval is not None else 0)
    )


def _weigh_where(stage: model.StageBlock) -> int:
    """Return the weight of the `agent` of a declarative stage."""
    agent, container = stage.agent, stage.container
    if stage.pod is not None:
        return weigh_pod(stage.pod)
    is_labelled = agent is not None and (agent.is_pinned or bool(agent.label))
    label = (_STATEMENT + (_PROPERTY + 3 if agent is not None and agent.is_pinned else _TEXT)) if is_labelled else 0
    if container is not None:
        statements = 2 + container.is_pulled + container.reuses_node + 2 * (container.registry is not None)
        return 2 * (_STATEMENT + _CLOSURE) + (_STATEMENT + _TEXT) * statements + label
    if agent is None:
        return 0
    return _STATEMENT + _CLOSURE + label if is_labelled else _STATEMENT + _TEXT


def weigh_pod(pod: model.PodAgent) -> int:
    """Return the weight of *pod* as an agent, or around steps."""
    return 2 * (_STATEMENT + _CLOSURE) + (_STATEMENT + _TEXT) * len(pod.options)


def _weigh_agent(agent: model.Agent) -> int:
    return _PROPERTY if agent.is_pinned else _TEXT


def _weigh_step(step: model.Step) -> int:  # noqa: C901, PLR0911 - one for each kind
    match step:
        case model.Checkout():
            return _STATEMENT - _CALL + _weigh_code(step.call)
        case model.NoFork():
            return _STATEMENT
        case model.PinAgent():
            return _STATEMENT - _CALL + 1 + 2 * _PROPERTY
        case model.Sh():
            # A text that is too long for one literal becomes a sum.
            pieces = 1 + sum(map(len, step.lines)) // 5_000
            stripped = 0 if step.is_indentable else _CALL
            return _STATEMENT + 2 * pieces - 1 + (_CALL + 1 if step.prelude else 0) + stripped
        case model.Stash():
            record = _STATEMENT + _TEXT if step.is_tested else 0
            return (
                record + _STATEMENT + _MAP + _NAMED * (2 + step.has_folders + step.may_be_empty + bool(step.excludes))
            )
        case model.Archive():
            around = _STATEMENT + _TEXT + _CLOSURE if step.folder else 0
            arguments = 4 + bool(step.excludes)
            return around + _STATEMENT + _MAP + arguments * _NAMED + (_STATEMENT if step.is_removed else 0)
        case _ if isinstance(step, Around):
            return _STATEMENT + _CLOSURE + _weigh_around(step) + weigh_steps(step.steps)
        case model.GroovyStatement():
            return _STATEMENT if re.fullmatch(r"\w+\(\)", step.text) else _STATEMENT + _MAP + _weigh_head(step.text)
        case model.StartJob():
            return _weigh_started(step)
        case model.Keep():
            return _STATEMENT + _TEXT * (1 + len(step.paths))
        case model.SendMail():
            texts = (step.to, step.subject, step.body)
            return _STATEMENT + _MAP + sum(_NAMED - _TEXT + weigh_value(text) for text in texts)
        case _:
            return _STATEMENT + _TEXT


def _weigh_around(step: Around) -> int:  # noqa: PLR0911 - one for each kind
    """Return the weight of a block's head, and of anything else around its steps."""
    match step:
        case model.WithCredentials():
            return 1 + sum(_CALL + _MAP + _NAMED * (1 + len(binding.variables)) for binding in step.bindings)
        case model.Wrapped():
            return _weigh_head(step.head) if "(" in step.head else 0
        case model.Ensured():
            # Additional blocks, and the rethrown error.
            return 2 * _CLOSURE + _STATEMENT + weigh_steps(step.on_failure) + weigh_steps(step.always)
        case model.OnAgent():
            return _weigh_agent(step.agent)
        case model.InPod():
            return _STATEMENT + _CLOSURE + _MAP + _NAMED * len(step.pod.options)
        case model.InImage():
            calls = 4 + (_STATEMENT + 4) * step.is_pulled
            network = _STATEMENT + _CLOSURE + _NETWORK if step.services else 0
            services = sum(
                _STATEMENT + _CLOSURE + _CALL + _NETWORK + weigh_value(service.image) for service in step.services
            )
            registry = _STATEMENT + _CLOSURE + _CALL + 2 * _TEXT if step.registry is not None else 0
            return registry + calls + _TEXT + weigh_value(step.image) * (1 + step.is_pulled) + network + services
        case model.WithAfter():
            return _STATEMENT + 2 * _CLOSURE + _MAP + 2 * _NAMED + _weigh_step(step.sh)


def _weigh_head(head: str) -> int:
    """Return the maximum weight of a block's head: each word or operator is a node with a text."""
    return _TEXT * (1 + len(re.findall(r"\w+|[(\[,:.+]", head)))


def _weigh_started(step: model.StartJob) -> int:
    own = _CALL + _MAP + _NAMED + _NAMED - _TEXT
    parameters = sum(own + weigh_value(value) for _, value in step.parameters)
    options = _NAMED * (1 + (not step.propagate) + (not step.wait))
    return _STATEMENT + _MAP + options + (_NAMED + parameters if step.parameters else 0)


def weigh_value(value: model.Value) -> int:  # noqa: PLR0911 - one for each kind
    """Return the weight of the expression of *value*."""
    match value:
        case model.Joined():
            return _weigh_joined(value)
        case model.OrElse():
            # Groovy's tree contains the operand twice: as the condition and as the result.
            return 3 + 2 * weigh_value(value.value)
        case model.OneLine():
            return _CALL + weigh_value(value.value)
        case model.FunctionCall():
            return _CALL + sum(map(weigh_value, value.arguments))
        case model.NoteText():
            return _PROPERTY
        case model.FileText():
            return _CALL + _MAP + 2 * _NAMED + (_PROPERTY + 1 if value.is_shared else 0)
        case model.GroovyCode():
            if not value.text.startswith('"'):
                return _weigh_code(value.text)
            return _weigh_interpolated(list(map(_weigh_code, _EXPRESSION.findall(value.text))))
        case _:
            return _TEXT


def _weigh_joined(value: model.Joined) -> int:
    if len(value.parts) == 1 or not is_interpolated(value):
        return sum(map(weigh_value, value.parts)) + len(value.parts) - 1
    return _weigh_interpolated([_weigh_inside(part) for part in value.parts if not isinstance(part, str)])


def _weigh_inside(value: model.Value) -> int:
    """Return the weight of *value* as an expression in a text; one that is a text with one expression is only that."""
    is_text = isinstance(value, model.GroovyCode) and value.text.startswith('"')
    return weigh_value(value) - (3 * _TEXT if is_text else 0)


def _weigh_interpolated(expressions: Sequence[int]) -> int:
    """Return the weight of a text with *expressions*: its node, those, and a text before, between and after them."""
    return _TEXT * (2 + len(expressions)) + sum(expressions)
