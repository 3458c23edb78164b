"""Caches: files of a stage that later builds of the job restore, by the step of the plugin jobcacher."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import dirname

from pipegen.emit.groovy import literal
from pipegen.plan.model import ArtifactsWhen, Cache, CachePolicy, Job
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import expression
from pipegen.targets.jenkins.stages.files.stashes import patterns
from pipegen.targets.jenkins.stages.scripts.values import GroovyTexts

KEY_FUNCTION = "cacheKey"
_PLUGIN = "jobcacher"
CHECKOUT = "."
_OPTIONS = {CachePolicy.PULL_PUSH: "", CachePolicy.PULL: "skipSave: true, ", CachePolicy.PUSH: "skipRestore: true, "}
# The name becomes part of a file name.
_NOT_IN_NAMES = r"[^A-Za-z0-9._-]"


def cached(job: Job, values: GroovyTexts, steps: tuple[model.Step, ...]) -> tuple[model.Step, ...]:
    """Return *steps* of *job* inside its caches, grouped by policy.

    The plugin saves a cache only after a success, so a cache to save after a failure is only restored.
    """
    for policy in reversed(CachePolicy) if job.caches else ():
        entries = [entry for cache in job.caches if _policy(cache) is policy for entry in _entries(cache, values)]
        if entries:
            steps = (model.Wrapped(f"cache({_OPTIONS[policy]}caches: {_listed(entries)})", steps, _PLUGIN),)
    return steps


def _policy(cache: Cache) -> CachePolicy | None:
    """Return what Jenkins does with *cache*, None for nothing."""
    if cache.when is not ArtifactsWhen.FAILURE:
        return cache.policy
    return None if cache.policy is CachePolicy.PUSH else CachePolicy.PULL


def _listed(entries: Sequence[str]) -> str:
    if len(entries) == 1:
        return f"[{entries[0]}]"
    return "[\n" + "".join(f"    {entry},\n" for entry in entries) + "]"


def _entries(cache: Cache, values: GroovyTexts) -> Iterator[str]:
    """Yield the arguments of the plugin for each folder: its files and its key."""
    common = []
    if cache.files:
        common.append(f"cacheValidityDecidingFile: {literal(', '.join(cache.files))}")
    if cache.key.parts:
        common.append(f"cacheName: {_name(cache, values)}")
    for folder, inner in folders(cache.paths).items():
        includes = [f"includes: {literal(patterns(inner))}"] if inner else []
        yield f"arbitraryFileCache({', '.join((f'path: {literal(folder)}', *includes, *common))})"


def folders(paths: Sequence[str]) -> dict[str, list[str]]:
    """Return the folders that the plugin caches for *paths*, each with its patterns; none means the whole folder.

    A folder is relative to the checkout, which is ".".

    The plugin fails on a file, so a path without a final slash is a pattern in its parent folder; the plugin stores
    one archive for each folder and name.
    """
    patterns_by_folder: dict[str, list[str]] = {}
    for path in paths:
        if path.endswith("/") and "*" not in path:
            patterns_by_folder[path.rstrip("/")] = []
    for path in paths:
        stripped = path.rstrip("/")
        if stripped in patterns_by_folder:
            continue
        folder = dirname(stripped.partition("*")[0])
        patterns_by_folder.setdefault(folder or CHECKOUT, []).append(stripped[len(folder) + 1 if folder else 0 :])
    return patterns_by_folder


def _name(cache: Cache, values: GroovyTexts) -> str:
    constant = cache.key.constant
    if constant is not None:
        return literal(re.sub(_NOT_IN_NAMES, "-", constant))
    return f"{KEY_FUNCTION}({expression(values.name(cache.key))})"
