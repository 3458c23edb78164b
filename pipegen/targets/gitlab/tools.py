"""What a job runs in: the image with the tools that its script calls."""

from __future__ import annotations

from dataclasses import dataclass

from pipegen.shell.host import Images
from pipegen.shell.script import Script
from pipegen.targets.gitlab.model import Entry, Image, Variable
from pipegen.targets.gitlab.scripts import entries
from pipegen.targets.gitlab.settings import Settings


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What a job has around its own script; *kind* is the word for it."""

    kind: str
    image: Image | None = None
    services: tuple[str, ...] = ()
    variables: tuple[Variable, ...] = ()
    before_script: tuple[Entry, ...] = ()


def surroundings(script: Script, settings: Settings) -> Surroundings:
    """Return what a job with *script* has around it."""
    prelude = entries(script.prelude)
    if settings.images is Images.LOCAL:
        return Surroundings(kind=_kind(script), before_script=prelude)
    match _kind(script):
        case "docker":
            return Surroundings(
                kind="docker",
                image=Image(settings.tools.docker),
                services=(settings.tools.dind,),
                # Where the two containers find the keys of their connection.
                variables=(Variable("DOCKER_TLS_CERTDIR", "/certs"),),
                before_script=prelude,
            )
        case "helm":
            return Surroundings(
                kind="helm", image=Image(settings.tools.helm, has_entrypoint=True), before_script=prelude
            )
        case "git":
            return Surroundings(kind="git", image=Image(settings.tools.git), before_script=prelude)
        case kind:
            return Surroundings(kind=kind, before_script=prelude)


def installs(script: Script, settings: Settings) -> tuple[Entry, ...]:
    """Return the entries that add tools to an image (Alpine's) which need not have them."""
    if settings.images is Images.LOCAL:
        return ()
    found = []
    if script.uses_helm and script.uses_containers:
        found.append("command -v helm || apk add --no-cache helm")
    if script.uses_git:
        # The charts' own script, which is called, needs ruamel.yaml.
        ssh = " openssh-client" if settings.promote.is_ssh else ""
        found.append(f"command -v git || apk add --no-cache git python3 py3-ruamel.yaml{ssh}")
    return tuple(Entry(text) for text in found)


def _kind(script: Script) -> str:
    if script.uses_containers:
        return "docker"
    if script.uses_helm:
        return "helm"
    return "git" if script.uses_git else "shell"
