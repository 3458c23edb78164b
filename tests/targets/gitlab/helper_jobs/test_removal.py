"""The removal of resources that outlive their stage."""

from __future__ import annotations

from targets.gitlab.compiled import compiled

HANDOFF = """
    pipelines:
      {pipelines}
    targets: {{ gitlab: {{ images: {images} }} }}
"""
IMAGE = "{ stages: [{ name: build, build: app }, { name: use, run: { image: '${build.imageID}' } }] }"
RELEASE = """{ stages: [
    { name: deploy, deploy: { image: app, tag: '1', chart: { name: demo } } },
    { name: use, build: x, run: { arguments: ['${deploy.releaseName}'] } }
] }"""


def test_images_in_a_registry_are_not_removed() -> None:
    """GitLab's own cleanup policy removes them."""
    output = compiled(HANDOFF.format(pipelines=f"service: {IMAGE}", images="registry"))

    assert output.data["stages"] == ["build", "use"]


def test_images_on_a_runner_are_removed_last() -> None:
    """The helper comes after all stages, has no needs, and always runs."""
    output = compiled(HANDOFF.format(pipelines=f"service: {IMAGE}", images="local"))
    job = output.data["remove images"]

    assert output.data["stages"] == ["build", "use", "teardown"]
    assert {key: job[key] for key in job if key != "script"} == {
        "stage": "teardown",
        "when": "always",
        "variables": {"PIPEGEN_HELPER": "1", "GIT_STRATEGY": "none"},
    }
    assert job["script"][-1].startswith("${DOCKER:-docker} rmi --no-prune ")


def test_a_release_is_removed_by_helm() -> None:
    """Releases are in a cluster, wherever images are."""
    job = compiled(HANDOFF.format(pipelines=f"service: {RELEASE}", images="registry")).data["remove releases"]

    assert job["image"] == {"name": "alpine/helm:3.18.4", "entrypoint": [""]}
    assert job["script"][-1].startswith("${HELM:-helm} uninstall ")


def test_removals_have_the_condition_of_their_stages() -> None:
    """If no resource was created, none is removed."""
    pipelines = f"one: {IMAGE}\n      two: {IMAGE}"
    job = compiled(HANDOFF.format(pipelines=pipelines, images="local")).data["two: remove images"]

    assert (job["when"], len(job["rules"])) == ("always", 1)
