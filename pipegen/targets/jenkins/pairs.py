"""What Jenkins does not take together; each check takes its code from here."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.targets.base import Pair

SHARED_BESIDE_OTHERS = Pair(
    "workspace: shared",
    "several pipelines, --style declarative",
    codes.DECLARATIVE_WORKSPACE,
    "use the style auto or scripted, or choose one pipeline",
)

PAIRS: tuple[Pair, ...] = (SHARED_BESIDE_OTHERS,)
