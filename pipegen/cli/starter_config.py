"""The first config of a repository: what seems to be built there, and what the config of such a thing looks like."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from pipegen.emit.template import render
from pipegen.structs import Struct


class ProjectKind(Struct):
    """Something that is built: what it is called, and the files of which a folder of that kind holds one."""

    words: str
    files: tuple[str, ...]


# What `pipegen init` can write, in the order in which a folder is looked at.
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
# A service whose name needs no thought, in a path, a pattern or the name of a stage.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,40}")
_SERVICES = ("api", "web")
SCHEMA = "pipegen.schema.json"


class StarterConfig(Struct, kw_only=True):
    """What a first config is made for.

    Attributes:
        kind: one of KINDS; None where nothing tells.
        tool: what builds it, where a kind has several: "gradle" or "maven".
        services: the folders of a monorepo.
        engines: the targets that seem to be in use; none where nothing tells.
    """

    kind: str | None
    tool: str
    services: tuple[str, ...]
    engines: tuple[str, ...]


def look(folder: Path) -> StarterConfig:
    """Return what *folder* seems to hold."""
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
        "# What each key means: editors tell by the line above, and docs/language.md of pipegen.\n\n"
    )
    body = render(f"init/{kind}.yaml.j2", filters={}, tool=start.tool, services=start.services)
    targets = "".join(f"  {engine}: {{}}\n" for engine in engines)
    return f"{head}{body.rstrip()}\n\ntargets: # what `pipegen compile` writes\n{targets}"


def _kind(folder: Path) -> str | None:
    return next((kind for kind, one in KINDS.items() if any((folder / name).exists() for name in one.files)), None)


def _services(folder: Path) -> tuple[str, ...]:
    """Return the folders right in *folder* that hold something which is built."""
    found = sorted(place for place in folder.iterdir() if place.is_dir() and _PLAIN.fullmatch(place.name))
    return tuple(place.name for place in found if _kind(place) is not None)
