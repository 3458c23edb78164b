"""A config compiled for an engine and executed on it, with a result of the same form for each engine."""

import json
import os
import re
import socket
import subprocess
import sys
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import yaml
from engines import gitlab_local, jenkins_harness
from engines.containers import Containers
from engines.gitlab_local import Result
from engines.jenkins_harness import Credential, SecretFile, SshKey, UsernamePassword
from engines.proof import records
from engines.proof.records import Seen

from pipegen.compiler import analyse, generate
from pipegen.config.files.load import load
from pipegen.diagnostics.render import text
from pipegen.diagnostics.report import Report, Stopped
from pipegen.readback import jenkins as readback
from pipegen.targets import registry

CONFIG = ".pipeline/config.yaml"
_OUTCOMES = {
    Result.SUCCESS: "success",
    Result.ALLOWED: "unstable",
    Result.FAILED: "failed",
    Result.SKIPPED: "skipped",
}
# Jobs and stages that are not stages of the config.
_HELPER = re.compile(r"(\S+: )?(mail when |note whe(n|ther) |trigger |remove )|Declarative: ")


@dataclass(frozen=True, kw_only=True, slots=True)
class Engine:
    """An engine, and the options of pipegen for it; *interpreter* is the shell that runs steps on Jenkins."""

    target: str
    style: str = ""
    images: str = "local"
    interpreter: str | tuple[str, ...] = "sh"

    def __str__(self) -> str:
        return "-".join(word for word in (self.target, self.style, self.images) if word)


GITLAB = Engine(target="gitlab", images="registry")
GITLAB_LOCAL = Engine(target="gitlab")
SCRIPTED = Engine(target="jenkins", style="scripted", interpreter="dash")
DECLARATIVE = Engine(target="jenkins", style="declarative", interpreter=("busybox", "sh"))
# This is not an engine: `pipegen run --isolated` does the same.
HERE = Engine(target="run", images="")


def absent(engine: Engine) -> str | None:
    """Return the reason why *engine* cannot execute anything here, or None."""
    if engine.target == "gitlab":
        return gitlab_local.available()
    return None if engine is HERE else jenkins_harness.available()


@dataclass(frozen=True, kw_only=True, slots=True)
class World:
    """The environment of an engine.

    Attributes:
        containers: the environment that builds and runs images.
        repository: the repository with the config, at `CONFIG`.
        folder: the folder of the execution; it is created, with `home/keep`, a file in the jobs' home.
        settings: the config's settings under `targets.NAME`, by target.
        variables: variables of the engine's jobs.
        secrets: credentials by ID.
        parameters: the parameters that a person sets when starting the pipeline.
        approved: the stages that a person starts or approves; all others are rejected.
    """

    containers: Containers
    repository: Path
    folder: Path
    settings: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, Credential] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    approved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail that was sent."""

    to: str
    subject: str
    body: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Execution:
    """The result of a config on an engine.

    Attributes:
        outcomes: `success`, `failed`, `unstable` (an allowed failure) or `skipped` for each stage.
        times: start and end of each stage that ran, by the engine's own clock, in seconds.
        seen: the data of containers, by stage.
        downloads: downloadable files, by path.
        beside: the containers of stages on Jenkins: kind, image, arguments and command of each.
        triggered: triggered jobs, with their parameters.
        charts: helm's calls.
        reports: reports to Jenkins, none on other engines.
        inputs: questions of Jenkins to people, none on other engines.
        text: the file that was executed.
        log: all output.
    """

    outcomes: Mapping[str, str]
    times: Mapping[str, tuple[float, float]]
    seen: Mapping[str, Seen]
    mails: tuple[Mail, ...]
    downloads: Mapping[str, Path]
    beside: tuple[Mapping[str, str], ...]
    triggered: tuple[tuple[str, Mapping[str, str]], ...]
    charts: tuple[Mapping[str, Any], ...]
    text: str
    log: str
    reports: tuple[Mapping[str, Any], ...] = ()
    inputs: tuple[str, ...] = ()


def compiled(engine: Engine, repository: Path, settings: Mapping[str, object], pipelines: Sequence[str] = ()) -> str:
    """Return the file for *engine* of the *pipelines* (all if empty) in the config of *repository*."""
    path = repository / CONFIG
    documents = {engine.target: {"images": engine.images, **settings}}
    own = path.read_text(encoding="utf-8")
    path.write_text(_with_targets(own, documents), encoding="utf-8")
    report = Report()
    try:
        analysed = analyse(load(path, report), pipelines, report)
        options = {"style": engine.style} if engine.style else {}
        return generate(analysed, registry.load(engine.target), options, report)[-1].text
    except Stopped as stopped:
        raise AssertionError(text.render(report.diagnostics())) from stopped
    finally:
        path.write_text(own, encoding="utf-8")


def _with_targets(config: str, settings: Mapping[str, object]) -> str:
    """Return *config*, in block or flow style, with *settings* under `targets`."""
    if config.startswith("{"):
        return f'{config.rstrip().removesuffix("}")}, "targets": {json.dumps(settings)}}}\n'
    return f"{config}\ntargets: {json.dumps(settings)}\n"


def execute(engine: Engine, world: World, *pipelines: str) -> Execution:
    """Return the execution of the *pipelines* (all if empty) of the config in *world* on *engine*."""
    for name in ("records", "home"):
        (world.folder / name).mkdir(parents=True)
    (world.folder / "home/keep").touch()
    if engine is HERE:
        return _execute_locally(world, pipelines)
    text = compiled(engine, world.repository, world.settings.get(engine.target, {}), pipelines)
    return _on_gitlab(text, world) if engine.target == "gitlab" else _on_jenkins(engine, text, world)


def _on_gitlab(text: str, world: World) -> Execution:
    variables = {
        **world.containers.gitlab_variables("group/project"),
        "CI_API_V4_URL": "https://gitlab.example.org/api/v4",
        "SMTP_URL": "smtp://mail.example.org:25",
        "SMTP_FROM": "ci@example.org",
        "PIPEGEN_REPOSITORY": _registry_path(world),
        **world.variables,
        **world.parameters,
        **dict(_secret_variables(world)),
    }
    (world.folder / "gitlab").mkdir()
    # The runner provides its own daemon.
    lent = world.folder / "docker.sock"
    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.bind(str(lent))
    pipeline = gitlab_local.run(
        world.repository,
        text.replace("/var/run/docker.sock", str(lent)),
        workdir=world.folder / "gitlab",
        variables=variables,
        env=_environment(world),
        manual=world.approved,
    )
    jobs = [
        replace(job, name=gitlab_local.stage_name(job.name)) for job in pipeline.jobs if not _HELPER.match(job.name)
    ]
    calls = _calls(world.folder / "curl.log")
    return Execution(
        outcomes={job.name: _OUTCOMES[job.result] for job in jobs},
        times={job.name: (job.started, job.ended) for job in jobs if job.started is not None and job.ended is not None},
        seen=records.read(world.folder / "records"),
        mails=tuple(_mail(call) for call in calls if "--upload-file" in call["arguments"]),
        downloads={name: path for job in jobs for name, path in _files(job.artifacts)},
        beside=(),
        triggered=tuple(_triggered(call) for call in calls if "--form" in call["arguments"]),
        charts=_calls(world.folder / "helm.log"),
        text=text,
        log=pipeline.output,
    )


def _declared(text: str) -> dict[str, str]:
    """Return the stages of a scripted file as skipped: Jenkins does not list stages that never start."""
    return {} if "\npipeline {\n" in text else dict.fromkeys(readback.order(text).nodes, "skipped")


def _on_jenkins(engine: Engine, text: str, world: World) -> Execution:
    predefined = {
        "PIPEGEN_REGISTRY": world.containers.registry,
        "BUILD_URL": "https://jenkins.example.org/job/demo/1/",
    }
    build = jenkins_harness.run(
        text,
        world.repository,
        workdir=world.folder / "jenkins",
        shell=engine.interpreter,
        agent_env={**os.environ, **_environment(world)},
        env={**predefined, "PIPEGEN_REPOSITORY": _registry_path(world), **world.variables},
        params=dict(world.parameters),
        credentials=world.secrets,
        remote="https://git.example.org/group/project.git",
        approve=bool(world.approved),
    )
    around = {name for stage in build.stages for name in stage.parents}
    stages = [stage for stage in build.stages if stage.name not in around and not _HELPER.match(stage.name)]
    return Execution(
        outcomes={**_declared(text), **{stage.name: stage.status for stage in stages}},
        times={stage.name: (stage.start / 1000, stage.end / 1000) for stage in stages if stage.status != "skipped"},
        seen=records.read(world.folder / "records"),
        mails=tuple(Mail(mail["to"], mail["subject"], mail["body"]) for mail in build.mails),
        downloads=build.archived,
        beside=build.containers,
        triggered=tuple((job.job, job.parameters) for job in build.builds),
        charts=_calls(world.folder / "helm.log"),
        text=text,
        log=build.log,
        reports=build.reports,
        inputs=build.inputs,
    )


_HERE_OUTCOMES = {"allowed": "unstable", "reused": "success", "not run": "skipped"}


def _execute_locally(world: World, pipelines: Sequence[str]) -> Execution:
    """Return the execution of a local run."""
    report, secrets = world.folder / "report.json", world.folder / "secrets.env"
    values = {**world.variables, **dict(_secret_variables(world))}
    secrets.write_text("".join(f"{name}={_in_dotenv(value)}\n" for name, value in values.items()), encoding="utf-8")
    command = [
        *(sys.executable, "-c", "from pipegen.__main__ import main; main()", "run", CONFIG, "--isolated", "--host"),
        *("--allow-effects", "--env-file", str(secrets), "--report", str(report), "--jobs", "4"),
        *(word for name in pipelines for word in ("--pipeline", name)),
        *(word for name, value in world.parameters.items() for word in ("--set", f"{name}={value}")),
    ]
    around = {
        "PIPEGEN_REGISTRY": world.containers.registry,
        "PIPEGEN_REPOSITORY": _registry_path(world),
        **{f"PIPEGEN_{name}": str(value) for name, value in world.settings.get("run", {}).items()},
        "XDG_STATE_HOME": str(world.folder / "state"),
    }
    done = subprocess.run(
        command,
        cwd=_cloned(world),
        env={**os.environ, **_environment(world), **around},
        capture_output=True,
        text=True,
        check=False,
    )
    if not report.exists():
        raise AssertionError(done.stdout + done.stderr)
    data = json.loads(report.read_text("utf-8"))
    every = yaml.safe_load((world.repository / CONFIG).read_text("utf-8"))["pipelines"]
    several = not pipelines and len(every) > 1
    stages = [
        (f"{pipeline['name']}: {stage['name']}" if several else stage["name"], stage)
        for pipeline in data["pipelines"]
        for stage in pipeline["stages"]
    ]
    tries = [(name, attempt) for name, stage in stages for attempt in stage["tries"]]
    folders = (path for path in (world.folder / "state/pipegen").glob("*/*") if path.is_dir())
    (home,) = (path for path in folders if path.parent.name != "locks")
    return Execution(
        outcomes={name: _HERE_OUTCOMES.get(stage["status"], stage["status"]) for name, stage in stages},
        times={
            name: (stage["tries"][0]["started"], stage["tries"][-1]["ended"])
            for name, stage in stages
            if stage["tries"]
        },
        seen=records.read(world.folder / "records"),
        mails=(),
        downloads={name: path for folder in sorted(home.glob("artifacts/*")) for name, path in _files(folder)},
        beside=(),
        triggered=(),
        charts=_calls(world.folder / "helm.log"),
        text="",
        log=done.stdout + done.stderr + "".join(_printed(attempt["log"]) for _, attempt in tries),
    )


def _printed(log: str | None) -> str:
    """Return the content of *log*; None is the log of a stage without output."""
    return Path(log).read_text("utf-8", "replace") if log is not None else ""


def _cloned(world: World) -> Path:
    """Return a clone of the repository of *world* with its origin, like an engine's checkout."""
    folder = world.folder / "checkout"
    quiet = ("-c", "advice.detachedHead=false", "clone", "--quiet")
    subprocess.run(("git", *quiet, str(world.repository), str(folder)), check=True)
    address = "https://git.example.org/group/project.git"
    subprocess.run(("git", "-C", str(folder), "remote", "set-url", "origin", address), check=True)
    return folder


def _in_dotenv(value: str) -> str:
    """Return *value* quoted for a dotenv file."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "\\r") + '"'


def _registry_path(world: World) -> str:
    """Return the path of images in the registry, unique to each execution."""
    return f"proof/{world.folder.name}"


def _environment(world: World) -> dict[str, str]:
    """Return the environment of jobs on any engine; containers write records to the folder of *world*."""
    base = Path(world.containers.environment["CONTAINERS_CONF"])
    volumes = json.dumps([f"{world.folder}/records:/records"])
    own = world.folder / base.name
    own.write_text(base.read_text("utf-8").replace("[containers]\n", f"[containers]\nvolumes = {volumes}\n"), "utf-8")
    return {
        **world.containers.environment,
        "CONTAINERS_CONF": str(own),
        "HOME": str(world.folder / "home"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "HELM_LOG": str(world.folder / "helm.log"),
        "CURL_LOG": str(world.folder / "curl.log"),
        "CURL_RESPONSE": "",
    }


def _secret_variables(world: World) -> list[tuple[str, str]]:
    """Return the secrets of *world* as CI/CD variables; files and keys are paths."""
    secret_variables: list[tuple[str, str]] = []
    for id_, secret in world.secrets.items():
        name = re.sub("[^A-Z0-9]", "_", id_.upper())
        match secret:
            case str():
                secret_variables.append((name, secret))
            case UsernamePassword(username=username, password=password):
                secret_variables += [(f"{name}_USERNAME", username), (f"{name}_PASSWORD", password)]
            case SshKey(key=key):
                path = world.folder / name
                path.write_text(key, encoding="utf-8")
                secret_variables.append((name, str(path)))
            case SecretFile(content=content):
                path = world.folder / name
                path.write_bytes(content)
                secret_variables.append((name, str(path)))
            case _:
                raise TypeError(secret)
    return secret_variables


def _files(folder: Path) -> list[tuple[str, Path]]:
    return [(path.relative_to(folder).as_posix(), path) for path in sorted(folder.rglob("*")) if path.is_file()]


def _calls(log: Path) -> tuple[dict[str, Any], ...]:
    """Return the calls that a fake program wrote to *log*."""
    return tuple(map(json.loads, log.read_bytes().splitlines())) if log.exists() else ()


def _mail(call: Mapping[str, Any]) -> Mail:
    (content,) = call["data"]
    message = message_from_bytes(b64decode(content), policy=policy.default)
    return Mail(str(message["To"]), str(message["Subject"]), message.get_content())


def _triggered(call: Mapping[str, Any]) -> tuple[str, Mapping[str, str]]:
    """Return the project and the variables of an API call that triggers a pipeline."""
    address = next(word for word in call["arguments"] if word.startswith("https://"))
    forms = (b64decode(part).decode() for part in call["data"])
    generator = (re.fullmatch(r"variables\[(\w+)\]=(.*)", form, re.DOTALL) for form in forms)
    return address, {match[1]: match[2] for match in generator if match}
