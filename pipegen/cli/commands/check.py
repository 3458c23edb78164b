"""`pipegen check`: all that is wrong with a config, and no output files."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from pipegen.cli.exits import Exit
from pipegen.cli.fixing import fixed, write_fixed
from pipegen.cli.linting import lint
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
from pipegen.diagnostics.masking import masked
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
    strict: StrictOption = False,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended without a change of meaning.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what --fix would change, and write nothing.")] = False,
) -> None:
    """Report everything that is wrong with a config.

    What compiles and is likely not meant is told too. What a target cannot say is
    reported for the targets that --target or the config's "targets" names.
    """
    paths = [config_path(path) for path in configs] if configs else [config_path(None)]
    load_targets(target or ())
    given = fixed_inputs(inputs)
    if fix or diff:
        _mend(paths, is_dry=diff)
    reports = [_checked(path, target, pipeline, given) for path in paths]
    found = masked([diagnostic for report in reports for diagnostic in report.diagnostics()])
    show(found, form, sys.stdout)
    if any(report.has_errors(strict=strict) for report in reports):
        end(Exit.PROBLEMS)
    else:
        tell(form, f"no errors in {paths[0] if len(paths) == 1 else f'{len(paths)} configs'}")


def _mend(paths: Sequence[Path], *, is_dry: bool) -> None:
    """Fix the configs at *paths*; a dry run shows what would change, and ends the verb where anything would."""
    changes = [found for path in dict.fromkeys(paths) if (found := fixed(path)) is not None]
    if not is_dry:
        for found in changes:
            write_fixed(found)
    elif differences := [found.difference for found in changes if found.difference]:
        sys.stdout.write("".join(differences))
        end(Exit.PROBLEMS)


def _checked(path: Path, target: list[str] | None, pipeline: list[str] | None, fixed: Mapping[str, str]) -> Report:
    report = Report()
    analysed = attempt(path, report, lambda file: analyse(file, pipeline or (), report, fixed))
    if analysed is not None:
        _check_targets(analysed, target, report)
        lint(analysed, report)
    return report


def _check_targets(analysed: Analysed, target: list[str] | None, report: Report) -> None:
    for one in load_targets(target) if target else named_targets(analysed):
        try:
            generate(analysed, one, {}, report)
        except Stopped:
            continue
