"""The file that an `include` names."""

from __future__ import annotations

import os
import posixpath
import stat
from pathlib import Path

from pipegen.config.files.load import find
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, suggestion
from pipegen.source.text import SourceFile
from pipegen.source.tree import Scalar

# The number of files in a folder that suggestions for a missing file consider.
_MAX_NAMES = 1_000


def shown_path(written: Scalar, file: SourceFile) -> str:
    """Return the path of the file that *file* includes as *written*, relative to the same folder as that of *file*."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(file.path), written.text))


def find_included(written: Scalar, file: SourceFile, root: Path, report: Report) -> Path | None:
    """Return the file that *file*, in the repository at *root*, includes as *written*; None after an error."""
    if file.absolute_path is None:
        _report_outside(
            written, "a config that is not read from a file cannot include files", "save it to a file", report
        )
        return None
    if "://" in written.text:
        _report_outside(
            written,
            "only files of the repository can be included",
            "add a copy to the repository, and write its path",
            report,
        )
        return None
    if written.text.startswith("/"):
        _report_outside(written, f'"{written.text}" is not a relative path', _relative_path_hint(written, file), report)
        return None
    path = Path(os.path.normpath(file.absolute_path.parent / written.text))
    # Links are resolved first: a repository must not make pipegen read other files of the machine.
    if not (path.is_relative_to(root) and _real(path).is_relative_to(_real(root))):
        is_link = path.is_relative_to(root)
        _report_outside(
            written,
            f'"{written.text}" {"leads out of" if is_link else "is outside"} the repository',
            "include a file of the repository" if is_link else f'the root of the repository is "{root}"',
            report,
        )
        return None
    if _is_in_git_folder(_real(path), _real(root)):
        _report_outside(
            written, f'"{written.text}" is an internal file of git', "include a file from the work tree", report
        )
        return None
    return path if _is_readable(path, written, report) else None


def _is_in_git_folder(real_path: Path, root: Path) -> bool:
    """Return whether *real_path* is in a `.git` folder below *root*: such files may contain URLs with passwords."""
    return any(name.casefold() == ".git" for name in real_path.relative_to(root).parts)


def report_unreadable(written: Scalar, reason: str, hint: str, report: Report) -> None:
    """Report that the file included as *written* cannot be read, with the *reason*."""
    report.add(
        codes.UNREADABLE_INCLUDE,
        f'"{written.text}" cannot be included: {reason}',
        at=written.span,
        label=reason,
        hint=hint,
    )


def _is_readable(path: Path, written: Scalar, report: Report) -> bool:
    # `Path.is_file` reports no errors since Python 3.14.
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        report_unreadable(written, "it does not exist", _missing_file_hint(path, written), report)
        return False
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "strerror", None) or "it is not a valid file name")
        report_unreadable(written, reason, _READABLE_HINT, report)
        return False
    if stat.S_ISDIR(mode):
        config = find(path)
        suggested = posixpath.join(written.text or ".", config.relative_to(path).as_posix()) if config else ""
        hint = f'write "{suggested}"' if suggested else "name a file in the folder"
        report_unreadable(written, "it is a folder", hint, report)
    elif not stat.S_ISREG(mode):
        report_unreadable(written, "it is not a regular file", "name a text file", report)
    return stat.S_ISREG(mode)


_READABLE_HINT = "name a file that can be read"


def _missing_file_hint(path: Path, written: Scalar) -> str:
    if set("*?[") & set(written.text):
        return "name each file: patterns are not supported"
    folder = path.parent
    names = (
        [entry.name for entry, _ in zip(folder.iterdir(), range(_MAX_NAMES), strict=False)] if folder.is_dir() else []
    )
    # The extension that the names share makes none of them a typo.
    stems = {Path(name).stem: name for name in sorted(names) if Path(name).suffix in (path.suffix, ".yaml", ".yml")}
    suggested = stems.get(suggestion(path.stem, stems) or "")
    return (
        f'write "{posixpath.join(posixpath.dirname(written.text), suggested)}"'
        if suggested
        else "paths are relative to the including file"
    )


def _relative_path_hint(written: Scalar, file: SourceFile) -> str:
    """Return a hint with the relative path for *written*, which starts at the root of the repository."""
    path = posixpath.relpath(posixpath.normpath(f"/{written.text.lstrip('/')}"), f"/{file.folder}")
    return f'write "{path}": paths are relative to the including file'


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _report_outside(written: Scalar, message: str, hint: str, report: Report) -> None:
    report.add(codes.INCLUDE_OUTSIDE, message, at=written.span, hint=hint)
