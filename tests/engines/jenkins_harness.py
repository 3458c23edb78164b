"""The Jenkins engine of tests: the Groovy version embedded in Jenkins runs Jenkinsfiles without Jenkins."""

import base64
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, Unpack

from engines.jenkins_facts import facts
from engines.jenkins_jvm import available, run_java

__all__ = [
    "Build",
    "Credential",
    "Event",
    "Failure",
    "Finding",
    "Node",
    "Options",
    "SecretFile",
    "SecretText",
    "SshKey",
    "Stage",
    "Triggered",
    "UsernamePassword",
    "available",
    "run",
    "validate",
]

_GRACE = 120
# Measured on Jenkins 2.479.3, with few restarts each (one with 10 open `parallel` blocks): builds with 2 to 10
# continued after the restart, some of those with 12 to 15 did, and none with 17 and more (StackOverflowError).
_MOST_RESUMED_BLOCKS = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """An error that Jenkins would report, and its line (0 if it has none)."""

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
    """A credential of one text; a plain string is equivalent."""

    text: str


@dataclass(frozen=True, slots=True)
class SecretFile:
    """A credential that is a file."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class UsernamePassword:
    """A credential of a user name and a password."""

    username: str
    password: str


@dataclass(frozen=True, slots=True)
class SshKey:
    """A credential that is a private key."""

    username: str
    key: str
    passphrase: str = ""


Credential = str | SecretText | SecretFile | UsernamePassword | SshKey


class Options(TypedDict, total=False):
    """Options of a build, all of which are optional."""

    shell: str | Sequence[str]
    """The shell of shell steps, such as `dash`, `bash` or `("busybox", "sh")`; `sh` by default."""
    env: Mapping[str, str]
    """Variables of the build; `BRANCH_NAME` makes its job a multibranch one."""
    agent_env: Mapping[str, str]
    """The environment of the agents; this process' own by default."""
    params: Mapping[str, str | bool] | None
    """The parameters of the build; without them, it is the first build of its job: parameters are not variables yet."""
    credentials: Mapping[str, Credential]
    """Credentials by id."""
    nodes: Sequence[Node]
    """The agents; one with eight executors by default."""
    seconds: float
    """The time after which the build is aborted; 120 by default."""
    remote: str
    """The address of the repository as the script sees it; its path by default."""
    branch: str
    """The branch specifier of the job; the repository's current branch by default."""
    causes: Sequence[str]
    """The classes of the causes of the build; a push by default."""
    previous: str
    """The commit of the previous build; none by default, as for the first build of a branch."""
    previous_result: str
    """The result of the previous build; none by default, as for the first build of a job."""
    job: str
    """The name of the job."""
    number: int
    """The number of the build."""
    approve: bool
    """Whether an input continues (the default) or aborts the build."""
    jobs: Mapping[str, str]
    """Results of the jobs that the build starts; others succeed."""
    plugin_steps: Sequence[str]
    """Steps of plugins and libraries that only add a line to the log."""
    patience: float
    """The seconds a process gets between TERM and KILL; 5 by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The result of one stage; times are milliseconds since the epoch."""

    name: str
    status: str
    """`success`, `unstable`, `failed`, `aborted` or `skipped`."""
    start: int
    end: int
    parents: tuple[str, ...]
    """The enclosing stages, outermost first."""
    branches: tuple[str, ...]
    """The enclosing parallel branches, outermost first."""
    node: str | None
    """The agent that it ran on; none if it took none."""
    message: str | None
    """The reason of its failure or skip."""


@dataclass(frozen=True, slots=True)
class Event:
    """A stage's start or end; a skipped stage has `skip` instead."""

    kind: str
    stage: Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggered:
    """A job that the build triggered."""

    job: str
    parameters: Mapping[str, Any]
    wait: bool
    propagate: bool
    node: str | None
    """The agent that the build holds in the meantime."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The error that ended the build, and the lines of the Jenkinsfile on its stack, innermost first."""

    type: str
    message: str
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """The result of one run of a Jenkinsfile."""

    result: str
    """`SUCCESS`, `UNSTABLE`, `FAILURE`, `NOT_BUILT` or `ABORTED`."""
    stages: tuple[Stage, ...]
    """The stages in the order of their start."""
    events: tuple[Event, ...]
    """The events in their order."""
    error: Failure | None
    log: str
    archived: Mapping[str, Path]
    """Archived files by their path in the workspace."""
    mails: tuple[Mapping[str, Any], ...]
    containers: tuple[Mapping[str, str], ...]
    """The calls of Docker Pipeline: kind (pull, inside, service, stop), stage, image, args, command."""
    builds: tuple[Triggered, ...]
    inputs: tuple[str, ...]
    """The messages of its inputs."""
    reports: tuple[Mapping[str, Any], ...]
    """One for each `junit`: files, total, failed, skipped."""
    crons: tuple[str, ...]
    """The schedules of the job."""
    stashes: Mapping[str, tuple[str, ...]]
    """The files of each stash."""
    parameters: Mapping[str, Any]
    name: str
    """The display name."""

    @property
    def is_resumable(self) -> bool:
        """Whether Jenkins can resume the build after a restart at any time, as far as open `parallel` blocks matter."""
        return max((len(stage.branches) for stage in self.stages), default=0) <= _MOST_RESUMED_BLOCKS

    def echoed(self) -> list[str]:
        """Return the lines that the script printed with a leading `> `."""
        return [line.removeprefix("> ") for line in self.log.splitlines() if line.startswith("> ")]

    def stage(self, name: str) -> Stage:
        """Return the only stage of that name."""
        (match,) = (stage for stage in self.stages if stage.name == name)
        return match


def validate(texts: Mapping[str, str], *, bytecode: bool = False) -> dict[str, tuple[Finding, ...]]:
    """Return the findings in each of *texts*, by line; all in one JVM.

    With *bytecode*, texts without findings are also compiled to class files, to check their limits.
    """
    with tempfile.TemporaryDirectory() as folder:
        request, answer = Path(folder, "request.json"), Path(folder, "answer.json")
        request.write_text(json.dumps({"texts": dict(texts), "bytecode": bytecode, "facts": facts()}), "utf-8")
        run_java("validator.Main", str(request), str(answer), seconds=_GRACE + len(texts))
        data = json.loads(answer.read_text("utf-8"))
    return {name: tuple(Finding(**entry) for entry in data[name]) for name in texts}


def run(jenkinsfile: Path | str, repository: Path, *, workdir: Path, **options: Unpack[Options]) -> Build:
    """Run a Jenkinsfile, given as a path or text, on a git repository; return the build.

    The build writes only to *workdir*, which is created if necessary and belongs to this run.
    """
    workdir = workdir.absolute()
    workdir.mkdir(parents=True, exist_ok=True)
    text = jenkinsfile.read_text("utf-8") if isinstance(jenkinsfile, Path) else jenkinsfile
    (workdir / "Jenkinsfile").write_text(text, "utf-8")
    settings = _settings(repository.absolute(), workdir, options)
    (workdir / "settings.json").write_text(json.dumps(settings), "utf-8")
    run_java("harness.Main", str(workdir / "settings.json"), seconds=settings["seconds"] + _GRACE)
    return _build(json.loads((workdir / "build.json").read_text("utf-8")), workdir)


def _settings(repository: Path, workdir: Path, options: Options) -> dict[str, Any]:
    variables = dict(options.get("env", {}))
    shell = options.get("shell", "sh")
    params = options.get("params")
    nodes = options.get("nodes", (Node(),))
    return {
        "script": str(workdir / "Jenkinsfile"),
        "root": str(workdir),
        "report": str(workdir / "build.json"),
        "log": str(workdir / "build.log"),
        "shell": [shell] if isinstance(shell, str) else list(shell),
        "environment": dict(options.get("agent_env", os.environ)),
        "variables": variables,
        "parameters": None if params is None else dict(params),
        "credentials": {id_: _credential(value) for id_, value in options.get("credentials", {}).items()},
        "nodes": [{"name": node.name, "labels": node.labels, "executors": node.executors} for node in nodes],
        "repository": str(repository),
        "remote": options.get("remote", str(repository)),
        "branch": options.get("branch") or variables.get("BRANCH_NAME") or f"*/{_current_branch(repository)}",
        "causes": list(options.get("causes", ("jenkins.branch.BranchEventCause",))),
        "previous": options.get("previous"),
        "previous_result": options.get("previous_result"),
        "job": options.get("job", "demo"),
        "number": options.get("number", 1),
        "approve": options.get("approve", True),
        "jobs": dict(options.get("jobs", {})),
        "seconds": options.get("seconds", 120),
        "patience": options.get("patience", 5),
        "plugin_steps": list(options.get("plugin_steps", ())),
    }


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
        containers=tuple(report["containers"]),
        builds=tuple(Triggered(**entry) for entry in report["builds"]),
        inputs=tuple(report["inputs"]),
        reports=tuple(report["reports"]),
        crons=tuple(report["crons"]),
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
    values = []
    for entry, stage in stages:
        if stage.status == "skipped":
            values.append((entry["began"], Event("skip", stage)))
        else:
            values.append((entry["began"], Event("start", stage)))
            values.append((entry["ended"], Event("end", stage)))
    return tuple(event for _, event in sorted(values, key=lambda pair: pair[0]))


def _failure(entry: dict[str, Any]) -> Failure:
    return Failure(type=entry["type"], message=entry["message"], lines=tuple(entry["lines"]))
