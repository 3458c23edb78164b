"""A text in every position of a config: rejected with a location, or found in the generated file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any
from urllib.parse import unquote

import yaml
from robust.positions.read import Leaf, groovy, leaves, others, psych
from robust.positions.shell import evaluated, words
from robust.positions.table import Occurrence

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.targets import registry

MARK = "qzk"
BENIGN = f"{MARK}akzq"
_SCRIPTS = frozenset({"script", "before_script", "after_script", "sh", "withRun", "builtImage"})
# Patterns of paths, as Ruby's fnmatch reads them, and their escapes for one literal character.
_PATHS = frozenset({"changes", "exists"})
_LITERAL = re.compile(r"\\([\[{])|\[([$%])\]")
# Positions of code, which a script contains unchanged.
_PROGRAMS = (
    "stage/properties/script",
    "stage/properties/before",
    "stage/properties/after",
    "output/properties/command",
    "properties/ready",
    "raw",
    "commands",
)
# Names with few permitted characters on engines, all others are replaced; and names of credentials, which are in a
# job's message about a missing credential.
FITTED = frozenset(
    {
        ":/$defs/stage/properties/secrets/additionalProperties",
        *(f":/$defs/secret/anyOf/1/properties/{kind}" for kind in ("text", "file", "password", "ssh_key")),
        ":/$defs/stage/properties/environment",
        ":/$defs/stage/properties/environment/anyOf/1/properties/name",
        ":/$defs/credential/properties/id",
        "gitlab:/properties/promote/properties/credential",
        ":/$defs/stage/properties/lock",
        ":/$defs/pipeline/properties/concurrency",
        ":/$defs/pipeline/properties/concurrency/anyOf/1/properties/group",
        ":/$defs/cache/properties/key",
        ":/$defs/cache/properties/key/anyOf/1/properties/prefix",
        ":/$defs/cache/properties/fallback/items",
        ":/$defs/matrix/additionalProperties/items",
        ":/$defs/matrix/properties/include/items/additionalProperties",
    }
)
# Names that are cut if they are long; names of combinations leave out special characters of shells.
_STAGE = ":/$defs/stage/properties/name"
_COMBINATIONS = tuple(
    f":/$defs/matrix/{place}"
    for place in ("additionalProperties/items", "properties/include/items/additionalProperties")
)
_UNNAMED = re.compile(r"[$`\"'\\]")
# The slug of a name that is long or has other characters, in the names of containers and images.
_SLUG = re.compile(rf"{MARK}(?:-[a-z0-9]+)*-[0-9a-f]{{8}}\b")
# The slug of a Dockerfile, in the name of the image and of the file that passes it on.
_DOCKERFILE = ":/$defs/image/anyOf/1/properties/dockerfile"
_DOCKERFILE_SLUG = re.compile(rf"{MARK}(?:-[a-z0-9]+)*(?=[.\"])")
# Values on one line: lines are joined with spaces, addresses with commas.
_FOLDED = ("stage/properties/approve", "email/properties/subject", "email/properties/to")
_HOSTILE = re.compile(r"[`<>|;]|[$][(A-Za-z]")


class Outcome(Enum):
    """The outcome of a text in a position."""

    REFUSED = "refused with a place"
    UNPLACED = "refused without a place"
    SILENT = "stands in no file"
    FITTED = "stands as a name that the engine allows"
    READ = "read back exactly"
    WRONG = "read back as something else"


@dataclass(frozen=True, slots=True)
class Trial:
    """A text in a position of a config, compiled for a target: the file, or the codes of the errors."""

    position: str
    target: str
    name: str
    text: str
    generated: str
    refused: tuple[str, ...]
    has_place: bool = True


def tried(position: str, occurrence: Occurrence, target: str, text: str) -> Trial:
    """Return the trial of *text* in *position* as it occurs in *occurrence*."""
    report = Report()
    files: Mapping[str, str] = {}
    try:
        analysis = analyse(SourceFile("pipegen.yaml", occurrence.with_text(text)), (), report)
        files = {file.name: file.text for file in generate(analysis, registry.load(target), {}, report)}
    except Stopped:
        pass
    errors = [diagnostic for diagnostic in report.diagnostics() if diagnostic.severity.name == "ERROR"]
    return Trial(
        position,
        target,
        occurrence.name,
        text,
        [*files.values()][-1] if files else "",
        tuple(diagnostic.code.number for diagnostic in errors),
        all(diagnostic.primary is not None for diagnostic in errors),
    )


def read(trials: Sequence[Trial]) -> Iterator[tuple[Trial, list[Leaf], str]]:
    """Yield the *trials* that generated files, each with its texts and the disagreements of its readers."""
    values = [trial for trial in trials if trial.generated]
    for target, parsed in (("gitlab", _psych), ("jenkins", _groovy)):
        own = [trial for trial in values if trial.target == target]
        if own:
            yield from zip(own, *zip(*parsed([trial.generated for trial in own]), strict=True), strict=True)


def _psych(texts: Sequence[str]) -> Iterator[tuple[list[Leaf], str]]:
    for text, data in zip(texts, psych(texts), strict=True):
        if isinstance(data, dict):
            yield [], f"Psych refuses it: {data['refused']}"
            continue
        documents = [value for value in data if value is not None]
        differing = [name for name, other in others(text).items() if other != documents]
        yield list(leaves(documents)), f"{', '.join(differing)} reads other data" if differing else ""


def _groovy(texts: Sequence[str]) -> Iterator[tuple[list[Leaf], str]]:
    for group in groovy(texts):
        refused = [text.text for text in group if text.path == ("refused",)]
        expanded = any(text.path == ("GString",) and MARK in text.text for text in group)
        yield group, f"Groovy refuses it: {refused[0]}" if refused else "a GString holds it" if expanded else ""


def outcome(trial: Trial, leaves: Sequence[Leaf]) -> Outcome:
    """Return the outcome of *trial*, whose file has *leaves*."""
    marked = [leaf for leaf in leaves if MARK in leaf.text]
    if not marked:
        # The name of a variable is in upper case.
        is_variable = trial.position in FITTED and any(MARK.upper() in leaf.text for leaf in leaves)
        return Outcome.FITTED if is_variable else Outcome.SILENT
    read = [leaf for leaf in marked if _is_read(trial, leaf)]
    if read == marked:
        return Outcome.READ
    return Outcome.FITTED if all(leaf in read or _is_fitted(trial, leaf) for leaf in marked) else Outcome.WRONG


def _is_read(trial: Trial, leaf: Leaf) -> bool:
    """Whether *leaf* has the text of *trial* in one of its possible languages."""
    is_program = any(part in trial.position for part in _PROGRAMS)
    return any(_is_same(trial, value) for value in _values(leaf, trial.text, is_program=is_program))


def _is_fitted(trial: Trial, leaf: Leaf) -> bool:
    """Whether *leaf* is a name derived from the text of *trial*, with replaced characters or shortened."""
    if trial.position in (_STAGE, *_COMBINATIONS) and _is_cut(trial, leaf):
        return True
    if trial.position == _STAGE and leaf.text.count(MARK) == len(_SLUG.findall(leaf.text)):
        return True
    if trial.position == _DOCKERFILE and leaf.text.count(MARK) == len(_DOCKERFILE_SLUG.findall(leaf.text)):
        return True
    return trial.position in FITTED and not any(map(_HOSTILE.search, _parts(leaf)))


def _is_same(trial: Trial, value: str) -> bool:
    """Whether *value* contains the text of *trial*, on one line if required."""
    if trial.text in value:
        return True
    is_folded = any(part in trial.position for part in _FOLDED)
    return is_folded and " ".join(trial.text.split()) in " ".join(value.replace(",", " ").split())


def _is_cut(trial: Trial, leaf: Leaf) -> bool:
    """Whether *leaf* is a name that no shell reads, and ends within the text of *trial*."""
    name = trial.text if trial.position == _STAGE else " ".join(_UNNAMED.sub("", trial.text).split())
    start, ellipsis, _ = leaf.text[leaf.text.index(MARK) :].partition("…")
    return bool(ellipsis) and name.startswith(start) and _SCRIPTS.isdisjoint(leaf.path)


def _parts(leaf: Leaf) -> Iterator[str]:
    """Yield the text between marks in a leaf."""
    for match in re.finditer(rf"{MARK}(.*?)(kzq|…|$)", leaf.text, re.DOTALL):
        yield match[1]


def _values(leaf: Leaf, text: str, *, is_program: bool) -> Iterator[str]:
    """Yield the values of *leaf* in each of its possible languages."""
    is_script = not _SCRIPTS.isdisjoint(leaf.path)
    if is_program or not is_script:
        yield leaf.text
    if is_script:
        for word in words(leaf.text, MARK):
            value = evaluated(word)
            if value is not None:
                yield value
                yield from _nested(value)
        return
    yield leaf.text.replace("$$", "$")
    yield unquote(leaf.text.replace("$$", "$"))
    if not _PATHS.isdisjoint(leaf.path):
        yield _LITERAL.sub(r"\1\2", leaf.text)
    yield from _matching(leaf.text, text)


def _nested(value: str) -> Iterator[str]:
    """Yield the texts in *value* if it is a document itself."""
    try:
        data: Any = yaml.safe_load(value)
    except yaml.YAMLError:
        return
    if isinstance(data, dict | list):
        yield from (leaf.text for leaf in leaves(data))


def _matching(expression: str, text: str) -> Iterator[str]:
    """Yield *text* if a regular expression or quoted text in *expression* matches it."""
    for data in re.findall(r"/((?:[^/\\]|\\.)*)/|\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'", expression):
        for item in filter(None, data):
            if _is_match(item, text):
                yield text
    if _is_match(expression, text):
        yield text


def _is_match(expression: str, text: str) -> bool:
    try:
        return re.fullmatch(expression.replace("\\/", "/"), text) is not None
    except re.error:
        return False
