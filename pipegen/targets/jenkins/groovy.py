"""Texts and expressions of the model as Groovy: the filters of the templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from pipegen.emit.groovy import block, is_plain, literal, plain, stripped_block
from pipegen.readback.groovy import indented
from pipegen.targets.jenkins import model

# A list literal has at most 250 elements.
_LONGEST_LIST = 200
# A text that is only an expression.
_ALONE = re.compile(r'\A"\$\{([^"{}]+)\}"\Z')
# Code in brackets.
_ENCLOSED = re.compile(r"\A\(((?:[^()]|\([^()]*\))*)\)\Z")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\uffff]+")


def expression(value: model.Value) -> str:
    """Return the expression of *value*; several parts are one text in double quotes, if that needs no escapes."""
    match value:
        case model.Joined(parts=(part,)):
            return expression(part)
        case model.Joined() if interpolated := _interpolated(value.parts):
            return interpolated
        case model.OneLine():
            return f"oneLine({expression(value.value)})"
        case model.OrElse():
            return f"{summed(value.value)} ?: {literal(value.default)}"
        case model.GroovyCode():
            return _ENCLOSED.sub(r"\1", value.text)
    return summed(value)


def is_interpolated(value: model.Joined) -> bool:
    """Return whether the expression of *value* is one text in double quotes."""
    return bool(_interpolated(value.parts))


def _interpolated(parts: Sequence[model.Value]) -> str:
    """Return the text of *parts* in double quotes, with expressions in braces; "" if it would need other escapes.

    Jenkins makes a list of its expressions, so it cannot have too many, and warns of secrets in such a text:
    https://www.jenkins.io/redirect/groovy-string-interpolation
    """
    if sum(not isinstance(part, str) for part in parts) > _LONGEST_LIST or any(map(_may_be_secret, parts)):
        return ""
    text = ""
    for part in parts:
        if isinstance(part, str):
            if not is_plain(part):
                return ""
            text += plain(part)
            continue
        code = _ALONE.sub(r"\1", expression(part))
        if re.search(r'["\\\n]', code):
            return ""
        text += f"${{{code}}}"
    return f'"{text}"'


def _may_be_secret(value: model.Value) -> bool:
    match value:
        case model.GroovyCode():
            return value.may_be_secret
        case model.OrElse():
            return _may_be_secret(value.value)
        case model.Joined():
            return any(map(_may_be_secret, value.parts))
    return False


def summed(value: model.Value) -> str:  # noqa: PLR0911 - one for each kind
    """Return the expression of *value* with its constant texts in single quotes, joined by plus signs."""
    match value:
        case str():
            return literal(value)
        case model.GroovyCode():
            return value.text
        case model.FunctionCall():
            return f"{value.function}({', '.join(map(summed, value.arguments))})"
        case model.Item():
            return f"item{value.level}" if value.index is None else f"words{value.level}[{value.index}]"
        case model.OrElse():
            return f"({expression(value)})"
        case model.Joined():
            return " + ".join(map(summed, value.parts)) or literal("")
        case model.OneLine():
            return f"oneLine({summed(value.value)})"
        case model.NoteText():
            return f"kept[{literal(value.path)}]"
        case model.FileText():
            folder = "env.WORKSPACE_TMP + " if value.is_shared else ""
            return f"readFile(file: {folder}{literal(value.path)}, encoding: 'UTF-8')"


def literals(texts: Sequence[str]) -> str:
    """Return the list of *texts*."""
    return list_of([literal(text) for text in texts])


def list_of(items: Sequence[str]) -> str:
    """Return the list of *items*, expressions in Groovy; a very long one becomes a sum of lists."""
    pieces = [items[start : start + _LONGEST_LIST] for start in range(0, len(items), _LONGEST_LIST)] or [()]
    return " + ".join(f"[{', '.join(piece)}]" for piece in pieces)


def script(sh: model.Sh, margin: str) -> str:
    """Return the expression of a script whose step is indented by *margin*."""
    text = "\n".join(sh.lines)
    if len(sh.lines) == 1 and not sh.prelude and not set(text) & set("'\\\n"):
        return literal(text)
    prefix = f"{sh.prelude}() + " if sh.prelude else ""
    if sh.is_indentable:
        return prefix + block(text, margin)
    return prefix + stripped_block(f"\n{text}" if sh.prelude else text, margin)


def statement(text: str, margin: str) -> str:
    """Return the Groovy *text* with its lines after the first indented by *margin*; texts in it stay unchanged."""
    return indented(text, margin).removeprefix(margin)


def binding(credential: model.Binding) -> str:
    """Return a credential in the syntax of `withCredentials`."""
    variables = "".join(f", {name}: {literal(variable)}" for name, variable in credential.variables)
    return f"{credential.symbol}(credentialsId: {expression(credential.credential)}{variables})"


def pieces(loop: model.SplitLoop) -> str:
    """Return the list over which *loop* iterates."""
    source = expression(loop.source)
    return f"({source}).tokenize({literal(loop.delimiters)})" if loop.delimiters else f"[{source}]"


def agent(agent_: model.Agent) -> str:
    """Return the expression of an agent's label."""
    if not agent_.is_pinned:
        return agent_.expression or literal(agent_.label)
    return f"env.PIPEGEN_AGENT ?: {literal(agent_.label)}" if agent_.may_be_unset else "env.PIPEGEN_AGENT"


def label(agent_: model.Agent) -> str:
    """Return the label in the syntax of `agent {}`: a variable is in a string."""
    return '"${env.PIPEGEN_AGENT}"' if agent_.is_pinned else literal(agent_.label)


def node(agent_: model.Agent) -> str:
    """Return the step that takes an agent, up to its braces: Declarative requires the label, even an empty one."""
    return f"node({agent(agent_)})"


def selected(condition: model.Selected) -> str:
    """Return the expression of a condition on the selected pipelines."""
    if condition.is_alone:
        return "conditionHolds()"
    return " || ".join(f"isSelected({literal(pipeline)})" for pipeline in condition.pipelines)


def calls(chunks: Iterable[model.Chunk]) -> list[tuple[model.Selected, str]]:
    """Return the calls of the functions of *chunks*, together for neighbours with the same condition."""
    groups = groupby((chunk for chunk in chunks if chunk.function), key=lambda chunk: chunk.selected)
    return [(condition, "\n".join(f"{chunk.function}()" for chunk in group)) for condition, group in groups]


def tool_list(tools: Sequence[model.Tool]) -> str:
    """Return the list of *tools*: type, name and variable of each."""
    return f"[{', '.join(literals((tool.type, tool.name, tool.home)) for tool in tools)}]"


def comment(text: str) -> str:
    """Return *text* for use after `//`: on one line, and without unicode escapes, which Groovy would interpret."""
    return _CONTROL.sub(" ", text).replace("\\", "\\\\")


def docker_arguments(args: str) -> str:
    """Return the arguments of the container engine for a stage, with the *args* of its image.

    The agent's user, which may not exist in the image, needs a home.
    """
    return f"-e HOME=/tmp {args}".strip()


def checks(step: model.InImage) -> tuple[model.FunctionCall, ...]:
    """Return the calls that check the names of images of *step*, each once, to make before anything starts."""
    names = (step.image, *(service.image for service in step.services))
    return tuple(dict.fromkeys(call for name in names for call in _calls(name) if call.function == "checkedParameter"))


def _calls(value: model.Value) -> Iterator[model.FunctionCall]:
    match value:
        case model.FunctionCall():
            yield value
        case model.Joined():
            for part in value.parts:
                yield from _calls(part)
        case model.OrElse() | model.OneLine():
            yield from _calls(value.value)


def in_network(args: str) -> str:
    """Return the expression of the arguments *args* of a container in the network of a stage."""
    if re.search(r'[\\"$]', args) or _CONTROL.search(args):
        return f'"--network=${{network}} " + {literal(args)}'
    return f'"--network=${{network}} {args}"'


FILTERS: Mapping[str, Callable[..., object]] = {
    "groovy": literal,
    "groovy_list": literals,
    "expression": expression,
    "binding": binding,
    "docker_arguments": docker_arguments,
    "checks": checks,
    "in_network": in_network,
    "pieces": pieces,
    "agent": agent,
    "label": label,
    "node": node,
    "selected": selected,
    "calls": calls,
    "tool_list": tool_list,
    "comment": comment,
}
