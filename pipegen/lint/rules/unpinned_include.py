"""Configuration of GitLab from elsewhere, in `raw` keys, that is another one tomorrow."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked
from pipegen.lint.version_pins import moves
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, Sequence

# A component is taken from a commit, a tag or a branch; of a partial version, the newest that fits.
_EXACT = r"[0-9a-f]{40}|v?\d+\.\d+\.\d+(?:[-+].*)?|.*\$.*"


def check(checked: Checked, report: Report) -> None:
    """Report what `trigger: include` takes from other projects or from anywhere, and pins by nothing."""
    for work in checked.work():
        for target, keys in work.job.raw:
            trigger = keys.get("trigger") if target == "gitlab" else None
            for node in _included(trigger.get("include")) if isinstance(trigger, TreeMapping) else ():
                _check(node, report)


def _included(node: Node | None) -> Iterator[TreeMapping]:
    for item in node.items if isinstance(node, Sequence) else (node,):
        if isinstance(item, TreeMapping):
            yield item


def _check(node: TreeMapping, report: Report) -> None:
    ref, remote, component = (node.get(key) for key in ("ref", "remote", "component"))
    if node.get("project") is not None:
        if not isinstance(ref, Scalar) or moves(ref.text):
            _tell(node, "project", "ref: a tag or a commit", report)
    elif isinstance(remote, Scalar) and node.get("integrity") is None:
        _tell(node, "remote", "integrity: sha256-…", report)
    elif isinstance(component, Scalar) and not re.fullmatch(_EXACT, component.text.rpartition("@")[2]):
        _tell(node, "component", "a whole version or a commit behind the @", report)


def _tell(node: TreeMapping, key: str, pin: str, report: Report) -> None:
    value = node.get(key)
    if isinstance(value, Scalar):
        message = f'include of the {key} "{value.text}" is pinned by nothing'
        report.add(codes.UNPINNED_INCLUDE, message, at=value.span, hint=f"pin it: {pin}")
