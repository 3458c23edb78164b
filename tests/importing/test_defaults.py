"""Jobs get the values of `default`, unless they have their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text, messages
from yaml_data import yaml_data

from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.gitlab.reading.tree import is_null

_DEFAULT = """\
default: { image: alpine, retry: 1, before_script: [prepare] }
.t: { image: debian, retry: 2, before_script: [y] }
"""


@pytest.mark.parametrize(
    "job",
    [
        "j: { script: [x], image: null, retry: ~, before_script: }",
        "j: { extends: .t, script: [x], image: null, retry: null, before_script: null }",
        "j: { script: [x], inherit: { default: }, stage: }",
    ],
)
def test_a_key_without_a_value_does_not_replace_a_default(job: str, tmp_path: Path) -> None:
    """`create!` in `lib/gitlab/config/entry/factory.rb` of GitLab: null is not specified."""
    result, report = from_text(f"{_DEFAULT}{job}\n", tmp_path)

    entries = result.source.jobs["j"].entries
    proof = prove(result)
    assert not any(is_null(entries[key].value) for key in ("image", "retry", "before_script"))
    assert (result.source.jobs["j"].stage, "does not exist" in messages(report)) == ("test", False)
    assert proof is not None
    assert proof.differences == ()
    pipeline = yaml_data(result.text)["pipelines"]["ci"]
    stage = {**pipeline.get("defaults", {}), **pipeline["stages"][0]}
    assert (stage["image"], stage["retry"]) == ("alpine", 1)
    assert "prepare" in result.text


def test_a_default_without_a_value_is_that_of_the_file(tmp_path: Path) -> None:
    """`inherit!` in `lib/gitlab/ci/config/entry/default.rb` of GitLab."""
    result, _ = from_text("image: alpine\ndefault: { image: null }\nj: { script: [x] }\n", tmp_path)

    assert "image: alpine" in result.text
