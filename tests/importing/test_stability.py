"""An import of the file that an imported config compiles to has the same result as the next one."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import CASES, imported

from pipegen.diagnostics.report import Report
from pipegen.importing.gitlab.files import Roots
from pipegen.importing.gitlab.importer import GitLabImport, import_gitlab
from pipegen.source.text import SourceFile

# The generated `workflow` of a pipeline with conditions stays raw, and each import adds to it.
_GROWING = frozenset({"only", "rules", "variables-of-rules"})


@pytest.mark.parametrize("folder", [one for one in CASES if one.name not in _GROWING], ids=lambda folder: folder.name)
def test_imports_of_generated_files_are_the_same_from_the_second_on(folder: Path, tmp_path: Path) -> None:
    """The first one resolves templates and names that the generated file does not have."""
    first, _ = imported(folder)
    assert first is not None
    second = _of_generated(first, tmp_path)

    assert second.generated
    assert _of_generated(second, tmp_path).text == second.text


def _of_generated(result: GitLabImport, folder: Path) -> GitLabImport:
    for file in result.generated:
        path = folder / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
    main = SourceFile(".gitlab-ci.yml", result.generated[-1].text)
    return import_gitlab(main, Roots(folder), "main", Report())
