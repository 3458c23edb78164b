"""Parts of a config with unreliable values, because their YAML has errors."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.config.schema.parts import larger, smallest_part
from pipegen.config.schema.violation import Path
from pipegen.config.unknown.index import PartIndex
from pipegen.diagnostics.model import Diagnostic
from pipegen.source.tree import Node


def misread_parts(tree: Node, errors: Sequence[Diagnostic]) -> tuple[Path, ...] | None:
    """Return the parts of *tree* with read *errors*; None if too much depends on them.

    If a location is not in the tree, such as that of a repeated key, the related locations are used.
    """
    if not errors:
        return ()
    index = PartIndex(tree)
    misread: dict[Path, None] = {}
    for error in errors:
        labels = [label for label in (error.primary, *error.related) if label is not None]
        parts = [larger(smallest_part(tree, path), ()) for label in labels for path in index.paths(label.span)]
        known = [part for part in parts if part is not None]
        if not known or len(known) < len(parts):
            return None
        misread |= dict.fromkeys(known)
    return tuple(misread)
