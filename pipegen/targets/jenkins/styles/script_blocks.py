"""Blocks `script`: Declarative needs them around Groovy that is not a step, and no other place does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from pipegen.readback.errors import UnreadableError
from pipegen.readback.groovy import GroovyTokens, TokenKind, lines_in_strings
from pipegen.structs import replace
from pipegen.targets.jenkins import model

# Steps that Declarative rejects in `steps` (BlockedStepsAndMethodCalls of pipeline-model-definition), and those for
# which it requires a parameter that Jenkins does not: `node`, `lock(label: …)`.
_SCRIPT_STEPS = frozenset({"if", "lock", "node", "parallel", "properties", "stage"})
_GENERATED_LOCK = "lock(resource: "
# Steps whose only required parameter is an object: Declarative requires all of its parts, and then no other parameter.
_PARTS = {"withDockerRegistry": ("url", "credentialsId"), "withDockerServer": ("uri", "credentialsId")}
_TEXT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
# Words that leave a block before its end, and a definition, which other statements beside it may repeat.
_LEAVING = re.compile(r"\b(?:return|break|continue)\b")
_DEFINITION = re.compile(
    r"(?:^|[;{])\s*(?:(?:def|final|boolean|byte|char|short|int|long|float|double)\b"
    r"|[A-Z][\w.<>, \[\]]*?\s+\w+\s*(?:[=,;]|$))",
    re.MULTILINE,
)
# Words before a statement that need not be in a block.
_BEFORE_STATEMENT = frozenset({"if", "for", "while"})


def in_script(steps: Sequence[model.Step]) -> tuple[model.Step, ...]:
    """Return *steps* for Declarative: constructs that are not steps are in `script`."""
    return tuple(_in_script(step) for step in steps)


def _in_script(step: model.Step) -> model.Step:
    match step:
        case model.Ensured() | model.InImage() | model.WithAfter() | model.PinAgent():
            return model.Wrapped("script", without_script((step,)))
        case model.Wrapped(head="script"):
            return step
        case model.GroovyStatement() if _is_groovy(step.text):
            return model.Wrapped("script", without_script((step,)))
        case model.Wrapped() if _needs_script(step.head):
            return model.Wrapped("script", without_script((step,)))
        case model.Wrapped() | model.WithCredentials() | model.OnAgent() | model.InPod():
            return replace(step, steps=in_script(step.steps))
    return step


def _is_groovy(text: str) -> bool:
    """Return whether the step *text* must be in `script`, since it may have Groovy in its block."""
    name = model.step_name(text)
    return "." in name or name in _SCRIPT_STEPS or (text.endswith("}") and name != "script")


def _needs_script(head: str) -> bool:
    """Return whether a block step must be in `script`: Declarative rejects it, or its arguments."""
    name = model.step_name(head)
    if "." in name or name in _PARTS:
        return "." in name or not _has_all_parts(head, _PARTS[name])
    return name in _SCRIPT_STEPS and not head.startswith(_GENERATED_LOCK)


def _has_all_parts(head: str, parts: Sequence[str]) -> bool:
    keys = set(re.findall(r"\b(\w+)\s*:", _TEXT.sub("", head)))
    return keys.issuperset(parts) and ("toolName" not in keys or "registry" in keys)


def without_script(steps: Sequence[model.Step]) -> tuple[model.Step, ...]:
    """Return *steps* for a function or a block, which is Groovy: the contents of `script` are outside it."""
    is_only = len(steps) == 1
    return tuple(chain.from_iterable(_outside(step, is_only=is_only) for step in steps))


def _outside(step: model.Step, *, is_only: bool) -> tuple[model.Step, ...]:
    match step:
        case model.Wrapped(head="script"):
            return without_script(step.steps)
        case model.GroovyStatement():
            return (replace(step, text=_without_blocks(step.text, is_only=is_only)),)
        case model.Ensured():
            parts = {name: without_script(getattr(step, name)) for name in ("steps", "on_failure", "always")}
            return (replace(step, **parts),)
        case (
            model.Wrapped()
            | model.WithCredentials()
            | model.OnAgent()
            | model.InPod()
            | model.WithAfter()
            | model.InImage()
        ):
            return (replace(step, steps=without_script(step.steps)),)
    return (step,)


def _without_blocks(text: str, *, is_only: bool) -> str:
    """Return the Groovy *text* without blocks `script` in it, except those that limit what is in them.

    It *is_only* if no other statement is beside it.
    """
    if "script" not in text:
        return text
    try:
        code = GroovyTokens(text)
    except UnreadableError:  # text that is reported elsewhere
        return text
    parts: list[str] = []
    index = written = 0
    while index < code.size:
        if code.is_word(index, "script") and code.is_sign(index + 1, "{"):
            end = code.skip(index + 1)
            is_whole = index == 0 and end == code.size
            is_alone = is_only if is_whole else code.is_sign(index - 1, "{") and code.is_sign(end, "}")
            start, stop = code.tokens[index].start, code.tokens[end - 1].end
            inner = text[code.tokens[index + 1].end : stop - 1]
            has_own_lines = _has_own_lines(text, start, stop) and _begins_statement(code, index)
            if has_own_lines and not _limits(inner, is_alone=is_alone):
                margin = start - text.rfind("\n", 0, start) - 1
                parts += [text[written:start], _with_margin(_without_blocks(inner, is_only=is_alone), margin)]
                index, written = end, stop
                continue
        index += 1
    return "".join((*parts, text[written:]))


def _has_own_lines(text: str, start: int, stop: int) -> bool:
    """Return whether nothing else is in the lines from *start* to *stop*."""
    before, after = text[:start].rpartition("\n")[2], text[stop:].partition("\n")[0]
    return not (before.strip() or after.strip())


def _begins_statement(code: GroovyTokens, index: int) -> bool:
    """Return whether a statement begins at *index* that is not the only one of an `if` or a loop."""
    if index == 0 or code.tokens[index - 1].kind is not TokenKind.SIGN:
        return not code.is_word(index - 1, "else")
    if code.is_sign(index - 1, ")"):
        return code.word(code.start_of(index - 1) - 1) not in _BEFORE_STATEMENT
    return code.tokens[index - 1].text in "{};>"


def _limits(inner: str, *, is_alone: bool) -> bool:
    """Return whether the block around *inner* ends what leaves it, or the names in it."""
    return _LEAVING.search(inner) is not None or (not is_alone and _DEFINITION.search(inner) is not None)


def _with_margin(inner: str, margin: int) -> str:
    """Return the lines of *inner*, the text between two braces, with this *margin* after the first."""
    inside = lines_in_strings(inner)
    lines = inner.strip().split("\n")
    skipped = inner[: len(inner) - len(inner.lstrip())].count("\n")
    own = [
        len(line) - len(line.lstrip())
        for number, line in enumerate(inner.split("\n"))
        if number and line.strip() and number not in inside
    ]
    width = min(own, default=0)
    return "\n".join(
        line if not number or number + skipped in inside else " " * margin + line[width:] if line.strip() else ""
        for number, line in enumerate(lines)
    )
