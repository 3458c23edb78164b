"""The keys of a stage in a config: what its work becomes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from pipegen.emit.yaml import Commented, Value
from pipegen.importing.jenkins.reading.assignments import AssignedValue
from pipegen.importing.jenkins.reading.checkout import checkout_variables
from pipegen.importing.jenkins.stages.kept import groovy_texts, kept_text, reads, steps_without_references, words
from pipegen.importing.jenkins.stages.known_steps import KNOWN_STEPS
from pipegen.importing.jenkins.stages.shell import as_script, with_outputs
from pipegen.importing.jenkins.stages.steps import notifies
from pipegen.importing.jenkins.stages.texts import JenkinsNames
from pipegen.importing.jenkins.stages.work import JenkinsAgent, StageWork

# The sign before what looks like a reference, and what the latter names.
_ESCAPED = re.compile(r"\$(?=\$\{([\w-]*)(?:\[[^]]*\])?\.)")
_NAMESPACES = frozenset({"", "setup", "inputs", "matrix", "pipeline"})
_RUNS_COMMANDS = re.compile(r"\b(?:sh|bat|powershell|pwsh)\b")


def keys_of(work: StageWork) -> dict[str, Value]:
    """Return the keys of a stage that does *work*."""
    keys: dict[str, Value] = dict(work.keys)
    if work.secrets:
        keys["secrets"] = dict(work.secrets)
    if any(command.is_bash for command in work.commands):
        keys["shell"] = "bash"
    commands, outputs = with_outputs(work.commands)
    if commands:
        keys["script"] = [*work.exports, *as_script(commands, is_followed=outputs is not None)]
    elif outputs or work.after or work.files or work.junit:
        keys["script"] = ["true"]
    if outputs:
        keys["outputs"] = outputs
    if work.after:
        keys["after"] = [*work.exports, *as_script(work.after)]
    if work.junit:
        paths = list(dict.fromkeys(work.junit))
        keys["reports"] = {"junit": paths if len(paths) > 1 else paths[0]}
    if work.has_steps:
        keys["steps"] = {"jenkins": _plugin_steps(work), "elsewhere": "skip"}
    return keys


def _plugin_steps(work: StageWork) -> Value:
    before, after, always, failure = (
        [kept_text(call, work.settings) for call in calls]
        for calls in (work.steps_before, work.steps_after, work.steps_always, work.steps_failure)
    )
    if not (work.blocks or always or failure) and not (before and (after or work.commands)):
        return [*before, *after]
    lists = {"around": work.blocks, "before": before, "after": after, "always": always, "failure": failure}
    return {name: list(steps) for name, steps in lists.items() if steps}


def settle_references(keys: dict[str, Value], names: Collection[str]) -> None:
    """Let nothing in the Groovy of *keys* be a reference, and in commands only what is one to a stage of *names*."""
    if "steps" in keys:
        keys["steps"] = steps_without_references(keys["steps"], names)
    known = {*names, *_NAMESPACES}
    for key in ("script", "after", "outputs"):
        if key in keys:
            keys[key] = _without_escapes(keys[key], known)


def _without_escapes(value: Value, known: Collection[str]) -> Value:
    """Return the commands *value* without the signs that escape references to other names than those *known*."""
    match value:
        case dict():
            return {key: _without_escapes(inner, known) for key, inner in value.items()}
        case list():
            return [_without_escapes(inner, known) for inner in value]
        case Commented(inner, above):
            return Commented(_without_escapes(inner, known), above)
        case str():
            return _ESCAPED.sub(lambda match: match[0] if match[1] in known else "", value)
    return value


def add_values(keys: dict[str, Value], values: Sequence[AssignedValue]) -> None:
    """Add those of the *values* of earlier stages that Groovy in *keys* reads as variables to *keys*."""
    texts = [groovy.text for groovy in groovy_texts(keys)]
    read = [value for value in values if any(reads(text, value.name) for text in texts)]
    _add_variables(keys, {value.name: f"${{{value.path}}}" for value in read})


def add_checkout_variables(keys: dict[str, Value], others: Collection[str], functions: Mapping[str, str]) -> None:
    """Add the variables of the checkout that the scripts and the Groovy in *keys* read to *keys*, except *others*.

    *functions* are the texts of those around the pipeline, which this Groovy may call.
    """
    scripts = [line for key in ("script", "after") for line in _lines(keys.get(key))]
    texts = [*scripts, *with_called([groovy.text for groovy in groovy_texts(keys)], functions)]
    names = [name for name in checkout_variables("\n".join(texts)) if name not in others]
    _add_variables(keys, {name: f"${{setup.{'commit' if name == 'GIT_COMMIT' else name}}}" for name in names})


def add_split_values(keys: dict[str, Value], names: JenkinsNames) -> None:
    """Add those values of *names* that the scripts in *keys* read as variables, which a shell splits, to *keys*."""
    scripts = "\n".join(line for key in ("script", "after") for line in _lines(keys.get(key)))
    read = {
        name: path for path, name in names.split_variables.items() if re.search(rf"\$\{{{name}(:-[^}}]*)?\}}", scripts)
    }
    _add_variables(keys, {name: f"${{{path}}}" for name, path in read.items()})


def runs_commands(keys: Mapping[str, Value], functions: Mapping[str, str]) -> bool:
    """Return whether Groovy in *keys*, or one of the *functions* that it calls, runs commands."""
    texts = [groovy.text for groovy in groovy_texts(keys)]
    return any(map(_RUNS_COMMANDS.search, with_called(texts, functions)))


def add_script(keys: dict[str, Value], work: StageWork, agent: JenkinsAgent, *, is_shared: bool) -> None:
    """Add a script to *keys* if steps of *work* need what only a stage with one takes: its image, or any agent.

    An agent with a label, one that *is_shared* by all stages, and steps with a block need none.
    """
    calls = (*work.steps_before, *work.steps_after, *work.steps_always, *work.steps_failure)
    others = [call for call in calls if not notifies(call)]
    if "image" not in keys:
        has_agent = "agent" in keys or agent.is_none or is_shared
        others = [] if has_agent else [call for call in others if call.block is None and call.name not in KNOWN_STEPS]
    if others and "script" not in keys and not work.has_machine:
        keys["script"] = ["true"]


def with_called(texts: Sequence[str], functions: Mapping[str, str]) -> list[str]:
    """Return the Groovy *texts*, and those of the *functions* that they call."""
    all_texts, uncalled = list(texts), dict(functions)
    for text in all_texts:
        all_texts += [uncalled.pop(name) for name in sorted(words(text) & uncalled.keys())]
    return all_texts


def _add_variables(keys: dict[str, Value], variables: Mapping[str, Value]) -> None:
    """Add *variables* to those in *keys*, which win."""
    env = keys.get("env")
    own = env if isinstance(env, dict) else {}
    if variables:
        keys["env"] = {**{name: text for name, text in variables.items() if name not in own}, **own}


def _lines(script: Value) -> list[str]:
    commands = script if isinstance(script, list) else []
    return [str(command.value if isinstance(command, Commented) else command) for command in commands]
