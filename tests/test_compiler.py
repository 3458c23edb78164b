"""The compiler's stages in order: where they stop, which pipelines are selected, and deterministic output."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from config.sample_configs import written

from pipegen.compiler import analyse, generate
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped
from pipegen.plan.model import Plan
from pipegen.targets import registry
from pipegen.targets.base import GeneratedFile, Request, Target

TWO = """
    pipelines:
      test: {stages: [{name: unit}]}
      publish: {stages: [{name: production, build: x, publish: {image: true}}]}
    targets:
      outline: {title: order}
"""


@pytest.fixture(autouse=True)
def _offers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the target of these tests."""
    monkeypatch.setattr(registry, "names", lambda: (*registry.BUILT_IN, "outline"))


def outline(fails: str = "") -> Target:
    """Return a target that writes the received request; with *fails*, a target that reports an error."""

    def make(plans: Sequence[Plan], request: Request, report: Report) -> Sequence[GeneratedFile]:
        if fails:
            report.add(codes.ENGINE_HAS_NO_VALUE, fails, at=plans[0].span)
        names = " ".join(plan.name for plan in plans)
        return [GeneratedFile("outline", f"{request.source} {names} {request.selected} {dict(request.options)}")]

    settings: Mapping[str, object] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {"title": {"type": "string"}},
    }
    return cast(
        Target,
        SimpleNamespace(NAME="outline", FILE="outline", CAPABILITIES=(), SETTINGS=settings, OPTIONS={}, generate=make),
    )


def numbers(text: str, *chosen: str) -> list[str]:
    """Return the numbers of the diagnostics when *text* is analysed, which must stop."""
    report = Report()
    with pytest.raises(Stopped):
        analyse(written(text), chosen, report)
    return [diagnostic.code.number for diagnostic in report.diagnostics()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pipelines: {a: {stages: [{name: x}]}", ["PG102"]),
        ("pipelines: {a: 1, a: 2}", ["PG103"]),
        ("pipelines: {a: {stages: [{nam: x}]}}", ["PG201", "PG207"]),
        ("pipelines: {a: {stages: [{name: x}], execution: [[y]]}}", ["PG402", "PG301"]),
        ("pipelines: {a: {stages: [{name: x}, {name: x, run: {image: z}}]}}", ["PG302"]),
    ],
    ids=["reading", "repeated key", "schema", "graph", "plan"],
)
def test_compilation_stops_after_a_stage_with_errors(text: str, expected: list[str]) -> None:
    """That stage reports all its errors, and later stages do not run."""
    assert numbers(text) == expected


def test_names_graph_and_plan_are_checked_together() -> None:
    """For all pipelines; a cycle does not hide other errors."""
    texts = numbers("""
        pipelines:
          a:
            stages: [{name: x}, {name: y, build: '${x.nope}'}, {name: z, build: '${x.stage}'}]
            execution: [[x, y, x, z]]
          b: {stages: [{name: x, run: {image: '${nope.imageID}'}}]}
          c: {stages: [{name: x, build: b, run: true, copy: [../x]}, {name: x}]}
    """)

    assert texts == ["PG307", "PG403", "PG304", "PG505", "PG302"]


def test_warnings_and_notes_do_not_stop_compilation() -> None:
    """Only errors stop it."""
    report = Report()
    analysed = analyse(written("pipelines: {a: {stages: [{name: x}, {name: y}], execution: [[x]]}}"), (), report)

    assert [plan.name for plan in analysed.plans] == ["a"]
    assert [diagnostic.code.number for diagnostic in report.diagnostics()] == ["PG402"]


@pytest.mark.parametrize(
    ("chosen", "plans", "notes"),
    [
        ((), ["test", "publish"], ["PG501"]),
        (("publish",), ["publish"], []),
        (("publish", "test"), ["test", "publish"], []),
        (("test", "test"), ["test"], []),
    ],
)
def test_pipelines_are_selected_by_name(chosen: tuple[str, ...], plans: list[str], notes: list[str]) -> None:
    """They keep the user's order, and no note says that they are on demand."""
    report = Report()
    analysed = analyse(written(TWO), chosen, report)

    assert [plan.name for plan in analysed.plans] == plans
    assert [diagnostic.code.number for diagnostic in report.diagnostics()] == notes
    assert analysed.selected == chosen


def test_pipelines_without_stages_are_omitted_with_a_warning() -> None:
    """A single remaining pipeline counts as the only one of the file."""
    report = Report()
    text = "pipelines: {a: {stages: [{name: x, script: y}]}"
    analysed = analyse(written(f"{text}, b: {{stages: [], execution: [[]]}}, c: {{stages: []}}}}"), (), report)

    assert analysed.plans == analyse(written(f"{text}}}"), (), Report()).plans
    assert [diagnostic.code.number for diagnostic in report.diagnostics()] == ["PG211", "PG211"]


def test_arcs_and_finally_without_stages_name_unknown_stages() -> None:
    """Each reference is reported, in addition to the empty pipeline."""
    assert numbers("pipelines: {a: {stages: [], execution: [[x]], finally: [y]}}") == ["PG211", "PG301", "PG301"]


def test_every_unknown_pipeline_is_reported() -> None:
    """There is one error for each name."""
    assert numbers(TWO, "publsh", "nope") == ["PG640", "PG640"]


def test_unselected_pipelines_are_only_checked_against_the_schema() -> None:
    """Other errors in them do not prevent the compilation."""
    text = "pipelines: {a: {stages: [{name: x}]}, b: {stages: [{name: x, run: true}]}}"

    assert [plan.name for plan in analyse(written(text), ("a",), Report()).plans] == ["a"]


def test_a_reference_into_an_unselected_pipeline_is_reported() -> None:
    """The diagnostic is the one for a stage of another pipeline."""
    text = "pipelines: {a: {stages: [{name: x, run: {image: '${y.imageID}'}}]}, b: {stages: [{name: y}]}}"

    assert numbers(text, "a") == ["PG305"]


def test_the_target_gets_the_plans_and_its_own_settings() -> None:
    """It also gets the options of the command line."""
    analysed = analyse(written(TWO), ("test",), Report())
    (file,) = generate(analysed, outline(), {"style": "x"}, Report())

    assert file.text.endswith("pipegen.yaml test ('test',) {'style': 'x'}")


def test_settings_are_checked_against_the_targets_own_schema() -> None:
    """The diagnostic is at the user's line."""
    report = Report()
    with pytest.raises(Stopped):
        generate(analyse(written(TWO.replace("title", "titel")), (), report), outline(), {}, report)
    diagnostic = next(diagnostic for diagnostic in report.diagnostics() if diagnostic.code.number == "PG201")

    assert diagnostic.primary is not None
    assert (diagnostic.primary.span.text, diagnostic.primary.span.first.line) == ("titel", 6)


def test_an_error_of_a_target_stops_the_compilation() -> None:
    """The target first reports all its diagnostics."""
    report = Report()
    with pytest.raises(Stopped):
        generate(analyse(written(TWO), (), report), outline(fails="no"), {}, report)

    assert [diagnostic.code.number for diagnostic in report.diagnostics()] == ["PG641", "PG501"]


def test_a_file_is_compiled_from_text_to_generated_files() -> None:
    """The target gets all pipelines in one call."""
    (file,) = generate(analyse(written(TWO), (), Report()), outline(), {}, Report())

    assert file.text == "pipegen.yaml test publish () {}"


PROGRAM = """
import json, sys
from contextlib import suppress
from pathlib import Path
from pipegen.cli.commands.plan import as_data
from pipegen.compiler import analyse
from pipegen.config.files.load import load
from pipegen.diagnostics.render import FORMATS
from pipegen.diagnostics.report import Report, Stopped

for path in sorted(Path(sys.argv[1]).rglob("pipeline.yml")):
    report = Report()
    with suppress(Stopped):
        analysed = analyse(load(path, report), (), report)
        print(json.dumps(as_data(analysed.plans)), [(plan.graph, plan.jobs) for plan in analysed.plans])
    print(FORMATS["text"](report.diagnostics()))
"""


@pytest.mark.slow
def test_output_does_not_depend_on_the_hash_seed() -> None:
    """No set is iterated on the way to output."""
    tests = Path(__file__).parent
    outputs = [
        subprocess.run(
            (sys.executable, "-c", PROGRAM, str(tests / "diagnostics")),
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(tests.parent), "PYTHONIOENCODING": "utf-8"},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "1")
    ]

    assert len(outputs[0]) > 10_000
    assert outputs[0] == outputs[1]
