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


def test_a_registry_keeps_its_images() -> None:
    """GitLab's own policy cleans the registry."""
    made = compiled(HANDOFF.format(pipelines=f"service: {IMAGE}", images="registry"))

    assert made.data["stages"] == ["build", "use"]


def test_a_runner_s_images_are_removed_last() -> None:
    """The helper stands after all steps, has no needs, and runs whatever happened."""
    made = compiled(HANDOFF.format(pipelines=f"service: {IMAGE}", images="local"))
    job = made.data["remove images"]

    assert made.data["stages"] == ["build", "use", "teardown"]
    assert {key: job[key] for key in job if key != "script"} == {
        "stage": "teardown",
        "when": "always",
        "variables": {"PIPEGEN_HELPER": "1", "GIT_STRATEGY": "none"},
    }
    assert job["script"][-1].startswith("$DOCKER rmi --no-prune ")


def test_a_release_is_removed_by_helm() -> None:
    """Releases are kept in a cluster, wherever images are."""
    job = compiled(HANDOFF.format(pipelines=f"service: {RELEASE}", images="registry")).data["remove releases"]

    assert job["image"] == {"name": "alpine/helm:3.18.4", "entrypoint": [""]}
    assert job["script"][-1].startswith("$HELM uninstall ")


def test_conditions_hold_for_removals() -> None:
    """Nothing is removed if nothing was created."""
    pipelines = f"one: {IMAGE}\n      two: {IMAGE}"
    made = compiled(HANDOFF.format(pipelines=pipelines, images="local"))

    assert [rule["when"] for rule in made.data["two: remove images"]["rules"]] == ["always", "always"]
