"""Known keys in the wrong place."""

from __future__ import annotations

import pytest
from config.sample_configs import violations

from pipegen.diagnostics.model import Diagnostic

_HEAD = "pipelines:\n  test:\n    stages:\n      - name: unit\n"


def _only_diagnostic(text: str) -> Diagnostic:
    (diagnostic,) = violations(text)
    assert diagnostic.code.number == "PG205"
    return diagnostic


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
def test_a_misplaced_key_in_a_stage(keys: str, message: str, hint: str) -> None:
    """The suggested place is under a sibling key, further out, further in, or in the same stage, in this order."""
    diagnostic = _only_diagnostic(f"{_HEAD}        {keys}\n")

    assert (diagnostic.message, diagnostic.hint) == (message, hint)


def test_a_step_next_to_the_stages() -> None:
    """The related label is the last stage above it."""
    diagnostic = _only_diagnostic(f"{_HEAD}      - name: docs\n    publish: {{image: true}}\n")

    assert diagnostic.message == '"publish" belongs in a stage, not in a pipeline'
    assert [(label.span.text, label.text) for label in diagnostic.related] == [("docs", "possibly in this one")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("templates: {a: {arguments: [b]}}\n", '"arguments" belongs under "run", not in a template'),
        ("templates: {a: {run: {publish: {image: true}}}}\n", '"publish" belongs in a template, not under "run"'),
    ],
)
def test_a_misplaced_key_in_a_template(text: str, message: str) -> None:
    """The suggested place is in the same template, not in a stage."""
    assert _only_diagnostic(f"{_HEAD}{text}").message == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("    defaults: {arguments: [b]}\n", '"arguments" belongs under "run", not under "defaults"'),
        ("    image: python\n", '"image" belongs in a stage, not in a pipeline'),
        ("image: python\n", '"image" belongs in a stage, not at the top level'),
        ("when: {branch: main}\n", '"when" belongs in a pipeline, not at the top level'),
    ],
)
def test_templates_and_defaults_are_not_suggested_places(text: str, message: str) -> None:
    """They have the keys of a stage, but a stage is suggested unless the key is in one of them."""
    assert _only_diagnostic(f"{_HEAD}{text}").message == message


def test_a_stage_key_of_a_pipeline_suggests_defaults() -> None:
    """Other engines allow it there; here, the place is `defaults`."""
    diagnostic = _only_diagnostic(f"{_HEAD}    image: python\n")

    assert diagnostic.hint == (
        'indent "image" to line up with the "name" of its stage, '
        'or move it to "defaults" of the pipeline for all stages'
    )


def test_a_step_next_to_the_pipelines() -> None:
    """A step at the top level is also a key of a stage."""
    diagnostic = _only_diagnostic(f"{_HEAD}publish: {{image: true}}\n")

    assert diagnostic.message == '"publish" belongs in a stage, not at the top level'
    assert [label.span.text for label in diagnostic.related] == ["unit"]


def test_a_pipeline_next_to_the_pipelines() -> None:
    """A key with `stages` is a pipeline, regardless of its name."""
    diagnostic = _only_diagnostic(f"{_HEAD}publish:\n  stages: [{{name: a}}]\n")

    assert diagnostic.message == 'pipeline "publish" belongs under "pipelines", not at the top level'
    assert diagnostic.hint == 'indent "publish" and the lines below it, to line up with "test"'


def test_pipelines_without_the_key_pipelines() -> None:
    """The missing key `pipelines` is not reported in addition."""
    diagnostics = violations("test: {stages: [{name: a}]}\ndocs: {stages: [{name: b}]}\n")

    assert [diagnostic.hint for diagnostic in diagnostics] == [
        f'write "pipelines:" on the line above, and indent "{name}" and the lines below it' for name in ("test", "docs")
    ]


def test_keys_of_a_pipeline_at_the_top_level() -> None:
    """The hint gives the lines to add above."""
    diagnostic = _only_diagnostic("stages: [{name: a}]\n")

    assert diagnostic.message == '"stages" belongs in a pipeline, not at the top level'
    assert diagnostic.hint is not None
    assert diagnostic.hint.startswith('write "pipelines:" and the name of a pipeline above')


def test_a_pipeline_key_with_the_indentation_of_its_name() -> None:
    """The empty pipeline is not reported in addition."""
    diagnostic = _only_diagnostic("pipelines:\n  test:\n  stages: [{name: a}]\n")

    assert diagnostic.message == '"stages" belongs in a pipeline, not directly under "pipelines"'
    assert diagnostic.hint == 'indent "stages" and the lines below it, below "test:"'
    assert [label.span.text for label in diagnostic.related] == ["test"]


def test_a_pipeline_key_without_the_name_of_a_pipeline() -> None:
    """The hint asks for the name."""
    diagnostic = _only_diagnostic("pipelines:\n  stages: [{name: a}]\n")

    assert (
        diagnostic.hint
        == 'write the name of the pipeline on the line above, and indent "stages" and the lines below it'
    )


def test_an_empty_key_above_a_misplaced_key_is_not_reported() -> None:
    """It is empty only because the other keys are not indented."""
    diagnostics = violations(f"{_HEAD}        publish:\n          image:\n          tags: [a]\n          name: b\n")

    assert [(diagnostic.code.number, diagnostic.message) for diagnostic in diagnostics] == [
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
def test_an_unknown_key_that_is_not_misplaced(text: str, message: str) -> None:
    """The key has too many places, looks like a typo, or is unknown everywhere."""
    (diagnostic,) = violations(text)

    assert (diagnostic.code.number, diagnostic.message) == ("PG201", message)


def test_a_key_of_an_unrelated_map_is_only_unknown() -> None:
    """Only a step may have the key of another step: `delay` of `approve` says nothing about `retry`."""
    text = f"{_HEAD}        script: make\n        retry: {{count: 1, delay: 30}}\n"

    assert [diagnostic.message for diagnostic in violations(text)] == ['unknown key "delay" in "retry"']
