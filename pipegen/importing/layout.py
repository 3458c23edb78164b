"""A config as text, as a person would write it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.config.keys import STAGE_KEYS
from pipegen.emit import yaml
from pipegen.emit.yaml import Commented, Data, Flow, Value

_WIDTH = 100
# How deep the keys of a stage are.
_DEPTH_OF_KEYS = 4
# The order of the keys of a stage; those that imports do not write come last.
_FIRST = (
    *(
        "name",
        "description",
        "extends",
        "when",
        "matrix",
        "agent",
        "resources",
        "runner_variables",
        "image",
        "services",
        "fetch",
        "tools",
        "env",
        "cases",
        "secrets",
        "shell",
    ),
    *(
        "before",
        "script",
        "after",
        "outputs",
        "artifacts",
        "files_from",
        "reports",
        "cache",
        "environment",
        "approve",
        "lock",
    ),
    *("allow_failure", "retry", "timeout", "interruptible", "trigger", "pipeline", "steps", "raw"),
)
_ORDER = (*_FIRST, *(key.name for key in STAGE_KEYS if key.name not in _FIRST))
_COMMANDS = ("before", "script", "after")
# Keys whose value is a block if it has more than one entry, as their texts are commands or long lists.
_BLOCKS = frozenset({*_COMMANDS, "env", "stages", "inputs", "templates", "pipelines", "targets", "defaults"})


def ordered(stage: Mapping[str, Value]) -> dict[str, Value]:
    """Return the keys of *stage* in the usual order."""
    return {key: stage[key] for key in sorted(stage, key=_ORDER.index)}


def block_style(document: Mapping[str, Value]) -> str:
    """Return the config *document* as text that is quick to read: the fast parser refuses some colons in braces."""
    return yaml.write(document)


def written(document: Mapping[str, Value], header: Sequence[str] = ()) -> str:
    """Return the config *document* as text below the comment *header*.

    Short maps and lists are on one line, and blank lines between stages.
    """
    text = yaml.write({key: _laid_out(key, value, 0) for key, value in document.items()}, header, spaced=True)
    return _spaced(text)


def line_count(key: str, value: Value) -> int:
    """Return the number of lines of *key* with *value* in a stage."""
    return yaml.write({key: _laid_out(key, value, _DEPTH_OF_KEYS)}).count("\n")


def _laid_out(key: str, value: Value, depth: int) -> Value:
    match value:
        case Commented():
            return Commented(_laid_out(key, value.value, depth), value.above, value.beside)
        case dict() | list() if _is_short(key, value, depth):
            return Flow(value)
        case dict():
            return {name: _laid_out(name, inner, depth + 1) for name, inner in value.items()}
        case list():
            return [_laid_out("", item, depth + 1) for item in value]
    return value


def _is_short(key: str, value: Mapping[str, Value] | Sequence[Value], depth: int) -> bool:
    """Return whether *value* fits on one line and reads well there."""
    if not value or _least_width(value) > _WIDTH:
        return not value
    if key == "execution":
        return False
    if key in _COMMANDS and (len(value) > 1 or "{" in str(value)):
        return False
    if key in _BLOCKS and key not in _COMMANDS and len(value) > 1:
        return False
    if depth < 2 or (isinstance(value, dict) and "name" in value and "script" in value):  # noqa: PLR2004 - pipelines
        return False
    line = yaml.write([Flow(value)])  # type: ignore[arg-type]
    return len(line) + 2 * depth + len(key) <= _WIDTH and "\\n" not in line and _depth(value) <= 3  # noqa: PLR2004


def _least_width(value: Value) -> int:
    """Return a lower bound of the characters of *value* on one line; more than any line has if it cannot be on one."""
    width, pending = 0, [value]
    while pending and width <= _WIDTH:
        part = pending.pop()
        match part:
            case dict():
                width += sum(map(len, part))
                pending += part.values()
            case list():
                pending += part
            case str():
                width += len(part) if "\n" not in part else _WIDTH + 1
            case Commented():
                width += _WIDTH + 1
    return width


def _depth(value: Data | Value) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


def _spaced(text: str) -> str:
    """Return *text* with a blank line before each stage with several keys, and before each template."""
    lines = text.split("\n")
    result: list[str] = []
    is_within = False  # whether the line is in the list of stages
    for at, line in enumerate(lines):
        is_within = line == "    stages:" or (is_within and line[:5].strip() == "")
        is_stage = is_within and line.startswith(("      - name:", "      #"))
        follows = result and result[-1].startswith(("        ", "      - name:"))
        is_first = not result or result[-1].rstrip() == "    stages:" or result[-1].startswith("      #")
        if is_stage and follows and not is_first and at:
            result.append("")
        result.append(line)
    return "\n".join(result)
