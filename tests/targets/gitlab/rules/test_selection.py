"""Selection of the pipelines of a file."""

from __future__ import annotations

import re

import pytest
from targets.gitlab.compiled import Compiled, compiled

TWO = """
    pipelines:
      te.st:
        stages: [{ name: unit }]
      publish:
        stages: [{ name: image, build: production, publish: { image: true } }]
"""


def pattern(output: Compiled, job: str) -> re.Pattern[str]:
    """Return the pattern in the last rule of *job*."""
    match = re.search(r"=~ /(.*)/$", output.data[job]["rules"][-1]["if"])
    assert match is not None
    return re.compile(match[1])


def words(output: Compiled) -> set[str]:
    """Return the words in the file."""
    return set(re.findall(r"\w+", output.text))


def test_a_single_pipeline_has_no_conditions() -> None:
    """It always runs."""
    output = compiled("pipelines: { service: { stages: [{ name: unit }] } }")

    assert not {"PIPEGEN_PIPELINE", "workflow", "rules"} & words(output)


def test_selected_pipelines_have_no_conditions() -> None:
    """Pipelines named on the command line run even if they have effects."""
    output = compiled(TWO, "te.st", "publish")

    assert not {"PIPEGEN_PIPELINE", "workflow", "rules"} & words(output)


def test_a_pipeline_with_effects_runs_only_when_named() -> None:
    """A merge request cannot publish by accident."""
    output = compiled(TWO)

    assert output.data["publish: image"]["rules"] == [{"if": "$PIPEGEN_PIPELINE =~ /(^|,)(all|publish)(,|$)/"}]


def test_a_pipeline_without_effects_runs_unless_others_are_named() -> None:
    """It also runs if it is named."""
    output = compiled(TWO)

    assert output.data["te.st: unit"]["rules"] == [
        {"if": r'$PIPEGEN_PIPELINE == "" || $PIPEGEN_PIPELINE =~ /(^|,)(all|te\.st)(,|$)/'},
    ]


@pytest.mark.parametrize("value", ["te.st", "publish,te.st", "te.st,publish", "all"])
def test_a_pipeline_is_matched_in_the_list(value: str) -> None:
    """One name, a list, or `all`."""
    assert pattern(compiled(TWO), "te.st: unit").search(value)


@pytest.mark.parametrize("value", ["", "publish", "te-st", "a te.st", "te.st2", "tall"])
def test_other_values_do_not_match_a_pipeline(value: str) -> None:
    """A name is matched as a whole, and its punctuation is literal."""
    assert not pattern(compiled(TWO), "te.st: unit").search(value)


def test_a_slash_in_a_name_is_escaped() -> None:
    """It would end the pattern."""
    output = compiled("pipelines: { a/b: { stages: [{ name: x }] }, c: { stages: [{ name: x }] } }")

    assert output.data["a/b: x"]["rules"][-1] == {
        "if": r'$PIPEGEN_PIPELINE == "" || $PIPEGEN_PIPELINE =~ /(^|,)(all|a\x2fb)(,|$)/'
    }


def test_a_line_break_in_a_name_is_escaped() -> None:
    """GitLab rejects a pattern of several lines."""
    output = compiled('pipelines: { "a\\nb": { stages: [{ name: x }] }, c: { stages: [{ name: x }] } }')

    assert output.data["a\nb: x"]["rules"][-1] == {
        "if": r'$PIPEGEN_PIPELINE == "" || $PIPEGEN_PIPELINE =~ /(^|,)(all|a\x0ab)(,|$)/'
    }
    assert pattern(output, "a\nb: x").search("c,a\nb")


def test_the_selection_variable_has_a_description() -> None:
    """GitLab's form displays the empty variable with its possible values."""
    output = compiled(TWO)

    assert output.data["variables"]["PIPEGEN_PIPELINE"] == {
        "value": "",
        "description": "Pipelines to run, with commas between: te.st, publish, or all; empty runs te.st.",
    }


def test_a_push_does_not_duplicate_a_merge_request_pipeline() -> None:
    """If conditions can hold in merge requests, only that pipeline runs."""
    output = compiled(TWO)

    assert output.data["workflow"]["rules"] == [
        {"if": '$CI_PIPELINE_SOURCE == "push" && $CI_OPEN_MERGE_REQUESTS', "when": "never"},
        {"when": "always"},
    ]


@pytest.mark.parametrize(
    ("when", "rules"),
    [
        (
            "{ any: [{ event: merge_request }, { branch: true, env: { CI_OPEN_MERGE_REQUESTS: false } }] }",
            [
                {
                    "if": '$CI_PIPELINE_SOURCE == "merge_request_event" '
                    "|| $CI_COMMIT_BRANCH && $CI_OPEN_MERGE_REQUESTS !~ /.+/"
                }
            ],
        ),
        (
            "{ any: [{ event: merge_request }, { branch: main }] }",
            [
                {"if": '$CI_PIPELINE_SOURCE == "push" && $CI_OPEN_MERGE_REQUESTS', "when": "never"},
                {"if": '$CI_PIPELINE_SOURCE == "merge_request_event" || $CI_COMMIT_BRANCH == "main"'},
            ],
        ),
    ],
)
def test_a_condition_that_no_second_pipeline_can_have_needs_no_rule_against_it(when: str, rules: list[object]) -> None:
    """GitLab starts the pipeline of the merge request."""
    output = compiled(f"pipelines: {{ a: {{ when: {when}, stages: [{{ name: x, script: [make] }}] }} }}")

    assert output.data["workflow"]["rules"] == rules


def test_a_pipeline_that_all_other_runs_start() -> None:
    """Rules of the workflow have `always`, not `on_success`: https://docs.gitlab.com/ci/yaml/#workflowrules."""
    condition = "when: { not: { changes: ['src/**'] } }"
    output = compiled(f"pipelines: {{ a: {{ {condition}, stages: [{{ name: x, script: [make] }}] }} }}")

    assert output.data["workflow"]["rules"][1:] == [{"changes": ["src/**/*"], "when": "never"}, {"when": "always"}]


def test_an_approval_of_a_stage_that_no_merge_request_runs_starts_no_pipeline_for_one() -> None:
    """The condition of the approval alone could hold there."""
    stages = "{ name: a, script: [a], when: { event: schedule }, approve: { when: { not: { tag: v* } } } }"
    output = compiled(f"pipelines: {{ a: {{ stages: [{stages}, {{ name: b, script: [b] }}] }} }}")

    assert output.data["workflow"] == {"rules": [{"if": "$CI_COMMIT_BRANCH || $CI_COMMIT_TAG"}]}


def test_a_setting_lets_a_push_duplicate_a_merge_request_pipeline() -> None:
    """GitLab starts both pipelines for a push to a branch with an open merge request."""
    output = compiled(f"{TWO}    targets: {{ gitlab: {{ workflow: {{ duplicates: true }} }} }}")

    assert output.data["workflow"]["rules"] == [{"when": "always"}]


def test_a_setting_lets_a_push_duplicate_the_pipeline_of_a_merge_request_of_the_only_pipeline() -> None:
    """Its own condition stays."""
    condition = "when: { event: [push, merge_request] }"
    output = compiled(
        f"pipelines: {{ a: {{ {condition}, stages: [{{ name: x, script: [make] }}] }} }}\n"
        "targets: { gitlab: { workflow: { duplicates: true } } }"
    )

    assert all("$CI_OPEN_MERGE_REQUESTS" not in rule.get("if", "") for rule in output.data["workflow"]["rules"])
    assert output.data["workflow"]["rules"]


@pytest.mark.parametrize(
    ("stage", "has_workflow"),
    [
        ("when: { branch: main }", False),
        ("raw: { gitlab: { extends: .template, rules: null } }", False),
        ("env: { A: '1' }", True),
    ],
)
def test_a_file_with_duplicates_whose_jobs_all_have_rules_has_none_of_its_own(
    stage: str,
    has_workflow: bool,  # noqa: FBT001
) -> None:
    """With rules of the file, jobs of included files without rules would also run for merge requests."""
    output = compiled(
        f"pipelines: {{ a: {{ stages: [{{ name: x, {stage}, script: [make] }}, "
        "{ name: y, when: { event: merge_request }, script: [make] }] } }\n"
        "targets: { gitlab: { workflow: { duplicates: true }, include: [{ local: /ci.yml }] } }"
    )

    assert ("workflow" in output.data) is has_workflow


def test_a_file_with_duplicates_and_a_refusal_keeps_rules_of_its_own() -> None:
    """The rule that refuses a value of an input comes before one for all other runs."""
    output = compiled(
        "inputs: { tag: { default: '1' } }\n"
        "pipelines: { a: { stages: "
        "[{ name: x, when: { event: merge_request }, image: 'x:${inputs.tag}', script: [make] }] } }\n"
        "targets: { gitlab: { workflow: { duplicates: true } } }"
    )

    assert output.data["workflow"]["rules"][-1] == {"when": "always"}
