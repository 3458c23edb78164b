"""Whether the result of a thing to do is known: by the keys of its inputs, and where that is not enough by content.

The order is BuildKit's (solver/edge.go): what is known by definition comes first, for it costs nothing. Where no key is
found, the content of those inputs is asked for that lead nowhere. Only where each leads somewhere, but not to the same
key, the content of the others is asked for, too: one of them may have to be made or loaded for that.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.run.local.cache.keys import Keys, Origin
from pipegen.structs import MutableStruct, field


class CacheInput(MutableStruct):
    """Something read.

    Attributes:
        keys: what it is known by so far; grows while the lookup goes on.
        selector: the part of it that is read, "" for all.
        has_content: whether its content may be asked for.
        content: the digest of the part that is read, None until it is known.
    """

    keys: frozenset[int] = frozenset()
    selector: str = ""
    has_content: bool = False
    content: str | None = None


class Lookup(MutableStruct):
    """The question whether *digest* done to *inputs* is known."""

    keys: Keys
    digest: str
    inputs: Sequence[CacheInput] = field(default_factory=tuple)

    def found(self) -> frozenset[int]:
        """Return the keys that fit all inputs as far as they are known."""
        if not self.inputs:
            root = self.keys.root(self.digest)
            return frozenset() if root is None else frozenset({root})
        return frozenset.intersection(*map(self._matches, range(len(self.inputs))))

    def unmatched(self) -> tuple[int, ...]:
        """Return the places of the inputs that lead nowhere as far as they are known."""
        return tuple(place for place in range(len(self.inputs)) if not self._matches(place))

    def wanted(self) -> tuple[int, ...]:
        """Return the places of the inputs whose content may lead further, () when nothing does."""
        unknown = tuple(place for place, one in enumerate(self.inputs) if one.has_content and one.content is None)
        unmatched = self.unmatched()
        return tuple(place for place in unknown if place in unmatched) if unmatched else unknown

    def save(self) -> int:
        """Return the key of what has been done to the inputs, as far as these are known."""
        return self.keys.save(self.digest, self._origins())

    def link(self, key: int) -> None:
        """Let all that the inputs are known by lead to *key*, which has been found by some of it."""
        self.keys.link(key, self.digest, self._origins())

    def _origins(self) -> list[list[Origin]]:
        """Return what each input is known by; contents that are new are so no more."""
        found = []
        for one in self.inputs:
            content = [Origin(self.keys.content(one.content))] if one.content is not None else []
            found.append([*(Origin(key, one.selector) for key in sorted(one.keys)), *content])
        return found

    def _matches(self, place: int) -> frozenset[int]:
        one = self.inputs[place]
        origins = [Origin(key, one.selector) for key in sorted(one.keys)]
        content = self.keys.known_content(one.content) if one.content is not None else None
        if content is not None:
            origins.append(Origin(content))
        return self.keys.after(origins, place, self.digest)
