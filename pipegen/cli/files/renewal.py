"""`compile --all`, and `compile --check` without options: all generated files, with the options in their headers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.files.drift import CheckResult, check_results, edited, regenerate_all, report_edited, report_missing
from pipegen.cli.files.regenerate import Result
from pipegen.cli.files.repository import current_repository
from pipegen.cli.files.writing import obstacle, show_check_result, show_checked, write_one
from pipegen.cli.session import Format, attempt, named_targets, show
from pipegen.cli.terminal.streams import say
from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.files.load import USUAL_NAMES, find
from pipegen.diagnostics.report import Report, Stopped
from pipegen.structs import Struct

_Group = tuple[Result, ...]


class _Regenerated(Struct):
    """All regenerated files, each after its children.

    *missing* are the files of the config in the current folder that do not exist.
    """

    result: CheckResult
    groups: tuple[_Group, ...]
    missing: tuple[_Group, ...]


def check_all(form: Format, *, strict: bool) -> Exit:
    """Show how each generated file of the repository differs from what its config says, and why."""
    regenerated = _regenerate(strict=strict)
    for results in regenerated.groups:
        check_results(results, regenerated.result, "pipegen compile --all")
    for results in regenerated.missing:
        check_results(results, regenerated.result, "pipegen compile")
    return show_checked(regenerated.result, form)


def write_all(form: Format, *, strict: bool, force: bool) -> Exit:
    """Write all generated files of the repository; unless *force*, keep those that `write_files` keeps."""
    regenerated = _regenerate(strict=strict)
    checked = regenerated.result
    if not force and (reason := obstacle([*chain.from_iterable(regenerated.groups)])):
        show(checked.report.diagnostics(), form, sys.stderr)
        say(reason)
        return Exit.PROBLEMS
    for results in regenerated.groups:
        edited_files = () if force else tuple(edited(results))
        for written, result in edited_files:
            report_edited(written, result, checked.report)
        if not edited_files:
            checked.words += [write_one(result) for result in results]
    for results in regenerated.missing:
        if not results[-1].path.exists():
            report_missing(results[-1], "pipegen compile", checked.report)
    return show_check_result(checked, form, sys.stderr)


def _regenerate(*, strict: bool) -> _Regenerated:
    repository, checked = current_repository(), CheckResult(Report(), strict)
    groups = regenerate_all(repository, checked)
    config = find(Path())
    own = Report()  # errors in a shared report would stop the analysis
    analysed = attempt(config, own, lambda file: analyse(file, (), own)) if config else None
    checked.report.take(own)
    if not repository.generated and (analysed is None or not analysed.settings) and not checked.report.has_errors():
        raise WrongUsage(
            "no generated file in this repository, and no config with targets in this folder: "
            f"looked for {', '.join(USUAL_NAMES)}"
        )
    return _Regenerated(checked, groups, tuple(_missing(analysed, groups)) if analysed is not None else ())


def _missing(analysed: Analysed, groups: Sequence[_Group]) -> Iterator[_Group]:
    """Yield the files of the config in the current folder for targets without generated files."""
    existing = {(group[-1].config.absolute_path, group[-1].target) for group in groups if group}
    for target in named_targets(analysed):
        if (analysed.file.absolute_path, target.NAME) not in existing:
            try:
                files = generate(analysed, target, {}, Report())
            except Stopped:
                continue
            yield tuple(
                Result(target=target.NAME, path=Path(file.name), file=file, config=analysed.file) for file in files
            )
