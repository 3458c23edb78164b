"""`pipegen targets`: what each target can and cannot express."""

from __future__ import annotations

from typing import Annotated

import typer

from pipegen.cli.session import load_targets
from pipegen.targets import registry
from pipegen.targets.base import Target


def targets(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="TARGET", show_default=False, help="Only these targets.")
    ] = None,
) -> None:
    """Show the targets, and how each says what the language says."""
    typer.echo("\n\n".join(_described(target) for target in load_targets(names or registry.names())))


def _described(target: Target) -> str:
    width = max((len(capability.feature) for capability in target.CAPABILITIES), default=0)
    lines = [f"{target.NAME} writes {target.FILE}"]
    for capability in target.CAPABILITIES:
        line = f"  {capability.feature:<{width}}  {capability.support:<8}  {capability.note}"
        lines.append(line.rstrip())
    return "\n".join(lines)
