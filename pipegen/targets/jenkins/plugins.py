"""What a Jenkinsfile needs beyond Pipeline, its declarative part, git and credentials-binding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.structs import Struct
from pipegen.targets.jenkins import model

_MAILER = "mailer"
_CONTAINERS = "docker-workflow"


def plugin_notes(stages: Sequence[model.Stage], properties: Sequence[model.Property]) -> tuple[str, ...]:
    """Return the line for the header that names the plugins of *stages* and *properties*, if there are any."""
    found = sorted(set(_plugins((*stages, *properties))))
    if not found:
        return ()
    return (f"Needs the plugin{'s' if len(found) > 1 else ''} {', '.join(found)}.",)


def _plugins(value: object) -> Iterator[str]:
    match value:
        case tuple():
            for item in value:
                yield from _plugins(item)
        case model.SendMail():
            yield _MAILER
        case Struct():
            if isinstance(value, model.InImage | model.Container):
                yield _CONTAINERS
            if isinstance(value, model.Wrapped | model.Statement | model.Property) and value.plugin:
                yield value.plugin
            for name in value.__struct_fields__:
                yield from _plugins(getattr(value, name))
