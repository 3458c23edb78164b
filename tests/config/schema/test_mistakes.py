"""Common mistakes with their own messages."""

from __future__ import annotations

import pytest
from config.sample_configs import violations

_HEAD = "pipelines:\n  test:\n    stages:\n      - name: unit\n"


def _only_diagnostic(text: str) -> tuple[str, str, str | None]:
    """Return code, marked text and hint of the only diagnostic for *text*."""
    (diagnostic,) = violations(text)
    assert diagnostic.primary is not None
    return diagnostic.code.number, diagnostic.primary.span.text, diagnostic.hint


@pytest.mark.parametrize(
    ("execution", "marked", "hint"),
    [
        ("[unit, lint]", "unit, lint", 'write one arc as a list in the list: "execution: [[unit, lint]]"'),
        ("[[unit], lint]", "lint", 'write each as a separate arc: "- [lint]"'),
        ("\n      - unit\n      - lint", "unit", 'write one arc as a list in the list: "execution: [[unit, lint]]"'),
        ("[a -> b -> c]", "a -> b -> c", 'write one arc as a list in the list: "execution: [[a, b, c]]"'),
        (
            "\n      - a -> b -> c\n      - a -> d",
            "a -> b -> c",
            'write each arc as a list in the list: "execution: [[a, b, c], [a, d]]"',
        ),
        ("[1, yes]", "1, yes", 'write one arc as a list in the list: "execution: [[1, yes]]"'),
    ],
)
def test_a_flat_execution_is_reported_once(execution: str, marked: str, hint: str) -> None:
    """The label covers all names outside arcs, and the hint gives the arc to write."""
    assert _only_diagnostic(f"{_HEAD}    execution: {execution}\n") == ("PG206", marked, hint)


def test_flat_execution_marks_names_on_other_lines() -> None:
    """Each name on a separate line has a related label."""
    (diagnostic,) = violations(f"{_HEAD}    execution:\n      - unit\n      - lint\n      - docs\n")

    assert [label.span.text for label in diagnostic.related] == ["lint", "docs"]


def test_text_as_execution_is_a_wrong_type() -> None:
    """A value that is not a list is not a flat execution."""
    assert _only_diagnostic(f"{_HEAD}    execution: unit\n")[:2] == ("PG202", "unit")


def test_a_stray_dash_before_keys_of_a_stage() -> None:
    """A stage without a name whose keys the stage above lacks may belong to that stage."""
    (diagnostic,) = violations(f"{_HEAD}        build: test\n      - run: true\n        copy: [a]\n")

    assert diagnostic.code.number == "PG207"
    assert diagnostic.message == 'a stage has no name; stage "unit" ends above it'
    assert diagnostic.primary is not None
    assert diagnostic.primary.text == "the dash before this begins a new stage"
    assert [(label.span.text, label.text) for label in diagnostic.related] == [("unit", "may belong to this stage")]
    assert diagnostic.hint is not None
    assert diagnostic.hint.startswith('remove the dash before "run"')


def test_several_stray_dashes_name_the_same_stage() -> None:
    """The related label is the stage with the name."""
    diagnostics = violations(f"{_HEAD}      - build: test\n      - run: true\n")

    assert [label.span.text for diagnostic in diagnostics for label in diagnostic.related] == ["unit", "unit"]


@pytest.mark.parametrize(
    "stages",
    [
        "[{build: a}]",
        "[{name: unit, build: a}, {build: b}]",
        "[{name: unit, build: a}, {run: true}, {build: b, run: true}]",
    ],
)
def test_an_unnamed_stage_is_reported(stages: str) -> None:
    """It repeats keys of the stage above, or is the first one, so there is no stray dash."""
    diagnostic = violations(f"pipelines: {{test: {{stages: {stages}}}}}")[-1]

    assert (diagnostic.code.number, diagnostic.message, diagnostic.hint) == (
        "PG207",
        "a stage has no name",
        'begin the stage with "- name: …"',
    )


@pytest.mark.parametrize(
    ("chart", "hint"),
    [
        ("https://example.org/charts/service-0.2.1.tgz", 'write "chart: {name: service, version: 0.2.1}"'),
        ("https://example.org/charts/my-service/", 'write "chart: {name: my-service}"'),
        ("my-service-v1.0-rc1.tgz", 'write "chart: {name: my-service, version: v1.0-rc1}"'),
        ("service", 'write "chart: {name: service}"'),
    ],
)
def test_a_chart_as_text_has_a_hint(chart: str, hint: str) -> None:
    """The hint contains the name and the version from the address."""
    assert _only_diagnostic(f"{_HEAD}        deploy: {{chart: '{chart}'}}\n") == ("PG208", f"'{chart}'", hint)


@pytest.mark.parametrize(
    ("keys", "hint"),
    [
        (
            "build: test\n        run: test",
            'write "run: true" to run the image that this stage builds from variant "test"',
        ),
        ("run: unit", 'write "run: true" to run the image that this stage builds from variant "unit"'),
        ("run: make it", 'write "script: [make it]": "run" is the step that runs an image'),
        (
            "build: test\n        run: make it",
            'write "run: true", or give the image arguments: "run: {arguments: [make, it]}"',
        ),
        ("run: echo $A", 'write "script: [echo $A]": "run" is the step that runs an image'),
    ],
)
def test_a_command_as_run_has_a_hint(keys: str, hint: str) -> None:
    """A command becomes arguments; the name of the variant becomes `true`."""
    code, _, text = _only_diagnostic(f"{_HEAD}        {keys}\n")

    assert (code, text) == ("PG209", hint)


@pytest.mark.parametrize(
    "text",
    [
        f"{_HEAD}        cache: node_modules/\n",
        f"templates:\n  node: {{ cache: node_modules/ }}\n{_HEAD}",
        f"{_HEAD}    defaults: {{ cache: node_modules/ }}\n",
    ],
)
def test_templates_and_defaults_have_the_hints_of_stages(text: str) -> None:
    """They have the same keys."""
    assert _only_diagnostic(text) == (
        "PG202",
        "node_modules/",
        'write the paths in a map: "cache: {paths: [node_modules/]}"',
    )
