"""The files of stages: artifacts and caches."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text, messages
from yaml_data import yaml_data

from pipegen.importing.compilation import CompiledConfig, compiled
from pipegen.importing.gitlab.proof.comparison import prove

_CONFLICTS = """\
.build: { stage: build, script: [make], artifacts: { paths: [build/, "*.log"], expire_in: 1 day } }
x86: { extends: .build, tags: [x86] }
arm: { extends: .build, tags: [arm] }
report: { stage: test, script: [./report] }
"""


def test_stages_that_inherit_conflicting_paths_overlap(tmp_path: Path) -> None:
    """The error is at the template, which gets the key."""
    result, _ = from_text(_CONFLICTS, tmp_path)

    assert result.generated
    assert result.text.count("overlap: true") == 1


def test_stages_whose_template_extends_that_with_conflicting_paths_overlap(tmp_path: Path) -> None:
    """The template with these paths gets the key for all of them."""
    source = (
        _CONFLICTS
        + """\
.emulated: { extends: .build, image: qemu, services: [redis] }
mips: { extends: .emulated, tags: [mips] }
ppc: { extends: .emulated, tags: [ppc] }
"""
    )
    result, _ = from_text(source, tmp_path)

    assert result.generated
    assert "emulated:\n    extends: build\n    image: qemu\n    services: [redis]\n" in result.text
    assert result.text.count("overlap: true") == 1


@pytest.mark.parametrize(
    ("jobs", "number"),
    [
        pytest.param(_CONFLICTS, 1, id="jobs without an order"),
        pytest.param("x86: { stage: build, script: make, artifacts: { paths: [build] }, parallel: 2 }", 1, id="matrix"),
        pytest.param(
            "x86: { stage: .pre, script: make, artifacts: { paths: [build] } }\n"
            "arm: { stage: build, script: make, artifacts: { paths: [build/] } }",
            1,
            id="replaced files",
        ),
        pytest.param(
            "x86: { stage: build, script: make, artifacts: { paths: [a/b] } }\n"
            "arm: { stage: build, script: make, artifacts: { paths: [a/] } }",
            2,
            id="a file of a folder",
        ),
    ],
)
def test_overlapping_paths_that_are_equal_need_one_compilation(
    jobs: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paths that are equal are found before, others by the errors of the first compilation."""
    texts: list[str] = []

    def counted(text: str, target: str, *, checks_scripts: bool) -> CompiledConfig:
        texts.append(text)
        return compiled(text, target, checks_scripts=checks_scripts)

    monkeypatch.setattr("pipegen.importing.gitlab.importer.compiled", counted)
    result, _ = from_text(f"{jobs}\nunit: {{ stage: test, script: ./unit }}\n", tmp_path)

    assert result.generated
    assert "overlap: true" in result.text
    assert len(texts) == number


def test_paths_of_stages_whose_files_none_gets_together_do_not_overlap(tmp_path: Path) -> None:
    """A trigger gets no files, and each of the other stages gets those of one."""
    result, _ = from_text(
        """\
x86: { stage: build, script: make, artifacts: { paths: [build/] } }
arm: { stage: build, script: make, artifacts: { paths: [build/] } }
test x86: { stage: test, script: ./test, needs: [x86] }
test arm: { stage: test, script: ./test, needs: [arm] }
deploy: { stage: deploy, trigger: group/deploy }
""",
        tmp_path,
    )

    assert result.generated
    assert "overlap" not in result.text


@pytest.mark.parametrize("keys", ["", ", parallel: { matrix: [{ PART: [a, b] }] }"])
def test_stages_that_replace_files_of_earlier_ones_overlap(keys: str, tmp_path: Path) -> None:
    """GitLab replaces them when it downloads both; the generated job packs no copy of them."""
    source = f"""\
stages: [build, strip, test]
build: {{ stage: build, script: [make], artifacts: {{ paths: [out/] }} }}
strip: {{ stage: strip, script: [strip out/*], artifacts: {{ paths: [out/] }}{keys} }}
test: {{ stage: test, script: [./test] }}
"""
    result, _ = from_text(source, tmp_path)
    proof = prove(result)

    assert result.text.count("overlap: true") == 1
    assert "tar " not in result.generated[-1].text
    assert proof is not None
    assert proof.differences == ()


def test_artifacts_without_files_have_no_effect(tmp_path: Path) -> None:
    """The artifacts of the default and of a hidden job are those of some jobs only; reports are files, too."""
    result, report = from_text(
        """\
default: { artifacts: { expire_in: 1 week } }
.base: { artifacts: { expire_in: 1 day } }
build: { extends: .base, script: make, artifacts: { paths: [dist/] } }
lint: { extends: .base, script: make lint }
unit: { script: make unit, artifacts: { when: always, reports: { junit: unit.xml } } }
docs: { script: make docs }
""",
        tmp_path,
    )

    assert result.text.count("artifacts") == 1
    assert "artifacts: { paths: [dist/], expire: 1 day }" in result.text
    assert "raw" not in result.text
    assert messages(report).endswith('"artifacts" in "default" has no effect: no job gets this value\n')


def test_the_default_branch_in_the_key_of_a_cache_is_its_name(tmp_path: Path) -> None:
    """GitLab would put the variable into the key unchanged."""
    keys = "{ key: go-$CI_COMMIT_REF_SLUG, fallback_keys: [go-$CI_DEFAULT_BRANCH], paths: [go/] }"
    result, _ = from_text(f"unit: {{ script: [make], cache: {keys} }}\n", tmp_path)

    assert 'cache: { key: "go-${setup.branch}", paths: [go/], fallback: [go-main] }' in result.text


@pytest.mark.parametrize("variable", ["CI_COMMIT_BRANCH", "CI_COMMIT_REF_NAME", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"])
def test_the_name_of_a_branch_in_the_key_of_a_cache_stays_raw(variable: str, tmp_path: Path) -> None:
    """A config only has the slug, which tags and merge requests have too, and several branches can have the same."""
    result, _ = from_text(f"unit: {{ script: make, cache: {{ key: ${variable}-npm, paths: [npm/] }} }}\n", tmp_path)

    assert f"gitlab: {{ cache: {{ key: ${variable}-npm, paths: [npm/] }} }}" in result.text
    assert f"key: ${variable}-npm" in result.generated[-1].text


def test_the_source_branch_in_a_namespace_is_no_slug(tmp_path: Path) -> None:
    """The slug has a value in runs without a merge request, too."""
    namespace = "preview-$CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"
    environment = f"{{ name: preview, kubernetes: {{ agent: 'a/b:c', namespace: {namespace} }} }}"
    result, _ = from_text(f"deploy: {{ script: make, environment: {environment} }}\n", tmp_path)

    assert f"namespace: {namespace}" in result.generated[-1].text


def test_variables_in_the_files_of_a_key_stay_raw(tmp_path: Path) -> None:
    """GitLab does not expand them, so the key never changes; the checksum of the file would be another one."""
    source = """\
variables: { FOLDER: frontend }
unit: { script: [make], cache: { key: { files: [$FOLDER/package-lock.json], prefix: npm }, paths: [npm/] } }
"""
    result, _ = from_text(source, tmp_path)

    assert "cache: { key: { files: [$FOLDER/package-lock.json], prefix: npm }, paths: [npm/] }" in result.text
    assert "- $FOLDER/package-lock.json" in result.generated[-1].text


def test_dependencies_without_a_value_have_no_effect(tmp_path: Path) -> None:
    """Such a key only removes that of a template: the job gets the files of all earlier jobs."""
    source = """\
build: { stage: build, script: make, artifacts: { paths: [out/] } }
.none: { dependencies: [] }
test: { extends: .none, script: t, dependencies: null }
last: { extends: .none, script: l }
"""
    result, _ = from_text(source, tmp_path)
    proof = prove(result)

    assert result.text.count("files_from: []") == 1
    assert proof is not None
    assert proof.differences == ()


def test_data_of_git_is_excluded_from_artifacts(tmp_path: Path) -> None:
    """Artifacts of a config never have it."""
    job = "{ script: make, artifacts: { paths: [dist/], exclude: [.git/, '.git/**/*'] } }"
    result, _ = from_text(f"build: {job}\n", tmp_path)

    assert "artifacts: { paths: [dist/], exclude: [.git/, .git/**/*] }" in result.text
    assert "raw" not in result.text


def test_paths_below_a_folder_that_ends_with_a_slash_have_one_slash(tmp_path: Path) -> None:
    """The folder is a variable, or the checkout."""
    files = (
        "artifacts: { paths: [$ROOT/plan, $CI_PROJECT_DIR//log] }, cache: { key: k, paths: ['${ROOT}/.terraform/'] }"
    )
    result, _ = from_text(f"variables: {{ ROOT: infra/ }}\nplan: {{ script: make, {files} }}\n", tmp_path)
    proof = prove(result)

    assert "artifacts: [infra/plan, log]" in result.text
    assert "paths: [infra/.terraform/]" in result.text
    assert proof is not None
    assert proof.differences == ()


def test_cache_keys_differ_as_in_the_source(tmp_path: Path) -> None:
    """Generated files replace special characters with dashes; keys that stay different are not renamed."""
    keys = {
        "a": '"u:lint"',
        "b": "u-lint",
        "c": '"u lint"',
        "d": '"$CI_COMMIT_SHA:x"',
        "e": '"$CI_COMMIT_SHA x"',
        "f": '"only:one"',
        "g": '{ files: [lock], prefix: "u:lint" }',
        "h": 'k, fallback_keys: ["u:lint"]',
    }
    jobs = [f"{name}: {{ script: make, cache: {{ key: {key}, paths: [c] }} }}\n" for name, key in keys.items()]
    result, report = from_text("".join(jobs), tmp_path)
    stages = yaml_data(result.text)["pipelines"]["ci"]["stages"]

    assert [stage["cache"]["key"] for stage in stages] == [
        "u-lint-2",
        "u-lint",
        "u-lint-3",
        "${setup.commit}:x",
        "${setup.commit}-x-2",
        "only:one",
        {"files": ["lock"], "prefix": "u-lint-2"},
        "k",
    ]
    assert stages[-1]["cache"]["fallback"] == ["u-lint-2"]
    assert messages(report) == ""
