"""Cache keys: operations that were applied to inputs.

A key represents an operation, identified by its digest, on inputs. A link leads from an input to the key of the
operation, by the digest of the operation and the index of the input. Its origin is a key of the input with the part
that is read, or the content of that part. Once a key is found by one origin of an input, the others lead to it as well.
(BuildKit, solver/cachestorage.go.)
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence

from pipegen.run.checksum import checksum
from pipegen.run.local.cache.index import DamagedIndexError, Index
from pipegen.structs import Struct

TABLES = """
CREATE TABLE IF NOT EXISTS link (
    digest TEXT NOT NULL,
    place INTEGER NOT NULL,
    source INTEGER NOT NULL,
    selector TEXT NOT NULL,
    target INTEGER NOT NULL,
    checksum TEXT NOT NULL,
    PRIMARY KEY (digest, place, source, selector, target)
) WITHOUT ROWID;
"""
# The source of links from contents, and of links to keys without inputs.
_NOTHING = 0
# Keys are random, so that a damaged number is not another key, and no number is reused that links still lead to.
_BITS = 62


class Origin(Struct):
    """A *key* of an input with the part that is read, "" for all; or no key, with the digest of a content."""

    key: int
    selector: str = ""


_NO_INPUTS = ((Origin(_NOTHING),),)


def content(digest: str) -> Origin:
    """Return the origin of links from the content *digest*."""
    return Origin(_NOTHING, digest)


class Keys:
    """The keys in an index; callers lock the index around several writes."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def is_known(self, digest: str) -> bool:
        """Return whether the operation *digest* has a key on any inputs."""
        return bool(self._index.rows("SELECT 1 FROM link WHERE digest = ? LIMIT 1", (digest,)))

    def root(self, digest: str) -> int | None:
        """Return the key of the operation *digest* without inputs, None if there is none."""
        return next(iter(self._targets(Origin(_NOTHING), 0, digest)), None)

    def after(self, origins: Iterable[Origin], index: int, digest: str) -> frozenset[int]:
        """Return the keys of the operation *digest* on inputs of which number *index* is any of *origins*."""
        return frozenset(key for origin in origins for key in self._targets(origin, index, digest))

    def save(self, digest: str, inputs: Sequence[Sequence[Origin]] = ()) -> int:
        """Return the key of the operation *digest* on *inputs*, each with several origins; create it if needed.

        All origins lead to it afterwards.
        """
        inputs_or_none = inputs or _NO_INPUTS
        common: frozenset[int] = frozenset()
        if self.is_known(digest):
            known = (self.after(origins, index, digest) for index, origins in enumerate(inputs_or_none))
            common = frozenset.intersection(*known)
        key = min(common) if common else 1 + secrets.randbits(_BITS)
        self.link(key, digest, inputs_or_none)
        return key

    def link(self, key: int, digest: str, inputs: Sequence[Sequence[Origin]]) -> None:
        """Link all of *inputs* of the operation *digest* to *key*."""
        links = [
            (digest, index, origin.key, origin.selector, key)
            for index, origins in enumerate(inputs)
            for origin in origins
        ]
        rows = [(*link, checksum(*link)) for link in links]
        self._index.change("INSERT OR IGNORE INTO link VALUES (?, ?, ?, ?, ?, ?)", rows)

    def remove_unused(self, used: Iterable[int]) -> None:
        """Remove the keys that are not *used* and do not lead to used ones."""
        links = self._index.rows("SELECT DISTINCT digest, source, target FROM link")
        sources: dict[int, list[int]] = {}
        for _, source, target in links:
            sources.setdefault(target, []).append(source)
        reachable, waiting = set(), list(used)
        while waiting:
            key = waiting.pop()
            if key not in reachable:
                reachable.add(key)
                waiting += sources.get(key, ())
        unused = {(digest, target) for digest, _, target in links if target not in reachable}
        self._index.change("DELETE FROM link WHERE digest = ? AND target = ?", unused)

    def _targets(self, origin: Origin, index: int, digest: str) -> list[int]:
        link = (digest, index, origin.key, origin.selector)
        rows = self._index.rows(
            "SELECT target, checksum FROM link WHERE digest = ? AND place = ? AND source = ? AND selector = ? "
            "ORDER BY target",
            link,
        )
        if any(stored != checksum(*link, target) for target, stored in rows):
            raise DamagedIndexError("the checksum of a key is wrong")
        return [target for target, _ in rows]
