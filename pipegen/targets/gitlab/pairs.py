"""What GitLab does not take together; each check takes its code from here."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.targets.base import Pair

FOREIGN_CONTAINER = Pair(
    "run",
    "${other.container}, images: registry",
    codes.CONTAINER_NOT_SHARED,
    "take files out of the container by copy, or set images: local",
)

KEPT_ON_FAILURE = Pair(
    "artifacts: { when: failure }",
    "outputs or copies that other stages read",
    codes.FAILURE_LOSES_VALUES,
    "say when: always",
)
REPORT_KEPT_ON_FAILURE = Pair(
    "artifacts: { when: failure }",
    "reports: { sarif: … }",
    codes.REPORT_DROPPED,
    "say when: always",
)
LIMITED_TRIGGER = Pair(
    "retry, timeout",
    "trigger and nothing else",
    codes.LIMIT_OUT_OF_REACH,
    "let the stage run a script before it triggers",
)
ALLOWED_TRIGGER = Pair(
    "allow_failure",
    "trigger after a script",
    codes.LIMIT_OUT_OF_REACH,
    "trigger in a stage of its own",
)
AWAITED_VALUES = Pair(
    "trigger: { wait: true }",
    "parameters that the run works out",
    codes.TRIGGER_NOT_AWAITED,
    "it is not waited for: pass what is known from the start, or let the other project go on from there",
)

GROUPED_CANCEL = Pair(
    "concurrency: { cancel: true }",
    "group",
    codes.OVERLAPPING_RUNS,
    "leave group out to cancel runs of the same branch, or give stages a lock in common",
)

BASH_WITH_TOOLS = Pair(
    "shell: bash",
    "build, run, copy, publish, promote, deploy; images: registry",
    codes.NO_BASH_IN_IMAGE,
    "do the two in stages of their own",
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
    "leave the image out, or name one that holds glab",
)
RELEASE_WITH_TOOLS = Pair(
    "build, run, copy, publish, promote, deploy; images: registry",
    "targets.gitlab.release",
    codes.RELEASE_IN_OWN_IMAGE,
    "make the release in a stage of its own",
)

APPROVED_AND_ALLOWED = Pair(
    "approve",
    "allow_failure",
    codes.GATE_ON_GITLAB,
    "a failure counts; let a stage of its own wait for the approval",
)

PAIRS: tuple[Pair, ...] = (
    BASH_WITH_TOOLS,
    IMAGE_ON_MACHINE,
    FOREIGN_CONTAINER,
    APPROVED_AND_ALLOWED,
    KEPT_ON_FAILURE,
    REPORT_KEPT_ON_FAILURE,
    LIMITED_TRIGGER,
    ALLOWED_TRIGGER,
    AWAITED_VALUES,
    GROUPED_CANCEL,
    RELEASE_WITH_IMAGE,
    RELEASE_WITH_TOOLS,
)
