"""The texts of a stage that run-time values go into, in a fixed order.

Each kind of step lists its own texts, without generic traversal. The references of a script are in its folded values.
The image that a stage builds itself and the containers of known stages are excluded: jobs generate their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pipegen.bindings.expression import Expression, Items, List, Loop, Map, Scope, Text
from pipegen.plan.model.deployments import Environment
from pipegen.plan.model.jobs import Job, Mail, PluginCall, PluginSteps
from pipegen.plan.model.machine import Machine
from pipegen.plan.model.retention import NO_REPORTS, has_values, path_text
from pipegen.plan.model.steps import (
    BlubberInline,
    BlubberPath,
    BuildImage,
    Case,
    Commands,
    Copy,
    CopyFile,
    Deploy,
    EngineText,
    Export,
    Image,
    Leave,
    Line,
    Output,
    Promote,
    Promotion,
    PublishImage,
    RunContainer,
    Step,
    TriggerJob,
)


def stage_texts(
    stage: str,
    steps: Iterable[Step],
    cases: Iterable[Case],
    after: Sequence[Line],
    machine: Machine,
    environment: Environment | None,
    mail: Mail | None,
    plugin_steps: PluginSteps | None,
) -> list[Text]:
    """Return the texts in the steps, cases, machine, environment, mail and *plugin_steps* of *stage*."""
    texts = case_texts(cases)
    for step in steps:
        texts += step_texts(step, stage)
    if after:
        texts += line_texts(after)
    texts += machine_texts(machine)
    if environment is not None:
        texts += environment_texts(environment)
    return texts + engine_texts(mail, plugin_steps) if mail is not None or plugin_steps is not None else texts


def engine_texts(mail: Mail | None, plugin_steps: PluginSteps | None) -> list[Text]:
    """Return the texts of *mail* and *plugin_steps*, which the engine itself may read."""
    texts = mail_texts(mail) if mail is not None else []
    return texts + plugin_texts(plugin_steps) if plugin_steps is not None else texts


def outputs_in(texts: Iterable[Text], own: str = "") -> tuple[Output, ...]:
    """Return the outputs of stages other than *own* that *texts* read, in order of first use.

    A container that files are copied from does not count: only its files are used.
    """
    outputs: dict[Output, None] = {}
    for text in texts:
        for reference in text.references():
            if reference.scope is Scope.STAGE and reference.namespace != own:
                outputs[Output(reference.namespace or "", reference.name)] = None
    return tuple(outputs)


def setup_names(texts: Iterable[Text]) -> list[str]:
    """Return the setup names that *texts* read, in this order."""
    return [reference.name for text in texts for reference in text.references() if reference.scope is Scope.SETUP]


def job_texts(job: Job, *, with_environment: bool = True) -> list[Text]:
    """Return all texts of *job*; without those of its environment for an engine that has no environments."""
    environment = job.deployment.environment if with_environment else None
    texts = stage_texts(
        job.stage, job.steps, job.cases, job.after, job.machine, environment, job.mail, job.plugin_steps
    )
    for cache in job.caches:
        texts += (cache.key, *cache.fallback)
    texts += path_texts(job)
    return [*texts, job.retention.name] if job.retention.name is not None else texts


def path_texts(job: Job) -> list[Text]:
    """Return the paths of the artifacts and reports of *job* that contain values."""
    reports, retention = job.reports, job.retention
    if not job.artifacts and reports is NO_REPORTS:
        return []
    paths = [(artifact.path or "", artifact.span) for artifact in job.artifacts]
    paths += [(path, retention.span or job.span) for path in retention.exclude]
    paths += [(report.path, report.span) for report in reports.paths]
    if reports.coverage is not None:
        paths.append((reports.coverage.path or "", reports.coverage.span))
    return [path_text(path, span) for path, span in paths if has_values(path)]


def step_texts(step: Step, stage: str) -> Iterable[Text]:  # noqa: C901, PLR0911 - one case a step
    """Return the texts of *step* of *stage*."""
    match step:
        case Commands():
            return _in_commands(step)
        case BuildImage():
            return _in_build(step)
        case RunContainer():
            return _in_run(step, stage)
        case Copy():
            return _in_files(step.files)
        case PublishImage():
            return (*_in_image(step.image, stage), step.name, step.tag, *_in_items(step.tags))
        case Promote():
            return _in_charts(step.charts)
        case Deploy():
            timeout = (step.timeout,) if step.timeout is not None else ()
            return (step.image, step.tag, step.chart, step.version, *timeout, *_in_expression(step.overrides))
        case Export() | EngineText():
            return (step.value,)
        case TriggerJob():
            return [text for _, text in step.parameters]
        case Leave():
            return (step.path,)


def case_texts(cases: Iterable[Case]) -> list[Text]:
    """Return the values of the variables that *cases* set."""
    return [text for case in cases for _, text in case.variables]


def line_texts(lines: Iterable[Line]) -> list[Text]:
    """Return the texts of entries of a script."""
    return [text for line in lines for _, text in line.values]


def machine_texts(machine: Machine) -> list[Text]:
    """Return the texts in the settings of *machine*."""
    texts = [machine.image.name] if machine.image is not None else []
    for service in machine.services:
        texts.append(service.image)
        texts += line_texts((service.ready,) if service.ready is not None else ())
    return texts


def environment_texts(environment: Environment) -> tuple[Text, ...]:
    """Return the texts of *environment*."""
    namespace = environment.kubernetes.namespace if environment.kubernetes is not None else None
    return tuple(text for text in (environment.name, environment.url, namespace) if text is not None)


def mail_texts(mail: Mail) -> list[Text]:
    """Return the texts of *mail*."""
    return [*_in_items(mail.to), mail.subject, mail.body]


def plugin_texts(plugin_steps: PluginSteps) -> list[Text]:
    """Return the texts in the parameters and variables of *plugin_steps*."""
    return [*call_texts(plugin_steps.calls), *(text for _, text in plugin_steps.env)]


def call_texts(calls: Iterable[PluginCall]) -> list[Text]:
    """Return the texts in the parameters of *calls*."""
    return [text for call in calls if call.arguments is not None for text in _in_expression(call.arguments)]


def _in_commands(step: Commands) -> list[Text]:
    texts: list[Text] = []
    for line in step.lines:
        for _, text in line.values:
            texts.append(text)
    for _, text in step.env:
        texts.append(text)
    for output in step.outputs:
        if output.command is not None:
            for _, text in output.command.values:
                texts.append(text)
        if output.file is not None:
            texts.append(output.file)
    return texts


def _in_build(step: BuildImage) -> Iterator[Text]:
    file = step.blubberfile
    if isinstance(file, BlubberInline):
        yield from _in_expression(file.document)
    elif isinstance(file, BlubberPath):
        yield file.path
    yield from (step.variant, step.context)
    yield from _in_items(step.excludes or ())
    yield step.pull


def _in_run(step: RunContainer, stage: str) -> Iterator[Text]:
    yield from _in_image(step.image, stage)
    yield from _in_items(step.arguments)
    for pair in step.env:
        yield from pair


def _in_image(image: Image, stage: str) -> Iterator[Text]:
    if image.producer != stage:
        yield image.id


def _in_files(files: Items[CopyFile]) -> Iterator[Text]:
    for file in files:
        if isinstance(file, Loop):
            yield file.source
            yield from _in_files((file.body,))
            continue
        if file.container.producer is None:
            yield file.container.name
        yield from (file.source, file.destination)


def _in_charts(charts: Items[Promotion]) -> Iterator[Text]:
    for chart in charts:
        if isinstance(chart, Loop):
            yield chart.source
            yield from _in_charts((chart.body,))
            continue
        yield chart.chart
        yield from _in_items(chart.environments)
        yield chart.version


def _in_items(items: Items[Text]) -> Iterator[Text]:
    for item in items:
        if isinstance(item, Loop):
            yield item.source
            yield from _in_items((item.body,))
        else:
            yield item


def _in_expression(value: Expression) -> Iterator[Text]:
    """Yield the texts of a folded *value*: a text, a list or map of values, or a loop."""
    match value:
        case Text():
            yield value
        case List():
            for item in value.items:
                yield from _in_expression(item)
        case Map():
            for key, entry in value.entries:
                yield key
                yield from _in_expression(entry)
        case Loop():
            yield value.source
            yield from _in_expression(value.body)


def named_texts(job: Job) -> list[tuple[str, Text]]:
    """Return the texts of *job* that an engine puts into names before scripts run, with the kind of name."""
    texts = [("the name of an image", text) for text in job.machine.image_names]
    texts += [("the key of a cache", text) for cache in job.caches for text in (cache.key, *cache.fallback)]
    if job.deployment.environment is not None:
        texts += [("an environment", text) for text in environment_texts(job.deployment.environment)]
    if job.retention.name is not None:
        texts.append(("the name of an archive", job.retention.name))
    return texts
