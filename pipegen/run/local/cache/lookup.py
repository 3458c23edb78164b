"""The lookup of results: by the keys of inputs, and if that is not enough, by their contents.

The order is that of BuildKit (solver/edge.go): keys by definition come first, because they cost nothing. If no key is
found, the contents of those inputs are used that lead to no key. If each input leads to keys, but to none in common,
the contents of all inputs are used, for which results may have to be computed or loaded.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.run.local.cache.keys import Keys, Origin, content
from pipegen.structs import MutableStruct


class CacheInput(MutableStruct):
    """An input of a lookup.

    Attributes:
        keys: its known keys, which grow during the lookup.
        selector: the part that is read, "" for all.
        content: the digest of the part that is read, None before it is computed.
    """

    keys: frozenset[int]
    selector: str
    content: str | None = None


class Lookup(MutableStruct):
    """The lookup of the operation *digest* on *inputs*."""

    keys: Keys
    digest: str
    inputs: Sequence[CacheInput]

    def matching_keys(self) -> frozenset[int]:
        """Return the keys that match all inputs as far as they are known."""
        if not self.inputs:
            root = self.keys.root(self.digest)
            return frozenset() if root is None else frozenset({root})
        return frozenset.intersection(*map(self._matches, range(len(self.inputs))))

    def unmatched(self) -> tuple[int, ...]:
        """Return the indexes of inputs that lead to no key."""
        return tuple(index for index in range(len(self.inputs)) if not self._matches(index))

    def wanted(self) -> tuple[int, ...]:
        """Return the indexes of inputs whose content may lead to a key."""
        unknown = tuple(index for index, input_ in enumerate(self.inputs) if input_.content is None)
        unmatched = self.unmatched()
        return tuple(index for index in unknown if index in unmatched) if unmatched else unknown

    def save(self) -> int:
        """Return the key of the operation on the inputs; create it if needed."""
        return self.keys.save(self.digest, self._origins())

    def link(self, key: int) -> None:
        """Link all known keys and contents of the inputs to *key*."""
        self.keys.link(key, self.digest, self._origins())

    def _origins(self) -> list[list[Origin]]:
        """Return the known origins of each input."""
        return [_origins(input_) for input_ in self.inputs]

    def _matches(self, index: int) -> frozenset[int]:
        return self.keys.after(_origins(self.inputs[index]), index, self.digest)


def _origins(input_: CacheInput) -> list[Origin]:
    known = [Origin(key, input_.selector) for key in sorted(input_.keys)]
    return known if input_.content is None else [*known, content(input_.content)]
