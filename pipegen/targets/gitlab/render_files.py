"""Keys of artifacts and caches as text, and the layout of lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.emit.yaml import Data, Flow, Value
from pipegen.targets.gitlab.model import DEFAULT_ARTIFACT_KEYS, ArtifactKeys, CacheEntry, CoverageReport

# The most characters of a list on one line.
_LINE = 132
# The most characters of the files and the prefix of a cache's key on one line.
_SHORT_KEY = 60


def artifacts(paths: tuple[str, ...], artifact_keys: ArtifactKeys) -> Value:
    """Return the `artifacts` of a job; None if there is nothing to store or report."""
    if artifact_keys is DEFAULT_ARTIFACT_KEYS:
        return {"paths": text_list(paths)} if paths else None
    reports = without_none(
        {
            # Test results are the first report of most jobs, and coverage is the next one.
            "junit": None,
            "coverage_report": _coverage(artifact_keys.coverage_report),
            **{kind: _one_or_more(report_paths) for kind, report_paths in artifact_keys.reports},
            "dotenv": _one_or_more(artifact_keys.dotenv),
        }
    )
    if not paths and not reports:
        return None
    return without_none(
        {
            "name": artifact_keys.name or None,
            "paths": text_list(paths) if paths else None,
            "exclude": text_list(artifact_keys.exclude) if artifact_keys.exclude else None,
            "when": artifact_keys.when or None,
            "expire_in": artifact_keys.expire_in or None,
            "access": artifact_keys.access or None,
            "expose_as": artifact_keys.expose_as or None,
            "reports": reports or None,
        }
    )


def _coverage(report: CoverageReport | None) -> Value:
    return {"coverage_format": report.format, "path": report.path} if report is not None else None


def _one_or_more(paths: tuple[str, ...]) -> Value:
    return paths[0] if len(paths) == 1 else text_list(paths) if paths else None


def without_none(keys: Mapping[str, Value]) -> dict[str, Value]:
    """Return *keys* without those whose value is None."""
    return {key: value for key, value in keys.items() if value is not None}


def caches(cache_entries: tuple[CacheEntry, ...]) -> Value:
    """Return the `cache` of a job."""
    entries = [_cache(entry) for entry in cache_entries]
    return entries[0] if len(entries) == 1 else entries


def _cache(cache: CacheEntry) -> Value:
    return without_none(
        {
            "key": _files_key(cache) if cache.files else cache.key or None,
            "paths": text_list(cache.paths),
            "policy": cache.policy or None,
            "when": cache.when or None,
            "fallback_keys": text_list(cache.fallback_keys) if cache.fallback_keys else None,
        }
    )


def _files_key(cache: CacheEntry) -> Value:
    """Return the key of *cache* by its files, on one line if it is short."""
    prefix = {"prefix": cache.key} if cache.key else {}
    is_short = sum(map(len, (*cache.files, cache.key))) <= _SHORT_KEY
    return Flow({"files": cache.files, **prefix}) if is_short else {"files": text_list(cache.files), **prefix}


def text_list(items: Sequence[Data]) -> Value:
    """Return *items* on one line if they are short texts, else on a line each."""
    texts = [item for item in items if type(item) is str]
    if len(texts) < len(items):
        return [item if isinstance(item, str) else Flow(item) for item in items if isinstance(item, str | Mapping)]
    is_short = sum(map(len, texts)) + 2 * len(texts) <= _LINE
    return Flow(texts) if is_short and "\n" not in "".join(texts) else texts
