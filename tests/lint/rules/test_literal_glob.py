"""Patterns with the syntax of other globs."""

from __future__ import annotations

import pytest
from lint.findings import diagnostics_of, findings

from pipegen.lint.rules.literal_glob import check


def config(when: str, pipeline_when: str = "") -> str:
    """Return a config whose stage has the condition *when*."""
    return (
        f"pipelines:\n  p:\n{pipeline_when}    stages:\n      - name: a\n        when: {when}\n        script: [make]\n"
    )


@pytest.mark.parametrize(
    "when",
    [
        "{changes: 'src/*.{js,ts}'}",
        "{changes: {paths: ['docs/**', '{a, b}/c'], base: main}}",
        "{exists: 'Dockerfile{,.ci}'}",
        "{branch: '{main,develop}'}",
        "{branch: 'release/[0-9]*'}",
        "{not: {any: [{tag: '[v]1'}, {branch: main}]}}",
        "{branch: '!main'}",
        "{branch: $CI_DEFAULT_BRANCH}",
        "{changes: '$DIR/**'}",
    ],
)
def test_syntax_of_other_globs_is_reported(when: str) -> None:
    """It is literal text, so that the condition holds in other runs than the user expects."""
    assert len(findings(check, config(when))) == 1


@pytest.mark.parametrize(
    "when",
    [
        "{changes: 'app/[slug]/page.tsx'}",
        "{changes: '{{cookiecutter.name}}/**'}",
        "{branch: '/^release[0-9]{1,2}$/'}",
        "{branch: 'a?b*'}",
        "{env: {LIST: '[a]{b,c}'}}",
    ],
)
def test_other_patterns_are_not_reported(when: str) -> None:
    """Files have such names, and regular expressions and values of variables such characters."""
    assert findings(check, config(when)) == []


@pytest.mark.parametrize(
    "keys",
    [
        "allow_failure: { when: { branch: '{a,b}' } }",
        "approve: { when: { branch: 'r/[0-9]' } }",
        "cases: [{ when: { branch: '!main' }, env: { A: b } }]",
    ],
)
def test_all_conditions_of_a_stage_are_checked(keys: str) -> None:
    """Each says in which runs something holds."""
    stages = ", ".join(f"{{ name: {name}, script: [make], {keys} }}" for name in "ab")

    assert len(findings(check, f"pipelines: {{ p: {{ stages: [{stages}] }} }}")) == 2


def test_the_hint_has_each_alternative() -> None:
    """An alternative may be empty."""
    (diagnostic,) = diagnostics_of(check, config("{exists: 'Dockerfile{,.ci}'}"))

    assert diagnostic.hint == 'write each alternative as a pattern: "Dockerfile", "Dockerfile.ci"'


def test_conditions_of_pipelines_are_checked() -> None:
    """They select stages, too."""
    assert len(findings(check, config("{event: push}", "    when: {changes: '*.{c,h}'}\n"))) == 1


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("{branch: $CI_DEFAULT_BRANCH}", 'write the name of the branch, such as "main"'),
        (
            "{tag: $WANTED}",
            'write the text itself, or compare with the variable: "equal: [tag, env.WANTED]"',
        ),
        ("{branch: release/$VERSION}", "write the text itself"),
        ("{exists: $FILE}", "write the text itself"),
    ],
)
def test_the_hint_for_a_variable_names_what_a_condition_can_compare(when: str, expected: str) -> None:
    """Only `equal` reads variables of the engine beside a branch or a tag."""
    assert [diagnostic.hint for diagnostic in diagnostics_of(check, config(when))] == [expected]
