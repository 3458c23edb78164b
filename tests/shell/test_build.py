"""Image builds."""

from __future__ import annotations

import pytest
import yaml
from shell.world import BLUBBERFILE, HOSTILE, LOGIN, World, host, plan_of, script_of, text_of

from pipegen.shell.host import Images

SOURCE = {"name": "a", "build": "x", "run": {"tail": 9}}


def build_call(calls: list[list[str]]) -> list[str]:
    """Return the words of the build call."""
    return next(call for call in calls if call[0] == "build")


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        (BLUBBERFILE, False),
        ("# syntax=docker.io/other\nversion: v4\n", True),
        ("#Syntax = docker.io/other\n", True),
        ("version: v4\n# syntax=late\n", False),
        ("", False),
    ],
)
def test_a_blubberfile_without_a_syntax_line_gets_the_frontend(world: World, text: str, *, is_named: bool) -> None:
    """The user's file is not changed."""
    (world.root / "blubber.yaml").write_text(text)

    result = world.run_job(plan_of([{"name": "t", "build": "v"}]), "t", host())

    frontend = "" if is_named or not text else "# syntax=example.org/blubber:1\n"
    assert result.status == 0
    assert (world.kept / "blubberfile").read_text() == frontend + text
    assert (world.root / "blubber.yaml").read_text() == text


def test_a_missing_blubberfile_fails_the_stage(world: World) -> None:
    """No image is built from an empty file."""
    (world.root / "blubber.yaml").unlink()

    result = world.run_job(plan_of([{"name": "t", "build": "v"}]), "t", host())

    assert result.status != 0
    assert not [call for call in result.calls if call[0] == "build"]


@pytest.mark.parametrize(
    ("folder", "directory", "path", "expected"),
    [
        ("", ".", "blubber.yaml", "blubber.yaml"),
        (".pipeline", ".", "blubber.yaml", ".pipeline/blubber.yaml"),
        (".pipeline", "sub/dir", "x/blubber.yaml", "../../.pipeline/x/blubber.yaml"),
        ("sub", "sub", "blubber.yaml", "blubber.yaml"),
        ("", "sub", "a b'c.yaml", "../a b'c.yaml"),
    ],
)
def test_the_blubberfile_is_relative_to_the_configs_folder(
    folder: str, directory: str, path: str, expected: str
) -> None:
    """The script uses its path from the directory in which the steps run."""
    plan = plan_of({"directory": directory, "blubberfile": path, "stages": [{"name": "t", "build": "v"}]}, folder)

    text = text_of(script_of(plan, "t", host()))

    assert f"<{expected} " in text or f'<"{expected}" ' in text


def test_the_path_of_a_blubberfile_may_be_a_run_time_value(world: World) -> None:
    """It is quoted like any other value."""
    (world.root / "-o b").write_text("version: v4\n")
    plan = plan_of(
        {"blubberfile": "${a.output}", "stages": [SOURCE | {"blubberfile": "x"}, {"name": "t", "build": "v"}]}
    )
    world.give("a", "output", "-o b")

    result = world.run_job(plan, "t", host())

    assert result.status == 0, result.errors
    assert (world.kept / "blubberfile").read_text().endswith("\nversion: v4\n")


def test_an_inline_blubberfile_is_written_as_yaml(world: World) -> None:
    """YAML 1.1 and 1.2 read it alike."""
    document = {
        "version": "v4",
        "no": ["yes", 1, None, "12:30", ""],
        "variants": {"v": {"apt": [], "copies": [{"a": "b"}]}},
    }
    plan = plan_of([{"name": "t", "blubberfile": document, "build": "v"}])

    result = world.run_job(plan, "t", host())

    written = (world.kept / "blubberfile").read_text()
    assert result.status == 0, result.errors
    assert written.startswith("# syntax=example.org/blubber:1\nversion: v4\n")
    assert yaml.safe_load(written) == document


def test_an_inline_blubberfile_may_contain_run_time_values(world: World) -> None:
    """Lists that are known only at run time are generated there."""
    packages = {"$each": "i", "$in": "${a.output}", "$yield": "lib-${.i}"}
    plan = plan_of(
        [SOURCE, {"name": "t", "blubberfile": {"variants": {"v": {"apt": {"packages": packages}}}}, "build": "v"}]
    )
    world.give("a", "output", HOSTILE["lines"])

    result = world.run_job(plan, "t", host())

    written = (world.kept / "blubberfile").read_text()
    assert result.status == 0, result.errors
    assert written.startswith("# syntax=example.org/blubber:1\n")
    assert yaml.safe_load(written) == {
        "variants": {"v": {"apt": {"packages": [f"lib-{line}" for line in HOSTILE["lines"].split("\n")]}}}
    }


@pytest.mark.parametrize("value", ["-rf", "'; rm -rf ~ #", "a b", "-"])
def test_variants_and_contexts_cannot_become_options(world: World, value: str) -> None:
    """A leading dash stays part of the variant or context."""
    plan = plan_of([{"name": "t", "build": {"variant": value, "context": value}}])

    call = build_call(world.run_job(plan, "t", host()).calls)

    assert call[call.index("--target") + 1] == value
    assert call[-1] == (f"./{value}" if value.startswith("-") else value)


def test_a_run_time_context_follows_the_end_of_options(world: World) -> None:
    """So it cannot be parsed as an option."""
    plan = plan_of([SOURCE, {"name": "t", "build": {"variant": "${a.output}", "context": "${a.output}"}}])
    world.give("a", "output", "-rf")

    call = build_call(world.run_job(plan, "t", host()).calls)

    assert call[-2:] == ["--", "-rf"]
    assert call[call.index("--target") + 1] == "-rf"


@pytest.mark.parametrize("policy", ["always", "never", None, "${a.output}"])
def test_base_images_are_pulled_by_policy(world: World, policy: str | None) -> None:
    """The default is always; the policy may be a run-time value."""
    values = {"variant": "v"} | ({"imagePullPolicy": policy} if policy else {})
    plan = plan_of([SOURCE, {"name": "t", "build": values}])
    for pull in ("always", "never"):
        world.give("a", "output", pull)

        call = build_call(world.run_job(plan, "t", host()).calls)

        assert ("--pull" in call) is (policy in ("always", None) or (policy == "${a.output}" and pull == "always"))


@pytest.mark.parametrize("own", [None, "of the user\n"])
@pytest.mark.parametrize("failing", ["", "build=1"])
def test_excludes_replace_dockerignore_only_during_the_build(world: World, own: str | None, failing: str) -> None:
    """The user's file is restored even if the build fails."""
    context = world.root / "sub"
    context.mkdir()
    if own is not None:
        (context / ".dockerignore").write_text(own)
    world.variables["FAKE_FAIL"] = failing
    excludes = ["*", "!a b", "${a.output}", {"$each": "i", "$in": "${a.output}", "$yield": "${.i}"}]
    merged = {"$merge": excludes[:3], "$with": excludes[3]}
    plan = plan_of([SOURCE, {"name": "t", "build": {"variant": "v", "context": "sub", "excludes": merged}}])
    world.give("a", "output", "x\ny\n")

    world.run_job(plan, "t", host())

    assert (world.kept / "ignored").read_text() == "*\n!a b\nx\ny\n\nx\ny\n"
    assert (context / ".dockerignore").exists() is (own is not None)
    assert own is None or (context / ".dockerignore").read_text() == own


def test_without_excludes_the_users_dockerignore_applies(world: World) -> None:
    """It is not changed."""
    (world.root / ".dockerignore").write_text("mine\n")

    world.run_job(plan_of([{"name": "t", "build": "v"}]), "t", host())

    assert (world.kept / "ignored").read_text() == "mine\n"


def test_images_are_labelled_with_the_pipeline(world: World) -> None:
    """The host adds its own labels."""
    call = build_call(world.run_job(plan_of([{"name": "t", "build": "v"}]), "t", host()).calls)

    assert [word for word, option in zip(call[1:], call, strict=False) if option == "--label"] == [
        "ci.project=Group/project",
        "ci.pipeline=p",
    ]


def test_a_shared_image_is_kept_under_a_name_unique_to_the_run(world: World) -> None:
    """Other jobs read its ID."""
    plan = plan_of([{"name": "A_b", "build": "v"}, {"name": "r", "run": {"image": "${A_b.imageID}"}}])
    where = host()

    result = world.run_job(plan, "A_b", where)

    call = build_call(result.calls)
    slug = plan.job("A_b").slug
    assert call[call.index("--tag") + 1] == f"localhost/pipegen-3-{slug}"
    assert world.output(slug, "imageID") == f"{7:064d}"
    assert ["rmi", "--no-prune", f"localhost/pipegen-3-{slug}"] not in result.calls


def test_a_shared_image_is_pushed_without_a_shared_daemon(world: World) -> None:
    """Other jobs read its name in the registry as the local name."""
    plan = plan_of(
        [
            {"name": "a", "build": "v"},
            {"name": "r", "run": {"image": "${a.imageID}", "arguments": ["${a.imageLocalName}"]}},
        ]
    )
    where = host(images=Images.REGISTRY, login=LOGIN)

    result = world.run_job(plan, "a", where)

    name = f"registry.example/shared:{7:064d}"
    assert world.output("a", "imageLocalName") == name
    assert ["tag", "localhost/pipegen-7", name] in result.calls
    assert ["push", name] in result.calls
    assert result.calls[-1] == ["rmi", "--no-prune", "localhost/pipegen-7", name]


def test_steps_run_in_the_directory_and_values_are_at_the_root(world: World) -> None:
    """The script returns to the root without knowing the directory."""
    (world.root / "sub").mkdir()
    stages = [{"name": "a", "build": "v"}, {"name": "r", "run": {"image": "${a.imageID}"}}]
    plan = plan_of({"directory": "sub", "stages": stages})

    result = world.run_job(plan, "a", host())

    assert result.status == 0, result.errors
    assert world.output("a", "imageID") == f"{7:064d}"
