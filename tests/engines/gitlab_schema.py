"""Checks of a `.gitlab-ci.yml`, as close to GitLab's as possible without GitLab."""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import check_jsonschema  # type: ignore[import-untyped]  # it ships no types
import yaml
from ruamel.yaml import YAML

OPTIONS = (
    "--builtin-schema=vendor.gitlab-ci",
    "--data-transform=gitlab-ci",
    "--regex-variant=nonunicode",
    "--output-format=json",
)
# Keys of a file that are not jobs, and names that no job may have: https://docs.gitlab.com/ci/jobs/#job-names
SETTINGS = ("default", "include", "spec", "stages", "variables", "workflow")
RESERVED = ("after_script", "before_script", "cache", "image", "pages:deploy", "services", "true", "false", "nil")
STAGES = ("build", "test", "deploy")
# https://docs.gitlab.com/administration/instance_limits/
MOST_NEEDS = 50
LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class _File:
    """The stages and jobs of a file, with extended jobs merged."""

    stages: tuple[str, ...]
    jobs: Mapping[str, Mapping[str, Any]]


def check(text: str) -> tuple[str, ...]:
    """Return the errors that GitLab would report in *text*: of its schema, otherwise of rules outside the schema."""
    return _schema_errors(text) or tuple(_rule_errors(text))


def _schema_errors(text: str) -> tuple[str, ...]:
    """Return the locations where *text* is not YAML, or does not match GitLab's schema."""
    output = StringIO()
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(output):
        path = Path(folder) / "gitlab-ci.yml"
        path.write_text(text, encoding="utf-8")
        check_jsonschema.main([*OPTIONS, str(path)], standalone_mode=False)
    data = json.loads(output.getvalue())
    broken = [error["message"] for error in data.get("parse_errors", ())]
    return tuple(broken + [f"{error['path']}: {error['message']}" for error in data["errors"]])


def _rule_errors(text: str) -> Iterator[str]:
    """Yield violations of GitLab's rules in *text*, which matches the schema."""
    # GitLab reads YAML 1.1 with Ruby's Psych; editors and other tools read YAML 1.2
    data = YAML(typ="safe", pure=True).load(text)
    if yaml.safe_load(text) != data:
        yield "readers of YAML 1.1 and of YAML 1.2 do not agree on the file"
    file = _File(
        stages=(".pre", *data.get("stages", STAGES), ".post"),
        jobs={name: _extended(data, name) for name in data if name not in SETTINGS and not name.startswith(".")},
    )
    for name, job in file.jobs.items():
        yield from _job_errors(file, name, job)
    yield from _cycle_errors({name: _needs(job) for name, job in file.jobs.items()})


def _extended(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the job *name* merged with the jobs that it extends."""
    own = data[name]
    parents = own.get("extends", ())
    job: dict[str, Any] = {}
    for parent in (parents,) if isinstance(parents, str) else parents:
        job = _merged(job, _extended(data, parent))
    return _merged(job, own)


def _merged(lower: dict[str, Any], upper: dict[str, Any]) -> dict[str, Any]:
    """Return *lower* overridden by *upper*, with mappings merged and lists replaced."""
    both = {
        key: _merged(lower[key], value) if isinstance(value, dict) and isinstance(lower.get(key), dict) else value
        for key, value in upper.items()
    }
    return lower | both


def _job_errors(file: _File, name: str, job: Mapping[str, Any]) -> Iterator[str]:
    """Yield the errors in the job *name* itself."""
    stage = job.get("stage", "test")
    needs = _needs(job)
    if name in RESERVED:
        yield f"{name}: the name is reserved"
    if len(name) > LONGEST_NAME:
        yield f"{name}: the name has more than {LONGEST_NAME} characters"
    if not any(key in job for key in ("script", "run", "trigger")):
        yield f"{name}: there is no script"
    if stage not in file.stages:
        yield f"{name}: stage {stage} is not declared"
    if len(needs) > MOST_NEEDS:
        yield f"{name}: {len(needs)} needs, more than {MOST_NEEDS}"
    if len({*_distinct_needs(job)}) < len(needs):
        yield f"{name}: a job is needed twice"
    for need in needs:
        yield from _need_errors(file, name, need)
    for dependency in job.get("dependencies") or ():
        if "needs" in job and dependency not in needs:
            yield f"{name}: dependency {dependency} is not needed"


def _need_errors(file: _File, name: str, need: str) -> Iterator[str]:
    """Yield the errors in the *need* of job *name*."""
    if need not in file.jobs:
        optional = any(
            isinstance(item, dict) and item.get("optional") and item["job"] == need for item in file.jobs[name]["needs"]
        )
        if not optional:
            yield f"{name}: needs {need}, which is no job"
        return
    locations = [file.jobs[job].get("stage", "test") for job in (need, name)]
    if all(place in file.stages for place in locations):
        earlier, own = (file.stages.index(place) for place in locations)
        if earlier > own:
            yield f"{name}: needs {need} of a later stage"


def _needs(job: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the jobs of this pipeline that *job* needs."""
    items = job.get("needs", ())
    words = (item if isinstance(item, str) else item.get("job") for item in items if not _is_elsewhere(item))
    return tuple(word for word in words if word is not None)


def _distinct_needs(job: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the jobs of this pipeline that *job* needs, each with the combinations, "" for all."""
    for item in job.get("needs", ()):
        if isinstance(item, str):
            yield item, ""
        elif "job" in item and not _is_elsewhere(item):
            yield item["job"], repr(item.get("parallel", ""))


def _is_elsewhere(item: object) -> bool:
    """Return whether a need is a job of another pipeline or project."""
    return isinstance(item, dict) and ("pipeline" in item or "project" in item)


def _cycle_errors(needs: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the jobs that need themselves."""
    left = dict(needs)
    while ready := [name for name, names in left.items() if not any(need in left for need in names)]:
        for name in ready:
            del left[name]
    if left:
        yield f"needs go round in a circle among {', '.join(left)}"
