"""What shellcheck finds in scripts, where it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked
from pipegen.lint.rules.shell_syntax import refused
from pipegen.lint.scripts import ShellText, lines_of, shell_texts
from pipegen.plan.model import ShellProgram

# How each engine starts a script. What dash knows, bash and busybox do too.
_START = {
    ShellProgram.SH: "#!/bin/sh -e\n# shellcheck shell=dash\n",
    ShellProgram.BASH: "#!/bin/bash -e\n# shellcheck shell=bash\n",
}
_START_LINES = 2
# Files that a script reads are not looked at, and much of the environment comes from outside; a program named test,
# as in "./ci/test | tee log", is not the one whose "|" could be meant for an "or".
# SC3053 to SC3060 are expansions that PG360 reports.
_NOT_ASKED = "SC1090,SC1091,SC2154,SC2265,SC2266,SC3053,SC3054,SC3055,SC3056,SC3057,SC3058,SC3059,SC3060"
_OPTIONS = ("--norc", "--format=json1", "--severity=info", f"--exclude={_NOT_ASKED}")
_CODES = {"error": codes.SHELLCHECK, "warning": codes.SHELLCHECK, "info": codes.SHELLCHECK_NOTE}
# A process for fewer scripts would cost more than it saves.
_SCRIPTS_EACH = 20


def check(checked: Checked, report: Report) -> None:
    """Report what shellcheck says of scripts, at the user's own lines; nothing where there is no shellcheck."""
    program = shutil.which("shellcheck")
    texts: dict[str, list[ShellText]] = {}
    if program is None:
        return
    unreadable = refused(checked)
    for one in shell_texts(checked):
        if one in unreadable:
            continue  # the shell has said what is wrong
        texts.setdefault(_START[one.shell] + one.text, []).append(one)
    for text, remark in _remarks(program, tuple(texts)) if texts else ():
        for one in texts[text]:
            _report(remark, one, report)


def _remarks(program: str, texts: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each remark on *texts* with the text that it is on."""
    import json  # noqa: PLC0415 - many machines have no shellcheck; it takes longer than to import these
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    processes = min(os.cpu_count() or 1, -(-len(texts) // _SCRIPTS_EACH))
    with TemporaryDirectory(prefix="pipegen-") as folder:
        names = {f"{number}.sh": text for number, text in enumerate(texts)}
        for name, text in names.items():
            Path(folder, name).write_text(text, encoding="utf-8", newline="")
        shares = [tuple(names)[start::processes] for start in range(processes)]
        for process in [_started(program, share, folder) for share in shares]:
            out, problem = process.communicate()
            if process.returncode not in (0, 1):
                raise ChildProcessError(f"{program} ends with {process.returncode}: {problem.decode(errors='replace')}")
            yield from ((names[one["file"]], one) for one in json.loads(out)["comments"])


def _started(program: str, names: Sequence[str], folder: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    return subprocess.Popen(
        [program, *_OPTIONS, *names], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def _report(remark: Mapping[str, Any], text: ShellText, report: Report) -> None:
    line, last = remark["line"] - _START_LINES, remark["endLine"] - _START_LINES
    lines = lines_of(text.text)
    if not 0 < line <= len(lines):
        return
    start = lines[line - 1] + remark["column"] - 1
    end = lines[min(last, len(lines)) - 1] + remark["endColumn"] - 1
    code = f"SC{remark['code']}"
    report.add(
        _CODES[remark["level"]],
        f"{code}: {remark['message'].rstrip('.')}",
        at=text.place(start, max(end, start + 1)),
        hint=f'see https://www.shellcheck.net/wiki/{code}; to keep it, put "# shellcheck disable={code}" above it',
    )
