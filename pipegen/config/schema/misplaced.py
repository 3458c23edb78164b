"""Known keys at paths where they are not allowed.

Each function reports the mistakes that it knows among *violations*, and returns the others.
"""

from __future__ import annotations

from pipegen.config.keys import WORK_KEYS
from pipegen.config.schema.file import known_keys, known_paths
from pipegen.config.schema.tree_paths import (
    DEFAULTS,
    PIPELINE,
    STAGE,
    TEMPLATE,
    TOP,
    TreePaths,
    described,
    names,
    outer_path,
)
from pipegen.config.schema.violation import Path, Violation
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, closest, either
from pipegen.source.tree import Mapping, is_null, written_text

_Violations = tuple[Violation, ...]

# Similarity to a key allowed here above which a key is a typo rather than misplaced.
_TYPO_CUTOFF = 0.8
# How many levels deeper than written a key may belong.
_MAX_LEVELS_IN = 4


def misplaced_pipelines(violations: _Violations, tree_paths: TreePaths, report: Report) -> _Violations:
    """Report pipelines at the top level, and keys of a pipeline directly under `pipelines`."""
    remaining = violations
    for violation in violations:
        if violation.path == TOP and _is_pipeline(violation, tree_paths):
            _report_pipeline_at_top(violation.key, tree_paths, report)
            reported = {(violation.keyword, violation.key), ("required", "pipelines")}
            remaining = tuple(
                other for other in remaining if other.path != TOP or (other.keyword, other.key) not in reported
            )
    for path in dict.fromkeys(violation.path[:2] for violation in remaining):
        if _is_key_as_name(path, tree_paths):
            empty_pipeline = _report_key_as_name(path, tree_paths, report)
            remaining = tuple(other for other in remaining if other.path[:2] not in {path, empty_pipeline})
    return remaining


def _is_pipeline(violation: Violation, tree_paths: TreePaths) -> bool:
    return violation.keyword == "additionalProperties" and "stages" in tree_paths.keys((violation.key,))


def _report_pipeline_at_top(name: str, tree_paths: TreePaths, report: Report) -> None:
    siblings = tree_paths.keys(("pipelines",)) if "pipelines" in tree_paths.keys(TOP) else ()
    if siblings:
        also = [Label(tree_paths.key(("pipelines", siblings[-1])), "a pipeline")]
        hint = f'indent "{name}" and the lines below it, to line up with "{siblings[-1]}"'
    else:
        also = []
        hint = f'write "pipelines:" on the line above, and indent "{name}" and the lines below it'
    report.add(
        codes.MISPLACED_KEY,
        f'pipeline "{name}" belongs under "pipelines", not at the top level',
        at=tree_paths.key((name,)),
        label="a pipeline: it has stages",
        related=also,
        hint=hint,
    )


def _is_key_as_name(path: Path, tree_paths: TreePaths) -> bool:
    is_key = len(path) == len(PIPELINE) and path[1] in known_keys()[PIPELINE]
    return is_key and path[0] == "pipelines" and "stages" not in tree_paths.keys(path)


def _report_key_as_name(path: Path, tree_paths: TreePaths, report: Report) -> Path | None:
    """Report the key; return the path of the empty pipeline that it belongs to, if there is one."""
    name_above = _name_above(path, tree_paths)
    empty_pipeline = (
        (*path[:-1], name_above)
        if name_above is not None and is_null(tree_paths.node((*path[:-1], name_above)))
        else None
    )
    report.add(
        codes.MISPLACED_KEY,
        f'"{path[-1]}" belongs in a pipeline, not directly under "pipelines"',
        at=tree_paths.key(path),
        label="expected the name of a pipeline",
        related=[Label(tree_paths.key(empty_pipeline), "may belong to this pipeline")] if empty_pipeline else (),
        hint=f'indent "{path[-1]}" and the lines below it, below "{name_above}:"'
        if empty_pipeline
        else f'write the name of the pipeline on the line above, and indent "{path[-1]}" and the lines below it',
    )
    return empty_pipeline


def _name_above(path: Path, tree_paths: TreePaths) -> str | None:
    """Return the nearest key above that can be the name of a pipeline."""
    keys = tree_paths.keys(path[:-1])
    above = keys[: keys.index(str(path[-1]))]
    return next((key for key in reversed(above) if key not in known_keys()[PIPELINE]), None)


def misplaced_keys(violations: _Violations, tree_paths: TreePaths, report: Report) -> _Violations:
    """Report keys that are known elsewhere; drop violations that follow from their wrong location."""
    reported: set[tuple[str, Path]] = set()
    moved: set[Path] = set()
    remaining = []
    for violation in violations:
        homes = _homes(violation, tree_paths) if violation.keyword == "additionalProperties" else ()
        if not homes:
            remaining.append(violation)
            continue
        _report_misplaced(violation, homes, tree_paths, report)
        reported |= {("type", (*violation.path, home[-1])) for home in homes if home}
        reported |= {("required", TOP)} if violation.path == TOP else set()
        moved |= {(*violation.path, home[-1], violation.key) for home in homes if home}
    return tuple(
        other
        for other in remaining
        if ((other.keyword, other.path) not in reported or (other.path and other.value is not None))
        and (other.keyword != "required" or (*other.path, other.key) not in moved)
    )


def _homes(violation: Violation, tree_paths: TreePaths) -> tuple[Path, ...]:
    """Return the paths where the unknown key is allowed: under a sibling, else further out or in, or in another step.

    Only the nearest paths of one kind are returned; none for a key below itself, such as `image: {image: …}`. `name`,
    which is allowed nearly everywhere, and likely typos are only moved to siblings or outwards.
    """
    key = violation.key
    if key not in known_paths() or key in violation.path[-1:]:
        return ()
    pattern = tree_paths.pattern(violation.path)
    if key == "name" and pattern in {DEFAULTS, TEMPLATE}:
        return ()
    known = [path for path in known_paths()[key] if _is_reachable(path, pattern)]
    if siblings := [path for path in known if _is_sibling(path, pattern, violation, tree_paths)]:
        return tuple(sorted(siblings, key=lambda path: _distance(path, violation, tree_paths)))
    if outer_paths := [
        path for path in known if path == pattern[: len(path)] and _is_free(path, violation, tree_paths)
    ]:
        return (outer_paths[-1],)
    if key == "name" or closest(key, known_keys().get(pattern, ()), cutoff=_TYPO_CUTOFF):
        return ()
    inner_paths = [
        path for path in known if path[: len(pattern)] == pattern and len(path) - len(pattern) <= _MAX_LEVELS_IN
    ]
    below_siblings = [path for path in inner_paths if path[len(pattern)] in tree_paths.keys(violation.path)]
    inner_paths = below_siblings or inner_paths
    shortest = min((len(path) for path in inner_paths), default=0)
    cousins = [path for path in known if _is_other_step(path, pattern)]
    return tuple(path for path in inner_paths if len(path) == shortest) or tuple(cousins[:1])


def _is_other_step(path: Path, pattern: Path) -> bool:
    """Return whether *path* and *pattern* are in two steps of a stage, such as `build` and `run`."""
    outer = outer_path(pattern, STAGE, TEMPLATE, DEFAULTS)
    if outer is None or outer_path(path, outer) is None:
        return False
    steps = (path[len(outer) : len(outer) + 1], pattern[len(outer) : len(outer) + 1])
    return all(step and step[0] in WORK_KEYS for step in steps)


def _is_reachable(path: Path, pattern: Path) -> bool:
    """Return whether a key at *pattern* may belong at *path*: not in templates or defaults unless it is in them."""
    outer = outer_path(path, TEMPLATE, DEFAULTS)
    return outer is None or outer_path(pattern, outer) is not None


def _is_sibling(path: Path, pattern: Path, violation: Violation, tree_paths: TreePaths) -> bool:
    """Return whether *path* is a sibling of the misplaced key, without the key in its value."""
    if path[:-1] != pattern or path[-1] not in tree_paths.keys(violation.path):
        return False
    return violation.key not in tree_paths.keys((*violation.path, path[-1]))


def _distance(path: Path, violation: Violation, tree_paths: TreePaths) -> tuple[bool, int]:
    """Return the distance from the last key of *path* to the misplaced one; keys above come first."""
    keys = tree_paths.keys(violation.path)
    distance = keys.index(violation.key) - keys.index(str(path[-1]))
    return distance < 0, abs(distance)


def _is_free(path: Path, violation: Violation, tree_paths: TreePaths) -> bool:
    return violation.key not in tree_paths.keys(violation.path[: len(path)])


def _report_misplaced(violation: Violation, homes: tuple[Path, ...], tree_paths: TreePaths, report: Report) -> None:
    pattern, home = tree_paths.pattern(violation.path), homes[0]
    wrong_location = "beside it" if len(homes) == 1 and _is_nested(home, violation, tree_paths) else described(pattern)
    report.add(
        codes.MISPLACED_KEY,
        f'"{violation.key}" belongs {_location(homes, pattern)}, not {wrong_location}',
        at=tree_paths.key((*violation.path, violation.key)),
        label=f"{tree_paths.title(violation.path)} has no such key",
        related=_target_labels(violation, home, tree_paths),
        hint=_hint(violation, home, tree_paths),
    )


def _location(homes: tuple[Path, ...], pattern: Path) -> str:
    if any(home in {TOP, PIPELINE, STAGE, TEMPLATE} for home in homes):
        return described(homes[0])
    quoted = [f'"{".".join(_relative_keys(home, pattern))}"' for home in homes]
    return f"under {either(quoted)}"


def _relative_keys(home: Path, pattern: Path) -> tuple[str, ...]:
    """Return the keys that lead from *pattern* to *home*; from the stage or pipeline if it is elsewhere."""
    return names(home)[len(names(pattern)) :] if home[: len(pattern)] == pattern else names(home)


def _target_labels(violation: Violation, home: Path, tree_paths: TreePaths) -> tuple[Label, ...]:
    """Return a label where the key belongs, if the config has it."""
    pattern = tree_paths.pattern(violation.path)
    if _is_nested(home, violation, tree_paths):
        return (Label(tree_paths.key((*violation.path, home[-1])), "under this one"),)
    if home and home == pattern[: len(home)]:
        return (Label(tree_paths.key(violation.path[: len(home)]), "in this one"),)
    if home == STAGE and (stage := tree_paths.stage_above((*violation.path, violation.key))) is not None:
        return (Label(tree_paths.key(stage), "possibly in this one"),)
    return ()


def _hint(violation: Violation, home: Path, tree_paths: TreePaths) -> str:
    pattern, key = tree_paths.pattern(violation.path), violation.key
    if _is_nested(home, violation, tree_paths):
        parent = str(home[-1])
        node = tree_paths.node((*violation.path, parent))
        value = "" if isinstance(node, Mapping) or is_null(node) else f' without "{written_text(node, "[…]")}"'
        return f'write "{parent}:"{value} and indent "{key}" below it'
    if home == pattern[: len(home)]:
        known = [name for name in tree_paths.keys(violation.path[: len(home)]) if name in known_keys()[home]]
        return f'move "{key}" out, to line up with "{known[0]}"'
    if home == STAGE:
        for_all = "" if key in WORK_KEYS else ', or move it to "defaults" of the pipeline for all stages'
        return f'indent "{key}" to line up with the "name" of its stage{for_all}'
    if home == PIPELINE:
        lines = (
            ""
            if "pipelines" in tree_paths.keys(TOP)
            else 'write "pipelines:" and the name of a pipeline above it, and '
        )
        return f'{lines}indent "{key}" below the name of its pipeline'
    steps = "".join(f"{name}: {{" for name in _relative_keys(home, pattern))
    return f'write "{steps}{key}: …{"}" * steps.count("{")}"'


def _is_nested(home: Path, violation: Violation, tree_paths: TreePaths) -> bool:
    return (
        bool(home) and home[:-1] == tree_paths.pattern(violation.path) and home[-1] in tree_paths.keys(violation.path)
    )
