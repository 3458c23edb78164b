"""`compile --all`, and `compile --check` alone: each generated file of the repository, as its own header says."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.files.drift import CheckResult, check_results, edited, remake_all, report_edited, report_missing
from pipegen.cli.files.regenerate import Result
from pipegen.cli.files.repository import here
from pipegen.cli.files.writing import show_checked, show_found, write_one
from pipegen.cli.session import Format, attempt, named_targets
from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.files.load import USUAL_NAMES, find
from pipegen.diagnostics.report import Report, Stopped
from pipegen.structs import Struct

_Group = tuple[Result, ...]


class _Remade(Struct):
    """All generated files as their configs say them, each behind its children.

    *missing* are those that the config here asks for, and that lie nowhere as generated files.
    """

    found: CheckResult
    groups: tuple[_Group, ...]
    missing: tuple[_Group, ...]


def check_all(form: Format, *, strict: bool) -> Exit:
    """Show how each generated file of the repository differs from what its config says, and why."""
    remade = _remade(strict=strict)
    for results in remade.groups:
        check_results(results, remade.found, "pipegen compile --all")
    for results in remade.missing:
        check_results(results, remade.found, "pipegen compile")
    return show_checked(remade.found, form)


def write_all(form: Format, *, strict: bool, force: bool) -> Exit:
    """Write each generated file of the repository anew; what a person changed is kept unless *force* says otherwise."""
    remade = _remade(strict=strict)
    found = remade.found
    for results in remade.groups:
        kept = () if force else tuple(edited(results))
        for written, result in kept:
            report_edited(written, result, found.report)
        if not kept:
            found.words += [write_one(result) for result in results]
    for results in remade.missing:
        if not results[-1].path.exists():
            report_missing(results[-1], "pipegen compile", found.report)
    return show_found(found, form, sys.stderr)


def _remade(*, strict: bool) -> _Remade:
    repository, found = here(), CheckResult(Report(), strict)
    groups = remake_all(repository, found)
    config = find(Path())
    own = Report()  # one that holds errors would stop what it is given to
    analysed = attempt(config, own, lambda file: analyse(file, (), own)) if config else None
    found.report.take(own)
    if not repository.generated and (analysed is None or not analysed.settings) and not found.report.has_errors():
        raise WrongUsage(
            "no generated file in this repository, and no config here that names targets: "
            f"looked for {', '.join(USUAL_NAMES)}"
        )
    return _Remade(found, groups, tuple(_missing(analysed, groups)) if analysed is not None else ())


def _missing(analysed: Analysed, groups: Sequence[_Group]) -> Iterator[_Group]:
    """Yield what `compile` would write for the config here where no generated file of that target lies anywhere."""
    there = {(group[-1].config.absolute_path, group[-1].target) for group in groups if group}
    for target in named_targets(analysed):
        if (analysed.file.absolute_path, target.NAME) not in there:
            try:
                files = generate(analysed, target, {}, Report())
            except Stopped:
                continue
            yield tuple(
                Result(target=target.NAME, path=Path(file.name), file=file, config=analysed.file) for file in files
            )
