"""Copies of files out of containers."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from shell.world import HOSTILE, World, each_of, host, jobs, plan_of, script_of, text_of

from pipegen.shell.values.transfers import transferred_paths, unpackable_paths

SOURCE = {"name": "a", "build": "x", "run": {"tail": 9}}
# Names of existing files; an empty path, and a path that ends in a slash, are folders.
NAMES = [name for name in HOSTILE if name not in ("empty", "long")]


def stage(*files: object) -> dict[str, object]:
    """Return a stage that runs and copies."""
    return {"name": "t", "build": "v", "run": True, "copy": list(files)}


def fill(world: World) -> None:
    """Add a folder and a file to the container."""
    folder = world.container / "srv" / "report"
    folder.mkdir(parents=True)
    (folder / "one").write_text("1")
    (folder / "in").mkdir()
    (folder / "in" / "two").write_text("2")
    (world.container / "srv" / "file").write_bytes(HOSTILE["lines"].encode())


def files(world: World) -> dict[str, str]:
    """Return the files of the checkout except the blubberfile."""
    values = {
        str(path.relative_to(world.root)): path.read_bytes().decode()
        for path in world.root.rglob("*")
        if path.is_file()
    }
    del values["blubber.yaml"]
    return values


@pytest.mark.slow
@pytest.mark.parametrize("shares", [True, False])
@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize(
    ("source", "destination", "expected"),
    [
        ("/srv/report/", "out/deep", {"out/deep/one": "1", "out/deep/in/two": "2"}),
        ("/srv/report/", "/out/", {"out/one": "1", "out/in/two": "2"}),
        ("/srv/report", "out", {"out/one": "1", "out/in/two": "2"}),
        ("/srv/report", "there", {"there/report/one": "1", "there/report/in/two": "2"}),
        ("/srv/file", "a/b/file", {"a/b/file": HOSTILE["lines"]}),
        ("/srv/file", "-o", {"-o": HOSTILE["lines"]}),
        ("/srv/file", "-", {"-": HOSTILE["lines"]}),
        ("/srv/file", "there", {"there/file": HOSTILE["lines"]}),
        ("/srv/report/", ".", {"one": "1", "in/two": "2"}),
    ],
)
def test_destinations_of_copies(
    world: World, source: str, destination: str, expected: dict[str, str], *, shares: bool, is_known: bool
) -> None:
    """As with `docker cp` after creating the parent folder, also from the container of another job."""
    fill(world)
    (world.root / "there").mkdir()
    where = host(shares_daemon=shares)
    entry = {"from": "${t.container}", "source": source, "destination": destination if is_known else "${a.output}"}
    plan = plan_of([SOURCE, {"name": "t"}, {"name": "r", "copy": [entry]}])
    world.run_job(plan, "t", where)
    if not is_known:
        world.give("a", "output", destination)

    result = world.run_job(plan, "r", where)

    values = files(world)
    carried = values.pop(f".pipegen/files/{plan.job('r').slug}.tar", None)
    for path in [path for path in values if path.startswith((".pipegen/containers/", ".pipegen/outputs/"))]:
        del values[path]
    assert result.status == 0, result.errors
    assert values == expected
    assert (carried is not None) is (transferred_paths(jobs(plan)["r"], where) != ())


@pytest.mark.parametrize("name", each_of(NAMES))
def test_special_characters_in_run_time_paths_are_literal(world: World, name: str) -> None:
    """They are names of files."""
    destination = HOSTILE[name]
    fill(world)
    plan = plan_of([SOURCE, stage({"source": "/srv/file", "destination": "d/${a.output}/${a.output}"})])
    world.give("a", "output", destination)

    result = world.run_job(plan, "t", host())

    assert result.status == 0, result.errors
    assert (world.root / "d" / destination / destination).read_bytes() == HOSTILE["lines"].encode()


@pytest.mark.parametrize("destination", ["..", "../x", "a/../../x", "a/..", "//../x", "..//"])
def test_a_run_time_path_outside_the_directory_fails_the_stage(world: World, destination: str) -> None:
    """The message contains the path."""
    fill(world)
    plan = plan_of([SOURCE, stage({"source": "/srv/file", "destination": "${a.output}"})])
    world.give("a", "output", destination)

    result = world.run_job(plan, "t", host())

    assert result.status == 1
    assert "lies outside the directory of the stage" in result.errors
    assert not [call for call in result.calls if call[0] == "cp"]


def test_a_source_may_be_a_run_time_value(world: World) -> None:
    """A trailing slash selects the content of the folder."""
    fill(world)
    plan = plan_of([SOURCE, stage({"source": "${a.output}", "destination": "out"})])
    for text, expected in (("/srv/report/", "out/one"), ("/srv/file", "out/file")):
        world.give("a", "output", text)

        world.run_job(plan, "t", host())

        assert (world.root / expected).exists()


def test_a_loop_copies_an_entry_per_line(world: World) -> None:
    """Lines are known only at run time."""
    fill(world)
    each = {"$each": ["f", "t"], "$in": "${a.output}", "$yield": {"source": "/srv/${.f}", "destination": "${.t}"}}
    plan = plan_of([SOURCE, {"name": "t", "build": "v", "run": True, "copy": each}])
    world.give("a", "output", "file x/1\nreport/one 2\n")

    world.run_job(plan, "t", host())

    values = files(world)
    assert values["x/1"] == HOSTILE["lines"]
    assert values["2"] == "1"


def test_files_with_run_time_names_are_passed_in_a_tar(world: World) -> None:
    """Readers unpack it in the checkout, for any names."""
    fill(world)
    (world.root / "sub").mkdir()
    (world.root / "sub" / "blubber.yaml").write_text("")
    stages = [
        SOURCE,
        stage(
            {"source": "/srv/file", "destination": "${a.output}"},
            {"source": "/srv/report/", "destination": "*?[x]"},
            {"source": "/srv/report/one", "destination": "plain"},
        ),
        {"name": "r", "build": "v"},
    ]
    plan = plan_of({"directory": "sub", "blubberfile": "sub/blubber.yaml", "stages": stages})
    world.give("a", "output", HOSTILE["lines"])

    world.run_job(plan, "t", host())
    with tarfile.open(world.root / ".pipegen" / "files" / "t.tar") as tar:
        names = [member.name for member in tar.getmembers() if member.isfile()]
    for name in (HOSTILE["lines"], "plain"):
        (world.root / "sub" / name).unlink()
    result = world.run_job(plan, "r", host())

    assert sorted(names) == sorted(f"./sub/{name}" for name in (HOSTILE["lines"], "*?[x]/one", "*?[x]/in/two"))
    assert result.status == 0, result.errors
    assert (world.root / "sub" / HOSTILE["lines"]).read_bytes() == HOSTILE["lines"].encode()
    assert not (world.root / "sub" / "plain").exists()
    assert not (world.root / ".pipegen").exists()


def test_only_copied_files_are_passed_on(world: World) -> None:
    """Other files of the directory are not."""
    fill(world)
    plan = plan_of([stage({"source": "/srv/report/", "destination": "."}), {"name": "r", "build": "v"}])

    world.run_job(plan, "t", host())

    with tarfile.open(world.root / ".pipegen" / "files" / "t.tar") as tar:
        assert sorted(member.name for member in tar.getmembers() if member.isfile()) == [
            "./in/two",
            "./one",
        ]


@pytest.mark.parametrize("packs", [True, False])
@pytest.mark.parametrize("is_known", [True, False])
def test_archives_have_urls(world: World, *, packs: bool, is_known: bool) -> None:
    """Jenkins gets a packed folder in a separate place; the checkout is unaffected."""
    fill(world)
    texts = ["out/d", "e/f"] if is_known else ["out/${a.output}", "e/${a.output}f"]
    copies = stage(
        {"source": "/srv/report/", "destination": texts[0], "archive": True},
        {"source": "/srv/file", "destination": texts[1], "archive": True},
        {"source": "/srv/file", "destination": "unseen"},
    )
    reader = {"name": "r", "build": "v", "run": {"arguments": ["${t.artifactURLs}"]}}
    plan = plan_of([SOURCE, copies, reader])
    where = host(archives_folders=packs)
    world.give("a", "output", "d")

    result = world.run_job(plan, "t", where)

    out, single = ("out/d", "e/f") if is_known else ("out/d", "e/df")
    assert result.status == 0, result.errors
    assert world.output("t", "artifactURLs") == "\n".join(
        [f"https://ci.example/folder/{out}{'.tar.gz' if packs else ''}", f"https://ci.example/file/{single}"]
    )
    assert script_of(plan, "t", where).archives is packs
    archive = world.root / ".pipegen" / "archive"
    assert archive.exists() is packs
    if packs:
        with tarfile.open(archive / f"{out}.tar.gz") as tar:
            assert sorted(member.name for member in tar.getmembers() if member.isfile()) == [
                "./in/two",
                "./one",
            ]
        assert (archive / single).read_bytes().decode() == HOSTILE["lines"]
    assert not (world.root / "out" / "d.tar.gz").exists()


def test_a_run_time_container_name_cannot_become_an_option(world: World) -> None:
    """It follows the end of the options."""
    fill(world)
    plan = plan_of(
        [SOURCE, {"name": "t", "copy": [{"from": "${a.output}", "source": "/srv/file", "destination": "f"}]}]
    )
    world.give("a", "output", "--rf")

    result = world.run_job(plan, "t", host())

    assert result.calls[0] == ["cp", "--", "--rf:/srv/file", "f"]


def test_a_run_time_path_in_another_jobs_container_is_an_error(world: World) -> None:
    """Without a shared daemon, the job of the container cannot know which files to pack."""
    entry = {"from": "${t.container}", "source": "${a.output}", "destination": "f"}
    plan = plan_of([SOURCE, {"name": "t"}, {"name": "r", "copy": [entry]}])
    where = host(shares_daemon=False)
    world.give("a", "output", "/srv/file")

    result = world.run_job(plan, "r", where)

    assert result.status == 1
    assert 'stage "r": the container of stage "t" is out of reach' in result.errors
    assert transferred_paths(jobs(plan)["t"], where) == ()
    assert [path.constant for path in unpackable_paths(jobs(plan)["t"], where)] == [None]


def test_an_empty_loop_leaves_an_empty_archive(world: World) -> None:
    """Copying no files is not a failure."""
    entry = {"source": "/srv/${.i}", "destination": "${.i}", "archive": True}
    each = {"$each": "i", "$in": "${a.output}", "$yield": entry}
    plan = plan_of([SOURCE, {"name": "t", "build": "v", "run": True, "copy": each}, {"name": "r", "build": "v"}])
    world.give("a", "output", "\n")

    result = world.run_job(plan, "t", host(archives_folders=True))

    assert result.status == 0, result.errors
    assert list((world.root / ".pipegen" / "archive").iterdir()) == []


def test_paths_that_others_copy_are_packed() -> None:
    """Without a shared daemon, they are passed on as files."""
    copy = {"name": "r", "copy": [{"from": "${t.container}", "source": "/a/", "destination": "b"}]}
    plan = plan_of([{"name": "t"}, copy])

    lowered = script_of(plan, "t", host(shares_daemon=False))

    assert lowered.carries == (".pipegen/containers/t/",)
    assert '$DOCKER cp "$pipegen_id:/a/." - >.pipegen/containers/t/0.tar' in text_of(lowered)


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("destination", ["link/x", "link/", "link", "deep/link/y/z", "file"])
def test_a_copy_through_a_copied_link_out_of_the_checkout_fails(
    world: World, destination: str, *, is_known: bool
) -> None:
    """The first copy brings the links of an image, and the second one goes through them."""
    fill(world)
    outside = world.root.parent / "outside"
    outside.mkdir()
    (outside / "file").write_text("canary")
    evil = world.container / "srv/evil"
    (evil / "deep").mkdir(parents=True)
    (evil / "link").symlink_to(outside)
    (evil / "deep/link").symlink_to(outside)
    (evil / "file").symlink_to(outside / "file")
    (evil / "inner").mkdir()
    (evil / "inside").symlink_to("inner")
    first = {"from": "${t.container}", "source": "/srv/evil/.", "destination": "."}
    second = {"source": "/srv/file", "destination": destination if is_known else "${a.output}"}
    plan = plan_of([SOURCE, {"name": "t"}, {"name": "r", "copy": [first, {"from": "${t.container}", **second}]}])
    where = host(shares_daemon=True)
    world.run_job(plan, "t", where)
    if not is_known:
        world.give("a", "output", destination)
    result = world.run_job(plan, "r", where)

    assert result.status == 1
    assert "leads out of the directory of the stage" in result.errors
    assert {path.name: path.read_text() for path in outside.rglob("*") if path.is_file()} == {"file": "canary"}


def test_a_copy_follows_links_within_the_checkout(world: World) -> None:
    """As on a developer's computer."""
    fill(world)
    (world.root / "inner").mkdir()
    (world.root / "inside").symlink_to("inner")
    entries = [
        {"from": "${t.container}", "source": "/srv/file", "destination": path}
        for path in ("one", "inside/", "inside/x")
    ]
    plan = plan_of([SOURCE, {"name": "t"}, {"name": "r", "copy": entries}])
    where = host(shares_daemon=True)
    world.run_job(plan, "t", where)
    result = world.run_job(plan, "r", where)

    assert (result.status, sorted(path.name for path in (world.root / "inner").iterdir())) == (0, ["file", "x"])


@pytest.fixture
def outside(world: World) -> Path:
    """Return a folder next to the checkout with a file that no copy may change or read."""
    folder = world.root.parent / "outside"
    (folder / "in").mkdir(parents=True)
    for path in ("one", "in/two"):
        (folder / path).write_text("canary")
    return folder


def held(folder: Path) -> dict[str, str]:
    """Return the files in *folder*."""
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("destination", ["link/x", "link/", "link", "file", "none"])
def test_a_copy_through_a_tracked_link_out_of_the_checkout_fails(
    world: World, outside: Path, destination: str, *, is_known: bool
) -> None:
    """Anyone who can push can add one, so the first copy is checked too."""
    fill(world)
    (world.root / "link").symlink_to(outside)
    (world.root / "file").symlink_to(outside / "one")
    (world.root / "none").symlink_to(outside / "none")
    plan = plan_of([SOURCE, stage({"source": "/srv/file", "destination": destination if is_known else "${a.output}"})])
    world.give("a", "output", destination)
    result = world.run_job(plan, "t", host())

    assert result.status == 1
    assert "leads out of the directory of the stage" in result.errors
    assert held(outside) == {"one": "canary", "in/two": "canary"}


@pytest.mark.parametrize("source", ["/srv/report/", "/srv/report"])
def test_a_copied_folder_replaces_links(world: World, outside: Path, source: str) -> None:
    """As `docker cp` does, also if another job packed the files."""
    fill(world)
    folder = world.root / ("to" if source.endswith("/") else "to/report")
    folder.mkdir(parents=True)
    (folder / "one").symlink_to(outside / "one")
    (folder / "in").symlink_to(outside / "in")
    entry = {"from": "${t.container}", "source": source, "destination": "to"}
    plan = plan_of([{"name": "t"}, {"name": "r", "copy": [entry]}])
    where = host(shares_daemon=False)
    world.run_job(plan, "t", where)
    result = world.run_job(plan, "r", where)

    assert (result.status, held(folder)) == (0, {"one": "1", "in/two": "2"})
    assert held(outside) == {"one": "canary", "in/two": "canary"}


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("name", ["file", "folder"])
def test_links_of_an_image_are_not_read(world: World, outside: Path, name: str, *, is_known: bool) -> None:
    """`docker cp` copies a link; its target on the runner is neither archived nor passed on."""
    srv = world.container / "srv"
    srv.mkdir()
    (srv / "file").symlink_to(outside / "one")
    (srv / "folder").symlink_to(outside)
    path = {"destination": "out" if is_known else "${a.output}"}
    copy = {"source": f"/srv/{name}", "archive": True, **path}
    plan = plan_of([SOURCE, stage(copy), {"name": "r", "build": "v"}])
    world.give("a", "output", "out")
    result = world.run_job(plan, "t", host(archives_folders=True))

    assert result.status == 1
    assert "leads out of the directory of the stage" in result.errors
    assert [path for path in world.root.rglob(".pipegen/*/*") if path.parent.name != "outputs"] == []


@pytest.mark.parametrize("path", ["link", "link/in", "link/one"])
def test_artifacts_through_a_link_fail_the_stage(world: World, outside: Path, path: str) -> None:
    """Their path is known only at run time."""
    (world.root / "link").symlink_to(outside)
    leaving = {"name": "t", "script": ["true"], "artifacts": ["${a.output}"]}
    plan = plan_of([SOURCE, leaving, {"name": "r", "script": ["true"]}])
    world.give("a", "output", path)
    result = world.run_job(plan, "t", host())

    assert result.status == 1
    assert "leads out of the directory of the stage" in result.errors
