"""The features that cannot be combined on GitLab; each check takes its code from here."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.targets.base import Pair

FOREIGN_CONTAINER = Pair(
    "run",
    "${other.container}, images: registry",
    codes.CONTAINER_NOT_SHARED,
    "take files out of the container by copy, or set images: local",
)

ARTIFACTS_ON_FAILURE = Pair(
    "artifacts: { when: failure }",
    "outputs or copies that other stages read",
    codes.FAILURE_LOSES_VALUES,
    "set when: always",
)
REPORT_ON_FAILURE = Pair(
    "artifacts: { when: failure }",
    "reports: { sarif: … }",
    codes.REPORT_DROPPED,
    "set when: always",
)
_LIMITED_TRIGGER = Pair(
    "retry, timeout",
    "trigger without a script",
    codes.LIMIT_OUT_OF_REACH,
    "add a script to the stage",
)
_ALLOWED_TRIGGER = Pair(
    "allow_failure",
    "trigger after a script",
    codes.LIMIT_OUT_OF_REACH,
    "move the trigger to a separate stage",
)
AWAITED_VALUES = Pair(
    "trigger: { wait: true }",
    "parameters computed at run time",
    codes.TRIGGER_NOT_AWAITED,
    "the job does not wait: pass values that are known from the start, or let the other project continue the work",
)

GROUPED_CANCEL = Pair(
    "concurrency: { cancel: true }",
    "group",
    codes.OVERLAPPING_RUNS,
    "leave group out to cancel runs of the same branch, or give the stages a common lock",
)

BASH_WITH_TOOLS = Pair(
    "shell: bash",
    "build, run, copy, publish, promote, deploy; images: registry",
    codes.NO_BASH_IN_IMAGE,
    "use separate stages",
)
IMAGE_ON_MACHINE = Pair(
    "image",
    "images: local, no agent",
    codes.IMAGE_ON_SHELL_RUNNER,
    "name the tag of a runner with containers",
)
RELEASE_WITH_IMAGE = Pair(
    "image",
    "targets.gitlab.release",
    codes.RELEASE_IN_OWN_IMAGE,
    "leave out the image, or use one that contains glab",
)
RELEASE_WITH_TOOLS = Pair(
    "build, run, copy, publish, promote, deploy; images: registry",
    "targets.gitlab.release",
    codes.RELEASE_IN_OWN_IMAGE,
    "create the release in a separate stage",
)

APPROVED_AND_ALLOWED = Pair(
    "approve",
    "allow_failure",
    codes.APPROVAL_ON_GITLAB,
    "a failure counts; wait for the approval in a separate stage",
)

PAIRS: tuple[Pair, ...] = (
    BASH_WITH_TOOLS,
    IMAGE_ON_MACHINE,
    FOREIGN_CONTAINER,
    APPROVED_AND_ALLOWED,
    ARTIFACTS_ON_FAILURE,
    REPORT_ON_FAILURE,
    _LIMITED_TRIGGER,
    _ALLOWED_TRIGGER,
    AWAITED_VALUES,
    GROUPED_CANCEL,
    RELEASE_WITH_IMAGE,
    RELEASE_WITH_TOOLS,
)
