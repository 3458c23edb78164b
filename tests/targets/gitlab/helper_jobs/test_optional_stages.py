"""Stages after one that is optional only in some runs wait for a helper, which is only in the other runs."""

from __future__ import annotations

from targets.gitlab.compiled import compiled

OPTIONAL = """\
    pipelines:
      ci:
        stages:
          - { name: build, script: [make] }
          - name: load
            script: [make load]
            artifacts: [load.txt]
            approve: { optional: true, when: { event: merge_request } }
          - { name: report, script: [./report] }
    """


def test_a_later_stage_needs_the_helper() -> None:
    """GitLab skips a job that needs a manual one, so that it also needs the stages before the optional one."""
    output = compiled(OPTIONAL)

    assert output.codes() == []
    assert [(need["job"], need.get("optional", False)) for need in output.data["report"]["needs"]] == [
        ("wait for load", True),
        ("build", False),
    ]


def test_a_helper_has_no_rule_for_the_runs_that_match_no_other() -> None:
    """GitLab leaves it out there."""
    helper = compiled(OPTIONAL.replace("event: merge_request", "not: { changes: [src/**] }")).data["wait for load"]

    assert helper["rules"] == [{"changes": ["src/**/*"]}]


def test_a_finally_stage_gets_the_files_without_the_helper() -> None:
    """It waits for whole stages, so that there is no helper: GitLab would refuse a dependency on one."""
    output = compiled(
        OPTIONAL.replace("script: [./report] }", "script: [./report], files_from: [load] }\n        finally: [report]")
    )

    assert output.data["report"]["dependencies"] == ["load"]
    assert "wait for load" not in output.data


def test_the_helper_passes_on_the_files() -> None:
    """It is not in the runs in which a person starts the stage."""
    helper = compiled(OPTIONAL).data["wait for load"]

    assert helper["needs"] == [{"job": "load", "artifacts": True}]
    assert helper["artifacts"]["paths"] == ["load.txt"]
    assert helper["rules"][0] == {"if": '$CI_PIPELINE_SOURCE == "merge_request_event"', "when": "never"}
    assert helper["rules"][-1]["when"] == "on_success"


def test_the_helper_passes_on_the_files_of_raw_keys() -> None:
    """Other raw keys, such as a name of the archive, are those of the stage."""
    raw = "raw: { gitlab: { artifacts: { paths: [load.txt], name: load } } }"
    helper = compiled(OPTIONAL.replace("artifacts: [load.txt]", raw)).data["wait for load"]

    assert helper["needs"] == [{"job": "load", "artifacts": True}]
    assert helper["artifacts"] == {"paths": ["load.txt"]}
    assert "GIT_STRATEGY" not in helper["variables"]


def test_a_stage_without_later_ones_has_no_helper() -> None:
    """Nothing waits for it."""
    output = compiled(OPTIONAL[: OPTIONAL.index("          - { name: report")])

    assert "wait for load" not in output.data


def test_raw_rules_decide_when_the_helper_runs() -> None:
    """A manual rule blocks unless it, or the job, may fail. Rules may test variables of the job."""
    rules = "[{ if: $A, when: manual }, { if: $B, when: manual, allow_failure: true }, { changes: [b/*] }]"
    output = compiled(
        f"""\
        pipelines:
          ci:
            stages:
              - name: load
                script: [make load]
                env: {{ A: "1" }}
                raw: {{ gitlab: {{ rules: {rules}, variables: {{ B: "", GIT_STRATEGY: clone }} }} }}
              - {{ name: report, script: [./report] }}
        """
    )

    assert output.data["report"]["needs"] == [{"job": "wait for load", "artifacts": False, "optional": True}]
    helper = output.data["wait for load"]
    assert helper["needs"] == [{"job": "load", "artifacts": False, "optional": True}]
    assert helper["variables"] == {"A": "1", "B": "", "GIT_STRATEGY": "none", "PIPEGEN_HELPER": "1"}
    assert helper["rules"] == [
        {"if": "$A", "when": "on_success"},
        {"if": "$B", "when": "never"},
        {"changes": ["b/*"], "when": "on_success"},
    ]


def test_the_helper_has_the_raw_variables_that_conditions_test() -> None:
    """GitLab evaluates rules with the variables of the job."""
    output = compiled(
        OPTIONAL.replace("event: merge_request", "env: { LOAD: none }").replace(
            "artifacts: [load.txt]", "raw: { gitlab: { variables: { LOAD: full } } }"
        )
    )

    assert output.data["wait for load"]["variables"] == {"LOAD": "full", "GIT_STRATEGY": "none", "PIPEGEN_HELPER": "1"}


def test_the_helper_has_no_variables_that_it_does_not_read() -> None:
    """Rules may read a variable through another one. Those for the checkout decide which files the helper passes on."""
    variables = "{ A: $B, B: '%C%', C: c, D: d, GIT_STRATEGY: none, DIRECTORY: out }"
    rules = "[{ if: $A, when: manual, allow_failure: true }, { when: on_success }]"
    raw = f"{{ rules: {rules}, variables: {variables}, artifacts: {{ paths: [$DIRECTORY/load.txt] }} }}"
    output = compiled(
        f"""\
        pipelines:
          ci:
            stages:
              - {{ name: load, script: [make load], env: {{ E: e }}, raw: {{ gitlab: {raw} }} }}
              - {{ name: report, script: [./report] }}
        """
    )

    assert output.data["wait for load"]["variables"] == {
        "A": "$B",
        "B": "%C%",
        "C": "c",
        "GIT_STRATEGY": "none",
        "DIRECTORY": "out",
        "PIPEGEN_HELPER": "1",
    }
