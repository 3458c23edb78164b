"""`check --fix`: what can be mended in a config is, without a change of what it means."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from pipegen.cli.exits import WrongUsage
from pipegen.cli.files.output import write
from pipegen.cli.linting import lint
from pipegen.cli.redaction import plain_secrets
from pipegen.cli.session import attempt
from pipegen.compiler import analyse
from pipegen.diagnostics.redaction import redact_text
from pipegen.diagnostics.report import Report, Stopped
from pipegen.plan.model import Plan
from pipegen.source.text import SourceFile
from pipegen.structs import Struct

# What one fix leaves idle another one mends; a text of which more is left is mended by the next call.
_MOST_ROUNDS = 20


class Fixed(Struct):
    """A config before and after its fixes."""

    path: Path
    before: SourceFile
    after: SourceFile

    @property
    def difference(self) -> str:
        """The change as a unified diff, which shows no secrets; "" for none."""
        secrets = plain_secrets(self.before) if self.before.text != self.after.text else ()
        old, new = (redact_text(one.text, secrets).splitlines(keepends=True) for one in (self.before, self.after))
        lines = difflib.unified_diff(old, new, self.before.path, self.before.path)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def fixed(path: Path) -> Fixed | None:
    """Return what fixes make of the config at *path*, all pipelines of it; None where something is wrong with it.

    One that is not in UTF-8 stays as it is.
    """
    report = Report()
    return attempt(path, report, lambda file: Fixed(path, file, mended_text(file, report) if _is_utf8(path) else file))


def write_fixed(found: Fixed) -> None:
    """Write what has changed, and nothing else: the mark at the start of the file and its line ends stay."""
    if found.before.text == found.after.text:
        return
    if found.path.is_symlink():
        raise WrongUsage(f'"{found.path}" is a link: name the file that it leads to, and that is mended')
    mark = found.path.read_bytes().startswith(b"\xef\xbb\xbf")
    write(found.path, ("\ufeff" if mark else "") + found.after.text)


def _is_utf8(path: Path) -> bool:
    try:
        path.read_bytes().decode()
    except UnicodeDecodeError:
        return False
    return True


def mended_text(file: SourceFile, report: Report) -> SourceFile:
    """Return *file* with all that can be fixed; raise `Stopped` where something is wrong with it."""
    from pipegen.lint.fixing import apply_fixes  # noqa: PLC0415 - only for this

    for _ in range(_MOST_ROUNDS):
        analysed = analyse(file, (), report)
        lint(analysed, report, fixable=True)
        fixes = [
            found.fix
            for found in report.diagnostics()
            if found.fix is not None and found.fix.edits[0].span.file is file
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
