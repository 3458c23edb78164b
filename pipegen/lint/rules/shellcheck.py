"""Findings of shellcheck in scripts, if it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig
from pipegen.lint.rules.shell_syntax import unparsable_scripts
from pipegen.lint.scripts import ShellText, line_starts, shell_texts
from pipegen.plan.model import ShellProgram

# How engines start a script. bash and busybox support all that dash does.
_START = {
    ShellProgram.SH: "#!/bin/sh -e\n# shellcheck shell=dash\n",
    ShellProgram.BASH: "#!/bin/bash -e\n# shellcheck shell=bash\n",
}
_START_LINES = 2
# Excluded: findings on sourced files and on variables from the environment; and on a program named test, as in
# "./ci/test | tee log", which shellcheck takes for the builtin.
# SC3053 to SC3060 are expansions that PG360 reports.
_EXCLUDED = "SC1090,SC1091,SC2154,SC2265,SC2266,SC3053,SC3054,SC3055,SC3056,SC3057,SC3058,SC3059,SC3060"
_OPTIONS = ("--norc", "--format=json1", "--severity=info", f"--exclude={_EXCLUDED}")
_CODES = {"error": codes.SHELLCHECK, "warning": codes.SHELLCHECK, "info": codes.SHELLCHECK_NOTE}
# A process for fewer scripts would cost more than it saves.
_SCRIPTS_EACH = 20


def check(config: CheckedConfig, report: Report) -> None:
    """Report the findings of shellcheck, if it is installed, at the user's lines."""
    program = shutil.which("shellcheck")
    texts: dict[str, list[ShellText]] = {}
    if program is None:
        return
    unparsable = unparsable_scripts(config)
    for script in shell_texts(config):
        if script in unparsable:
            continue  # reported by the shell already
        texts.setdefault(_START[script.shell] + script.text, []).append(script)
    for text, remark in _remarks(program, tuple(texts)) if texts else ():
        for script in texts[text]:
            _report(remark, script, report)


def _remarks(program: str, texts: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each finding with the one of *texts* that it is in."""
    import json  # noqa: PLC0415 - many machines have no shellcheck; it takes longer than to import these
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    processes = min(os.cpu_count() or 1, -(-len(texts) // _SCRIPTS_EACH))
    with TemporaryDirectory(prefix="pipegen-") as folder:
        names = {f"{number}.sh": text for number, text in enumerate(texts)}
        for name, text in names.items():
            Path(folder, name).write_text(text, encoding="utf-8", newline="")
        batches = [tuple(names)[start::processes] for start in range(processes)]
        for process in [_start_process(program, batch, folder) for batch in batches]:
            out, error_output = process.communicate()
            if process.returncode not in (0, 1):
                raise ChildProcessError(
                    f"{program} ends with {process.returncode}: {error_output.decode(errors='replace')}"
                )
            yield from ((names[comment["file"]], comment) for comment in json.loads(out)["comments"])


def _start_process(program: str, names: Sequence[str], folder: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    return subprocess.Popen(
        [program, *_OPTIONS, *names], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def _report(remark: Mapping[str, Any], text: ShellText, report: Report) -> None:
    line, last = remark["line"] - _START_LINES, remark["endLine"] - _START_LINES
    lines = line_starts(text.text)
    if not 0 < line <= len(lines):
        return
    start = lines[line - 1] + remark["column"] - 1
    end = lines[min(last, len(lines)) - 1] + remark["endColumn"] - 1
    code = f"SC{remark['code']}"
    report.add(
        _CODES[remark["level"]],
        f"{code}: {remark['message'].rstrip('.')}",
        at=text.span_of(start, max(end, start + 1)),
        hint=f'see https://www.shellcheck.net/wiki/{code}; to allow it, put "# shellcheck disable={code}" above it',
    )
