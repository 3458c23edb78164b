"""Agents of a Jenkinsfile: labels and containers."""

from __future__ import annotations

import re

from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.syntax import GroovyCall, constant
from pipegen.importing.jenkins.texts import JenkinsNames
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import Struct

_LABELS = re.compile(r"\s*&&\s*")


class JenkinsAgent(Struct, kw_only=True):
    """An agent: its *labels* and its *image*; a stage that needs none has *is_none*.

    *is_own* is whether the agent is not that of the pipeline.
    """

    labels: tuple[str, ...] = ()
    image: str = ""
    is_none: bool = False
    is_on_same_node: bool = False
    is_own: bool = False

    def keys(self) -> dict[str, Value]:
        """Return the keys of a stage on this agent."""
        keys: dict[str, Value] = {}
        if self.labels:
            keys["agent"] = list(self.labels) if len(self.labels) > 1 else self.labels[0]
        if self.image:
            keys["image"] = self.image
        return keys


def agent_of(call: GroovyCall, names: JenkinsNames, marks: Marks) -> JenkinsAgent:
    """Return the agent of the directive *call*; features without an equivalent are reported."""
    if call.block is None:
        marks.all(call)
        word = getattr(call.arguments[0].value, "text", "") if call.arguments else ""
        return JenkinsAgent(is_none=word == "none")
    marks.translated(call)
    kinds = [one for one in call.block.statements if isinstance(one, GroovyCall)]
    result = JenkinsAgent()
    for kind in kinds:
        try:
            result = _kind(kind, names, marks)
        except UntranslatableError as error:
            marks.left_out(kind, str(error), hint='name labels in "agent", or a container in "image"')
    return result


def _kind(call: GroovyCall, names: JenkinsNames, marks: Marks) -> JenkinsAgent:
    options = {one.name: one for one in call.block.statements if isinstance(one, GroovyCall)} if call.block else {}
    match call.name:
        case "label":
            labels = _labels(call, names)
            marks.all(call)
            return JenkinsAgent(labels=labels)
        case "node" if "label" in options:
            agent = JenkinsAgent(labels=_labels(options["label"], names))
            marks.translated(call)
            _read(options, ("label",), marks)
            return agent
        case "docker":
            image = options.get("image", call)
            name = names.word(image.arguments[0].value if image.arguments else None)
            agent = JenkinsAgent(
                labels=_labels(options["label"], names) if "label" in options else (),
                image=name,
                is_on_same_node="reuseNode" in options,
            )
            marks.translated(call)
            _read(options, ("label", "image", "reuseNode"), marks)
            return agent
    raise UntranslatableError(f'a config has no agent of the kind "{call.name}"')


def _read(options: dict[str, GroovyCall], names: tuple[str, ...], marks: Marks) -> None:
    for name, option in options.items():
        if name in names:
            marks.all(option)
        else:
            marks.left_out(option, "a config does not know it", hint="set it on the agents with this label")


def _labels(call: GroovyCall, names: JenkinsNames) -> tuple[str, ...]:
    value = call.arguments[0].value if call.arguments else None
    text = constant(value)
    if text is None:
        text = names.word(value)
        if "${" in text:
            raise UntranslatableError("its label is known only at run time")
    if re.search(r"[|!()<>]", text):
        raise UntranslatableError("a config has labels that an agent must have, but no expressions")
    return tuple(one for one in _LABELS.split(text) if one)
