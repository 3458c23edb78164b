"""Stages that create releases: https://docs.gitlab.com/ci/yaml/#release, with `glab` in the image of the job."""

from __future__ import annotations

import pytest
from targets.gitlab.compiled import compiled

RELEASE = "registry.gitlab.com/gitlab-org/cli:v1.114.0"


@pytest.mark.parametrize("others", [0, 1, 2])
def test_a_release_job_runs_in_the_image_with_glab(others: int) -> None:
    """Even if it shares other tools through `default`."""
    more = "".join(f"""{{name: s{number}, script: ['echo "${{a.v}}"'], outputs: [w]}}, """ for number in range(others))
    output = compiled(f"""
        targets: {{gitlab: {{release: {{stage: rel, tag: v1}}, tools: {{release: '{RELEASE}'}}}}}}
        pipelines:
          p:
            stages:
              [{{name: a, script: [npm pack], outputs: [v]}}, {more}
               {{name: rel, script: ['echo "${{a.v}}"'], outputs: [w]}}]
    """)

    assert output.data["rel"]["image"] == RELEASE
    assert ("before_script" in output.data.get("default", {})) is True


def test_a_release_in_the_image_of_other_steps_is_reported() -> None:
    """The image with docker does not have glab."""
    output = compiled("""
        targets: {gitlab: {release: {stage: rel, tag: v1}}}
        pipelines: {p: {stages: [{name: rel, build: production}]}}
    """)

    assert output.codes() == [("PG657", "rel")]


def test_each_stage_of_a_list_creates_its_release() -> None:
    """A stage that does not exist is reported at its entry."""
    output = compiled("""
        targets:
          gitlab:
            release:
              - { stage: nightly, tag: nightly, links: [{ name: Tool, url: https://example.org/tool, type: package }] }
              - { stage: tagged, ref: main }
        pipelines: { p: { stages: [{ name: nightly, script: [make] }, { name: tagged, script: [make] }] } }
    """)
    unknown = compiled("""
        targets: {gitlab: {release: [{stage: a, tag: v1}, {stage: b}]}}
        pipelines: {p: {stages: [{name: a, script: [make]}]}}
    """)

    link = {"name": "Tool", "url": "https://example.org/tool", "link_type": "package"}
    assert output.data["nightly"]["release"]["assets"] == {"links": [link]}
    assert output.data["tagged"]["release"] == {
        "tag_name": "$CI_COMMIT_TAG",
        "description": "Release $CI_COMMIT_TAG",
        "ref": "main",
    }
    assert unknown.codes() == [("PG656", "b")]
