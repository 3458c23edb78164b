"""Parts of a config that are not what they say, since there are errors in their YAML."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.config.schema.parts import larger, smallest_part
from pipegen.config.schema.violation import Path
from pipegen.config.unknown.index import PartIndex
from pipegen.diagnostics.model import Diagnostic
from pipegen.source.tree import Node


def misread_parts(tree: Node, errors: Sequence[Diagnostic]) -> tuple[Path, ...] | None:
    """Return the parts of *tree* with the *errors* in reading it; None where too much depends on them.

    Where a place is not in the tree, such as that of a key that is there twice, related places are.
    """
    if not errors:
        return ()
    index = PartIndex(tree)
    found: dict[Path, None] = {}
    for error in errors:
        labels = [label for label in (error.primary, *error.related) if label is not None]
        parts = [larger(smallest_part(tree, path), ()) for label in labels for path in index.paths(label.span)]
        known = [part for part in parts if part is not None]
        if not known or len(known) < len(parts):
            return None
        found |= dict.fromkeys(known)
    return tuple(found)
