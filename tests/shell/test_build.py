"""Building an image."""

from __future__ import annotations

import pytest
import yaml
from shell.world import BLUBBERFILE, HOSTILE, LOGIN, World, host, plan_of, script_of, text_of

from pipegen.shell.host import Images

SOURCE = {"name": "a", "build": "x", "run": {"tail": 9}}


def build_call(calls: list[list[str]]) -> list[str]:
    """Return the words of the build."""
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
def test_a_blubberfile_gets_a_frontend_where_it_names_none(world: World, text: str, *, is_named: bool) -> None:
    """The user's file is not touched."""
    (world.root / "blubber.yaml").write_text(text)

    result = world.run_job(plan_of([{"name": "t", "build": "v"}]), "t", host())

    frontend = "" if is_named or not text else "# syntax=example.org/blubber:1\n"
    assert result.status == 0
    assert (world.kept / "blubberfile").read_text() == frontend + text
    assert (world.root / "blubber.yaml").read_text() == text


def test_a_missing_blubberfile_ends_the_stage(world: World) -> None:
    """Nothing is built from an empty file."""
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
def test_the_blubberfile_stands_beside_the_config(folder: str, directory: str, path: str, expected: str) -> None:
    """Its path is told from the directory in which the steps run."""
    plan = plan_of({"directory": directory, "blubberfile": path, "stages": [{"name": "t", "build": "v"}]}, folder)

    text = text_of(script_of(plan, "t", host()))

    assert f"<{expected} " in text or f'<"{expected}" ' in text


def test_a_blubberfile_that_only_the_run_names(world: World) -> None:
    """Its path is a value like any other."""
    (world.root / "-o b").write_text("version: v4\n")
    plan = plan_of(
        {"blubberfile": "${a.output}", "stages": [SOURCE | {"blubberfile": "x"}, {"name": "t", "build": "v"}]}
    )
    world.give("a", "output", "-o b")

    result = world.run_job(plan, "t", host())

    assert result.status == 0, result.errors
    assert (world.kept / "blubberfile").read_text().endswith("\nversion: v4\n")


def test_an_inline_blubberfile(world: World) -> None:
    """It is written as YAML that both versions read alike."""
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


def test_an_inline_blubberfile_with_values_of_the_run(world: World) -> None:
    """Lists that only the run knows are built there."""
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
def test_nothing_of_a_build_becomes_an_option(world: World, value: str) -> None:
    """A variant or context that begins with a dash is a variant or context."""
    plan = plan_of([{"name": "t", "build": {"variant": value, "context": value}}])

    call = build_call(world.run_job(plan, "t", host()).calls)

    assert call[call.index("--target") + 1] == value
    assert call[-1] == (f"./{value}" if value.startswith("-") else value)


def test_a_context_of_the_run_stands_behind_the_options(world: World) -> None:
    """So that it is never one."""
    plan = plan_of([SOURCE, {"name": "t", "build": {"variant": "${a.output}", "context": "${a.output}"}}])
    world.give("a", "output", "-rf")

    call = build_call(world.run_job(plan, "t", host()).calls)

    assert call[-2:] == ["--", "-rf"]
    assert call[call.index("--target") + 1] == "-rf"


@pytest.mark.parametrize("policy", ["always", "never", None, "${a.output}"])
def test_base_images_are_pulled_when_asked(world: World, policy: str | None) -> None:
    """Always unless the user says something else, also at run time."""
    given = {"variant": "v"} | ({"imagePullPolicy": policy} if policy else {})
    plan = plan_of([SOURCE, {"name": "t", "build": given}])
    for said in ("always", "never"):
        world.give("a", "output", said)

        call = build_call(world.run_job(plan, "t", host()).calls)

        assert ("--pull" in call) is (policy in ("always", None) or (policy == "${a.output}" and said == "always"))


@pytest.mark.parametrize("own", [None, "of the user\n"])
@pytest.mark.parametrize("failing", ["", "build=1"])
def test_excludes_replace_the_users_file_for_the_build_only(world: World, own: str | None, failing: str) -> None:
    """It is back after the build, also after one that fails."""
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


def test_without_excludes_the_users_file_counts(world: World) -> None:
    """Nothing touches it."""
    (world.root / ".dockerignore").write_text("mine\n")

    world.run_job(plan_of([{"name": "t", "build": "v"}]), "t", host())

    assert (world.kept / "ignored").read_text() == "mine\n"


def test_labels_name_the_pipeline(world: World) -> None:
    """Those of the host, and the pipeline's name."""
    call = build_call(world.run_job(plan_of([{"name": "t", "build": "v"}]), "t", host()).calls)

    assert [word for word, option in zip(call[1:], call, strict=False) if option == "--label"] == [
        "ci.project=Group/project",
        "ci.pipeline=p",
    ]


def test_a_shared_image_is_kept_under_a_name_of_the_run(world: World) -> None:
    """Its ID is what other jobs read."""
    plan = plan_of([{"name": "A_b", "build": "v"}, {"name": "r", "run": {"image": "${A_b.imageID}"}}])
    where = host()

    result = world.run_job(plan, "A_b", where)

    call = build_call(result.calls)
    slug = plan.job("A_b").slug
    assert call[call.index("--tag") + 1] == f"localhost/pipegen-3-{slug}"
    assert world.output(slug, "imageID") == f"{7:064d}"
    assert ["rmi", "--no-prune", f"localhost/pipegen-3-{slug}"] not in result.calls


def test_a_shared_image_is_pushed_where_no_daemon_is_shared(world: World) -> None:
    """Its name in the registry is the local name that others read."""
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


def test_steps_run_in_the_directory_and_values_stand_at_the_root(world: World) -> None:
    """The way back needs no knowledge of the directory."""
    (world.root / "sub").mkdir()
    stages = [{"name": "a", "build": "v"}, {"name": "r", "run": {"image": "${a.imageID}"}}]
    plan = plan_of({"directory": "sub", "stages": stages})

    result = world.run_job(plan, "a", host())

    assert result.status == 0, result.errors
    assert world.output("a", "imageID") == f"{7:064d}"
