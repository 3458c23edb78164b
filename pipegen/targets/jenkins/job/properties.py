"""What the settings say of the whole job: its options, and what stands around all stages."""

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

# What `logRotator` calls the settings of `discard`; it takes numbers as texts.
_ROTATED = (
    ("daysToKeepStr", "days"),
    ("numToKeepStr", "builds"),
    ("artifactDaysToKeepStr", "artifact_days"),
    ("artifactNumToKeepStr", "artifact_builds"),
)
# The block steps that `options` of Declarative takes: those of Jenkins' own plugins, and of ansicolor and
# throttle-concurrents by their documentation. A step of a library is none, nor is a method.
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
# The block steps that ask for an agent around them. In the descriptors of Jenkins 2.479.3, with docker-workflow, their
# required context holds a workspace or a computer (StepDescriptor.getRequiredContext).
AGENT_STEPS = frozenset({"dir", "withDockerContainer", "withDockerRegistry", "withDockerServer", "ws"})
# The options that only Declarative has: no property of a job is called so.
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


def job_properties(settings: JenkinsSettings, node: Mapping | None, report: Report) -> tuple[Property, ...]:
    """Return the properties of the job by its *settings*, which stand in *node*, in the order of their table."""
    found = tuple(_properties(settings, node))
    known: set[str] = set()
    for one in found:
        if one.kind is PropertyKind.SETTING and one.span is not None and one.name in known:
            report.add(
                codes.OPTION_TWICE,
                f'the option "{one.name}" is there twice: Jenkins takes one of them',
                at=one.span,
                hint="remove one of them; discard is buildDiscarder",
            )
        if one.kind is PropertyKind.SETTING:
            known.add(one.name)
    return found


def not_declarative(properties: Iterable[Property]) -> tuple[Property, ...]:
    """Return those of *properties* that stand around all stages, and that `options` of Declarative refuses."""
    found: list[Property] = []
    known: set[str] = set()
    for one in properties:
        if one.kind is PropertyKind.AROUND and (one.name not in OPTION_STEPS or one.name in known):
            found.append(one)
        known.add(one.name)
    return tuple(found)


def report_not_declarative(properties: Sequence[Property], span: Span, report: Report) -> None:
    """Report what the declarative style, which was asked for, cannot say of *properties*."""
    for one in not_declarative(properties):
        report.add(
            codes.NOT_AN_OPTION,
            f'"{one.name}" around all stages is no option of the declarative style, or there already',
            at=one.span or span,
            hint='use the style scripted, or auto, which picks it; or put it around single stages with "raw"',
        )


def report_without_agent(properties: Sequence[Property], span: Span, report: Report) -> None:
    """Report steps among *properties* that need an agent, in a file whose stages take theirs inside of them."""
    for one in properties:
        if one.kind is PropertyKind.AROUND and one.name in AGENT_STEPS:
            report.add(
                codes.STEP_WITHOUT_AGENT,
                f'"{one.name}" around all stages needs an agent, and stages take theirs inside of it',
                at=one.span or span,
                hint='put it around single stages with "raw"',
            )


def report_not_scripted(properties: Sequence[Property], span: Span, report: Report) -> None:
    """Report options among *properties* that a script cannot say."""
    for one in properties:
        if one.kind is PropertyKind.SETTING and one.name in DECLARATIVE_OPTIONS:
            report.add(
                codes.DECLARATIVE_OPTION,
                f'"{one.name}" is an option of the declarative style only, and this file is a script',
                at=one.span or span,
                hint="remove it, or use the style declarative",
            )


def _properties(settings: JenkinsSettings, node: Mapping | None) -> Iterator[Property]:
    if settings.discard is not None:
        yield Property(PropertyKind.SETTING, _build_discarder(settings.discard))
    for text, span in _written("options", settings.options, node):
        call = _called(text)
        one = Property(PropertyKind.SETTING, call, span=span)
        # Declarative has one list for both; in a script a block step stands around the stages.
        yield Property(PropertyKind.AROUND, call, span=span) if one.name in OPTION_STEPS else one
    if settings.timestamps:
        yield Property(PropertyKind.AROUND, "timestamps()", "timestamper")
    for text, span in _written("wrap", settings.wrap, node):
        yield Property(PropertyKind.AROUND, _called(text), span=span)


def _written(key: str, texts: Sequence[str], node: Mapping | None) -> Iterator[tuple[str, Span | None]]:
    """Yield *texts* of the setting *key* with their places."""
    given = node.get(key) if node is not None else None
    spans = [item.span for item in given.items] if isinstance(given, TreeSequence) else [None] * len(texts)
    return zip(texts, spans, strict=True)


def _called(text: str) -> str:
    """Return *text* as a call: a bare name is a variable to Groovy, and to Declarative no option."""
    return text if text.endswith(")") else f"{text}()"


def _build_discarder(discard: Discard) -> str:
    given = [(name, getattr(discard, key)) for name, key in _ROTATED]
    arguments = ", ".join(f"{name}: {literal(str(number))}" for name, number in given if number is not None)
    return f"buildDiscarder(logRotator({arguments}))"
