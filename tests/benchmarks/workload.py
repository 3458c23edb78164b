"""The workload of the compile benchmark: stages in layers, each with an output and two predecessors.

The predecessors are in the previous layer, and a stage prints their outputs. The same stages are written for pipegen
and for the other generators, as far as these support them: each generator gets names, images, scripts and the order in
its usual kind of source.
"""

from __future__ import annotations

from dataclasses import dataclass

IMAGE = "alpine:3.20"
WIDTH = 10


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage and its direct predecessors."""

    name: str
    before: tuple[str, ...]

    @property
    def command(self) -> str:
        """The script of the stage for programs without outputs."""
        return " ".join(("echo", self.name, *self.before))


def stages(count: int) -> tuple[Stage, ...]:
    """Return *count* stages."""
    width = min(WIDTH, max(2, count // 2))

    def before(number: int) -> tuple[str, ...]:
        first, position = (number // width - 1) * width, number % width
        return (f"s{first + position}", f"s{first + (position + 1) % width}") if first >= 0 else ()

    return tuple(Stage(f"s{number}", before(number)) for number in range(count))


def config(count: int) -> str:
    """Return the config of *count* stages."""
    lines = ["pipelines:", "  main:", "    stages:"]
    for stage in stages(count):
        read = " ".join(f"${{{predecessor}.value}}" for predecessor in stage.before)
        lines += [
            f"      - name: {stage.name}",
            f"        image: {IMAGE}",
            f"        script: ['echo \"{stage.name} {read}\"']",
            f"        outputs: {{ value: {{ command: echo {stage.name} }} }}",
        ]
    arcs = [f"      - [{predecessor}, {stage.name}]" for stage in stages(count) for predecessor in stage.before]
    return "\n".join([*lines, *(["    execution:", *arcs] if arcs else []), ""])
