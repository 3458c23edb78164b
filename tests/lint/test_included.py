"""What other files bring: told of where it is wrong for anybody, and never changed."""

from __future__ import annotations

from pathlib import Path

from pipegen.cli.fixing import fixed, write_fixed
from pipegen.cli.linting import lint
from pipegen.compiler import analyse
from pipegen.config.files.load import load
from pipegen.diagnostics.report import Report

TEMPLATES = """\
inputs: { level: quick }
templates:
  t:
    image: node
    script: [ls]
    outputs: { x: { command: ls } }
    env: { API_TOKEN: k7Wq92xLmP4z }
    artifacts: [found]
pipelines:
  shared:
    stages: [{ name: a, extends: t }, { name: b, extends: t }, { name: c, extends: t }]
    execution:
      - [a, b, c]
      - [a, c]
"""
CONFIG = """\
include: shared.yaml
pipelines:
  own:
    stages: [{ name: a, extends: t }, { name: b, extends: t }, { name: c, extends: t }]
    execution:
      - [a, b, c]
      - [a, c] # a short cut
"""


def test_what_another_config_may_need_is_not_told(tmp_path: Path) -> None:
    """An image and a secret are; outputs and inputs may be read by others."""
    (tmp_path / "shared.yaml").write_text(TEMPLATES, encoding="utf-8")
    (tmp_path / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    report = Report()
    lint(analyse(load(tmp_path / "pipegen.yaml", Report(), shown="pipegen.yaml"), (), Report()), report)
    told = {
        (one.primary.span.file.path.rpartition("/")[2], one.code.name, one.fix is not None)
        for one in report.diagnostics()
        if one.primary is not None
    }

    assert told == {
        ("shared.yaml", "unpinned-image", False),
        ("shared.yaml", "plain-secret", False),
        ("shared.yaml", "redundant-arc", False),
        ("pipegen.yaml", "redundant-arc", True),
    }


def test_what_is_included_is_not_changed(tmp_path: Path) -> None:
    """Only the config itself is."""
    (tmp_path / "shared.yaml").write_text(TEMPLATES, encoding="utf-8")
    config = tmp_path / "pipegen.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    found = fixed(config)
    assert found is not None
    write_fixed(found)

    assert (tmp_path / "shared.yaml").read_text(encoding="utf-8") == TEMPLATES
    assert config.read_text(encoding="utf-8") == CONFIG.replace("- [a, c] # a", "# a")
