"""Colours of text on a terminal.

Each pattern finds the parts of one kind of text that have a colour; the names of its groups are those of `TextStyle`.
"""

from __future__ import annotations

import re

from pipegen.diagnostics.render.styles import Painter, TextStyle

DIFFERENCES = (
    r"(?P<STRONG>^(?:---|\+\+\+) .*)|(?P<ADDED>^ *\+ ?.*)|(?P<REMOVED>^ *-.*)|(?P<SECONDARY>^@@.*)|(?P<CHANGED>^ *~.*)"
)
ORDER = r"(?P<SECONDARY>^\d+ )|(?P<FAINT>  after .*$)"
PLAN = r"(?P<STRONG>^pipeline .*|^  (?!frame \d|longest path)\S.*)|(?P<FAINT>^    \w+(?: of)?  )"
EVENTS = r"(?P<ADDED>(?<=  )yes\b)|(?P<FAINT>(?<=  )no\b)"
# A line of progress begins with the time: "    0.01 s  ok       build, 0 s".
PROGRESS = r"""(?x)
    (?P<ADDED> ^[ ]*[\d.]+[ ]\w+[ ]{2}ok\b | ^\d+[ ]ok\b )
    | (?P<REMOVED> ^[ ]*[\d.]+[ ]\w+[ ]{2}FAILED\b.* | ^\S.*[ ]failed:.* | \b\d+[ ]failed\b )
    | (?P<FAINT> ^[ ]*[\d.]+[ ]\w+[ ]{2}(?:start|skip|wait)\b.* | ^[ ]{2}\|[ ].* )
"""
CHART = r"(?P<CHANGED>█+)|(?P<FAINT>[▒·]+)"


def coloured(text: str, pattern: str) -> str:
    """Return *text* with the colours of the groups of *pattern*."""
    painter = Painter(colour=True)

    def painted(match: re.Match[str]) -> str:
        return painter.paint(match[0], TextStyle[match.lastgroup or "STRONG"])

    return re.sub(pattern, painted, text, flags=re.MULTILINE)
