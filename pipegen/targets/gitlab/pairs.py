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

PAIRS: tuple[Pair, ...] = (FOREIGN_CONTAINER,)
