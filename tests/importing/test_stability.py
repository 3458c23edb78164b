"""An import of the file that an imported config compiles to has the same result as the next one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from importing.samples import CASES, from_text, imported

from pipegen.diagnostics.report import Report
from pipegen.importing.compilation import compiled
from pipegen.importing.gitlab.importer import GitLabImport, import_gitlab
from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.gitlab.reading.locations import Roots
from pipegen.source.text import SourceFile


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_imports_of_generated_files_are_the_same_from_the_second_on(folder: Path, tmp_path: Path) -> None:
    """The first one resolves templates and names that the generated file does not have. All have the same runs.

    The second one may be the first to find that a script needs bash, which then shares commands with fewer others.
    """
    first, _ = imported(folder)
    assert first is not None
    second = _of_generated(first, tmp_path)
    proof = prove(second)

    assert second.generated
    assert proof is not None
    assert proof.differences == ()
    third = _of_generated(second, tmp_path)
    assert third.text == second.text or _of_generated(third, tmp_path).text == third.text


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("ci", []),
        *((name, [{"if": '$LEVEL == "1"', "variables": {"DEPTH": "2"}}]) for name in ("nightly", "a.b (c)", "x/y")),
    ],
)
def test_the_generated_choice_of_a_pipeline_is_its_condition(
    name: str, rules: list[dict[str, object]], tmp_path: Path
) -> None:
    """The rule against a second pipeline for a branch comes from pipegen, and so does the variable in the condition.

    Without rules of the user, the file has no such variable.
    """
    pipeline = {"when": {"event": ["merge_request", "schedule"]}, "stages": [{"name": "test", "script": ["./t"]}]}
    settings = {"gitlab": {"workflow": {"rules": rules}}} if rules else {"gitlab": {}}
    files = compiled(json.dumps({"pipelines": {name: pipeline}, "targets": settings}), "gitlab").files
    result = import_gitlab(SourceFile(".gitlab-ci.yml", files[-1].text), Roots(tmp_path), "main", Report())
    second = compiled(result.text, "gitlab")

    assert ("PIPEGEN" in files[-1].text) == bool(rules)
    assert (second.plans[0].name, "PIPEGEN" in result.text, "raw" in result.text) == (name, False, False)
    assert rules or _rules(second.files[-1].text) == _rules(files[-1].text)


def test_the_generated_choice_of_a_pipeline_is_left_out_beside_rules_that_stay_raw(tmp_path: Path) -> None:
    """No rule of a job tests the variable, so that it only chooses. It would be there once more after each import."""
    rules = "[{ if: $A == 'x', exists: { paths: [f], project: g/p } }, { if: $CI_COMMIT_TAG }]"
    matrix = "{ matrix: [{ A: [x, z] }] }"
    workflow = "{ rules: [{ if: $CI_COMMIT_BRANCH == 'main', variables: { B: x } }, { if: $CI_COMMIT_TAG }] }"
    first, _ = from_text(
        f"workflow: {workflow}\ntest: {{ script: ./test, parallel: {matrix}, rules: {rules} }}\n", tmp_path
    )
    second = _of_generated(first, tmp_path)

    assert "PIPEGEN_PIPELINE" in first.generated[-1].text
    assert "PIPEGEN_PIPELINE" not in second.text
    third = _of_generated(second, tmp_path)
    assert third.text == second.text or _of_generated(third, tmp_path).text == third.text


def test_the_generated_rules_against_values_of_inputs_are_no_raw_rules(tmp_path: Path) -> None:
    """They would be there once more after each import, if the rules of the workflow stay raw."""
    first, _ = from_text(
        "variables: { B: b }\n"
        'workflow: { rules: [{ if: $CI_COMMIT_BRANCH == "main", variables: { B: x } }, { when: always }] }\n'
        "a: { image: 'x:$B', script: x, rules: [{ if: $B == \"x\" }] }\n",
        tmp_path,
    )
    second = _of_generated(first, tmp_path)

    assert "[^ -#&-~]" not in second.text
    third = _of_generated(second, tmp_path)
    assert third.text == second.text or _of_generated(third, tmp_path).text == third.text


def _rules(text: str) -> str:
    return text[text.index("workflow:") : text.index("\ntest:")]


def _of_generated(result: GitLabImport, folder: Path) -> GitLabImport:
    for file in result.generated:
        path = folder / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
    main = SourceFile(".gitlab-ci.yml", result.generated[-1].text)
    return import_gitlab(main, Roots(folder), "main", Report())
