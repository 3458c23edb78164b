"""The texts of a stage that values of its run go into, in the order in which its parts hold them.

Each kind of step names its own: nobody looks through all that a plan holds. The references of a script stand beside
it, folded. The image that a stage makes itself and the containers of stages that are known go by names that jobs give.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipegen.bindings.expression import Expression, Items, List, Loop, Map, Text
from pipegen.plan.model.gates import Environment
from pipegen.plan.model.jobs import Mail
from pipegen.plan.model.machine import Machine
from pipegen.plan.model.steps import (
    BlubberInline,
    Build,
    Commands,
    Copy,
    CopyFile,
    Deploy,
    Export,
    Image,
    Leave,
    Line,
    Promote,
    Promotion,
    Publish,
    Run,
    Step,
    Told,
    Trigger,
)


def stage_texts(
    stage: str,
    steps: Iterable[Step],
    after: Iterable[Line],
    machine: Machine,
    environment: Environment | None,
    mail: Mail | None,
) -> Iterator[Text]:
    """Yield the texts of what *stage* does, where it runs, what it deploys to, and the mail that it sends."""
    for step in steps:
        yield from step_texts(step, stage)
    yield from line_texts(after)
    yield from machine_texts(machine)
    if environment is not None:
        yield from environment_texts(environment)
    if mail is not None:
        yield from mail_texts(mail)


def step_texts(step: Step, stage: str) -> Iterator[Text]:  # noqa: C901 - one case a step
    """Yield the texts of *step*, which *stage* does."""
    match step:
        case Commands():
            yield from _in_commands(step)
        case Build():
            yield from _in_build(step)
        case Run():
            yield from _in_run(step, stage)
        case Copy():
            yield from _in_files(step.files)
        case Publish():
            yield from _in_image(step.image, stage)
            yield from (step.name, step.tag)
            yield from _in_items(step.tags)
        case Promote():
            yield from _in_charts(step.charts)
        case Deploy():
            yield from (step.image, step.tag, step.chart, step.version)
            yield from (step.timeout,) if step.timeout is not None else ()
            yield from _in_expression(step.overrides)
        case Export() | Told():
            yield step.value
        case Trigger():
            yield from (text for _, text in step.parameters)
        case Leave():
            yield step.path


def line_texts(lines: Iterable[Line]) -> Iterator[Text]:
    """Yield the texts of entries of a script."""
    for line in lines:
        for _, text in line.values:
            yield text


def machine_texts(machine: Machine) -> Iterator[Text]:
    """Yield the texts that say where a stage runs."""
    if machine.image is not None:
        yield machine.image.name
    for service in machine.services:
        yield service.image
        yield from line_texts((service.ready,) if service.ready is not None else ())


def environment_texts(environment: Environment) -> Iterator[Text]:
    """Yield the texts that say what a stage deploys to."""
    yield environment.name
    if environment.url is not None:
        yield environment.url


def mail_texts(mail: Mail) -> Iterator[Text]:
    """Yield the texts of *mail*."""
    yield from _in_items(mail.to)
    yield from (mail.subject, mail.body)


def _in_commands(step: Commands) -> Iterator[Text]:
    yield from line_texts(step.lines)
    for _, value in step.env:
        yield value
    for output in step.outputs:
        if output.command is not None:
            yield from line_texts((output.command,))
        if output.file is not None:
            yield output.file


def _in_build(step: Build) -> Iterator[Text]:
    file = step.blubberfile
    yield from _in_expression(file.document) if isinstance(file, BlubberInline) else (file.path,)
    yield from (step.variant, step.context)
    yield from _in_items(step.excludes or ())
    yield step.pull


def _in_run(step: Run, stage: str) -> Iterator[Text]:
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
    """Yield the texts of a folded *value*: a text, a list or map of values, or loops that yield some."""
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
