"""Hints for words of approvals."""

from __future__ import annotations

from pipegen.config.schema.foreign.model import Use, instead, rename_hint, texts
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node


def input_(use: Use) -> str:
    """Return the hint to write an approval."""
    if not isinstance(use.value, Map):
        return rename_hint("approve")
    message, approvers = use.value.get("message"), _approvers(use.value.get("submitter"))
    if not approvers:
        return instead({"approve": message if message is not None else True})
    return instead({"approve": {"message": message if message is not None else "Continue?", "approvers": approvers}})


def submitter(use: Use) -> str:
    """Return the hint to list the approvers."""
    return instead({"approvers": _approvers(use.value)})


def _approvers(submitters: Node | None) -> list[str]:
    """Return the names that Jenkins separates by commas."""
    return [name.strip() for text in texts(submitters) for name in text.split(",")]
