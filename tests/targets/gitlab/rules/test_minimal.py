"""Rules without what makes no difference."""

from __future__ import annotations

from typing import Any

import pytest
from targets.gitlab.compiled import compiled


def _rules(*keys: str) -> list[dict[str, Any]]:
    stage = ", ".join(("name: a", "script: x", *keys))
    rules: list[dict[str, Any]] = compiled(f"pipelines: {{ p: {{ stages: [{{ {stage} }}] }} }}").data["a"]["rules"]
    return rules


def test_a_choice_that_rules_before_have_made_is_not_repeated() -> None:
    """Only the files of the second rule and the presence of the third one are left to decide."""
    starts = "{ env: { KIND: release } }, { branch: true, changes: { paths: [src/**], base: main } }"
    rules = _rules(
        f"when: {{ any: [{starts}, {{ exists: Dockerfile }}] }}",
        f"approve: {{ optional: true, when: {{ not: {{ any: [{starts}] }} }} }}",
    )

    assert rules == [
        {"if": '$KIND == "release"'},
        {"if": "$CI_COMMIT_BRANCH", "changes": {"paths": ["src/**/*"], "compare_to": "refs/heads/main"}},
        {"exists": ["Dockerfile"], "when": "manual", "allow_failure": True},
    ]


@pytest.mark.parametrize(
    ("when", "allowed", "expected"),
    [
        ("branch: [main, dev]", "branch: dev", ["dev", "main"]),
        ("branch: main", "branch: main", ["main"]),
        ("branch: main", "branch: dev", ["main"]),
    ],
)
def test_variants_that_cannot_apply_or_always_do_have_no_rule(when: str, allowed: str, expected: list[str]) -> None:
    """The last rule needs no test for what the first one excludes."""
    rules = _rules(f"when: {{ {when} }}", f"allow_failure: {{ when: {{ {allowed} }} }}")

    assert len(rules) == len(expected)
    assert all(name in rule["if"] for name, rule in zip(expected, rules, strict=True))


def test_comparisons_that_follow_from_others_are_left_out() -> None:
    """Those of the pipeline, which has several jobs with rules, are next to those of the stage."""
    stages = "[{ name: a, script: x, when: { env: { ENV: production } } }]"
    data = compiled(f"""
        pipelines:
          p: {{ when: {{ not: {{ env: {{ ENV: none }} }}, env: {{ ENV: true }} }}, stages: {stages} }}
          q: {{ stages: {stages} }}
    """).data

    assert data["p: a"]["rules"][0] == {"if": '$PIPEGEN_PIPELINE == "" && $ENV == "production"'}


def test_files_are_looked_at_in_no_more_runs() -> None:
    """GitLab creates no pipeline if it cannot compare them: the branch may not exist."""
    rules = _rules("when: { event: merge_request, not: { changes: { paths: [docs/**], base: main } } }")

    assert rules[0] == {
        "if": '$CI_PIPELINE_SOURCE == "merge_request_event"',
        "changes": {"paths": ["docs/**/*"], "compare_to": "refs/heads/main"},
        "when": "never",
    }


def test_rules_with_many_tests_stay_as_they_are() -> None:
    """They would have to be compared in too many runs."""
    names = [f"V{number}" for number in range(12)]
    every = ", ".join(f"{{ env: {{ {name}: x }} }}" for name in names)
    rules = _rules(f"when: {{ any: [{every}] }}", "approve: { when: { env: { V0: x } } }")

    assert [rule.get("when") for rule in rules] == ["manual", None]
    assert '$V0 == "x"' in rules[0]["if"]


def test_an_alternative_that_an_earlier_rule_decides_is_left_out() -> None:
    """The job starts by itself only for the tag."""
    output = compiled("""
        pipelines:
          p:
            stages:
              - name: deploy
                script: ./deploy
                when: { any: [{ branch: main }, { tag: v* }] }
                approve: { when: { branch: main } }
    """)

    assert [rule["if"] for rule in output.data["deploy"]["rules"]] == [
        '$CI_COMMIT_BRANCH == "main"',
        r"$CI_COMMIT_TAG =~ /^v[^\/]*$/",
    ]
