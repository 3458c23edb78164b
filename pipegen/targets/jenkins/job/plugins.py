"""The plugins that a Jenkinsfile needs in addition to Pipeline, its declarative part, git and credentials-binding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipegen.targets.jenkins import model

_MAILER = "mailer"
_CONTAINERS = "docker-workflow"
_PODS = "kubernetes"
# All nouns that may need a plugin.
_NEEDING = frozenset(
    {
        model.SendMail,
        model.InImage,
        model.ContainerAgent,
        model.PodAgent,
        *(model.Wrapped, model.GroovyStatement, model.Property, model.StageOption),
    }
)


def plugin_notes(parts: Iterable[object]) -> tuple[str, ...]:
    """Return the header line that names the plugins of *parts* of the model, if there are any."""
    plugins = sorted(set(_plugins(parts)))
    if not plugins:
        return ()
    return (f"Needs the plugin{'s' if len(plugins) > 1 else ''} {', '.join(plugins)}.",)


def has_containers(parts: Iterable[object]) -> bool:
    """Return whether *parts* of the model run steps in containers of docker."""
    return _CONTAINERS in _plugins(parts)


def _plugins(parts: Iterable[object]) -> Iterator[str]:
    for part in [part for part in parts if type(part) in _NEEDING]:
        match part:
            case model.InImage() | model.ContainerAgent():
                yield _CONTAINERS
            case model.SendMail():
                yield _MAILER
            case model.PodAgent():
                yield _PODS
            case model.Wrapped() | model.GroovyStatement() | model.Property() | model.StageOption() if part.plugin:
                yield part.plugin
