"""Properties of the whole job: its options, and blocks around all stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.emit.groovy import literal
from pipegen.source.text import Span
from pipegen.source.tree import Mapping
from pipegen.source.tree import Sequence as TreeSequence
from pipegen.targets.jenkins.model import Property, PropertyKind
from pipegen.targets.jenkins.settings import Discard, JenkinsSettings

# The settings of `discard` by their names in `logRotator`, which takes numbers as texts.
_ROTATED = (
    ("daysToKeepStr", "days"),
    ("numToKeepStr", "builds"),
    ("artifactDaysToKeepStr", "artifact_days"),
    ("artifactNumToKeepStr", "artifact_builds"),
)
# The block steps that `options` of Declarative allows: those of Jenkins' own plugins, and of ansicolor and
# throttle-concurrents by their documentation; no steps or methods of libraries.
OPTION_STEPS = frozenset(
    {
        "ansiColor",
        "catchError",
        "dockerNode",
        "lock",
        "retry",
        "script",
        "throttle",
        "timeout",
        "timestamps",
        "waitUntil",
        "warnError",
        "withChecks",
        "withContext",
        "withCredentials",
        "withEnv",
        "wrap",
        "ws",
    }
)
# The block steps that require an agent around them. In the descriptors of Jenkins 2.479.3, with docker-workflow, their
# required context includes a workspace or a computer (StepDescriptor.getRequiredContext).
_AGENT_STEPS = frozenset({"dir", "withDockerContainer", "withDockerRegistry", "withDockerServer", "ws"})
# The options that only Declarative has: no job properties have these names.
DECLARATIVE_OPTIONS = frozenset(
    {
        "checkoutToSubdirectory",
        "disableRestartFromStage",
        "newContainerPerStage",
        "parallelsAlwaysFailFast",
        "quietPeriod",
        "skipDefaultCheckout",
        "skipStagesAfterUnstable",
    }
)


def job_properties(
    settings: JenkinsSettings, node: Mapping | None, of_runs: Iterable[Property], report: Report
) -> tuple[Property, ...]:
    """Return the properties of the job in its *settings*, read from *node*, in the order of their table.

    Those that are there twice are reported, and triggers that the job also has *of_runs*.
    """
    properties = tuple(_properties(settings, node))
    seen = {property_.name for property_ in of_runs if property_.kind is PropertyKind.TRIGGER}
    for property_ in properties:
        is_single = property_.kind in (PropertyKind.SETTING, PropertyKind.TRIGGER)
        if is_single and property_.span is not None and property_.name in seen:
            noun = "trigger" if property_.kind is PropertyKind.TRIGGER else "option"
            report.add(
                codes.OPTION_TWICE,
                f'the {noun} "{property_.name}" is set twice, and Jenkins uses only one of them',
                at=property_.span,
                hint="remove one of them; discard is buildDiscarder, and schedule is cron",
            )
        if is_single:
            seen.add(property_.name)
    return properties


def not_declarative(properties: Iterable[Property]) -> tuple[Property, ...]:
    """Return those of *properties* that are blocks around all stages and that `options` of Declarative rejects."""
    rejected: list[Property] = []
    seen: set[str] = set()
    for property_ in properties:
        if property_.kind is PropertyKind.AROUND and (property_.name not in OPTION_STEPS or property_.name in seen):
            rejected.append(property_)
        seen.add(property_.name)
    return tuple(rejected)


def report_not_declarative(properties: Sequence[Property], span: Span, report: Report) -> None:
    """Report *properties* that the requested declarative style does not support."""
    for property_ in not_declarative(properties):
        report.add(
            codes.NOT_AN_OPTION,
            f'the declarative style has no option "{property_.name}" around all stages, or it is already set',
            at=property_.span or span,
            hint='use the style scripted or auto, or put it around single stages with "raw"',
        )


def report_without_agent(properties: Sequence[Property], span: Span, report: Report) -> None:
    """Report steps among *properties* that need an agent if stages take agents inside them."""
    for property_ in properties:
        if property_.kind is PropertyKind.AROUND and property_.name in _AGENT_STEPS:
            report.add(
                codes.STEP_WITHOUT_AGENT,
                f'"{property_.name}" around all stages needs an agent, but each stage takes its agent inside it',
                at=property_.span or span,
                hint='put it around single stages with "raw"',
            )


def report_not_scripted(properties: Sequence[Property], span: Span, report: Report) -> None:
    """Report options among *properties* that a scripted file does not support."""
    for property_ in properties:
        if property_.kind is PropertyKind.SETTING and property_.name in DECLARATIVE_OPTIONS:
            report.add(
                codes.DECLARATIVE_OPTION,
                f'"{property_.name}" is an option of the declarative style, and this file is scripted',
                at=property_.span or span,
                hint="remove it, or use the style declarative",
            )


def _properties(settings: JenkinsSettings, node: Mapping | None) -> Iterator[Property]:
    if settings.discard is not None:
        yield Property(PropertyKind.SETTING, _build_discarder(settings.discard))
    for text, span in with_spans("options", settings.options, node):
        call = _as_call(text)
        property_ = Property(PropertyKind.SETTING, call, span=span)
        # Declarative has one list for both; in a scripted file, a block step is around the stages.
        yield Property(PropertyKind.AROUND, call, span=span) if property_.name in OPTION_STEPS else property_
    if settings.poll:
        yield Property(PropertyKind.TRIGGER, f"pollSCM({literal(settings.poll)})")
    for text, span in with_spans("triggers", settings.triggers, node):
        yield Property(PropertyKind.TRIGGER, _as_call(text), span=span)
    if settings.timestamps:
        yield Property(PropertyKind.AROUND, "timestamps()", "timestamper")
    for text, span in with_spans("wrap", settings.wrap, node):
        yield Property(PropertyKind.AROUND, _as_call(text), span=span)


def with_spans(key: str, texts: Sequence[str], node: Mapping | None) -> Iterator[tuple[str, Span | None]]:
    """Return *texts* of the setting *key* with their locations."""
    value = node.get(key) if node is not None else None
    spans = [item.span for item in value.items] if isinstance(value, TreeSequence) else [None] * len(texts)
    return zip(texts, spans, strict=True)


def _as_call(text: str) -> str:
    """Return *text* as a call: for Groovy, a bare name is a variable, and Declarative rejects it as an option."""
    return text if text.endswith(")") else f"{text}()"


def _build_discarder(discard: Discard) -> str:
    limits = [(name, getattr(discard, key)) for name, key in _ROTATED]
    arguments = ", ".join(f"{name}: {literal(str(number))}" for name, number in limits if number is not None)
    return f"buildDiscarder(logRotator({arguments}))"
