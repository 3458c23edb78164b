"""Forged state and settings of any shape: pipegen ignores them or reports an error."""

from __future__ import annotations

import json
import math
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli.program import Pipegen
from robust.forged_state import KINDS, SUMMARY, figures, forged, shapes, tried

from pipegen.run.checksum import verified
from pipegen.run.local import durations
from pipegen.run.local.cache import record

_CONFIG = """\
pipelines:
  p:
    stages:
      - { name: build, script: [make], outputs: { v: { command: echo 1 } }, artifacts: [out], reuse: true }
      - { name: test, script: ['test "${build.v}" = 1'] }
"""
_MAKE = "all:\n\techo 1 >out\n"
_CALLS = (("run",), ("run", "--isolated"), ("run", "--resume"), ("simulate", "--durations", "journal"), ("plan",))


@pytest.fixture
def project(empty: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with the state of its runs next to it."""
    folder = empty / "project"
    folder.mkdir()
    (folder / "pipegen.yaml").write_text(_CONFIG)
    (folder / "Makefile").write_text(_MAKE)
    monkeypatch.chdir(folder)
    for name in ("STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(empty / name))
    for command in (("init", "-q"), ("add", ".")):
        subprocess.run(("git", *command), check=True)
    return folder


def test_state_of_any_shape_is_valid_or_ignored() -> None:
    """A cache of durations, a journal, a record or a description."""
    result = figures(is_nightly=False)

    assert result.wrong == 0, result.lines
    assert all(tried(kind)[0] > 150 for kind in KINDS)


def test_readers_without_validation_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """This proves that the check can fail: any duration and any path are accepted then."""
    monkeypatch.setattr(durations, "_LONGEST", math.inf)
    monkeypatch.setattr(record, "_is_inside", lambda _: True)
    wrong = [fault for kind in KINDS for fault in tried(kind)[1]]

    assert any(fault.startswith("summaries") for fault in wrong)
    assert any("leads to" in fault for fault in wrong)


def test_forged_checksums_are_valid() -> None:
    """Otherwise all forged data would be dropped for its checksum."""
    assert verified(forged(json.dumps(SUMMARY)), dict) is not None
    assert sum(verified(forged(shape), dict) is not None for shape in shapes(SUMMARY)) > 100


@pytest.mark.parametrize("content", [*map(forged, ('{"a": [1]}', '{"runs": 1, "format": 2}')), b"\xff\0", b"[" * 10**5])
def test_runs_continue_with_forged_state(project: Path, pipegen: Pipegen, content: bytes) -> None:
    """Every file of the state is replaced."""
    assert pipegen("run").status == 0
    for arguments in _CALLS:
        for path in _kept(project):
            path.write_bytes(content)
        result = pipegen(*arguments)

        # Without this state there are no durations, and no run to resume.
        assert result.status == (2 if arguments[-1] in ("--resume", "journal") else 0), result.err
        assert "Traceback" not in result.err


def test_runs_continue_with_a_forged_journal(project: Path, pipegen: Pipegen) -> None:
    """Only its durations are lost."""
    assert pipegen("run").status == 0
    (path,) = project.parent.glob("STATE/pipegen/*/*/journal.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    for shape in list(shapes({"event": "ended", "time": 1, "pipeline": "p", "stage": "build", "is_final": True}))[::20]:
        path.write_bytes(b"".join((lines[0], forged(shape), b"\n", *lines[1:])))
        (path.parents[1] / "durations.json").unlink(missing_ok=True)

        assert pipegen("simulate", "--durations", "journal").status in (0, 2)


@pytest.mark.parametrize("name", ["pipegen.toml", "pyproject.toml"])
def test_settings_of_any_shape_give_diagnostics(project: Path, pipegen: Pipegen, name: str) -> None:
    """Settings without content give none."""
    start = "[tool.pipegen]\n" if name == "pyproject.toml" else ""
    values = ("1", "[1]", '"x"', "{ a = 1 }", "nan", "1979-05-27T07:32:00Z", "[[[[]]]]", '"\\u0000"', "9" * 5000)
    texts = [f"{start}{key} = {value}\n" for key in ("strict", "severity", "targets", "x") for value in values]
    texts += [f"{start}x = {'[' * 5000}{']' * 5000}\n", f"{start}{'a.' * 5000}b = 1\n", f"{start}strict =", "\0"]
    wrong = []
    for content in (*(text.encode() for text in texts), b"\xff[tool.pipegen]", b"\xef\xbb\xbf" + start.encode()):
        (project / name).write_bytes(content)
        result = pipegen("check")
        wrong += [(content[:60], result)] if result.status not in (0, 1) or "PG000" in result.err else []

    assert wrong == []


def _file(place: Path) -> None:
    place.write_bytes(b"\0")


def _link(place: Path) -> None:
    place.symlink_to(place.name)


def _pipe(place: Path) -> None:
    os.mkfifo(place)


def _outputs(place: Path) -> None:
    """Create folders in place of values, and files in place of folders."""
    (place / "outputs/build/v").mkdir(parents=True)
    (place / "outputs/test").touch()


@pytest.mark.parametrize("make", [_file, _link, _pipe, _outputs])
def test_a_pipegen_path_in_the_checkout_is_ignored(
    project: Path, pipegen: Pipegen, make: Callable[[Path], None]
) -> None:
    """Values of local runs are not stored in the user's tree."""
    make(project / ".pipegen")
    result = pipegen("run")

    assert result.status == 0, result.err
    assert pipegen("run", "--isolated").status == 0


def _kept(project: Path) -> Iterator[Path]:
    for name in ("STATE", "CACHE"):
        yield from (path for path in project.parent.glob(f"{name}/pipegen/**/*") if path.is_file())
