"""Real pipelines can be imported: none crashes, every key is accounted for, and the configs compile."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import imported, messages

from pipegen.importing.accounting import KeyOutcome

FOLDER = Path(__file__).parents[3] / "shared" / "import-corpus" / "gitlab"
PIPELINES = sorted(path.parent for path in FOLDER.glob("*/.gitlab-ci.yml"))
pytestmark = [
    pytest.mark.robust,
    pytest.mark.skipif(not PIPELINES, reason="the folder shared/import-corpus is not beside the checkout"),
]


@pytest.mark.parametrize("folder", PIPELINES, ids=lambda folder: folder.name)
def test_a_real_pipeline_is_imported(folder: Path) -> None:
    """A pipeline without stages of its own has only jobs of files that cannot be read."""
    result, report = imported(folder)

    assert result is not None, messages(report)
    assert sum(result.count.number(outcome) for outcome in KeyOutcome) == result.count.keys
    assert result.generated or "include-not-read" in {diagnostic.code.name for diagnostic in report.diagnostics()}
