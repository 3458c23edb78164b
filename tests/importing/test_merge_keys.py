"""Merge keys, which Ruby's YAML reader handles differently from the YAML specification."""

from __future__ import annotations

from pathlib import Path

from importing.samples import from_text, messages
from yaml_data import yaml_data

_TEMPLATES = """\
.first: &first { tags: [first], script: [first] }
.second: &second { tags: [second], script: [second] }
"""


def test_the_last_of_several_merge_keys_counts(tmp_path: Path) -> None:
    """A list of maps is one merge key, in which the first map wins."""
    text = "several: { <<: *first, <<: *second }\nlist: { <<: [*first, *second] }\n"
    result, _ = from_text(_TEMPLATES + text, tmp_path)

    assert "name: several\n        agent: second\n        script: [second]" in result.text
    assert "name: list\n        agent: first\n        script: [first]" in result.text


def test_a_merge_key_replaces_the_keys_above_it(tmp_path: Path) -> None:
    """The lost key is reported; keys below the merge key win, as in YAML."""
    text = "above:\n  script: [own]\n  <<: *first\nbelow:\n  <<: *first\n  script: [own]\n"
    result, report = from_text(_TEMPLATES + text, tmp_path)

    assert "name: above\n        script: [first]" in result.text
    assert "name: below\n        script: [own]" in result.text
    message = 'info[PG853] the key "script" has no effect: GitLab prefers the one that "<<" below it merges'
    assert f".gitlab-ci.yml:4:3: {message}\n" in f"{messages(report)}\n"


def test_a_hidden_job_that_jobs_merge_is_a_template(tmp_path: Path) -> None:
    """As one that they extend, also one that has merged keys itself."""
    text = """\
.base: &base { image: node:22, before_script: [npm ci, npm audit] }
.slow: &slow { <<: *base, retry: 2, timeout: 2h }
unit: { <<: *base, script: [npm test] }
lint: { <<: *base, script: [npm run lint] }
e2e: { <<: *slow, script: [npm run e2e] }
load: { <<: *slow, script: [npm run load] }
deploy: { image: alpine:3.20, script: [./deploy] }
clean: { image: alpine:3.20, script: [./clean] }
"""
    result, _ = from_text(text, tmp_path)
    config = yaml_data(result.text)
    stages = {stage["name"]: stage for stage in config["pipelines"]["ci"]["stages"]}

    assert config["templates"] == {
        "base": {"before": ["npm ci", "npm audit"]},
        "slow": {"extends": "base", "timeout": "2 hours", "retry": 2},
    }
    assert {name: stage["extends"] for name, stage in stages.items() if "extends" in stage} == {
        **dict.fromkeys(("unit", "lint"), "base"),
        **dict.fromkeys(("e2e", "load"), "slow"),
    }
