"""Diagnostics in included files, which are never edited."""

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


def test_unused_names_in_an_included_file_are_not_reported(tmp_path: Path) -> None:
    """Other configs may read its outputs and inputs; images and secrets are reported."""
    (tmp_path / "shared.yaml").write_text(TEMPLATES, encoding="utf-8")
    (tmp_path / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    report = Report()
    lint(analyse(load(tmp_path / "pipegen.yaml", Report(), shown="pipegen.yaml"), (), Report()), report)
    codes_by_file = {
        (diagnostic.primary.span.file.path.rpartition("/")[2], diagnostic.code.name, diagnostic.fix is not None)
        for diagnostic in report.diagnostics()
        if diagnostic.primary is not None
    }

    assert codes_by_file == {
        ("shared.yaml", "unpinned-image", False),
        ("shared.yaml", "plain-secret", False),
        ("shared.yaml", "redundant-arc", False),
        ("pipegen.yaml", "redundant-arc", True),
    }


def test_fix_does_not_edit_included_files(tmp_path: Path) -> None:
    """Only the config itself is edited."""
    (tmp_path / "shared.yaml").write_text(TEMPLATES, encoding="utf-8")
    config = tmp_path / "pipegen.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    fixes = fixed(config)
    assert fixes is not None
    write_fixed(fixes)

    assert (tmp_path / "shared.yaml").read_text(encoding="utf-8") == TEMPLATES
    assert config.read_text(encoding="utf-8") == CONFIG.replace("- [a, c] # a", "# a")
