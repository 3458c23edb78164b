"""Keys that stay raw, and the keys beside them, run the same as in the original."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import differences, from_text, messages
from ruamel.yaml import YAML
from yaml_data import yaml_data

from pipegen.importing.accounting import KeyOutcome
from pipegen.importing.gitlab.importer import GitLabImport
from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.plan.expansion import expand

_OPTIONAL = """\
stages: [prepare, build, test]
tag: { stage: prepare, script: [./tag > tag.env], artifacts: { reports: { dotenv: tag.env } } }
container:
  stage: build
  script: [./container]
  rules: [{ if: '$CI_PIPELINE_SOURCE == "web"', when: manual, allow_failure: true }, { if: $CI_COMMIT_BRANCH }]
"""


@pytest.mark.parametrize(("count", "reports"), [(5, [""] * 5), (6, [" and 5 others"])])
def test_a_key_that_stays_in_many_places_for_one_reason_is_reported_once(
    count: int, reports: list[str], tmp_path: Path
) -> None:
    """Few are reported each at its place."""
    jobs = "".join(f"j{number}: {{ script: x, resource_group: $CI_COMMIT_REF_SLUG }}\n" for number in range(count))
    _, report = from_text(jobs, tmp_path)

    kept = [diagnostic.message for diagnostic in report.diagnostics() if diagnostic.code.number == "PG851"]
    assert [message.partition(" stays a key")[0] for message in kept] == [
        f'"resource_group" of job "j{number}"{others}' for number, others in enumerate(reports)
    ]


def test_variables_of_the_form_for_new_pipelines_are_inputs(tmp_path: Path) -> None:
    """Those with other variables, or with several lines, cannot be one, which is reported."""
    source = """\
variables:
  NOTE: { value: "it's $HOME", description: A note, expand: false }
  NAME: { value: "b-$CI_COMMIT_BRANCH", description: A name }
  TEXT: { value: "a\\nb", description: A text }
test: { script: [./test "$NOTE" "$NAME" "$TEXT"] }
"""
    result, report = from_text(source, tmp_path)

    assert _generated(result)["variables"] == {
        "NOTE": {"value": "it's $HOME", "description": "A note", "expand": False}
    }
    assert ("variables:NAME:description", KeyOutcome.REPORTED, 2) in result.count.constructs
    assert [line.partition('variable "')[2][:4] for line in messages(report).splitlines()] == ["NAME", "TEXT"]
    assert differences(result) == []


def test_raw_needs_await_an_optional_job_only_in_runs_in_which_it_starts_by_itself(tmp_path: Path) -> None:
    """A need on the job itself would wait for a person, and a job without needs would wait for `lint`, too."""
    lint = "lint: { stage: test, script: ./lint, needs: [] }\n"
    source = f"{_OPTIONAL}{lint}test: {{ stage: test, script: ['./test $TAG'] }}\n"
    result, _ = from_text(source, tmp_path, frozenset({"test"}))

    assert _generated(result)["test"]["needs"] == ["tag", {"job": "wait for container", "optional": True}]
    assert differences(result) == []


def test_raw_needs_await_helpers_that_share_keys(tmp_path: Path) -> None:
    """A hidden job then has the variable that marks them."""
    container = _OPTIONAL[_OPTIONAL.index("container:") :]
    others = "".join(container.replace("container:", f"container-{number}:", 1) for number in range(3))
    lint = "lint: { stage: test, script: ./lint, needs: [] }\n"
    source = f"{_OPTIONAL}{others}{lint}test: {{ stage: test, script: ['./test $TAG'] }}\n"
    result, _ = from_text(source, tmp_path, frozenset({"test"}))

    assert "variables" not in _generated(result)["wait for container"]
    helpers = ("container", *(f"container-{number}" for number in range(3)))
    assert _generated(result)["test"]["needs"] == [
        "tag",
        *({"job": f"wait for {name}", "optional": True} for name in helpers),
    ]
    assert differences(result) == []


def test_a_job_with_more_needs_than_gitlab_allows_waits_for_earlier_stages(tmp_path: Path) -> None:
    """GitLab counts each combination of a matrix, which the need on its job names once."""
    lint = "lint: { stage: test, script: ./lint, needs: [] }\n"
    values = ", ".join(f"v{number}" for number in range(49))
    matrix = f"build: {{ stage: build, script: 'make $X', parallel: {{ matrix: [{{ X: [{values}] }}] }} }}\n"
    source = f"{_OPTIONAL}{lint}{matrix}test: {{ stage: test, script: ['./test $TAG'] }}\n"
    result, _ = from_text(source, tmp_path, frozenset({"test"}))

    assert "needs" not in _generated(result)["test"]


def test_raw_needs_await_an_optional_job_that_a_job_needs(tmp_path: Path) -> None:
    """Needs of the original also wait for a person."""
    needs = "[tag, { job: container, optional: true }]"
    source = f"{_OPTIONAL}test: {{ stage: test, script: ['./test $TAG'], needs: {needs} }}\n"
    result, _ = from_text(source, tmp_path, frozenset({"test"}))

    assert _generated(result)["test"]["needs"] == ["tag", {"job": "container", "optional": True}]
    assert differences(result) == []


def test_names_with_the_branch_of_a_merge_request_stay_the_same(tmp_path: Path) -> None:
    """`setup.sourceBranch` would be the slug of the branch: open review apps would get other environments."""
    branch = "$CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"
    keys = f"environment: review/{branch}, artifacts: {{ name: {branch}, paths: [dist/] }}"
    result, _ = from_text(f"review: {{ script: [make], {keys} }}\n", tmp_path)
    review = _generated(result)["review"]

    assert review["environment"] == f"review/{branch}"
    assert review["artifacts"] == {"name": branch, "paths": ["dist/"]}


@pytest.mark.parametrize("files", ["changes: [docs/]", "exists: [./Makefile]", "changes: [/a]", "changes: []"])
def test_rules_for_files_that_no_path_matches_stay_raw(files: str, tmp_path: Path) -> None:
    """`File.fnmatch?` compares patterns with paths like `docs/a.md`; a config says `docs` or `docs/**`."""
    result, _ = from_text(f"a: {{ script: make, rules: [{{ {files} }}, {{ if: $B, when: manual }}] }}\n", tmp_path)

    assert "rules:" in result.text


@pytest.mark.parametrize(("last", "number"), [('if: $CI_PIPELINE_SOURCE == "web"', 3), ("when: always", 2)])
def test_raw_rules_of_a_workflow_decide_alone(last: str, number: int, tmp_path: Path) -> None:
    """The generated file has further rules after them, which would start other pipelines."""
    result, _ = from_text(
        f"workflow: {{ rules: [{{ if: $CI_COMMIT_TAG =~ $RELEASE }}, {{ {last} }}] }}\nunit: {{ script: make }}\n",
        tmp_path,
    )

    assert len(YAML(typ="safe").load(result.text)["targets"]["gitlab"]["workflow"]["rules"]) == number
    assert differences(result) == []


def test_a_failure_that_counts_stays_raw_beside_raw_rules_of_a_manual_job(tmp_path: Path) -> None:
    """By default, GitLab allows failures of jobs that start by hand."""
    rules = "[{ if: $A }, { if: $CI_COMMIT_TAG =~ $RELEASE, when: always }]"
    source = f"unit: {{ script: make, when: manual, allow_failure: false, rules: {rules} }}\n"
    result, _ = from_text(source, tmp_path)
    (pipeline,) = YAML(typ="safe").load(result.text)["pipelines"].values()

    assert pipeline["stages"][0]["raw"]["gitlab"]["allow_failure"] is False
    assert differences(result) == []


@pytest.mark.parametrize(
    ("rules", "when"),
    [
        (
            "{ if: $OS == 'bsd' && $CI_COMMIT_TAG == null, when: never }, { if: $CI_COMMIT_TAG || $CI_COMMIT_BRANCH }",
            "",
        ),
        ("{ if: $OS == 'bsd', when: never }, { if: $CI_COMMIT_TAG }", "when: { tag: true }"),
        ("{ if: $OS == 'linux' && $CPU == 'arm', when: never }, { if: $OS == 'linux' }", ""),
        ("{ if: $OS == 'bsd' && $CI_COMMIT_TAG }", "when: { tag: true }"),
    ],
)
def test_the_condition_of_raw_rules_of_a_matrix_is_that_of_any_combination(
    rules: str, when: str, tmp_path: Path
) -> None:
    """A rule that keeps some combinations from running kept the stage from running on other engines."""
    matrix = "parallel: { matrix: [{ OS: [linux, bsd], CPU: [arm, x86] }] }"
    result, report = from_text(f"build: {{ script: make, {matrix}, rules: [{rules}] }}\n", tmp_path)

    assert '"rules" of job "build" stays a key of GitLab: $OS is a variable of the matrix' in messages(report)
    assert result.text.count("        when: ") == bool(when)
    assert when in result.text


@pytest.mark.parametrize("rule", ["when: never", "if: $CI_COMMIT_TAG && $CI_COMMIT_BRANCH"])
def test_a_workflow_that_starts_no_pipeline_stays_raw(rule: str, tmp_path: Path) -> None:
    """A config has no condition that never holds."""
    result, _ = from_text(f"workflow: {{ rules: [{{ {rule} }}] }}\nunit: {{ script: make }}\n", tmp_path)

    assert YAML(typ="safe").load(result.text)["targets"]["gitlab"]["workflow"]["rules"][-1] == {"when": "never"}
    assert result.generated


@pytest.mark.parametrize(
    "unit",
    ["{ extends: .other, parallel: 2 }", "{ parallel: 2, script: [Get-Item $env:CI_NODE_INDEX] }"],
    ids=["in another file", "PowerShell"],
)
def test_the_number_of_a_part_reaches_a_script_that_stays_raw(unit: str, tmp_path: Path) -> None:
    """A stage exports the number in its script, so `parallel` stays raw, too."""
    result, report = from_text(f"include: [https://example.org/a.yml]\nunit: {unit}\n", tmp_path)

    assert "the config does not contain the script, which reads CI_NODE_INDEX" in messages(report)
    assert _generated(result)["unit"]["parallel"] == 2
    assert differences(result) == []


def test_the_number_of_a_part_in_keys_is_the_value_of_its_axis(tmp_path: Path) -> None:
    """GitLab may not know the number when it expands the name of a resource group."""
    result, _ = from_text(
        """
        unit:
          parallel: 2
          script: [./unit]
          image: unit:$CI_NODE_INDEX
          artifacts: { paths: [out-$CI_NODE_INDEX/], reports: { junit: "unit-$CI_NODE_INDEX.xml" } }
          cache: { key: unit-$CI_NODE_INDEX-$CI_NODE_TOTAL, paths: [.cache/] }
          resource_group: unit-$CI_NODE_INDEX
        """,
        tmp_path,
    )
    unit = _generated(result)["unit"]

    assert unit["parallel"] == {"matrix": [{"part": ["1", "2"]}]}
    assert unit["image"] == "unit:$part"
    assert unit["artifacts"] == {"paths": ["out-$part/"], "reports": {"junit": "unit-$part.xml"}}
    assert unit["cache"] == {"key": "unit-$part-2", "paths": [".cache/"]}
    assert unit["resource_group"] == "unit-$part"
    assert differences(result) == []


@pytest.mark.parametrize(
    "keys",
    [
        "parallel: 2, secrets: { KEY: { vault: team/$CI_NODE_INDEX/key@kv } }",
        "parallel: 2, variables: { GROUP: $CI_NODE_INDEX }, tags: [$GROUP]",
        "parallel: { matrix: [{ OS: [linux, macos] }] }, secrets: { KEY: { vault: team/$CI_NODE_INDEX/key@kv } }",
        "parallel: { matrix: [{ part: [linux, macos] }] }, before_script: ['./setup ${CI_NODE_TOTAL:-1}']",
    ],
    ids=["raw key", "variable of a raw key", "raw key and matrix", "axis with the name of the number"],
)
def test_the_number_of_a_part_that_a_stage_does_not_know_stays_with_gitlab(keys: str, tmp_path: Path) -> None:
    """Only GitLab's own `parallel` sets it for keys that stay raw, and for combinations of a matrix."""
    result, _ = from_text(f"unit: {{ script: ./unit, {keys} }}\n", tmp_path)

    assert "parallel" in _generated(result)["unit"]
    assert differences(result) == []


def test_the_number_of_a_combination_is_a_value_of_it(tmp_path: Path) -> None:
    """GitLab numbers the combinations map by map; the other matrix of the need has no numbers."""
    result, _ = from_text(
        """
        build:
          parallel: { matrix: [{ OS: [linux, macos], CPU: [arm] }, { OS: [linux, windows], CPU: [x86] }] }
          image: $OS:$CI_NODE_INDEX
          script: ['./build $CI_NODE_INDEX/$CI_NODE_TOTAL']
        test:
          parallel: { matrix: [{ OS: [linux, macos], CPU: [arm] }, { OS: [linux, windows], CPU: [x86] }] }
          script: ['./test']
          needs: [{ job: build, parallel: { matrix: [{ OS: macos, CPU: arm }] } }]
          rules: [{ if: $OS == "linux", when: manual, allow_failure: true }, { if: $CI_COMMIT_BRANCH }]
        """,
        tmp_path,
    )
    build, test = (_generated(result)[name] for name in ("build", "test"))

    assert build["parallel"] == {
        "matrix": [
            *({"OS": system, "CPU": "arm", "part": part} for system, part in (("linux", "1"), ("macos", "2"))),
            *({"OS": system, "CPU": "x86", "part": part} for system, part in (("linux", "3"), ("windows", "4"))),
        ]
    }
    assert (build["image"], build["script"]) == ("$OS:$part", ["./build $CI_NODE_INDEX/$CI_NODE_TOTAL"])
    need = {"parallel": {"matrix": [{"OS": "macos", "CPU": "arm", "part": "2"}]}}
    assert test["needs"] == [{"job": "build", **need, "optional": True}]
    assert differences(result) == []


def test_an_axis_with_the_name_of_the_number_is_an_ordinary_one(tmp_path: Path) -> None:
    """Without a reader of the number, combinations have no additional axis."""
    result, _ = from_text(
        """
        build: { parallel: { matrix: [{ part: [a, b], OS: [linux] }] }, script: ['./build $part'] }
        test: { script: ./test, needs: [{ job: build, parallel: { matrix: [{ part: b, OS: linux }] } }] }
        """,
        tmp_path,
    )

    assert _generated(result)["test"]["needs"] == [
        {"job": "build", "parallel": {"matrix": [{"part": "b", "OS": "linux"}]}}
    ]
    assert differences(result) == []


@pytest.mark.parametrize("key", ["before_script", "script", "after_script"])
def test_a_script_that_a_config_refuses_stays_raw(key: str, tmp_path: Path) -> None:
    """Without the job, the order of others would change."""
    keys = {"script": "make", key: "'sed \"s|${REPO[^}]*}|x|\" a'"}
    unit = ", ".join(f"{name}: {text}" for name, text in keys.items())
    source = f"build: {{ stage: build, script: make }}\nunit: {{ {unit} }}\n"
    result, report = from_text(f"{source}deploy: {{ stage: deploy, needs: [unit], script: ./deploy }}\n", tmp_path)

    assert f'"{key}" of job "unit" stays a key of GitLab: no shell can expand "${{REPO[^}}]*}}"' in messages(report)
    assert "      - name: unit\n" in result.text
    assert differences(result) == []


@pytest.mark.parametrize(
    ("scan", "lint"),
    [
        ("{ variables: { LEVEL: high } }", "{ script: lint, rules: [{ if: $CI_PIPELINE_SOURCE }] }"),
        ("{ extends: .scan, script: scan }", "{ script: lint }"),
    ],
    ids=["script, too", "base"],
)
def test_rules_in_a_file_that_only_gitlab_reads_are_not_replaced(scan: str, lint: str, tmp_path: Path) -> None:
    """With them, the job may be missing, so later ones only need it if it is there."""
    last = "last: { stage: deploy, script: x }"
    result, _ = from_text(f"include: [{{ template: a.yml }}]\nscan: {scan}\nlint: {lint}\n{last}\n", tmp_path)
    jobs = _generated(result)
    needs = jobs["last"]["needs"]

    assert "rules" not in jobs["scan"]
    assert jobs["scan"].get("extends", ".scan") == ".scan"
    assert isinstance(needs, list)
    assert {"job": "scan", "optional": True} in needs
    assert differences(result) == []


def test_files_of_jobs_in_files_that_only_gitlab_reads_arrive(tmp_path: Path) -> None:
    """A job may get its artifacts there, also the variables of a dotenv report; other stages get no files of it."""
    jobs = """\
include: [{ project: group/aws, file: roles.yml }]
stages: [build, deploy]
credentials: { stage: build, extends: .credentials }
deploy: { stage: deploy, needs: [credentials], script: ./deploy }
check: { stage: deploy, dependencies: [], script: ./check }
"""
    result, _ = from_text(jobs, tmp_path)
    generated = _generated(result)

    assert generated["deploy"]["needs"] == [{"job": "credentials", "optional": True}]
    assert generated["check"]["needs"] == [{"job": "credentials", "artifacts": False, "optional": True}]
    assert differences(result) == []


def test_rules_that_replace_those_of_another_file_stay(tmp_path: Path) -> None:
    """The generated job would have none, since they hold in each run."""
    scan = "{ rules: [{ when: on_success }] }"
    result, report = from_text(f"include: [{{ template: a.yml }}]\nscan: {scan}\nunit: {{ script: make }}\n", tmp_path)

    assert _generated(result)["scan"]["rules"] == [{"when": "on_success"}]
    assert '"rules" of job "scan" stays a key of GitLab: they replace rules in a file that only' in messages(report)
    assert differences(result) == []


@pytest.mark.parametrize("key", ["before_script", "script"])
def test_a_raw_script_has_no_lists_in_its_list(key: str, tmp_path: Path) -> None:
    """GitLab accepts lists in lists, of which anchors make several levels, but they are hard to read."""
    keys = {"script": "Get-Item b", key: "[[[Get-Item a], Get-Item b], Get-Item c]"}
    unit = ", ".join(f"{name}: {text}" for name, text in keys.items())
    result, _ = from_text(f"unit: {{ {unit} }}\n", tmp_path)

    assert _generated(result)["unit"][key] == ["Get-Item a", "Get-Item b", "Get-Item c"]
    assert differences(result) == []


def test_a_variable_that_each_run_has_is_no_condition(tmp_path: Path) -> None:
    """A test of it would never hold on other engines."""
    rules = "[{ if: $CI_COMMIT_REF_NAME && $CI_PIPELINE_SOURCE != null }]"
    result, _ = from_text(f"workflow: {{ rules: {rules} }}\nunit: {{ script: make, rules: {rules} }}\n", tmp_path)

    assert "CI_" not in result.text
    assert differences(result) == []


def test_the_name_of_a_job_in_an_image_is_text(tmp_path: Path) -> None:
    """So it is in its services; GitLab puts the name in there."""
    result, _ = from_text("unit: { script: make, image: 'ci/$CI_JOB_NAME', services: ['db/$CI_JOB_NAME'] }\n", tmp_path)

    assert "image: ci/unit" in result.text
    assert differences(result) == []


def test_the_name_of_a_job_in_a_variable_of_paths_is_text(tmp_path: Path) -> None:
    """A path of artifacts cannot contain the variable."""
    unit = "{ script: make, services: [broker], variables: { OUT: out/$CI_JOB_NAME }, artifacts: { paths: [$OUT] } }"
    result, _ = from_text(f"unit: {unit}\n", tmp_path)

    assert "OUT: out/unit" in result.text
    assert differences(result) == []


def test_the_stage_that_stops_a_raw_environment_says_so(tmp_path: Path) -> None:
    """GitLab rejects a file in which `on_stop` names a job without `action: stop`."""
    source = """\
stages: [deploy, check]
review: { stage: deploy, script: ./up, environment: { name: $CI_COMMIT_REF_SLUG, on_stop: stop } }
stop: { stage: deploy, script: ./down, when: manual, environment: { name: $CI_COMMIT_REF_SLUG, action: stop } }
check: { stage: check, script: ./check, needs: [stop] }
"""
    result, report = from_text(source, tmp_path)

    assert '"environment" of job "review" stays a key of GitLab' in messages(report)
    assert _generated(result)["stop"]["environment"] == {"name": "$CI_COMMIT_REF_SLUG", "action": "stop"}
    assert differences(result) == []


def test_variables_that_raw_images_and_services_read_are_no_exports(tmp_path: Path) -> None:
    """The script starts after them."""
    variables = "VERSION: '28', CLI: 'docker:$VERSION', ENGINE: 'docker:$VERSION-dind'"
    keys = "image: { name: $CLI, docker: { platform: arm64 } }, services: [{ name: $ENGINE, entrypoint: [run] }]"
    result, _ = from_text(f"unit: {{ script: make, {keys}, variables: {{ {variables} }} }}\n", tmp_path)
    unit = _generated(result)["unit"]

    assert unit["variables"] == {"VERSION": "28", "CLI": "docker:$VERSION", "ENGINE": "docker:$VERSION-dind"}
    assert differences(result) == []


@pytest.mark.parametrize(
    "source",
    [
        "child: { trigger: group/other, interruptible: true }",
        "default: { interruptible: true }\nchild: { trigger: a/b }",
    ],
    ids=["own", "default"],
)
def test_a_trigger_stays_interruptible(source: str, tmp_path: Path) -> None:
    """GitLab cancels the pipeline that the job has started."""
    result, report = from_text(f"{source}\n", tmp_path)

    assert (messages(report), differences(result)) == ("", [])
    assert _generated(result)["child"]["interruptible"] is True


def test_variables_that_raw_keys_read_are_in_env_too(tmp_path: Path) -> None:
    """The script reads them on other engines, which do not read raw keys."""
    variables = "HOST: db, OWNER: $GITLAB_USER_NAME, FF_TIMESTAMPS: '1'"
    source = f"unit: {{ script: './test $OWNER', services: [broker], variables: {{ {variables} }} }}\n"
    result, report = from_text(source, tmp_path)
    unit = _generated(result)["unit"]

    assert "OWNER: ${GITLAB_USER_NAME}" in result.text
    assert '"OWNER"' not in messages(report)
    assert unit["variables"] == {"HOST": "db", "OWNER": "$GITLAB_USER_NAME", "FF_TIMESTAMPS": "1"}
    assert differences(result) == []


def test_variables_that_raw_needs_read_are_variables_of_the_job_too(tmp_path: Path) -> None:
    """Their values in place of them would be expanded."""
    source = """\
a: { script: x }
b:
  variables: { P: { value: "a$B", expand: false } }
  needs: [a, { project: g/$P, job: x, ref: main }]
  script: [./x "$P"]
"""
    result, _ = from_text(source, tmp_path)

    assert _generated(result)["b"]["variables"] == {"P": {"value": "a$B", "expand": False}}
    assert "env: { P: a$B }" in result.text
    assert differences(result) == []


def test_variables_of_a_raw_script_stay_raw_if_they_read_those_of_others(tmp_path: Path) -> None:
    """The compiler does not know which of these GitLab has: the runner's, the project's, or those of a machine."""
    source = """\
default: { tags: [windows] }
test:
  variables: { OWN: $CI_JOB_ID, BOTH: "$OWN/x", TOOL: "$VS_TOOLS/x", PATH: "/x:$PATH", DEPTH: $GIT_DEPTH, END: $TOOL }
  script: [$Env:X = 1, Write-Host $Env:X]
"""
    result, _ = from_text(source, tmp_path)
    (pipeline,) = yaml_data(result.text)["pipelines"].values()
    (stage,) = pipeline["stages"]

    assert stage["env"] == {"OWN": "${CI_JOB_ID}", "BOTH": "${OWN}/x", "END": "${TOOL}"}
    assert stage["raw"]["gitlab"]["variables"].keys() == {"TOOL", "PATH", "DEPTH"}
    assert differences(result) == []


def test_variables_that_the_runner_could_read_are_in_env_too(tmp_path: Path) -> None:
    """Scripts have them on other engines; those that configure the runner are no use there."""
    variables = "{ DOCKER_NAME: app-$CI_PIPELINE_ID, CI_DEBUG_TRACE: $DEBUG, no_proxy: $HOSTS }"
    paths = "[out/$DOCKER_NAME/$CI_DEBUG_TRACE/$no_proxy]"
    result, _ = from_text(
        f"unit: {{ script: make, variables: {variables}, artifacts: {{ paths: {paths} }} }}\n", tmp_path
    )

    assert 'env: { DOCKER_NAME: "app-${CI_PIPELINE_ID}" }' in result.text
    assert _generated(result)["unit"]["variables"] == {
        "DOCKER_NAME": "app-$CI_PIPELINE_ID",
        "CI_DEBUG_TRACE": "$DEBUG",
        "no_proxy": "$HOSTS",
    }
    assert differences(result) == []


def test_jobs_that_never_run_keep_jobs_of_unread_files_from_running(tmp_path: Path) -> None:
    """GitLab merges the job into that of the included file: https://docs.gitlab.com/ci/yaml/includes/."""
    source = """\
include: [{ template: Jobs/SAST.gitlab-ci.yml }]
sast: { rules: [{ when: never }] }
unit: { script: make }
docs: { script: make docs, rules: [{ when: never }] }
"""
    result, report = from_text(source, tmp_path)
    rules = [(outcome, number) for path, outcome, number in result.count.constructs if path == "rules"]

    assert _generated(result)["sast"]["rules"] == [{"when": "never"}]
    assert "script" not in _generated(result)["sast"]
    assert "keep a job of a file that only GitLab reads from running" in messages(report)
    assert sorted(rules, key=str) == [(KeyOutcome.ELSEWHERE, 1), (KeyOutcome.RAW, 1)]
    assert differences(result) == []


def test_parts_of_raw_keys_that_the_stage_has_count_as_translated(tmp_path: Path) -> None:
    """A start after success, a workflow that starts, a trigger that waits and passes variables on."""
    source = """\
workflow: { rules: [{ if: $A =~ $B, when: always }] }
unit: { script: make, rules: [{ if: $A =~ $B, when: on_success }] }
child: { trigger: { project: $PROJECT, strategy: depend, forward: { pipeline_variables: true } } }
"""
    result, _ = from_text(source, tmp_path)
    raw = {path for path, outcome, _ in result.count.constructs if outcome is KeyOutcome.RAW}

    assert raw == {"workflow:rules", "workflow:rules:if", "rules", "rules:if", "trigger", "trigger:project"}
    assert "wait: true" in result.text
    assert "forward: true" in result.text


def test_a_stage_waits_for_the_needs_of_a_job_that_is_left_out(tmp_path: Path) -> None:
    """The stage would start before them without the job between them, which has steps in place of a script."""
    source = """\
build: { script: make }
steps: { run: [{ name: one, script: make }], needs: [build] }
test: { script: make, needs: [steps] }
"""
    result, report = from_text(source, tmp_path)

    assert 'job "steps" is left out' in messages(report)
    assert _generated(result)["test"]["needs"] == ["build"]
    assert differences(result) == []


def _generated(result: GitLabImport) -> dict[str, dict[str, object]]:
    jobs = YAML(typ="safe", pure=True).load(result.generated[-1].text)
    assert isinstance(jobs, dict)
    return jobs


@pytest.mark.parametrize(
    ("name", "key"),
    [
        *(("GIT_AUTHOR_NAME", "env"), ("CACHE_POLICY", "env"), ("RUNNER_TAG", "env"), ("KUBERNETES_CLUSTER", "env")),
        *(("GIT_SUBMODULE_PATHS", "runner_variables"), ("FF_TIMESTAMPS", "runner_variables")),
        ("KUBERNETES_MEMORY_LIMIT", "variables"),  # a raw key, because no amount of a config is a single byte
    ],
)
def test_variables_that_only_the_runner_reads_are_no_env(name: str, key: str, tmp_path: Path) -> None:
    """A stage exports others in its script."""
    result, _ = from_text(f"unit: {{ script: make, variables: {{ {name}: '1' }} }}\n", tmp_path)

    assert f'{key}: {{ {name}: "1" }}' in result.text
    assert differences(result) == []


@pytest.mark.parametrize(
    "artifacts",
    ["{ reports: { dotenv: tag.env } }", "{ untracked: true }", "{ paths: [$CI_COMMIT_TAG] }"],
)
@pytest.mark.parametrize(
    "keys", ["", ", needs: [{ job: tag, artifacts: false }]", ", needs: [tag]", ", dependencies: []"]
)
def test_a_stage_gets_files_of_artifacts_that_stay_raw(artifacts: str, keys: str, tmp_path: Path) -> None:
    """Its needs do not stay raw: the generated file has them."""
    source = f"""\
stages: [prepare, build]
tag: {{ stage: prepare, script: [./tag], artifacts: {artifacts} }}
other: {{ stage: prepare, script: [./other] }}
test: {{ stage: build, script: [./test]{keys} }}
"""
    result, _ = from_text(source, tmp_path)

    assert "needs" not in result.text
    assert ("files_from: []" in result.text) is ("false" in keys or "dependencies" in keys)
    assert differences(result) == []


def test_jobs_that_are_not_interruptible_run_to_their_end(tmp_path: Path) -> None:
    """A newer pipeline cancels no others: `interruptible` is false by default on GitLab, and true in a config."""
    jobs = "unit: { script: [make] }\nlint: { interruptible: true, script: [make] }\nnext: { trigger: group/next }\n"
    result, _ = from_text(f"workflow: {{ auto_cancel: {{ on_new_commit: interruptible }} }}\n{jobs}", tmp_path)
    data = yaml_data(result.generated[-1].text)

    assert data["workflow"]["auto_cancel"] == {"on_new_commit": "interruptible"}
    assert {name: data[name].get("interruptible", False) for name in ("unit", "lint", "next")} == {
        "unit": False,
        "lint": True,
        "next": False,
    }


@pytest.mark.parametrize("start", ["when: manual", "rules: [{ when: manual }]", "when: delayed, start_in: 5 minutes"])
def test_exit_codes_of_a_manual_job_stay_raw(start: str, tmp_path: Path) -> None:
    """Later jobs wait for it: it may fail only with these codes."""
    source = f"unit: {{ {start}, allow_failure: {{ exit_codes: [5, 6] }}, script: [make] }}\n"
    result, _ = from_text(source, tmp_path)
    proof = prove(result)

    assert "raw:\n          gitlab: { allow_failure: { exit_codes: [5, 6] } }" in result.text
    assert proof is not None
    assert proof.differences == ()


def test_jobs_that_get_files_only_after_failures_of_others_are_imported(tmp_path: Path) -> None:
    """They start only after its success, so that there are none: `files_from` cannot name its stage."""
    source = """\
log: { stage: build, script: [make], artifacts: { paths: [log], when: on_failure } }
app: { stage: build, script: [make], artifacts: { paths: [app] } }
unit: { stage: test, script: [make], needs: [log, { job: app, artifacts: false }] }
lint: { stage: test, script: [make], dependencies: [log] }
"""
    result, report = from_text(source, tmp_path)
    proof = prove(result)

    assert messages(report) == ""
    assert result.text.count("files_from: []") == len(("unit", "lint"))
    assert proof is not None
    assert proof.differences == ()


def test_jobs_that_do_not_inherit_variables_of_the_file_do_not_get_them(tmp_path: Path) -> None:
    """Their rules stay raw: for them, the variables have no value."""
    source = """\
variables: { LEVEL: full, AREA: eu }
default: { tags: [linux] }
full: { script: make, rules: [{ if: $LEVEL == "full" && $AREA }] }
none: { inherit: { variables: false }, script: make $LEVEL, rules: [{ if: $LEVEL }, { if: $CI_COMMIT_TAG }] }
some: { inherit: { variables: [AREA] }, script: make, rules: [{ if: $LEVEL == null && $AREA }] }
"""
    result, report = from_text(source, tmp_path)
    proof = prove(result)
    data = yaml_data(result.generated[-1].text)

    assert "is left out" not in messages(report)
    assert (data["none"]["inherit"], data["some"]["inherit"]) == ({"variables": False}, {"variables": ["AREA"]})
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize(
    "keys", ["script: ['echo \"open']", 'script: [make], after_script: ["echo \'open"]', "script: ['if true; then', x]"]
)
def test_a_script_that_the_shell_cannot_parse_stays_raw(keys: str, tmp_path: Path) -> None:
    """It may be for another shell, and `compile` refuses it (`PG720`)."""
    result, report = from_text(f"a: {{ {keys} }}\nb: {{ script: make }}\n", tmp_path)

    assert 'script" of job "a" stays a key of GitLab: sh cannot parse this script' in messages(report)
    assert differences(result) == []
    assert "script" in _generated(result)["b"]


def test_a_broken_command_of_all_jobs_stays_raw(tmp_path: Path) -> None:
    """Other commands of the jobs stay, too, since all are one script."""
    result, report = from_text(
        'default: { before_script: ["echo \'x"] }\na: { script: make }\nb: { script: t }\n', tmp_path
    )

    assert '"before_script" of job "a" and 1 other stays a key of GitLab' in messages(report)
    assert differences(result) == []


def test_the_number_of_a_part_stays_in_several_jobs(tmp_path: Path) -> None:
    """Each keeps its own number of parts."""
    job = '{ parallel: 2, script: [make], rules: [{ if: $CI_NODE_INDEX == "1" }, { if: $CI_COMMIT_TAG }]'
    text = f'a: {job}, variables: {{ A: "$CI_NODE_INDEX" }} }}\nb: {job}, variables: {{ A: "$CI_NODE_INDEX" }} }}\n'
    result, _ = from_text(text, tmp_path)

    assert {name: job.get("parallel") for name, job in _generated(result).items() if name in "ab"} == {"a": 2, "b": 2}
    assert differences(result) == []


def test_a_job_with_more_combinations_than_a_job_can_need_is_kept(tmp_path: Path) -> None:
    """Collectors need them in parts."""
    matrix = f"[{{ A: {list(range(60))} }}, {{ B: x }}]"
    many = f"many: {{ stage: build, script: make, parallel: {{ matrix: {matrix} }} }}"
    result, _ = from_text(f"{many}\nlast: {{ stage: test, script: t }}\n", tmp_path)

    assert result.jobs == ("many", "last")
    assert differences(result) == []


@pytest.mark.parametrize(
    ("keys", "translated"),
    [
        ("allow_failure: true", "allow_failure: true"),
        (
            "rules: [{ if: $CI_COMMIT_TAG, allow_failure: true }, { if: $CI_COMMIT_BRANCH }]",
            "allow_failure: { when: { tag: true } }",
        ),
        (
            "rules: [{ if: $CI_COMMIT_TAG, when: manual }, { if: $CI_COMMIT_BRANCH }]",
            "approve: { when: { tag: true } }",
        ),
    ],
)
def test_the_start_and_the_failure_of_a_trigger_are_translated(keys: str, translated: str, tmp_path: Path) -> None:
    """As those of a script."""
    result, report = from_text(f"child: {{ trigger: group/other, {keys} }}\n", tmp_path)

    assert translated in result.text
    assert (messages(report), differences(result)) == ("", [])


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ("public: $PUB", 'artifacts with "public: $PUB"'),
        ("access: some", 'artifacts with "access: some"'),
        ("public: true, access: developer", 'artifacts with "public" and "access"'),
    ],
)
def test_a_value_of_artifacts_that_gitlab_refuses_stays_raw(keys: str, reason: str, tmp_path: Path) -> None:
    """`public` is true or false, and excludes `access`: https://docs.gitlab.com/ci/yaml/#artifactsaccess."""
    result, report = from_text(f"unit: {{ script: make, artifacts: {{ paths: [a], {keys} }} }}\n", tmp_path)

    assert f'"artifacts" of job "unit" stays a key of GitLab: {reason}' in messages(report)
    assert "gitlab: { artifacts: { paths: [a]" in result.text


@pytest.mark.parametrize("other", ["project: group/app", "include: [{ artifact: child.yml, job: build }]"])
def test_the_status_of_the_other_pipeline_stays_raw(other: str, tmp_path: Path) -> None:
    """A stage that waits has `strategy: depend`, with which the status of the job is another one.

    https://docs.gitlab.com/ci/yaml/#triggerstrategy
    """
    result, report = from_text(
        f"""
        build: {{ stage: build, script: ./generate, artifacts: {{ paths: [child.yml] }} }}
        child: {{ stage: test, needs: [build], trigger: {{ {other}, strategy: mirror }} }}
        """,
        tmp_path,
    )
    trigger = _generated(result)["child"]["trigger"]

    assert isinstance(trigger, dict)
    assert trigger["strategy"] == "mirror"
    assert '"trigger" of job "child" stays a key of GitLab' in messages(report)
    assert differences(result) == []


@pytest.mark.parametrize(
    ("keys", "value", "reason"),
    [
        ('script: make, variables: { B: "b-$A" }', "$X", ", which other variables contain"),
        ('script: make, variables: { A: "a" }', "$A-x", ", which other variables contain"),
        ('script: make, variables: { A: "a", B: "$A" }', "$B-x", ", which other variables contain"),
        ("script: make, image: $A", "$X", ', which "image" reads'),
        ('script: make, image: $B, variables: { A: "a", B: "$A-b" }', "$X", ', which "image" reads'),
        ("script: make, artifacts: { paths: [$A] }", "$X", ', which "artifacts" reads'),
        ("script: make, services: [broker]", "$X", ", which the script of a stage cannot compute"),
        ("script: Write-Host, before_script: ['$env:A = 1']", "$X", ", which the script of a stage cannot compute"),
        ("script: make", "$CI_JOB_STAGE", " to a text with CI_JOB_STAGE, which is another one"),
        (
            "script: make, parallel: { matrix: [{ B: [x, y] }] }",
            "$CI_JOB_NAME",
            " to a text with CI_JOB_NAME, which is another one",
        ),
        ("script: make", "$X\\n$Y", " to several lines, or to a text with a double $"),
        ("script: make", "$${X}", " to several lines, or to a text with a double $"),
    ],
)
def test_rules_whose_values_a_script_cannot_compute_stay_raw(
    keys: str, value: str, reason: str, tmp_path: Path
) -> None:
    """Other readers than the commands of the script would not get the value, or get it too early."""
    rules = f'[{{ if: $CI_COMMIT_BRANCH, variables: {{ A: "{value}" }} }}, {{ if: $CI_COMMIT_TAG }}]'
    result, report = from_text(f"unit: {{ {keys}, rules: {rules} }}\n", tmp_path)
    expected = f'"rules" of job "unit" stays a key of GitLab: a rule sets the variable A{reason}'

    assert any(line.endswith(expected) for line in messages(report).splitlines())
    assert differences(result) == []


def test_rules_that_set_variables_of_the_runner_stay_raw(tmp_path: Path) -> None:
    """It reads them before the script starts (https://docs.gitlab.com/ci/runners/configure_runners/)."""
    rules = '[{ if: $CI_COMMIT_BRANCH, variables: { GIT_STRATEGY: "$X" } }, { if: $CI_COMMIT_TAG }]'
    result, report = from_text(f"unit: {{ script: make, rules: {rules} }}\n", tmp_path)

    assert "a rule sets the variable GIT_STRATEGY, which the runner reads" in messages(report)
    assert differences(result) == []


def test_the_variables_in_a_default_that_rules_replace_stay_raw_too(tmp_path: Path) -> None:
    """GitLab reads them for the image before the script could export them."""
    source = """\
unit:
  script: make
  image: $IMAGE
  variables: { IMAGE: "$PREFIX/ci", PREFIX: "registry.$DOMAIN" }
  rules: [{ if: $CI_COMMIT_BRANCH, variables: { IMAGE: other } }, { if: $CI_COMMIT_TAG }]
"""
    result, _ = from_text(source, tmp_path)

    assert differences(result) == []


@pytest.mark.parametrize(
    ("keys", "outcome"),
    [
        ("", KeyOutcome.UNUSED),
        ("when: delayed, start_in: 5 minutes", KeyOutcome.UNUSED),
        ("when: manual", KeyOutcome.TRANSLATED),
        ("rules: [{ if: $X, when: manual }, { when: on_success }]", KeyOutcome.TRANSLATED),
        ("rules: [{ if: $X, when: manual, interruptible: true }]", KeyOutcome.RAW),
    ],
)
def test_a_question_has_no_effect_in_a_job_that_no_person_starts(
    keys: str, outcome: KeyOutcome, tmp_path: Path
) -> None:
    """GitLab asks it before it starts a manual job."""
    result, report = from_text(f"a: {{ script: [x], manual_confirmation: Now?, {keys} }}\n", tmp_path)

    is_reported = '"manual_confirmation" has no effect: job "a" does not start by hand' in messages(report)
    assert ("manual_confirmation", outcome, 1) in result.count.constructs
    assert is_reported is (outcome is KeyOutcome.UNUSED)


def test_texts_that_only_a_shell_expands_stay_raw(tmp_path: Path) -> None:
    """The runner takes all after `${` for a name, so the variable has no value there; a config would keep the text."""
    source = """\
build:
  image: alpine
  variables: { PYTHONPATH: "$CI_PROJECT_DIR:${PYTHONPATH:-}", VERSION: "${CI_COMMIT_TAG:-2.0}" }
  script: [./build]
  artifacts: { paths: [out], name: "${env:CI_JOB_NAME}-$CI_COMMIT_SHA" }
  environment: "review/${CI_COMMIT_REF_SLUG:0:20}"
package: { image: "tools:$VERSION", variables: { VERSION: "${CI_COMMIT_TAG:-2.0}" }, script: [./package] }
"""
    result, _ = from_text(source, tmp_path)
    build, package = _generated(result)["build"], _generated(result)["package"]

    assert build["variables"] == {
        "PYTHONPATH": "$CI_PROJECT_DIR:${PYTHONPATH:-}",
        "VERSION": "${CI_COMMIT_TAG:-2.0}",
    }
    assert build["artifacts"] == {"paths": ["out"], "name": "${env:CI_JOB_NAME}-$CI_COMMIT_SHA"}
    assert build["environment"] == "review/${CI_COMMIT_REF_SLUG:0:20}"
    assert package["image"] == "tools:$VERSION"


def test_services_get_the_variables_in_those_that_stay_raw(tmp_path: Path) -> None:
    """A generated script exports `CI_IMAGE`, whose name is GitLab's, which reaches no service."""
    source = """\
test:
  image: alpine
  services: [redis]
  variables: { CI_IMAGE: $CI_REGISTRY_IMAGE/ci, TAG: v1, IMAGE: "$CI_IMAGE:$TAG" }
  script: [./test]
"""
    result, _ = from_text(source, tmp_path)

    assert _generated(result)["test"]["variables"] == {
        "TAG": "v1",
        "CI_IMAGE": "$CI_REGISTRY_IMAGE/ci",
        "IMAGE": "$CI_IMAGE:$TAG",
    }


def test_a_year_has_a_quarter_of_a_day_more(tmp_path: Path) -> None:
    """GitLab's parser of durations takes 365 1/4 days for it."""
    source = "build: { script: [./build], artifacts: { paths: [out], expire_in: 1 year } }\n"
    result, _ = from_text(source, tmp_path)

    assert _generated(result)["build"]["artifacts"] == {"paths": ["out"], "expire_in": "365 days 6 hours"}


def test_an_environment_whose_name_stays_raw_stays_raw(tmp_path: Path) -> None:
    """Its other keys need the name."""
    source = "a: { script: [make], environment: { name: 'x/${X:-b}', url: 'https://a.b' } }\n"
    result, _ = from_text(source, tmp_path)

    assert 'raw: { gitlab: { environment: { name: "x/${X:-b}", url: https://a.b } } }' in result.text


def test_the_largest_matrix_stays_raw_if_a_config_would_have_too_many_arcs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For GitLab, each stage waits for all of the one before."""
    monkeypatch.setattr(expand, "MOST_ARCS", 5)
    source = """\
stages: [build, test]
build: { stage: build, script: make $X, parallel: { matrix: [{ X: [a, b] }, { X: [c, d] }] } }
test: { stage: test, script: make test $X, parallel: { matrix: [{ X: [a, b] }] } }
"""
    result, report = from_text(source, tmp_path)

    assert result.generated
    assert result.text.count("matrix: { X: [a, b] }") == 1
    assert '"parallel" of job "build" stays a key of GitLab' in messages(report)
    assert differences(result) == []


def test_a_run_waits_for_a_job_that_stops_an_environment(tmp_path: Path) -> None:
    """No run of a config waits for a stage that stops an environment, so the keys of GitLab say that it does."""
    environment = "name: review, url: https://example.com"
    source = f"""\
review: {{ script: ./up, environment: {{ {environment}, on_stop: stop }} }}
stop: {{ script: ./down, environment: {{ {environment}, action: stop }}, rules: [{{ if: $CI, when: manual }}] }}
"""
    result, _ = from_text(source, tmp_path)

    assert "raw: { gitlab: { environment: { action: stop } } }" in result.text
    assert differences(result) == []


@pytest.mark.parametrize("include", ["", "include: [{ project: a/b, file: c.yml }]\n"], ids=["own", "included"])
def test_a_job_with_steps_in_place_of_a_script_is_left_out(include: str, tmp_path: Path) -> None:
    """The message names `run`, of which https://docs.gitlab.com/ci/steps/ says that it is experimental."""
    source = f"{include}lint: {{ script: [ruff check] }}\nbuild:\n  run: [{{ name: make, script: make }}]\n"
    result, report = from_text(source, tmp_path)
    line = source.count("\n")

    assert result.jobs == ("lint",)
    assert f'{line}:3: warning[PG850] job "build" is left out: a config has no key for "run"' in messages(report)


def test_needs_of_a_template_that_stay_raw_are_reported_once(tmp_path: Path) -> None:
    """As other keys that several jobs get from one place."""
    source = """\
stages: [prepare, build, test]
first: { stage: prepare, script: first }
picture: { stage: build, script: make image, rules: [{ changes: [Dockerfile] }] }
.test:
  stage: test
  needs: [{ job: picture, optional: true }]
"""
    names = ("one", "two", "three")
    jobs = "".join(f"{name}: {{ extends: .test, script: {name} }}\n" for name in names)
    _, report = from_text(f"{source}{jobs}", tmp_path, frozenset(names))

    assert messages(report).count("stays a key of GitLab: in some runs") == 1
    assert '6:3: info[PG851] "needs" of job "one" and 2 others stays a key of GitLab' in messages(report)
