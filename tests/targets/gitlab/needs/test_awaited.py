"""The needs of each job, and those whose artifacts it fetches."""

from __future__ import annotations

import pytest
from targets.gitlab.compiled import compiled


def test_a_predecessor_is_needed_without_its_artifacts() -> None:
    """A stage that only follows another fetches no artifacts."""
    output = compiled("""
        pipelines:
          service:
            stages: [{ name: lint }, { name: test }]
    """)

    assert output.needs("test") == [("lint", False)]


def test_jobs_of_the_first_stage_have_no_needs() -> None:
    """They start immediately."""
    output = compiled("""
        pipelines:
          service:
            stages: [{ name: lint }, { name: test }]
            execution: [[lint], [test]]
    """)

    assert output.data["stages"] == ["lint, test"]
    assert "needs" not in output.data["lint"]
    assert "needs" not in output.data["test"]


def test_outputs_of_any_ancestor_are_fetched() -> None:
    """It is needed with artifacts, listed after the predecessors."""
    output = compiled("""
        pipelines:
          service:
            stages:
              - { name: versions, build: list, run: { tail: 1 } }
              - { name: lint }
              - { name: test, build: test, run: { arguments: ['${versions.output}'] } }
    """)

    assert output.needs("test") == [("lint", False), ("versions", True)]


def test_a_build_fetches_the_files_of_all_ancestors() -> None:
    """Without any reference, if its context is the checkout."""
    output = compiled("""
        pipelines:
          service:
            stages:
              - { name: docs, build: docs, run: true, copy: [/srv/docs] }
              - { name: lint }
              - { name: site, build: site }
    """)

    assert output.needs("site") == [("lint", False), ("docs", True)]
    assert output.data["docs"]["artifacts"] == {"paths": ["srv/docs"]}


def test_a_copy_from_another_container_fetches_its_files() -> None:
    """The job of the container passes on the copied paths."""
    output = compiled("""
        pipelines:
          service:
            stages:
              - { name: build, build: app, run: true }
              - { name: lint }
              - { name: pack, copy: [{ from: '${build.container}', source: /srv/app, destination: app }] }
    """)

    assert output.needs("pack") == [("lint", False), ("build", True)]


def test_needs_are_in_the_order_of_the_arcs() -> None:
    """The order is the user's."""
    output = compiled("""
        pipelines:
          service:
            stages: [{ name: a }, { name: b }, { name: c }, { name: end }]
            execution: [[c, end], [a, end], [b, end]]
    """)

    assert output.needs("end") == [("c", False), ("a", False), ("b", False)]


@pytest.mark.parametrize("raw", ["rules: [{ if: $CI_MERGE_REQUEST_ID }]", "rules: null", "extends: .of-another-file"])
def test_a_stage_with_raw_rules_may_be_in_a_pipeline_without_the_stages_before_it(raw: str) -> None:
    """Jobs without rules are in no pipeline of a merge request; GitLab refuses one that lacks a needed job."""
    output = compiled(f"""
        pipelines:
          p:
            stages:
              - {{ name: build, script: [make] }}
              - {{ name: license, script: [./license], raw: {{ gitlab: {{ {raw} }} }} }}
    """)

    assert output.data["license"]["needs"] == [{"job": "build", "artifacts": False, "optional": True}]


@pytest.mark.parametrize("raw", ["extends: .of-another-file", "script: null"])
@pytest.mark.parametrize(("files", "arrive"), [("", True), ("files_from: []", False)])
def test_a_job_of_a_file_of_gitlab_may_leave_files(raw: str, files: str, *, arrive: bool) -> None:
    """Its artifacts may be there."""
    output = compiled(f"""
        pipelines:
          p:
            stages:
              - {{ name: login, script: [login], raw: {{ gitlab: {{ {raw} }} }} }}
              - {{ name: push, script: [./push], {files} }}
        targets: {{ gitlab: {{ include: [{{ template: a.yml }}] }} }}
    """)

    assert ("artifacts: false" in output.text) is not arrive


def test_a_stage_with_raw_rules_waits_for_those_that_can_be_there_without_the_stages_between() -> None:
    """Stages without rules are missing together, so that one of them is enough."""
    raw = "raw: { gitlab: { rules: [{ if: $CI_MERGE_REQUEST_ID }] } }"
    output = compiled(f"""
        pipelines:
          p:
            stages:
              - {{ name: zero, script: [make] }}
              - {{ name: first, script: [make], {raw} }}
              - {{ name: main, script: [make], when: {{ branch: main }} }}
              - {{ name: between, script: [make] }}
              - {{ name: second, script: [make] }}
              - {{ name: last, script: [make], {raw} }}
            execution: [[zero, first, main, between, second, last]]
    """)

    assert [need if isinstance(need, str) else need["job"] for need in output.data["last"]["needs"]] == [
        *("second", "main", "first", "zero"),
    ]


@pytest.mark.parametrize(
    "raw", ["{ when: always }", "{ when: on_failure }", "{ rules: [{ if: $A }, { if: $B, when: always }] }"]
)
def test_jobs_before_one_that_runs_after_failures_are_needed(raw: str) -> None:
    """Otherwise the job would start after their failure."""
    output = compiled(f"""
        pipelines:
          service:
            stages:
              - {{ name: build, script: make }}
              - {{ name: clean, script: ./clean, raw: {{ gitlab: {raw} }} }}
              - {{ name: deploy, script: ./deploy }}
    """)

    assert [name for name, _ in output.needs("deploy")] == ["clean", "build"]


@pytest.mark.parametrize(("raw", "needed"), [("", ["build"]), ("raw: { gitlab: { when: always } }", [])])
def test_a_job_before_one_that_runs_after_failures_is_not_needed_if_it_needs_a_failure(
    raw: str, needed: list[str]
) -> None:
    """GitLab skips it in a run without failures, and would skip jobs that need it.

    A job that always starts would do so as soon as it is skipped, before others that it needs have ended:
    `lib/gitlab/ci/status/composite.rb`.
    """
    output = compiled(f"""
        pipelines:
          service:
            stages:
              - {{ name: build, script: make }}
              - {{ name: rescue, script: ./rescue, raw: {{ gitlab: {{ when: on_failure }} }} }}
              - {{ name: clean, script: ./clean, raw: {{ gitlab: {{ when: always }} }} }}
              - {{ name: deploy, script: ./deploy, {raw} }}
    """)

    assert [name for name, _ in output.needs("deploy")] == ["clean", *needed]


@pytest.mark.parametrize(("raw", "needed"), [("[one]", ["two", "one"]), ("null", ["two"])])
def test_jobs_before_one_with_raw_needs_are_needed(raw: str, needed: list[str]) -> None:
    """It may start before them; without needs, it waits for the jobs of all earlier steps."""
    output = compiled(f"""
        pipelines:
          p:
            stages:
              - {{ name: one, script: [make] }}
              - {{ name: two, script: [make], raw: {{ gitlab: {{ needs: {raw} }} }} }}
              - {{ name: last, script: [make] }}
    """)

    assert [name for name, _ in output.needs("last")] == needed
