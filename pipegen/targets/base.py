"""The interface of a target module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pipegen.diagnostics.model import Code
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Plan
from pipegen.source.text import Span
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct, field


class Capability(Struct):
    """How a target supports one feature of the language: "native", "emulated" or "refused", with a short note."""

    feature: str
    support: str
    note: str = ""


class Pair(Struct):
    """Two features that cannot be combined on a target: the code that reports it, and a remedy.

    The check that reports the pair takes the code from here, so the documentation matches the behaviour.
    """

    first: str
    second: str
    code: Code
    note: str


class GeneratedFile(Struct):
    """A file to write: *name* is relative to the output folder; *text* is complete."""

    name: str
    text: str


class Request(Struct, kw_only=True):
    """The inputs of a compilation besides the plans.

    Attributes:
        source: the path of the config, for the header.
        start: the start of the config, for diagnostics about the whole file; there may be no plans.
        settings: the user's `targets.NAME` section, checked against the target's schema; None when absent.
        selected: the pipelines that the user selected (`--pipeline`), which run unconditionally; empty means all,
            each by its own rule.
        options: command-line options of the target, such as `style`.
        fixed_inputs: the inputs that the user fixed (`--set`); the plans already contain their values.
    """

    source: str
    start: Span
    settings: TreeMapping | None
    selected: tuple[str, ...]
    options: Mapping[str, str]
    fixed_inputs: Mapping[str, str] = field(default_factory=dict)


class Target(Protocol):
    """The names that a target module offers; nothing else in it is used.

    `SETTINGS` is a JSON Schema (draft 2020-12) for `targets.NAME`; `OPTIONS` names the
    command-line options it knows, each with its allowed values, the default first.
    A target may also offer `INCOMPATIBLE`, a tuple of `Pair`, and `VERSIONS`; see `incompatible` and `versions`.
    """

    NAME: str
    FILE: str
    CAPABILITIES: tuple[Capability, ...]
    SETTINGS: Mapping[str, object]
    OPTIONS: Mapping[str, tuple[str, ...]]

    def generate(self, plans: Sequence[Plan], request: Request, report: Report) -> Sequence[GeneratedFile]:
        """Return the files for *plans*, in which parents come after their children; report unsupported features.

        A config in which every pipeline is empty has no plans.
        """
        ...


def versions(target: Target) -> tuple[tuple[str, str], ...]:
    """Return the features of *target* that need a certain version of the engine, each with that version."""
    pairs: tuple[tuple[str, str], ...] = getattr(target, "VERSIONS", ())
    return pairs


def incompatible(target: Target) -> tuple[Pair, ...]:
    """Return the pairs of features that *target* cannot combine; empty if it declares none."""
    pairs: tuple[Pair, ...] = getattr(target, "INCOMPATIBLE", ())
    return pairs
