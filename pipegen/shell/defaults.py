"""Defaults of every target's settings: where images, charts and new versions go."""

from __future__ import annotations

from pipegen.plan.model import Credential, CredentialKind
from pipegen.source.text import Span
from pipegen.structs import Struct

REGISTRY = "docker-registry.wikimedia.org"
REPOSITORY = "wikimedia"
NAMESPACE = "ci"
CHARTS = "https://helm-charts.wikimedia.org/stable/"
# The newest published version of Blubber's BuildKit frontend when this was written:
# https://gitlab.wikimedia.org/repos/releng/blubber
FRONTEND = "docker-registry.wikimedia.org/repos/releng/blubber/buildkit:v1.5.0"
PROMOTE_REPOSITORY = "https://gerrit.wikimedia.org/r/operations/deployment-charts.git"
PROMOTE_BRANCH = "master"
PROMOTE_CREDENTIAL = "gerrit.pipelinebot"


class PromoteSettings(Struct, kw_only=True):
    """The git repository of deployment charts, and the ID of the credential that may push to it."""

    repository: str = PROMOTE_REPOSITORY
    branch: str = PROMOTE_BRANCH
    credential: str = PROMOTE_CREDENTIAL

    @property
    def is_ssh(self) -> bool:
        """Whether the repository is reached by SSH: `ssh://…`, or `user@machine:path`."""
        return self.repository.startswith("ssh://") or "://" not in self.repository

    def bound(self, span: Span) -> Credential:
        """Return the credential in the variables of a script: a key if the repository is reached by SSH."""
        return Credential(
            id=self.credential,
            kind=CredentialKind.SSH_KEY if self.is_ssh else CredentialKind.PASSWORD,
            variables=("PIPEGEN_PROMOTE_KEY",)
            if self.is_ssh
            else ("PIPEGEN_PROMOTE_USERNAME", "PIPEGEN_PROMOTE_PASSWORD"),
            span=span,
        )
