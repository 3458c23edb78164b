"""Settings of stages: caches, locks, reuse of results, keys for one engine."""

from __future__ import annotations

import pytest
from plan.sample_plans import job_of, reported, shown, wrong

from pipegen.plan.model import CachePolicy


@pytest.mark.parametrize(
    ("cache", "paths", "key", "files"),
    [
        ("{paths: [.npm/, a]}", (".npm/", "a"), "s", ()),
        ("{paths: [a/], key: 'k-${setup.branch}'}", ("a/",), "k-<setup setup.branch>", ()),
        ("{paths: [a/], key: {files: [x.lock, x.lock]}}", ("a/",), "", ("x.lock",)),
        ("{paths: [a/], key: {files: [x.lock], prefix: p}}", ("a/",), "p", ("x.lock",)),
    ],
)
def test_a_cache_has_a_key_and_paths(cache: str, paths: tuple[str, ...], key: str, files: tuple[str, ...]) -> None:
    """The default is the stage's name; a folder keeps its trailing slash."""
    (caches,) = job_of(f"{{name: s, script: x, cache: {cache}}}").caches

    assert (caches.paths, shown(caches.key), caches.files, caches.policy) == (paths, key, files, CachePolicy.PULL_PUSH)


def test_paths_of_caches_are_relative_to_the_repository() -> None:
    """The same holds for files of keys."""
    first, second = job_of(
        "{name: s, directory: d, script: x, cache: ["
        "{paths: [a/, ../b], key: {files: [c]}, policy: push}, {paths: [x], fallback: [k, l], policy: pull}]}"
    ).caches

    assert (first.paths, first.files, first.policy) == (("d/a/", "b"), ("d/c",), CachePolicy.PUSH)
    assert ([shown(text) for text in second.fallback], second.policy) == (["k", "l"], CachePolicy.PULL)


@pytest.mark.parametrize("path", ["~/x", "/x", "$HOME/x", "../x"])
def test_a_cache_outside_the_repository_is_reported(path: str) -> None:
    """Engines cache only files in the checkout."""
    assert wrong(f"[{{name: s, script: x, cache: {{paths: ['{path}']}}}}]") == [("PG505", f"'{path}'")]


@pytest.mark.parametrize(("lock", "names"), [("a", ["a"]), ("[a, b, a]", ["a", "b"]), ("7", ["7"]), ("[]", [])])
def test_locks_are_one_name_or_a_list(lock: str, names: list[str]) -> None:
    """Each name counts once."""
    assert [job_lock.name for job_lock in job_of(f"{{name: s, script: x, lock: {lock}}}").deployment.locks] == names


@pytest.mark.parametrize(
    ("reuse", "expected"),
    [
        ("true", ((), ())),
        ("false", None),
        ("{files: [src/**], env: [CC]}", (("d/src/**",), ("CC",))),
        ("{}", ((), ())),
    ],
)
def test_reuse_has_files_and_variables(reuse: str, expected: tuple[tuple[str, ...], tuple[str, ...]] | None) -> None:
    """Results are not reused by default."""
    jobs = job_of(f"{{name: s, directory: d, script: x, reuse: {reuse}}}").reuse

    assert (None if jobs is None else (jobs.files, jobs.env)) == expected


def test_raw_keys_are_passed_on_and_reported() -> None:
    """Each target has its own keys."""
    config = "pipelines: {p: {stages: [{name: s, script: x, raw: {gitlab: {a: 1}, jenkins: {}}}]}}\n"

    assert [name for name, _ in job_of("{name: s, script: x, raw: {gitlab: {a: 1}}}").raw] == ["gitlab"]
    assert [diagnostic.code.number for diagnostic in reported(config)] == ["PG366"]
