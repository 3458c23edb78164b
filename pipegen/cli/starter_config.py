"""Starter configs: the kind of project in a folder, and the config for it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from pipegen.emit.template import render
from pipegen.structs import Struct


class ProjectKind(Struct):
    """A kind of project: its description, and the files that identify it, one of which is enough."""

    words: str
    files: tuple[str, ...]


# The templates of `pipegen init`, in the order of detection.
KINDS: Mapping[str, ProjectKind] = {
    "python": ProjectKind("a Python package", ("pyproject.toml", "setup.py", "requirements.txt")),
    "node": ProjectKind("a Node package", ("package.json",)),
    "go": ProjectKind("a command in Go", ("go.mod",)),
    "java": ProjectKind("a library in Java", ("pom.xml", "build.gradle", "build.gradle.kts")),
    "container": ProjectKind(
        "a service in a container", ("Dockerfile", "Containerfile", "blubber.yaml", ".pipeline/blubber.yaml")
    ),
    "monorepo": ProjectKind("several services in one repository", ()),
}
_ENGINE_FILES = {"gitlab": ".gitlab-ci.yml", "jenkins": "Jenkinsfile"}
# Names of services that need no quoting in paths, patterns and stage names.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,40}")
_SERVICES = ("api", "web")
SCHEMA = "pipegen.schema.json"


class StarterConfig(Struct, kw_only=True):
    """The properties of a starter config.

    Attributes:
        kind: one of KINDS; None if unknown.
        tool: the build tool of a Java project: "gradle" or "maven".
        services: the folders of a monorepo.
        engines: the targets that are in use; () if unknown.
    """

    kind: str | None
    tool: str
    services: tuple[str, ...]
    engines: tuple[str, ...]


def inspect(folder: Path) -> StarterConfig:
    """Return the detected properties of *folder*."""
    services = _services(folder)
    kind = _kind(folder) or ("monorepo" if len(services) > 1 else None)
    return StarterConfig(
        kind=kind,
        tool="maven" if (folder / "pom.xml").exists() or not any(folder.glob("build.gradle*")) else "gradle",
        services=services or _SERVICES,
        engines=tuple(engine for engine, name in _ENGINE_FILES.items() if (folder / name).exists()),
    )


def first_config(start: StarterConfig, kind: str, engines: tuple[str, ...]) -> str:
    """Return the text of the config of a *kind* for *engines*."""
    head = (
        f"# yaml-language-server: $schema={SCHEMA}\n"
        "# The line above lets editors explain each key; docs/language.md of pipegen describes them all.\n\n"
    )
    body = render(f"init/{kind}.yaml.j2", filters={}, tool=start.tool, services=start.services)
    targets = "".join(f"  {engine}: {{}}\n" for engine in engines)
    return f"{head}{body.rstrip()}\n\ntargets: # what `pipegen compile` writes\n{targets}"


def _kind(folder: Path) -> str | None:
    return next(
        # False instead of an error in a folder that the user may not read.
        (kind for kind, of_kind in KINDS.items() if any(os.path.exists(folder / name) for name in of_kind.files)),  # noqa: PTH110
        None,
    )


def _services(folder: Path) -> tuple[str, ...]:
    """Return the direct subfolders of *folder* that contain a project."""
    folders = sorted(path for path in folder.iterdir() if path.is_dir() and _PLAIN.fullmatch(path.name))
    return tuple(path.name for path in folders if _kind(path) is not None)
