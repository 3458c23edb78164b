"""Pipelines that include files which only GitLab reads: what jobs get from these is not lost without a message."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text, messages
from yaml_data import yaml_data

from pipegen.importing.accounting import KeyOutcome
from pipegen.importing.gitlab.importer import GitLabImport
from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.imported import RunDifference

_INCLUDE = "include: [{ project: group/ci, file: /t.yml }]\n"


def _differences(result: GitLabImport) -> tuple[RunDifference, ...]:
    proof = prove(result)
    assert proof is not None
    return proof.differences


@pytest.mark.parametrize("when", ["", ", when: manual", ", when: on_success", ", when: delayed, start_in: 1 hour"])
def test_rules_of_a_job_elsewhere_are_not_replaced(when: str, tmp_path: Path) -> None:
    """Rules of another job make GitLab add a condition to jobs without rules, but not to those that extend rules.

    `when` of a job is only the default of its rules: https://docs.gitlab.com/ci/yaml/#when
    """
    jobs = 'a: { script: [x], rules: [{ if: $CI_PIPELINE_SOURCE == "merge_request_event" }] }\n'
    result, report = from_text(f"{_INCLUDE}{jobs}b: {{ extends: .rules, script: [y]{when} }}\n", tmp_path)
    generated = result.generated[-1].text
    (job,) = [text for text in generated.split("\n\n") if text.startswith("b:")]

    assert "extends: .rules" in job
    assert "rules:\n" not in job
    assert "        when:" not in result.text.partition("- name: b")[2].partition("execution")[0]
    assert when.rpartition(": ")[2] in job
    assert "PG854" not in messages(report)
    assert _differences(result) == ()


@pytest.mark.parametrize(
    "rules",
    ["[!reference [.rules, push]]", "!reference [.rules, push]", "[!reference [.rules, a], !reference [.r, b]]"],
)
@pytest.mark.parametrize("where", ["job", "workflow"])
def test_rules_that_are_only_elsewhere_are_left_out(rules: str, where: str, tmp_path: Path) -> None:
    """GitLab refuses `rules` without a rule, with the whole file."""
    workflow = f"workflow: {{ rules: {rules} }}\n" if where == "workflow" else ""
    job = f"a: {{ script: [make], rules: {rules} }}\n" if where == "job" else "a: { script: [make] }\n"
    result, report = from_text(f"{_INCLUDE}{workflow}{job}", tmp_path)
    reported = {path for path, outcome, _ in result.count.constructs if outcome is KeyOutcome.REPORTED}

    assert reported == {"rules" if where == "job" else "workflow:rules"}
    assert "what !reference names is left out" in messages(report)
    assert "rules" not in result.text
    assert "rules" not in result.generated[-1].text


@pytest.mark.parametrize(
    ("job", "lost"),
    [
        ("{ script: [make, !reference [.helpers, clean]] }", ("script", 1)),
        ("{ script: [make], retry: !reference [.helpers, retry] }", ("retry", 1)),
        ("{ script: [make], variables: { A: '1', B: !reference [.helpers, b] } }", ("variables:NAME", 1)),
    ],
)
def test_a_key_without_the_value_of_a_reference_is_reported(job: str, lost: tuple[str, int], tmp_path: Path) -> None:
    """GitLab has the value, and the stage does not."""
    result, report = from_text(f"{_INCLUDE}a: {job}\n", tmp_path)
    reported = [(path, number) for path, outcome, number in result.count.constructs if outcome is KeyOutcome.REPORTED]

    assert reported == [lost]
    assert "what !reference names is left out" in messages(report)


def test_names_elsewhere_keep_their_order(tmp_path: Path) -> None:
    """Keys of later ones replace those of earlier ones: https://docs.gitlab.com/ci/yaml/#extends."""
    jobs = ".l: { extends: [.one], tags: [l] }\nb: { extends: [.l, .two], script: [y] }\n"
    result, report = from_text(f"{_INCLUDE}{jobs}", tmp_path)

    assert "extends: [.one, .two]" in result.text
    assert 'keys of ".two", which is not in the files, do not replace those of ".l" in job "b"' in messages(report)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("needs: [a, { job: remote, optional: true }]", 'the need of job "b" on "remote" is left out'),
        ("dependencies: [remote]", 'job "b" does not get the files of "remote"'),
    ],
)
def test_jobs_elsewhere_that_others_name_are_reported(keys: str, message: str, tmp_path: Path) -> None:
    """A config cannot wait for them."""
    jobs = f"a: {{ script: [x] }}\nb: {{ stage: deploy, script: [y], {keys} }}\n"
    result, report = from_text(f"{_INCLUDE}{jobs}", tmp_path)

    assert result.count.number(KeyOutcome.REPORTED) > 0
    assert message in messages(report)


def test_the_proof_says_that_it_does_not_know_files_elsewhere(tmp_path: Path) -> None:
    """Their jobs and keys take no part."""
    result, _ = from_text(f"{_INCLUDE}a: {{ script: [x] }}\n", tmp_path)
    proof = prove(result)

    assert proof is not None
    assert proof.words == "the same for 16 events, without files that are not here"


def test_untracked_files_are_kept_after_failures(tmp_path: Path) -> None:
    """Reports are always kept, untracked files only with this key."""
    result, _ = from_text(
        "a: { script: [x], artifacts: { when: always, untracked: true, reports: { junit: r.xml } } }\n", tmp_path
    )

    assert "artifacts: { when: always, untracked: true }" in result.text


def test_defaults_and_variables_that_differ_for_jobs_elsewhere_are_reported(tmp_path: Path) -> None:
    """The generated file has the keys that most stages share, but no tags, scripts and exported variables."""
    source = """\
include: [{ template: Jobs/SAST.gitlab-ci.yml }]
variables: { SAST_EXCLUDED_PATHS: docs, GIT_IMAGE: "$CI_REGISTRY_IMAGE/ci", HOST: $CI_SERVER_HOST }
default: { tags: [docker], interruptible: true, timeout: 1h }
before_script: [./prepare]
test: { image: alpine, script: [./test] }
lint: { image: alpine, script: [./lint] }
scan: { image: alpine, script: [./scan] }
"""
    _, report = from_text(source, tmp_path)

    assert [line.partition("[PG850] ")[2] for line in messages(report).splitlines() if "get" in line] == [
        'jobs of files that are not read get the default "image" of the generated file',
        'jobs of files that are not read do not get the variables "GIT_IMAGE"',
        'jobs of files that are not read do not get the default "tags"',
        'jobs of files that are not read do not get the default "before_script"',
    ]


def test_files_that_are_all_read_lose_no_defaults(tmp_path: Path) -> None:
    """The defaults are keys of their stages."""
    (tmp_path / "lint.yml").write_text("lint: { image: python, script: [./lint] }\n", encoding="utf-8")
    source = "include: lint.yml\ndefault: { image: alpine }\nvariables: { CI_A: b }\ntest: { script: [./test] }\n"
    _, report = from_text(source, tmp_path)

    assert messages(report) == ""


@pytest.mark.parametrize(("rules", "is_reported"), [("", False), (", rules: [{ when: on_success }]", True)])
def test_jobs_elsewhere_without_rules_do_not_start_for_merge_requests(
    rules: str,
    is_reported: bool,  # noqa: FBT001
    tmp_path: Path,
) -> None:
    """With rules of the file, GitLab would start them: it no longer gives them its default, branches and tags.

    A push to a branch with a merge request also starts the jobs elsewhere that have rules.
    """
    jobs = 'a: { script: [x], rules: [{ if: $CI_PIPELINE_SOURCE == "merge_request_event" }] }\n'
    result, report = from_text(f"{_INCLUDE}{jobs}b: {{ extends: .t }}\nc: {{ script: [y]{rules} }}\n", tmp_path)

    assert "duplicates: true" in result.text
    assert ("\nworkflow:" in result.generated[-1].text) is is_reported
    assert ("also start for merge requests if they have no rules" in messages(report)) is is_reported


def test_jobs_that_only_start_for_merge_requests_prevent_no_push_beside_jobs_elsewhere(tmp_path: Path) -> None:
    """Jobs of the files that are not read may start for the push."""
    jobs = 'a: { script: [x], rules: [{ if: $CI_PIPELINE_SOURCE == "merge_request_event" }] }\n'
    result, _ = from_text(f"{_INCLUDE}{jobs}", tmp_path)

    assert "workflow:" not in result.generated[-1].text


def test_jobs_after_a_manual_one_whose_rules_are_elsewhere_keep_the_order_of_stages(tmp_path: Path) -> None:
    """With rules, GitLab waits for a person, and without, it does not: the order of stages is right for both."""
    jobs = (
        "build: { stage: build, script: [x] }\nlint: { stage: build, script: [x], when: manual }\n"
        "deploy: { stage: deploy, extends: .t, script: [y], when: manual }\nnotify: { stage: last, script: [n] }\n"
    )
    source = f"{_INCLUDE}stages: [build, deploy, last]\n{jobs}"
    first, _ = from_text(source, tmp_path)
    proof = prove(first)
    assert proof is not None
    result, _ = from_text(source, tmp_path, misordered=proof.misordered)
    (job,) = [text for text in result.generated[-1].text.split("\n\n") if text.startswith("notify:")]

    assert "- [build, deploy, notify]" in result.text
    assert "needs" not in job
    assert _differences(result) == ()


@pytest.mark.parametrize(
    ("include", "job", "place"),
    [
        ("{ project: group/ci, file: t.yml }", "extends: .scan", '"scan" is assumed'),
        ("{ project: group/ci, file: t.yml }", "extends: .all", '"scan" is assumed'),
        (
            "{ component: host/group/check@1.0, inputs: { job_stage: scan, level: 1 } }",
            "tags: [big]",
            '"scan" is assumed',
        ),
        ("{ component: host/group/check@1.0, inputs: { a: scan, b: deploy } }", "tags: [big]", "it runs last"),
        ("{ project: group/ci, file: t.yml }", "extends: .other", "it runs last"),
    ],
)
def test_stage_elsewhere_has_the_name_of_a_job_or_is_an_input(
    include: str, job: str, place: str, tmp_path: Path
) -> None:
    """A job without a `stage` is not in `test` if there is no such stage: another file has its stage."""
    text = (
        f"include: [{include}]\nstages: [build, scan, deploy]\n.all: {{ extends: .scan }}\n"
        "build: { stage: build, script: make }\ndeploy: { stage: deploy, script: make deploy }\n"
        f"check: {{ {job} }}\n"
    )
    result, report = from_text(text, tmp_path)

    assert f'warning[PG852] the stage of job "check" is not in the files: {place}' in messages(report)
    assert ("[build, [deploy, check]]" in result.text) == (place == "it runs last")


@pytest.mark.parametrize(
    ("job", "place"),
    [
        ("check: { tags: [big] }", 'of job "check" is not in the files: "test" is assumed'),
        ("check: { extends: .check, script: [check] }", 'of job "check" is not in the files: "test" is assumed'),
        ("deploy: { tags: [big] }", 'of job "deploy" is not in the files: "deploy" is assumed'),
        ("check: { script: [check] }", ""),
        ("check: { stage: deploy, tags: [big] }", ""),
    ],
)
def test_the_stage_of_a_job_with_a_script_elsewhere_is_assumed(job: str, place: str, tmp_path: Path) -> None:
    """Without the file, it would be `test`, and the generated file replaces the stage in the file."""
    text = (
        "include: [{ project: group/ci, file: t.yml }]\nstages: [build, test, deploy]\n"
        f"build: {{ stage: build, script: make }}\n{job}\n"
    )
    _, report = from_text(text, tmp_path)

    reported = messages(report)
    assert (f"the stage {place}" in reported) if place else ("the stage of" not in reported)


def test_maps_of_unknown_references_alone_are_left_out(tmp_path: Path) -> None:
    """Without its name, GitLab refuses an environment, and `retry` has a default number."""
    jobs = """
build: { script: make, environment: { name: !reference [.base, name] }, retry: { max: !reference [.base, max] } }
test: { script: make, cache: !reference [.none, cache] }
.none: { cache: {} }
default: { cache: { paths: [a] } }
"""
    result, report = from_text(f"include: [{{ project: a/b, file: c.yml }}]\n{jobs}", tmp_path)
    generated = yaml_data(result.generated[-1].text)

    assert "GitLab refuses" not in messages(report)
    assert generated["build"].keys() == {"stage", "cache", "script"}
    assert not generated["test"].get("cache")


def test_variables_with_unknown_references_are_left_out(tmp_path: Path) -> None:
    """Without a value, the variable would be empty, not the one of the project."""
    image = "!reference [.base, variables, IMAGE]"
    variables = f"{{ CI_IMAGE: {image}, RAW: {{ value: {image}, expand: false }}, LEVEL: high, NONE: }}"
    job = f"build: {{ image: $CI_IMAGE, script: make, variables: {variables} }}\n"
    result, report = from_text(f"include: [{{ project: a/b, file: c.yml }}]\n{job}", tmp_path)

    assert "what !reference names is left out" in messages(report)
    assert yaml_data(result.text)["pipelines"]["ci"]["stages"][0]["env"] == {"LEVEL": "high", "NONE": ""}
    assert yaml_data(result.generated[-1].text)["build"]["image"] == "$CI_IMAGE"
