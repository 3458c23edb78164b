"""A sample of corruption.py: damage is detected, whichever byte is affected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from robust.corruption import KINDS, figures, journals

from pipegen.run import journal
from pipegen.structs import convert


def test_damaged_state_is_never_used() -> None:
    """Each byte of a journal, a cache of durations and an index may be changed or missing."""
    result = figures(is_nightly=False)

    assert result.wrong == 0, result.lines
    assert len(result.lines) == len(KINDS)


def test_a_reader_without_checksums_is_detected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This proves that the check can fail: lines without verified checksums give other results."""
    monkeypatch.setattr(journal, "verified", lambda text, kind: convert(json.loads(text), kind))
    count, wrong = journals(tmp_path, 300)

    assert count > 300
    assert any("other outcomes" in fault for fault in wrong)
