"""Images, services and resources of jobs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from pipegen.bindings.expression import Scope, Text
from pipegen.diagnostics.codes import DOCKERFILE_ON_GITLAB, LABEL_EXPRESSION, MACHINE_LEFT_OUT
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job, Machine, Plan, Pull
from pipegen.shell.host import Images
from pipegen.shell.prelude import runs_in_bash
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.jobs.values.expanded_texts import escaped, expanded, report_local_images
from pipegen.targets.gitlab.jobs.values.shell_variables import expanded_variable
from pipegen.targets.gitlab.model import ImageKeys, ServiceKeys, VariableEntry
from pipegen.targets.gitlab.pairs import BASH_WITH_TOOLS, IMAGE_ON_MACHINE
from pipegen.targets.gitlab.settings import GitLabSettings


class JobMachine(Struct, kw_only=True):
    """The machine of a job; *variables* are for its runner, and contain defaults of values that may be absent."""

    image: ImageKeys | None
    services: tuple[ServiceKeys, ...]
    variables: tuple[VariableEntry, ...]


_DEFAULT_MACHINE = JobMachine(image=None, services=(), variables=())


def lower_machine(job: Job, plan: Plan, producers: Mapping[str, Job], images: Images, report: Report) -> JobMachine:
    """Return the machine of *job*; references that GitLab cannot expand are reported.

    *producers* are the stages whose outputs may be in names; without a registry, their *images* have no names.
    """
    machine = job.machine
    if not machine.services and machine.resources is None and not machine.runner_variables:
        if machine.image is None:
            return _DEFAULT_MACHINE
        constant = machine.image.name.constant
        if constant is not None:
            return _in_image(escaped(constant), machine.image.entrypoint, machine.image.pull, machine.image.user)

    def name(text: Text) -> str:
        if images is Images.LOCAL:
            report_local_images(text, producers, report)
        return expanded(text, "the name of an image", plan, report, producers=producers)

    return JobMachine(
        image=_image(name(machine.image.name), machine.image.entrypoint, machine.image.pull, machine.image.user)
        if machine.image is not None
        else None,
        services=tuple(
            ServiceKeys(
                name=name(service.image),
                alias=service.alias,
                command=service.command,
                variables=tuple((variable, escaped(value)) for variable, value in service.env),
            )
            for service in machine.services
        ),
        variables=(
            *requests(machine),
            # GitLab expands variables in their values.
            *(VariableEntry(variable.name, variable.value) for variable in machine.runner_variables),
            *_defaults(machine.image_names, producers),
        ),
    )


def without_repeated_variables(machine: JobMachine, variables: Collection[tuple[str, str]]) -> JobMachine:
    """Return *machine* without variables of services that are among *variables* of the job, which services get, too."""
    if not machine.services or not variables:
        return machine
    services = [
        replace(service, variables=tuple(each for each in service.variables if each not in variables))
        for service in machine.services
    ]
    return replace(machine, services=tuple(services))


@lru_cache
def _in_image(name: str, entrypoint: tuple[str, ...] | None, pull: Pull | None, user: str | None) -> JobMachine:
    """Return a machine with only an image, the most common case, often equal for many jobs."""
    return JobMachine(image=_image(name, entrypoint, pull, user), services=(), variables=())


def _image(name: str, entrypoint: tuple[str, ...] | None, pull: Pull | None, user: str | None) -> ImageKeys:
    return ImageKeys(
        name,
        has_entrypoint=entrypoint is not None,
        entrypoint=entrypoint or ("",),
        pull=pull.value if pull is not None else "",
        user=user or "",
    )


def _defaults(texts: list[Text], producers: Mapping[str, Job]) -> Iterator[VariableEntry]:
    """Yield the variables that hold defaults; variables of a report take precedence."""
    variables: dict[str, VariableEntry] = {}
    for text in texts:
        for reference in text.references():
            if reference.scope is Scope.STAGE and reference.default is not None:
                variable = expanded_variable(producers[reference.namespace or ""], reference.name)
                variables.setdefault(
                    variable, VariableEntry(variable, reference.default, is_raw="$" in reference.default)
                )
    yield from variables.values()


def check_machine(job: Job, kind: str, settings: GitLabSettings, report: Report) -> None:
    """Report requests of *job*, whose script needs tools of the *kind*, that GitLab cannot fulfil."""
    machine = job.machine
    _check_jenkins_keys(job, report)
    if runs_in_bash(job) and kind != "shell" and settings.images is Images.REGISTRY:
        report.add(
            BASH_WITH_TOOLS.code,
            f'stage "{job.title}" requires bash, and the image with the tools of its other steps does not contain it',
            at=machine.shell_span or job.span,
            hint="use separate stages, or write the script for sh",
        )
    if machine.image is not None and settings.images is Images.LOCAL and not machine.labels:
        report.add(
            IMAGE_ON_MACHINE.code,
            f'stage "{job.title}" names an image, which the shell runner of "images: local" does not support',
            at=machine.image.span,
            hint='name the tag of a runner with containers: "agent: docker"; or set "images: registry"',
        )


def _check_jenkins_keys(job: Job, report: Report) -> None:
    """Report keys of the machine of *job* that only Jenkins has."""
    machine, image = job.machine, job.machine.image
    if image is not None and image.file is not None:
        report.add(
            DOCKERFILE_ON_GITLAB,
            f'GitLab runs stages in images of a registry, and "images: local" pushes none from "{image.file.path}"',
            at=image.span,
            hint='set "images: registry"; or publish the image in another project, and name it here',
        )
    if machine.label_expressions:
        report.add(
            LABEL_EXPRESSION,
            f'GitLab selects runners only by tags that they all have, not by "{machine.label_expressions[0]}"',
            at=machine.labels_span or job.span,
            hint="name a tag that only suitable runners have",
        )
    if machine.pod is not None and (machine.pod.containers or machine.pod.manifest):
        report.add(
            MACHINE_LEFT_OUT,
            "GitLab creates a pod from the image and the services of its stage, without other containers",
            at=machine.pod.span,
            hint='use "image", "services" and "resources", and "labels" for the tags of a runner in the cluster',
        )
    if machine.tools:
        report.add(
            MACHINE_LEFT_OUT,
            "GitLab installs no tools",
            at=machine.tools_span or job.span,
            hint='use an image that contains them, such as "image: maven:3.9", or runners that do',
        )
    if image is not None and image.args:
        report.add(
            MACHINE_LEFT_OUT,
            "GitLab passes no options to the container engine: they are left out",
            at=image.span,
            hint="set them in the configuration of the runner (config.toml), and select it with agent",
        )
    if image is not None and image.credentials is not None:
        report.add(
            MACHINE_LEFT_OUT,
            "GitLab reads the login for an image from the CI/CD variable DOCKER_AUTH_CONFIG",
            at=image.span,
            hint="create the variable, unless the image is in the registry of GitLab",
        )


def requests(machine: Machine) -> Iterator[VariableEntry]:
    """Yield the variables that request and limit resources of the Kubernetes executor; other executors ignore them."""
    # https://docs.gitlab.com/runner/executors/kubernetes/#overwrite-container-resources
    if machine.resources is not None:
        for name, amount in machine.resources.quantities.items():
            yield VariableEntry(f"KUBERNETES_{name.upper()}_REQUEST", amount)
        for name, amount in machine.resources.limits.items():
            yield VariableEntry(f"KUBERNETES_{name.upper()}_LIMIT", amount)
