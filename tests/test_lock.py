"""What development installs is locked: each file by its hash, in agreement with what the project asks for."""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
NPM = ROOT / "tests" / "engines" / "npm"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

_ENTRY = re.compile(
    r"^(?P<name>[a-z0-9.-]+)==(?P<version>\S+)(?: ; (?P<marker>.+))? \\\n"
    r"(?P<hashes>(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)(?:    # .*\n)*",
    re.MULTILINE,
)
# Where the project is developed: what a marker can tell apart.
_PLACES = tuple(
    {"python_version": python, "python_full_version": f"{python}.1", **system, **kind}
    for python, system, kind in itertools.product(
        ("3.11", "3.12", "3.13"),
        (
            {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
            {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
            {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
        ),
        (
            {"platform_python_implementation": "CPython", "implementation_name": "cpython"},
            {"platform_python_implementation": "PyPy", "implementation_name": "pypy"},
        ),
    )
)


@dataclass(frozen=True)
class Locked:
    """A version, and where it is installed."""

    version: str
    marker: Marker | None

    def holds(self, place: Mapping[str, str]) -> bool:
        """Return whether it is installed at *place*."""
        return self.marker is None or self.marker.evaluate(_environment(place))


def _environment(place: Mapping[str, str]) -> dict[str, str]:
    known: dict[str, str] = {**default_environment()}  # type: ignore[dict-item] # packaging: all of them are texts
    return {**known, **place, "extra": ""}


def locked() -> dict[str, tuple[Locked, ...]]:
    """Return what is locked, by name: one version or, for different places, several."""
    found: dict[str, tuple[Locked, ...]] = {}
    for entry in _ENTRY.finditer(LOCK):
        marker = Marker(entry["marker"]) if entry["marker"] else None
        found[entry["name"]] = (*found.get(entry["name"], ()), Locked(entry["version"], marker))
    return found


def required() -> Iterator[Requirement]:
    """Yield what the project asks for: to run, for all extras but one, to be built."""
    project = PYPROJECT["project"]
    # What the fuzzer needs is not built for every Python.
    extras = [asked for extra, asked in project["optional-dependencies"].items() if extra != "fuzz"]
    every = [project["dependencies"], *extras, PYPROJECT["build-system"]["requires"]]
    for text in itertools.chain(*every):
        requirement = Requirement(text)
        if requirement.name != project["name"]:
            yield requirement


def shell_block(document: str, mark: str) -> str:
    """Return the block of shell after *mark* in a document."""
    text = (ROOT / document).read_text(encoding="utf-8")
    (block,) = re.findall(rf"^<!-- {mark} -->\n```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return str(block)


def test_every_line_of_the_lock_is_a_version_with_hashes() -> None:
    """No option, no address of an index, nothing that is installed unseen."""
    rest = [line for line in _ENTRY.sub("", LOCK).splitlines() if line and not line.startswith("#")]

    assert rest == []
    assert len(locked()) > 40
    assert "://" not in LOCK


@pytest.mark.parametrize("requirement", sorted(set(required()), key=str), ids=str)
def test_what_the_project_asks_for_is_locked(requirement: Requirement) -> None:
    """Within its bounds, wherever it is asked for, and once there."""
    entries = locked().get(canonicalize_name(requirement.name), ())
    for place in _PLACES:
        if requirement.marker is not None and not requirement.marker.evaluate(_environment(place)):
            continue
        versions = [entry.version for entry in entries if entry.holds(place)]

        assert [requirement.specifier.contains(version) for version in versions] == [True], (place, versions)


def test_the_lock_is_what_is_installed() -> None:
    """By the command of the README and by CI: no file without its hash, nothing beside it, nothing for the build."""
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for text in (shell_block("README.md", "test"), re.sub(r"--requirement\b", "-r", run)):
        installs = re.findall(r'pip"? install (.*?)(?:&&|$)', text, re.MULTILINE)
        first, second = installs

        assert "--require-hashes -r requirements-dev.txt" in first
        assert {"--no-deps", "--no-build-isolation"} <= set(second.split())


def test_the_lock_is_renewed_by_the_command_that_is_told() -> None:
    """What made the file is what the document for contributors shows."""
    made = re.findall(r"^#    (uv pip compile .*)$", LOCK, re.MULTILINE)

    assert made == [shell_block("CONTRIBUTING.md", "lock").strip().replace(" --upgrade", "")]


def test_what_comes_from_npm_is_locked() -> None:
    """Each package with its hash; the install script takes them by `npm ci`, and runs no script of theirs."""
    asked = json.loads((NPM / "package.json").read_text(encoding="utf-8"))
    packages = json.loads((NPM / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    script = (ROOT / "tests" / "engines" / "install").read_text(encoding="utf-8")
    versions = {**asked["dependencies"], **asked["optionalDependencies"]}

    assert {name: packages[f"node_modules/{name}"]["version"] for name in versions} == versions
    assert [name for name, one in packages.items() if name and not one["integrity"].startswith("sha512-")] == []
    assert [one["resolved"] for one in packages.values() if "resolved" in one] == []
    assert f"gitlab_ci_local={versions['gitlab-ci-local']} " in script
    assert re.findall(r"npm (\S+)", re.sub(r"#.*", "", script).partition("install_gitlab_ci_local")[2]) == ["ci"]
    assert "--ignore-scripts" in script
