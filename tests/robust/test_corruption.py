"""A sample of what corruption.py does: what is damaged is noticed, whichever byte it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from robust.corruption import KINDS, figures, journals

from pipegen.run import journal
from pipegen.structs import convert


def test_what_is_damaged_is_never_taken() -> None:
    """Each byte of a journal, a summary and an index may be another, or gone."""
    found = figures(is_nightly=False)

    assert found.wrong == 0, found.lines
    assert len(found.lines) == len(KINDS)


def test_a_reader_that_trusts_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check can fail: lines of JSON without their checksums are taken for what they are not."""
    monkeypatch.setattr(journal, "verified", lambda text, kind: convert(json.loads(text), kind))
    count, wrong = journals(tmp_path, 300)

    assert count > 300
    assert any("other outcomes" in one for one in wrong)
