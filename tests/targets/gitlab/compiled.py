"""A config compiled for GitLab, and the file read back."""

from __future__ import annotations

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


@dataclass(frozen=True, slots=True)
class Compiled:
    """The result of a compilation: the text, "" after an error, its meaning, and the PG6xx diagnostics."""

    text: str
    data: dict[str, Any]
    diagnostics: tuple[Diagnostic, ...]

    def codes(self) -> list[tuple[str, str]]:
        """Return the code and the underlined text of each diagnostic."""
        return [
            (diagnostic.code.number, diagnostic.primary.span.text if diagnostic.primary else "")
            for diagnostic in self.diagnostics
        ]

    def needs(self, job: str) -> list[tuple[str, bool]]:
        """Return the needs of *job*, and which fetch artifacts."""
        return [(need["job"], need["artifacts"]) for need in self.data[job].get("needs", [])]


def compiled(config: str, *chosen: str) -> Compiled:
    """Compile the indented *config*, all of it or the *chosen* pipelines."""
    report = Report()
    text = ""
    try:
        file = SourceFile("pipegen.yaml", dedent(config))
        (generated_file,) = generate(analyse(file, chosen, report), gitlab, {}, report)
        text = generated_file.text
    except Stopped:
        pass
    data = meaning(yaml_data(text) or {})
    return Compiled(
        text, data, tuple(diagnostic for diagnostic in report.diagnostics() if diagnostic.code.number.startswith("PG6"))
    )
