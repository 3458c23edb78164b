"""The excerpt of a generated file for each stage, for every golden case."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipegen.cli.pictures.excerpts import excerpts
from pipegen.cli.pictures.stage_details import details, written_stages
from pipegen.compiler import analyse, expand
from pipegen.config.files.load import load
from pipegen.diagnostics.report import Report
from pipegen.targets import registry

CASES = sorted(path.parent for path in (Path(__file__).parents[1] / "golden").glob("*/pipeline.yml"))
# A stage that stops an environment is not in a Jenkinsfile.
LEFT_OUT = {
    ("gates", "jenkins"): {("service", "stop")},
    ("port-of-gitlab", "jenkins"): {("shop", "stop review")},
}


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_every_stage_has_an_excerpt(case: Path) -> None:
    """Both engines have one, which is part of the generated file."""
    analysed = analyse(load(case / "pipeline.yml", Report()), (), Report())
    stages = {(plan.name, job.stage) for plan in analysed.plans for job in plan.jobs}
    for name in ("gitlab", "jenkins"):
        values, reason = excerpts(analysed, registry.load(name))

        assert reason == ""
        assert stages - values.keys() == LEFT_OUT.get((case.name, name), set())
        assert all(text.endswith("\n") and text.strip() for text in values.values())


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_every_stage_has_its_config(case: Path) -> None:
    """This includes included files, called pipelines and combinations of a matrix, but not webhooks."""
    analysed = analyse(load(case / "pipeline.yml", Report()), (), Report())
    written = written_stages(expand(analysed.file, Report()))

    posting = {job.stage for plan in analysed.plans for job in plan.jobs if job.posts}

    assert all(
        detail["config"]
        for plan in analysed.plans
        for stage, detail in details(plan, written).items()
        if stage not in posting
    )
