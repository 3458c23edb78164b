"""Patterns of paths as GitLab reads them: Ruby's `fnmatch`, with variables.

https://docs.gitlab.com/ci/yaml/#ruleschanges: `**/` stands for any folders, none too; braces hold alternatives.
"""

from __future__ import annotations

import re

from pipegen.plan.model import Pattern

_PART = r"\*\*/|\*\*|[*?]|[\[{]|[$%]"


def path_glob(pattern: Pattern) -> str:
    """Return *pattern* in GitLab's words."""
    return re.sub(_PART, _part, pattern.text)


def _part(found: re.Match[str]) -> str:
    begins = found.start() == 0 or found.string[found.start() - 1] == "/"
    match found[0]:
        case "**/":
            return "**/" if begins else "*/**/"
        case "**":
            return "**/*" if begins else "{*,*/**/*}"
        case "[" | "{":
            return f"\\{found[0]}"
        case "$" | "%":
            # Else what follows would be taken for the name of a variable.
            return f"[{found[0]}]"
    return found[0]
