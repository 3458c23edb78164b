"""The order that a generated `.gitlab-ci.yml` enforces."""

from __future__ import annotations

from textwrap import dedent

import pytest

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.gitlab import order


def read(text: str) -> ExecutionGraph:
    """Return the order in the indented *text*."""
    return order(dedent(text))


def test_needs_are_the_order() -> None:
    """A job waits for its needs and for nothing else."""
    graph = read("""
        stages: [step 1, step 2]
        lint: { stage: step 1, script: ["true"] }
        build: { stage: step 1, script: ["true"] }
        test: { stage: step 2, needs: [{ job: build, artifacts: false }], script: ["true"] }
    """)

    assert graph == ExecutionGraph([["lint"], ["build", "test"]])


def test_images_may_have_tags_in_maps_of_one_line() -> None:
    """Such as a service; a job whose name begins with a dot is none."""
    graph = read("""
        stages: [step 1]
        .docker: { services: [{ name: docker:28-dind, alias: docker }] }
        build: { stage: step 1, extends: .docker, image: docker:28-cli, script: ["true"] }
    """)

    assert graph == ExecutionGraph([["build"]])


def test_a_job_without_needs_waits_for_all_earlier_stages() -> None:
    """GitLab's own order holds where a job says nothing."""
    graph = read("""
        stages: [step 1, step 2, step 3]
        lint: { stage: step 1, script: ["true"] }
        build: { stage: step 2, needs: [], script: ["true"] }
        test: { stage: step 3, script: ["true"] }
    """)

    assert graph == ExecutionGraph([["lint", "test"], ["build", "test"]])


def test_helper_jobs_are_looked_through() -> None:
    """Who waits for a helper waits for what the helper waits for, helpers of helpers included."""
    graph = read("""
        stages: [step 1, step 2]
        a: { stage: step 1, script: ["true"] }
        b: { stage: step 1, script: ["true"] }
        one: { stage: step 2, needs: [a, b], variables: { PIPEGEN_HELPER: "1" }, script: ["true"] }
        two: { stage: step 2, needs: [{ job: one, artifacts: true }], variables: { PIPEGEN_HELPER: "1" } }
        c: { stage: step 2, needs: [two], script: ["true"] }
    """)

    assert graph == ExecutionGraph([["a", "c"], ["b", "c"]])


def test_comments_say_nothing() -> None:
    """A need in a comment is no need."""
    graph = read("""
        # a -> b
        stages: [step 1]
        a: { stage: step 1, script: ["true"] }
        b: { stage: step 1, needs: [], script: ["true"] }  # needs: [a]
    """)

    assert graph == ExecutionGraph([["a"], ["b"]])


def test_what_is_no_job_is_no_node() -> None:
    """Keywords and hidden jobs are left out."""
    graph = read("""
        stages: [step 1]
        workflow: { rules: [{ when: always }] }
        default: { tags: [linux] }
        variables: { A: "1" }
        .docker: { image: docker }
        a: { extends: .docker, stage: step 1, script: ["true"] }
    """)

    assert graph.nodes == ("a",)


def test_a_need_on_no_job_is_an_error() -> None:
    """A file that GitLab refuses has no order."""
    with pytest.raises(KeyError):
        read("""
            stages: [step 1]
            a: { stage: step 1, needs: [b], script: ["true"] }
        """)
