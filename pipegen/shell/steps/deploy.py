"""Installing a chart with helm."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.bindings.expression import Text
from pipegen.plan.model import Deploy
from pipegen.shell.command import Command
from pipegen.shell.layout import interruptible, wrapped
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import release_name
from pipegen.shell.quote import Literal, ShellFragment, operand, quote, shell_text
from pipegen.shell.steps.helm_values import HelmValue, helm_values, key_path, value_files
from pipegen.shell.words.document import write_document
from pipegen.shell.words.text import argument, word

_VALUES = "values.yaml"
_TIMEOUT = "120"


def deploy(step: Deploy, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands of *step*."""
    release = quote(release_name(lowering.job, lowering.host))
    namespace = f"--namespace {quote(shell_text(lowering.host.namespace))}"
    document, run_time_values = helm_values(step.overrides, _default_values(step, lowering), lowering)
    files = value_files(run_time_values)
    if document.entries:
        yield from write_document(document, _VALUES, lowering)
    if run_time_values:
        yield Command(
            (
                'mkdir "$pipegen/values"',
                *(
                    f"printf %s {quote(value.word)} >{_path(file)}"
                    for value, file in zip(run_time_values, files, strict=True)
                ),
            ),
            "values that are known only at run time",
        )
    if lowering.job.shared.release:
        yield Command(
            (f"$HELM uninstall {release} {namespace} >/dev/null 2>&1 || :",), "an earlier attempt may have left it"
        )
    options = [
        *([f'--values "$pipegen/{_VALUES}"'] if document.entries else []),
        *(_set_file(value, file) for value, file in zip(run_time_values, files, strict=True)),
        *("--debug", "--wait", f"--timeout {_timeout(step.timeout, lowering)}"),
    ]
    yield Command(interruptible(wrapped(_install_command(step, release, [namespace, *options], lowering))))
    if step.test:
        yield Command(interruptible((f"$HELM test {release} {namespace}",)))


def _install_command(step: Deploy, release: str, options: list[str], lowering: Lowering) -> list[str]:
    """Return the parts of the command; a chart known only at run time is never read as an option."""
    options = [
        *options[:1],
        f"--repo {quote(shell_text(lowering.host.charts))}",
        *_version(step, lowering),
        *options[1:],
    ]
    chart = step.chart.constant
    if chart is None:
        return [f"$HELM install {release}", *options, f"-- {argument(step.chart, lowering)}"]
    return [f"$HELM install {release} {quote(operand(chart))}", *options]


def _version(step: Deploy, lowering: Lowering) -> list[str]:
    return [] if step.version.constant == "" else [f"--version {argument(step.version, lowering)}"]


def _timeout(timeout: Text | None, lowering: Lowering) -> str:
    """Return the duration in seconds; PipelineLib uses its default for an empty one."""
    seconds = word(timeout, lowering) if timeout is not None else ()
    return quote((*(seconds or (Literal(_TIMEOUT),)), Literal("s")))


def _default_values(step: Deploy, lowering: Lowering) -> tuple[HelmValue, ...]:
    """Return the values that every chart gets."""
    host = lowering.host
    repository = shell_text(host.repository)
    image = (*((*repository, Literal("/")) if repository else ()), *word(step.image, lowering))
    return (
        HelmValue(("docker", "registry"), shell_text(host.registry)),
        HelmValue(("docker", "pull_policy"), (Literal("IfNotPresent"),)),
        HelmValue(("main_app", "image"), image),
        HelmValue(("main_app", "version"), word(step.tag, lowering)),
    )


def _path(file: str) -> str:
    return quote((ShellFragment("$pipegen/values/"), Literal(file)))


def _set_file(value: HelmValue, file: str) -> str:
    return (
        f"--set-file {quote((Literal(f'{key_path(value.path)}='), ShellFragment('$pipegen/values/'), Literal(file)))}"
    )
