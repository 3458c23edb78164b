"""The `targets.gitlab` section of a config."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pipegen.emit.yaml import Data
from pipegen.shell import defaults
from pipegen.shell.host import Images
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import plain
from pipegen.structs import Struct, field, replace
from pipegen.targets.gitlab.memory import BIGGER_FILES, LIMIT, SMALLER_LIMIT, Version

# What a website and a release are made of unless the settings say otherwise.
_FOLDER = "public"
_TAG = "$CI_COMMIT_TAG"


class Tools(Struct, kw_only=True):
    """The images in which each tool is found, by exact versions; *dind* is the service that runs containers."""

    docker: str = "docker:28.5.1-cli"
    dind: str = "docker:28.5.1-dind"
    helm: str = "alpine/helm:3.18.4"
    git: str = "alpine:3.22.2"
    shell: str = "alpine:3.22.2"
    curl: str = "curlimages/curl:8.11.1"
    release: str = "registry.gitlab.com/gitlab-org/cli:v1.114.0"


class Promote(Struct, kw_only=True):
    """The git repository of deployment charts, and the credential that may push to it."""

    repository: str = defaults.PROMOTE_REPOSITORY
    branch: str = defaults.PROMOTE_BRANCH
    credential: str = defaults.PROMOTE_CREDENTIAL

    @property
    def is_ssh(self) -> bool:
        """Whether the repository is reached by SSH: `ssh://…`, or `user@machine:path`."""
        return self.repository.startswith("ssh://") or "://" not in self.repository


class Project(Struct, kw_only=True):
    """A project whose pipelines a trigger starts; no *branch* is its default one."""

    project: str
    branch: str | None = None


class Mail(Struct, kw_only=True):
    """The CI/CD variables that hold the mail server and the sender's address."""

    server: str = "SMTP_URL"
    sender: str = "SMTP_FROM"


class Workflow(Struct, kw_only=True):
    """What is said of whole pipelines: a *name*, "" for none, and *rules* of GitLab's own, before ours."""

    name: str = ""
    rules: tuple[Mapping[str, Data], ...] = ()


class Pages(Struct, kw_only=True):
    """The stage whose folder *publish* becomes the project's website."""

    stage: str
    publish: str = _FOLDER


class Release(Struct, kw_only=True):
    """The stage that makes a release; no *name* is the tag."""

    stage: str
    tag: str = _TAG
    name: str | None = None
    description: str = f"Release {_TAG}"


class Settings(Struct, kw_only=True):
    """The section with its defaults; None is the project's own registry, the job's own login, no mail."""

    images: Images = Images.REGISTRY
    tags: tuple[str, ...] = ()
    workflow: Workflow = Workflow()
    id_tokens: tuple[tuple[str, tuple[str, ...]], ...] = ()
    pages: Pages | None = None
    release: Release | None = None
    tools: Tools = Tools()
    registry: str | None = None
    repository: str | None = None
    registry_credential: str | None = None
    namespace: str = defaults.NAMESPACE
    charts: str = defaults.CHARTS
    frontend: str = defaults.FRONTEND
    promote: Promote = Promote()
    projects: Mapping[str, Project] = field(default_factory=dict)
    mail: Mail | None = None
    max_yaml_size_bytes: int = LIMIT
    version: Version | None = None


def read(section: TreeMapping | None) -> Settings:
    """Return the settings in a *section* that fits the schema."""
    given: Any = plain(section) if section is not None else {}
    values: Any = {key: _READERS[key](value) if key in _READERS else value for key, value in given.items()}
    settings = Settings(**values)
    if settings.version is not None and settings.version < BIGGER_FILES and "max_yaml_size_bytes" not in given:
        return replace(settings, max_yaml_size_bytes=SMALLER_LIMIT)
    return settings


def _version(given: str) -> Version:
    major, minor = given.split(".")
    return int(major), int(minor)


def _projects(given: Any) -> dict[str, Project]:
    return {
        name: Project(project=value) if isinstance(value, str) else Project(**value) for name, value in given.items()
    }


def _listed(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


_READERS: Mapping[str, Callable[[Any], object]] = {
    "images": Images,
    "tags": tuple,
    "workflow": lambda given: Workflow(name=given.get("name", ""), rules=tuple(given.get("rules", ()))),
    "id_tokens": lambda given: tuple((name, _listed(audience)) for name, audience in given.items()),
    "pages": lambda given: Pages(**{**given, "publish": given.get("publish", _FOLDER).rstrip("/")}),
    "release": lambda given: Release(**given),
    "tools": lambda given: Tools(**given),
    "promote": lambda given: Promote(**given),
    "projects": _projects,
    "mail": lambda given: Mail(**given),
    "version": _version,
}


# Written into the file as they stand, where GitLab expands variables and where the shell quotes.
_WORD: Mapping[str, object] = {"type": "string", "pattern": r"^[^\s\"'`$\\{}]+$"}
# Images stand in no script; runners expand the variables in them, such as $CI_DEPENDENCY_PROXY_GROUP_IMAGE_PREFIX.
_IMAGE: Mapping[str, object] = {"type": "string", "pattern": r"^[^\s\"'`\\]+$"}
# GitLab puts it between double quotes of a shell, where its own variables are wanted, and nothing else.
_SHOWN: Mapping[str, object] = {"type": "string", "pattern": r"^(?![\s\S]*\$\()[^\"`\\]+$"}
_PATH: Mapping[str, object] = {"type": "string", "pattern": r"^(?!/)[^\s\"'`$\\]+$"}
_VARIABLE: Mapping[str, object] = {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}
_ID: Mapping[str, object] = {"type": "string", "minLength": 1}


def _object(description: str, /, **properties: object) -> dict[str, object]:
    return {"type": "object", "description": description, "additionalProperties": False, "properties": properties}


def _say(kind: Mapping[str, object], description: str, default: str | None = None) -> dict[str, object]:
    return {**kind, "description": description, **({"default": default} if default is not None else {})}


_TOOLS = _object(
    "The images that jobs run in; with `images: local` none is used.",
    docker=_say(_IMAGE, "The image of jobs that run containers.", Tools().docker),
    dind=_say(_IMAGE, "The service in which the containers run.", Tools().dind),
    helm=_say(_IMAGE, "The image of jobs that call helm and run no containers.", Tools().helm),
    git=_say(_IMAGE, "The image of jobs that only propose new versions.", Tools().git),
    shell=_say(_IMAGE, "The image of jobs that need a shell and no other tool.", Tools().shell),
    release=_say(_IMAGE, "The image of a job that makes a release.", Tools().release),
    curl=_say(_IMAGE, "The image of jobs that send mail, or start pipelines with computed values.", Tools().curl),
)
_WORKFLOW = _object(
    "What is said of whole pipelines.",
    name=_say({"type": "string", "minLength": 1}, "The name that GitLab shows for a pipeline."),
    rules={
        "type": "array",
        "items": {"type": "object", "minProperties": 1},
        "description": "Rules of GitLab's own that are asked before those that pipegen writes.",
    },
)
_PAGES = {
    **_object(
        "The website of the project, GitLab Pages.",
        stage=_say(_ID, "The stage that makes it; with several pipelines of such a stage, as `pipeline: stage`."),
        publish=_say(_PATH, "The folder that is published, from the root of the repository.", _FOLDER),
    ),
    "required": ["stage"],
}
_RELEASE = {
    **_object(
        "A release, made once a stage has succeeded.",
        stage=_say(_ID, "The stage; unless it names an image, it runs in `tools.release`."),
        tag=_say(_SHOWN, "The tag of the release.", _TAG),
        name=_say(_SHOWN, "Its name; without it, the tag."),
        description=_say(_SHOWN, "Its description, or the path of a file that holds it.", f"Release {_TAG}"),
    ),
    "required": ["stage"],
}
_PROMOTE = _object(
    "Where new versions of charts are proposed.",
    repository=_say(_WORD, "The git repository.", Promote().repository),
    branch=_say(_WORD, "Its branch.", Promote().branch),
    credential=_say(_ID, "The user name and password that may push to it.", Promote().credential),
)
_PROJECT = {
    **_object(
        "A project, and the branch or tag whose pipeline is started.",
        project=_say(_WORD, "The path of the project."),
        branch=_say(_WORD, "The branch or tag; without it, the default branch (with computed values, this project's)."),
    ),
    "required": ["project"],
}
_MAIL = _object(
    "The CI/CD variables that say how mail is sent; without this section none is.",
    server=_say(_VARIABLE, "Holds the mail server, such as smtp://mail.example.org:25.", Mail().server),
    sender=_say(_VARIABLE, "Holds the address that mail comes from.", Mail().sender),
)
SCHEMA: Mapping[str, object] = _object(
    "How pipelines are written for GitLab.",
    images={
        "enum": [images.value for images in (Images.REGISTRY, Images.LOCAL)],
        "default": Settings().images.value,
        "description": "How images get to other jobs: through the registry, or kept by the container engine of the one "
        "shell runner that runs all jobs.",
    },
    tags={"type": "array", "items": _ID, "description": "The tags of the runners that run the jobs."},
    workflow=_WORKFLOW,
    id_tokens={
        "type": "object",
        "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
        "additionalProperties": {"anyOf": [_ID, {"type": "array", "minItems": 1, "items": _ID}]},
        "description": "Tokens by which GitLab vouches for every job, as variables, each with its audience.",
    },
    pages=_PAGES,
    release=_RELEASE,
    tools=_TOOLS,
    registry=_say(_WORD, "The registry to publish to; without it, the project's own."),
    repository=_say(_WORD, "The path in the registry; without it, the project's own."),
    registry_credential=_say(_ID, "The credential of the registry; without it, that of the job."),
    namespace=_say(_WORD, "The namespace that charts are installed in.", Settings().namespace),
    charts=_say(_WORD, "The helm repository of charts.", Settings().charts),
    frontend=_say(_WORD, "The BuildKit frontend of blubberfiles that name none.", Settings().frontend),
    promote=_PROMOTE,
    projects={
        "type": "object",
        "additionalProperties": {"oneOf": [_say(_WORD, "The path of the project."), _PROJECT]},
        "description": "For the name of each trigger, the project whose pipeline it starts.",
    },
    mail=_MAIL,
    max_yaml_size_bytes={
        "type": "integer",
        "minimum": 1,
        "default": LIMIT,
        "description": "The setting of that name of the GitLab server: how much memory a parsed file may take. Of a "
        "bigger one, the jobs go into files that it includes.",
    },
    version={
        "type": "string",
        "pattern": r"^[0-9]{1,3}\.[0-9]{1,3}$",
        "description": "The version of the GitLab server, in quotes: `'16.11'`. What needs a newer one is an error. "
        "Before 17.3, `max_yaml_size_bytes` is 1 MiB by default.",
    },
)
