"""The GitLab version that a file needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from targets.gitlab.split_runs import SplitUp, split_up
from yaml_data import yaml_data

from pipegen.emit.yaml import Commented
from pipegen.targets.gitlab.checks.versions import KEYS, features_used, text

ROOT = Path(__file__).parents[4]
FILES = sorted((ROOT / "tests/golden").glob("*/expected/**/*gitlab-ci*.yml"))
# Keys in `raw` of the configs of these files.
RAW = {"job.hooks", "job.hooks.pre_get_sources_script", "job.cache.unprotect"}
NAMED = {
    *(
        "variables",
        "default.id_tokens",
        "job.variables",
        "job.services.variables",
        "job.id_tokens",
        "job.rules.variables",
    ),
    *("job.parallel.matrix", "job.needs.parallel.matrix", "include.inputs"),
}
TOP = ("stages", "include", "workflow", "default", "variables")

# Keys that are older than the histories in the documentation, so that their version is unknown.
OLDER = frozenset(
    {
        *(f"include.{key}" for key in ("local", "project", "file", "ref", "template", "remote", "inputs.*")),
        *("include.rules.if", "include.rules.exists", "include.rules.changes", "include.rules.when"),
        *("stages", "include", "default", "default.tags", "default.id_tokens.*", "variables"),
        *(
            "variables.*",
            "default.id_tokens.*.aud",
            "workflow.rules.if",
            "workflow.rules.when",
            "workflow.rules.changes",
        ),
        *(
            "default.image",
            "default.image.name",
            "default.image.entrypoint",
            "default.services",
            "default.services.name",
        ),
        *("default.services.alias", "default.before_script", "default.after_script", "default.interruptible"),
        *("default.retry", "default.retry.max", "default.retry.when"),
        *("job", "job.extends", "job.image", "job.image.name", "job.image.entrypoint", "job.services"),
        *("job.services.name", "job.services.alias", "job.services.command", "job.services.variables.*", "job.tags"),
        *("job.parallel", "job.parallel.matrix.*", "job.needs.parallel.matrix", "job.needs.parallel.matrix.*"),
        *("job.stage", "job.dependencies", "job.rules.if", "job.rules.changes", "job.rules.when", "job.rules.start_in"),
        *("job.when", "job.start_in", "job.environment", "job.environment.name", "job.environment.url"),
        *("job.environment.on_stop", "job.environment.action", "job.allow_failure", "job.retry", "job.retry.max"),
        *(
            "job.retry.when",
            "job.variables",
            "job.variables.*",
            "job.rules.variables.*",
            "job.id_tokens.*",
            "job.id_tokens.*.aud",
        ),
        *("job.before_script", "job.script", "job.after_script", "job.coverage", "job.cache", "job.cache.key"),
        *("job.cache.paths", "job.cache.policy", "job.artifacts", "job.artifacts.name", "job.artifacts.paths"),
        *("job.artifacts.when", "job.artifacts.expire_in", "job.artifacts.reports", "job.artifacts.reports.junit"),
        *(f"job.artifacts.reports.{kind}" for kind in ("container_scanning", "dast", "dependency_scanning", "metrics")),
        *("job.artifacts.reports.coverage_report.coverage_format", "job.artifacts.reports.coverage_report.path"),
        *("job.pages", "job.release.tag_name", "job.release.name", "job.release.description", "job.trigger.project"),
        *("job.release.ref", "job.release.milestones", "job.release.assets.links", "job.release.assets.links.name"),
        *(f"job.release.assets.links.{key}" for key in ("url", "filepath", "link_type")),
        *("job.trigger.branch", "job.trigger.strategy", "job.trigger.include.local"),
        *("job.trigger.forward.yaml_variables", "job.trigger.forward.pipeline_variables"),
    }
)


def keys(value: Any, path: str) -> Iterator[str]:
    """Yield the paths of all keys in *value* at *path*."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, Mapping):
            for key, inner in item.items():
                below = f"{path}.{'*' if path in NAMED else key}"
                yield below
                yield from keys(inner, below)


def emitted(data: Mapping[str, Any]) -> set[str]:
    """Return the paths of all keys of a file."""
    names: set[str] = set()
    for name, value in data.items():
        path = name if name in TOP else "job"
        names |= {path, *keys(value, path)}
    return names


def read(path: Path) -> dict[str, Any]:
    """Return the data of the file at *path*."""
    data: dict[str, Any] = yaml_data(path.read_text(encoding="utf-8"))
    return data


def test_the_files_of_these_tests_exist() -> None:
    """Otherwise the tests below would read nothing."""
    assert len(FILES) > 20


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parts[-3])
def test_each_generated_key_is_in_the_table_of_versions(path: Path) -> None:
    """Keys in `raw` belong to the user."""
    assert emitted(read(path)) - KEYS.keys() - OLDER <= RAW


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parts[-3])
def test_the_header_names_the_newest_version(path: Path) -> None:
    """No key in the file is newer, and one is as new."""
    match = re.search(r"^# Needs GitLab (\d+)\.(\d+) \((.+)\)\.$", path.read_text("utf-8"), re.MULTILINE)
    known = [KEYS[feature].version for feature in (*emitted(read(path)), *features_used(read(path))) if feature in KEYS]

    assert match is not None or not known
    assert match is None or not known or (int(match[1]), int(match[2])) >= max(known)


def test_each_version_has_a_link_to_a_page_of_gitlab() -> None:
    """The documentation does not state the version of each feature. No key is in both tables."""
    pages = ("https://docs.gitlab.com/", "https://gitlab.com/gitlab-org/gitlab/-/merge_requests/")
    assert all(entry.source.startswith(pages) for entry in KEYS.values())
    assert not OLDER & KEYS.keys()


# The wording of GitLab's documentation, in the history of each.
@pytest.mark.parametrize(
    ("stage", "settings", "version", "key"),
    [
        ("artifacts: { paths: [a], keep: false }", "", "16.11", "artifacts:access"),
        ("environment: { name: e, auto_stop_in: 1h }", "", "12.8", "environment:auto_stop_in"),
        ("environment: { name: e, kubernetes: { agent: 'g/p:a' } }", "", "17.6", "environment:kubernetes:agent"),
        (
            "environment: { name: e, kubernetes: { agent: 'g/p:a', namespace: n } }",
            "",
            "17.7",
            "environment:kubernetes:namespace",
        ),
        ("artifacts: { paths: [a], expose_as: b }", "", "12.5", "artifacts:expose_as"),
        ("artifacts: { paths: [a], access: maintainer }", "", "18.4", "artifacts:access: maintainer"),
        ("cache: { paths: [a/], when: always }", "", "13.5", "cache:when"),
        ("environment: { name: e, tier: other }", "", "13.10", "environment:deployment_tier"),
        ("", "include: [{ component: x/y/z@1.0.0 }]", "17.0", "include:component"),
        ("artifacts: { paths: [a], exclude: [b] }", "", "13.1", "artifacts:exclude"),
        ("cache: { paths: [a/], key: k, fallback: [l] }", "", "16.0", "cache:fallback_keys"),
        ("cache: [{ paths: [a/], key: k }, { paths: [b/], key: l }]", "", "13.12", "cache as a list"),
        ("services: [{ image: redis, alias: r, env: { A: b } }]", "", "14.5", "services:variables"),
        ("image: { name: x, pull: always }", "", "15.2", "image:pull_policy"),
        ("approve: { message: Sure? }", "", "17.1", "manual_confirmation"),
        ("timeout: 5m", "", "12.3", "timeout"),
        ("raw: { gitlab: { tags: ['$RUNNER'] } }", "", "14.1", "CI/CD variables in tags"),
        ("raw: { gitlab: { id_tokens: { T: { aud: x } } } }", "", "15.7", "id_tokens"),
        ("", "workflow: { name: x }", "15.7", "workflow:name"),
        ("", "id_tokens: { T: x }", "16.4", "default:id_tokens"),
        ("artifacts: [public/]", "pages: { stage: s, publish: public }", "17.9", "pages:publish"),
    ],
)
def test_keys_newer_than_the_server_are_reported(stage: str, settings: str, version: str, key: str) -> None:
    """The documented version is accepted, the previous one is not; the message is at the stage's line."""
    major, minor = map(int, version.split("."))
    before = f"{major}.{minor - 1}" if minor else f"{major - 1}.11"

    def diagnostics(version: str) -> list[str]:
        layout = split_up(
            f"targets: {{ gitlab: {{ {settings}{', ' if settings else ''}version: '{version}' }} }}\n"
            f"pipelines: {{ p: {{ stages: [{{ name: s, script: [x]{', ' if stage else ''}{stage} }}] }} }}"
        )
        return [diagnostic.message for diagnostic in layout.reported("PG673")]

    assert f'"{key}" needs GitLab {version}; targets.gitlab.version is {before}' in diagnostics(before)
    assert not diagnostics(version)


def test_a_comment_hides_no_keys() -> None:
    """A comment may be above a job or one of its keys."""
    job = {"image": Commented({"name": "x", "pull_policy": "always"}, above="The image.")}

    assert set(features_used({"a": Commented(job, above="A job.")})) == {"job.image.pull_policy"}


def test_keys_that_jobs_share_are_reported_at_each_of_their_stages() -> None:
    """They are in a hidden job that these jobs extend."""
    paths = "paths: [a, b], exclude: [c, d], expire: 1 day"
    stages = ", ".join(
        f"{{ name: {name}, script: [x], artifacts: {{ {paths}, when: always, access: maintainer, overlap: true }} }}"
        for name in ("one", "two")
    )

    def layout(version: str) -> SplitUp:
        return split_up(
            f"targets: {{ gitlab: {{ version: '{version}' }} }}\npipelines: {{ p: {{ stages: [{stages}] }} }}"
        )

    assert "extends: .shared-one" in layout("18.4").files[-1].text
    assert len(layout("18.3").reported("PG673")) == 2


def test_older_servers_have_a_smaller_size_limit() -> None:
    """The default of `max_yaml_size_bytes` was 1 MiB before GitLab 17.3."""
    stages = ", ".join(f"{{ name: s{number}, script: [{number}{'x' * 1_000}] }}" for number in range(800))

    def files(version: str) -> tuple[int, str]:
        layout = split_up(
            f"targets: {{ gitlab: {{ version: '{version}' }} }}\npipelines: {{ p: {{ stages: [{stages}] }} }}"
        )
        return len(layout.files), layout.files[-1].text.splitlines()[1]

    assert files("17.3") == (1, "# Needs GitLab 17.3 (a file of more than 1 MiB).")
    assert files("17.2") == (3, "# Includes its jobs from 2 files: GitLab bounds the size of each.")


def test_versions_are_dotted_text() -> None:
    """16.1 and 16.10 differ, so the setting is text and not a number."""
    assert (text((16, 1)), text((16, 10))) == ("16.1", "16.10")
