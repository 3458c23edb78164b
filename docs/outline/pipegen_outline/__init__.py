"""A target that writes the order of stages as the rules of a makefile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipegen.diagnostics.model import Code, Severity
from pipegen.diagnostics.report import Report
from pipegen.emit.header import header
from pipegen.plan.model import Plan, Workspace
from pipegen.source.tree import plain
from pipegen.targets.base import Capability, GeneratedFile, Request

NAME = "outline"
FILE = "outline.mk"
CAPABILITIES = (
    Capability("execution", "native", "prerequisites of a rule"),
    Capability("workspace", "native", "shared: make has no other"),
    Capability("build", "refused", "an outline runs nothing"),
)
SETTINGS: Mapping[str, object] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "prefix": {
            "type": "string",
            "pattern": "^[a-z-]*$",
            "default": "",
            "examples": ["ci-"],
            "description": "The prefix of the names of rules.",
        }
    },
}
OPTIONS: Mapping[str, tuple[str, ...]] = {}

# Codes that begin with PG are reserved for pipegen.
NOT_ISOLATED = Code("MK001", "not-isolated", Severity.INFO)


def generate(plans: Sequence[Plan], request: Request, report: Report) -> Sequence[GeneratedFile]:
    """Return one makefile with the rules of all *plans*."""
    for plan in plans:
        if plan.workspace is Workspace.ISOLATED:
            report.add(NOT_ISOLATED, f'stages of "{plan.name}" share one folder in a makefile', at=plan.span)
    body = "".join(f"{line}\n" for plan in plans for line in _rules(plan, _prefix(request)))
    lines = header(request.source, (), body)
    return [GeneratedFile(FILE, "".join(f"# {line}\n" for line in lines) + "\n" + body)]


def _prefix(request: Request) -> str:
    """Return the setting `prefix`; the schema has checked it."""
    settings: Any = plain(request.settings) if request.settings is not None else {}
    return str(settings.get("prefix", ""))


def _rules(plan: Plan, prefix: str) -> Iterator[str]:
    for job in plan.jobs:
        yield " ".join([f"{prefix}{job.slug}:", *(f"{prefix}{plan.job(stage).slug}" for stage in job.needs)])
