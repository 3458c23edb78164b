"""What a config may say under `targets.jenkins`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipegen.shell import defaults
from pipegen.shell.host import Images
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Scalar

# The promote settings stand between double quotes of a shell: nothing in them may mean something there.
_NAME = "^[A-Za-z0-9._:/@-]+$"
_URL = "^[A-Za-z0-9._~:/?#@!&=%+,;-]+$"
_ID = "^[^\\u0000-\\u001f]+$"

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


@dataclass(frozen=True, kw_only=True, slots=True)
class Promotion:
    """Where new versions of charts are proposed, and the credential that may."""

    repository: str = defaults.PROMOTE_REPOSITORY
    branch: str = defaults.PROMOTE_BRANCH
    credential: str = defaults.PROMOTE_CREDENTIAL

    @property
    def is_ssh(self) -> bool:
        """Whether the repository is reached by SSH: `ssh://…`, or `user@machine:path`."""
        return self.repository.startswith("ssh://") or "://" not in self.repository


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The settings, defaults filled in; *agent* "" is any agent, *registry_credential* "" is none."""

    agent: str = ""
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
    given = _scalars(node)
    promote = node.get("promote")
    return Settings(
        images=Images(given.pop("images", Images.LOCAL.value)),
        promote=Promotion(**_scalars(promote)) if isinstance(promote, TreeMapping) else Promotion(),
        **given,
    )


def _scalars(node: TreeMapping) -> dict[str, Any]:
    return {entry.key.text: entry.value.text for entry in node.entries if isinstance(entry.value, Scalar)}
