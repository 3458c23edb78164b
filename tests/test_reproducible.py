"""Builds of the wheel and the source distribution are reproducible: the same commit gives the same bytes."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Another folder, in which all else differs: the permissions, the clock, the language, the order of hashes.
_ELSEWHERE = {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "7", "SOURCE_DATE_EPOCH": ""}
_OLD = 981173106.0


def files() -> tuple[Path, ...]:
    """Return the current files of the checkout that git does not ignore."""
    command = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    text = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return tuple(path for path in map(Path, filter(None, text.split("\0"))) if (ROOT / path).is_file())


def clone(target: Path, *, mode: int, when: float | None = None) -> Path:
    """Return a copy of the checkout at *target* whose files have the permissions *mode* and the time *when*."""
    for path in files():
        copy = target / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, copy)
        is_program = os.access(ROOT / path, os.X_OK)
        copy.chmod(mode | (0o100 if is_program else 0) | (0o011 if is_program and mode & 0o044 else 0))
        if when is not None:
            os.utime(copy, (when, when))
    return target


def built(source: Path, python: str = sys.executable, **variables: str) -> Mapping[str, str]:
    """Return the hashes of the distributions built from the files at *source*."""
    environment = {key: value for key, value in (os.environ | variables).items() if value}
    command = (python, "-m", "hatchling", "build")
    subprocess.run(command, cwd=source, env=environment, capture_output=True, check=True)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((source / "dist").iterdir())}


def pythons() -> Iterator[str]:
    """Yield other Pythons with the locked packages; CI lists them."""
    yield from filter(None, os.environ.get("PIPEGEN_PYTHONS", "").split(":"))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="git, which knows the files, is not here")
def test_builds_are_reproducible(tmp_path: Path) -> None:
    """With other folders, file times, permissions and Pythons; changed files give other bytes."""
    here = clone(tmp_path / "here", mode=0o644)
    there = clone(tmp_path / "far" / "away", mode=0o600, when=_OLD)
    expected = built(here)
    wheel, sdist = expected

    assert (wheel, sdist) == ("pipegen-0.1.0-py3-none-any.whl", "pipegen-0.1.0.tar.gz")
    assert built(there, **_ELSEWHERE) == expected
    for python in pythons():
        assert built(there, python) == expected

    with tarfile.open(here / "dist" / sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    assert built(tmp_path / sdist.removesuffix(".tar.gz"))[wheel] == expected[wheel]

    (there / "pipegen" / "py.typed").write_text("\n", encoding="utf-8")
    assert not expected.items() & built(there).items()
