"""What the settings say of the whole job: its options, what stands around all stages, libraries and tools."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.emit.groovy import literal
from pipegen.targets.jenkins.model import Property, PropertyKind
from pipegen.targets.jenkins.settings import Discard, Settings

# What `logRotator` calls the settings of `discard`; it takes numbers as texts.
_ROTATED = (
    ("daysToKeepStr", "days"),
    ("numToKeepStr", "builds"),
    ("artifactDaysToKeepStr", "artifact_days"),
    ("artifactNumToKeepStr", "artifact_builds"),
)


def job_properties(settings: Settings) -> tuple[Property, ...]:
    """Return the properties of the job, in the order of the settings' own table."""
    return tuple(_properties(settings))


def _properties(settings: Settings) -> Iterator[Property]:
    if settings.discard is not None:
        yield Property(PropertyKind.SETTING, _build_discarder(settings.discard))
    for text in settings.options:
        yield Property(PropertyKind.SETTING, text)
    if settings.timestamps:
        yield Property(PropertyKind.AROUND, "timestamps()", "timestamper")
    for text in settings.wrap:
        yield Property(PropertyKind.AROUND, text)


def _build_discarder(discard: Discard) -> str:
    given = [(name, getattr(discard, key)) for name, key in _ROTATED]
    arguments = ", ".join(f"{name}: {literal(str(number))}" for name, number in given if number is not None)
    return f"buildDiscarder(logRotator({arguments}))"
