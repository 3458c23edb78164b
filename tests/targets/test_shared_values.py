"""Diagnostics of targets for values that stages share."""

from __future__ import annotations

import pytest

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.targets.registry import load

CONFIG = """\
pipelines:
  p:
    concurrency: { cancel: true }
    defaults:
      image: { name: 'registry.example.org/gcc:14', args: [--init], credentials: registry }
      agent: linux
      interruptible: false
      raw: { gitlab: { hooks: { pre_get_sources_script: [date] } } }
      cache: { key: objects, paths: [.ccache/], fallback: [all], when: always }
    stages:
      - { name: unit, script: [make test] }
      - { name: docs, script: [make docs] }
      - { name: load, script: [make load] }
"""


@pytest.mark.parametrize(("target", "count"), [("gitlab", 3), ("jenkins", 4)])
def test_a_value_that_stages_share_is_reported_once(target: str, count: int) -> None:
    """The messages do not name the stages, so that they are equal."""
    report = Report()
    generate(analyse(SourceFile("pipegen.yaml", CONFIG), (), report), load(target), {}, report)
    texts = [diagnostic.primary.span.text for diagnostic in report.diagnostics() if diagnostic.primary is not None]

    assert len(texts) == count, [diagnostic.message for diagnostic in report.diagnostics()]
