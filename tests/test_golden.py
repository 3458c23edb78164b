"""Whole compilations: `golden/<case>/` has a config and, in `expected/`, every file that pipegen generates from it.

Included files are in `included/`.
The first line of a config may be a comment with options of the command line: the selected pipelines
(`# pipeline: test publish`), the fixed inputs (`# set: level=full`), or the style of the Jenkinsfile
(`# style: declarative`).
`pytest --update-golden` writes the expected files; review their diff like code.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from pipegen.cli.app import run

CASES = sorted(path for path in (Path(__file__).parent / "golden").iterdir() if path.is_dir())

# The files that are generated from a config, and the call that generates each.
CALLS = {
    "plan.json": ("plan", "--format", "json"),
    "graph.txt": ("graph",),
    "diagnostics.txt": ("check", "--target", "gitlab", "--target", "jenkins"),
    "gitlab-ci.yml": ("compile", "--target", "gitlab", "--output", "-"),
    "Jenkinsfile": ("compile", "--target", "jenkins", "--output", "-"),
}

# Makes the calls in standard input, each a folder and the arguments, and prints a digest of the outputs.
MAKES_ALL = """
import hashlib, io, json, os, sys
from pipegen.cli.app import run
digest, terminal = hashlib.sha256(), sys.stdout
for folder, arguments in json.load(sys.stdin):
    os.chdir(folder)
    sys.argv = ["pipegen", *arguments]
    sys.stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\\n")
    assert run() == 0, arguments
    sys.stdout.flush()
    digest.update(sys.stdout.buffer.getvalue())
print(digest.hexdigest(), file=terminal)
"""

Call = Callable[..., str]


def options(config: Path, file: str) -> list[str]:
    """Return the options in the first line of *config* for the file *file*."""
    line = config.read_text(encoding="utf-8").partition("\n")[0]
    match = re.fullmatch(r"# (?P<key>pipeline|set|style): (?P<words>.+)", line)
    if match is None or (match["key"] == "style" and file != "Jenkinsfile"):
        return []
    return [word for value in match["words"].split() for word in (f"--{match['key']}", value)]


def copy_config(case: Path, folder: Path) -> None:
    """Copy the config of *case*, and the files that it includes, to *folder*."""
    shutil.copy(case / "pipeline.yml", folder)
    if (case / "included").is_dir():
        shutil.copytree(case / "included", folder / "included")


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Return a function that calls the program in a folder outside any repository and returns its standard output."""
    monkeypatch.chdir(tmp_path)

    def called(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["pipegen", *arguments])
        status = run()
        written = capsys.readouterr()
        assert status == 0, f"{written.out}{written.err}"
        return written.out

    return called


@cache
def other_python(version: str) -> str | None:
    """Return a Python of *version* that finds the dependencies of pipegen.

    `PIPEGEN_PYTHONS` is a list of paths of Pythons that are not on the PATH.
    """
    offered = [*os.environ.get("PIPEGEN_PYTHONS", "").split(os.pathsep), sys.executable, f"python{version}"]
    numbers = tuple(map(int, version.split(".")))
    question = f"import sys, jinja2, jsonschema, ruamel.yaml, click; sys.exit(sys.version_info[:2] != {numbers})"
    for python in filter(None, map(shutil.which, filter(None, offered))):
        if subprocess.run([python, "-c", question], capture_output=True, check=False).returncode == 0:
            return python
    return None


@pytest.mark.parametrize("produced", CALLS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_generated_files_match_the_expected_files(
    case: Path, produced: str, call: Call, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Byte for byte."""
    copy_config(case, tmp_path)
    out = call(*CALLS[produced], "pipeline.yml", *options(case / "pipeline.yml", produced))
    expected = case / "expected" / produced
    if request.config.getoption("--update-golden"):
        expected.parent.mkdir(exist_ok=True)
        expected.write_bytes(out.encode())

    assert expected.exists(), "run pytest tests/test_golden.py --update-golden to write it"
    assert out == expected.read_bytes().decode(), "if this is intended, run pytest with --update-golden"


@pytest.mark.slow
@pytest.mark.parametrize(("version", "seed"), [("3.11", "0"), ("3.12", "1"), ("3.13", "2"), ("3.14", "3")])
def test_output_is_the_same_for_every_python_and_hash_seed(version: str, seed: str, tmp_path: Path) -> None:
    """It depends only on the config."""
    python = other_python(version)
    if python is None:
        pytest.skip(f"Python {version} is not installed")
    calls, expected = [], hashlib.sha256()
    for case in CASES:
        folder = tmp_path / case.name
        folder.mkdir()
        copy_config(case, folder)
        for text, arguments in CALLS.items():
            calls.append((str(folder), [*arguments, "pipeline.yml", *options(case / "pipeline.yml", text)]))
            expected.update((case / "expected" / text).read_bytes())
    result = subprocess.run(
        [python, "-c", MAKES_ALL],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONHASHSEED": seed},
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        check=True,
    )

    assert result.stdout.strip() == expected.hexdigest()


def test_folders_contain_only_files_that_are_read() -> None:
    """An expected file that no test reads proves nothing."""
    needed = {"pipeline.yml", "expected"}
    others = [case.name for case in CASES if {path.name for path in case.iterdir()} - {"included"} != needed]

    assert others == [], "keep only pipeline.yml and included, and run pytest tests/test_golden.py --update-golden"
    for case in CASES:
        assert {path.name for path in (case / "expected").iterdir()} == set(CALLS)


def test_each_case_begins_with_a_comment() -> None:
    """It describes the case, unless it contains options."""
    without = [case.name for case in CASES if not (case / "pipeline.yml").read_text(encoding="utf-8").startswith("# ")]

    assert without == [], "begin their pipeline.yml with a comment, such as: # A stage with two locks"
