"""A docker CLI implemented with podman: the commands and options that pipegen generates, with docker's own output.

Commands that docker does not have are rejected, so that no test relies on podman. The differences:

- `--pull` does not ask a registry for an image of `localhost/`, which has none;
- a build creates one layer, and equal builds one image, like docker's cache (a layer here is a copy of all files);
- `image inspect` prefixes an ID with `sha256:`;
- `rm --force` kills immediately, without podman's ten seconds;
- commands that change images run one after the other, because each is a process of its own: a `rmi` would remove an
  image that an equal build has just named, and a `run` would not find it;
- credentials are in `$DOCKER_CONFIG/config.json`;
- `build` reads a `# syntax=` line. A blubberfile is built like Blubber's frontend does, if the line names
  $PIPEGEN_TEST_FRONTEND (any frontend if that is unset). $PIPEGEN_TEST_BASE is the base image.
"""

import fcntl
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from engines.bin.arguments import Arguments, Syntax, UsageError, parse
from engines.bin.blubber import Dockerfile, InvalidBlubberfileError, convert

RUN = Syntax(
    flags="detach/d init interactive/i privileged read-only rm tty/t",
    options="add-host cidfile cpus entrypoint env/e env-file hostname/h label/l memory/m mount name network pull tmpfs"
    " ulimit user/u volume/v workdir/w",
    interspersed=False,
)
BUILD = Syntax(
    flags="force-rm no-cache pull quiet/q rm",
    options="build-arg file/f iidfile label network progress tag/t target",
)
INSPECT = Syntax(options="format/f")
COMMANDS = {
    "build": BUILD,
    "container": Syntax(),
    "cp": Syntax(flags="archive/a follow-link/L quiet/q"),
    "create": RUN,
    "image": Syntax(),
    "image prune": Syntax(flags="all/a force/f", options="filter"),
    "images": Syntax(flags="all/a no-trunc quiet/q", options="filter/f format"),
    "kill": Syntax(options="signal/s"),
    "login": Syntax(flags="password-stdin", options="password/p username/u"),
    "info": Syntax(options="format/f"),
    "logout": Syntax(),
    "logs": Syntax(flags="follow/f", options="tail/n"),
    "network": Syntax(),
    "ps": Syntax(flags="all/a no-trunc quiet/q", options="filter/f format"),
    "pull": Syntax(flags="quiet/q"),
    "push": Syntax(flags="quiet/q"),
    "rm": Syntax(flags="force/f volumes/v"),
    "rmi": Syntax(flags="force/f no-prune"),
    "run": RUN,
    "stop": Syntax(options="time/t"),
    "tag": Syntax(),
    "version": INSPECT,
    "wait": Syntax(),
}
CHANGES = frozenset(("build", "image prune", "pull", "rmi", "tag"))
TIMESTAMP = 1_643_648_400  # of every image and its files, so that equal builds are equal


def main(words: Sequence[str]) -> NoReturn:
    """Replace this process by the podman that does the same as *words* in docker; exit if docker would reject them."""
    try:
        command, arguments = _command(words)
        podman = _TRANSLATIONS.get(command, _same)(command, arguments)
    except UsageError as error:
        _refuse(str(error), 125)
    except (InvalidBlubberfileError, OSError) as error:
        _refuse(f"ERROR: failed to solve: {error}", 1)
    if command in CHANGES:
        _wait_for_others()
    os.execvpe("podman", ["podman", *podman], _environment())  # noqa: S606 - becomes podman: signals reach it


def _command(words: Sequence[str]) -> tuple[str, Arguments]:
    """Return the command in *words* in its short form (`image ls` is `images`), and its arguments."""
    name, *rest = words or ("",)
    if name == "image" and rest:
        name, rest = (
            {"ls": "images", "rm": "rmi", "inspect": "image inspect", "prune": "image prune"}.get(rest[0], rest[0]),
            rest[1:],
        )
    elif name == "container" and rest:
        name, rest = {"ls": "ps", "inspect": "container inspect"}.get(rest[0], rest[0]), rest[1:]
    if name.endswith(" inspect"):
        return name, parse(INSPECT, rest)
    if name not in COMMANDS:
        message = f"docker: '{name}' is not a docker command."
        raise UsageError(message)
    return name, parse(COMMANDS[name], rest)


def _wait_for_others() -> None:
    """Wait until no other process changes images; others wait until the podman that replaces this one has ended."""
    storage = os.environ.get("CONTAINERS_STORAGE_CONF")
    if storage is not None:
        lock = os.open(Path(storage).with_name("changes.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        os.set_inheritable(lock, True)
        fcntl.flock(lock, fcntl.LOCK_EX)


def _environment() -> dict[str, str]:
    """Return podman's environment, with docker's location of credentials."""
    folder = Path(os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker")
    folder.mkdir(parents=True, exist_ok=True)
    return {**os.environ, "REGISTRY_AUTH_FILE": str(folder / "config.json")}


def _same(command: str, arguments: Arguments) -> list[str]:
    """Return the same command for podman."""
    return [*command.split(), *arguments.words()]


def _remove(command: str, arguments: Arguments) -> list[str]:
    """Return `rm`, without a grace period if forced."""
    return [command, *(["--time=0"] if arguments.has("force") else []), *arguments.words()]


def _inspect(command: str, arguments: Arguments) -> list[str]:
    """Return `image inspect`, with IDs formatted as docker does."""
    return [*command.split(), *(word.replace("{{.Id}}", "sha256:{{.Id}}") for word in arguments.words())]


def _build(command: str, arguments: Arguments) -> list[str]:
    """Return `build`, the Dockerfile being standard input."""
    if len(arguments.operands) != 1:
        raise UsageError('"docker buildx build" requires exactly 1 argument.')
    context = Path(arguments.operands[0])
    if not context.is_dir():
        message = f'unable to prepare context: path "{context}" not found'
        raise UsageError(message)
    path = Path(arguments.last("file") or context / "Dockerfile")
    text = sys.stdin.read() if path == Path("-") else path.read_text(encoding="utf-8")
    dockerfile = _dockerfile(text, arguments)
    _feed(dockerfile.text)
    ignored = path.with_name(f"{path.name}.dockerignore")
    # podman expands variables in values: `$$` is its `$`
    extra = [f"--env={name}={value.replace('$', '$$')}" for name, value in dockerfile.environment]
    return [
        command,
        "--layers=false",
        f"--timestamp={TIMESTAMP}",
        "--file=-",
        f"--pull={_pull(dockerfile.text, is_requested=arguments.has('pull'))}",
        *([f"--ignorefile={ignored}"] if ignored.exists() else []),
        *extra,
        *arguments.without("file", "pull", "progress").words(),
    ]


def _dockerfile(text: str, arguments: Arguments) -> Dockerfile:
    """Return the Dockerfile of *text*, converted by the frontend in its `# syntax=` line."""
    frontend = _frontend(text)
    if frontend is None or frontend.startswith("docker/dockerfile"):
        return Dockerfile(text, ())
    expected = os.environ.get("PIPEGEN_TEST_FRONTEND") or frontend
    if frontend != expected:
        message = f"{frontend}: not found (here is only {expected})"
        raise InvalidBlubberfileError(message)
    base = os.environ.get("PIPEGEN_TEST_BASE", "scratch")
    return convert(text, arguments.last("target") or "", base)


def _frontend(text: str) -> str | None:
    """Return the frontend in a `# syntax=` line among the first lines of *text*."""
    for line in text.splitlines():
        directive = re.fullmatch(r"\s*(?:#|//)\s*(\w+)\s*=\s*(.+?)\s*", line)
        if directive is None:
            return None
        if directive[1].lower() == "syntax":
            return directive[2]
    return None


def _pull(dockerfile: str, *, is_requested: bool) -> str:
    """Return podman's pull policy: `always` if *is_requested* and every image of *dockerfile* has a registry."""
    images = re.findall(r"^FROM (?:--platform=\S+ )?(\S+)", dockerfile, re.MULTILINE | re.IGNORECASE)
    return "missing" if not is_requested or any(image.startswith("localhost/") for image in images) else "always"


def _feed(text: str) -> None:
    """Set standard input to *text*."""
    with tempfile.TemporaryFile() as file:
        file.write(text.encode())
        file.seek(0)
        os.dup2(file.fileno(), 0)


def _refuse(message: str, status: int) -> NoReturn:
    """Print *message* and exit with *status*."""
    sys.stderr.write(f"{message}\n")
    sys.exit(status)


def _network(_: str, arguments: Arguments) -> list[str]:
    """Return a command without effect: podman uses the host network here."""
    if arguments.operands[:1] not in (("create",), ("rm",)) or len(arguments.operands) != 2:
        raise UsageError('"docker network" takes create or rm, and a name.')
    return ["version"]


_TRANSLATIONS = {"build": _build, "network": _network, "rm": _remove, "image inspect": _inspect}

if __name__ == "__main__":
    main(sys.argv[1:])
