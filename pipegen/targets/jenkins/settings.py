"""What a config may say under `targets.jenkins`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pipegen.shell import defaults
from pipegen.shell.host import Images
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import plain
from pipegen.structs import Struct

# The promote settings stand between double quotes of a shell: nothing in them may mean something there.
_NAME = "^[A-Za-z0-9._:/@-]+$"
_URL = "^[A-Za-z0-9._~:/?#@!&=%+,;-]+$"
_ID = "^[^\\u0000-\\u001f]+$"
# One call of Groovy, which is written as it stands.
_CALL = "^[A-Za-z_]\\w*([.]\\w+)*(\\s*[(].*[)])?$"

SETTINGS: Mapping[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Settings for Jenkins",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "agent": {
            "type": "string",
            "description": "Label of the agents that stages run on; without it, any agent.",
            "examples": ["docker"],
        },
        "tools": {
            "type": "object",
            "propertyNames": {"pattern": "^[A-Za-z]\\w*$"},
            "additionalProperties": {"type": "string", "pattern": _ID},
            "description": "Tools that Jenkins installs, by type: their folders bin are on the PATH of scripts that "
            "run in no image, and JAVA_HOME, MAVEN_HOME and so on are set.",
            "examples": [{"maven": "Maven 3.9", "jdk": "21"}],
        },
        "discard": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": False,
            "description": "Which builds are kept.",
            "properties": {
                "builds": {"type": "integer", "minimum": 1, "description": "The newest builds that are kept."},
                "days": {"type": "integer", "minimum": 1, "description": "The days for which a build is kept."},
                "artifact_builds": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "The newest builds whose artifacts are kept.",
                },
                "artifact_days": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "The days for which artifacts are kept.",
                },
            },
        },
        "timestamps": {
            "type": "boolean",
            "default": False,
            "description": "Whether lines of the log begin with the time; needs the plugin timestamper.",
        },
        "options": {
            "type": "array",
            "items": {"type": "string", "pattern": _CALL},
            "description": "Properties of the job, in Groovy: under options, or in properties of a script.",
            "examples": [["disableResume"]],
        },
        "wrap": {
            "type": "array",
            "items": {"type": "string", "pattern": _CALL},
            "description": "Block steps around all stages, in Groovy, the outermost first.",
            "examples": [["ansiColor('xterm')"]],
        },
        "libraries": {
            "type": "array",
            "items": {"type": "string", "pattern": "^[^\\s@'\"\\\\]+(@[^\\s'\"\\\\]+)?$"},
            "description": "Shared libraries that the file loads, as name@version.",
            "examples": [["ci-steps@v2"]],
        },
        "trust_forks": {
            "type": "boolean",
            "default": False,
            "description": "Whether changes that come from forks get credentials and locks, publish, promote, deploy "
            "and trigger; without it, stages that would do so fail.",
        },
        "images": {
            "enum": ["local", "registry"],
            "default": "local",
            "description": "How images get to the stages that use them: local keeps those stages on one agent, "
            "registry pushes and pulls.",
        },
        "registry": {
            "type": "string",
            "pattern": _NAME,
            "default": defaults.REGISTRY,
            "description": "Registry that images are published to; PIPEGEN_REGISTRY overrides it at run time.",
        },
        "repository": {
            "type": "string",
            "pattern": _NAME,
            "default": defaults.REPOSITORY,
            "description": "Path in the registry before an image's name; PIPEGEN_REPOSITORY overrides it at run time.",
        },
        "registry_credential": {
            "type": "string",
            "pattern": _ID,
            "description": "Credential (user name and password) to log in to the registry with; without it, "
            "agents are logged in already.",
        },
        "namespace": {
            "type": "string",
            "pattern": _NAME,
            "default": defaults.NAMESPACE,
            "description": "Kubernetes namespace to deploy to; PIPEGEN_NAMESPACE overrides it at run time.",
        },
        "charts": {
            "type": "string",
            "pattern": _URL,
            "default": defaults.CHARTS,
            "description": "Address of the chart repository; PIPEGEN_CHARTS overrides it at run time.",
        },
        "frontend": {
            "type": "string",
            "pattern": _NAME,
            "default": defaults.FRONTEND,
            "description": "BuildKit frontend of blubberfiles without one; PIPEGEN_FRONTEND overrides it at run time.",
        },
        "promote": {
            "type": "object",
            "additionalProperties": False,
            "description": "Where `promote` proposes new versions.",
            "properties": {
                "repository": {
                    "type": "string",
                    "pattern": _URL,
                    "default": defaults.PROMOTE_REPOSITORY,
                    "description": "Git repository of the deployment charts.",
                },
                "branch": {
                    "type": "string",
                    "pattern": _NAME,
                    "default": defaults.PROMOTE_BRANCH,
                    "description": "Branch that the changes are proposed for.",
                },
                "credential": {
                    "type": "string",
                    "pattern": _ID,
                    "default": defaults.PROMOTE_CREDENTIAL,
                    "description": "Credential that may push there: user name and password, or an SSH key where the "
                    "address is one of SSH.",
                },
            },
        },
    },
}


class Promotion(Struct, kw_only=True):
    """Where new versions of charts are proposed, and the credential that may."""

    repository: str = defaults.PROMOTE_REPOSITORY
    branch: str = defaults.PROMOTE_BRANCH
    credential: str = defaults.PROMOTE_CREDENTIAL

    @property
    def is_ssh(self) -> bool:
        """Whether the repository is reached by SSH: `ssh://…`, or `user@machine:path`."""
        return self.repository.startswith("ssh://") or "://" not in self.repository


class Discard(Struct, kw_only=True):
    """How many builds, and for how many days they and their artifacts are kept; None for no such limit."""

    builds: int | None = None
    days: int | None = None
    artifact_builds: int | None = None
    artifact_days: int | None = None


class Tool(Struct):
    """A tool by its *type* and the *name* that Jenkins knows it by."""

    type: str
    name: str


class Settings(Struct, kw_only=True):
    """The settings, defaults filled in; *agent* "" is any agent, *registry_credential* "" is none."""

    agent: str = ""
    tools: tuple[Tool, ...] = ()
    discard: Discard | None = None
    timestamps: bool = False
    options: tuple[str, ...] = ()
    wrap: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    trust_forks: bool = False
    images: Images = Images.LOCAL
    registry: str = defaults.REGISTRY
    repository: str = defaults.REPOSITORY
    registry_credential: str = ""
    namespace: str = defaults.NAMESPACE
    charts: str = defaults.CHARTS
    frontend: str = defaults.FRONTEND
    promote: Promotion = Promotion()


def parse_settings(node: TreeMapping | None) -> Settings:
    """Return what *node*, checked against `SETTINGS`, says."""
    if node is None:
        return Settings()
    given: Any = plain(node)
    values: Any = {key: _READERS[key](value) if key in _READERS else value for key, value in given.items()}
    return Settings(**values)


_READERS: Mapping[str, Callable[[Any], object]] = {
    "images": Images,
    "tools": lambda given: tuple(Tool(*one) for one in given.items()),
    "discard": lambda given: Discard(**given),
    "options": tuple,
    "wrap": tuple,
    "libraries": tuple,
    "promote": lambda given: Promotion(**given),
}
