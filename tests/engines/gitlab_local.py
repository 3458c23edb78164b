"""Pipelines executed by gitlab-ci-local, in plain shells on the host.

It supports GitLab's rules, needs, artifacts, and a workspace for each job. Unlike GitLab it starts jobs in rounds (a
job waits for all that started before it, needed or not), ignores `retry` and `timeout`, and supports only bash. Its
run time grows exponentially with the graph: up to 15 jobs are practical. Images and services are removed from the
file, because it would start the services, and set a missing CI_PROJECT_DIR in jobs with an image. An artifact whose
path a shell would split or execute is replaced by its parent folder, because the path is written into a script.
Backticks in the first line of a command are executed when the line is printed, so another line is inserted before it.
"""

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from io import StringIO
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType

from ruamel.yaml import YAML

BIN = Path(__file__).parent / "bin/gitlab"
STATE = ".gitlab-ci-local"
# Names in a file that are not jobs: https://docs.gitlab.com/ci/yaml/
KEYWORDS = (
    *("default", "include", "spec", "stages", "variables", "workflow"),
    *("after_script", "before_script", "cache", "image", "services"),
)
NOTHING: Mapping[str, str] = MappingProxyType({})


class Result(Enum):
    """The result of a job."""

    SUCCESS = "success"
    ALLOWED = "failed, which is allowed"
    FAILED = "failed"
    SKIPPED = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job of an executed pipeline."""

    name: str
    result: Result = Result.SKIPPED
    exit_code: int | None = None
    """None if it did not run."""
    log: str = ""
    """Its commands, each after `$ `, and their output."""
    artifacts: Path
    """The folder of its artifacts; absent if it has none."""
    workspace: Path
    started: float | None = None
    """Seconds since the pipeline's start."""
    ended: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """An executed pipeline, jobs in the order of its file."""

    jobs: tuple[Job, ...]
    output: str
    """The whole output of gitlab-ci-local."""

    def __getitem__(self, name: str) -> Job:
        """Return the job *name*."""
        return next(job for job in self.jobs if job.name == name)

    def results(self) -> dict[str, Result]:
        """Return the result of each job."""
        return {job.name: job.result for job in self.jobs}


class RefusedError(Exception):
    """A pipeline that gitlab-ci-local does not start, aborts, or does not complete in time."""


def available() -> str | None:
    """Return the reason why no pipeline can be executed here, or None."""
    if program() is None:
        return "gitlab-ci-local not found: run tests/engines/install"
    missing = [name for name in ("bash", "git", "rsync") if shutil.which(name) is None]
    return f"{', '.join(missing)} not found: run tests/engines/install" if missing else None


def run(
    repository: Path,
    file: Path | str,
    *,
    workdir: Path,
    variables: Mapping[str, str | None] = NOTHING,
    env: Mapping[str, str] = NOTHING,
    concurrency: int = 4,
    seconds: float = 120,
    jobs: Sequence[str] = (),
    manual: Sequence[str] = (),
    included: Sequence[str] = (),
    project: str = "group/project",
) -> Pipeline:
    """Execute *file*, a path or a text, in a clone of *repository* created in *workdir*.

    *variables* are those of the project or the pipeline: a value is literal, including `$`, and None removes a
    predefined variable (such as CI_COMMIT_BRANCH for a tag). *env* is added to the environment of every job. *jobs*
    names the only jobs to run, whose needs count as done; *manual* those that a person starts; *included* those of
    files in the repository that *file* includes.
    """
    text = file if isinstance(file, str) else file.read_text(encoding="utf-8")
    checkout = _clone(repository, workdir / "checkout", project)
    (workdir / "home").mkdir()
    (workdir / "pipeline.yml").write_text(_for_plain_shells(text), encoding="utf-8")
    command = [
        *(program() or ()),
        "--file=../pipeline.yml",
        f"--state-dir={STATE}",
        "--shell-isolation",
        "--force-shell-executor",
        "--no-artifacts-to-source",
        f"--concurrency={concurrency}",
        *(f"--manual={name}" for name in manual),
        *_settings({**_predefined(project), **variables}),
        *jobs,
    ]
    status, lines = _execute(command, checkout, _environment(workdir, env), seconds)
    names = (*_job_names(text), *included)
    pipeline = _read(lines, names, checkout)
    for later in () if jobs else _stages_after(text):
        texts = _still_to_run(command, checkout, _environment(workdir, env), later, pipeline)
        if texts:
            _, more = _execute([*command, *texts], checkout, _environment(workdir, env), seconds)
            lines += tuple(_Line(line.at + lines[-1].at, line.text) for line in more)
            pipeline = _read(lines, names, checkout)
    if status and Result.FAILED not in pipeline.results().values():
        raise RefusedError(pipeline.output)
    return pipeline


def program() -> tuple[str, ...] | None:
    """Return the command that starts gitlab-ci-local, or None if it is not installed."""
    folder = Path(os.environ.get("PIPEGEN_ENGINES") or Path.home() / ".cache/pipegen-engines") / "node_modules/.bin"
    program = shutil.which("gitlab-ci-local", path=f"{folder}:{os.environ['PATH']}")
    node = shutil.which("node", path=f"{folder}:{os.environ['PATH']}")
    return (node, program) if node and program else None


def _clone(repository: Path, checkout: Path, project: str) -> Path:
    """Clone *repository* to *checkout*, with an origin from which gitlab-ci-local reads the names of *project*."""
    subprocess.run(
        ("git", "-c", "advice.detachedHead=false", "clone", "--quiet", str(repository), str(checkout)), check=True
    )
    origin = f"https://gitlab.example.org/{project}.git"
    subprocess.run(("git", "-C", str(checkout), "remote", "set-url", "origin", origin), check=True)
    return checkout


def _for_plain_shells(text: str) -> str:
    """Return the pipeline *text* without images and services, with paths of artifacts that a shell accepts."""
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 1_000_000
    data = yaml.load(text)
    for mapping in (data, *data.values()):
        if isinstance(mapping, dict):
            for key in ("image", "services"):
                mapping.pop(key, None)
            paths = mapping.get("artifacts", {}).get("paths", [])
            paths[:] = [_for_shell(path) for path in paths]
            for key in ("before_script", "script", "after_script"):
                if isinstance(mapping.get(key), list):
                    mapping[key] = [_for_echo(entry) if isinstance(entry, str) else entry for entry in mapping[key]]
    stream = StringIO()
    yaml.dump(data, stream)
    return stream.getvalue()


def _for_shell(path: str) -> str:
    """Return the *path* of an artifact, or its nearest parent folder that is one word for a shell."""
    folders = takewhile(lambda name: not re.search(r"""[\s;&|<>()'"`#\\]""", name), path.split("/"))
    return "/".join(folders) or "."


def _for_echo(command: str) -> str:
    """Return *command* with a first line that is printed unchanged."""
    return f":\n{command}" if "`" in command.split("\n", maxsplit=1)[0] else command


def _stages_after(text: str) -> tuple[str, ...]:
    """Return the stages of the pipeline *text* with jobs that run after all others in any case."""
    data = YAML(typ="safe", pure=True).load(text.replace("!reference", ""))
    whens: dict[str, set[object]] = {}
    for name in _job_names(text):
        job = data[name]
        if "needs" not in job:
            whens.setdefault(job.get("stage"), set()).update(
                {job.get("when"), *(rule.get("when") for rule in job.get("rules", ()))}
            )
    return tuple(stage for stage in data.get("stages", ()) if whens.get(stage, set()) & {"always", "on_failure"})


def _still_to_run(
    command: Sequence[str], checkout: Path, env: Mapping[str, str], stage: str, pipeline: Pipeline
) -> list[str]:
    """Return the jobs of *stage* that GitLab would run now and gitlab-ci-local does not.

    gitlab-ci-local waits for skipped jobs forever. Jobs that run on failure are changed to run on success, because
    the second run contains no failure.
    """
    stdout = subprocess.run((*command, "--list-json"), cwd=checkout, env=env, capture_output=True, check=True).stdout
    skipped = {job.name for job in pipeline.jobs if job.result is Result.SKIPPED}
    has_failed = Result.FAILED in pipeline.results().values()
    whens = {"always", "on_failure"} if has_failed else {"always"}
    listed = [
        job for job in json.loads(stdout) if job["stage"] == stage and not job.get("needs") and job["name"] in skipped
    ]
    file = checkout.parent / "pipeline.yml"
    file.write_text(file.read_text("utf-8").replace("when: on_failure", "when: always"), "utf-8")
    return [job["name"] for job in listed if job["when"] in whens]


def _job_names(text: str) -> tuple[str, ...]:
    """Return the names of the jobs in the pipeline *text*."""
    names = (str(name) for name in YAML(typ="safe", pure=True).load(text.replace("!reference", "")))
    return tuple(name for name in names if name not in KEYWORDS and not name.startswith("."))


def _predefined(project: str) -> dict[str, str | None]:
    """Return variables that GitLab sets and gitlab-ci-local does not, or sets differently.

    Its pipeline ID counts from 1000 in every state folder, and its default branch is that of the clone's origin.
    """
    return {
        "CI_DEFAULT_BRANCH": "main",
        "CI_JOB_TOKEN": "job-token",
        "CI_PIPELINE_ID": str(1_000_000_000 + secrets.randbelow(1_000_000_000)),
        "CI_REPOSITORY_URL": f"https://gitlab-ci-token:job-token@gitlab.example.org/{project}.git",
        "CI_SERVER": "yes",
        "GITLAB_CI": "true",
    }


def _settings(variables: Mapping[str, str | None]) -> list[str]:
    """Return the options that set *variables*, and unset those that are None."""
    options = [f"--ignore-predefined-vars={','.join(variables)}"]
    for name, value in variables.items():
        # gitlab-ci-local expands variables in values, as GitLab does; `$$` is its `$`
        options.append(f"--unset-variable={name}" if value is None else f"--variable={name}={value.replace('$', '$$')}")
    return options


def _environment(workdir: Path, env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of gitlab-ci-local and its jobs: from this process, only the folders of programs."""
    path = env.get("PATH", os.environ["PATH"])
    return {
        "LANG": "C.UTF-8",
        "HOME": str(workdir / "home"),
        **env,
        "PATH": f"{BIN}:{path}",
        "PIPEGEN_TEST_STATE": str(workdir / "checkout" / STATE),
    }


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of output, and its time."""

    at: float
    text: str


def _execute(
    command: Sequence[str], folder: Path, env: Mapping[str, str], seconds: float
) -> tuple[int, tuple[_Line, ...]]:
    """Return the exit status and the output of *command*; raise if it takes longer than *seconds*."""
    start = time.monotonic()
    with subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        stop = threading.Timer(seconds, os.killpg, (process.pid, signal.SIGKILL))
        stop.start()
        try:
            raw = [(time.monotonic() - start, line) for line in process.stdout or ()]
        finally:
            stop.cancel()
    lines = tuple(_Line(at, line.decode("utf-8", "replace").rstrip("\n")) for at, line in raw)
    if process.returncode < 0:
        output = "\n".join(line.text for line in lines)
        message = f"no end within {seconds} seconds:\n{output}"
        raise RefusedError(message)
    return process.returncode, lines


@dataclass(slots=True)
class _Record:
    """The data about one job, read line by line."""

    job: Job
    log: list[str] = field(default_factory=list)

    def add(self, line: _Line, rest: str) -> None:
        """Record *line*; *rest* is the text after the job's name."""
        if rest.startswith(("$ ", "> ")):
            self.log.append(rest if rest.startswith("$ ") else rest[2:])
        elif rest.startswith("starting shell"):
            self.job = replace(self.job, started=line.at)
        elif rest.startswith("finished in") and "after_script" not in rest:
            ending = re.search(r" (FAIL|WARN) (\d+)", rest)
            results = {"FAIL": Result.FAILED, "WARN": Result.ALLOWED}
            result, code = (results[ending[1]], int(ending[2])) if ending else (Result.SUCCESS, 0)
            self.job = replace(self.job, result=result, exit_code=code, ended=line.at)

    def result(self) -> Job:
        """Return the job with its log."""
        return replace(self.job, log="".join(f"{line}\n" for line in self.log))


def _read(lines: Sequence[_Line], names: Iterable[str], checkout: Path) -> Pipeline:
    """Return the pipeline in the output *lines*; jobs in *names* without output are skipped."""
    records = {name: _Record(_job(name, checkout)) for name in names}
    for line in lines:
        if begun := re.match(r"(.*?) +starting shell \(", line.text):
            _add_copy(records, begun[1], checkout)
        name = max((name for name in records if line.text.startswith(f"{name} ")), key=len, default=None)
        if name is not None:
            records[name].add(line, line.text.removeprefix(name).lstrip(" "))
    jobs = tuple(record.result() for record in records.values() if not _is_copied(record.job.name, records))
    return Pipeline(jobs=jobs, output="\n".join(line.text for line in lines))


def stage_name(job: str) -> str:
    """Return the stage of *job*: `unit: 3.11, a` of the combination `unit: [3.11,a]`, `unit: 2` of the part `[2/3]`."""
    return re.sub(
        r": \[(?:(\d+)/\d+|(.*))\]$",
        lambda match: f": {match[1] or ', '.join(re.split(', ?', match[2]))}",
        job,
    )


def _is_copied(name: str, records: Mapping[str, _Record]) -> bool:
    """Return whether job *name* is only a template whose copies, made by `parallel`, ran."""
    return records[name].job.started is None and any(copy.startswith(f"{name}: [") for copy in records)


def _add_copy(records: dict[str, _Record], name: str, checkout: Path) -> None:
    """Add job *name* if it is a copy, made by `parallel`, of one in *records*: `job: [a, b]` or `job 1/2`."""
    original = re.sub(r"(: \[.*\]| \d+/\d+)$", "", name)
    if name not in records and original in records:
        records[name] = _Record(_job(name, checkout))


def _job(name: str, checkout: Path) -> Job:
    """Return job *name* as a job that has not run."""
    folder = _folder_name(name)
    state = checkout / STATE
    return Job(name=name, artifacts=state / "artifacts" / folder, workspace=state / "builds" / folder)


def _folder_name(job: str) -> str:
    """Return gitlab-ci-local's folder name of *job*: special characters are in base64."""
    return re.sub(r"[^\w-]+", lambda odd: urlsafe_b64encode(odd[0].encode()).decode().rstrip("="), job, flags=re.ASCII)
