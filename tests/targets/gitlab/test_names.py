"""Names of jobs."""

from __future__ import annotations

from targets.gitlab.compiled import compiled

from pipegen.targets.gitlab.names import JobNames


def test_a_stage_keeps_its_name() -> None:
    """The jobs of a single pipeline have the names of its stages."""
    made = compiled("pipelines: { service: { stages: [{ name: unit tests }] } }")

    assert "unit tests" in made.data


def test_several_pipelines_stand_before_their_stages() -> None:
    """Stages of two pipelines may have one name."""
    made = compiled("pipelines: { one: { stages: [{ name: test }] }, two: { stages: [{ name: test }] } }")

    assert {"one: test", "two: test"} <= made.data.keys()


def test_a_chosen_pipeline_stands_alone() -> None:
    """The jobs of the only chosen pipeline have the names of its stages."""
    made = compiled("pipelines: { one: { stages: [{ name: test }] }, two: { stages: [{ name: test }] } }", "two")

    assert "test" in made.data
    assert "rules" not in made.data["test"]


def test_a_keyword_is_changed_and_told() -> None:
    """A stage named like a GitLab keyword gets a readable name."""
    made = compiled("pipelines: { service: { stages: [{ name: image }, { name: .hidden }] } }")

    assert {"stage image", "stage .hidden"} <= made.data.keys()
    assert made.found() == [("PG620", "image"), ("PG620", ".hidden")]


def test_a_blank_name_is_changed() -> None:
    """GitLab rejects such names."""
    made = compiled("pipelines: { service: { stages: [{ name: ' ' }] } }")

    assert "stage  " in made.data
    assert made.found() == [("PG620", "' '")]


def test_a_changed_name_takes_no_other_stage_s() -> None:
    """A name in use gets a number."""
    names = JobNames()

    assert [names.take(wish) for wish in ("stage image", "image", "image")] == [
        "stage image",
        "stage image 2",
        "stage image 3",
    ]


def test_a_long_name_is_cut() -> None:
    """Names have at most 255 characters; shortened names stay different."""
    names = JobNames()
    first, second = names.take("x" * 300), names.take("x" * 300 + "y")

    assert (len(first), len(second)) == (255, 255)
    assert first != second


def test_helpers_take_no_stage_s_name() -> None:
    """A stage may have the name of a helper."""
    made = compiled("""
        pipelines:
          service:
            stages:
              - { name: mail when test fails }
              - { name: test, notify: { email: { to: [team@example.org] } } }
        targets: { gitlab: { mail: {} } }
    """)

    assert made.data["mail when test fails 2"]["needs"] == [{"job": "test", "artifacts": False}]
