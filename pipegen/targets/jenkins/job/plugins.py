"""What a Jenkinsfile needs beyond Pipeline, its declarative part, git and credentials-binding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipegen.targets.jenkins import model

_MAILER = "mailer"
_CONTAINERS = "docker-workflow"


def plugin_notes(parts: Iterable[object]) -> tuple[str, ...]:
    """Return the line for the header that names the plugins of *parts* of the model, if there are any."""
    found = sorted(set(_plugins(parts)))
    if not found:
        return ()
    return (f"Needs the plugin{'s' if len(found) > 1 else ''} {', '.join(found)}.",)


def _plugins(parts: Iterable[object]) -> Iterator[str]:
    for part in parts:
        match part:
            case model.SendMail():
                yield _MAILER
            case model.InImage() | model.ContainerAgent():
                yield _CONTAINERS
            case model.Wrapped() | model.GroovyStatement() | model.Property() if part.plugin:
                yield part.plugin
