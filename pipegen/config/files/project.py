"""The settings of a project: `pipegen.toml`, or `[tool.pipegen]` in its pyproject.toml."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipegen.assets import folder
from pipegen.config.files.load import absolute, beginning, load, repository_root
from pipegen.config.ignores import known_code
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Severity
from pipegen.diagnostics.policy import SeverityPolicy
from pipegen.diagnostics.report import Report
from pipegen.source.enclosure import OutsideError
from pipegen.source.tree import Entry, Mapping, Node, Scalar, Sequence
from pipegen.structs import Struct, field, from_json

OWN_FILE = "pipegen.toml"
SHARED_FILE = "pyproject.toml"
_TABLE = ("tool", "pipegen")
# What a pyproject.toml holds that may have that table, in any way that TOML has to write it: "tool.pipegen", a line
# that begins with the key "pipegen", or a table "tool" on one line. To depend on pipegen takes none of these.
_MARK = re.compile(
    rb"""\btool["']?\s*(\.\s*["']?pipegen\b|=)|^[ \t]*(pipegen|"pipegen"|'pipegen')\s*[.=]""", re.MULTILINE
)
_OFF = "off"
# Settings and all that stands beside them, in bytes: Python's own reader of TOML takes its time.
_LARGEST = 1024 * 1024


class ProjectSettings(Struct):
    """What a project asks of pipegen: how diagnostics are told, and the targets of configs that name none.

    *path* is the file that says so; None where there is none.
    """

    path: Path | None = None
    policy: SeverityPolicy = field(default_factory=SeverityPolicy)
    targets: tuple[str, ...] = ()


def read_project(config: Path, report: Report) -> ProjectSettings:
    """Return the settings nearest to *config*, from its folder up to the root of the repository.

    Raise `Stopped` where they are wrong. A pyproject.toml without a section of pipegen is passed over.
    """
    for path in _candidates(config):
        found = read_settings(path, report, shown=os.path.relpath(path).replace(os.sep, "/"))
        if found.path is not None:
            return found
    return ProjectSettings()


def read_settings(path: Path, report: Report, *, shown: str) -> ProjectSettings:
    """Return the settings in the file at *path*, which is *shown* so; raise `Stopped` where they are wrong."""
    section = _section(path, report, shown)
    return _project(path, section, report) if section is not None else ProjectSettings()


def _candidates(config: Path) -> Iterator[Path]:
    """Yield the files that may hold settings, the nearest first."""
    root, here = repository_root(config), absolute(config).parent
    for above in (here, *here.parents):
        # Most folders hold neither, and are asked for each config: `Path` takes four times as long.
        own, shared = f"{above}/{OWN_FILE}", f"{above}/{SHARED_FILE}"
        if os.path.isfile(own):  # noqa: PTH113
            yield Path(own)
        # What is no text of pipegen's, right or wrong, is the business of others.
        if os.path.isfile(shared) and _has_section(Path(shared)):  # noqa: PTH113
            yield Path(shared)
        if above == root:
            return


def _has_section(shared: Path) -> bool:
    """Return whether *shared* may hold a section of pipegen; what leads out of the repository is not looked into."""
    try:
        return _MARK.search(beginning(shared)) is not None
    except OutsideError:
        return False


def _section(path: Path, report: Report, shown: str) -> Node | None:
    """Return what the file at *path* says to pipegen; None where that is nothing."""
    from pipegen.config.files.toml_tree import read_toml  # noqa: PLC0415 - few projects have settings: others do not wait

    file = load(path, report, shown=shown, largest=_LARGEST)
    report.stop_if_errors()
    section: Node | None = read_toml(file, report)
    for key in _TABLE if path.name == SHARED_FILE else ():
        section = section.get(key) if isinstance(section, Mapping) else None
    return section


def _project(path: Path, section: Node, report: Report) -> ProjectSettings:
    from pipegen.config.schema.check import check_settings  # noqa: PLC0415 - as above

    schema: dict[str, Any] = from_json((folder("schemas") / "settings.schema.json").read_bytes())
    check_settings(section, schema, report, ".".join(_TABLE) if path.name == SHARED_FILE else OWN_FILE)
    report.stop_if_errors()
    values = {entry.key.text: entry.value for entry in section.entries} if isinstance(section, Mapping) else {}
    strict, severity, targets = (values.get(key) for key in ("strict", "severity", "targets"))
    given = severity.entries if isinstance(severity, Mapping) else ()
    severities = {entry.key.text: _severity(entry) for entry in given if _is_allowed(entry, report)}
    names = targets.items if isinstance(targets, Sequence) else ()
    return ProjectSettings(
        path,
        SeverityPolicy(severities, is_strict=isinstance(strict, Scalar) and strict.value is True),
        tuple(name.text for name in names if isinstance(name, Scalar)),
    )


def _severity(entry: Entry) -> Severity | None:
    word = entry.value.text if isinstance(entry.value, Scalar) else _OFF
    return None if word == _OFF else Severity(word)


def _is_allowed(entry: Entry, report: Report) -> bool:
    """Return whether *entry* names a code that can be given its severity; what it cannot is reported."""
    code = known_code(entry.key.text, entry.key.span, report)
    if code is None:
        return False
    if code.is_fixed and _severity(entry) is not Severity.ERROR:
        report.add(
            codes.FIXED_SEVERITY,
            f"{code.number} is an error, whose severity cannot be lowered",
            at=entry.key.span,
            hint=f'remove it; "pipegen explain {code.number}" tells what to do instead',
        )
    return True
