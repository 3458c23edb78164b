"""Names of variables that a job may set without an effect on the runner."""

from __future__ import annotations

import re

from pipegen.targets.constants import READ_BY_SHELLS

# Variables with a meaning for the runner and its helper container, which clones the repository and stores files:
# https://docs.gitlab.com/ci/variables/predefined_variables/, https://docs.gitlab.com/ci/runners/configure_runners/
_READ_BY_RUNNERS = (
    r"(?:ARTIFACT|ARTIFACTS|AWS|BASH|CACHE|CI|DOCKER|EXECUTOR_JOB_SECTION|FF|GET_SOURCES|GIT|GITLAB|GOOGLE|AZURE|"
    r"KUBERNETES|LC|LD|PIPEGEN|RESTORE|RUNNER|SECURE|SSL|TAR|TRANSFER|ZIP)(?:_.*)?"
    rf"|{READ_BY_SHELLS}"
)
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"


# GitLab's own: https://docs.gitlab.com/ci/variables/predefined_variables/
_OF_GITLAB = r"CI|(?:CI|GITLAB)_[A-Za-z0-9_]+"


def is_of_gitlab(name: str) -> bool:
    """Return whether *name* is that of a variable that GitLab sets itself."""
    return re.fullmatch(_OF_GITLAB, name) is not None


def is_free_name(name: str) -> bool:
    """Return whether *name* can be a variable of a job: neither the runner nor the shell reads it."""
    return is_variable_name(name) and re.fullmatch(_READ_BY_RUNNERS, name) is None


def is_variable_name(name: str) -> bool:
    """Return whether a variable can have *name*."""
    return re.fullmatch(_NAME, name) is not None
