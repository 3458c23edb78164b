"""The import of many pipelines: the sum of their constructs, and the most frequent obstacles."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pipegen.diagnostics.model import Diagnostic
from pipegen.importing.accounting import Count, KeyOutcome
from pipegen.importing.summary import as_text, data
from pipegen.structs import Struct

_PIPELINE_NAMES = (".gitlab-ci.yml", "Jenkinsfile")
_MOST_OBSTACLES = 15
_QUOTED = re.compile(r'"[^"]*"')


class Audited(Struct):
    """A pipeline: its path, its keys by outcome (None if it cannot be read), the diagnostics and the proof in words."""

    path: str
    count: Count | None
    diagnostics: tuple[Diagnostic, ...]
    proof: str


def audited_files(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the pipelines below *folders*, sorted in each."""
    for folder in folders:
        yield from sorted(path for name in _PIPELINE_NAMES for path in folder.rglob(name) if path.is_file())


def audit_text(audited: Sequence[Audited], *, is_data: bool) -> str:
    """Return the sum of *audited* as text, or as JSON if it *is_data*."""
    counts = [file.count for file in audited if file.count is not None]
    total = _sum(counts)
    obstacles = Counter(_obstacle(message) for file in audited for message in file.diagnostics).most_common()
    if is_data:
        files = {file.path: data(file.count) if file.count is not None else None for file in audited}
        return json.dumps({"files": files, "sum": data(total), "obstacles": dict(obstacles)}, indent=2)
    if not audited:
        return f"no {' and no '.join(_PIPELINE_NAMES)} found"
    lines = [f"{file.path}  {_words(file.count)}{f'; {file.proof}' if file.proof else ''}" for file in audited]
    most = [f"{number:5}  {words}" for words, number in obstacles[:_MOST_OBSTACLES]]
    if most:
        most = ["", "most frequent diagnostics", *most]
    return "\n".join((*lines, "", as_text(total), _share(total), *most))


def _share(total: Count) -> str:
    """Return which part of the keys of *total* needs no further work, without those that depend on other files."""
    here = total.keys - total.number(KeyOutcome.ELSEWHERE)
    done = total.number(KeyOutcome.TRANSLATED) + total.number(KeyOutcome.UNUSED)
    return f"translated or unused: {100 * done / here:.1f} % of the {here} keys not elsewhere" if here else ""


def _words(count: Count | None) -> str:
    if count is None:
        return "cannot be read"
    numbers = ", ".join(f"{count.number(outcome)} {outcome.value}" for outcome in KeyOutcome)
    return f"{count.keys} keys: {numbers}"


def _obstacle(diagnostic: Diagnostic) -> str:
    """Return the kind of *diagnostic*: its message without the names of jobs and files."""
    quoted = _QUOTED.findall(diagnostic.message)
    keys = quoted[:1] if diagnostic.code.name == "kept-raw" else []
    message = _QUOTED.sub(lambda match: match[0] if match[0] in keys else '"…"', diagnostic.message)
    return f"{diagnostic.code.number} {message.partition(': ')[0]}"


def _sum(counts: Iterable[Count]) -> Count:
    keys, outcomes, constructs = 0, Counter[KeyOutcome](), Counter[tuple[str, KeyOutcome]]()
    for count in counts:
        keys += count.keys
        for outcome, number in count.outcomes:
            outcomes[outcome] += number
        for name, outcome, number in count.constructs:
            constructs[name, outcome] += number
    return Count(
        keys=keys,
        outcomes=tuple(outcomes.items()),
        constructs=tuple((name, outcome, number) for (name, outcome), number in constructs.items()),
    )
