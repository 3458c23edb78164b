"""Sizes of Jenkinsfiles relative to Jenkins' limits, counted in the syntax tree by Jenkins' own Groovy."""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engines.jenkins_jvm import run_java

# Six shapes of methods broke between 2,521 and 3,389 nodes, "Method code too large": this is safe.
MOST_NODES = 1_500
# "about 250 statements in a block", and Groovy's own limits for literals.
MOST_STATEMENTS = 250
LONGEST_LIST = 250
LARGEST_MAP = 125
LONGEST_TEXT = 65_535
# 700 functions worked, 850 did not: "Class too large".
MOST_METHODS = 700
MOST_CONSTANTS = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """The sizes of one file; those of texts are in UTF-16 units, and in bytes of a class file."""

    script: int
    """Nodes outside of functions."""
    methods: Mapping[str, int]
    """Nodes of each function, by its name and number of parameters."""
    nodes: int
    """Nodes of the whole file."""
    statements: int
    list: int
    map: int
    units: int
    bytes: int
    closures: int
    constants: int
    """An estimate of the constants of the class, as Jenkins' own transformation is not available."""

    @property
    def largest(self) -> int:
        """The number of nodes of the largest method, including the script itself."""
        return max(self.script, *self.methods.values()) if self.methods else self.script

    def broken(self) -> tuple[str, ...]:
        """Return the limits that the file exceeds."""
        values = {
            "nodes": (self.largest, MOST_NODES),
            "statements": (self.statements, MOST_STATEMENTS),
            "list": (self.list, LONGEST_LIST),
            "map": (self.map, LARGEST_MAP),
            "units": (self.units, LONGEST_TEXT),
            "bytes": (self.bytes, LONGEST_TEXT),
            "methods": (len(self.methods), MOST_METHODS),
            "constants": (self.constants, MOST_CONSTANTS),
        }
        return tuple(f"{name}: {size} of {most}" for name, (size, most) in values.items() if size > most)


def measure(texts: Mapping[str, str]) -> dict[str, Sizes]:
    """Return the sizes of each of *texts*; all in one JVM."""
    with tempfile.TemporaryDirectory() as folder:
        request, answer = Path(folder, "request.json"), Path(folder, "answer.json")
        request.write_text(json.dumps(dict(texts)), "utf-8")
        run_java("validator.Sizes", str(request), str(answer), seconds=60 + len(texts))
        data = json.loads(answer.read_text("utf-8"))
    return {name: Sizes(**data[name]) for name in texts}
