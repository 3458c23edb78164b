"""Locations of templates and schemas."""

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Literal

import pytest

from pipegen import assets

ROOT = Path(__file__).parents[2]
_READS = "from pipegen.assets import folder; print(folder('schemas').joinpath('a.json').read_text())"


@pytest.mark.parametrize("kind", ["templates", "schemas"])
def test_finds_the_shipped_folder(
    kind: Literal["templates", "schemas"], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A wheel has the folder inside the package; a folder next to the package belongs to something else."""
    inside = tmp_path / "pipegen" / kind
    inside.mkdir(parents=True)
    (tmp_path / kind).mkdir()
    monkeypatch.setattr(assets, "__file__", str(tmp_path / "pipegen" / "assets.py"))

    assert assets.folder(kind) == inside


@pytest.mark.parametrize("kind", ["templates", "schemas"])
def test_finds_the_folder_of_a_checkout(kind: Literal["templates", "schemas"]) -> None:
    """A checkout has the folder next to the package."""
    assert assets.folder(kind) == ROOT / kind


def test_finds_the_folder_in_an_archive(tmp_path: Path) -> None:
    """Python can import from archives."""
    with zipfile.ZipFile(tmp_path / "pipegen.zip", "w") as archive:
        for module in ("__init__", "assets", "structs"):
            archive.write(ROOT / "pipegen" / f"{module}.py", f"pipegen/{module}.py")
        archive.writestr("pipegen/schemas/a.json", "{}")
    command = (sys.executable, "-c", _READS)
    read = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": "pipegen.zip"}, capture_output=True, check=True)

    assert read.stdout.strip() == b"{}"
