"""Hostile texts that no script reads: names on engines, patterns, paths, messages.

Text that an engine does not support is rejected at its position; all other text is in generated files, and is not
executed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from engines.proof.yaml_text import yaml_text
from robust.hostile.places import PLACES
from robust.hostile.round import Keys, Round

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.targets import registry

# Positions whose texts can be in one stage, by name. Other positions are not executed here: they would wait for a
# person, a file or a machine; the engine's own parser reads their generated text.
TOGETHER = (
    ("stage.description", "stage.lock", "environment.name", "artifacts.name", "reuse.files.[]"),
    ("stage.artifacts.[]", "cache.key", "reports.junit"),
    ("artifacts.paths.[]", "cache.paths.[]", "coverage.path", "environment.url"),
    ("artifacts.exclude.[]", "cache.fallback.[]", "reports.codequality"),
    ("cache.key.prefix", "reports.sarif", "reports.coverage"),
    ("image.name",),
    ("service.env.*",),
    ("service.command.[]",),
    ("image.entrypoint.[]",),
)


def labels(turn: Round) -> None:
    """Add stages with texts that no script reads."""
    for number, names in enumerate(TOGETHER):
        keys: Keys = {}
        for name in names:
            keys |= stage_of(next(accepted(turn, name), None))
        turn.stage(f"labels{number}", **{**keys, "script": [turn.keep("stage.script.[]", "", "''")]})


def others(turn: Round) -> None:
    """Compile texts in all positions, and add a stage without effect."""
    for name in PLACES:
        for _ in accepted(turn, name):
            pass
    turn.stage("nothing", script=[turn.keep("stage.script.[]", "", "''")])


def stage_of(config: Keys | None) -> Keys:
    """Return the keys of the first stage of *config*."""
    match config:
        case {"pipelines": {"p": {"stages": [{"name": _, **keys}, *_]}}}:
            return {str(key): value for key, value in keys.items()}
    return {}


def accepted(turn: Round, name: str) -> Iterator[Keys]:
    """Yield configs with a text at the position *name* that the engine accepts; record diagnostics of others."""
    for text in turn.deal(4, fits=bool):
        config = PLACES[name](text)
        answer = answer_of(turn, yaml_text(config))
        turn.tried += 1
        turn.faults += [f"{name}: {text[:120]!r}: {fault}" for fault in answer.faults]
        if answer.text is not None:
            turn.generated[f"{name} {turn.dealt}"] = answer.text
            yield config


class Said:
    """The diagnostics of a config and their faults, and the generated text, None if the config was rejected."""

    def __init__(self, faults: list[str], text: str | None) -> None:
        """Set the fields."""
        self.faults, self.text = faults, text


TARGETS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "gitlab-ci-local": ("gitlab", {}),
    "scripted": ("jenkins", {"style": "scripted"}),
    "declarative": ("jenkins", {"style": "declarative"}),
    "pipegen run": ("gitlab", {}),
}


def answer_of(turn: Round, config: str) -> Said:
    """Return the diagnostics and files of the engine's target for *config*."""
    file, report, texts = SourceFile("pipegen.yaml", config, ""), Report(), [""]
    target, options = TARGETS[turn.engine]
    with suppress(Stopped):
        texts += [
            generated.text for generated in generate(analyse(file, (), report), registry.load(target), options, report)
        ]
    faults = [
        f"{diagnostic.code.number} has no place"
        for diagnostic in report.diagnostics()
        if diagnostic.primary is None
        or not 0 <= diagnostic.primary.span.start <= diagnostic.primary.span.end <= len(config)
    ]
    return Said(faults, None if report.has_errors() else texts[-1])
