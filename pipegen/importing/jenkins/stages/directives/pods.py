"""Pods of a Jenkinsfile: agents of the plugin Kubernetes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from textwrap import dedent

from pipegen.config.files.load import load
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.reading.syntax import GroovyCall, constant
from pipegen.importing.jenkins.stages.texts import JenkinsNames
from pipegen.importing.jenkins.stages.work import JenkinsPod
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.source.text import SourceFile

# The plugin adds this container, in which the agent runs.
_AGENT_CONTAINER = "jnlp"
HINT = 'write the pod: "agent: {kubernetes: {yaml: …, container: …}}"'
# Options that describe the pod, and those without an effect on it: its name, and what the log shows.
_MANIFEST, _TEMPLATE = ("yaml", "yamlFile"), "containerTemplate"
_LOCATION = ("cloud", "namespace")
_NEEDLESS = ("label", "showRawYaml")
# Commands with which a container only waits, `cat` if it has a terminal.
_WAITS = re.compile(r"sleep \S+")


def pod_of(options: Mapping[str, GroovyCall], names: JenkinsNames) -> JenkinsPod:
    """Return the pod with *options*; raise `UntranslatableError` if the file does not describe it."""
    location: dict[str, Value] = {name: _text(options[name], names) for name in _LOCATION if name in options}
    container = _text(options["defaultContainer"], names) if "defaultContainer" in options else ""
    if any(name in options for name in _MANIFEST):
        return JenkinsPod(keys={**location, "yaml": _manifest(options, names)}, container=_other(container))
    if _TEMPLATE in options:
        template = _template(options[_TEMPLATE], names)
        return JenkinsPod(keys={**location, "containers": [template]}, container=str(template["name"]))
    raise UntranslatableError("the pod is described in Jenkins, and not in the file")


def read_options(options: Mapping[str, GroovyCall]) -> Iterator[str]:
    """Yield the names of those of *options* that `pod_of` reads, and of those that have no effect."""
    yield from (*_MANIFEST, _TEMPLATE, *_LOCATION, *_NEEDLESS, "defaultContainer")
    inherited = options.get("inheritFrom")
    if inherited is None or (inherited.arguments and constant(inherited.arguments[0].value) == ""):
        yield from ("inheritFrom", "yamlMergeStrategy", "inheritYamlMergeStrategy")


def _other(container: str) -> str:
    """Return *container*, "" for that of the agent, in which the plugin runs steps without entering it."""
    return "" if container == _AGENT_CONTAINER else container


def _text(option: GroovyCall, names: JenkinsNames) -> str:
    try:
        return names.plain_word(option.arguments[0].value if option.arguments else None)
    except UntranslatableError as error:
        raise UntranslatableError(f'its "{option.name}" is known only at run time') from error


def _manifest(options: Mapping[str, GroovyCall], names: JenkinsNames) -> str:
    """Return the manifest in *options*, without the indentation of the file."""
    if "yaml" in options:
        text = _text(options["yaml"], names)
    else:
        text = _file_text(_text(options["yamlFile"], names), options["yamlFile"].span.file)
    manifest = dedent(text).strip("\n").rstrip()
    if not manifest:
        raise UntranslatableError("its manifest is empty")
    return f"{manifest}\n" if "\n" in manifest else manifest


def _file_text(name: str, jenkinsfile: SourceFile) -> str:
    """Return the text of the file *name* in the repository of *jenkinsfile*."""
    path = jenkinsfile.absolute_path
    if path is None:
        raise UntranslatableError(f'its manifest is in the file "{name}"')
    root = path.parents[jenkinsfile.folder.count("/") + 1 if jenkinsfile.folder else 0]
    if not (root / name).is_file():
        raise UntranslatableError(f'the file "{name}" with its manifest does not exist')
    report = Report()
    file = load(root / name, report, shown=name, within=root)
    if report.has_errors():
        raise UntranslatableError(f'the file "{name}" with its manifest cannot be read')
    return file.text


def _template(call: GroovyCall, names: JenkinsNames) -> dict[str, Value]:
    """Return the container of `containerTemplate`, which has a name and an image, and only waits."""
    block = call.block.statements if call.block is not None else ()
    options = {option.name: option for option in block if isinstance(option, GroovyCall)}
    texts = {name: _text(option, names) for name, option in options.items() if option.arguments}
    command = " ".join(filter(None, (texts.get("command"), texts.get("args"))))
    is_waiting = command == "cat" and texts.get("ttyEnabled") == "true"
    others = options.keys() - {"name", "image", "command", "args", "ttyEnabled"}
    if not texts.get("name") or not texts.get("image") or len(block) > len(options) or others:
        raise UntranslatableError("its container has other options than a name, an image and a command")
    if not is_waiting and not _WAITS.fullmatch(command):
        raise UntranslatableError("its container does not only wait for commands")
    return {"name": texts["name"], "image": texts["image"]}
