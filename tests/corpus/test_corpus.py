"""Every real config is analysed without a crash, and rejected only for a listed reason."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from corpus.table import SCHEMA, SEMANTIC, TABLE, WARNED, Outcome
from diagnostics_render.published_schemas import CHECKS

from pipegen.compiler import analyse
from pipegen.config.files.load import load
from pipegen.diagnostics.model import Severity
from pipegen.diagnostics.render import FORMATS
from pipegen.diagnostics.report import Report, Stopped
from pipegen.plan.model import Plan

FOLDER = Path(__file__).parents[3] / "shared" / "corpus"


def index() -> list[dict[str, str]]:
    """Return the rows of the corpus's own table; none if the corpus is missing."""
    path = FOLDER / "INDEX.tsv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


INDEX = index()
NAMES = [row["file"] for row in INDEX]
pytestmark = pytest.mark.skipif(not INDEX, reason="the folder shared/corpus is not beside the checkout")


@cache
def analysed(name: str) -> tuple[tuple[Plan, ...], Report]:
    """Return the plans of the file *name*, and the report."""
    report = Report()
    with suppress(Stopped):
        file = load(FOLDER / name, report, shown=name)
        report.stop_if_errors()
        return analyse(file, (), report).plans, report
    return (), report


def errors(report: Report) -> Iterator[tuple[str, int]]:
    """Yield code and line of each error."""
    for diagnostic in report.diagnostics():
        if diagnostic.severity is Severity.ERROR:
            assert diagnostic.primary is not None
            yield diagnostic.code.number, diagnostic.primary.span.first.line


@pytest.mark.parametrize("name", NAMES)
def test_a_file_has_the_outcome_in_the_table(name: str) -> None:
    """Files that are not in the table are accepted, and only those in WARNED have warnings."""
    plans, report = analysed(name)
    expected = TABLE.get(name, Outcome((), "it is fine"))

    assert tuple(errors(report)) == expected.errors, expected.reason
    assert bool(plans) is not bool(expected.errors)
    assert expected.errors or report.has_errors(strict=True) is (name in WARNED)


@pytest.mark.parametrize("name", NAMES)
def test_every_span_is_within_the_file(name: str) -> None:
    """Every job has the span of its name."""
    plans, report = analysed(name)
    labels = [
        label for diagnostic in report.diagnostics() for label in (diagnostic.primary, *diagnostic.related) if label
    ]
    spans = [*(label.span for label in labels), *(job.span for plan in plans for job in plan.jobs)]

    assert all(0 <= span.start <= span.end <= len(span.file.text) for span in spans)
    assert all(job.span.text.strip("'\"") == job.stage for plan in plans for job in plan.jobs)
    assert all(FORMATS[form](report.diagnostics()) for form in FORMATS if labels)


@pytest.mark.parametrize("form", CHECKS)
def test_reports_of_real_configs_are_valid(form: str) -> None:
    """This holds for each file, and for all files in one report."""
    pairs = [analysed(name)[1].diagnostics() for name in NAMES]
    whole = [text for texts in pairs for text in texts]

    assert len(whole) > 100
    assert [wrong for texts in (*pairs, whole) for wrong in CHECKS[form](FORMATS[form](texts))] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_plan_has_all_stages_and_arcs(name: str) -> None:
    """Each stage of the graph is a job, in a later frame than its needs."""
    for plan in analysed(name)[0]:
        frames = {job.stage: job.frame or 0 for job in plan.jobs}

        assert sorted(frames) == sorted(plan.graph.nodes)
        assert all(job.needs == plan.graph.predecessors(job.stage) for job in plan.jobs)
        assert all(frames[need] < frames[job.stage] for job in plan.jobs for need in job.needs)
        assert all(output.stage in plan.graph.ancestors(job.stage) for job in plan.jobs for output in job.inputs)
        assert all(output.name in plan.job(output.stage).outputs for job in plan.jobs for output in job.inputs)


def test_the_table_lists_exactly_what_pipelinelib_rejects() -> None:
    """These are files that its schema or YAML rejects, and files that fail in a run."""
    refused = {row["file"] for row in INDEX if row["schema"] != "pass"}
    failed = {row["file"] for row in INDEX if row["schema"] == "pass" and row["semantic"] != "-"}

    assert SCHEMA.keys() == refused
    assert SEMANTIC.keys() == failed
    assert len([row for row in INDEX if row["schema"] == "FAIL"]) == 19
