"""Values and scripts have the same syntax for references."""

from __future__ import annotations

import pytest
from bindings.sample_scripts import scalar

from pipegen.bindings.expression import Reference
from pipegen.bindings.parse import parse_text
from pipegen.bindings.script.entry import parse_script
from pipegen.diagnostics.report import Report


def in_value(text: str) -> list[Reference]:
    """Return the references that a value contains."""
    return [part for part in parse_text(scalar(text), Report()).parts if isinstance(part, Reference)]


def in_script(text: str) -> list[Reference]:
    """Return the references that a script contains."""
    return [placed.reference for placed in parse_script(scalar(text), ("build", "a-b"), Report()).references()]


@pytest.mark.parametrize(
    "text",
    [
        "${build.version}",
        "${build.version.major}",
        "${.version}",
        "${..version}",
        "${build.}",
        "${.}",
        "${a-b.version|}",
        "${build.version|1.0 rc|2}",
        "${build[linux].version}",
        "${build[os=linux, arch=arm64].version|none}",
        '${build[os="linux"].version}',
        "${build[os=it's].version}",
        "x ${build.version} y ${inputs.name} z",
    ],
)
def test_values_and_scripts_have_the_same_references(text: str) -> None:
    """Their spans are also the same."""
    references = in_value(text)

    assert references
    assert [(reference, reference.span) for reference in in_script(text)] == [
        (reference, reference.span) for reference in references
    ]
