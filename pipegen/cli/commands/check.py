"""`pipegen check`: reports errors and probable mistakes without output files."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.files.output import check_writable, write
from pipegen.cli.files.repository import Repository, current_repository
from pipegen.cli.fixing import fixed, write_fixed
from pipegen.cli.linting import check_raw, has_program, lint
from pipegen.cli.parameters import PATH
from pipegen.cli.session import (
    Format,
    attempt,
    config_path,
    end,
    fixed_inputs,
    format_option,
    inform,
    load_targets,
    named_targets,
    pipeline_option,
    set_option,
    show,
    strict_option,
    target_option,
)
from pipegen.cli.terminal.colours import DIFFERENCES
from pipegen.cli.terminal.redaction import without_tokens
from pipegen.cli.terminal.streams import show_text
from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.files.load import USUAL_NAMES
from pipegen.config.ignores import report_unused
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Code
from pipegen.diagnostics.redaction import redact_plain_secrets
from pipegen.diagnostics.render import FORMATS
from pipegen.diagnostics.report import Report, Stopped
from pipegen.structs import Struct
from pipegen.targets.base import Target


class _Check(Struct):
    """The check of the config at *path*, with its *real* path and those of the files that it includes."""

    path: Path
    real: Path
    report: Report
    included: frozenset[Path]


@click.command("check")
@click.argument(
    "configs",
    nargs=-1,
    type=PATH,
    metavar="[CONFIG]...",
    help="The configs. Default: the config of the current folder.",
)
@target_option
@pipeline_option
@set_option
@format_option
@click.option(
    "--output", "-o", type=PATH, metavar="FILE", help="Write the report to this file, and text to standard output."
)
@click.option("--all", "every", is_flag=True, help="Check all configs of the repository.")
@strict_option
@click.option("--fix", is_flag=True, help="Apply fixes that do not change the meaning.")
@click.option("--diff", is_flag=True, help="Show the changes of --fix without writing them.")
def check(
    configs: tuple[Path, ...],
    target: tuple[str, ...],
    pipeline: tuple[str, ...],
    inputs: tuple[str, ...],
    form: Format,
    output: Path | None,
    *,
    every: bool,
    strict: bool,
    fix: bool,
    diff: bool,
) -> None:
    """Report errors and probable mistakes in a config.

    Features that a target lacks are reported for the targets of --target, or for
    those under "targets" in the config.
    """
    repository = current_repository() if every else None
    paths = _paths(configs, repository)
    output = None if output == Path("-") else output
    _check_output(output, paths)
    load_targets(target)
    fixed = fixed_inputs(inputs)
    if fix or diff:
        _fix(paths, is_dry=diff)
    checks = [_checked(path, target, pipeline, fixed) for path in paths]
    if repository is not None:
        checks = _without_parts(checks, repository)
    reports = [check.report for check in checks]
    # Files that two configs include are reported once.
    diagnostics = redact_plain_secrets(
        tuple(dict.fromkeys(diagnostic for report in reports for diagnostic in report.diagnostics()))
    )
    if output is not None:
        # Text goes to the log, for the user.
        write(output, FORMATS[form.value](without_tokens(diagnostics)))
        form = Format.TEXT
    show(diagnostics, form, sys.stdout)
    if not has_program(codes.SHELLCHECK):
        inform(form, "shellcheck is not installed, so scripts are checked without it")
    if any(report.has_errors(strict=strict) for report in reports):
        end(Exit.PROBLEMS)
    else:
        inform(form, f"no errors in {checks[0].path if len(checks) == 1 else f'{len(checks)} configs'}")


def _check_output(output: Path | None, configs: Sequence[Path]) -> None:
    """Raise `WrongUsage` if no report can be written to *output*."""
    if output is None:
        return
    check_writable(output)
    if output.exists() and any(output.samefile(path) for path in configs):
        raise WrongUsage(f'"{output}" is the config itself')


def _fix(paths: Sequence[Path], *, is_dry: bool) -> None:
    """Fix the configs at *paths*; a dry run shows the changes, and exits if there are any."""
    changes = [result for path in dict.fromkeys(paths) if (result := fixed(path)) is not None]
    if not is_dry:
        for result in changes:
            write_fixed(result)
    elif differences := [result.difference for result in changes if result.difference]:
        show_text("".join(differences), ends_line=False, colours=DIFFERENCES)
        end(Exit.PROBLEMS)


def _paths(configs: Sequence[Path], repository: Repository | None) -> Sequence[Path]:
    """Return the paths of the configs, or of all in *repository*; raise `WrongUsage` if there are none."""
    if repository is None:
        return [config_path(path) for path in configs] if configs else [config_path(None)]
    if configs:
        raise WrongUsage("--all checks all configs: omit CONFIG")
    main_configs = repository.main_configs
    if not main_configs:
        raise WrongUsage(f"no config in this repository: looked for {', '.join(USUAL_NAMES)}")
    return main_configs


def _checked(path: Path, target: Sequence[str], pipeline: Sequence[str], fixed: Mapping[str, str]) -> _Check:
    report, included = Report(), set[Path]()

    def check_further(analysed: Analysed, report: Report) -> tuple[Target, ...]:
        included.update((source.absolute_path or Path(source.path)).resolve() for source in analysed.sources)
        targets = load_targets(target) if target else named_targets(analysed)
        _check_targets(analysed, targets, report)
        check_raw(analysed, targets, report)
        lint(analysed, report, targets)
        return targets

    analysed = attempt(path, report, lambda file: analyse(file, pipeline, report, fixed, check_further))
    if analysed is not None:
        targets = check_further(analysed, report)
        if not (pipeline or fixed or report.has_errors()):
            is_whole = bool(targets) and not target
            report_unused(report, analysed.file, lambda code: _is_checked(code, is_whole=is_whole))
    real = path.resolve()
    return _Check(path, real, report, frozenset(included) - {real})


def _without_parts(checks: Sequence[_Check], repository: Repository) -> list[_Check]:
    """Return *checks* without those of files that are a part of another config, and for which no file is generated."""
    compiled = {path.resolve() for path in repository.compiled_configs}
    return [
        check
        for check in checks
        if check.real in compiled
        # Files that include each other are not parts: this is an error in both.
        or not any(check.real in other.included and other.real not in check.included for other in checks)
    ]


def _is_checked(code: Code, *, is_whole: bool) -> bool:
    """Return whether a check reports all diagnostics of *code*.

    Unless it *is_whole*, some targets are not checked. Only runs report PG8xx.
    """
    if code is codes.FOREIGN_VARIABLE and not is_whole:
        return False
    return code.number[2] in ("1234567" if is_whole else "123457") and has_program(code)


def _check_targets(analysed: Analysed, targets: Sequence[Target], report: Report) -> None:
    for target in targets:
        try:
            generate(analysed, target, {}, report)
        except Stopped:
            continue
