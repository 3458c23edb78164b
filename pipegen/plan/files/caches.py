"""The files of a stage that later runs find again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pipegen.bindings.expression import Text
from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.files.artifacts import sound_path
from pipegen.plan.files.retention import names_at_start
from pipegen.plan.model import Cache, CachePolicy, Plan
from pipegen.plan.values import StageValues
from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Node, Scalar, Sequence

_KEY = "the key of a cache"
# What no engine has in the name of a cache; it is made a dash.
_NOT_IN_NAMES = r"[^A-Za-z0-9._-]"


def caches(stage: StageConfig, directory: str, values: StageValues) -> tuple[Cache, ...]:
    """Return the caches of *stage*, which runs in *directory*; their paths are relative to the repository."""
    if stage.cache is None:
        return ()
    node = stage.cache.node
    bodies = node.items if isinstance(node, Sequence) else (node,)
    return tuple(_cache(body, stage, directory, values) for body in bodies if isinstance(body, Mapping))


def check_keys(plans: Iterable[Plan], report: Report) -> None:
    """Report keys of caches in *plans* that differ only in what engines make a dash."""
    known: dict[tuple[str, tuple[str, ...]], tuple[str, Span]] = {}
    for cache in (cache for plan in plans for job in plan.jobs for cache in job.caches):
        parts = cache.key.parts
        key = "".join(map(str, parts))
        plain = "".join([re.sub(_NOT_IN_NAMES, "-", one) if isinstance(one, str) else str(one) for one in parts])
        first, at = known.setdefault((plain, cache.files), (key, cache.key.span))
        if first != key:
            report.add(
                codes.SAME_CACHE,
                f'the caches "{first}" and "{key}" are one cache: engines make what is no letter or digit a dash',
                at=cache.key.span,
                also=[Label(at, f'kept as "{plain}" too')],
                hint='give one of them a "key" that differs in letters or digits',
            )


def _cache(body: Mapping, stage: StageConfig, directory: str, values: StageValues) -> Cache:
    entry = body.entry("key")
    key = entry.value if entry is not None else None
    files = key.get("files") if isinstance(key, Mapping) else None
    given = key.get("prefix") if isinstance(key, Mapping) else key
    policy = body.get("policy")
    fallback = body.get("fallback")
    first = body.entries[0].key.span
    return Cache(
        paths=tuple(dict.fromkeys(_paths(body.get("paths"), directory, values.report))),
        key=_key(given, None if files else stage, entry.key.span if entry is not None else first, values),
        files=tuple(dict.fromkeys(_files(files, directory, values.report))),
        policy=CachePolicy(policy.text) if isinstance(policy, Scalar) else CachePolicy.PULL_PUSH,
        fallback=tuple(_key(one, None, one.span, values) for one in _items(fallback)),
        span=first,
    )


def _key(node: Node | None, stage: StageConfig | None, at: Span, values: StageValues) -> Text:
    """Return the key *node*; without one, the name of *stage*, or nothing."""
    if node is None:
        return Text((_stage_key(stage.name.value),) if stage is not None else (), at)
    key = names_at_start(values.as_text(values.value(node)), _KEY, values.report)
    if key.constant is not None and not key.constant.strip("./ "):
        values.report.add(
            codes.INVALID_VALUE,
            f'"{key.constant}" is no key that engines can keep a cache under',
            at=key.span,
            hint="use letters and digits",
        )
    return key


def _stage_key(name: str) -> str:
    """Return the key of a stage's own cache; GitLab refuses "." and "..", which mean something in paths."""
    return name if name.strip(".") else f"stage{name}"


def _paths(node: Node | None, directory: str, report: Report) -> Iterator[str]:
    """Yield the sound paths of *node*; a slash at the end, which says that one is a folder, stays."""
    for item in _items(node):
        if item.text.startswith(("/", "~", "$")):
            report.add(
                codes.PATH_OUTSIDE,
                f'"{item.text}" lies outside the repository, and engines keep what lies in it',
                at=item.span,
                hint='have the tool keep its files in the checkout: "env: {PIP_CACHE_DIR: .cache/pip}" and the like',
            )
            continue
        path = sound_path(item.located(), directory, report)
        if path is not None:
            yield f"{path}/" if item.text.endswith("/") else path


def _files(node: Node | None, directory: str, report: Report) -> Iterator[str]:
    for item in _items(node):
        path = sound_path(item.located(), directory, report)
        if path is not None:
            yield path


def _items(node: Node | None) -> tuple[Scalar, ...]:
    items = node.items if isinstance(node, Sequence) else ()
    return tuple(item for item in items if isinstance(item, Scalar))
