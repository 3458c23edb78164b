"""Keys: which things have been done to which inputs.

A key stands for one thing done, named by its own digest, to inputs that are keys themselves. It is found from any of
its inputs: a link leads from the input's key, by the place of the input, the part of it that is read and the digest of
what is done, to the key. An input may be known by several keys, one of them perhaps made of its content; a key that is
found by one of them can be found by the others from then on. (BuildKit, solver/cachestorage.go.)
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence

from pipegen.run.checksum import checksum
from pipegen.run.local.cache.index import DamagedIndexError, Index
from pipegen.structs import Struct

TABLES = """
CREATE TABLE IF NOT EXISTS key (id INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS link (
    source INTEGER NOT NULL,
    place INTEGER NOT NULL,
    selector TEXT NOT NULL,
    digest TEXT NOT NULL,
    target INTEGER NOT NULL,
    seal TEXT NOT NULL,
    PRIMARY KEY (source, place, selector, digest, target)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS link_target ON link (target);
"""
# What a key without inputs is linked from.
_NOTHING = 0
# Keys grow by steps of chance: where rows are lost, no number comes again that some link still leads to.
_STEP = 1 << 36


class Origin(Struct):
    """An input by one of its keys; *selector* names the part of it that is read, "" is all."""

    key: int
    selector: str = ""


_NO_INPUTS = ((Origin(_NOTHING),),)


class Keys:
    """The keys in an index. Who writes several things together locks it around them."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def root(self, digest: str) -> int | None:
        """Return the key of *digest* done to nothing, None where there is none."""
        return next(iter(self._targets(Origin(_NOTHING), 0, digest)), None)

    def after(self, origins: Iterable[Origin], place: int, digest: str) -> frozenset[int]:
        """Return the keys of *digest* done to inputs of which the one at *place* is any of *origins*."""
        return frozenset(key for origin in origins for key in self._targets(origin, place, digest))

    def save(self, digest: str, inputs: Sequence[Sequence[Origin]] = ()) -> int:
        """Return the key of *digest* done to *inputs*, each known by any of some keys: a new one where none is known.

        From now on all of these lead to it.
        """
        places = inputs or _NO_INPUTS
        known = [self.after(origins, place, digest) for place, origins in enumerate(places)]
        common = frozenset.intersection(*known)
        key = min(common) if common else self._new()
        self.link(key, digest, places)
        return key

    def link(self, key: int, digest: str, inputs: Sequence[Sequence[Origin]]) -> None:
        """Let all of *inputs*, to which *digest* has been done, lead to *key*."""
        rows = [(one.key, place, one.selector, digest, key) for place, origins in enumerate(inputs) for one in origins]
        self._index.change(
            "INSERT OR IGNORE INTO link VALUES (?, ?, ?, ?, ?, ?)", [(*row, checksum(*row)) for row in rows]
        )

    def content(self, digest: str) -> int:
        """Return the key that stands for content with *digest*, wherever it comes from; make it where it is new."""
        return self.save(_content(digest))

    def known_content(self, digest: str) -> int | None:
        """Return the key that stands for content with *digest*, None where nothing is known of it."""
        return self.root(_content(digest))

    def remove_unused(self, used: Iterable[int]) -> None:
        """Forget the keys that neither are *used* nor lead to one that is."""
        kept, left = set(), list(used)
        while left:
            key = left.pop()
            if key not in kept:
                kept.add(key)
                left += [row[0] for row in self._index.rows("SELECT source FROM link WHERE target = ?", (key,))]
        gone = [(row[0],) for row in self._index.rows("SELECT id FROM key") if row[0] not in kept]
        self._index.change("DELETE FROM link WHERE target = ?", gone)
        self._index.change("DELETE FROM key WHERE id = ?", gone)

    def _targets(self, origin: Origin, place: int, digest: str) -> list[int]:
        asked = (origin.key, place, origin.selector, digest)
        found = self._index.rows(
            "SELECT target, seal FROM link WHERE source = ? AND place = ? AND selector = ? AND digest = ? "
            "ORDER BY target",
            asked,
        )
        if any(told != checksum(*asked, target) for target, told in found):
            raise DamagedIndexError("a link is not what was written")
        return [target for target, _ in found]

    def _new(self) -> int:
        last = self._index.rows("SELECT coalesce(max(id), 0) FROM key")[0][0]
        return self._index.add("INSERT INTO key VALUES (?)", (last + 1 + secrets.randbelow(_STEP),))


def _content(digest: str) -> str:
    return f"content {digest}"
