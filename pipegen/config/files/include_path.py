"""Which file an `include` means."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path

from pipegen.config.files.load import find
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, suggestion
from pipegen.source.text import SourceFile
from pipegen.source.tree import Scalar

# A file that is not there is looked for among so many of its folder.
_MANY = 1_000


def shown_path(written: Scalar, file: SourceFile) -> str:
    """Return the path of what *file* includes as *written*, seen from where the path of *file* is seen."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(file.path), written.text))


def find_included(written: Scalar, file: SourceFile, root: Path, report: Report) -> Path | None:
    """Return the file that *file*, in the repository at *root*, includes as *written*; None when that is reported."""
    if file.place is None:
        _report_outside(written, "nothing can be included into a text that stands in no file", "name a file", report)
        return None
    if "://" in written.text:
        _report_outside(
            written,
            "only files of the repository can be included",
            "keep a copy in the repository, and write its path",
            report,
        )
        return None
    if written.text.startswith("/"):
        _report_outside(written, f'"{written.text}" is no path within the repository', _relative(written, file), report)
        return None
    place = Path(os.path.normpath(file.place.parent / written.text))
    # What a link leads to counts too: a repository must not make a reader of it read other files of the machine.
    if not (place.is_relative_to(root) and _real(place).is_relative_to(_real(root))):
        is_link = place.is_relative_to(root)
        _report_outside(
            written,
            f'"{written.text}" {"leads" if is_link else "lies"} out of the repository',
            "include a file of the repository" if is_link else f'the repository is the folder "{root}"',
            report,
        )
        return None
    if _is_of_git(_real(place), _real(root)):
        _report_outside(
            written, f'"{written.text}" is a file of git\'s own', "include a file of the repository's content", report
        )
        return None
    return place if _is_there(place, written, report) else None


def _is_of_git(real: Path, root: Path) -> bool:
    """Return whether *real*, in the repository at *root*, is what git keeps there: addresses with logins, say."""
    return any(name.casefold() == ".git" for name in real.relative_to(root).parts)


def report_unreadable(written: Scalar, why: str, hint: str, report: Report) -> None:
    """Report the file that is included as *written*, which cannot be read."""
    report.add(
        codes.UNREADABLE_INCLUDE, f'"{written.text}" cannot be included: {why}', at=written.span, label=why, hint=hint
    )


def _is_there(place: Path, written: Scalar, report: Report) -> bool:
    try:
        if place.is_file():
            return True
        if place.is_dir():
            inside = find(place)
            shown = posixpath.join(written.text or ".", inside.relative_to(place).as_posix()) if inside else ""
            report_unreadable(
                written, "it is a folder", f'write "{shown}"' if shown else "name a file in the folder", report
            )
        elif place.exists():
            report_unreadable(written, "it is no file", "name a file of text", report)
        else:
            report_unreadable(written, "it is not there", _absent(place, written), report)
    except (OSError, ValueError) as error:
        report_unreadable(written, str(getattr(error, "strerror", None) or "no file can have this name"), _ASK, report)
    return False


_ASK = "name a file that can be read"


def _absent(place: Path, written: Scalar) -> str:
    if set("*?[") & set(written.text):
        return "name each file: patterns are not looked into"
    folder = place.parent
    names = [path.name for path, _ in zip(folder.iterdir(), range(_MANY), strict=False)] if folder.is_dir() else []
    meant = suggestion(place.name, sorted(names))
    return (
        f'write "{posixpath.join(posixpath.dirname(written.text), meant)}"'
        if meant
        else "paths are relative to the file that includes"
    )


def _relative(written: Scalar, file: SourceFile) -> str:
    """Return what to write for a path that begins at the root of the repository."""
    path = posixpath.relpath(posixpath.normpath(f"/{written.text.lstrip('/')}"), f"/{file.folder}")
    return f'write "{path}": paths are relative to the file that includes'


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _report_outside(written: Scalar, message: str, hint: str, report: Report) -> None:
    report.add(codes.INCLUDE_OUTSIDE, message, at=written.span, hint=hint)
