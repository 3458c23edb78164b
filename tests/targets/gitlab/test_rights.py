"""Jobs have only the permissions that they need: tokens, passwords, a daemon, a checkout."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from gitlab_meaning import meaning
from targets.gitlab.compiled import Compiled, compiled
from targets.gitlab.split_runs import is_helper
from yaml_data import yaml_data

ROOT = Path(__file__).parents[3]
GOLDENS = sorted((ROOT / "tests" / "golden").glob("*/pipeline.yml"))
# All permitted keys of a job; other keys would add rights: secrets, identity, hooks.
KEYS = {
    "after_script",
    "allow_failure",
    "artifacts",
    "before_script",
    "cache",
    "coverage",
    "dependencies",
    "environment",
    "extends",
    "id_tokens",
    "image",
    "inherit",
    "interruptible",
    "manual_confirmation",
    "needs",
    "pages",
    "parallel",
    "release",
    "resource_group",
    "retry",
    "rules",
    "script",
    "services",
    "stage",
    "start_in",
    "tags",
    "timeout",
    "trigger",
    "variables",
    "when",
}
_LOGIN = r"\| (?:\$DOCKER|docker) login .* --password-stdin"
_CONTAINERS = r"(?:\$DOCKER|docker) (?:build|run|cp|pull|tag|push)\b"
FILE_KEYS = {"stages", "workflow", "default", "variables", "include"}


def jobs(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the jobs of an expected file, each merged with the job that it extends."""
    data = meaning(yaml_data((path.parent / "expected" / "gitlab-ci.yml").read_text("utf-8")))
    for name, job in data.items():
        if name not in FILE_KEYS and not name.startswith("."):
            yield name, {**data.get(job.get("extends", ""), {}), **job}


def text(job: Mapping[str, Any]) -> str:
    """Return all scripts and variables of a job."""
    return "\n".join(str(job.get(key, "")) for key in ("variables", "before_script", "script", "after_script"))


def secrets(node: object) -> Iterator[str]:
    """Yield the names of the secrets of a config."""
    match node:
        case dict():
            for key, value in node.items():
                if key == "secrets" and isinstance(value, dict):
                    yield from re.findall(r"[\w-]+", str(list(value.values())))
                elif key == "id" or str(key).endswith("credential"):
                    yield str(value)
                else:
                    yield from secrets(value)
        case list():
            for item in node:
                yield from secrets(item)


def too_much(name: str, job: Mapping[str, Any], own: set[str]) -> list[str]:
    """Return the unnecessary permissions of a job; *own* are the variables of the config's secrets."""
    does, helps = text(job), is_helper(job)
    fetches = "dependencies" in job or any(need["artifacts"] for need in job.get("needs", ()) if "artifacts" in need)
    checks_out = "trigger" not in job and job.get("variables", {}).get("GIT_STRATEGY") != "none"
    # The second job of a finally stage does the same as its first one.
    is_second = name.endswith(" on failure") and "PIPELINE_STATUS" in job.get("variables", {})
    wrong = {
        "a key of more rights": not set(job) <= KEYS,
        "the job's token": "CI_JOB_TOKEN" in does and not (helps and name.startswith("trigger ")),
        "a daemon": "docker" in str(job.get("services", "")) and not re.search(_CONTAINERS, str(job["script"])),
        "the registry": "CI_REGISTRY_PASSWORD" in does and not re.search(_LOGIN, does),
        "the machine": "--privileged" in does,
        "a log of everything": "CI_DEBUG" in does,
        "what only a stage has": helps and bool({"services", "cache", "id_tokens", "environment"} & set(job)),
        "a secret": helps
        and not is_second
        and any(re.search(rf"\b{word}(_USERNAME|_PASSWORD)?\b", does) for word in own),
        # The fetched files are in the checkout, and files of an earlier job there must be gone.
        "a checkout": helps and checks_out and not fetches,
    }
    return [word for word, is_wrong in wrong.items() if is_wrong]


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.parent.name)
def test_no_job_has_unnecessary_permissions(path: Path) -> None:
    """A job has a token, a password or a daemon only if its script uses it, and helper jobs have none."""
    config = yaml_data(path.read_text("utf-8"))
    own = {re.sub(r"\W", "_", name).upper() for name in secrets(config)}
    values = {name: wrong for name, job in jobs(path) if (wrong := too_much(name, job, own))}

    assert values == {}


HELPER = {"PIPEGEN_HELPER": "1", "GIT_STRATEGY": "none"}


@pytest.mark.parametrize(
    ("wrong", "job"),
    [
        ("a key of more rights", {"secrets": {"A": {"vault": "a"}}}),
        ("the job's token", {"script": ['curl --header "JOB-TOKEN: $CI_JOB_TOKEN"']}),
        ("a daemon", {"services": [{"name": "docker:28-dind"}], "script": ["make"]}),
        ("the registry", {"script": ['$DOCKER login --password "$CI_REGISTRY_PASSWORD"']}),
        ("the machine", {"script": ["$DOCKER run --privileged a"]}),
        ("a log of everything", {"variables": {"CI_DEBUG_TRACE": "true"}}),
        ("what only a stage has", {"variables": HELPER, "cache": []}),
        ("a secret", {"variables": HELPER, "script": ["echo $SONAR_KEY_PASSWORD"]}),
        ("a checkout", {"variables": {"PIPEGEN_HELPER": "1"}, "script": ["true"]}),
    ],
)
def test_each_unnecessary_permission_is_detected(wrong: str, job: Mapping[str, Any]) -> None:
    """This tests the check itself."""
    assert too_much("a", job, {"SONAR_KEY"}) == [wrong]


@pytest.fixture
def tokens() -> Compiled:
    """Return a pipeline whose stages all get a token, with several kinds of helpers."""
    return compiled(
        """
        pipelines:
          p:
            notify: { email: { to: [team@example.org] } }
            stages:
              - { name: a, script: [make], trigger: { name: docs } }
              - { name: b, script: [make] }
              - { name: z, script: ['echo ${b.status}'] }
            finally: [z]
        targets:
          gitlab:
            id_tokens: { VAULT: https://vault.example.org }
            mail: {}
            projects: { docs: group/docs }
        """
    )


def test_helpers_get_no_id_tokens(tokens: Compiled) -> None:
    """Helpers run no commands of the user."""
    jobs = {name: job for name, job in tokens.data.items() if isinstance(job, dict)}
    helpers = {name: job for name, job in jobs.items() if is_helper(job) and "trigger" not in job}

    assert tokens.data["default"]["id_tokens"] == {"VAULT": {"aud": "https://vault.example.org"}}
    assert len(helpers) >= 2
    assert {name for name, job in helpers.items() if job.get("inherit") != {"default": ["tags"]}} == set()
    assert "inherit" not in tokens.data["a"]
