"""The Jenkins target: a Jenkinsfile, declarative if that represents the graph exactly, otherwise scripted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.diagnostics.report import Report
from pipegen.plan.model import Plan
from pipegen.shell.host import Images
from pipegen.shell.images import with_named_images
from pipegen.targets.base import GeneratedFile, Pair, Request
from pipegen.targets.jenkins.capabilities import CAPABILITIES
from pipegen.targets.jenkins.job.definitions import check_definitions
from pipegen.targets.jenkins.job.environments import without_stops
from pipegen.targets.jenkins.lower import lower
from pipegen.targets.jenkins.pairs import PAIRS
from pipegen.targets.jenkins.render import render, render_nothing
from pipegen.targets.jenkins.settings import SETTINGS, parse_settings
from pipegen.targets.jenkins.stages.plan_scripts import plan_scripts
from pipegen.targets.texts import check_named_inputs

__all__ = ["CAPABILITIES", "FILE", "INCOMPATIBLE", "NAME", "OPTIONS", "SETTINGS", "generate"]

NAME = "jenkins"
FILE = "Jenkinsfile"
INCOMPATIBLE: tuple[Pair, ...] = PAIRS
OPTIONS: Mapping[str, tuple[str, ...]] = {"style": ("auto", "declarative", "scripted")}


def generate(plans: Sequence[Plan], request: Request, report: Report) -> Sequence[GeneratedFile]:
    """Return the Jenkinsfile of *plans*; report features that Jenkins lacks."""
    if not plans:
        return (GeneratedFile(FILE, render_nothing(request)),)
    settings = parse_settings(request.settings)
    check_named_inputs(plans, report)
    prepared = [without_stops(plan, report) for plan in plans]
    if settings.images is Images.LOCAL:
        prepared = [with_named_images(plan) for plan in prepared]
    scripts = [plan_scripts(plan, settings, report) for plan in prepared]
    file = lower(scripts, request, settings, report)
    text = render(file, request.source)
    check_definitions(file, text, request, report)
    return (GeneratedFile(FILE, text),)
