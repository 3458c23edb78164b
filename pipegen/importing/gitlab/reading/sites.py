"""Websites that jobs publish, and the artifacts of jobs with and without one.

https://docs.gitlab.com/ci/yaml/#pages and https://docs.gitlab.com/ci/yaml/#artifacts
"""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.importing.gitlab.reading.tree import text_of, texts_of
from pipegen.source.tree import Entry, Node, Scalar, child, entries_of, is_null, items_of
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Sequence as TreeSequence

_NAME = "pages"
_FOLDER = "public"
# The keys of artifacts that have no effect without files.
_HOW_TO_STORE = frozenset({"expire_in", "when", "name", "exclude", "access", "public"})


def published(name: str, entries: Mapping[str, Entry]) -> str:
    """Return the folder that the job *name* publishes, "" for none; the name of the job may be enough."""
    pages = _value(entries, "pages")
    if text_of(pages) == "false" or (pages is None and name != _NAME) or _value(entries, "trigger") is not None:
        return ""
    own = child(pages, "publish")
    return text_of(own) or text_of(_value(entries, "publish")) or _FOLDER


def with_site(name: str, entries: Mapping[str, Entry]) -> Mapping[str, Entry]:
    """Return *entries* of the job *name*, with the folder that it publishes among its artifacts, as GitLab adds it."""
    folder = published(name, entries).rstrip("/")
    artifacts = _value(entries, "artifacts")
    keys = {entry.key.text: entry for entry in entries_of(artifacts)}
    paths = _value(keys, "paths")
    key = next((entries[key].key for key in ("artifacts", "pages", "publish", "script") if key in entries), None)
    is_read = artifacts is None or isinstance(artifacts, TreeMapping)
    if not folder or not is_read or key is None or folder in (path.rstrip("/") for path in texts_of(paths)):
        return entries
    added = TreeSequence((*items_of(paths), Scalar(folder, key.span)), key.span)
    keys["paths"] = Entry(keys["paths"].key if "paths" in keys else Scalar("paths", key.span), added)
    whole = TreeMapping(tuple(keys.values()), key.span)
    return {**entries, "artifacts": Entry(Scalar("artifacts", key.span), whole)}


def without_empty_artifacts(entries: Mapping[str, Entry]) -> Mapping[str, Entry]:
    """Return *entries* of a job without artifacts that have no files: their other keys have no effect."""
    artifacts = _value(entries, "artifacts")
    keys = {entry.key.text for entry in entries_of(artifacts) if not is_null(entry.value)}
    is_empty = isinstance(artifacts, TreeMapping) and keys <= _HOW_TO_STORE
    return {key: entry for key, entry in entries.items() if key != "artifacts"} if is_empty else entries


def _value(entries: Mapping[str, Entry], key: str) -> Node | None:
    """Return the value of *key* in *entries*, None if it is missing or null."""
    return None if key not in entries or is_null(entries[key].value) else entries[key].value
