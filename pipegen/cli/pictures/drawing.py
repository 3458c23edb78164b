"""Pictures for `graph`: of a config, or of the order that a generated file enforces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pipegen.cli.pictures.excerpts import excerpts
from pipegen.cli.pictures.pictured import bare_picture, picture
from pipegen.cli.pictures.stage_details import details, written_stages
from pipegen.cli.session import Format, load_targets, show_result
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
    """Return the picture of the order that a generated file enforces."""
    pictures = [bare_picture(reading.file.path, reading.graph)]
    return render_page(reading.file.path, pictures) if is_page else render_svg(pictures)


def of_config(
    config: Path | None,
    analyse: Callable[[SourceFile, Report], Analysed],
    targets: Sequence[str],
    form: Format,
    *,
    is_page: bool,
) -> str:
    """Return the picture of a config; on a page, with the text that *targets* generate for each stage."""
    loaded_targets = load_targets(targets)

    def work(file: SourceFile, report: Report) -> str:
        analysed = analyse(file, report)
        pictures = [picture(plan) for plan in analysed.plans]
        if not is_page:
            return render_svg(pictures)
        return render_page(file.from_root, _with_details(analysed, pictures, loaded_targets or _usual(analysed)))

    return show_result(config, work, form)


def _usual(analysed: Analysed) -> tuple[Target, ...]:
    """Return the readable targets of the config, or all readable targets if there are none."""
    return load_targets([name for name in analysed.settings if name in READABLE] or READABLE)


def _with_details(analysed: Analysed, pictures: Sequence[Picture], targets: Sequence[Target]) -> list[Picture]:
    """Return *pictures* with the details of each stage."""
    written = written_stages(expand(analysed.file, Report()))
    excerpts_by_target = [(target.NAME, *excerpts(analysed, target)) for target in targets]
    detailed = []
    for plan, plan_picture in zip(analysed.plans, pictures, strict=True):
        details_by_stage = details(plan, written)
        for stage, detail in details_by_stage.items():
            detail["generated"] = [
                [name, parts.get((plan.name, stage), ""), reason] for name, parts, reason in excerpts_by_target
            ]
        detailed.append(_add_details(plan_picture, details_by_stage))
    return detailed


def _add_details(bare: Picture, details_by_stage: Mapping[str, Mapping[str, object]]) -> Picture:
    return replace(bare, stages=tuple(replace(stage, detail=details_by_stage[stage.name]) for stage in bare.stages))
