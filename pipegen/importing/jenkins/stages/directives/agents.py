"""Agents of a Jenkinsfile: labels and containers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.syntax import GroovyCall, constant
from pipegen.importing.jenkins.reading.syntax import Value as GroovyValue
from pipegen.importing.jenkins.stages.directives import pods
from pipegen.importing.jenkins.stages.texts import JenkinsNames
from pipegen.importing.jenkins.stages.work import JenkinsAgent
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.plan.stage.machine.labels import label_operands

_IMAGE_OPTIONS = {"docker": ("image", "alwaysPull"), "dockerfile": ("filename", "dir", "additionalBuildArgs")}
_BUILD_VALUE = re.compile(r"""--build-arg[ =]([A-Za-z_]\w*)=(?:"([^"$`\\]*)"|'([^']*)'|([\w./:@+-]+))(?=\s|$)""")
_REGISTRY = ("registryUrl", "registryCredentialsId")
_REGISTRY_URL = re.compile(r"https?://([\w.-]+(?::[0-9]+)?)(?:/.*)?")
# The registry of names without one, and the start of names with another.
_DOCKER_HUB = "index.docker.io"
_HAS_REGISTRY = re.compile(r"(?:[^/]*[.:][^/]*|localhost)/")
# A label that may contain values of a matrix.
_LABEL_OF_MATRIX = re.compile(r"(?:[\w.-]|\$\{matrix\.\w+\})+")
_HINT = 'name labels in "agent", or a container in "image"'
_HINTS = {"kubernetes": pods.HINT}
_OPTION_HINT = "set it on the agents with this label"
_POD_HINT = "write it in the manifest of the pod, or set it in the cloud of Jenkins"
_USER = re.compile(r"(?:^|\s)(?:-u|--user)[ =]?([A-Za-z0-9_][\w.-]*(?::[\w.-]+)?)(?=\s|$)")
_ENTRYPOINT = re.compile(r"(?:^|\s)--entrypoint=(?:''|\"\"|([A-Za-z0-9_/][\w./-]*))?(?=\s|$)")


def agent_of(call: GroovyCall, names: JenkinsNames, marks: Marks) -> JenkinsAgent:
    """Return the agent of the directive *call*; features without an equivalent are reported."""
    if call.block is None:
        word = getattr(call.arguments[0].value, "text", "") if call.arguments else ""
        if word in ("any", "none"):
            marks.all(call)
        else:
            marks.left_out(call, "its value has no braces", hint=_HINT)
        return JenkinsAgent(is_none=word == "none")
    marks.translated(call)
    kinds = [statement for statement in call.block.statements if isinstance(statement, GroovyCall)]
    result = JenkinsAgent()
    for kind in kinds:
        try:
            result = _kind(kind, names, marks)
        except UntranslatableError as error:
            marks.left_out(kind, str(error), hint=_HINTS.get(kind.name, _HINT))
            result = _without_container(kind, names, marks)
    return result


def _without_container(call: GroovyCall, names: JenkinsNames, marks: Marks) -> JenkinsAgent:
    """Return the agent of *call*, whose container has no equivalent. The label of a pod is only its name."""
    for option in call.block.statements if call.block is not None else ():
        if isinstance(option, GroovyCall) and option.name == "label" and call.name in _IMAGE_OPTIONS:
            with suppress(UntranslatableError):
                labels = labels_of(_value(option), names)
                marks.all(option)
                return JenkinsAgent(labels=labels)
    return JenkinsAgent()


def _kind(call: GroovyCall, names: JenkinsNames, marks: Marks) -> JenkinsAgent:
    options = (
        {option.name: option for option in call.block.statements if isinstance(option, GroovyCall)}
        if call.block
        else {}
    )
    match call.name:
        case "label" if call.block is None:
            labels = labels_of(_value(call), names)
            marks.all(call)
            return JenkinsAgent(labels=labels)
        case "label" | "node" if "label" in options:
            agent = JenkinsAgent(labels=labels_of(_value(options["label"]), names))
            marks.translated(call)
            _read(options, ("label",), marks)
            return agent
        case "docker" | "dockerfile":
            image = _dockerfile(options) if call.name == "dockerfile" else _named(call, options, names)
            run = run_options(_value(options["args"]) if "args" in options else None, names)
            registry = in_registry(image, *(_value(options[name]) if name in options else None for name in _REGISTRY))
            marks.translated(call)
            read = [*_IMAGE_OPTIONS[call.name], *(("args",) if run is not None else ())]
            _read(options, ("label", "reuseNode", *read, *(_REGISTRY if registry is not None else ())), marks)
            if call.name == "docker" and "alwaysPull" in options and constant(_value(options["alwaysPull"])) == "true":
                image["pull"] = "always"
            return JenkinsAgent(
                labels=labels_of(_value(options["label"]), names) if "label" in options else (),
                image=as_image({**image, **(registry or {}), **(run or {})}),
                is_on_same_node="reuseNode" in options,
            )
        case "kubernetes":
            pod = pods.pod_of(options, names)
            marks.translated(call)
            _read(options, tuple(pods.read_options(options)), marks, _POD_HINT)
            return JenkinsAgent(pod=pod)
    raise UntranslatableError(f'a config has no agent of the kind "{call.name}"')


def as_image(keys: dict[str, Value]) -> Value:
    """Return the value of `image` with these *keys*."""
    return keys["name"] if keys.keys() == {"name"} else keys


def _value(call: GroovyCall) -> GroovyValue | None:
    return call.arguments[0].value if call.arguments else None


def _named(call: GroovyCall, options: Mapping[str, GroovyCall], names: JenkinsNames) -> dict[str, Value]:
    return {"name": names.word(_value(options.get("image", call)))}


def in_registry(
    image: Mapping[str, Value], address: GroovyValue | None, credentials: GroovyValue | None
) -> dict[str, Value] | None:
    """Return the keys of *image* in the registry at *address*, and for the login there; None if a config has none.

    `DockerRegistryEndpoint.imageName` of the plugin docker-commons puts the host before names without it.
    """
    url, login = (constant(value) if value is not None else "" for value in (address, credentials))
    name = image.get("name")
    match = _REGISTRY_URL.fullmatch(url or "")
    if url is None or login is None or not isinstance(name, str) or not re.match(r"\w", name) or (url and not match):
        return None
    host = match[1] if match is not None else _DOCKER_HUB
    if host == _DOCKER_HUB:
        full_name, is_known = name, not _HAS_REGISTRY.match(name)
    else:
        full_name, is_known = name if name.startswith(host) else f"{host}/{name}", bool(_HAS_REGISTRY.match(f"{host}/"))
    return {"name": full_name, **({"credentials": login} if login else {})} if is_known else None


def _dockerfile(options: Mapping[str, GroovyCall]) -> dict[str, Value]:
    """Return the image that Jenkins builds: the file and the context are in the folder `dir`."""
    texts = {
        name: constant(_value(options[name])) for name in ("filename", "dir", "additionalBuildArgs") if name in options
    }
    if None in texts.values():
        raise UntranslatableError("its Dockerfile is known only at run time")
    folder = (texts.get("dir") or ".").strip("/").removeprefix("./")
    file = texts.get("filename") or "Dockerfile"
    image: dict[str, Value] = {"dockerfile": file if folder == "." else f"{folder}/{file}"}
    if folder != ".":
        image["context"] = folder
    if values := _BUILD_VALUE.findall(texts.get("additionalBuildArgs") or ""):
        image["build_args"] = {name: "".join(quoted) for name, *quoted in values}
    if _BUILD_VALUE.sub("", texts.get("additionalBuildArgs") or "").strip():
        raise UntranslatableError("a build has other options than values of arguments")
    return image


def run_options(args: GroovyValue | None, names: JenkinsNames) -> dict[str, Value] | None:
    """Return the user, the entrypoint and the other options in *args*; None if they are known only at run time."""
    try:
        text = names.word(args) if args is not None else ""
    except UntranslatableError:
        return None
    entrypoint = _ENTRYPOINT.search(text)
    text = _ENTRYPOINT.sub(" ", text, count=1)
    if re.search(r"\$(?![A-Za-z_])|['\"\\\n]", text):
        return None
    result: dict[str, Value] = {}
    if entrypoint is not None:
        result["entrypoint"] = [entrypoint[1]] if entrypoint[1] else []
    if user := _USER.search(text):
        result["user"] = user[1]
    # A stage in a container has this folder in any case.
    if others := _USER.sub(" ", text.removeprefix("-e HOME=/tmp")).split():
        result["args"] = list(others)
    return result


def _read(options: Mapping[str, GroovyCall], names: tuple[str, ...], marks: Marks, hint: str = _OPTION_HINT) -> None:
    for name, option in options.items():
        if name in names:
            marks.all(option)
        else:
            marks.left_out(option, "a config does not know it", hint=hint)


def labels_of(value: GroovyValue | None, names: JenkinsNames) -> tuple[str, ...]:
    """Return the labels in the expression *value*; raise `UntranslatableError` for another text."""
    text = constant(value)
    if text is None:
        text = names.plain_word(value)
        operands = tuple(part.strip() for part in text.split("&&"))
        if all(map(_LABEL_OF_MATRIX.fullmatch, operands)):
            return operands
    labels = label_operands(text) if text else ()
    if labels is None:
        raise UntranslatableError("its label is not an expression of Jenkins")
    return labels
