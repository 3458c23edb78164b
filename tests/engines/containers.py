"""Real containers and a real registry for tests, without a docker daemon.

podman and runc run as root; images, containers and configuration are in a separate folder, so that parallel
environments share nothing. Nothing is fetched from a network: the base image contains Debian's static busybox.
"""

import functools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

BIN = Path(__file__).parent / "bin"
BASE = "localhost/pipegen-test/base"
LOGIN = ("pipegen", "pipegen")  # user and password of the registry, and the line that `htpasswd -B` writes for them
HTPASSWD = "pipegen:$2b$04$585hsf9elAPf/OXEjdOUGO5ba5heFD3sX5cAx5KMOYmI6I4M62q12\n"
PROGRAMS = ("podman", "runc", "busybox", "docker-registry", "setpriv")

# cgroupfs and the host's network need no daemon; crun refuses hybrid cgroups. Locks are files, because the default, one
# segment of shared memory for all podmans, would tie environments together.
CONTAINERS_CONF = """\
[containers]
cgroups = "enabled"
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
http_proxy = false
log_driver = "k8s-file"
netns = "host"

[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
runtime = "runc"
tmp_dir = "{folder}/tmp"
"""
STORAGE_CONF = """\
[storage]
driver = "vfs"
graphroot = "{folder}/images"
runroot = "{folder}/run"
"""
REGISTRIES_CONF = """\
[[registry]]
location = "{registry}"
insecure = true
"""
REGISTRY_YML = """\
version: 0.1
log: {{level: warn, accesslog: {{disabled: true}}}}
storage: {{filesystem: {{rootdirectory: {folder}/registry}}, delete: {{enabled: true}}}}
http: {{addr: "{registry}"}}
auth: {{htpasswd: {{realm: tests, path: {folder}/htpasswd}}}}
"""
DOCKERFILE = """\
FROM scratch
COPY . /
ENV PATH=/bin
CMD ["sh"]
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Containers:
    """An environment in which `docker` builds, runs and pushes."""

    folder: Path
    registry: str
    """Host and port; it requires LOGIN."""
    environment: dict[str, str]
    """The environment of a process besides its own: PATH with the fake programs first, DOCKER, HELM and others."""

    def docker(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Return the result of `docker` with *arguments*."""
        command = (self.environment["DOCKER"], *arguments)
        return subprocess.run(command, env=os.environ | self.environment, capture_output=True, text=True, check=check)

    def gitlab_variables(self, project: str) -> Mapping[str, str]:
        """Return the variables with which GitLab passes the registry to jobs of *project*."""
        return {
            "CI_REGISTRY": self.registry,
            "CI_REGISTRY_IMAGE": f"{self.registry}/{project.lower()}",
            "CI_REGISTRY_USER": LOGIN[0],
            "CI_REGISTRY_PASSWORD": LOGIN[1],
        }

    def tags(self, repository: str) -> tuple[str, ...]:
        """Return the tags of *repository* in the registry, sorted; none if it is unknown."""
        try:
            answer = _ask(self.registry, f"/v2/{repository}/tags/list")
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return ()
            raise
        return tuple(sorted(json.loads(answer)["tags"] or ()))


@functools.cache
def available() -> str | None:
    """Return the reason why containers cannot run here, or None; this runs a container."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        return f"{', '.join(missing)} not found: run tests/engines/install"
    if os.geteuid() != 0:
        return "containers need root"
    with _folder() as folder:
        _fill_base(folder / "base")
        command = ("podman", "run", "--rm", "--rootfs", str(folder / "base"), "/bin/busybox", "true")
        environment = os.environ | _configure(folder, "-")
        outcome = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return None if outcome.returncode == 0 else f"podman cannot run a container here: {outcome.stderr.strip()}"


@contextmanager
def start() -> Iterator[Containers]:
    """Start containers and a registry, and remove everything at the end."""
    with _folder() as folder, _registry(folder) as registry:
        environment = _configure(folder, registry)
        containers = Containers(folder=folder, registry=registry, environment=environment)
        _fill_base(folder / "base")
        (folder / "Dockerfile").write_text(DOCKERFILE, encoding="utf-8")
        containers.docker("build", "--file", str(folder / "Dockerfile"), "--tag", BASE, str(folder / "base"))
        try:
            yield containers
        finally:
            command = ("podman", "rm", "--all", "--force", "--time=0")
            subprocess.run(command, env=os.environ | environment, capture_output=True, check=True)


@contextmanager
def _folder() -> Iterator[Path]:
    """Create a folder with a short name: it contains the sockets of containers, whose paths have at most 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="pipegen-"))
    try:
        yield folder
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    """Remove *folder* after the cleanup processes of containers have ended, which write to it."""
    end = time.monotonic() + 20
    while (folder.exists() or _users(folder)) and time.monotonic() < end:
        if _users(folder):
            time.sleep(0.02)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _users(folder: Path) -> tuple[str, ...]:
    """Return the command lines with *folder*: podman removes a container before its monitor has ended."""
    lines = []
    for process in Path("/proc").iterdir():  # not a glob, which fails when a process ends during the search
        with suppress(OSError):
            lines.append((process / "cmdline").read_bytes().decode(errors="replace"))
    return tuple(line for line in lines if str(folder) in line)


def _configure(folder: Path, registry: str) -> dict[str, str]:
    """Write the configuration of podman and of docker's logins to *folder*, and return an environment that names it."""
    auth = b64encode(":".join(LOGIN).encode()).decode()
    files = {
        "containers.conf": CONTAINERS_CONF,
        "storage.conf": STORAGE_CONF,
        "registries.conf": REGISTRIES_CONF,
    }
    for name, text in files.items():
        (folder / name).write_text(text.format(folder=folder, registry=registry), encoding="utf-8")
    (folder / "docker").mkdir()
    (folder / "docker/config.json").write_text(json.dumps({"auths": {registry: {"auth": auth}}}), encoding="utf-8")
    return {
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "DOCKER": str(BIN / "docker"),
        "DOCKER_CONFIG": str(folder / "docker"),
        "HELM": str(BIN / "helm"),
        "CONTAINERS_CONF": str(folder / "containers.conf"),
        "CONTAINERS_STORAGE_CONF": str(folder / "storage.conf"),
        "CONTAINERS_REGISTRIES_CONF": str(folder / "registries.conf"),
        "STORAGE_DRIVER": "vfs",
        "PIPEGEN_TEST_BASE": BASE,
        "PIPEGEN_TEST_PYTHON": sys.executable,
    }


def _fill_base(folder: Path) -> None:
    """Write the files of the base image to *folder*: busybox and a link for each of its programs."""
    busybox = shutil.which("busybox") or "busybox"
    programs = subprocess.run((busybox, "--list"), capture_output=True, text=True, check=True).stdout.split()
    for name in ("bin", "etc", "srv", "tmp"):
        (folder / name).mkdir(parents=True)
    shutil.copy(busybox, folder / "bin/busybox")
    for program in programs:
        if program != "busybox":
            (folder / "bin" / program).symlink_to("busybox")
    (folder / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\n", encoding="utf-8")


@contextmanager
def _registry(folder: Path) -> Iterator[str]:
    """Run a registry on loopback during the context, and return its host and port."""
    registry = f"127.0.0.1:{_free_port()}"
    (folder / "htpasswd").write_text(HTPASSWD, encoding="utf-8")
    (folder / "registry.yml").write_text(REGISTRY_YML.format(folder=folder, registry=registry), encoding="utf-8")
    # setpriv: the registry ends with this process, for whatever reason
    command = ("setpriv", "--pdeathsig", "KILL", "docker-registry", "serve", str(folder / "registry.yml"))
    with (
        (folder / "registry.log").open("w") as log,
        subprocess.Popen(command, stdout=log, stderr=log, env={"OTEL_TRACES_EXPORTER": "none"} | os.environ) as process,
    ):
        try:
            _await(process, registry, folder / "registry.log")
            yield registry
        finally:
            process.kill()


def _await(process: subprocess.Popen[bytes], registry: str, log: Path) -> None:
    """Wait until *registry* responds; raise if its *process* ends or it does not respond."""
    end = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < end:
        try:
            _ask(registry, "/v2/")
        except OSError:
            time.sleep(0.02)
        else:
            return
    message = f"the registry does not answer: {log.read_text(encoding='utf-8')}"
    raise RuntimeError(message)


def _ask(registry: str, path: str) -> bytes:
    """Return the response of *registry* at *path*."""
    auth = b64encode(":".join(LOGIN).encode()).decode()
    request = urllib.request.Request(f"http://{registry}{path}", headers={"Authorization": f"Basic {auth}"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=10) as answer:
        content: bytes = answer.read()
    return content


def _free_port() -> int:
    """Return an unused port on loopback."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port
