"""Files of other projects, of components and of GitLab's templates, in checkouts below a folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.gitlab.importer import GitLabImport, import_gitlab
from pipegen.importing.gitlab.reading.locations import Roots
from pipegen.source.text import SourceFile

_FILES = {
    "group/ci/build.yml": "include: { local: /parts/*.yml }\nbuild: { script: [from project] }\n",
    "group/ci/parts/part.yml": "part: { script: [from part] }\n",
    "group/sub/tools/templates/lint.yml": "spec: { inputs: { level: { default: low } } }\n---\n"
    "lint: { script: ['lint $[[ inputs.level ]]'] }\n",
    "group/sub/tools/templates/scan/template.yml": "scan: { script: [scan] }\n",
    "gitlab-org/gitlab/lib/gitlab/ci/templates/Jobs/Build.gitlab-ci.yml": "auto: { script: [auto build] }\n",
}


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    """Return a repository, and a folder with checkouts of other projects."""
    repository = tmp_path / "own"
    (repository / "parts").mkdir(parents=True)
    (repository / "parts/part.yml").write_text("part: { script: [from own] }\n", encoding="utf-8")
    for name, text in _FILES.items():
        path = tmp_path / "others" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Roots(repository, tmp_path / "others")


def _imported(include: str, roots: Roots) -> tuple[GitLabImport, str]:
    report = Report()
    source = SourceFile(".gitlab-ci.yml", f"include: [{include}]\nown: {{ script: [make] }}\n")
    return import_gitlab(source, roots, "main", report), messages(report)


@pytest.mark.parametrize(
    ("include", "script"),
    [
        ("{ project: group/ci, file: /build.yml }", "from project"),
        ("{ project: group/ci, file: build.yml, ref: v1 }", "from part"),  # a local file of the other project
        ("{ component: gitlab.com/group/sub/tools/lint@1.0, inputs: { level: high } }", "lint high"),
        ("{ component: $CI_SERVER_FQDN/group/sub/tools/lint@~latest }", "lint low"),
        ("{ component: gitlab.com/group/sub/tools/scan@main }", "scan"),
        ("{ template: Jobs/Build.gitlab-ci.yml }", "auto build"),
    ],
)
def test_files_of_other_projects_are_read(include: str, script: str, roots: Roots) -> None:
    """By the paths of their projects; GitLab's templates are files of its own project."""
    result, reported = _imported(include, roots)

    assert f"script: [{script}]" in result.text
    assert "from own" not in result.text
    assert reported == ""


@pytest.mark.parametrize(
    "include",
    [
        "{ project: group/none, file: a.yml }",
        "{ project: ../own, file: parts/part.yml }",
        "{ component: gitlab.com/group/ci/none@1 }",
        "{ component: gitlab.com/../own/parts@1 }",
        "{ component: lint }",
        "{ template: None.gitlab-ci.yml }",
        "{ template: ../../../../../../group/ci/build.yml }",
    ],
)
@pytest.mark.parametrize("has_projects", [True, False])
def test_files_that_do_not_exist_stay_includes(include: str, roots: Roots, *, has_projects: bool) -> None:
    """GitLab includes them; names out of the folder are none."""
    result, reported = _imported(include, roots if has_projects else Roots(roots.folder))

    assert "include:" in result.text
    assert "PG852" in reported
    assert "from" not in result.text


def test_a_local_file_of_another_project_is_not_included_from_the_own(roots: Roots) -> None:
    """GitLab looks for it in the project of the including file: its name may contain variables."""
    (roots.projects or Path()).joinpath("group/ci/kind.yml").write_text("include: { local: /parts/$KIND.yml }\n")
    result, reported = _imported("{ project: group/ci, file: kind.yml }", roots)

    assert "include:" not in result.text
    assert 'the file "/parts/$KIND.yml" does not exist, so its jobs and templates are missing' in reported
