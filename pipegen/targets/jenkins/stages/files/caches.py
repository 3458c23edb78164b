"""Caches: files of a stage that later builds of the job restore, by the step of the plugin jobcacher."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from posixpath import dirname

from pipegen.bindings.expression import Text
from pipegen.digests import digest_of
from pipegen.emit.groovy import literal
from pipegen.plan.model import ArtifactsWhen, Cache, CachePolicy, Job
from pipegen.structs import replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import expression
from pipegen.targets.jenkins.stages.files.stashes import patterns
from pipegen.targets.jenkins.stages.scripts.values import GroovyTexts

_KEY_FUNCTION = "cacheKey"
_PLUGIN = "jobcacher"
CHECKOUT = "."
_OPTIONS = {CachePolicy.PULL_PUSH: "", CachePolicy.PULL: "skipSave: true, ", CachePolicy.PUSH: "skipRestore: true, "}
# The name becomes part of a file name.
_NOT_IN_NAMES = r"[^A-Za-z0-9._-]"
_DIGITS = 8


class CacheNames:
    """The names of the caches of *jobs*.

    The plugin stores one archive for each folder and name, whatever the files are whose contents it compares.
    """

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._files: dict[tuple[str, str], set[tuple[str, ...]]] = {}
        for cache in (cache for job in jobs for cache in job.caches):
            for folder in folders(cache.paths):
                self._files.setdefault((folder, _plain(cache.key)), set()).add(cache.files)

    def name(self, cache: Cache, folder: str) -> Text:
        """Return the name of *cache* for *folder*: its key, and its files if others of this key have other files."""
        key = cache.key
        if not cache.files or len(self._files[folder, _plain(key)]) == 1:
            return key
        digest = digest_of("\0".join(cache.files), _DIGITS)
        return replace(key, parts=(*key.parts, f"-{digest}" if key.parts else digest))


def cached(job: Job, names: CacheNames, values: GroovyTexts, steps: tuple[model.Step, ...]) -> tuple[model.Step, ...]:
    """Return *steps* of *job* inside its caches, which have *names*, grouped by policy.

    The plugin saves a cache only after a success, so a cache to save after a failure is only restored.
    """
    for policy in reversed(CachePolicy) if job.caches else ():
        caches = [cache for cache in job.caches if _policy(cache) is policy]
        entries = [entry for cache in caches for entry in _entries(cache, names, values)]
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


def _entries(cache: Cache, names: CacheNames, values: GroovyTexts) -> Iterator[str]:
    """Yield the arguments of the plugin for each folder: its files and its name."""
    for folder, inner in folders(cache.paths).items():
        arguments = [f"path: {literal(folder)}"]
        if inner:
            arguments.append(f"includes: {literal(patterns(inner))}")
        if cache.files:
            arguments.append(f"cacheValidityDecidingFile: {literal(', '.join(cache.files))}")
        name = names.name(cache, folder)
        if name.parts:
            arguments.append(f"cacheName: {_name(name, values)}")
        yield f"arbitraryFileCache({', '.join(arguments)})"


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


def _name(name: Text, values: GroovyTexts) -> str:
    if name.constant is not None:
        return literal(_safe(name.constant))
    return f"{_KEY_FUNCTION}({expression(values.name(name))})"


def _plain(key: Text) -> str:
    return "".join([_safe(part) if isinstance(part, str) else str(part) for part in key.parts])


def _safe(name: str) -> str:
    return re.sub(_NOT_IN_NAMES, "-", name)
