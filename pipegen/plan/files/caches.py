"""The caches of a stage: files that later runs restore."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pipegen.bindings.expression import Text
from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.files.artifacts import checked_path
from pipegen.plan.files.retention import known_at_start
from pipegen.plan.model import ArtifactsWhen, Cache, CachePolicy, Plan
from pipegen.plan.values import StageValues
from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Node, Scalar, as_items, child, scalars_of

_KEY = "the key of a cache"
# Characters that engines replace with a dash in the name of a cache.
_NOT_IN_NAMES = r"[^A-Za-z0-9._-]"


def caches(stage: StageConfig, directory: str, values: StageValues) -> tuple[Cache, ...]:
    """Return the caches of *stage*, which runs in *directory*; their paths are relative to the repository."""
    if stage.cache is None:
        return ()
    bodies = as_items(stage.cache.node)
    return tuple(_cache(body, stage, directory, values) for body in bodies if isinstance(body, Mapping))


def check_keys(plans: Iterable[Plan], report: Report) -> None:
    """Report cache keys in *plans* that differ only in characters that engines replace with a dash."""
    known: dict[tuple[str, tuple[str, ...]], tuple[str, Span]] = {}
    for cache in (cache for plan in plans for job in plan.jobs for cache in job.caches):
        parts = cache.key.parts
        key = "".join(map(str, parts))
        plain = "".join([re.sub(_NOT_IN_NAMES, "-", part) if isinstance(part, str) else str(part) for part in parts])
        first, span = known.setdefault((plain, cache.files), (key, cache.key.span))
        if first != key:
            report.add(
                codes.SAME_CACHE,
                f'the caches "{first}" and "{key}" are the same cache: engines replace special characters with a dash',
                at=cache.key.span,
                related=[Label(span, f'also stored as "{plain}"')],
                hint='give one of them a "key" that differs in letters or digits',
            )


def _cache(body: Mapping, stage: StageConfig, directory: str, values: StageValues) -> Cache:
    entry = body.entry("key")
    key = entry.value if entry is not None else None
    files = child(key, "files")
    prefix = key.get("prefix") if isinstance(key, Mapping) else key
    policy, when = body.get("policy"), body.get("when")
    fallback = body.get("fallback")
    first = body.entries[0].key.span
    return Cache(
        paths=tuple(dict.fromkeys(_paths(body.get("paths"), directory, values.report))),
        key=_key(prefix, None if files else stage, entry.key.span if entry is not None else first, values),
        files=tuple(dict.fromkeys(_files(files, directory, values.report))),
        policy=CachePolicy(policy.text) if isinstance(policy, Scalar) else CachePolicy.PULL_PUSH,
        when=ArtifactsWhen(when.text) if isinstance(when, Scalar) else ArtifactsWhen.SUCCESS,
        fallback=tuple(_key(item, None, item.span, values) for item in scalars_of(fallback)),
        span=first,
    )


def _key(node: Node | None, stage: StageConfig | None, at: Span, values: StageValues) -> Text:
    """Return the cache key of *node*; without it, the name of *stage*, or ""."""
    if node is None:
        return Text((_stage_key(stage.name.value),) if stage is not None else (), at)
    key = known_at_start(values.as_text(values.value(node)), _KEY, values.report)
    if key.constant is not None and not key.constant.strip("./ ") and not values.is_missing(key.span):
        values.report.add(
            codes.INVALID_VALUE,
            f'"{key.constant}" cannot be the key of a cache',
            at=key.span,
            hint="use letters and digits",
        )
    return key


def _stage_key(name: str) -> str:
    """Return the default cache key of a stage; GitLab refuses "." and "..", which have a meaning in paths."""
    return name if name.strip(".") else f"stage{name}"


def _paths(node: Node | None, directory: str, report: Report) -> Iterator[str]:
    """Yield the valid paths of *node*; a trailing slash, which marks a folder, is kept."""
    for item in scalars_of(node):
        if item.text.startswith(("/", "~", "$")):
            report.add(
                codes.PATH_OUTSIDE,
                f'"{item.text}" is outside the repository, and engines cache only files inside it',
                at=item.span,
                hint='store the files in the checkout, for example with "env: {PIP_CACHE_DIR: .cache/pip}"',
            )
            continue
        path = checked_path(item.located(), directory, report)
        if path is not None:
            yield f"{path}/" if item.text.endswith("/") else path


def _files(node: Node | None, directory: str, report: Report) -> Iterator[str]:
    for item in scalars_of(node):
        path = checked_path(item.located(), directory, report)
        if path is not None:
            yield path
