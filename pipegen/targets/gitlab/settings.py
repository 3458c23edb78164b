"""The `targets.gitlab` section of a config."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pipegen.diagnostics.codes import INVALID_VALUE
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Data
from pipegen.plan.model import Plan
from pipegen.shell import defaults
from pipegen.shell.defaults import PromoteSettings
from pipegen.shell.host import Images
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import entries_of, plain, scalars, written_text
from pipegen.structs import Struct, field, replace
from pipegen.targets.gitlab.memory import BIGGER_FILES, LIMIT, SMALLER_LIMIT, Version

# Defaults of a website and a release.
FOLDER = "public"
TAG = "$CI_COMMIT_TAG"
# A reference of a config, such as `${inputs.level}`.
REFERENCE = re.compile(r"\$\{(?P<namespace>[\w-]*)(?:\[[^]{}]*\])?\.[^{}]*\}")
_NAMESPACES = ("setup", "inputs", "matrix", "pipeline", "")


class Tools(Struct, kw_only=True):
    """The images that contain each tool, by exact versions; *dind* is the service that runs containers."""

    docker: str = "docker:28.5.1-cli"
    dind: str = "docker:28.5.1-dind"
    helm: str = "alpine/helm:3.18.4"
    git: str = "alpine:3.22.2"
    shell: str = "alpine:3.22.2"
    curl: str = "curlimages/curl:8.11.1"
    release: str = "registry.gitlab.com/gitlab-org/cli:v1.114.0"


class TriggeredProject(Struct, kw_only=True):
    """A project whose pipelines a trigger starts; no *branch* is its default branch."""

    project: str
    branch: str | None = None


class MailVariables(Struct, kw_only=True):
    """The CI/CD variables that hold the mail server and the sender's address."""

    server: str = "SMTP_URL"
    sender: str = "SMTP_FROM"


class Workflow(Struct, kw_only=True):
    """Settings of whole pipelines: a *name*, "" for none, and the user's *rules*, before the generated ones.

    With *duplicates*, a push to a branch with an open merge request starts a pipeline next to that of the latter.
    """

    name: str = ""
    rules: tuple[Mapping[str, Data], ...] = ()
    duplicates: bool = False


class OtherFiles(Struct):
    """Stages, and the jobs of other projects or pipelines whose files they get, as GitLab's needs."""

    stages: tuple[str, ...]
    jobs: tuple[Mapping[str, Data], ...]


class Pages(Struct, kw_only=True):
    """The stage whose folder *publish* becomes the project's website."""

    stage: str
    publish: str = FOLDER


class ReleaseLink(Struct, kw_only=True):
    """A link among the assets of a release, with the path of a permanent address and the type of its file, if any."""

    name: str
    url: str
    filepath: str | None = None
    type: str | None = None


class Release(Struct, kw_only=True):
    """The stage that creates a release; no *name* is the tag, and no *ref* the commit of the pipeline."""

    stage: str
    tag: str = TAG
    name: str | None = None
    description: str = f"Release {TAG}"
    ref: str | None = None
    milestones: tuple[str, ...] = ()
    links: tuple[ReleaseLink, ...] = ()


class GitLabSettings(Struct, kw_only=True):
    """The section with its defaults; None is the project's own registry, the job's own login, no mail."""

    images: Images = Images.REGISTRY
    tags: tuple[str, ...] = ()
    workflow: Workflow = Workflow()
    include: tuple[Mapping[str, Data], ...] = ()
    include_stages: tuple[tuple[str, str | None], ...] = ()
    files_from: tuple[OtherFiles, ...] = ()
    id_tokens: tuple[tuple[str, tuple[str, ...]], ...] = ()
    runner_variables: tuple[tuple[str, str], ...] = ()
    pages: Pages | None = None
    release: tuple[Release, ...] = ()
    tools: Tools = Tools()
    registry: str | None = None
    repository: str | None = None
    registry_credential: str | None = None
    namespace: str = defaults.NAMESPACE
    charts: str = defaults.CHARTS
    frontend: str = defaults.FRONTEND
    promote: PromoteSettings = PromoteSettings()
    projects: Mapping[str, TriggeredProject] = field(default_factory=dict)
    mail: MailVariables | None = None
    max_yaml_size_bytes: int = LIMIT
    version: Version | None = None


def read(section: TreeMapping | None) -> GitLabSettings:
    """Return the settings in a *section* that is valid against the schema."""
    keys: Any = plain(section) if section is not None else {}
    values: Any = {key: _READERS[key](value) if key in _READERS else value for key, value in keys.items()}
    variables = entries_of(section.get("runner_variables") if section is not None else None)
    values["runner_variables"] = tuple((entry.key.text, written_text(entry.value)) for entry in variables)
    settings = GitLabSettings(**values)
    if settings.version is not None and settings.version < BIGGER_FILES and "max_yaml_size_bytes" not in keys:
        return replace(settings, max_yaml_size_bytes=SMALLER_LIMIT)
    return settings


def check_references(section: TreeMapping | None, plans: Sequence[Plan], report: Report) -> None:
    """Report references in the settings, which GitLab would get as they are.

    The inputs of included files may contain other text in `${…}`, such as the properties of Maven.
    """
    namespaces = {*_NAMESPACES, *(job.stage for plan in plans for job in plan.jobs)} if section is not None else set()
    for entry in entries_of(section):
        for scalar in scalars(entry.value):
            for match in REFERENCE.finditer(scalar.text):
                if entry.key.text != "include" or match["namespace"] in namespaces:
                    report.add(
                        INVALID_VALUE,
                        f'"{match[0]}" is a reference, and GitLab reads "{entry.key.text}" before any stage runs',
                        at=scalar.part(*match.span()),
                        hint="write a variable of GitLab, such as $CI_COMMIT_TAG, or the value",
                    )


def _version(text: str) -> Version:
    major, minor = text.split(".")
    return int(major), int(minor)


def _projects(projects: Any) -> dict[str, TriggeredProject]:
    return {
        name: TriggeredProject(project=value) if isinstance(value, str) else TriggeredProject(**value)
        for name, value in projects.items()
    }


def _included(value: Any) -> Mapping[str, Data]:
    """Return an entry of `include` as a map; GitLab takes a text with a protocol as an address."""
    if isinstance(value, str):
        return {"remote" if "://" in value else "local": value}
    return dict(value)


def _listed(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _releases(value: Any) -> tuple[Release, ...]:
    return tuple(_release(section) for section in (value if isinstance(value, list | tuple) else [value]))


def _release(section: Mapping[str, Any]) -> Release:
    links = tuple(ReleaseLink(**link) for link in section.get("links", ()))
    return Release(**{**section, "milestones": tuple(section.get("milestones", ())), "links": links})


_READERS: Mapping[str, Callable[[Any], object]] = {
    "images": Images,
    "tags": tuple,
    "workflow": lambda section: Workflow(**{**section, "rules": tuple(section.get("rules", ()))}),
    "include": lambda entries: tuple(map(_included, entries)),
    "include_stages": lambda section: tuple(section.items()),
    "files_from": lambda entries: tuple(OtherFiles(tuple(each["stages"]), tuple(each["jobs"])) for each in entries),
    "id_tokens": lambda section: tuple((name, _listed(audience)) for name, audience in section.items()),
    "pages": lambda section: Pages(**{**section, "publish": section.get("publish", FOLDER).rstrip("/")}),
    "release": _releases,
    "tools": lambda section: Tools(**section),
    "promote": lambda section: PromoteSettings(**section),
    "projects": _projects,
    "mail": lambda section: MailVariables(**section),
    "version": _version,
}
