"""Copies out of real containers do not follow links of the image or of the checkout to outside."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from engines.containers import BASE, Containers
from shell.world import World, host, plan_of

pytestmark = pytest.mark.xdist_group("copies")

# A path that exists here, but in no image.
DOCKERFILE = """\
FROM {base}
RUN mkdir -p /out/d/sub && for f in file d/file d/sub/file; do echo image >"/out/$f"; done
RUN for f in link d/link; do ln -s {outside}/secret "/out/$f"; done; ln -s {outside} /out/d/folder
RUN ln -s {outside} /folder && ln -s ../../../../../../../..{outside}/secret /out/climbing
CMD ["true"]
"""
_numbers = itertools.count()


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with files that no copy may read or change."""
    folder = tmp_path_factory.mktemp("copies") / "outside"
    (folder / "sub").mkdir(parents=True)
    for name in ("secret", "file", "sub/file"):
        (folder / name).write_text("canary\n")
    return folder


@pytest.fixture(scope="module")
def image(containers: Containers, outside: Path) -> str:
    """Return the ID of an image with links to *outside*."""
    dockerfile, context, name = outside.parent / "Dockerfile", outside.parent / "context", "localhost/copies/links"
    dockerfile.write_text(DOCKERFILE.format(base=BASE, outside=outside))
    context.mkdir()
    containers.docker("build", "--file", str(dockerfile), "--tag", name, str(context))
    return containers.docker("image", "inspect", "--format", "{{.Id}}", name).stdout.strip().removeprefix("sha256:")


def files(folder: Path) -> dict[str, str]:
    """Return the regular files in *folder*."""
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and path.suffix != ".gz"
    }


@pytest.mark.parametrize(
    ("source", "destination"),
    [
        ("/out/file", "to"),
        ("/out/file", "to/"),
        ("/out/file", "to/new"),
        ("/out/file", "to/file"),
        ("/out/d", "to"),
        ("/out/d/", "to"),
        ("/out/file", "folder/file"),
        ("/out/file", "folder/new"),
        ("/out/d/", "folder"),
        ("/out/d", "folder"),
        ("/out/d/sub/", "folder/sub"),
        ("/out/link", "read"),
        ("/out/climbing", "read"),
        ("/folder", "read"),
        ("/folder/secret", "read"),
        ("/out/d", "read"),
        ("/out/d/", "read"),
    ],
)
def test_copies_do_not_read_or_write_outside_the_checkout(
    containers: Containers, image: str, outside: Path, tmp_path: Path, source: str, destination: str
) -> None:
    """`to` in the checkout links outside, and `folder` has links with the names of copied files."""
    world = World(tmp_path, "dash", {**containers.environment, "JOB": str(next(_numbers))}).prepare()
    (world.root / "to").symlink_to(outside)
    (world.root / "folder").mkdir()
    for name in ("file", "new", "sub", "d"):
        (world.root / "folder" / name).symlink_to(outside / name)
    before = files(outside)
    copy = {"source": source, "destination": destination, "archive": True}
    stage = {"name": "t", "run": {"image": image}, "copy": [copy]}
    reader = {"name": "r", "script": ["true"]}
    result = world.run_job(plan_of([stage, reader]), "t", host(archives_folders=True))

    assert files(outside) == before
    assert "canary" not in "".join(files(world.root).values())
    if destination.startswith("to"):
        assert (result.status, "leads out of the directory of the stage" in result.errors) == (1, True)
