"""Pictures for tests."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.graph.execution import ExecutionGraph
from pipegen.pictures.model import Link, Picture, StageBox, StageMark

# Names that would be markup, code or invisible if they were not escaped.
HOSTILE = (
    "</script><script>window.broken = 1</script>",
    "--><!--<img src=x onerror='window.broken = 1'>",
    "\"'><svg onload=window.broken=1>",
    "{{ 7 * 7 }} {% raw %} {# c #}",
    "line\u2028separator\u2029and\nbreak\x01\x7f\u202e\ud83d",
    "&lt;b&gt; &amp; ]]>",
    "__proto__",
)


def picture(name: str = "service", stage: str = "unit", detail: Mapping[str, object] | None = None) -> Picture:
    """Return a pipeline of four stages, the second of which is called *stage*."""
    return Picture(
        name=name,
        words=("4 stages", "3 on the longest path"),
        graph=ExecutionGraph([["build", stage, "release"]]),
        stages=(
            StageBox(name="build"),
            StageBox(name=stage, detail=detail or {}),
            StageBox(
                name="release", marks=(StageMark.CONDITION, StageMark.APPROVAL), notes=("when branch main", "waits")
            ),
            StageBox(name="clean-up", marks=(StageMark.FINALLY,)),
        ),
        links={("build", stage): Link(values=("version",), files=("dist/",))},
        path=("build", stage, "release"),
        last=("clean-up",),
    )
