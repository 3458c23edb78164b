"""Published images."""

from __future__ import annotations

import pytest
from shell.world import HOSTILE, LOGIN, World, host, plan_of, script_of, text_of

from pipegen.shell.host import Images

SOURCE = {"name": "a", "build": "x", "run": {"tail": 9}}
ILLEGAL = [text for name, text in HOSTILE.items() if name not in ("empty", "dash")]
ILLEGAL += ["é", "-a", ".a", "a b", "x" * 129]
NAME = "registry.example/repo/group-project"


def publish(**image: object) -> dict[str, object]:
    """Return a stage that publishes the image that it builds."""
    return {"name": "t", "build": "v", "publish": {"image": image or True}}


def pushed(calls: list[list[str]]) -> list[str]:
    """Return the names of pushed images."""
    return [call[1] for call in calls if call[0] == "push"]


def test_published_images_have_default_names_and_tags(world: World) -> None:
    """Project, time and stage; a tag of the commit is added if there is one."""
    plan = plan_of([publish()])

    without = pushed(world.run_job(plan, "t", host()).calls)
    world.variables["TAG"] = "Release/1.0"
    tagged = world.run_job(plan, "t", host())

    assert without == [f"{NAME}:2024-01-31-120000-t"]
    assert pushed(tagged.calls) == [f"{NAME}:2024-01-31-120000-t", f"{NAME}:release-1.0"]
    assert tagged.calls[-1] == [
        "rmi",
        "--no-prune",
        "localhost/pipegen-7",
        f"{NAME}:2024-01-31-120000-t",
        f"{NAME}:release-1.0",
    ]


def test_published_names_and_tags_are_bound(world: World) -> None:
    """With the values that are pushed."""
    names = ("imageName", "imageFullName", "imageTag", "imageTags", "publishedImage")
    stage = publish(
        name="${setup.project}", tag="A/${setup.timestamp}", tags=["Latest", "", "${setup.tag}", "${a.output}"]
    )
    reader = {"name": "r", "build": "x", "run": {"arguments": [f"${{t.{name}}}" for name in names]}}
    plan = plan_of([SOURCE, stage, reader])
    world.give("a", "output", "V2\n")

    result = world.run_job(plan, "t", host())

    tag = "a-2024-01-31-120000"
    assert result.status == 0, result.errors
    assert [world.output("t", name) for name in names] == [
        "group-project",
        NAME,
        tag,
        f"{tag}\nlatest\nv2",
        f"{NAME}:{tag}",
    ]


def test_the_full_name_is_computed_once() -> None:
    """The variable that other stages read is that of the pushed names."""
    reader = {"name": "r", "script": ["echo ${t.imageFullName}"]}
    text = text_of(script_of(plan_of([publish(tag="v1", tags=[""]), reader]), "t", host()))

    assert text.count("tr A-Z/ a-z-") == 1
    assert '$DOCKER push "$t_imageFullName:v1"\n' in text


def test_valid_constants_need_no_check_and_no_loop() -> None:
    """They are pushed directly."""
    plan = plan_of([publish(name="Team/App", tag="V1", tags=[""])])

    text = text_of(script_of(plan, "t", host()))

    assert "image=$REGISTRY/repo/team-app\n" in text
    assert '$DOCKER push "$image:v1"\n' in text
    assert "expr" not in text
    assert "for " not in text


def test_a_tag_that_is_never_empty_needs_no_check_and_no_loop() -> None:
    """The engine's own values are in a registry's characters; others are converted once."""
    where = host(setup={"commit": "$COMMIT", "branch": "$BRANCH"}.get)
    text, converted = (
        text_of(script_of(plan_of([publish(name="app", tag="v1", tags=[tag])]), "t", where))
        for tag in ("sha-${setup.commit}", "x-${setup.branch}")
    )

    assert '$DOCKER push "$image:sha-$COMMIT"\n' in text
    assert "set --" not in text
    assert "[ -z" not in converted
    assert 'set -- v1 "$(printf %s "x-$BRANCH" | tr A-Z/ a-z-)"\n' in converted


@pytest.mark.slow
@pytest.mark.parametrize("key", ["name", "tag", "tags", "loop"])
def test_an_invalid_name_or_tag_fails_the_stage(world: World, key: str) -> None:
    """The container engine rejects it; nothing is pushed or executed, and no other image is removed."""
    tags: object = ["ok", "${a.output}"] if key == "tags" else "${a.output}"
    if key == "loop":
        tags = {"$each": "i", "$in": "${a.output}", "$delimiter": "\f", "$yield": "${.i}"}
    plan = plan_of([SOURCE, publish(**{"tags" if key == "loop" else key: tags})])
    for value in ILLEGAL if key == "tag" else ILLEGAL[:5]:
        world.give("a", "output", value)

        result = world.run_job(plan, "t", host())

        assert result.status == 1, value
        assert "invalid reference format" in result.errors
        assert pushed(result.calls) == []
        assert result.calls[-1][:3] == ["rmi", "--no-prune", "localhost/pipegen-7"]
        assert all(name.startswith("registry.example/repo/") for name in result.calls[-1][3:])


def test_an_empty_main_tag_fails_the_stage(world: World) -> None:
    """Only additional tags may be empty."""
    plan = plan_of([SOURCE, publish(tag="${a.output}", tags=["latest"])])
    world.give("a", "output", "")

    result = world.run_job(plan, "t", host())

    assert result.status == 1
    assert "invalid reference format" in result.errors


def test_an_image_of_another_stage_is_published(world: World) -> None:
    """With a shared daemon it is used by its ID; otherwise it is pulled."""
    stages = [
        {"name": "a", "build": "x"},
        {"name": "t", "publish": {"image": {"id": "${a.imageID}", "tag": "v", "name": "n"}}},
    ]
    plan = plan_of(stages)
    world.give("a", "imageID", "abc")
    local = world.run_job(plan, "t", host())
    world.give("a", "imageID", "abc")

    pulled = world.run_job(plan, "t", host(images=Images.REGISTRY, login=LOGIN))

    target = "registry.example/repo/n:v"
    assert local.calls[0] == ["tag", "sha256:abc", target]
    assert pulled.calls[1:3] == [
        ["pull", "registry.example/shared:abc"],
        ["tag", "registry.example/shared:abc", target],
    ]


def test_a_failing_push_fails_the_stage(world: World) -> None:
    """All tagged names are removed."""
    world.variables["FAKE_FAIL"] = "push=5"

    result = world.run_job(plan_of([publish(tag="v", name="n", tags=["w"])]), "t", host())

    assert result.status == (1 if world.shell == "runner" else 5)
    assert len(pushed(result.calls)) == 1
    assert result.calls[-1] == [
        *("rmi", "--no-prune", "localhost/pipegen-7"),
        *("registry.example/repo/n:v", "registry.example/repo/n:w"),
    ]
