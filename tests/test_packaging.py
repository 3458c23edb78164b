"""The wheel contains everything that pipegen needs, and requires only declared dependencies."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

from pipegen.config.files.load import find

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")

# Runs the unpacked program in the folder of the first argument, and no other: without site, no .pth file leads to the
# checkout.
RUNS_WHEEL = """
import sys
sys.path[:0] = [sys.argv.pop(1), sys.argv.pop(1)]
import pipegen, pipegen.__main__
print(pipegen.__file__, file=sys.stderr)
sys.argv[0] = "pipegen"
pipegen.__main__.main()
"""


def build(folder: Path) -> Path:
    """Return the wheel of the checkout, built into *folder* without network access."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel."""
    pytest.importorskip("hatchling", reason="hatchling, which builds the wheel, is not here")
    return build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def unpacked(wheel: Path, tmp_path: Path) -> Path:
    """Return the folder of the unpacked wheel."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
    return tmp_path / "unpacked"


def run_wheel(unpacked: Path, *arguments: str, at: Path) -> subprocess.CompletedProcess[str]:
    """Run the program of the wheel, without access to the checkout."""
    site = sysconfig.get_path("purelib")
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", RUNS_WHEEL, unpacked, site, *arguments],
        cwd=at,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_the_wheel_contains_the_package_and_its_data(wheel: Path) -> None:
    """All modules, templates, schemas, pages of codes, and the licence."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    files = [path for path in (ROOT / "pipegen").rglob("*") if path.is_file() and path.suffix not in {".pyc", ".pyo"}]
    paths = [path for kind in ("templates", "schemas") for path in (ROOT / kind).rglob("*") if path.is_file()]
    # Python stores compiled modules next to them, and pipegen compiled templates.
    shipped = [path for path in paths if path.suffix != ".pyc"]
    expected = {path.relative_to(ROOT).as_posix() for path in files}
    expected |= {f"pipegen/{path.relative_to(ROOT).as_posix()}" for path in shipped}
    own = {name for name in names if ".dist-info/" not in name}

    assert own == expected
    assert [name for name in own if name.endswith(("PG301.md", "scripted.j2", "plan.schema.json"))]
    assert f"pipegen-{PROJECT['version']}.dist-info/licenses/LICENSE" in names


@pytest.mark.slow
def test_the_wheel_compiles_an_example(unpacked: Path, tmp_path: Path) -> None:
    """The output equals that of the checkout; the wheel finds its own templates and schemas."""
    place = Path(shutil.copytree(ROOT / "examples" / "diamond", tmp_path / "diamond"))
    program = "from pipegen.__main__ import main; main()"
    for target in ("gitlab", "jenkins"):
        arguments = ("compile", "--target", target, "--output", "-")
        ours = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            cwd=place,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        )
        result = run_wheel(unpacked, *arguments, at=place)

        assert result.returncode == 0, result.stderr
        assert result.stderr.splitlines()[0] == str(unpacked / "pipegen" / "__init__.py")
        assert result.stdout == ours.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "starts"),
    [
        (("--version",), f"pipegen {PROJECT['version']}\n"),
        (("schema",), "{\n"),
        (("explain", "unknown-stage"), "# PG301 unknown-stage"),
        (("targets",), "gitlab writes .gitlab-ci.yml\n"),
    ],
    ids=lambda value: value[0],
)
def test_commands_of_the_wheel_find_their_data(
    arguments: tuple[str, ...], starts: str, unpacked: Path, tmp_path: Path
) -> None:
    """Version, schema, pages, targets."""
    result = run_wheel(unpacked, *arguments, at=tmp_path)

    assert (result.returncode, result.stdout[: len(starts)]) == (0, starts)


def test_the_entry_point_is_the_command_line() -> None:
    """`pipegen` starts the command line."""
    assert PROJECT["scripts"] == {"pipegen": "pipegen.__main__:main"}


def test_the_first_command_of_the_readme_compiles_an_example() -> None:
    """The example's folder exists, and both targets are compiled."""
    (command,) = re.findall(r"^<!-- try -->\n```sh\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    (folder,) = re.findall(r"cd (\S+)", command)

    assert find(ROOT / folder) is not None
    assert re.search(r"pipegen compile -t jenkins -t gitlab$", command, re.MULTILINE)


def test_the_second_command_of_the_readme_runs_the_tests() -> None:
    """In the checkout with locked dependencies; `test_lock.py` checks the installation."""
    (command,) = re.findall(r"^<!-- test -->\n```sh\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)

    assert " -e . && " in command
    assert command.rstrip().endswith("pytest")


def test_no_document_installs_a_package_of_this_name_from_an_index() -> None:
    """The package there may be another program."""
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))}
    texts |= {path: path.read_text(encoding="utf-8") for path in (ROOT / "examples").rglob("*") if path.is_file()}

    assert not [path.name for path, text in texts.items() if re.search(r"pip install(?: -\S+)* pipegen\b", text)]
