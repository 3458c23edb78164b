"""Dependencies for development are locked by hash, within the bounds that the project declares."""

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
# The environments of developers: everything that a marker can distinguish.
_PLACES = tuple(
    {"python_version": python, "python_full_version": f"{python}.1", **system, **kind}
    for python, system, kind in itertools.product(
        ("3.11", "3.12", "3.13", "3.14"),
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
    """A version, and the environments in which it is installed."""

    version: str
    marker: Marker | None

    def holds(self, environment: Mapping[str, str]) -> bool:
        """Return whether the version is installed in *environment*."""
        return self.marker is None or self.marker.evaluate(_environment(environment))


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    known: dict[str, str] = {**default_environment()}  # type: ignore[dict-item] # packaging: all of them are texts
    return {**known, **environment, "extra": ""}


def locked() -> dict[str, tuple[Locked, ...]]:
    """Return the locked versions by name; a name may have several, for different environments."""
    values: dict[str, tuple[Locked, ...]] = {}
    for entry in _ENTRY.finditer(LOCK):
        marker = Marker(entry["marker"]) if entry["marker"] else None
        values[entry["name"]] = (*values.get(entry["name"], ()), Locked(entry["version"], marker))
    return values


def required() -> Iterator[Requirement]:
    """Yield the requirements of the project: at run time, of all extras but one, and to build."""
    project = PYPROJECT["project"]
    # The dependency of the fuzzer does not exist for every Python.
    extras = [asked for extra, asked in project["optional-dependencies"].items() if extra != "fuzz"]
    every = [project["dependencies"], *extras, PYPROJECT["build-system"]["requires"]]
    for text in itertools.chain(*every):
        requirement = Requirement(text)
        if requirement.name != project["name"]:
            yield requirement


def shell_block(document: str, mark: str) -> str:
    """Return the shell block after *mark* in *document*."""
    text = (ROOT / document).read_text(encoding="utf-8")
    (block,) = re.findall(rf"^<!-- {mark} -->\n```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return str(block)


def test_every_line_of_the_lock_is_a_version_with_hashes() -> None:
    """There are no options and no URLs."""
    rest = [line for line in _ENTRY.sub("", LOCK).splitlines() if line and not line.startswith("#")]

    assert rest == []
    assert len(locked()) > 40
    assert "://" not in LOCK


@pytest.mark.parametrize("requirement", sorted(set(required()), key=str), ids=str)
def test_each_requirement_is_locked_once_within_its_bounds(requirement: Requirement) -> None:
    """In every environment where it applies."""
    entries = locked().get(canonicalize_name(requirement.name), ())
    for environment in _PLACES:
        if requirement.marker is not None and not requirement.marker.evaluate(_environment(environment)):
            continue
        versions = [entry.version for entry in entries if entry.holds(environment)]

        assert [requirement.specifier.contains(version) for version in versions] == [True], (environment, versions)


def test_the_readme_and_ci_install_only_locked_packages() -> None:
    """Hashes are required, and neither the project nor its build installs further dependencies."""
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for text in (shell_block("README.md", "test"), re.sub(r"--requirement\b", "-r", run)):
        installs = re.findall(r'pip"? install (.*?)(?:&&|$)', text, re.MULTILINE)
        first, second = installs

        assert "--require-hashes -r requirements-dev.txt" in first
        assert {"--no-deps", "--no-build-isolation"} <= set(second.split())


def test_the_documented_command_generated_the_lock() -> None:
    """CONTRIBUTING.md shows the command in the file's header."""
    values = re.findall(r"^#    (uv pip compile .*)$", LOCK, re.MULTILINE)

    assert values == [shell_block("CONTRIBUTING.md", "lock").strip().replace(" --upgrade", "")]


def test_npm_packages_are_locked() -> None:
    """Each has a hash; `npm ci` installs them without running their scripts."""
    data = json.loads((NPM / "package.json").read_text(encoding="utf-8"))
    packages = json.loads((NPM / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    script = (ROOT / "tests" / "engines" / "install").read_text(encoding="utf-8")
    versions = {**data["dependencies"], **data["optionalDependencies"]}

    assert {name: packages[f"node_modules/{name}"]["version"] for name in versions} == versions
    assert [name for name, package in packages.items() if name and not package["integrity"].startswith("sha512-")] == []
    assert [package["resolved"] for package in packages.values() if "resolved" in package] == []
    assert f"gitlab_ci_local={versions['gitlab-ci-local']} " in script
    assert re.findall(r"npm (\S+)", re.sub(r"#.*", "", script).partition("install_gitlab_ci_local")[2]) == ["ci"]
    assert "--ignore-scripts" in script
