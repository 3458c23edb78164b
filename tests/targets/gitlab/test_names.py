"""Names of jobs."""

from __future__ import annotations

from targets.gitlab.compiled import compiled

from pipegen.targets.gitlab.names import JobNames


def test_a_job_has_the_name_of_its_stage() -> None:
    """If there is one pipeline."""
    output = compiled("pipelines: { service: { stages: [{ name: unit tests }] } }")

    assert "unit tests" in output.data


def test_job_names_are_prefixed_with_the_pipeline() -> None:
    """Stages of two pipelines may have the same name."""
    output = compiled("pipelines: { one: { stages: [{ name: test }] }, two: { stages: [{ name: test }] } }")

    assert {"one: test", "two: test"} <= output.data.keys()


def test_jobs_of_a_selected_pipeline_have_no_prefix() -> None:
    """It is the only one."""
    output = compiled("pipelines: { one: { stages: [{ name: test }] }, two: { stages: [{ name: test }] } }", "two")

    assert "test" in output.data
    assert "rules" not in output.data["test"]


def test_a_stage_named_like_a_keyword_is_renamed_and_reported() -> None:
    """The new name is readable."""
    output = compiled("pipelines: { service: { stages: [{ name: image }, { name: .hidden }] } }")

    assert {"stage image", "stage .hidden"} <= output.data.keys()
    assert output.codes() == [("PG620", "image"), ("PG620", ".hidden")]


def test_the_stage_that_publishes_the_website_may_have_the_name_of_its_job() -> None:
    """GitLab publishes the artifacts of a job named `pages`: https://docs.gitlab.com/ci/yaml/#pages."""
    config = """
        pipelines: { docs: { stages: [{ name: pages, script: make, artifacts: [public/] }] } }
        targets: { gitlab: { pages: { stage: pages } } }
    """

    assert "pages" in compiled(config).data
    assert compiled(config).codes() == []


def test_a_blank_name_is_replaced() -> None:
    """GitLab rejects such names."""
    output = compiled("pipelines: { service: { stages: [{ name: ' ' }] } }")

    assert "stage  " in output.data
    assert output.codes() == [("PG620", "' '")]


def test_a_replaced_name_is_unique() -> None:
    """A number is added if the name is in use."""
    names = JobNames()

    assert [names.take(wish) for wish in ("stage image", "image", "image")] == [
        "stage image",
        "stage image 2",
        "stage image 3",
    ]


def test_a_long_name_is_shortened() -> None:
    """Names have at most 255 characters and stay unique."""
    names = JobNames()
    first, second = names.take("x" * 300), names.take("x" * 300 + "y")

    assert (len(first), len(second)) == (255, 255)
    assert first != second


def test_helper_names_do_not_collide_with_stages() -> None:
    """A stage may have the name of a helper."""
    output = compiled("""
        pipelines:
          service:
            stages:
              - { name: mail when test fails }
              - { name: test, notify: { email: { to: [team@example.org] } } }
        targets: { gitlab: { mail: {} } }
    """)

    assert output.data["mail when test fails 2"]["needs"] == [{"job": "test", "artifacts": False}]
