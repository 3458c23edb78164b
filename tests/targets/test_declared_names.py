"""Outputs and exports with the names that steps bind: without the step, they are values like all others."""

from __future__ import annotations

import re

import pytest

from pipegen.bindings.names import STEP_NAMES
from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.targets import registry

# "output" is a word of generated files, too.
NAMES = [name for names in STEP_NAMES.values() for name in names if name != "output"]
CONFIG = """\
pipelines:
  demo:
    stages:
      - name: first
        image: alpine
        script: [make]
        outputs: {{ {name}: {{ file: version }}, other: {{ command: date }} }}
        exports: {{ more: '<${{.{name}}}>' }}
      - name: second
        script: ['echo "${{setup.logURL}}"']
        exports: {{ {name}: "a\\n${{first.other}}\\n" }}
      - name: reader
        image: 'image:${{first.{name}}}'
        script: ['echo "${{first.{name}}} ${{first.more}} ${{second.{name}}}"']
    execution: [[first, second, reader]]
"""


def compiled(name: str, target: str) -> str:
    """Return the file of the config with outputs called *name*, which are "NAME" in it; without its digest."""
    report = Report()
    plans = analyse(SourceFile("pipegen.yaml", CONFIG.format(name=name)), (), report)
    (file,) = generate(plans, registry.load(target), {}, report)
    assert not report.has_errors()
    text = "".join(line for line in file.text.splitlines(keepends=True) if "Digest:" not in line)
    return re.sub(rf"{name}(?:__[0-9a-f]{{6}})?", "NAME", text, flags=re.IGNORECASE)


@pytest.mark.parametrize("target", ["gitlab", "jenkins"])
@pytest.mark.parametrize("name", NAMES)
def test_an_output_may_have_the_name_of_a_value_of_a_step(name: str, target: str) -> None:
    """It is checked, written and read as an output of any other name: with all its bytes, without a registry."""
    assert compiled(name, target) == compiled("value" if name.islower() else "someValue", target)
