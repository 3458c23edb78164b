"""Websites that jobs publish: https://docs.gitlab.com/ci/yaml/#pages."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.importing.gitlab.reading.tree import is_null, text_of, texts_of
from pipegen.source.tree import Entry, Node, Scalar, items_of
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Sequence as TreeSequence

_NAME = "pages"
_FOLDER = "public"


def published(name: str, entries: Mapping[str, Entry]) -> str:
    """Return the folder that the job *name* publishes, "" for none; the name of the job may be enough."""
    pages = _value(entries, "pages")
    if text_of(pages) == "false" or (pages is None and name != _NAME) or _value(entries, "trigger") is not None:
        return ""
    own = pages.get("publish") if isinstance(pages, TreeMapping) else None
    return text_of(own) or text_of(_value(entries, "publish")) or _FOLDER


def with_site(name: str, entries: Mapping[str, Entry]) -> Mapping[str, Entry]:
    """Return *entries* of the job *name*, with the folder that it publishes among its artifacts, as GitLab adds it."""
    folder = published(name, entries).rstrip("/")
    artifacts = _value(entries, "artifacts")
    keys = artifacts.entries if isinstance(artifacts, TreeMapping) else ()
    paths = next((entry.value for entry in keys if entry.key.text == "paths"), None)
    key = next((entries[key].key for key in ("artifacts", "pages", "publish", "script") if key in entries), None)
    if not folder or key is None or folder in (path.rstrip("/") for path in texts_of(paths)):
        return entries
    added = TreeSequence((*items_of(paths), Scalar(folder, key.span)), key.span)
    others = (entry for entry in keys if entry.key.text != "paths")
    whole = TreeMapping((*others, Entry(Scalar("paths", key.span), added)), key.span)
    return {**entries, "artifacts": Entry(Scalar("artifacts", key.span), whole)}


def _value(entries: Mapping[str, Entry], key: str) -> Node | None:
    """Return the value of *key* in *entries*, None if it is missing or null."""
    return None if key not in entries or is_null(entries[key].value) else entries[key].value
