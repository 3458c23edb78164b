"""Jobs get the values of `default`, unless they have their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text, messages
from yaml_data import yaml_data

from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.source.tree import is_null

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


def test_a_default_that_most_jobs_replace_remains_one(tmp_path: Path) -> None:
    """All have an image, so none needs a key against the default."""
    others = "".join(f"{name}: {{ script: [x], image: {name} }}\n" for name in ("c", "d", "e"))
    result, _ = from_text(
        f"default: {{ image: alpine }}\na: {{ script: [x] }}\nb: {{ script: [y] }}\n{others}", tmp_path
    )

    pipeline = yaml_data(result.text)["pipelines"]["ci"]
    assert pipeline["defaults"] == {"image": "alpine"}
    assert [stage.get("image") for stage in pipeline["stages"]] == [None, None, "c", "d", "e"]


_MANY = """\
default:
  image: python:3.12
  tags: [linux]
  services: [postgres:16]
  before_script: [prepare]
  retry: 1
  interruptible: true
unit: { script: unit }
api: { script: api }
docs: { script: docs }
load: { script: load }
lint: { script: lint, inherit: { default: false } }
style: { script: style, inherit: { default: false } }
"""


@pytest.mark.parametrize(
    ("job", "extends"),
    [
        ("last: { script: last, inherit: { default: false }, image: alpine }", True),
        ("last: { script: last, inherit: { default: [image] } }", False),
        ("last: { script: last, inherit: { default: [image, tags] }, retry: 2, tags: [a] }", False),
    ],
    ids=["own", "list", "two"],
)
def test_jobs_without_the_defaults_extend_a_template(job: str, extends: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """One that has a value of its own replaces that of the template; one that gets a default removes the others."""
    result, _ = from_text(f"{_MANY}{job}\n", tmp_path)
    proof = prove(result)

    config = yaml_data(result.text)
    removed = ("agent", "before", "image", "interruptible", "retry", "services")
    stages = {stage["name"]: stage for stage in config["pipelines"]["ci"]["stages"]}
    assert config["templates"] == {"without-defaults": dict.fromkeys(removed)}
    assert stages["lint"] == {"name": "lint", "extends": "without-defaults", "script": ["lint"]}
    assert ("extends" in stages["last"]) == extends
    assert proof is not None
    assert proof.differences == ()


def test_a_single_job_without_the_defaults_removes_them_itself(tmp_path: Path) -> None:
    """A template for one job would save nothing."""
    result, _ = from_text(_MANY.replace("style: { script: style, inherit: { default: false } }\n", ""), tmp_path)

    assert "templates" not in yaml_data(result.text)


@pytest.mark.parametrize(
    ("own", "default", "rest"),
    [
        ("{ key: npm, paths: [.npm/], policy: push }", {"key": "npm", "paths": [".npm/"], "policy": "pull"}, "push"),
        ("{ key: npm, paths: [.npm/] }", {"key": "npm", "paths": [".npm/"]}, None),
        ("{ key: { files: [a] }, paths: [.npm/], policy: pull }", {"paths": [".npm/"], "policy": "pull"}, None),
    ],
    ids=["policy", "without policy", "key of a file"],
)
def test_defaults_have_the_parts_of_a_cache_that_all_jobs_have(
    own: str, default: dict[str, object], rest: str | None, tmp_path: Path
) -> None:
    """Jobs have what differs, and no default removes a part."""
    cache = "default: { cache: { key: npm, paths: [.npm/], policy: pull } }\n"
    jobs = "".join(f"{name}: {{ script: {name} }}\n" for name in ("unit", "api", "docs"))
    result, _ = from_text(f"{cache}{jobs}build: {{ script: make, cache: {own} }}\n", tmp_path)
    proof = prove(result)

    pipeline = yaml_data(result.text)["pipelines"]["ci"]
    build = next(stage for stage in pipeline["stages"] if stage["name"] == "build")
    assert pipeline["defaults"]["cache"] == default
    assert build.get("cache", {}).get("policy") == rest
    assert proof is not None
    assert proof.differences == ()
