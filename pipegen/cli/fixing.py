"""`check --fix`: fixes that do not change the meaning of a config."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from pipegen.cli.exits import WrongUsage
from pipegen.cli.files.output import write
from pipegen.cli.linting import lint
from pipegen.cli.session import attempt
from pipegen.cli.terminal.redaction import tokens_in
from pipegen.compiler import analyse
from pipegen.config.files.load import MAX_BYTES
from pipegen.diagnostics import codes
from pipegen.diagnostics.redaction import redact_text
from pipegen.diagnostics.report import Report, Stopped
from pipegen.lint.fixing import apply_fixes
from pipegen.plan.model import Plan
from pipegen.source.enclosure import content
from pipegen.source.text import SourceFile
from pipegen.structs import Struct

# A fix may enable another one; after this many rounds, the next call continues.
_MOST_ROUNDS = 20


class Fixed(Struct):
    """A config before and after its fixes."""

    path: Path
    before: SourceFile
    after: SourceFile

    @property
    def difference(self) -> str:
        """The change as a unified diff without secrets; "" if there is none."""
        secrets = _plain_secrets(self.before) if self.before.text != self.after.text else ()
        old, new = (redact_text(file.text, secrets).splitlines(keepends=True) for file in (self.before, self.after))
        lines = difflib.unified_diff(old, new, self.before.path, self.before.path)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def fixed(path: Path) -> Fixed | None:
    """Return the config at *path* with all fixes; None if it has errors.

    A config that is not a file of UTF-8 is not changed.
    """
    report = Report()
    return attempt(path, report, lambda file: Fixed(path, file, fix_file(file, report) if _is_utf8(path) else file))


def write_fixed(result: Fixed) -> None:
    """Write the changed text; a byte order mark and line ends are kept."""
    if result.before.text == result.after.text:
        return
    if result.path.is_symlink():
        raise WrongUsage(f'"{result.path}" is a link: name its target to apply fixes')
    mark = result.path.read_bytes().startswith(b"\xef\xbb\xbf")
    write(result.path, ("\ufeff" if mark else "") + result.after.text)


def _plain_secrets(file: SourceFile) -> tuple[str, ...]:
    """Return the texts in *file* that `check` reports as secrets."""
    report = Report()
    try:
        lint(analyse(file, (), report), report)
    except Stopped:
        return tokens_in(file.text)
    spans = [
        diagnostic.primary.span
        for diagnostic in report.diagnostics()
        if diagnostic.code == codes.PLAIN_SECRET and diagnostic.primary
    ]
    return tuple(dict.fromkeys((*(span.text for span in spans), *tokens_in(file.text))))


def _is_utf8(path: Path) -> bool:
    data = content(path, MAX_BYTES)
    if data is None:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def fix_file(file: SourceFile, report: Report) -> SourceFile:
    """Return *file* with all fixes; raise `Stopped` if it has errors."""
    for _ in range(_MOST_ROUNDS):
        analysed = analyse(file, (), report)
        lint(analysed, report, fixable=True)
        fixes = [
            diagnostic.fix
            for diagnostic in report.diagnostics()
            if diagnostic.fix is not None and diagnostic.fix.edits[0].span.file is file
        ]
        changed = apply_fixes(file, fixes, analysed.plans, _plans) if fixes else file
        if changed.text == file.text:
            break
        file = changed
    return file


def _plans(file: SourceFile) -> Sequence[Plan] | None:
    try:
        return analyse(file, (), Report()).plans
    except Stopped:
        return None
