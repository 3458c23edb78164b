"""The image and services with the tools that the script of a job calls."""

from __future__ import annotations

from pipegen.shell.host import Images
from pipegen.shell.script import StageScriptParts
from pipegen.structs import Struct
from pipegen.targets.gitlab.jobs.scripts import entries
from pipegen.targets.gitlab.model import ImageKeys, ScriptEntry, ServiceKeys, VariableEntry
from pipegen.targets.gitlab.settings import GitLabSettings

# The hostname of the service in docker's images, whichever registry its image comes from.
_DAEMON = "docker"
# The variables that the entrypoint of docker's images sets; the Kubernetes executor calls no entrypoint:
# https://docs.gitlab.com/ci/docker/docker_in_docker/
_CONNECTION = (
    VariableEntry("DOCKER_HOST", f"tcp://{_DAEMON}:2376"),
    VariableEntry("DOCKER_TLS_CERTDIR", "/certs"),
    VariableEntry("DOCKER_TLS_VERIFY", "1"),
    VariableEntry("DOCKER_CERT_PATH", "/certs/client"),
)
# The entrypoint prefers the socket, too. The Kubernetes executor does not wait for services, and the first keys take
# seconds: gitlab-runner#27306, #27384.
_CONNECT = (
    ScriptEntry(
        "if [ -S /var/run/docker.sock ]; then unset DOCKER_HOST DOCKER_TLS_VERIFY DOCKER_CERT_PATH; fi",
        "the daemon of the runner, if it has one; that of the service takes some time to start",
    ),
    ScriptEntry("timeout 60 sh -c 'until docker info >/dev/null 2>&1; do sleep 1; done' || docker info"),
)
_REMOVE = (
    ScriptEntry(
        "if [ -S /var/run/docker.sock ]; then unset DOCKER_HOST DOCKER_TLS_VERIFY DOCKER_CERT_PATH; else exit 0; fi",
        "the daemon of the runner would keep containers and images",
    ),
    ScriptEntry('docker ps --all --quiet --filter "name=-$CI_JOB_ID\\$" | xargs -r docker rm --force --volumes'),
    ScriptEntry('docker image prune --all --force --filter "label=ci.job=$CI_JOB_URL"'),
)


# The kind of tools of a job that calls the container program.
DOCKER = "docker"


class JobTools(Struct, kw_only=True, cache_hash=True):
    """The keys of a job that depend on its tools; *kind* names them."""

    kind: str
    image: ImageKeys | None = None
    services: tuple[ServiceKeys, ...] = ()
    variables: tuple[VariableEntry, ...] = ()
    before_script: tuple[ScriptEntry, ...] = ()
    after_script: tuple[ScriptEntry, ...] = ()


def job_tools(script: StageScriptParts, settings: GitLabSettings, *, is_users: bool) -> JobTools:
    """Return the tools of *script*; a script of the user (*is_users*) runs in the runner's default image."""
    prelude = entries(script.prelude)
    if settings.images is Images.LOCAL:
        return JobTools(kind=_kind(script), before_script=prelude)
    match _kind(script):
        case "docker":
            return JobTools(
                kind=DOCKER,
                image=ImageKeys(settings.tools.docker),
                services=(ServiceKeys(settings.tools.dind, _DAEMON),),
                variables=_CONNECTION,
                before_script=_CONNECT,
                after_script=_REMOVE,
            )
        case "helm":
            return JobTools(
                kind="helm", image=ImageKeys(settings.tools.helm, has_entrypoint=True), before_script=prelude
            )
        case "git":
            return JobTools(kind="git", image=ImageKeys(settings.tools.git), before_script=prelude)
        case kind:
            image = None if is_users else ImageKeys(settings.tools.shell)
            return JobTools(kind=kind, image=image, before_script=prelude)


def start(script: StageScriptParts, settings: GitLabSettings) -> tuple[ScriptEntry, ...]:
    """Return the entries of a job's own start, if it shares the one before its script; they install missing tools."""
    is_shared = settings.images is not Images.LOCAL and script.uses_containers
    return (*(entries(script.prelude) if is_shared else ()), *_installs(script, settings))


def _installs(script: StageScriptParts, settings: GitLabSettings) -> tuple[ScriptEntry, ...]:
    """Return the entries that install tools that an image (Alpine's) may lack."""
    if not (script.uses_git or script.uses_helm):
        return ()
    commands = []
    is_image = settings.images is not Images.LOCAL
    if is_image and script.uses_helm and script.uses_containers:
        commands.append("command -v helm || apk add --no-cache helm")
    if is_image and script.uses_git:
        # The charts' own script needs ruamel.yaml.
        ssh = " openssh-client" if settings.promote.is_ssh else ""
        commands.append(f"command -v git || apk add --no-cache git python3 py3-ruamel.yaml{ssh}")
    return tuple(ScriptEntry(text) for text in commands)


def _kind(script: StageScriptParts) -> str:
    if script.uses_containers:
        return DOCKER
    if script.uses_helm:
        return "helm"
    return "git" if script.uses_git else "shell"
