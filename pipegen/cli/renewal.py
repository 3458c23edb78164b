"""`compile --all`, and `compile --check` alone: each generated file of the repository, as its own header says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipegen.cli.drift import Found, check_results, edited, remake_all, report_edited, report_missing
from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.regenerate import Result
from pipegen.cli.repository import here
from pipegen.cli.session import Format, attempt, named_targets
from pipegen.cli.writing import show_found, write_one
from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.load import USUAL_NAMES, find
from pipegen.diagnostics.report import Report, Stopped

_AGAIN = "pipegen compile --all"


def check_all(form: Format, *, strict: bool) -> Exit:
    """Show how each generated file of the repository differs from what its config says, and why."""
    found, groups = _remade(strict=strict)
    for results in groups:
        check_results(results, found, _AGAIN)
    return show_found(found, form)


def write_all(form: Format, *, strict: bool, force: bool) -> Exit:
    """Write each generated file of the repository anew; what a person changed is kept unless *force* says otherwise."""
    found, groups = _remade(strict=strict)
    for results in groups:
        kept = () if force else tuple(edited(results))
        for written, result in kept:
            report_edited(written, result, found.report)
        if not kept:
            found.words += [write_one(result) for result in results]
    return show_found(found, form)


def _remade(*, strict: bool) -> tuple[Found, tuple[tuple[Result, ...], ...]]:
    """Return all generated files as their configs say them, each behind its children; problems on the way are found."""
    repository, found = here(), Found(Report(), strict)
    groups = remake_all(repository, found)
    config = find(Path())
    own = Report()  # one that holds errors would stop what it is given to
    analysed = attempt(config, own, lambda file: analyse(file, (), own)) if config else None
    found.report.take(own)
    if analysed is not None:
        for result in _missing(analysed, groups):
            report_missing(result, "pipegen compile", found.report)
    if not repository.generated and (analysed is None or not analysed.settings) and not found.report.has_errors():
        raise WrongUsage(
            "no generated file in this repository, and no config here that names targets: "
            f"looked for {', '.join(USUAL_NAMES)}"
        )
    return found, groups


@dataclass(frozen=True, slots=True)
class _Made:
    """A config, and the usual name of what was made from it: which target that was."""

    config: Path | None
    name: str


def _missing(analysed: Analysed, groups: Sequence[Sequence[Result]]) -> Iterator[Result]:
    """Yield what `compile` would write for the config here where no generated file of that target lies anywhere."""
    there = {_Made(group[-1].config.place, group[-1].file.name) for group in groups if group}
    for target in named_targets(analysed):
        if _Made(analysed.file.place, target.FILE) not in there and not Path(target.FILE).exists():
            try:
                files = generate(analysed, target, {}, Report())
            except Stopped:
                continue
            yield Result(path=Path(files[-1].name), file=files[-1], config=analysed.file)
