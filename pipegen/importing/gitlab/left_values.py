"""What stands for the values that jobs leave for others: in dotenv reports, and in files of a generated pipeline."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from pipegen.importing.gitlab.reading.jobs import SourceJob
from pipegen.importing.gitlab.reading.outputs import DotenvReport
from pipegen.importing.gitlab.reading.stored import artifacts_of
from pipegen.importing.gitlab.reading.tree import flat_items, text_of, texts_of
from pipegen.structs import Struct

_SCRIPTS = ("before_script", "script")
# Commands of a generated job that read a dotenv file, and that store the value for other jobs, or for GitLab.
_READ = r"sed -n s/\^(?P<name>\w+)=//p (?P<file>[\w./-]+)"
_STORED = re.compile(rf"{_READ} >(?P<path>\.pipegen/outputs/\S+)")
_ASSIGNED = re.compile(rf"(?P<variable>\w+)=\$\({_READ}\)")
_FETCHED = re.compile(r"(?P<variable>\w+)=\$\(cat (?P<path>\.pipegen/outputs/\S+)\)")
_PRINTED = re.compile(r'printf %s "\$(?P<variable>\w+)" >(?P<path>\.pipegen/outputs/\S+)')
_REPORTED = re.compile(r"""printf '(?P<path>PIPEGEN_\w+)=%s\\n' "\$(?P<variable>\w+)" >>\.pipegen/dotenv/""")

_NO_REFERENCES: Mapping[str, str] = MappingProxyType({})


class LeftValues(Struct, kw_only=True):
    """What stands for the values of dotenv files that a job leaves.

    Those *for_others* are by variable, or by the path of the file with the value. Its *own* are for its environment.
    """

    for_others: Mapping[str, str] = _NO_REFERENCES
    own: Mapping[str, str] = _NO_REFERENCES


NO_VALUES = LeftValues()


def values_of_report(job: str, report: DotenvReport) -> LeftValues:
    """Return the values that the *job* of a source leaves in *report*."""
    values = {name: _value(job, report.path, name) for name in report.names}
    return LeftValues(for_others=values, own=values)


def generated_values(job: SourceJob) -> LeftValues:
    """Return the values that a generated *job* leaves."""
    own: dict[str, str] = {}
    left: dict[str, str] = {}
    name = job.name.removeprefix("stage ")
    artifacts, reports = artifacts_of(job)
    stored = texts_of(artifacts.get("paths"))
    for text in (text_of(item) for key in _SCRIPTS for item in flat_items(job.get(key))):
        left |= {match["path"]: _value(name, match["file"], match["name"]) for match in _STORED.finditer(text)}
        own |= {match["variable"]: _value(name, match["file"], match["name"]) for match in _ASSIGNED.finditer(text)}
        for match in (*_PRINTED.finditer(text), *_REPORTED.finditer(text)):
            if match["variable"] in own:
                left[match["path"]] = own[match["variable"]]
    reported = ("PIPEGEN_",) if any(map(_is_generated, texts_of(reports.get("dotenv")))) else ()
    others = {path: value for path, value in left.items() if path.startswith((*stored, *reported))}
    return LeftValues(for_others=others, own=own)


def read_variable(command: str, received: Mapping[str, str], values: LeftValues) -> tuple[str, str] | None:
    """Return the variable that a generated *command* sets to a value, and what stands for this.

    It is one of those *received* from other jobs, or an own one. Return None if it is another command.
    """
    if match := _FETCHED.fullmatch(command):
        return match["variable"], received.get(match["path"], "")
    if match := _ASSIGNED.fullmatch(command):
        return match["variable"], values.own.get(match["variable"], "")
    return None


def _value(job: str, path: str, name: str) -> str:
    return f"{name} in {path} of {job}"


def _is_generated(path: str) -> bool:
    return path.startswith(".pipegen/dotenv/")
