"""Environment variables."""

from __future__ import annotations

from pipegen.structs import Struct
from pipegen.targets.jenkins.model.expressions import Value


class EnvironmentVariable(Struct):
    """An environment variable, and its value."""

    name: str
    value: Value
