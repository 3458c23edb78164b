"""Names of variables that a job may set without an effect on the runner."""

from __future__ import annotations

import re
from collections.abc import Collection

from pipegen.plan.model.steps import is_variable_name
from pipegen.targets.constants import READ_BY_SHELLS

# Variables with a meaning for the runner and its helper container, which clones the repository and stores files:
# https://docs.gitlab.com/ci/variables/predefined_variables/, https://docs.gitlab.com/ci/runners/configure_runners/ and
# `common/build_settings.go` of gitlab-org/gitlab-runner.
_READ_BY_RUNNERS = (
    r"CI|CI_(?:API|BUILD|BUILDS|COMMIT|CONCURRENT|CONFIG|DEBUG|DEFAULT|DEPENDENCY|DEPLOY|DISPOSABLE|ENVIRONMENT|EXTERNAL"
    r"|GITLAB|HAS|JOB|KUBERNETES|MERGE|NODE|OPEN|PAGES|PIPELINE|PRE|PROJECT|REGISTRY|RELEASE|REPOSITORY|RUNNER|SERVER"
    r"|SHARED|SUSPEND|TEMPLATE|TRIGGER|UPSTREAM)(?:_.*)?"
    r"|AWS_(?!(?:DEFAULT_)?REGION$).*|DOCKER_AUTH_CONFIG"
    r"|(?:AFTER_SCRIPT|ARTIFACT|ARTIFACTS|AZURE|BASH|CACHE|EXECUTOR_JOB_SECTION|FF|GET_SOURCES|GIT|GITLAB|GOOGLE"
    r"|KUBERNETES|LC|LD|PIPEGEN|RESTORE|RUNNER|SECRETS_RETRIEVAL|SECURE|SSL|TAR|TRANSFER|ZIP)(?:_.*)?"
    rf"|{READ_BY_SHELLS}"
)


# GitLab's own: https://docs.gitlab.com/ci/variables/predefined_variables/
_OF_GITLAB = r"CI|(?:CI|GITLAB)_[A-Za-z0-9_]+"


# Those with a path, a number, a digest, a slug or an address as value, without `$`, which GitLab would expand. People
# write the others, such as titles and names of branches.
_WITH_PLAIN_VALUES = frozenset(
    {
        *("CI_API_GRAPHQL_URL", "CI_API_V4_URL", "CI_BUILDS_DIR", "CI_COMMIT_REF_SLUG", "CI_COMMIT_SHA"),
        *("CI_COMMIT_SHORT_SHA", "CI_COMMIT_TIMESTAMP", "CI_CONCURRENT_ID", "CI_CONCURRENT_PROJECT_ID"),
        *("CI_ENVIRONMENT_SLUG", "CI_JOB_ID", "CI_JOB_NAME_SLUG", "CI_JOB_STARTED_AT", "CI_JOB_URL"),
        *("CI_MERGE_REQUEST_ID", "CI_MERGE_REQUEST_IID", "CI_PAGES_DOMAIN", "CI_PAGES_URL", "CI_PIPELINE_CREATED_AT"),
        *("CI_PIPELINE_ID", "CI_PIPELINE_IID", "CI_PIPELINE_SOURCE", "CI_PIPELINE_URL", "CI_PROJECT_DIR"),
        *("CI_PROJECT_ID", "CI_PROJECT_NAME", "CI_PROJECT_NAMESPACE", "CI_PROJECT_PATH", "CI_PROJECT_PATH_SLUG"),
        *("CI_PROJECT_ROOT_NAMESPACE", "CI_PROJECT_URL", "CI_REGISTRY", "CI_REGISTRY_IMAGE", "CI_SERVER_FQDN"),
        *("CI_SERVER_HOST", "CI_SERVER_PORT", "CI_SERVER_PROTOCOL", "CI_SERVER_URL", "CI_SERVER_VERSION"),
        *("GITLAB_USER_ID", "GITLAB_USER_LOGIN"),
    }
)


def expands_plainly(text: str, known: Collection[str] = ()) -> bool:
    """Return whether all that GitLab expands in *text* is variables with plain values: its own, and those *known*."""

    def is_plain(name: str) -> bool:
        return name in _WITH_PLAIN_VALUES or name in known

    return "$" not in re.sub(
        r"\$(?:(\w+)|\{(\w+)\})",
        lambda read: "" if is_plain(read[1] or read[2]) else read[0],
        text,
        flags=re.ASCII,
    )


def is_of_gitlab(name: str) -> bool:
    """Return whether *name* is that of a variable that GitLab sets itself."""
    return re.fullmatch(_OF_GITLAB, name) is not None


def is_free_name(name: str) -> bool:
    """Return whether *name* can be a variable of a job: neither the runner nor the shell reads it."""
    return is_variable_name(name) and re.fullmatch(_READ_BY_RUNNERS, name) is None
