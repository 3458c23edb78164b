"""Websites that jobs publish."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text, messages
from yaml_data import yaml_data

from pipegen.importing.gitlab.proof.comparison import prove


@pytest.mark.parametrize(
    ("job", "artifacts", "setting"),
    [
        ("site: { script: [x], pages: true, publish: out }", ["out"], {"stage": "site", "publish": "out"}),
        ("site: { script: [x], pages: { publish: out/ } }", ["out"], {"stage": "site", "publish": "out/"}),
        (
            "site: { script: [x], pages: true, artifacts: { paths: [logs] } }",
            ["logs", "public"],
            {"stage": "site"},
        ),
        ("pages: { script: [x], artifacts: { paths: [public/] } }", ["public/"], {"stage": "pages"}),
        ("pages: { script: [x] }", ["public"], {"stage": "pages"}),
        ("pages: { script: [x], pages: false }", None, None),
        ("pages: { script: [x], pages: }", ["public"], {"stage": "pages"}),
    ],
)
def test_the_folder_of_a_website_is_an_artifact(
    job: str, artifacts: list[str] | None, setting: dict[str, str] | None, tmp_path: Path
) -> None:
    """GitLab adds it since 17.10, and later jobs get it."""
    result, report = from_text(f"{job}\nlast: {{ stage: deploy, script: [ls] }}\n", tmp_path)

    config = yaml_data(result.text)
    proof = prove(result)
    assert proof is not None
    assert (messages(report), proof.differences) == ("", ())
    assert config["pipelines"]["ci"]["stages"][0].get("artifacts") == artifacts
    assert config["targets"]["gitlab"].get("pages") == setting


@pytest.mark.parametrize(
    ("keys", "pages", "reason"),
    [
        ("pages: true, publish: b", {"publish": "b"}, "another job publishes one, too"),
        ("pages: { path_prefix: p }, publish: b", {"path_prefix": "p", "publish": "b"}, "another job publishes one"),
        ("pages: { path_prefix: p }", {"path_prefix": "p"}, "another job publishes one, too"),
    ],
)
def test_a_second_website_stays_raw_with_its_folder(
    keys: str, pages: dict[str, str], reason: str, tmp_path: Path
) -> None:
    """The setting has one."""
    result, report = from_text(
        f"one: {{ script: [x], pages: true, publish: a }}\ntwo: {{ script: [x], {keys} }}\n", tmp_path
    )

    proof = prove(result)
    assert f'the website of job "two" stays a key of GitLab: {reason}' in messages(report)
    assert yaml_data(result.text)["pipelines"]["ci"]["stages"][1]["raw"]["gitlab"] == {"pages": pages}
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ("pages: { path_prefix: p }", 'the key "path_prefix"'),
        ("pages: { publish: $OUT }", "its folder contains a variable"),
        ("pages: true, artifacts: { paths: [a], untracked: true }", "the artifacts of the job stay raw"),
    ],
)
def test_other_websites_stay_raw(keys: str, reason: str, tmp_path: Path) -> None:
    """The setting cannot have them."""
    _, report = from_text(f"site: {{ script: [x], {keys} }}\n", tmp_path)

    assert f'the website of job "site" stays a key of GitLab: {reason}' in messages(report)


def test_publish_without_a_website_is_reported(tmp_path: Path) -> None:
    """GitLab refuses it."""
    _, report = from_text("site: { script: [x], publish: out }\n", tmp_path)

    assert 'GitLab refuses "publish" of job "site": it needs "pages"' in messages(report)
