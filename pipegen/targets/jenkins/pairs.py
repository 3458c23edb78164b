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

SYSTEM_AND_OTHERS = Pair(
    "retry: { on: system }",
    "one of script and timeout, without the other",
    codes.RETRY_KINDS,
    "leave out on, for all kinds, or name system alone, or the others",
)

PAIRS: tuple[Pair, ...] = (SHARED_BESIDE_OTHERS, SYSTEM_AND_OTHERS)
