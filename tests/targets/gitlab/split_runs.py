"""Files of a split pipeline, read back: the order of jobs and the artifacts that they can fetch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import dedent
from typing import Any

from gitlab_meaning import meaning
from yaml_data import yaml_data

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.targets import gitlab
from pipegen.targets.base import GeneratedFile

KEYWORDS = ("stages", "workflow", "default", "variables")


@dataclass(frozen=True, slots=True)
class SplitUp:
    """The files of a compilation, none after an error, and the PG6xx diagnostics."""

    files: tuple[GeneratedFile, ...]
    diagnostics: tuple[Diagnostic, ...]

    def each(self) -> dict[str, dict[str, Any]]:
        """Return the data of each file by its name."""
        return {file.name: yaml_data(file.text) for file in self.files}

    def data(self) -> dict[str, dict[str, Any]]:
        """Return the data of each pipeline, with included files, by the name of its file."""
        files = self.each()
        included: list[str] = []
        for data in files.values():
            # Included files of other authors are not part of the compilation.
            for path in [include.get("local") for include in data.pop("include", ())]:
                if path in files:
                    included.append(path)
                    data.update(files[path])
        return {name: meaning(data) for name, data in files.items() if name not in included}

    def reported(self, number: str) -> list[Diagnostic]:
        """Return the diagnostics with that code."""
        return [diagnostic for diagnostic in self.diagnostics if diagnostic.code.number == number]


def split_up(config: str, cuts: Sequence[str] = ()) -> SplitUp:
    """Compile the indented *config* with the groups *cuts* of `--split`."""
    report = Report()
    files: tuple[GeneratedFile, ...] = ()
    try:
        file = SourceFile("pipegen.yaml", dedent(config))
        files = generate(analyse(file, (), report), gitlab, {"split": "\n".join(cuts)} if cuts else {}, report)
    except Stopped:
        pass
    return SplitUp(
        files, tuple(diagnostic for diagnostic in report.diagnostics() if diagnostic.code.number.startswith("PG6"))
    )


def jobs_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the jobs of a file, with the keys of the hidden jobs that they extend."""
    jobs = {name: job for name, job in data.items() if name not in KEYWORDS}
    return {name: _extending(job, jobs) for name, job in jobs.items() if not name.startswith(".")}


def _extending(job: Mapping[str, Any], jobs: Mapping[str, Any]) -> dict[str, Any]:
    """Return *job* with the keys of those of *jobs* that it extends, of which the last one wins."""
    names = job.get("extends", [])
    parents = [_extending(jobs[name], jobs) for name in ([names] if isinstance(names, str) else names)]
    variables = {name: value for each in (*parents, job) for name, value in each.get("variables", {}).items()}
    keys = {key: value for each in (*parents, job) for key, value in each.items()}
    return {**keys, "variables": variables} if variables else keys


def is_helper(job: Mapping[str, Any]) -> bool:
    """Return whether *job* is a helper."""
    return "PIPEGEN_HELPER" in job.get("variables", {})


class Ordered:
    """Jobs of a parent and its children as one graph; a bridge starts a child, and ends with it.

    A job of a child follows everything that its bridge needs; jobs that need the bridge follow all jobs of the child.
    """

    def __init__(self, data: Mapping[str, Mapping[str, Any]]) -> None:
        *children, self.parent = data
        self.files = {name: jobs_of(document) for name, document in data.items()}
        self.home = {job: name for name, jobs in self.files.items() for job in jobs}
        self.bridges = {
            job["trigger"]["include"][0]["local"]: name
            for name, job in self.files[self.parent].items()
            if "include" in job.get("trigger", {})
        }
        assert sorted(self.bridges) == sorted(children)
        self._after: dict[str, frozenset[str]] = {}

    def job(self, name: str) -> Mapping[str, Any]:
        """Return the job *name*."""
        job: Mapping[str, Any] = self.files[self.home[name]][name]
        return job

    def after(self, name: str) -> frozenset[str]:
        """Return all jobs that *name* follows, including the ends of children."""
        if name not in self._after:
            names: set[str] = set()
            for need in self._waited(name):
                names |= {need} | self.after(need)
                if need in self.bridges.values():
                    file = next(file for file, bridge in self.bridges.items() if bridge == need)
                    for inner in self.files[file]:
                        names |= {inner} | self.after(inner)
            self._after[name] = frozenset(names)
        return self._after[name]

    def _waited(self, name: str) -> list[str]:
        local = [
            need["job"] for need in self.job(name).get("needs", []) if need.keys().isdisjoint(("pipeline", "project"))
        ]
        if self.home[name] == self.parent:
            return local
        bridge = self.bridges[self.home[name]]
        return [*local, *(need["job"] for need in self.job(bridge).get("needs", []))]

    def fetched(self, name: str) -> set[str]:
        """Return the jobs of stages whose artifacts reach *name*, also through collectors."""
        names: set[str] = set()
        waiting = [need for need in self.job(name).get("needs", []) if need["artifacts"] and _is_own(need)]
        while waiting:
            need = waiting.pop()
            job = self.job(need["job"])
            home = self.parent if "pipeline" in need else None
            assert home is None or self.home[need["job"]] == home
            if is_helper(job) and "artifacts" in job:
                waiting += [need for need in job.get("needs", []) if need["artifacts"]]
            else:
                names.add(need["job"])
        return names


def _is_own(need: Mapping[str, Any]) -> bool:
    """Return whether *need* is on a job of the same file or of its parent."""
    return "project" not in need and need.get("pipeline", "$PIPEGEN_PARENT") == "$PIPEGEN_PARENT"
