"""The Jenkins engine of the tests: runs and validates Jenkinsfiles with the Groovy that Jenkins embeds, without Jenkins."""

import base64
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent / "jenkins" / "src"
_OPENED = ("java.base/java.lang", "java.base/java.lang.reflect", "java.base/java.util", "java.base/java.io")
_JVMS = Path("/usr/lib/jvm")
_JARS = Path("/usr/share/java")
_GRACE = 30


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that Jenkins would refuse, and the line of it (0 when it has none)."""

    line: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An agent: its name is one of its labels."""

    name: str = "built-in"
    executors: int = 8
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SecretText:
    """A credential that is one text; a plain string stands for one too."""

    text: str


@dataclass(frozen=True, slots=True)
class SecretFile:
    """A credential that is a file."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class UsernamePassword:
    """A credential that is a pair."""

    username: str
    password: str


@dataclass(frozen=True, slots=True)
class SshKey:
    """A credential that is a private key."""

    username: str
    key: str
    passphrase: str = ""


Credential = str | SecretText | SecretFile | UsernamePassword | SshKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What happened to one stage; times are milliseconds since the epoch."""

    name: str
    status: str
    """`success`, `unstable`, `failed`, `aborted` or `skipped`."""
    start: int
    end: int
    parents: tuple[str, ...]
    """The stages around it, outermost first."""
    branches: tuple[str, ...]
    """The parallel branches around it, outermost first."""
    node: str | None
    """The agent that it ran on; none when it took none."""
    message: str | None
    """Why it failed or was skipped."""


@dataclass(frozen=True, slots=True)
class Event:
    """A stage's start or end; a skipped stage has `skip` in place of both."""

    kind: str
    stage: Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggered:
    """A job that the build started."""

    job: str
    parameters: Mapping[str, Any]
    wait: bool
    propagate: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The error that ended the build, and the lines of the Jenkinsfile on its stack, innermost first."""

    type: str
    message: str
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """What came of one run of a Jenkinsfile."""

    result: str
    """`SUCCESS`, `UNSTABLE`, `FAILURE`, `NOT_BUILT` or `ABORTED`."""
    stages: tuple[Stage, ...]
    """In the order of their start."""
    events: tuple[Event, ...]
    """In the order in which they happened."""
    error: Failure | None
    log: str
    archived: Mapping[str, Path]
    """Archived files by their path in the workspace."""
    mails: tuple[Mapping[str, Any], ...]
    builds: tuple[Triggered, ...]
    inputs: tuple[str, ...]
    """The messages of the inputs that were asked for."""
    reports: tuple[Mapping[str, Any], ...]
    """One for each `junit`: files, total, failed, skipped."""
    stashes: Mapping[str, tuple[str, ...]]
    """The files of each stash."""
    parameters: Mapping[str, Any]
    name: str
    """The display name."""

    def stage(self, name: str) -> Stage:
        """Return the only stage of that name."""
        (found,) = (stage for stage in self.stages if stage.name == name)
        return found


def available() -> str | None:
    """Return None when the harness can run here, else what is missing."""
    missing = [f"{program} is missing" for program in ("git", "setsid", "kill") if shutil.which(program) is None]
    missing += [f"{jar} is missing (Debian packages groovy, ant)" for jar in _jars() if not jar.is_file()]
    if _java() is None:
        missing.append("no Java of version 9 or later (set JAVA_HOME)")
    return "; ".join(missing) or None


def run(
    jenkinsfile: Path | str,
    repository: Path,
    *,
    workdir: Path,
    shell: str | Sequence[str] = "sh",
    env: Mapping[str, str] | None = None,
    agent_env: Mapping[str, str] | None = None,
    params: Mapping[str, str | bool] | None = None,
    credentials: Mapping[str, Credential] | None = None,
    nodes: Sequence[Node] = (Node(),),
    seconds: float = 120,
    remote: str | None = None,
    branch: str | None = None,
    job: str = "demo",
    number: int = 1,
    approve: bool = True,
    jobs: Mapping[str, str] | None = None,
    patience: float = 5,
) -> Build:
    """Run a Jenkinsfile, given as a path or as text, and return what came of it.

    Args:
        jenkinsfile: A path, or the text itself.
        repository: The git repository that `checkout` clones.
        workdir: Where workspaces, stashes and archived files go; it is made if needed and belongs to this one run.
        shell: What runs shell steps, such as `dash`, `bash` or `("busybox", "sh")`.
        env: Variables of the build, such as `BRANCH_NAME` (which makes it a multibranch one).
        agent_env: The environment of the agents; this process' own by default.
        params: What the build is started with; None is the first build of a job, when parameters are no variables yet.
        credentials: By id.
        nodes: The agents.
        seconds: The time after which the build is aborted.
        remote: The address of the repository as the script sees it; its path by default.
        branch: The branch specifier of the job; the repository's current branch by default.
        job: The name of the job.
        number: The number of the build.
        approve: Whether an input goes on or aborts the build.
        jobs: The results of the jobs that the build starts; others succeed.
        patience: The seconds a process gets between TERM and KILL.
    """
    workdir = workdir.absolute()
    workdir.mkdir(parents=True, exist_ok=True)
    script = workdir / "Jenkinsfile"
    script.write_text(jenkinsfile.read_text("utf-8") if isinstance(jenkinsfile, Path) else jenkinsfile, "utf-8")
    settings = {
        "script": str(script),
        "root": str(workdir),
        "report": str(workdir / "build.json"),
        "log": str(workdir / "build.log"),
        "shell": [shell] if isinstance(shell, str) else list(shell),
        "environment": dict(os.environ if agent_env is None else agent_env),
        "variables": dict(env or {}),
        "parameters": None if params is None else dict(params),
        "credentials": {id_: _credential(value) for id_, value in (credentials or {}).items()},
        "nodes": [{"name": node.name, "labels": node.labels, "executors": node.executors} for node in nodes],
        "repository": str(repository.absolute()),
        "remote": remote or str(repository.absolute()),
        "branch": branch or (env or {}).get("BRANCH_NAME") or f"*/{_current_branch(repository)}",
        "job": job,
        "number": number,
        "approve": approve,
        "jobs": dict(jobs or {}),
        "seconds": seconds,
        "patience": patience,
    }
    (workdir / "settings.json").write_text(json.dumps(settings), "utf-8")
    _run_java("harness.Main", str(workdir / "settings.json"), seconds=seconds + _GRACE)
    return _build(json.loads((workdir / "build.json").read_text("utf-8")), workdir)


def _credential(value: Credential) -> dict[str, str]:
    match value:
        case str():
            return {"kind": "text", "secret": value}
        case SecretText():
            return {"kind": "text", "secret": value.text}
        case SecretFile():
            return {"kind": "file", "name": value.name, "content": _base64(value.content)}
        case UsernamePassword():
            return {"kind": "pair", "username": value.username, "password": value.password}
        case SshKey():
            key = _base64(value.key.encode())
            return {"kind": "ssh", "username": value.username, "key": key, "passphrase": value.passphrase}


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _current_branch(repository: Path) -> str:
    command = ["git", "-C", str(repository), "symbolic-ref", "--short", "HEAD"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _build(report: dict[str, Any], workdir: Path) -> Build:
    stages = [(entry, _stage(entry)) for entry in report["stages"]]
    return Build(
        result=report["result"],
        stages=tuple(stage for _, stage in stages),
        events=_events(stages),
        error=None if report["error"] is None else _failure(report["error"]),
        log=(workdir / "build.log").read_text("utf-8"),
        archived={name: workdir / "archive" / name for name in report["archived"]},
        mails=tuple(report["mails"]),
        builds=tuple(Triggered(**entry) for entry in report["builds"]),
        inputs=tuple(report["inputs"]),
        reports=tuple(report["reports"]),
        stashes={name: tuple(files) for name, files in report["stashes"].items()},
        parameters=report["parameters"],
        name=report["name"],
    )


def _stage(entry: dict[str, Any]) -> Stage:
    return Stage(
        name=entry["name"],
        status=entry["status"],
        start=entry["start"],
        end=entry["end"],
        parents=tuple(entry["parents"]),
        branches=tuple(entry["branches"]),
        node=entry["node"],
        message=entry["message"],
    )


def _events(stages: Sequence[tuple[dict[str, Any], Stage]]) -> tuple[Event, ...]:
    found = []
    for entry, stage in stages:
        if stage.status == "skipped":
            found.append((entry["began"], Event("skip", stage)))
        else:
            found.append((entry["began"], Event("start", stage)))
            found.append((entry["ended"], Event("end", stage)))
    return tuple(event for _, event in sorted(found, key=lambda pair: pair[0]))


def _failure(entry: dict[str, Any]) -> Failure:
    return Failure(type=entry["type"], message=entry["message"], lines=tuple(entry["lines"]))


def _run_java(*arguments: str, seconds: float) -> None:
    """Run a class of the harness; what it says on standard error is the message of the exception when it fails."""
    command = [*_command(), "-cp", os.pathsep.join(map(str, (_classes(), *_jars()))), *arguments]
    # File names in workspaces are UTF-8 whatever the locale; agents get their own environment from the settings.
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=seconds, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        raise RuntimeError(f"the Jenkins harness failed: {done.stderr or done.stdout}")


def _command() -> list[str]:
    java = _java()
    if java is None:
        raise RuntimeError(available())
    opened = [f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED]
    return [str(java), "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xss4m", *opened]


def _jars() -> tuple[Path, ...]:
    return (_JARS / "groovy-all.jar", _JARS / "ant.jar")


@functools.cache
def _java() -> Path | None:
    """Return the Java of JAVA_HOME, else the oldest one installed that is new enough."""
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    homes += sorted((home for home in _JVMS.glob("*") if _version(home) >= 9), key=lambda home: (_version(home), home))
    for home in homes:
        if (home / "bin" / "java").is_file():
            return home / "bin" / "java"
    found = shutil.which("java")
    return Path(found) if found else None


def _version(home: Path) -> int:
    release = home / "release"
    text = release.read_text("utf-8", errors="replace") if release.is_file() else ""
    found = re.search(r'JAVA_VERSION="(\d+)', text)
    return int(found[1]) if found else 0


@functools.cache
def _classes() -> Path:
    """Return the folder of the compiled harness; who compiles it first, wins, and the others use that."""
    sources = sorted(SOURCES.rglob("*.groovy"))
    digest = hashlib.sha256(str(_java()).encode())
    for source in sources:
        digest.update(str(source.relative_to(SOURCES)).encode() + b"\0" + source.read_bytes() + b"\0")
    target = Path(tempfile.gettempdir()) / f"pipegen-jenkins-{os.getuid()}-{digest.hexdigest()[:16]}"
    if target.is_dir():
        return target
    fresh = Path(tempfile.mkdtemp(prefix="pipegen-jenkins-"))
    compiler = ["org.codehaus.groovy.tools.FileSystemCompiler", "-d", str(fresh), *map(str, sources)]
    command = [*_command(), "-cp", os.pathsep.join(map(str, _jars())), *compiler]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or not any(fresh.iterdir()):
        raise RuntimeError(f"the Jenkins harness does not compile: {done.stdout}{done.stderr}")
    try:
        fresh.rename(target)
    except OSError:
        shutil.rmtree(fresh)
    return target
