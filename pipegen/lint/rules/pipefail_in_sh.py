"""`set -o pipefail` in scripts for `sh`, which dash refuses."""

from __future__ import annotations

import re

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig
from pipegen.lint.scripts import stage_shell_texts
from pipegen.plan.model import ShellProgram
from pipegen.plan.model.machine import has_busybox
from pipegen.source.text import Span

_SET = re.compile(
    r"(?m)(?:^|[;&|{]|\b(?:then|else|do)\b)[ \t]*set[ \t](?:[^\n;&|#]*[ \t])?[-+]\w*o[ \t]+(?P<option>pipefail)\b"
)
# Scripts that first look whether the shell has the option: in a subshell, in its list of options, or by its name.
_AWARE = re.compile(r"\([ \t]*set[ \t]+[-+]\w*o[ \t]+pipefail|\bset[ \t]+[-+]o[ \t]*[|)]|BASH_VERSION")


def check(config: CheckedConfig, report: Report) -> None:
    """Report commands that set `pipefail` in scripts for `sh` that do not first look whether the shell has it.

    Images with BusyBox have no dash.
    """
    if not any("pipefail" in file.text for file in config.files):
        return
    seen: set[tuple[Span, ...]] = set()
    for stage in config.stages():
        image = stage.job.machine.image
        for text in stage_shell_texts(stage, seen) if image is None or not has_busybox(image.name.span.text) else ():
            option = _SET.search(text.text) if text.shell is ShellProgram.SH and not _AWARE.search(text.text) else None
            if option is not None:
                report.add(
                    codes.PIPEFAIL_IN_SH,
                    'dash, the "sh" of Debian and Ubuntu, stops at "set -o pipefail"',
                    at=text.span_of(option.start("option"), option.end("option")),
                    label="unknown to dash",
                    hint='set "shell: bash", which sets pipefail',
                )
