"""External GitLab configuration in settings and `raw` keys without a pinned version."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig
from pipegen.lint.version_pins import is_moving
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, as_items, child

# A component comes from a commit, a tag or a branch; a partial version means the newest that matches.
_EXACT = r"[0-9a-f]{40}|v?\d+\.\d+\.\d+(?:[-+].*)?|.*\$.*"


def check(config: CheckedConfig, report: Report) -> None:
    """Report unpinned files in `include` and `trigger: include` from other projects or servers."""
    section = config.settings.get("gitlab")
    for node in _included(section.get("include")) if section is not None else ():
        _check(node, report)
    for stage in config.stages():
        for target, keys in stage.job.raw:
            trigger = keys.get("trigger") if target == "gitlab" else None
            for node in _included(child(trigger, "include")):
                _check(node, report)


def _included(node: Node | None) -> Iterator[TreeMapping]:
    for item in as_items(node):
        if isinstance(item, TreeMapping):
            yield item


def _check(node: TreeMapping, report: Report) -> None:
    ref, remote, component = (node.get(key) for key in ("ref", "remote", "component"))
    if node.get("project") is not None:
        if not isinstance(ref, Scalar) or is_moving(ref.text):
            _report(node, "project", "ref: a tag or a commit", report)
    elif isinstance(remote, Scalar) and node.get("integrity") is None:
        _report(node, "remote", "integrity: sha256-…", report)
    elif isinstance(component, Scalar) and not re.fullmatch(_EXACT, component.text.rpartition("@")[2]):
        _report(node, "component", "a full version or a commit after the @", report)


def _report(node: TreeMapping, key: str, pin: str, report: Report) -> None:
    value = node.get(key)
    if isinstance(value, Scalar):
        message = f'include of the {key} "{value.text}" is not pinned'
        report.add(codes.UNPINNED_INCLUDE, message, at=value.span, hint=f"pin it: {pin}")
