"""Attempts to import a pipeline compile no config that is known already."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text

from pipegen.diagnostics.report import Report
from pipegen.importing.compilation import CompiledConfig, compiled
from pipegen.importing.gitlab import importer
from pipegen.importing.gitlab.importer import with_needs
from pipegen.importing.gitlab.stages.after_failures import Misordered

_MATRIX = """\
stages: [build, test]
build: { stage: build, script: 'make $X', parallel: { matrix: [{ X: [a, b] }] } }
lint: { stage: test, script: ./lint, needs: [] }
test: { stage: test, script: ./test }
"""


def _compilations(patch: pytest.MonkeyPatch) -> list[str]:
    """Return the list to which each compilation of an attempt adds its config."""
    texts: list[str] = []

    def counted(text: str, target: str, *, checks_scripts: bool = False) -> CompiledConfig:
        texts.append(text)
        return compiled(text, target, checks_scripts=checks_scripts)

    patch.setattr(importer, "compiled", counted)
    return texts


def test_raw_needs_have_the_names_of_the_first_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A config without these needs is not compiled for the names."""
    first, _ = from_text(_MATRIX, tmp_path)
    texts = _compilations(monkeypatch)
    result = with_needs(first, Misordered(["test"]), Report())

    assert result is not None
    assert len(texts) == 1
    assert "needs:" in result.text


def test_an_attempt_with_the_config_of_another_is_not_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of stages cannot be kept where too many jobs have needs."""
    first, _ = from_text(_MATRIX, tmp_path)
    second = with_needs(first, Misordered(["test"]), Report())
    texts = _compilations(monkeypatch)

    assert second is not None
    assert with_needs(first, Misordered(["test"], {"test": 0}), Report(), [second]) is None
    assert texts == []


def test_files_that_replace_others_are_seen_beside_an_error_in_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One further attempt has the corrections of both."""
    source = """\
stages: [build, strip, test]
build: { stage: build, script: make, artifacts: { paths: [out/] } }
strip: { stage: strip, script: strip out/*, artifacts: { paths: [out/] } }
test:
  stage: test
  script: ./test
  variables: { BRANCH: $CI_MERGE_REQUEST_SOURCE_BRANCH_NAME }
  cache: { key: $BRANCH, paths: [deps] }
  rules: [{ if: $CI_MERGE_REQUEST_IID }]
"""
    texts = _compilations(monkeypatch)
    from_text(source, tmp_path)

    assert len(texts) == 2
