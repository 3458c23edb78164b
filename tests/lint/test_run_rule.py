"""The command that runs one rule on many configs."""

import pytest
from lint.run_rule import diagnostics, files

from pipegen.source.text import SourceFile

CONFIG = SourceFile("pipegen.yaml", "pipelines: {p: {stages: [{name: a, image: python, script: [make]}]}}\n")


@pytest.mark.parametrize(("code", "count"), [("PG705", 1), ("unpinned-image", 1), ("PG703", 0)])
def test_diagnostics_selects_one_code(code: str, count: int) -> None:
    """The code is given by number or by name."""
    assert len(diagnostics(CONFIG, code).diagnostics()) == count


def test_files_has_examples_documents_and_goldens() -> None:
    """The corpus is optional."""
    paths = [file.path for file in files()]

    assert all(any(part in path for path in paths) for part in ("examples/", "language.md", "tests/golden/"))
