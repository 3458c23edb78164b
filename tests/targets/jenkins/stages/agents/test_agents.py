"""The agents of stages."""

from __future__ import annotations

import pytest
from targets.jenkins.sample_plans import jenkinsfile, plan, scripts

from pipegen.plan.model import Machine, SharedResources, Workspace
from pipegen.structs import replace
from pipegen.targets.jenkins.settings import JenkinsSettings


def on(*labels: str) -> dict[str, Machine]:
    """Return the changed fields of a job that requires *labels*."""
    return {"machine": Machine(labels=labels)}


@pytest.mark.parametrize(
    ("labels", "written"),
    [
        (("linux",), "linux"),
        (("linux", "docker"), "linux && docker"),
        (("a-b", "x.y"), "a-b && x.y"),
        (("big disk",), '"big disk"'),
        (("it's",), '"it\\\'s"'),
    ],
)
def test_labels_are_joined_with_and(labels: tuple[str, ...], written: str) -> None:
    """A label with special characters is quoted."""
    text = jenkinsfile(scripts(plan(["a"], a=on(*labels))), style="scripted", settings=JenkinsSettings(agent="other"))

    assert f"agent: '{written}'" in text


def test_labels_override_the_agent_setting() -> None:
    """A stage without labels runs on the agent of the setting."""
    text = jenkinsfile(scripts(plan(["a", "b"], a=on("arm"))), settings=JenkinsSettings(agent="any && all"))

    assert [line.strip() for line in text.splitlines() if line.strip().startswith("label ")] == [
        "label 'arm'",
        "label 'any && all'",
    ]


def test_a_shared_workspace_requires_all_labels() -> None:
    """If a stage has no label, the label of the setting is required, too."""
    shared = replace(plan(["a", "b", "c"], a=on("arm"), b=on("arm", "big")), workspace=Workspace.SHARED)

    assert "label 'arm && big && (x || y)'" in jenkinsfile(scripts(shared), settings=JenkinsSettings(agent="x || y"))
    assert "label 'arm && big'" in jenkinsfile(scripts(shared))


def test_the_agent_of_shared_images_has_all_labels() -> None:
    """It is selected at the start of the build."""
    sample = plan(["a", "b"], a={**on("arm"), "shared": SharedResources(image=True)}, b={})

    assert "node('arm') {\n    env.PIPEGEN_AGENT = env.NODE_NAME" in jenkinsfile(scripts(sample), style="scripted")
