"""Where templates and schemas are found."""

from pathlib import Path
from typing import Literal

import pytest

from pipegen.assets import folder


@pytest.mark.parametrize("kind", ["templates", "schemas"])
def test_finds_the_shipped_folder(
    kind: Literal["templates", "schemas"], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In a wheel the folder stands inside the package."""
    (tmp_path / kind).mkdir()
    monkeypatch.setattr("pipegen.assets.files", lambda package: {"pipegen": tmp_path}[package])

    assert folder(kind) == tmp_path / kind


@pytest.mark.parametrize("kind", ["templates", "schemas"])
def test_finds_the_folder_of_a_checkout(
    kind: Literal["templates", "schemas"], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In a checkout it stands beside the package."""
    monkeypatch.setattr("pipegen.assets.files", lambda _package: tmp_path)

    assert folder(kind) == Path(__file__).parents[2] / kind
