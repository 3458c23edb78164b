"""The agents of stages."""

from __future__ import annotations

import pytest
from targets.jenkins.sample_plans import SPAN, jenkinsfile, plan, scripts

from pipegen.plan.model import (
    AllowFailure,
    Approval,
    Deployment,
    Event,
    IsEvent,
    Limits,
    Machine,
    SharedResources,
    Workspace,
)
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


BUILDS = {"shared": SharedResources(image=True)}
ASKED = Approval(message=None, is_optional=True, span=SPAN)
CHOICE = "env.PIPEGEN_AGENT = env.NODE_NAME"


def test_the_stage_that_builds_takes_the_agent_of_all_that_share_images() -> None:
    """All others come after it, and its agent has their labels, too."""
    sample = plan(["a", "b", "c"], a={**on("arm"), **BUILDS}, c={**on("big"), **BUILDS})
    scripted, declarative = (jenkinsfile(scripts(sample), style=style) for style in ("scripted", "declarative"))

    assert "addStage('a', agent: 'arm && big') {\n    checkoutCommit()\n    // Stages" in scripted
    assert "addStage('c', after: ['b'], pinned: true) {" in scripted
    assert "agent {\n                label 'arm && big'\n" in declarative
    assert [text.count(CHOICE) for text in (scripted, declarative)] == [1, 1]


@pytest.mark.parametrize(
    ("arcs", "changes"),
    [
        ([["a", "c"], ["b", "c"]], {}),
        ([["a", "b", "c"]], {"a": {"condition": IsEvent((Event.PUSH,), SPAN)}}),
        ([["a", "b", "c"]], {"a": {"limits": Limits(allow_failure=AllowFailure((), SPAN))}}),
        (
            [["a", "b", "c"]],
            {"a": {"deployment": Deployment(approval=ASKED)}},
        ),
        ([["a", "b"], ["c"]], {"c": {"frame": None}}),
    ],
)
def test_without_a_stage_that_always_comes_first_the_build_chooses_the_agent_at_its_start(
    arcs: list[list[str]], changes: dict[str, dict[str, object]]
) -> None:
    """It would otherwise wait for an agent called "null"."""
    a, b, c = ({**BUILDS, **changes.get(stage, {})} for stage in ("a", "b", "c"))
    for style in ("scripted", "declarative"):
        text = jenkinsfile(scripts(plan(*arcs, a=a, b=b, c=c)), style=style)
        assert f"\nnode('') {{\n    {CHOICE}\n}}\n" in text
        assert text.count(CHOICE) == 1
