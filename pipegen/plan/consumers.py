"""Outputs, images, containers and releases that other jobs use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from pipegen.bindings.expression import Scope, Text
from pipegen.plan.model import Copy, Machine, Output, PluginSteps, SharedResources, Step
from pipegen.plan.model.steps import declares
from pipegen.plan.model.texts import outputs_in, plugin_texts

_IMAGE_NAMES = ("imageID", "imageLocalName")
# Outputs that name a resource that outlives the stage: an image, a container, a release.
_LASTING = frozenset((*_IMAGE_NAMES, "container", "releaseName"))


def own_outputs(stage: str, plugin_steps: PluginSteps | None) -> tuple[Output, ...]:
    """Return the outputs of *stage* that its own *plugin_steps* read."""
    texts = plugin_texts(plugin_steps) if plugin_steps is not None else ()
    references = (reference for text in texts for reference in text.references())
    return tuple(Output(stage, reference.name) for reference in references if reference.scope is Scope.OWN)


def expanded_outputs(machines: Iterable[Machine]) -> frozenset[Output]:
    """Return the outputs in image names, which the engine itself expands."""
    names: list[Text] = []
    for machine in machines:
        if machine.image is not None or machine.services:
            names += machine.image_names
    return frozenset(outputs_in(names))


def containers_of(stage: str, steps: Sequence[Step]) -> tuple[str, ...]:
    """Return the other stages whose containers *steps* copy files from."""
    producers: dict[str, None] = {}
    for step in steps:
        if type(step) is Copy:
            for file in step.entries:
                producer = file.container.producer
                if producer is not None and producer != stage:
                    producers[producer] = None
    return tuple(producers)


def shared(inputs: Iterable[Sequence[Output]], steps: Mapping[str, Sequence[Step]]) -> dict[str, SharedResources]:
    """Return the resources of each stage that other stages use, from all stages' inputs and steps."""
    used_names: dict[str, set[str]] = {}
    paths: dict[str, dict[Text, None]] = {}
    for output in chain.from_iterable(inputs):
        if output.name in _LASTING and not declares(steps.get(output.stage, ()), output.name):
            used_names.setdefault(output.stage, set()).add(output.name)
    for stage, stage_steps in steps.items():
        for step in stage_steps:
            for file in step.entries if type(step) is Copy else ():
                if file.container.producer not in (None, stage):
                    paths.setdefault(file.container.producer or "", {})[file.source] = None
    return {
        stage: SharedResources(
            image=not used_names.get(stage, set()).isdisjoint(_IMAGE_NAMES),
            container="container" in used_names.get(stage, set()) or stage in paths,
            release="releaseName" in used_names.get(stage, set()),
            container_paths=tuple(paths.get(stage, {})),
        )
        for stage in steps
        if stage in used_names or stage in paths
    }
