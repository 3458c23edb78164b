"""Raw keys of a job that GitLab rejects."""

from __future__ import annotations

import pytest
from targets.gitlab.compiled import Compiled, compiled
from yaml_data import yaml_data


def raw(stage: str, keys: str) -> Compiled:
    """Return a stage with the keys *stage*, and raw *keys* for GitLab."""
    return compiled(f"""
        pipelines:
          service:
            stages:
              - {{ name: only, {stage}, raw: {{ gitlab: {{ {keys} }} }} }}
        targets: {{ gitlab: {{ projects: {{ docs: group/docs }} }} }}
    """)


@pytest.mark.parametrize(
    ("stage", "keys"),
    [
        ("script: make", "trigger: group/docs"),
        ("script: make", "run: [{ name: a, script: make }]"),
        ("script: make", "artifacts: { expose_as: report }"),
        ("trigger: { name: docs }", "tags: [large]"),
        ("trigger: { name: docs }", "script: make"),
    ],
)
def test_a_key_that_gitlab_rejects_is_an_error(stage: str, keys: str) -> None:
    """GitLab's CI lint rejects these.

    https://docs.gitlab.com/ci/yaml/#trigger, https://docs.gitlab.com/ci/yaml/#run and
    https://docs.gitlab.com/ci/yaml/#artifactsexpose_as.
    """
    assert [code for code, _ in raw(stage, keys).codes()] == ["PG636"]


@pytest.mark.parametrize(
    ("stage", "keys"),
    [
        ("script: make, artifacts: [report/]", "artifacts: { expose_as: report }"),
        ("script: make", "artifacts: { expose_as: report, paths: [report/] }"),
        ("script: make", "tags: [large]"),
        ("trigger: { name: docs }", "environment: docs, interruptible: true"),
    ],
)
def test_other_raw_keys_are_added_to_the_job(stage: str, keys: str) -> None:
    """GitLab accepts these jobs."""
    assert raw(stage, keys).codes() == []


def test_a_raw_key_without_a_value_removes_the_generated_one() -> None:
    """So a stage can take its script from a job of an included file."""
    job = raw("script: make, timeout: 1 hour", "extends: .shared, script: , timeout: ").data["only"]

    assert (job["extends"], job.keys() & {"script", "timeout"}) == (".shared", set())


def test_jobs_of_included_files_come_before_shared_keys() -> None:
    """Of several jobs that a job extends, GitLab prefers the last one."""
    output = compiled("""
        pipelines:
          service:
            stages:
              - { name: unit, when: &when { event: push, changes: [a, b] }, script: make }
              - { name: lint, when: *when, script: make, raw: { gitlab: { extends: [.one, .two] } } }
              - { name: docs, when: *when, script: make }
    """)

    assert "  extends:\n    - .one\n    - .two\n    - .rules-unit\n" in output.text


@pytest.mark.parametrize(
    "keys", ["rules: [{ if: $NIGHTLY }]", "only: [tags]", "except: [branches]", "extends: .of-an-included-file"]
)
def test_a_need_on_a_job_with_own_rules_is_optional(keys: str) -> None:
    """GitLab creates no pipeline in which a job needs a missing one: https://docs.gitlab.com/ci/yaml/#needsoptional."""
    jobs = compiled(f"""
        pipelines:
          service:
            stages:
              - {{ name: first, script: make }}
              - {{ name: nightly, script: make, raw: {{ gitlab: {{ {keys} }} }} }}
              - {{ name: last, script: make }}
    """).data

    # Without the nightly job, the last one still waits for the first.
    assert [(need["job"], need.get("optional", False)) for need in jobs["last"]["needs"]] == [
        ("nightly", True),
        ("first", False),
    ]


def test_a_need_counts_once_for_each_parallel_job() -> None:
    """GitLab replaces a need by needs on all parallel jobs before it counts them, at most 50.

    https://docs.gitlab.com/ci/yaml/#parallel and https://docs.gitlab.com/administration/cicd/limits/.
    """
    data = compiled("""
        pipelines:
          service:
            stages:
              - { name: a, script: make, raw: { gitlab: { parallel: 30 } } }
              - { name: b, script: make, raw: { gitlab: { parallel: { matrix: [{ X: [1, 2, 3], Y: 4 }, { X: 5 }] } } } }
              - { name: c, script: make, raw: { gitlab: { parallel: 20 } } }
              - { name: last, script: make }
            execution: [[[a, b, c], last]]
    """).data
    counts = {name: len(job["needs"]) for name, job in data.items() if isinstance(job, dict) and "needs" in job}

    assert counts == {"collect for last": 30 + 4, "collect for last 2": 20, "last": 2}


@pytest.mark.parametrize(
    ("parallel", "first", "last"),
    [
        ("60", "many 1/60", "many 60/60"),
        (f"{{ matrix: [{{ V: {list(range(58))}, W: [true] }}, {{ V: [a, b] }}] }}", "many: [0, true]", "many: [b]"),
    ],
)
def test_more_parallel_jobs_than_a_job_can_need_are_needed_in_parts(parallel: str, first: str, last: str) -> None:
    """GitLab also accepts needs on single parallel jobs, by their names: collectors need a part of them each."""
    output = compiled(f"""
        pipelines:
          service:
            stages:
              - {{ name: many, script: make, raw: {{ gitlab: {{ parallel: {parallel} }} }} }}
              - {{ name: last, script: make }}
    """)

    collectors = [job for name, job in output.data.items() if name.startswith("collect for last")]
    needed = [need if isinstance(need, str) else need["job"] for job in collectors for need in job["needs"]]
    assert (output.codes(), len(needed), needed[0], needed[-1]) == ([], 60, first, last)
    assert all(len(job["needs"]) <= 50 for job in (*collectors, output.data["last"]))


@pytest.mark.parametrize(
    ("artifacts", "files", "has_files"),
    [
        ("reports: { dotenv: x.env }", "", True),
        ("paths: [x]", "files_from: [one]", True),
        ("paths: [x]", "files_from: []", False),
        ("reports: { sast: x.json }", "", False),
    ],
)
def test_later_jobs_get_the_files_of_raw_artifacts(artifacts: str, files: str, has_files: bool) -> None:  # noqa: FBT001
    """They also get those of the stage's own key; a report is only for GitLab, unless it sets variables."""
    output = compiled(f"""
        pipelines:
          service:
            stages:
              - {{ name: one, script: make, raw: {{ gitlab: {{ artifacts: {{ {artifacts} }} }} }} }}
              - {{ name: two, script: make, {files} }}
              - {{ name: three, script: make }}
            execution: [[one, two], [three]]
    """)

    assert output.needs("two") == [("one", has_files)]


def test_a_raw_variable_replaces_that_of_env() -> None:
    """An export in the script would win over it."""
    output = compiled("""
        pipelines:
          service:
            stages:
              - name: one
                env: { TAG: "${setup.commit}", MODE: quick }
                script: make
                raw: { gitlab: { variables: { TAG: $CI_COMMIT_TAG } } }
    """)
    job = yaml_data(output.text)["one"]

    assert job["variables"] == {"MODE": "quick", "TAG": "$CI_COMMIT_TAG"}
    assert "TAG" not in "\n".join(job["script"])


@pytest.mark.parametrize("script", ["script: ", "script: [Get-Date]"])
def test_another_script_gets_the_variables_of_env(script: str) -> None:
    """The script of the stage, which would export them, is not in the job; GitLab expands the same variables."""
    env = "A: '${CI_JOB_ID}/x', B: '${setup.commit}', C: 'cost: $5', D: '${setup.timestamp}', GIT_DEPTH: '1'"
    job = raw(f"script: make, env: {{ {env} }}", f"extends: .shared, {script}").data["only"]

    assert job["variables"] == {"A": "$CI_JOB_ID/x", "B": "$CI_COMMIT_SHA", "C": "cost: $$5", "GIT_DEPTH": "1"}


def test_another_script_gets_no_variables_that_only_a_shell_can_set() -> None:
    """GitLab knows its own variables, inputs, those of the job, and none of the machine."""
    output = compiled("""
        inputs: { LEVEL: x }
        pipelines:
          service:
            stages:
              - { name: build, script: make, outputs: [version] }
              - name: only
                env:
                  PATH: "/x:${PATH}"
                  HOME: "${LEVEL}"
                  OWN: "${CI_JOB_ID}${RAW}${LEVEL}${inputs.LEVEL}${setup.params.OTHER}"
                  LEVEL: "${inputs.LEVEL}"
                  FIRST: "${SECOND}"
                  SECOND: "${OWN}/2"
                  THIRD: "${FIRST}/3"
                  VERSION: "${build.version}"
                script: make
                raw: { gitlab: { script: [y], variables: { RAW: r } } }
    """)

    assert yaml_data(output.text)["only"]["variables"] == {
        "HOME": "$LEVEL",
        "OWN": "$CI_JOB_ID$RAW$LEVEL$LEVEL$OTHER",
        "SECOND": "$OWN/2",
        "RAW": "r",
    }
    words = "replaces the commands that set"
    lost = [each.message for each in output.diagnostics if words in each.message]
    assert [message.split('"')[5] for message in lost] == ["PATH", "FIRST", "THIRD", "VERSION"]


def test_another_script_gets_no_variables_if_an_image_has_one_of_the_run_with_the_same_name() -> None:
    """In the image, a variable of the job would win over the one of the run."""
    output = raw("script: make, env: { A: x }, image: '${setup.params.A}'", "script: [y]")
    messages = [each.message for each in output.diagnostics]

    assert output.data["only"]["image"] == "$A"
    assert "variables" not in output.data["only"]
    assert '"script" of stage "only" replaces the commands that set "A", which is not a variable of the job' in messages


@pytest.mark.parametrize(
    ("keys", "paths", "dotenv"),
    [
        ("paths: [log]", ["log", ".pipegen/outputs/build/"], ".pipegen/dotenv/build.env"),
        ("untracked: true", ["dist", ".pipegen/outputs/build/"], ".pipegen/dotenv/build.env"),
        (
            "reports: { dotenv: own.env }",
            ["dist", ".pipegen/outputs/build/"],
            ["own.env", ".pipegen/dotenv/build.env"],
        ),
        ("paths: , reports: { junit: x.xml }", None, ".pipegen/dotenv/build.env"),
    ],
)
def test_raw_artifacts_keep_the_files_with_values_for_other_stages(
    keys: str, paths: list[str] | None, dotenv: str | list[str]
) -> None:
    """The stages that read the values would fail without them."""
    artifacts = compiled(f"""
        pipelines:
          service:
            stages:
              - name: build
                script: make
                outputs: {{ VERSION: {{ command: cat VERSION }} }}
                artifacts: [dist]
                raw: {{ gitlab: {{ artifacts: {{ {keys} }} }} }}
              - {{ name: test, image: "app:${{build.VERSION}}", script: './test ${{build.VERSION}}' }}
    """).data["build"]["artifacts"]

    assert artifacts.get("paths") == paths
    assert artifacts["reports"]["dotenv"] == dotenv


@pytest.mark.parametrize(
    ("keys", "hint"),
    [
        ("when: always", 'if the stage runs after all others, add it to "finally"'),
        ("when: on_failure", 'if the stage runs after all others, add it to "finally"'),
        ("when: manual", 'use the key "approve" of the stage'),
        ("script: [x]", 'use the key "script" of the stage'),
        ("dependencies: []", 'use the key "files_from" of the stage'),
    ],
)
def test_a_key_that_replaces_a_generated_one_is_reported_with_what_a_config_has_instead(keys: str, hint: str) -> None:
    """Each of these keys of a stage exists."""
    diagnostics = raw("script: make", keys).diagnostics

    assert [(each.code.number, each.hint) for each in diagnostics] == [("PG654", hint)]


@pytest.mark.parametrize(("stage", "codes"), [(".pre", []), (".post", []), ("build", ["PG654"])])
def test_a_stage_whose_jobs_start_no_pipeline_is_not_reported(stage: str, codes: list[str]) -> None:
    """No key of a config has this effect."""
    assert [each.code.number for each in raw("script: make", f"stage: {stage}").diagnostics] == codes
