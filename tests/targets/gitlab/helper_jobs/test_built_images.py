"""Tests of the helpers that build the images of stages from Dockerfiles."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from targets.gitlab.compiled import Compiled, compiled
from targets.gitlab.split_runs import split_up

from pipegen.readback.gitlab import order

FILE = {"dockerfile": "ci/Dockerfile"}
BUILD = "image ci/Dockerfile"


def of_stages(*stages: Mapping[str, object], **pipeline: object) -> Compiled:
    """Return the file of one pipeline with *stages*."""
    named = [{"script": ["make"], **stage} for stage in stages]
    return compiled(json.dumps({"pipelines": {"p": {"stages": named, **pipeline}}}))


def test_one_helper_builds_and_pushes_the_image_of_all_stages() -> None:
    """It starts at once, and runners pull the image by the name that it leaves in its dotenv report."""
    output = of_stages({"name": "pre"}, {"name": "a", "image": FILE}, {"name": "b", "image": FILE})
    helper, script = output.data[BUILD], "\n".join(output.data[BUILD]["script"])
    name = '"$pipegen_prefix/pipegen:$CI_PIPELINE_ID-ci-dockerfile"'

    assert output.codes() == []
    assert helper["variables"]["PIPEGEN_HELPER"] == "1"
    assert "needs" not in helper
    assert f"docker build --file ci/Dockerfile --tag {name}" in script
    assert f"docker push {name}" in script
    assert f"printf '{output.data['a']['image'][1:]}=%s\\n' {name}" in script
    assert "--target" not in script
    assert output.data["a"]["image"] == output.data["b"]["image"]
    assert output.needs("b") == [("a", False), (BUILD, True)]
    assert list(output.data).index(BUILD) < list(output.data).index("a")


def test_arguments_and_a_new_base_image_are_options_of_the_build() -> None:
    """Arguments reach the build byte for byte; different builds of a file are different images."""
    first = {**FILE, "context": "ci", "build_args": {"A": "1", "B": "a b $C"}, "pull": "always"}
    output = of_stages({"name": "a", "image": first}, {"name": "b", "image": FILE}, {"name": "c", "image": first})
    scripts = ["\n".join(output.data[name]["script"]) for name in (BUILD, f"{BUILD} 2")]

    assert "docker build --pull --file ci/Dockerfile --build-arg A=1 --build-arg 'B=a b $C'" in scripts[0]
    assert scripts[0].partition("\ndocker push")[0].rstrip().endswith(" ci")
    assert "--pull" not in scripts[1]
    assert "--build-arg" not in scripts[1]
    assert output.data["a"]["image"] == output.data["c"]["image"] != output.data["b"]["image"]
    # The runner pulls what the helper has pushed.
    assert isinstance(output.data["a"]["image"], str)


def test_paths_are_relative_to_the_directory_of_the_stage() -> None:
    """The helper runs in the root of the checkout."""
    output = of_stages({"name": "a", "directory": "web", "image": {"dockerfile": "Dockerfile"}})
    script = "\n".join(output.data["image web/Dockerfile"]["script"])

    assert "--file web/Dockerfile" in script
    assert script.partition("\ndocker push")[0].rstrip().endswith(" web")


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([{"branch": "main"}, {"branch": "main"}], ['$CI_COMMIT_BRANCH == "main"']),
        ([{"branch": "main"}, {"tag": "v1"}], ['$CI_COMMIT_BRANCH == "main"', '$CI_COMMIT_TAG == "v1"']),
        ([{"branch": "main"}, None], []),
    ],
)
def test_it_runs_if_one_of_its_stages_does(conditions: list[object], expected: list[str]) -> None:
    """So no stage needs it where it is missing, and no run builds an image in vain."""
    stages = [
        {"name": name, "image": FILE, **({} if condition is None else {"when": condition})}
        for name, condition in zip("ab", conditions, strict=True)
    ]
    output = of_stages(*stages)
    rules = [part for rule in output.data[BUILD].get("rules", []) for part in rule["if"].split(" || ")]

    assert rules == expected
    assert [output.data[name]["needs"][-1] for name in "ab"] == [{"job": BUILD, "artifacts": True}] * 2


def test_it_has_the_settings_that_all_its_stages_share() -> None:
    """An attempt that fails in the build fails like one that fails in the script."""
    shared = {"retry": 1, "timeout": "10m", "allow_failure": True, "agent": "docker"}
    same = of_stages({"name": "a", "image": FILE, **shared}, {"name": "b", "image": FILE, **shared}).data[BUILD]
    different = of_stages({"name": "a", "image": FILE, **shared}, {"name": "b", "image": FILE}).data[BUILD]
    keys = ("retry", "timeout", "allow_failure", "tags")

    assert [same[key] for key in keys] == [1, "10 minutes", True, ["docker"]]
    assert not set(keys) & set(different)


def test_what_gitlab_lacks_is_reported_for_stages_only() -> None:
    """The helper takes its settings from them."""
    output = of_stages({"name": "a", "image": FILE, "retry": 5, "when": {"changes": ["src/**"]}})

    assert [number for number, _ in output.codes()] == ["PG638", "PG630"]


def test_finally_stages_and_manual_stages_use_it_too() -> None:
    """The helper is not manual: a person starts the stage when the image is there."""
    output = of_stages(
        {"name": "a", "image": FILE, "approve": True},
        {"name": "end", "image": FILE},
        **{"finally": ["end"]},
    )

    assert "when" not in output.data[BUILD]
    assert output.data["a"]["when"] == "manual"
    assert output.data["end"]["image"] == output.data["a"]["image"]
    assert output.data["end"]["dependencies"] == [BUILD]


def test_the_defaults_of_a_pipeline_name_one_image_for_a_matrix() -> None:
    """All combinations share it."""
    output = of_stages({"name": "a", "matrix": {"v": ["1", "2"]}}, {"name": "b"}, defaults={"image": FILE})

    assert [name for name in output.data if name.startswith("image ")] == [BUILD]
    assert {job["image"] for job in map(output.data.get, ("a 1/2", "a 2/2", "b")) if job} == {output.data["b"]["image"]}


def test_a_stage_may_have_its_name() -> None:
    """The helper then has another one."""
    output = of_stages({"name": BUILD, "image": FILE})

    assert output.needs(BUILD) == [(f"{BUILD} 2", True)]


def test_each_pipeline_builds_its_images() -> None:
    """A pipeline may run alone; the tags differ."""
    stage = {"name": "a", "image": FILE, "script": ["make"]}
    output = compiled(json.dumps({"pipelines": {"p": {"stages": [stage]}, "q": {"stages": [stage]}}}))

    assert output.needs("p: a") == [(f"p: {BUILD}", True)]
    assert output.needs("q: a") == [(f"q: {BUILD}", True)]
    assert output.data["p: a"]["image"] != output.data["q: a"]["image"]


def test_a_failed_build_is_mailed_to_the_recipients_of_its_stages() -> None:
    """The mails of the stages do not follow: GitLab skips the stages."""
    mail = {"email": {"to": ["a@example.org"]}}
    stages = [{"name": name, "image": FILE, "notify": mail, "script": ["make"]} for name in "ab"]
    settings = {"gitlab": {"mail": {"server": "SMTP_SERVER", "sender": "SENDER"}}}
    output = compiled(json.dumps({"targets": settings, "pipelines": {"p": {"stages": stages}}}))

    assert output.needs(f"mail when {BUILD} fails") == [(BUILD, False)]


def test_it_is_in_the_child_pipeline_of_its_stages() -> None:
    """A child gets no variables of reports of its parent, so stages in different pipelines cannot share it."""
    image = json.dumps(FILE)
    stages = [f"{{ name: {name}, image: {image}, script: [make] }}" for name in ("test-a", "test-b", "c")]
    config = f"pipelines: {{ p: {{ stages: [{{ name: d, script: [make] }}, {', '.join(stages[:2])}] }} }}"
    shared = f"pipelines: {{ p: {{ stages: [{', '.join(stages)}] }} }}"
    files = split_up(config, ["test-a,test-b"]).data()
    (child,) = [data for name, data in files.items() if name != ".gitlab-ci.yml"]

    assert BUILD in child
    assert {"child: test", "d"} <= set(files[".gitlab-ci.yml"])
    assert BUILD not in files[".gitlab-ci.yml"]
    assert [each.message for each in split_up(shared, ["test-b"]).reported("PG676")] == [
        f'stage "{stage}" shares its "{BUILD}" with a stage outside the child pipeline' for stage in ("test-b", "c")
    ]


def test_runs_that_wait_for_each_other_build_it_in_their_child_pipeline() -> None:
    """The whole pipeline is in the child."""
    stage = f"{{ name: a, image: {json.dumps(FILE)}, script: [make] }}"
    files = split_up(f"pipelines: {{ p: {{ concurrency: {{}}, stages: [{stage}] }} }}").data()
    (child,) = [data for name, data in files.items() if name != ".gitlab-ci.yml"]

    assert [need["job"] for need in child["a"]["needs"]] == [BUILD]


def test_readers_of_the_file_see_only_stages() -> None:
    """The helper is no stage of the config."""
    text = of_stages({"name": "a", "image": FILE}, {"name": "b"}).text

    assert order(text).nodes == ("a", "b")
