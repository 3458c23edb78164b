"""The layout of imported configs."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text, messages

from pipegen.config.keys import STAGE_KEYS
from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.layout import ordered
from pipegen.importing.sharing import MOST_CHARACTERS


def test_all_keys_of_a_stage_have_a_position() -> None:
    """The name is first; keys that imports do not write are last."""
    keys = list(ordered({key.name: "" for key in reversed(STAGE_KEYS)}))

    assert set(keys) == {key.name for key in STAGE_KEYS}
    assert (keys[:2], keys[-1]) == (["name", "description"], "notify")


def test_variables_of_a_template_are_no_defaults(tmp_path: Path) -> None:
    """Each job without the template would have to remove them, even if most jobs have it."""
    template = ".db: { variables: { DB_HOST: db, DB_NAME: test } }\n"
    jobs = "".join(f"{name}: {{ extends: .db, script: [./{name}] }}\n" for name in ("unit", "api", "load"))
    result, _ = from_text(f"{template}{jobs}lint: {{ script: [./lint] }}\n", tmp_path)

    assert "templates:\n  db:\n    env:\n      DB_HOST: db\n      DB_NAME: test\n" in result.text
    assert "null" not in result.text


_BASE = """\
.base:
  image: alpine
  script: [make, make test]
  cache: { paths: [a], untracked: true }
  variables: { FF_TIMESTAMPS: "true" }
"""


def test_a_template_has_keys_that_most_users_share(tmp_path: Path) -> None:
    """The others replace them."""
    jobs = "".join(f"{name}: {{ extends: .base, tags: [{name}] }}\n" for name in ("one", "two", "three"))
    result, _ = from_text(f"{_BASE}{jobs}four: {{ extends: .base, script: ./four, tags: [one] }}\n", tmp_path)
    proof = prove(result)

    assert "  base:\n    script:\n      - make\n      - make test\n" in result.text
    assert "- { name: one, extends: base, agent: one }" in result.text
    assert "script: [./four]" in result.text
    assert proof is not None
    assert proof.differences == ()


def test_a_template_has_the_parts_of_raw_that_all_users_share(tmp_path: Path) -> None:
    """The others are in the stages."""
    own = "artifacts: { reports: { performance: x.json } }"
    jobs = "".join(f"{name}: {{ extends: .base, {own if name == 'two' else ''} }}\n" for name in ("one", "two"))
    result, _ = from_text(f"{_BASE}{jobs}three: {{ script: make }}\n", tmp_path)
    proof = prove(result)

    assert "raw: { gitlab: { cache: { untracked: true } } }" in result.text
    assert '    runner_variables: { FF_TIMESTAMPS: "true" }' in result.text
    assert "gitlab: { artifacts: { reports: { performance: x.json } } }" in result.text
    assert proof is not None
    assert proof.differences == ()


def test_raw_keys_and_the_shell_of_a_template_are_no_defaults(tmp_path: Path) -> None:
    """The other stages would have to remove them."""
    own = "{ script: 'make | tee log', artifacts: { reports: { performance: x.json } } }"
    jobs = "".join(f"{name}: {{ extends: .scan }}\n" for name in ("one", "two", "three"))
    result, _ = from_text(f".scan: {own}\n{jobs}four: {{ script: make }}\n", tmp_path)

    assert "defaults" not in result.text
    assert "- name: four\n        script: [make]\n    execution" in result.text


def test_the_marks_of_a_comment_stay(tmp_path: Path) -> None:
    """A headline in the file remains one."""
    result, _ = from_text("### Tests ###\n# fast\n#slow\nunit:\n  script:\n    - make ## all\n", tmp_path)

    assert "      ### Tests ###\n      # fast\n      # slow\n" in result.text


def test_raw_keys_that_remove_a_generated_one_stay_together(tmp_path: Path) -> None:
    """A key without a value in a stage would remove that of the template instead."""
    source = """\
include: [{ template: Jobs/SAST.gitlab-ci.yml }]
.scan: { extends: .scanner, hooks: { pre_get_sources_script: [date] } }
one: { extends: .scan }
two: { extends: .scan, identity: google_cloud }
"""
    result, _ = from_text(source, tmp_path)

    assert result.text.count("script: null") == 2
    assert "\n  script:" not in result.generated[-1].text


def test_a_trigger_keeps_defaults_that_only_scripts_have(tmp_path: Path) -> None:
    """A stage that only starts a pipeline has no such keys, and cannot remove them."""
    source = """\
default: { tags: [large], image: alpine }
variables: { GIT_DEPTH: 5 }
one: { script: make }
two: { script: make test }
child: { trigger: { include: child.yml }, inherit: { variables: false } }
"""
    result, report = from_text(source, tmp_path)

    assert messages(report) == ""
    assert "defaults:\n      agent: large\n      fetch: { depth: 5 }\n      image: alpine\n" in result.text
    assert "- { name: child, trigger: { include: child.yml } }" in result.text


@pytest.mark.parametrize(("last", "is_default"), [("", True), ("four: { script: make }\n", False)])
def test_variables_of_a_matrix_are_defaults_if_all_stages_have_them(
    last: str, tmp_path: Path, *, is_default: bool
) -> None:
    """Stages without the axis would have to remove them."""
    matrix = "parallel: { matrix: [{ CC: [gcc, clang] }] }"
    jobs = "".join(f"{name}: {{ script: ./{name}, {matrix} }}\n" for name in ("one", "two", "three"))
    result, _ = from_text(jobs + last, tmp_path)

    assert ('defaults: { env: { CC: "${matrix.CC}" } }' in result.text) is is_default
    assert "null" not in result.text


def test_texts_of_variables_that_contain_others_several_times_stay_short(tmp_path: Path) -> None:
    """Each is twice as long as the one before: past a length, a variable contains others by their names."""
    variables = {"V0": "x"} | {f"V{number + 1}": f"$V{number}$V{number}" for number in range(40)}
    jobs = "".join(f"{name}: {{ variables: {{ V0: {name} }}, script: './x $V40' }}\n" for name in "abc")
    result, report = from_text(f"variables: {variables}\n{jobs}", tmp_path)
    proof = prove(result)

    assert (messages(report), len(result.text) < 3 * MOST_CHARACTERS) == ("", True)
    assert "V3: aaaaaaaa\n" in result.text
    assert "V40: ${V39}${V39}\n" in result.text
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize("mark", ["# Build", "########"])
def test_a_blank_line_is_before_the_comment_of_a_stage(mark: str, tmp_path: Path) -> None:
    """The comment belongs to the stage below it."""
    jobs = f"test: {{ script: [make a, make b] }}\n{mark}\nbuild: {{ script: [make c, make d] }}\n"
    result, _ = from_text(jobs, tmp_path)

    assert f"make b\n\n      {mark}\n      - name: build\n" in result.text
