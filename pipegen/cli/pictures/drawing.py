"""Pictures for `graph`: of a config, or of the order that a generated file enforces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pipegen.cli.pictures.excerpts import excerpts
from pipegen.cli.pictures.pictured import bare_picture, picture
from pipegen.cli.pictures.stage_details import details, written_stages
from pipegen.cli.session import Format, load_targets, show_made
from pipegen.cli.timing.orders import READABLE
from pipegen.compiler import Analysed, expand
from pipegen.diagnostics.report import Report
from pipegen.pictures.model import Picture
from pipegen.pictures.page import render_page
from pipegen.pictures.svg import render_svg
from pipegen.readback.generated import Reading
from pipegen.source.text import SourceFile
from pipegen.structs import replace
from pipegen.targets.base import Target


def of_file(reading: Reading, *, is_page: bool) -> str:
    """Return the picture of what a generated file enforces."""
    pictures = [bare_picture(reading.file.path, reading.graph)]
    return render_page(reading.file.path, pictures) if is_page else render_svg(pictures)


def of_config(
    given: Path | None,
    analyse: Callable[[SourceFile, Report], Analysed],
    targets: Sequence[str] | None,
    form: Format,
    *,
    is_page: bool,
) -> str:
    """Return the picture of the config that the user means; on a page, with what *targets* make of each stage."""
    chosen = load_targets(targets or ())

    def work(file: SourceFile, report: Report) -> str:
        analysed = analyse(file, report)
        pictures = [picture(plan) for plan in analysed.plans]
        if not is_page:
            return render_svg(pictures)
        return render_page(file.from_root, _with_details(analysed, pictures, chosen or _usual(analysed)))

    return show_made(given, work, form)


def _usual(analysed: Analysed) -> tuple[Target, ...]:
    """Return the targets that the config names, those that can be read where it names none."""
    return load_targets([name for name in analysed.settings if name in READABLE] or READABLE)


def _with_details(analysed: Analysed, pictures: Sequence[Picture], targets: Sequence[Target]) -> list[Picture]:
    """Return *pictures* with what is told of each stage."""
    written = written_stages(expand(analysed.file, Report()))
    made = [(target.NAME, *excerpts(analysed, target)) for target in targets]
    found = []
    for plan, one in zip(analysed.plans, pictures, strict=True):
        told = details(plan, written)
        for stage, detail in told.items():
            detail["generated"] = [[name, parts.get((plan.name, stage), ""), reason] for name, parts, reason in made]
        found.append(_told(one, told))
    return found


def _told(one: Picture, told: Mapping[str, Mapping[str, object]]) -> Picture:
    return replace(one, stages=tuple(replace(stage, detail=told[stage.name]) for stage in one.stages))
