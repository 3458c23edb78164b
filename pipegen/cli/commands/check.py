"""`pipegen check`: all that is wrong with a config, and no output files."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.repository import here
from pipegen.cli.session import (
    Format,
    FormatOption,
    PipelineOption,
    SetOption,
    StrictOption,
    TargetOption,
    attempt,
    config_path,
    end,
    fixed_inputs,
    load_targets,
    named_targets,
    show,
    tell,
)
from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.load import USUAL_NAMES
from pipegen.diagnostics.report import Report, Stopped


def check(
    configs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="CONFIG", show_default=False, help="The configs; without any, the usual one."),
    ] = None,
    target: TargetOption = None,
    pipeline: PipelineOption = None,
    inputs: SetOption = None,
    form: FormatOption = Format.TEXT,
    *,
    every: Annotated[bool, typer.Option("--all", help="Check all configs of the repository.")] = False,
    strict: StrictOption = False,
) -> None:
    """Report everything that is wrong with a config. Nothing is written.

    What a target cannot say is reported for the targets that --target or the
    config's "targets" names.
    """
    paths = _paths(configs or (), every=every)
    load_targets(target or ())
    fixed = fixed_inputs(inputs)
    reports = [_checked(path, target, pipeline, fixed) for path in paths]
    found = [diagnostic for report in reports for diagnostic in report.diagnostics()]
    show(found, form, sys.stdout)
    if any(report.has_errors(strict=strict) for report in reports):
        end(Exit.PROBLEMS)
    else:
        tell(form, f"no errors in {paths[0] if len(paths) == 1 else f'{len(paths)} configs'}")


def _paths(configs: Sequence[Path], *, every: bool) -> Sequence[Path]:
    """Return the configs that are meant, or end with wrong usage."""
    if not every:
        return [config_path(path) for path in configs] if configs else [config_path(None)]
    if configs:
        raise WrongUsage("--all checks all configs there are: name none")
    found = here().main_configs
    if not found:
        raise WrongUsage(f"no config in this repository: looked for {', '.join(USUAL_NAMES)}")
    return found


def _checked(path: Path, target: list[str] | None, pipeline: list[str] | None, fixed: Mapping[str, str]) -> Report:
    report = Report()
    analysed = attempt(path, report, lambda file: analyse(file, pipeline or (), report, fixed))
    if analysed is not None:
        _check_targets(analysed, target, report)
    return report


def _check_targets(analysed: Analysed, target: list[str] | None, report: Report) -> None:
    for one in load_targets(target) if target else named_targets(analysed):
        try:
            generate(analysed, one, {}, report)
        except Stopped:
            continue
