"""The contract of a target: a module that offers these names."""

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
    """How a target says one thing of the language: natively, emulated, or not at all; and a few words on it."""

    feature: str
    support: str
    note: str = ""


class Pair(Struct):
    """Two things of the language that a target does not take together: the code that says so, and what to do.

    The check that reports it takes the code from here, so that what is told of a target is what it does.
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
    """What a target is asked for, beside the plans.

    Attributes:
        source: the path of the config, as the header names it.
        start: where the config begins, for what concerns all of it; there may be no plans.
        settings: the user's `targets.NAME` section, checked against the target's schema; None when absent.
        chosen: the pipelines that the user chose (`--pipeline`), which run unconditionally; empty means all,
            each by its own rule.
        options: options of the command line that a target may know, such as `style`.
        given: the inputs that the user fixed (`--set`); the plans hold their values already.
    """

    source: str
    start: Span
    settings: TreeMapping | None
    chosen: tuple[str, ...]
    options: Mapping[str, str]
    given: Mapping[str, str] = field(default_factory=dict)


class Target(Protocol):
    """What a target module offers; nothing else of it is used.

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
        """Return the files for *plans*, the parent of the others last; what cannot be said is reported.

        A config in which every pipeline is empty has no plans.
        """
        ...


def versions(target: Target) -> tuple[tuple[str, str], ...]:
    """Return what a file of *target* may hold and only a certain version of the engine knows, with that version."""
    found: tuple[tuple[str, str], ...] = getattr(target, "VERSIONS", ())
    return found


def incompatible(target: Target) -> tuple[Pair, ...]:
    """Return the pairs of things that *target* does not take together; none where it names none."""
    found: tuple[Pair, ...] = getattr(target, "INCOMPATIBLE", ())
    return found
