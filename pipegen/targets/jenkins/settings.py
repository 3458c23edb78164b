"""The `targets.jenkins` section of a config."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pipegen.shell import defaults
from pipegen.shell.defaults import PromoteSettings
from pipegen.shell.host import Images
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import plain
from pipegen.structs import Struct

# The promote settings are between double quotes of a shell, so they contain no characters with a meaning there.
_NAME = "^[A-Za-z0-9._:/@-]+$"
_URL = "^[A-Za-z0-9._~:/?#@!&=%+,;-]+$"
_ID = "^[^\\u0000-\\u001f]+$"
# One call in Groovy, which is written unchanged.
_CALL = "^[A-Za-z_]\\w*([.]\\w+)*(\\s*[(].*[)])?$"
# Not the constant times of a trigger.
_NO_TIMES = r"^(?!(?:cron|pollSCM)(?:\s*\(?\s*['\"][^'\"$]*['\"]\s*\)?)?$)"
# Times in Jenkins' form, where H is a number that Jenkins takes from the name of the job.
_PART = r"(?:(?:\*|H(?:\([0-9]+-[0-9]+\))?|[0-9]+(?:-[0-9]+)?)(?:/[0-9]+)?)"
_FIELD = rf"(?:{_PART}(?:,{_PART})*)"
POLLED = rf"^(?:@(?:hourly|daily|midnight|weekly|monthly|yearly|annually)|{_FIELD}(?: {_FIELD}){{4}})$"

SETTINGS: Mapping[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Settings for Jenkins",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "agent": {
            "type": "string",
            "description": "The label of the agents that stages run on; by default, any agent.",
            "examples": ["docker"],
        },
        "tools": {
            "type": "object",
            "propertyNames": {"pattern": "^[A-Za-z]\\w*$"},
            "additionalProperties": {"type": "string", "pattern": _ID},
            "description": "Tools that Jenkins installs, by type: their `bin` folders are on the PATH of scripts "
            "without an image, and JAVA_HOME, MAVEN_HOME and so on are set.",
            "examples": [{"maven": "Maven 3.9", "jdk": "21"}],
        },
        "discard": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": False,
            "description": "The retention of builds.",
            "properties": {
                "builds": {"type": "integer", "minimum": 1, "description": "The number of newest builds to retain."},
                "days": {"type": "integer", "minimum": 1, "description": "The number of days to retain a build."},
                "artifact_builds": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "The number of newest builds whose artifacts to retain.",
                },
                "artifact_days": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "The number of days to retain artifacts.",
                },
            },
        },
        "timestamps": {
            "type": "boolean",
            "default": False,
            "description": "Whether lines of the log begin with the time; needs the timestamper plugin.",
        },
        "options": {
            "type": "array",
            "items": {"type": "string", "pattern": _CALL},
            "description": "Properties of the job, in Groovy: `options` of a declarative file, "
            "`properties` of a scripted file.",
            "examples": [["disableResume"]],
        },
        "poll": {
            "type": "string",
            "pattern": POLLED,
            "description": "The times at which Jenkins looks for new commits and starts a build if there are any, in "
            "the form of cron. Multibranch jobs get notifications of new commits, and need no times.",
            "examples": ["H/15 * * * *"],
        },
        "triggers": {
            "type": "array",
            "items": {"type": "string", "pattern": f"{_NO_TIMES}{_CALL.removeprefix('^')}"},
            "description": "Other triggers of the job, in Groovy: those of plugins, `upstream`, and times that "
            "Groovy computes. For constant times, use `schedule` of the pipeline, and `poll`.",
            "examples": [["issueCommentTrigger('.*test this.*')"]],
        },
        "parameters": {
            "type": "array",
            "items": {"type": "string", "pattern": "^\\w+\\(.*\\bname: *(['\"])[A-Za-z_][\\w.-]*\\1.*\\)$"},
            "description": "Other parameters of the job, in Groovy: those of plugins, and those with a name or a "
            "default that `inputs` do not accept. References read them as `${setup.params.NAME}`.",
            "examples": [["gitParameter(name: 'REVISION', type: 'PT_BRANCH_TAG', defaultValue: 'main')"]],
        },
        "wrap": {
            "type": "array",
            "items": {"type": "string", "pattern": _CALL},
            "description": "Block steps around all stages, in Groovy, outermost first.",
            "examples": [["ansiColor('xterm')"]],
        },
        "libraries": {
            "type": "array",
            "items": {"type": "string", "pattern": "^[^\\s@'\"\\\\]+(@[^\\s'\"\\\\]+)?$"},
            "description": "Shared libraries that the file loads, as `name@version`.",
            "examples": [["ci-steps@v2"]],
        },
        "definitions": {
            "type": "string",
            "pattern": "\\S",
            "description": "Groovy before the stages, which is copied: functions, imports and variables for `steps`.",
            "examples": ["def announce(text) { slackSend message: text }"],
        },
        "trust_forks": {
            "type": "boolean",
            "default": False,
            "description": "Whether changes from forks get credentials and locks, and may publish, promote, deploy and "
            "trigger; if false, their stages that would do so fail.",
        },
        "images": {
            "enum": ["local", "registry"],
            "default": "local",
            "description": "How stages get shared images: `local` runs these stages on one agent, `registry` pushes "
            "and pulls the images.",
        },
        "registry": {
            "type": "string",
            "pattern": _NAME,
            "default": defaults.REGISTRY,
            "description": "The registry that images are published to; PIPEGEN_REGISTRY overrides it at run time.",
        },
        "repository": {
            "type": "string",
            "pattern": _NAME,
            "default": defaults.REPOSITORY,
            "description": "The path in the registry before the image name; PIPEGEN_REPOSITORY overrides it at "
            "run time.",
        },
        "registry_credential": {
            "type": "string",
            "pattern": _ID,
            "description": "The credential (user name and password) for the registry; without it, agents must already "
            "be logged in.",
        },
        "namespace": {
            "type": "string",
            "pattern": _NAME,
            "default": defaults.NAMESPACE,
            "description": "The Kubernetes namespace to deploy to; PIPEGEN_NAMESPACE overrides it at run time.",
        },
        "charts": {
            "type": "string",
            "pattern": _URL,
            "default": defaults.CHARTS,
            "description": "The address of the chart repository; PIPEGEN_CHARTS overrides it at run time.",
        },
        "frontend": {
            "type": "string",
            "pattern": _NAME,
            "default": defaults.FRONTEND,
            "description": "The BuildKit frontend of blubberfiles that name none; PIPEGEN_FRONTEND overrides it at run "
            "time.",
        },
        "promote": {
            "type": "object",
            "additionalProperties": False,
            "description": "The destination of the versions that `promote` proposes.",
            "properties": {
                "repository": {
                    "type": "string",
                    "pattern": _URL,
                    "default": defaults.PROMOTE_REPOSITORY,
                    "description": "The git repository of the deployment charts.",
                },
                "branch": {
                    "type": "string",
                    "pattern": _NAME,
                    "default": defaults.PROMOTE_BRANCH,
                    "description": "The branch that receives the changes.",
                },
                "credential": {
                    "type": "string",
                    "pattern": _ID,
                    "default": defaults.PROMOTE_CREDENTIAL,
                    "description": "The credential that may push there: user name and password, or an SSH key for an "
                    "SSH address.",
                },
            },
        },
    },
}


class Discard(Struct, kw_only=True):
    """The number of builds and days for which builds and their artifacts are retained; None is no limit."""

    builds: int | None = None
    days: int | None = None
    artifact_builds: int | None = None
    artifact_days: int | None = None


class ToolSettings(Struct):
    """A tool by its *type* and its *name* in Jenkins."""

    type: str
    name: str


class JenkinsSettings(Struct, kw_only=True):
    """The settings with defaults; an *agent* of "" is any agent, a *registry_credential* of "" is none."""

    agent: str = ""
    tools: tuple[ToolSettings, ...] = ()
    discard: Discard | None = None
    timestamps: bool = False
    options: tuple[str, ...] = ()
    poll: str = ""
    triggers: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    wrap: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    definitions: str = ""
    trust_forks: bool = False
    images: Images = Images.LOCAL
    registry: str = defaults.REGISTRY
    repository: str = defaults.REPOSITORY
    registry_credential: str = ""
    namespace: str = defaults.NAMESPACE
    charts: str = defaults.CHARTS
    frontend: str = defaults.FRONTEND
    promote: PromoteSettings = PromoteSettings()


def parse_settings(node: TreeMapping | None) -> JenkinsSettings:
    """Return the settings in *node*, which is valid against `SETTINGS`."""
    if node is None:
        return JenkinsSettings()
    section: Any = plain(node)
    values: Any = {key: _READERS[key](value) if key in _READERS else value for key, value in section.items()}
    return JenkinsSettings(**values)


_READERS: Mapping[str, Callable[[Any], object]] = {
    "images": Images,
    "tools": lambda section: tuple(ToolSettings(*tool) for tool in section.items()),
    "discard": lambda section: Discard(**section),
    "options": tuple,
    "triggers": tuple,
    "parameters": tuple,
    "wrap": tuple,
    "libraries": tuple,
    "promote": lambda section: PromoteSettings(**section),
}
