"""Reports words of other CI systems where their users write them.

Each function reports the mistakes that it knows among *violations*, and returns the others.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.config.flow import flow
from pipegen.config.schema.file import known_keys
from pipegen.config.schema.foreign.jobs import is_job, job_hint
from pipegen.config.schema.foreign.model import ForeignWord, Use, rename_hint
from pipegen.config.schema.foreign.words import words_at
from pipegen.config.schema.parts import KEYED
from pipegen.config.schema.tree_paths import TOP, TreePaths, of_stage
from pipegen.config.schema.violation import Path, Violation
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report

_Violations = tuple[Violation, ...]


def foreign_words(violations: _Violations, tree_paths: TreePaths, report: Report) -> _Violations:
    """Report keys of other systems, and drop all violations in their values."""
    uses: dict[Path, tuple[ForeignWord, str] | None] = {}
    remaining = []
    for violation in violations:
        path = (*violation.path, violation.key) if violation.keyword in KEYED else violation.path
        if not any(_recognized(path[:length], tree_paths, uses) for length in range(1, len(path) + 1)):
            remaining.append(violation)
    first_uses: dict[tuple[Path, str], list[Path]] = {}
    for path, use in uses.items():
        if use is not None:
            scope = path[:2] if use[0].is_once else path
            first_uses.setdefault((scope, use[0].key), []).append(path)
    for paths in first_uses.values():
        word, hint = uses[paths[0]] or (None, "")
        if word is not None:
            _report(word, hint, paths, tree_paths, report)
    hints = {(path[:-1], use[1]) for path, use in uses.items() if use is not None}
    return tuple(violation for violation in remaining if violation.keyword != "required" or not _adds(violation, hints))


def _adds(missing: Violation, hints: Iterable[tuple[Path, str]]) -> bool:
    """Return whether one of *hints*, each for a map, adds the *missing* key."""
    added = (rename_hint(missing.key), f"\n{missing.key}:")
    return any(path == missing.path and (hint == added[0] or added[1] in hint) for path, hint in hints)


def _recognized(
    path: Path, tree_paths: TreePaths, uses: dict[Path, tuple[ForeignWord, str] | None]
) -> tuple[ForeignWord, str] | None:
    """Return the foreign word that the key at *path* is, with its hint; *uses* are the known ones."""
    if path not in uses:
        uses[path] = _word(path, tree_paths) if isinstance(path[-1], str) else None
    return uses[path]


def _word(path: Path, tree_paths: TreePaths) -> tuple[ForeignWord, str] | None:
    parent = of_stage(tree_paths.pattern(path[:-1]))
    for word in words_at(parent, str(path[-1])):
        hint = word.hint(Use(path, tree_paths))
        if hint is not None:
            return word, hint
    return None


def _report(word: ForeignWord, hint: str, paths: list[Path], tree_paths: TreePaths, report: Report) -> None:
    report.add(
        codes.FOREIGN_KEY,
        f'"{_title(paths[0], tree_paths)}" is from {word.system.value}: {word.instead}',
        at=tree_paths.key(paths[0]),
        related=[Label(tree_paths.key(path)) for path in paths[1:]],
        hint=hint,
    )


def _title(path: Path, tree_paths: TreePaths) -> str:
    """Return the key at *path*; with its value if a config has the key too, and only the value is foreign."""
    key, value = str(path[-1]), flow(tree_paths.node(path))
    is_known = key in known_keys().get(tree_paths.pattern(path[:-1]), ())
    return f"{key}: {value}" if is_known and len(value) <= _LONGEST_VALUE and "\n" not in value else key


# A longer value is not repeated in a message.
_LONGEST_VALUE = 40


def foreign_jobs(violations: _Violations, tree_paths: TreePaths, report: Report) -> _Violations:
    """Report jobs at the top level, once, as stages that are not in a pipeline."""
    jobs = [violation for violation in violations if _is_job(violation, tree_paths)]
    if not jobs:
        return violations
    paths: list[Path] = [(violation.key,) for violation in jobs]
    report.add(
        codes.FOREIGN_KEY,
        f'"{jobs[0].key}" is a job as in GitLab: a pipeline has its work in a list of "stages"',
        at=tree_paths.key(paths[0]),
        related=[Label(tree_paths.key(path)) for path in paths[1:]],
        hint=job_hint([violation.key for violation in jobs], tree_paths),
    )
    reported = set(jobs)
    return tuple(
        other for other in violations if other not in reported and (other.path != TOP or other.keyword != "required")
    )


def _is_job(violation: Violation, tree_paths: TreePaths) -> bool:
    is_unknown = violation.path == TOP and violation.keyword == "additionalProperties"
    return is_unknown and is_job(tree_paths.node((violation.key,)))
