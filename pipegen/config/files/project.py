"""The settings of a project: `pipegen.toml`, or `[tool.pipegen]` in its pyproject.toml."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from pipegen.assets import schema
from pipegen.config.files.load import absolute, load, read_start, repository_root
from pipegen.config.ignores import known_code
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Severity
from pipegen.diagnostics.policy import SeverityPolicy
from pipegen.diagnostics.report import Report
from pipegen.source.enclosure import OutsideError
from pipegen.source.tree import Entry, Mapping, Node, Scalar, child, entries_of, is_true, items_of, written_text
from pipegen.structs import Struct, field

_OWN_FILE = "pipegen.toml"
_SHARED_FILE = "pyproject.toml"
_TABLE = ("tool", "pipegen")
# Matches every pyproject.toml with that table, in any form that TOML allows: "tool.pipegen", a line that begins with
# the key "pipegen", or an inline table "tool". A mere dependency on pipegen does not match.
_MARK = rb"""\btool["']?\s*(\.\s*["']?pipegen\b|=)|^[ \t]*(pipegen|"pipegen"|'pipegen')\s*[.=]"""
_OFF = "off"
# The largest settings file, in bytes: Python's TOML parser is slow.
_LARGEST = 1024 * 1024


class ProjectSettings(Struct):
    """The settings of a project: the severities of diagnostics, and the targets of configs that name none.

    *path* is the file with the settings; None without one.
    """

    path: Path | None = None
    policy: SeverityPolicy = field(default_factory=SeverityPolicy)
    targets: tuple[str, ...] = ()


def read_project(config: Path, report: Report) -> ProjectSettings:
    """Return the settings nearest to *config*, from its folder up to the root of the repository.

    Raise `Stopped` if they are invalid. A pyproject.toml without a section of pipegen is skipped.
    """
    for path in _candidates(config):
        settings = read_settings(path, report, shown=os.path.relpath(path).replace(os.sep, "/"))
        if settings.path is not None:
            return settings
    return ProjectSettings()


def read_settings(path: Path, report: Report, *, shown: str) -> ProjectSettings:
    """Return the settings in the file at *path*, displayed as *shown*; raise `Stopped` if they are invalid."""
    section = _section(path, report, shown)
    return _project(path, section, report) if section is not None else ProjectSettings()


def _candidates(config: Path) -> Iterator[Path]:
    """Yield the files that may contain settings, the nearest first."""
    root, config_folder = repository_root(config), absolute(config).parent
    for above in (config_folder, *config_folder.parents):
        # Runs for each folder of each config, mostly in vain: `Path` takes four times as long.
        own, shared = f"{above}/{_OWN_FILE}", f"{above}/{_SHARED_FILE}"
        if os.path.isfile(own):  # noqa: PTH113
            yield Path(own)
        # A pyproject.toml without pipegen's section is not checked, even if it is invalid.
        if os.path.isfile(shared) and _has_section(Path(shared)):  # noqa: PTH113
            yield Path(shared)
        if above == root:
            return


def _has_section(shared: Path) -> bool:
    """Return whether *shared* may have a section of pipegen; links out of the repository are not followed."""
    try:
        return re.search(_MARK, read_start(shared), re.MULTILINE) is not None
    except OutsideError:
        return False


def _section(path: Path, report: Report, shown: str) -> Node | None:
    """Return pipegen's settings in the file at *path*; None if it has none."""
    from pipegen.config.files.toml_tree import read_toml  # noqa: PLC0415 - few projects have settings: 3 % of 10 stages

    file = load(path, report, shown=shown, largest=_LARGEST)
    report.stop_if_errors()
    section: Node | None = read_toml(file, report)
    for key in _TABLE if path.name == _SHARED_FILE else ():
        section = child(section, key)
    return section


def _project(path: Path, section: Node, report: Report) -> ProjectSettings:
    from pipegen.config.schema.check import check_settings  # noqa: PLC0415 - as above

    check_settings(section, schema("settings"), report, ".".join(_TABLE) if path.name == _SHARED_FILE else _OWN_FILE)
    report.stop_if_errors()
    values = {entry.key.text: entry.value for entry in section.entries} if isinstance(section, Mapping) else {}
    strict, severity, targets = (values.get(key) for key in ("strict", "severity", "targets"))
    entries = entries_of(severity)
    severities = {entry.key.text: _severity(entry) for entry in entries if _is_allowed(entry, report)}
    names = items_of(targets)
    return ProjectSettings(
        path,
        SeverityPolicy(severities, is_strict=is_true(strict)),
        tuple(name.text for name in names if isinstance(name, Scalar)),
    )


def _severity(entry: Entry) -> Severity | None:
    word = written_text(entry.value, _OFF)
    return None if word == _OFF else Severity(word)


def _is_allowed(entry: Entry, report: Report) -> bool:
    """Return whether *entry* names a known code; report unknown codes and errors that cannot be lowered."""
    code = known_code(entry.key.text, entry.key.span, report)
    if code is None:
        return False
    if code.is_fixed and _severity(entry) is not Severity.ERROR:
        report.add(
            codes.FIXED_SEVERITY,
            f"{code.number} is an error and its severity cannot be lowered",
            at=entry.key.span,
            hint=f'remove it; "pipegen explain {code.number}" shows how to fix the error',
        )
    return True
