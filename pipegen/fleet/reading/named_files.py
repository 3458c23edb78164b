"""Files that the file of a fleet names."""

from __future__ import annotations

from pathlib import Path

from pipegen.config.files.load import absolute
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.source.tree import Scalar
from pipegen.structs import Struct


class FleetFolder(Struct):
    """The folder of the file of a fleet, which names no files outside its repository, *root*."""

    path: Path
    root: Path

    def file(self, name: Scalar, kind: str, report: Report) -> Path | None:
        """Return the path of the file with this *name*, a *kind* of file; report it if there is none."""
        path = self.path / name.text
        if not absolute(path).is_relative_to(self.root):
            report.add(
                codes.LEADS_OUTSIDE,
                f'"{name.text}" leads out of the repository of the fleet',
                at=name.span,
                hint=f'move "{path.name}" into the folder of the fleet, or the fleet to a folder that contains it',
            )
            return None
        if not path.is_file():
            report.add(
                codes.INVALID_FLEET_VALUE,
                f'there is no {kind} "{name.text}"',
                at=name.span,
                hint="write its path relative to the file of the fleet",
            )
            return None
        return path
