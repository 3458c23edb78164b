"""Steps as entries of a table: a kind, which is Groovy with holes, and the texts of the entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import indent
from typing import Any

from pipegen.emit.groovy import literal
from pipegen.structs import Struct, replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import checks, docker_arguments, literals
from pipegen.targets.jenkins.styles.shapes import Shape, coded, hole, holes, shaped, value_shape

_RUN = " {\n    runSteps(step.steps)\n}"
_ARGUMENTS = "arguments(step)"
_NETWORK = '"--network=${network} " + '


class TableEntry(Struct, kw_only=True):
    """A step or, with *is_value*, an argument of the step before it.

    *kind* is its name if that is not the first word of its Groovy; *steps* are its inner steps. An entry without Groovy
    is a part of a step.
    """

    shape: Shape
    kind: str = ""
    is_value: bool = False
    arguments: tuple[TableEntry, ...] = ()
    steps: tuple[TableEntry, ...] = ()


def entries(steps: tuple[model.Step, ...]) -> tuple[TableEntry, ...]:
    """Return the entries of *steps*."""
    return tuple(map(_entry, steps))


def condition_entry(condition: str) -> TableEntry:
    """Return the entry of a condition."""
    return TableEntry(shape=holes(condition), kind="condition", is_value=True)


def _entry(step: model.Step) -> TableEntry:
    lowered = _LOWERED.get(type(step))
    return TableEntry(shape=_plain(step)) if lowered is None else lowered(step)


def _plain(step: model.Step) -> Shape:  # noqa: C901, PLR0911, PLR0912 - one for each kind
    """Return the Groovy of a step without inner steps and with only texts as arguments."""
    match step:
        case model.Sh():  # the most frequent ones first
            return _script("sh ", step)
        case model.Unstash():
            return shaped("unstashIfThere " if step.is_optional else "unstash ", value_shape(step.name))
        case model.Stash():
            return _stash(step)
        case model.Checkout():
            return Shape(step.call)
        case model.NoFork():
            return Shape("noFork()")
        case model.PinAgent():
            return Shape("env.PIPEGEN_AGENT = env.NODE_NAME")
        case model.Echo():
            return Shape(coded("echo ", None), (step.text,))
        case model.Archive():
            return _archive(step)
        case model.Keep():
            return holes(f"keep({literals(step.paths)})")
        case model.SendMail():
            to, subject, body = map(value_shape, (step.to, step.subject, step.body))
            return shaped("mail to: ", to, ", subject: ", subject, ", body: ", body)
        case model.GroovyStatement():
            return holes(step.text)
        case model.InputStep():
            submitter = shaped(", submitter: ", hole(step.submitter)) if step.submitter else ""
            return shaped("input message: ", value_shape(step.message), submitter)
        case model.Succeeded():
            return shaped("succeeded(", value_shape(step.stage), ")")
        case _:
            raise TypeError(f"{step} holds other steps")


def _around(  # noqa: PLR0911 - one for each kind
    step: model.WithCredentials | model.OnAgent | model.InPod | model.Wrapped | model.WithAfter | model.InImage,
) -> TableEntry:
    inner = entries(step.steps)
    match step:
        case model.InImage(registry=model.Registry() as registry):
            login = Shape(
                coded("docker.withRegistry(", None, ", ", None, f"){_RUN}"), (registry.url, registry.credentials)
            )
            return TableEntry(shape=login, steps=(_around(replace(step, registry=None)),))
        case model.InImage():
            return TableEntry(shape=_image(step), steps=inner)
        case model.WithCredentials():
            arguments = tuple(_argument(_binding(bound)) for bound in step.bindings)
            return TableEntry(shape=Shape(f"withCredentials({_ARGUMENTS}){_RUN}"), arguments=arguments, steps=inner)
        case model.OnAgent(agent=model.Agent(is_pinned=True)):
            return TableEntry(shape=Shape(f"node(env.PIPEGEN_AGENT){_RUN}"), steps=inner)
        case model.OnAgent():
            return TableEntry(shape=Shape(coded("node(", None, f"){_RUN}"), (step.agent.label,)), steps=inner)
        case model.InPod():
            options = holes(", ".join(f"{name}: {literal(text)}" for name, text in step.pod.options))
            node = indent(f"node(POD_LABEL){_RUN}", "    ")
            return TableEntry(shape=shaped("podTemplate(", options, f") {{\n{node}\n}}"), steps=inner)
        case model.Wrapped():
            return TableEntry(shape=shaped(holes(step.head), _RUN), steps=inner)
        case model.WithAfter():
            tried = f"try{_RUN} finally {{\n    "
            return TableEntry(
                shape=shaped(tried, _script("sh returnStatus: true, script: ", step.sh), "\n}"), steps=inner
            )


def _script(prefix: str, sh: model.Sh) -> Shape:
    text = "\n".join(sh.lines)
    if sh.prelude:
        return Shape(coded(f"{prefix}{sh.prelude}() + ", None), (f"\n{text}",))
    return Shape(coded(prefix, None), (text,))


def _stash(step: model.Stash) -> Shape:
    excludes = shaped(", excludes: ", value_shape(step.excludes)) if step.excludes else ""
    flags = (", useDefaultExcludes: false" if step.has_folders else "") + (
        ", allowEmpty: true" if step.may_be_empty else ""
    )
    record = shaped("\nhasStashed ", value_shape(step.name)) if step.is_tested else ""
    name, includes = value_shape(step.name), value_shape(step.includes)
    return shaped("stash name: ", name, ", includes: ", includes, excludes, flags, record)


def _archive(step: model.Archive) -> Shape:
    flags = ", allowEmptyArchive: true" + (", defaultExcludes: false" if step.has_folders else "")
    archived = shaped("archiveArtifacts artifacts: ", value_shape(step.includes))
    if not step.folder:
        excludes = shaped(", excludes: ", value_shape(step.excludes)) if step.excludes else ""
        return shaped(archived, excludes, flags)
    removed = "\n    deleteDir()" if step.is_removed else ""
    return shaped("dir(", hole(step.folder), ") {\n    ", archived, f"{flags}, followSymlinks: false{removed}\n}}")


def _started(step: model.StartJob) -> TableEntry:
    call = "startJob job: " if step.is_checked else "build job: "
    parameters = f", parameters: {_ARGUMENTS}" if step.parameters else ""
    flags = ("" if step.propagate else ", propagate: false") + ("" if step.wait else ", wait: false")
    argument_shapes = (
        shaped("string(name: ", hole(name), ", value: ", value_shape(value), ")") for name, value in step.parameters
    )
    return TableEntry(
        shape=shaped(call, hole(step.job), parameters, flags), arguments=tuple(map(_argument, argument_shapes))
    )


def _image(step: model.InImage) -> Shape:
    image, args = value_shape(step.image), hole(docker_arguments(step.args))
    pull = [shaped("docker.image(", image, ").pull()\n")] if step.is_pulled else []
    if not step.services:
        return shaped(*pull, "docker.image(", image, ").inside(", args, ")", _RUN)
    pull[:0] = [shaped(value_shape(check), "\n") for check in checks(step)]
    block = shaped("docker.image(", image, f").inside({_NETWORK}", args, ")", _RUN)
    for service in reversed(step.services):
        block = _with_service(service, block)
    return shaped(*pull, "inNetwork { network ->\n", _indented(block), "\n}")


def _with_service(service: model.ServiceContainer, block: Shape) -> Shape:
    """Return *block* while *service* runs."""
    image, args, command = value_shape(service.image), hole(service.args), hole(service.command)
    head = shaped("docker.image(", image, f").withRun({_NETWORK}", args, ", ", command, ") {\n")
    return shaped(head, _indented(block), "\n}")


def _indented(shape: Shape) -> Shape:
    return Shape(indent(shape.code, "    "), shape.texts)


def _binding(bound: model.Binding) -> Shape:
    variables = [part for name, variable in bound.variables for part in (f", {name}: ", hole(variable))]
    return shaped(f"{bound.symbol}(credentialsId: ", value_shape(bound.credential), *variables, ")")


def _argument(shape: Shape) -> TableEntry:
    return TableEntry(shape=shape, is_value=True)


def _ensured(step: model.Ensured) -> TableEntry:
    """Return the entry of *step*; its steps, those after a failure and those that always run are its parts."""
    parts = [TableEntry(shape=Shape(""), kind="tried", steps=entries(step.steps))]
    code = f"try {{\n{_part(0)}\n"
    if step.on_failure:
        failure, part, first = step.on_failure, _part(len(parts)), step.on_failure[0]
        if isinstance(first, model.Wrapped) and first.head == model.NOT_STOPPED:
            # Only this function knows the error.
            failure, part = first.steps, indent(f"{first.head} {{\n{part}\n}}", "    ")
        code += f"}} catch (error) {{\n{part}\n    throw error\n"
        parts.append(TableEntry(shape=Shape(""), kind="onFailure", steps=entries(failure)))
    if step.always:
        code += f"}} finally {{\n{_part(len(parts))}\n"
        parts.append(TableEntry(shape=Shape(""), kind="always", steps=entries(step.always)))
    return TableEntry(shape=Shape(f"{code}}}"), kind="ensured", steps=tuple(parts))


def _part(number: int) -> str:
    return indent(f"runSteps(step.steps[{number}].steps)", "    ")


# The entries of steps with inner steps or arguments, by class: a test of each class in turn takes as long as the rest.
_LOWERED: Mapping[type[model.Step], Callable[[Any], TableEntry]] = {
    model.StartJob: _started,
    model.Ensured: _ensured,
    **dict.fromkeys(
        (model.WithCredentials, model.OnAgent, model.InPod, model.Wrapped, model.WithAfter, model.InImage), _around
    ),
}
