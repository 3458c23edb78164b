"""Names of GitLab's stages."""

from __future__ import annotations

import pytest
from targets.gitlab.compiled import Compiled, compiled


def _chain(count: int, *, version: str = "") -> Compiled:
    names = [f"s{number}" for number in range(count)]
    settings = f"targets: {{ gitlab: {{ version: '{version}' }} }}\n" if version else ""
    stages = ", ".join(f"{{ name: {name}, script: x }}" for name in names)
    return compiled(f"{settings}pipelines: {{ p: {{ stages: [{stages}], execution: [[{', '.join(names)}]] }} }}")


def _beside(*names: str) -> Compiled:
    stages = ", ".join(f"{{ name: {name!r}, script: x }}" for name in names)
    return compiled(
        f"pipelines: {{ p: {{ stages: [{stages}], execution: [{', '.join(f'[{name!r}]' for name in names)}] }} }}"
    )


@pytest.mark.parametrize(
    ("names", "stage"),
    [
        (("a",), "a"),
        (("a", "b", "c"), "a, b, c"),
        (("a", "b", "c", "d"), "a, b and 2 more"),
        (("a" * 200, "b" * 200, "c"), f"{'a' * 200} and 2 more"),
        (("ä" * 127, "b"), f"{'ä' * 120}… and 1 more"),
    ],
)
def test_a_stage_is_named_after_its_jobs(names: tuple[str, ...], stage: str) -> None:
    """After three names, or GitLab's 255 bytes, the rest is a count."""
    output = _beside(*names)

    assert output.data["stages"] == [stage]
    assert len(stage.encode()) <= 255


def test_stage_names_are_unique() -> None:
    """A job may be named like a stage of other jobs."""
    output = compiled("""
        pipelines:
          p:
            stages: [{ name: a, script: x }, { name: b, script: x }, { name: 'a, b', script: x }]
            execution: [[[a, b], 'a, b']]
    """)

    assert output.data["stages"] == ["a, b", "a, b 2"]


def test_many_frames_share_one_stage() -> None:
    """Needs define the order within a stage since GitLab 14.2."""
    assert len(_chain(20).data["stages"]) == 20
    assert _chain(21).data["stages"] == ["pipeline"]
    assert "Needs GitLab 14.2" in _chain(21).text
    assert len(_chain(21, version="14.1").data["stages"]) == 21


def test_many_frames_have_their_stages_if_a_job_follows_these() -> None:
    """Without needs and in one stage, it would start at once."""
    names = [f"s{number}" for number in range(21)]
    stages = ", ".join(f"{{ name: {name}, script: x }}" for name in names[:-1])
    last = f"{{ name: {names[-1]}, script: x, raw: {{ gitlab: {{ needs: null }} }} }}"
    output = compiled(f"pipelines: {{ p: {{ stages: [{stages}, {last}], execution: [[{', '.join(names)}]] }} }}")

    assert output.data["stages"] == names
    assert "needs" not in output.data[names[-1]]


def test_needs_that_jobs_share_may_be_of_their_stage() -> None:
    """They are in a hidden job that these jobs extend."""
    frames = [[f"{letter}-of-frame-{number}" for letter in "abcdefgh"] for number in range(100, 121)]
    stages = ", ".join(f"{{ name: {name}, script: x }}" for frame in frames for name in frame)
    order = ", ".join(f"[{', '.join(frame)}]" for frame in frames)
    output = compiled(f"pipelines: {{ p: {{ stages: [{stages}], execution: [[{order}]] }} }}")

    assert [need["job"] for need in output.data[".needs-of-frame-101"]["needs"]] == frames[0]
    assert "Needs GitLab 14.2" in output.text


def test_combinations_are_named_after_their_matrix() -> None:
    """A matrix counts as one job."""
    output = compiled(
        "pipelines: { p: { stages: [{ name: a, matrix: { v: [x, y, z, w] }, script: 'echo ${matrix.v}' }] } }"
    )

    assert output.data["stages"] == ["a"]


def test_a_stage_of_helpers_is_not_named_after_their_mails() -> None:
    """It has the name of the image that the helper builds."""
    output = compiled("""
        pipelines:
          p:
            notify: { email: { to: [t@example.org] } }
            stages: [{ name: a, script: x, image: { dockerfile: ci/Dockerfile } }]
        targets: { gitlab: { mail: {} } }
    """)

    assert output.data["stages"] == ["image ci/Dockerfile", "a"]


def test_the_job_of_a_matrix_has_no_pipeline_in_the_name_of_its_stage() -> None:
    """It has the title of its combinations, as other jobs have that of their stage."""
    output = compiled("""
        pipelines:
          p: { stages: [{ name: a, matrix: { v: [x, y] }, script: ['make ${matrix.v}'] }] }
          q: { stages: [{ name: b, script: [make] }] }
    """)

    assert "parallel:" in output.text
    assert output.data["stages"] == ["a, b"]
