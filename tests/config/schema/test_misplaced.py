"""Keys that the language knows, at another place."""

from __future__ import annotations

import pytest

from pipegen.config.files.load import decode
from pipegen.config.read import read
from pipegen.config.schema.check import check_schema
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report

_HEAD = "pipelines:\n  test:\n    stages:\n      - name: unit\n"


def _check(text: str) -> tuple[Diagnostic, ...]:
    report = Report()
    check_schema(read(decode(text.encode(), "pipegen.yaml", "", report), report), report)
    return report.diagnostics()


def _one(text: str) -> Diagnostic:
    (found,) = _check(text)
    assert found.code.number == "PG205"
    return found


@pytest.mark.parametrize(
    ("keys", "message", "hint"),
    [
        (
            "publish: {image: true, tags: [a]}",
            '"tags" belongs under "image", not beside it',
            'write "image:" without "true" and indent "tags" below it',
        ),
        (
            "run:\n        arguments: [a]",
            '"arguments" belongs under "run", not beside it',
            'write "run:" and indent "arguments" below it',
        ),
        (
            "deploy: {chart: {name: a}, version: b}",
            '"version" belongs under "chart", not beside it',
            'write "chart:" and indent "version" below it',
        ),
        ("tail: 1", '"tail" belongs under "run", not in a stage', 'write "run: {tail: …}"'),
        (
            "publish: {}\n        tags: [a]",
            '"tags" belongs under "publish.image", not in a stage',
            'write "publish: {image: {tags: …}}"',
        ),
        (
            "artifacts: {exclude: [a]}\n        cache: {key: a}\n        paths: [b]",
            '"paths" belongs under "cache" or "artifacts", not in a stage',
            'write "cache:" and indent "paths" below it',
        ),
        (
            "build: {variant: a, run: true}",
            '"run" belongs in a stage, not under "build"',
            'move "run" out, to line up with "name"',
        ),
        (
            "execution: [[unit]]",
            '"execution" belongs in a pipeline, not in a stage',
            'move "execution" out, to line up with "stages"',
        ),
        (
            "build: {variant: a, arguments: [b]}",
            '"arguments" belongs under "run", not under "build"',
            'write "run: {arguments: …}"',
        ),
    ],
)
def test_key_within_a_stage(keys: str, message: str, hint: str) -> None:
    """The place that is meant is a key beside, else further out, else further in, else in the same stage."""
    found = _one(f"{_HEAD}        {keys}\n")

    assert (found.message, found.hint) == (message, hint)


def test_step_beside_the_stages() -> None:
    """A step in a pipeline is shown the last stage above it."""
    found = _one(f"{_HEAD}      - name: docs\n    publish: {{image: true}}\n")

    assert found.message == '"publish" belongs in a stage, not in a pipeline'
    assert [(label.span.text, label.text) for label in found.related] == [("docs", "possibly in this one")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("templates: {a: {arguments: [b]}}\n", '"arguments" belongs under "run", not in a template'),
        ("templates: {a: {run: {publish: {image: true}}}}\n", '"publish" belongs in a template, not under "run"'),
    ],
)
def test_key_within_a_template(text: str, message: str) -> None:
    """Places within the same template are meant, not those of stages."""
    assert _one(f"{_HEAD}{text}").message == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("    defaults: {arguments: [b]}\n", '"arguments" belongs under "run", not under "defaults"'),
        ("    image: python\n", '"image" belongs in a stage, not in a pipeline'),
        ("    timeout: 5m\n", '"timeout" belongs in a stage, not in a pipeline'),
        ("image: python\n", '"image" belongs in a stage, not at the top level'),
        ("when: {branch: main}\n", '"when" belongs in a pipeline, not at the top level'),
    ],
)
def test_templates_and_defaults_multiply_no_place(text: str, message: str) -> None:
    """What templates hold too belongs in a stage for one who has written none."""
    assert _one(f"{_HEAD}{text}").message == message


def test_key_for_all_stages_beside_them() -> None:
    """Other engines take it there; here the defaults are the place."""
    found = _one(f"{_HEAD}    image: python\n")

    assert found.hint == (
        'indent "image" to line up with the "name" of its stage, '
        'or move it to "defaults" of the pipeline for all stages'
    )


def test_step_beside_the_pipelines() -> None:
    """A step at the top level is a key of a stage too."""
    found = _one(f"{_HEAD}publish: {{image: true}}\n")

    assert found.message == '"publish" belongs in a stage, not at the top level'
    assert [label.span.text for label in found.related] == ["unit"]


def test_pipeline_beside_the_pipelines() -> None:
    """What holds stages is a pipeline, whatever it is called."""
    found = _one(f"{_HEAD}publish:\n  stages: [{{name: a}}]\n")

    assert found.message == 'pipeline "publish" belongs under "pipelines", not at the top level'
    assert found.hint == 'indent "publish" and the lines below it, to line up with "test"'


def test_pipelines_without_the_key_above() -> None:
    """Pipelines at the top level are not also told that `pipelines` is missing."""
    found = _check("test: {stages: [{name: a}]}\ndocs: {stages: [{name: b}]}\n")

    assert [one.hint for one in found] == [
        f'write "pipelines:" on the line above, and indent "{name}" and the lines below it' for name in ("test", "docs")
    ]


def test_keys_of_a_pipeline_at_the_top_level() -> None:
    """A config without pipelines and names is told what goes above."""
    found = _one("stages: [{name: a}]\n")

    assert found.message == '"stages" belongs in a pipeline, not at the top level'
    assert found.hint is not None
    assert found.hint.startswith('write "pipelines:" and the name of a pipeline above')


def test_key_of_a_pipeline_in_place_of_its_name() -> None:
    """`stages` in line with the name of its pipeline is one mistake, not an empty pipeline as well."""
    found = _one("pipelines:\n  test:\n  stages: [{name: a}]\n")

    assert found.message == '"stages" belongs in a pipeline, not directly under "pipelines"'
    assert found.hint == 'indent "stages" and the lines below it, below "test:"'
    assert [label.span.text for label in found.related] == ["test"]


def test_key_of_a_pipeline_without_a_name_above() -> None:
    """Without an empty pipeline above, the name is what is missing."""
    found = _one("pipelines:\n  stages: [{name: a}]\n")

    assert found.hint == 'write the name of the pipeline on the line above, and indent "stages" and the lines below it'


def test_empty_value_above_is_the_same_mistake() -> None:
    """A key that is empty because its keys are not indented is not told of by itself."""
    found = _check(f"{_HEAD}        publish:\n          image:\n          tags: [a]\n          name: b\n")

    assert [(one.code.number, one.message) for one in found] == [
        ("PG205", '"tags" belongs under "image", not beside it'),
        ("PG205", '"name" belongs under "image", not beside it'),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{_HEAD}    name: x\n", 'unknown key "name" in pipeline "test"'),
        (f"{_HEAD}    fetch: {{tag: true}}\n", 'unknown key "tag" in "fetch"'),
        (f"{_HEAD}        jobs: [a]\n", 'unknown key "jobs" in stage "unit"'),
        (f"{_HEAD}    execution: []\n      \nexecutions: []\n", 'unknown key "executions" in the config'),
    ],
)
def test_unknown_key_that_is_not_misplaced(text: str, message: str) -> None:
    """A key that means many things, looks like a slip, or is known nowhere is just unknown."""
    (found,) = _check(text)

    assert (found.code.number, found.message) == ("PG201", message)
