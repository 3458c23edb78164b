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

FAILURE_BESIDE_VALUES = Pair(
    "artifacts, when: failure",
    "outputs that others read",
    codes.FAILURE_LOSES_VALUES,
    'say "when: always"',
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
    FAILURE_BESIDE_VALUES,
    APPROVED_AND_ALLOWED,
)
