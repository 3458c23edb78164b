"""Conditions as GitLab's rules, which evaluate to the same result in every run."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from plan.simulated_runs import BASE, holds, runs, whens, whens_without_files
from targets.gitlab.compiled import Compiled, compiled
from targets.gitlab.rules_reader import deciding_rule, fnmatch, is_in_pipeline, starts, variables_of_rules

from pipegen.plan.model import Pattern
from pipegen.targets.gitlab.rules.build import path_glob

RUNS = runs(7, 240)
REQUEST = '$CI_PIPELINE_SOURCE == "merge_request_event"'


def stage(when: Any) -> Compiled:
    """Return the compilation of a stage `s` with *when*."""
    config = {"pipelines": {"p": {"stages": [{"name": "s", "script": ["make"], "when": when}]}}}
    return compiled(json.dumps(config))


def rules(when: Any) -> list[dict[str, Any]]:
    """Return the rules of a stage with *when*."""
    entries: list[dict[str, Any]] = stage(when).data["s"]["rules"]
    return entries


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_rules_agree_with_conditions(seed: int) -> None:
    """Random conditions over random runs; only some need more sets of changed files than GitLab supports."""
    refused = 0
    for when in whens(seed, 40):
        output = stage(when)
        if not output.text:
            assert ("PG631") in {code for code, _ in output.codes()}, when
            refused += 1
            continue
        wrong = [run for run in RUNS if is_in_pipeline(output.data, "s", run) is not holds(when, run)]
        assert wrong == [], (when, output.data["s"]["rules"])

    assert refused < 12


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ({"branch": "main"}, [{"if": '$CI_COMMIT_BRANCH == "main"'}]),
        ({"branch": ["main", "rel/*"]}, [{"if": r"$CI_COMMIT_BRANCH =~ /^(main|rel\/[^\/]*)$/"}]),
        ({"branch": "/x/"}, [{"if": "$CI_COMMIT_BRANCH =~ /(x)/"}]),
        ({"branch": "*"}, [{"if": r"$CI_COMMIT_BRANCH =~ /.+/ && $CI_COMMIT_BRANCH =~ /^[^\/]*$/"}]),
        ({"tag": False}, [{"if": "$CI_COMMIT_TAG == null"}]),
        ({"env": {"A": False}}, [{"if": "$A !~ /.+/"}]),
        ({"equal": ["branch", "env.A"]}, [{"if": "$CI_COMMIT_BRANCH && $CI_COMMIT_BRANCH == $A"}]),
        ({"equal": ["env.B", "env.A"]}, [{"if": "$A =~ /.+/ && $A == $B"}]),
        (
            {"not": {"equal": ["tag", "env.A"]}},
            [{"if": "$CI_COMMIT_TAG == null || $CI_COMMIT_TAG != $A"}],
        ),
        ({"event": "push"}, [{"if": '$CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH'}]),
        ({"event": ["push", "tag"]}, [{"if": '$CI_PIPELINE_SOURCE == "push"'}]),
        ({"changes": "src/**"}, [{"changes": ["src/**/*"]}]),
        (
            {"changes": {"paths": "src/**", "base": BASE}},
            [{"changes": {"paths": ["src/**/*"], "compare_to": f"refs/heads/{BASE}"}}],
        ),
        ({"not": {"changes": "a"}}, [{"changes": ["a"], "when": "never"}, {"when": "on_success"}]),
        ({"any": [{"changes": "a"}, {"changes": "b"}]}, [{"changes": ["a", "b"]}]),
        (
            {"any": [{"branch": "main"}, {"changes": "a"}]},
            [{"if": '$CI_COMMIT_BRANCH == "main"'}, {"changes": ["a"]}],
        ),
        (
            {"branch": "main", "changes": "a", "exists": "b"},
            [{"if": '$CI_COMMIT_BRANCH == "main"', "changes": ["a"], "exists": ["b"]}],
        ),
    ],
)
def test_rules_are_minimal(when: Any, expected: list[dict[str, Any]]) -> None:
    """They look hand-written."""
    assert rules(when) == expected


def test_two_required_sets_of_changed_files_are_rejected() -> None:
    """Rules cannot express that; the diagnostic is at the condition."""
    output = stage({"all": [{"changes": "a"}, {"changes": "b"}]})

    assert [code for code, _ in output.codes()] == ["PG631", "PG630"]


@pytest.mark.parametrize(
    ("when", "is_noted"),
    [
        ({"changes": "a", "event": ["push", "merge_request"]}, False),
        ({"any": [{"changes": "a"}, {"tag": True}], "event": "merge_request"}, False),
        ({"changes": "a", "event": ["push", "schedule"]}, True),
        ({"any": [{"changes": "a"}, {"event": "push"}]}, True),
        ({"changes": "a", "not": {"event": "push"}}, True),
        ({"changes": {"paths": "a", "base": "dev"}, "event": "push"}, True),
    ],
)
def test_changes_are_noted_only_where_all_files_may_count_as_changed(when: Any, *, is_noted: bool) -> None:
    """Pipelines of pushes and merge requests have something to compare with, and need no note."""
    assert [code for code, _ in stage(when).codes()] == ["PG630"] * is_noted


def test_the_condition_of_a_pipeline_may_leave_only_events_with_changes() -> None:
    """It holds for all stages of the pipeline."""
    pipeline = "{when: {event: merge_request}, stages: [{name: s, script: [make], when: {changes: [a]}}]}"

    assert compiled(f"pipelines: {{p: {pipeline}}}").codes() == []


def test_each_base_is_noted_beside_changes_without_one() -> None:
    """A branch that does not exist would leave no pipeline at all."""
    output = stage(
        {"any": [{"changes": "a"}, *({"changes": {"paths": "b", "base": base}} for base in ("dev", "x", "x"))]}
    )

    assert [item.message.partition(" if ")[2] for item in output.diagnostics if item.code.number == "PG630"] == [
        "",
        'the branch "dev" does not exist',
        'the branch "x" does not exist',
    ]


def test_long_conditions_become_several_rules() -> None:
    """GitLab rejects an expression of a hundred words."""
    entries = rules({"any": [{"env": {f"V{number}": "x", f"W{number}": "y"}} for number in range(40)]})

    assert len(entries) == 4
    assert all(len(rule["if"].split()) < 100 for rule in entries)


def test_many_paths_become_several_rules() -> None:
    """A rule has at most fifty."""
    entries = rules({"changes": [f"d{number}/**" for number in range(120)]})

    assert [len(rule["changes"]) for rule in entries] == [50, 50, 20]


@pytest.mark.parametrize(
    ("glob", "name", "expected"),
    [
        ("src/**", "src/a/b", True),
        ("src/**", "src", False),
        ("**/*.md", "a.md", True),
        ("a**b", "a/x/b", True),
        ("a**b", "axb", True),
        ("a**/b", "a/b", True),
        ("a**/b", "ab", False),
        ("a[1]{2}", "a[1]{2}", True),
        ("$HOME", "$HOME", True),
        ("100%", "100%", True),
    ],
)
def test_path_globs_are_translated_for_gitlab(glob: str, name: str, *, expected: bool) -> None:
    """GitLab's globs have classes, braces and variables; pipegen's do not."""
    assert fnmatch(path_glob(Pattern(glob)), name) is expected


def test_a_job_also_needs_the_ancestors_of_optional_needs() -> None:
    """With only a missing optional need, it would start immediately."""
    output = compiled("""
        pipelines:
          p:
            stages:
              - {name: a, script: [x]}
              - {name: b, script: [x], when: {branch: main}}
              - {name: c, script: [x], when: {branch: [main, dev]}}
              - {name: d, script: [x]}
              - {name: e, script: [x], when: {branch: main, event: push}}
            execution: [[a, b, c, d, e], [c, e]]
    """)

    def needed(job: str) -> list[str]:
        return [f"{need['job']}{'?' if need.get('optional') else ''}" for need in output.data[job].get("needs", [])]

    assert {job: needed(job) for job in "abcde"} == {
        "a": [],
        "b": ["a"],
        "c": ["b?", "a"],
        "d": ["c?", "b?", "a"],
        "e": ["d"],
    }


@pytest.mark.parametrize(
    ("when", "expected"),
    [({"branch": "main"}, False), ({"changes": "a"}, True), ({"not": {"tag": True}}, True), ({"event": "tag"}, False)],
)
def test_conditions_that_allow_merge_requests_add_a_workflow(when: Any, *, expected: bool) -> None:
    """Without one, GitLab creates pipelines only for branches and tags."""
    assert ("workflow" in stage(when).data) is expected


def test_the_condition_of_a_single_pipeline_is_a_workflow_rule() -> None:
    """Stages have only their own; there is no pipeline to choose."""
    data = compiled("""
        pipelines:
          p:
            when: {branch: main}
            stages: [{name: a, script: [x]}, {name: b, script: [x], when: {env: {B: true}}}]
    """).data

    assert data["workflow"] == {"rules": [{"if": '$CI_COMMIT_BRANCH == "main"'}]}
    assert "variables" not in data
    assert "rules" not in data["a"]
    assert data["b"]["rules"] == [{"if": "$B =~ /.+/"}]


def test_a_selected_pipeline_has_no_condition() -> None:
    """The user selected it on the command line."""
    data = compiled("{pipelines: {p: {when: {branch: main}, stages: [{name: a, script: [x]}]}}}", "p").data

    assert "workflow" not in data
    assert "rules" not in data["a"]


def test_collectors_have_optional_needs() -> None:
    """They are in each pipeline with their reader, which may lack the jobs that they need."""
    stages = [{"name": f"s{number}", "script": ["x"], "when": {"branch": "main"}} for number in range(60)]
    last = {"name": "last", "script": ["x"], "when": {"branch": "main", "event": "push"}}
    config = {
        "pipelines": {
            "p": {"stages": [*stages, last], "execution": [[[stage_data["name"] for stage_data in stages], "last"]]}
        }
    }
    data = compiled(json.dumps(config)).data
    collectors = [job for name, job in data.items() if name.startswith("collect")]

    assert len(collectors) == 2
    assert all(need["optional"] for job in collectors for need in job["needs"])
    assert all(job["rules"] == data["last"]["rules"] for job in collectors)
    assert all("optional" not in need for need in data["last"]["needs"])


def test_helpers_have_the_rules_of_their_stage() -> None:
    """A mail runs on failure; rules with `never` stay."""
    data = compiled("""
        targets: {gitlab: {mail: {}}}
        pipelines:
          p:
            notify: {email: {to: a@example.org}}
            stages:
              - {name: a, script: [x], outputs: [o], when: {branch: main}}
              - name: b
                script: [x]
                when: {event: push, not: {changes: d}}
                notify: {email: {subject: 'b ${a.o|none}'}}
    """).data
    mail = data["mail when b fails"]

    assert mail["needs"] == [
        {"job": "b", "artifacts": False},
        {"job": "a", "artifacts": True, "optional": True},
    ]
    assert mail["when"] == "on_failure"
    assert [rule.get("when") for rule in mail["rules"]] == ["never", None]
    assert "no mail" not in str(mail["script"])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_rules_choose_the_first_case_that_holds(seed: int) -> None:
    """Random conditions and cases over random runs: a case changes neither whether the job runs, nor other cases."""
    cases = whens_without_files(seed, 24)
    for number, when in enumerate(whens(seed, 12)):
        own = cases[2 * number : 2 * number + 2]
        stage: dict[str, Any] = {"name": "s", "script": ["make"], "when": when}
        stage["cases"] = [{"when": case, "env": {"CASE": number}} for number, case in enumerate(own)]
        output = compiled(json.dumps({"pipelines": {"p": {"stages": [stage]}}}))
        for run in RUNS if output.text else ():
            runs_ = is_in_pipeline(output.data, "s", run)
            chosen = next(({"CASE": str(number)} for number, case in enumerate(own) if holds(case, run)), {})
            assert runs_ is holds(when, run), (when, own, run)
            assert not runs_ or variables_of_rules(output.data, "s", run) == chosen, (when, own, run)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_rules_choose_the_start_and_the_allowed_failures_of_each_run(seed: int) -> None:
    """Random conditions over random runs: a person starts the job, and its failure counts, in exactly these."""
    own = whens_without_files(seed, 24)
    for number, when in enumerate(whens(seed, 8)):
        manual, allowed, case = own[3 * number : 3 * number + 3]
        codes = number % 2 == 1
        stage: dict[str, Any] = {"name": "s", "script": ["make"], "when": when}
        stage["approve"] = {"when": manual}
        stage["allow_failure"] = {"when": allowed, **({"exit_codes": [2]} if codes else {})}
        stage["cases"] = [{"when": case, "env": {"CASE": "1"}}]
        output = compiled(json.dumps({"pipelines": {"p": {"stages": [stage]}}}))
        for run in RUNS if output.text else ():
            rule = deciding_rule(output.data, "s", run)
            assert (rule is not None) is holds(when, run), (when, run)
            if rule is None:
                continue
            is_manual = holds(manual, run)
            # A rule without the key leaves the exit codes of the job.
            is_allowed = "allow_failure" not in rule if codes else rule.get("allow_failure", False)
            assert (rule.get("when") == "manual") is is_manual, (when, manual, run)
            assert is_allowed is (holds(allowed, run) and (codes or not is_manual)), (when, manual, allowed, run)
            assert ("variables" in rule) is holds(case, run), (when, case, run)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_rules_choose_the_start_by_files(seed: int) -> None:
    """Random conditions of a stage and of its approval over random runs; rules cannot express all pairs of files."""
    compared = 0
    for number, (when, manual) in enumerate(zip(whens(seed, 60), whens(seed + 10, 60), strict=True)):
        is_optional = number % 2 == 0
        stage: dict[str, Any] = {"name": "s", "script": ["make"], "approve": {"when": manual, "optional": is_optional}}
        stage |= {"when": when} if number % 3 else {}
        output = compiled(json.dumps({"pipelines": {"p": {"stages": [stage]}}}))
        if {"changes", "exists"} & set(re.findall(r"\w+", json.dumps(manual))):
            compared += bool(output.text)
        for run in RUNS if output.text and "rules" in output.data["s"] else ():
            rule = deciding_rule(output.data, "s", run)
            assert (rule is not None) is (number % 3 == 0 or holds(when, run)), (when, manual, run)
            if rule is not None:
                is_manual = holds(manual, run)
                start = ("manual", is_optional) if is_manual else ("on_success", False)
                assert (rule.get("when", "on_success"), rule.get("allow_failure", False)) == start, (when, manual, run)

    assert compared > 10


@pytest.mark.parametrize(
    ("when", "manual", "expected"),
    [
        ("{}", "{not: {changes: [a/*]}}", [{"changes": ["a/*"]}, {"when": "manual", "allow_failure": False}]),
        (
            "{changes: [a/*, b/*]}",
            "{not: {changes: [a/*]}}",
            [{"changes": ["a/*"]}, {"changes": ["a/*", "b/*"], "when": "manual", "allow_failure": False}],
        ),
        (
            "{event: merge_request}",
            "{changes: a, event: merge_request}",
            [
                {"changes": ["a"], "if": REQUEST, "when": "manual", "allow_failure": False},
                {"if": REQUEST},
            ],
        ),
        ("{}", "{exists: a}", [{"exists": ["a"], "when": "manual", "allow_failure": False}, {"when": "on_success"}]),
    ],
)
def test_rules_of_the_start_are_brief(when: str, manual: str, expected: list[dict[str, Any]]) -> None:
    """A rule tests the files of which another one would exclude the rest."""
    stage = f"{{name: s, script: [make], when: {when}, approve: {{when: {manual}}}}}"
    stage = stage.replace("when: {}, ", "")

    assert compiled(f"pipelines: {{p: {{stages: [{stage}]}}}}").data["s"]["rules"] == expected


def test_rules_of_a_stage_leave_out_what_its_own_condition_decides() -> None:
    """The pipeline runs on main, whatever has changed, and the stage runs there only."""
    stages = "stages: [{name: s, script: [make], when: {branch: main}}]"
    pipeline = f"when: {{any: [{{changes: [a/*]}}, {{branch: main}}]}}, {stages}"
    data = compiled(f"pipelines: {{p: {{{pipeline}}}, q: {{stages: [{{name: t, script: [make]}}]}}}}").data

    assert data["p: s"]["rules"] == [
        {"if": '$PIPEGEN_PIPELINE == "" && $CI_COMMIT_BRANCH == "main"'},
        {"if": '$PIPEGEN_PIPELINE =~ /(^|,)(all|p)(,|$)/ && $CI_COMMIT_BRANCH == "main"'},
    ]


def test_an_approval_that_needs_two_sets_of_files_is_refused() -> None:
    """GitLab would need a rule for files that have both changed."""
    stage = "{name: s, script: [make], when: {changes: [a]}, approve: {when: {changes: [b]}}}"
    output = compiled(f"pipelines: {{p: {{stages: [{stage}]}}}}")

    assert [code for code in output.codes() if code[0] != "PG630"] == [("PG631", "[b]")]


def test_helpers_of_a_stage_are_in_all_its_runs() -> None:
    """Also in those in which a person starts it."""
    mail = "notify: {email: {to: [a@example.org]}}"
    stage = f"{{name: s, script: [make], approve: {{when: {{not: {{changes: a}}}}}}, {mail}}}"
    data = compiled(f"targets: {{gitlab: {{mail: {{}}}}}}\npipelines: {{p: {{stages: [{stage}]}}}}").data

    assert (data["mail when s fails"]["when"], "rules" in data["mail when s fails"]) == ("on_failure", False)


def test_no_person_starts_the_helpers_of_a_stage_with_exit_codes() -> None:
    """The note about its status follows by itself."""
    data = compiled("""\
        pipelines:
          p:
            stages:
              - name: a
                script: [x]
                approve: { when: { branch: main } }
                allow_failure: { exit_codes: [2], when: { branch: dev } }
              - { name: end, script: ['echo ${a.status}'] }
            execution: [[a]]
            finally: [end]
    """).data

    assert ("rules" in data["note whether a fails"], data["note when a fails"].get("when")) == (False, "on_failure")


@pytest.mark.parametrize(
    "keys",
    [
        "image: '${setup.params.SERVER}'",
        "cache: {key: '${setup.params.SERVER}', paths: [a]}",
        "environment: '${setup.params.SERVER}'",
    ],
)
def test_only_the_script_reads_variables_that_it_computes(keys: str) -> None:
    """In other keys, the name would be that of a variable of the run."""
    case = "{when: {branch: main}, env: {SERVER: '${HOST}'}}"
    text = f"pipelines: {{p: {{stages: [{{name: s, script: [make], cases: [{case}], {keys}}}]}}}}"

    assert ("PG669", "when") in compiled(text).codes()


def test_a_variable_may_have_the_name_of_a_part_of_a_job() -> None:
    """Only keys with the variable read it."""
    case = "{when: {branch: main}, env: {name: '${HOST}', url: a}}"
    keys = "image: 'python:3', environment: {name: a, url: 'https://example.org'}"
    text = f"pipelines: {{p: {{stages: [{{name: s, script: [make], cases: [{case}], {keys}}}]}}}}"

    assert compiled(text).codes() == []


@pytest.mark.parametrize(
    ("keys", "is_refused"),
    [
        ("cases: [{when: {branch: main}, env: {PIPEGEN_CASE: 1, A: b}}]", False),
        ("cases: [{when: {branch: main}, env: {PIPEGEN_CASE: 1, A: '${B}'}}]", True),
        ("env: {PIPEGEN_CASE: 1}, cases: [{when: {branch: main}, env: {A: '${B}'}}]", True),
        ("secrets: {PIPEGEN_CASE: s}, cases: [{when: {branch: main}, env: {A: '${B}'}}]", True),
    ],
)
def test_the_number_of_the_case_has_a_name_of_its_own(keys: str, is_refused: bool) -> None:  # noqa: FBT001
    """Other variables have it only in stages without computed values, as in an import of a generated file."""
    text = f"pipelines: {{p: {{stages: [{{name: s, script: [make], {keys}}}]}}}}"

    assert (("PG669", "when") in compiled(text).codes()) is is_refused


def _with_cases(cases: str, name: str = "SERVER") -> Compiled:
    stage = f"{{name: s, script: [make], cases: [{{when: {cases}, env: {{{name}: www}}}}]}}"
    return compiled(f"inputs: {{LEVEL: full}}\npipelines: {{p: {{stages: [{stage}, {{name: t, script: [make]}}]}}}}")


def test_jobs_with_cases_run_in_the_pipelines_in_which_the_others_do() -> None:
    """A job with rules would be in pipelines of merge requests, which other jobs are not."""
    main, requests = _with_cases("{branch: main}").data, _with_cases("{event: merge_request}").data
    runs_ = [run for run in RUNS if run.event == "merge_request"]

    assert not any(starts(main, run) for run in runs_)
    assert all(starts(requests, run) for run in runs_)
    assert all(starts(main, run) for run in RUNS if run not in runs_)


@pytest.mark.parametrize(
    ("when", "name"),
    [
        ("{branch: main}", "CI_COMMIT_TAG"),
        ("{branch: main}", "GIT_DEPTH"),
        ("{branch: main}", "LEVEL"),
        ("{env: {MODE: late}}", "MODE"),
        ("{equal: [branch, env.MODE]}", "MODE"),
    ],
)
def test_a_name_with_another_meaning_is_refused(when: str, name: str) -> None:
    """GitLab reads it, it is an input, or the case itself tests it."""
    assert _with_cases(when, name).codes() == [("PG669", name)]


def test_a_rule_that_never_matches_is_left_out() -> None:
    """A tag has no branch."""
    when = {"any": [{"tag": "v*"}, {"changes": "a"}]}

    assert rules({"all": [when, {"branch": "main"}]}) == [{"if": '$CI_COMMIT_BRANCH == "main"', "changes": ["a"]}]
