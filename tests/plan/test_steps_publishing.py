"""Steps with PipelineLib's defaults and short-hands: publish, promote and deploy."""

from __future__ import annotations

import pytest
from plan.sample_plans import items, kinds, plan_of, shown, step, wrong

from pipegen.bindings.expression import Loop
from pipegen.plan.model import (
    Deploy,
    Promote,
    PublishImage,
)


@pytest.mark.parametrize("value", ["true", "{id: '', name: '', tag: ''}", "{tags: []}"])
def test_publish_publishes_the_image_of_the_stage(value: str) -> None:
    """With the project's name, a tag of time and stage, and the default tag."""
    publish = step(PublishImage, f"build: x, publish: {{image: {value}}}")

    assert (shown(publish.image.id), publish.image.producer) == ("<own s.imageID>", "s")
    assert (shown(publish.name), shown(publish.tag)) == ("<setup setup.project>", "<setup setup.timestamp>-s")
    assert items(publish.tags) == ["<setup setup.tag>"]


def test_publish_false_publishes_nothing() -> None:
    """As without the key."""
    assert kinds("{name: s, build: x, publish: {image: false}}") == ["BuildImage"]


def test_publish_takes_an_image_a_name_and_tags() -> None:
    """Given tags replace the default one."""
    publish = step(
        PublishImage, "build: x, publish: {image: {id: '${.imageID}', name: n, tag: 1.10, tags: [a, '', 2]}}"
    )

    assert (shown(publish.name), shown(publish.tag), items(publish.tags)) == ("n", "1.10", ["a", "", "2"])


@pytest.mark.parametrize(
    ("image", "underlined"),
    [("{name: 'a b'}", "'a b'"), ("{name: '-a'}", "'-a'"), ("{tag: 'a b'}", "'a b'"), ("{tags: [ok, .x]}", ".x")],
)
def test_invalid_image_names_are_reported(image: str, underlined: str) -> None:
    """As far as they are known."""
    assert wrong(f"[{{name: s, build: x, publish: {{image: {image}}}}}]") == [("PG502", underlined)]


def promotions(value: str) -> list[tuple[str, list[str], str]]:
    """Return chart, environments and version of each promotion."""
    return [
        (shown(promotion.chart), items(promotion.environments), shown(promotion.version))
        for promotion in step(Promote, f"build: x, publish: {{image: true}}, promote: {value}").charts
        if not isinstance(promotion, Loop)
    ]


@pytest.mark.parametrize("value", ["true", "[{}]", "[{chart: '', environments: [], version: ''}]"])
def test_promote_updates_the_projects_own_chart(value: str) -> None:
    """In all environments, to the published tag."""
    assert promotions(value) == [("<setup setup.projectShortName>", [], "<own s.imageTag>")]


def test_promote_takes_charts() -> None:
    """Each with its environments and version."""
    value = "[{chart: a, environments: [x, y]}, {chart: b, version: 1.10}]"

    assert promotions(value) == [("a", ["x", "y"], "<own s.imageTag>"), ("b", [], "1.10")]


def test_promote_false_promotes_nothing() -> None:
    """As without the key."""
    assert kinds("{name: s, build: x, promote: false}") == ["BuildImage"]


def test_an_explicit_version_needs_no_publish() -> None:
    """Only the default reads the published tag."""
    assert shown(step(Promote, "promote: [{version: '1'}]").charts[0].version) == "1"  # type: ignore[union-attr] # no loop


def test_deploy_installs_the_published_image() -> None:
    """The project's own chart in its newest version, tested, without overrides."""
    deploy = step(Deploy, "build: x, publish: {image: true}, deploy: {test: true}")

    assert (shown(deploy.image), shown(deploy.tag)) == ("<own s.imageName>", "<own s.imageTag>")
    assert (shown(deploy.chart), shown(deploy.version)) == ("<setup setup.projectShortName>", "")
    assert (deploy.test, deploy.timeout, deploy.overrides.entries) == (True, None, ())


def test_deploy_takes_a_chart_and_values() -> None:
    """Values of charts keep their types."""
    deploy = step(
        Deploy,
        """deploy: {image: i, tag: 1.0, chart: {name: c, version: 2.10}, test: false, timeout: 5,
        overrides: {a: {b: 1}}}""",
    )

    assert (shown(deploy.image), shown(deploy.tag)) == ("i", "1.0")
    assert (shown(deploy.chart), shown(deploy.version), deploy.test, shown(deploy.timeout)) == ("c", "2.10", False, "5")
    assert deploy.overrides.get("a") is not None


def test_combinations_publish_different_tags() -> None:
    """If they differ only in case or in invalid characters, a digest makes them unique."""
    plan = plan_of("[{name: s, matrix: {a: [x y, x-y, X-Y, z]}, build: t, publish: {image: true}}]")
    tags = [shown(step.tag) for job in plan.jobs for step in job.steps if isinstance(step, PublishImage)]

    assert len({tag.lower() for tag in tags}) == 4
    assert tags[-1] == "<setup setup.timestamp>-s-z"
