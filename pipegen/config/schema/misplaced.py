"""Keys that the language knows, at a place where it does not know them.

Each function reports the mistakes that it knows among *violations*, and returns the others.
"""

from __future__ import annotations

from pipegen.config.schema.file import known_keys, known_places
from pipegen.config.schema.places import DEFAULTS, PIPELINE, STAGE, TEMPLATE, TOP, TreePaths, described, names
from pipegen.config.schema.violation import Path, Violation
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, closest
from pipegen.source.tree import Mapping, Node, Scalar

_Violations = tuple[Violation, ...]

# What a stage does, and hardly all of them.
_STEPS = ("script", "build", "run", "copy", "publish", "promote", "deploy", "exports", "trigger", "pipeline")
# How alike an unknown key and a known one are for the unknown one to be a slip, though it is known elsewhere.
_SLIP = 0.8
# How much further in than it stands a key may be meant.
_DEEP = 4


def misplaced_pipelines(violations: _Violations, places: TreePaths, report: Report) -> _Violations:
    """Report pipelines beside `pipelines`, and keys of a pipeline where its name is meant."""
    left = violations
    for violation in violations:
        if violation.path == TOP and _is_pipeline(violation, places):
            _report_pipeline_at_top(violation.key, places, report)
            told = {(violation.keyword, violation.key), ("required", "pipelines")}
            left = tuple(other for other in left if other.path != TOP or (other.keyword, other.key) not in told)
    for path in dict.fromkeys(violation.path[:2] for violation in left):
        if _is_key_as_name(path, places):
            empty = _report_key_as_name(path, places, report)
            left = tuple(other for other in left if other.path[:2] not in {path, empty})
    return left


def _is_pipeline(violation: Violation, places: TreePaths) -> bool:
    return violation.keyword == "additionalProperties" and "stages" in places.keys((violation.key,))


def _report_pipeline_at_top(name: str, places: TreePaths, report: Report) -> None:
    siblings = places.keys(("pipelines",)) if "pipelines" in places.keys(TOP) else ()
    if siblings:
        also = [Label(places.key(("pipelines", siblings[-1])), "a pipeline stands here")]
        hint = f'indent "{name}" and all below it, so that it is in line with "{siblings[-1]}"'
    else:
        also = []
        hint = f'write "pipelines:" on a line above, and indent "{name}" and all below it'
    report.add(
        codes.MISPLACED_KEY,
        f'pipeline "{name}" belongs under "pipelines", not at the top level',
        at=places.key((name,)),
        label="a pipeline: it holds stages",
        also=also,
        hint=hint,
    )


def _is_key_as_name(path: Path, places: TreePaths) -> bool:
    is_key = len(path) == len(PIPELINE) and path[1] in known_keys()[PIPELINE]
    return is_key and path[0] == "pipelines" and "stages" not in places.keys(path)


def _report_key_as_name(path: Path, places: TreePaths, report: Report) -> Path | None:
    """Report the key; return the path of the empty pipeline that it was meant for, if there is one."""
    before = _key_before(path, places)
    empty = (*path[:-1], before) if before is not None and _is_empty(places.node((*path[:-1], before))) else None
    report.add(
        codes.MISPLACED_KEY,
        f'"{path[-1]}" belongs in a pipeline, not directly under "pipelines"',
        at=places.key(path),
        label="the name of a pipeline stands here",
        also=[Label(places.key(empty), "perhaps it belongs to this pipeline")] if empty else (),
        hint=f'indent "{path[-1]}" and all below it, below "{before}:"'
        if empty
        else f'write the name of the pipeline on a line above, and indent "{path[-1]}" and all below it',
    )
    return empty


def _key_before(path: Path, places: TreePaths) -> str | None:
    """Return the nearest key above that is no key of a pipeline."""
    keys = places.keys(path[:-1])
    above = keys[: keys.index(str(path[-1]))]
    return next((key for key in reversed(above) if key not in known_keys()[PIPELINE]), None)


def misplaced_keys(violations: _Violations, places: TreePaths, report: Report) -> _Violations:
    """Report unknown keys that are known elsewhere, and not again what is empty or missing for want of them."""
    told: set[tuple[str, Path]] = set()
    found: set[Path] = set()
    left = []
    for violation in violations:
        homes = _homes(violation, places) if violation.keyword == "additionalProperties" else ()
        if not homes:
            left.append(violation)
            continue
        _report_misplaced(violation, homes, places, report)
        told |= {("type", (*violation.path, home[-1])) for home in homes if home}
        told |= {("required", TOP)} if violation.path == TOP else set()
        found |= {(*violation.path, home[-1], violation.key) for home in homes if home}
    return tuple(
        other
        for other in left
        if ((other.keyword, other.path) not in told or (other.path and other.value is not None))
        and (other.keyword != "required" or (*other.path, other.key) not in found)
    )


def _homes(violation: Violation, places: TreePaths) -> tuple[Path, ...]:
    """Return where the unknown key is known: under a key beside it, else further out, further in, or elsewhere.

    Of the places of one kind, the nearest only. A `name` means something nearly everywhere, and is taken
    only from a place that is at hand; so is a key that looks like a slip.
    """
    key = violation.key
    if key not in known_places():
        return ()
    here = places.pattern(violation.path)
    known = [path for path in known_places()[key] if _is_in_sight(path, here)]
    if beside := [path for path in known if _is_beside(path, here, violation, places)]:
        return tuple(sorted(beside, key=lambda path: _distance(path, violation, places)))
    if outside := [path for path in known if path == here[: len(path)] and _is_free(path, violation, places)]:
        return (outside[-1],)
    if key == "name" or closest(key, known_keys().get(here, ()), cutoff=_SLIP):
        return ()
    inside = [path for path in known if path[: len(here)] == here and len(path) - len(here) <= _DEEP]
    shortest = min((len(path) for path in inside), default=0)
    cousins = [
        path
        for outer in (STAGE, TEMPLATE, DEFAULTS)
        for path in known
        if path[: len(outer)] == here[: len(outer)] == outer
    ]
    return tuple(path for path in inside if len(path) == shortest) or tuple(cousins[:1])


def _is_in_sight(path: Path, here: Path) -> bool:
    """Return whether *path* may be meant at *here*: what stages have, they have in templates too, which is not news."""
    outer = next((outer for outer in (TEMPLATE, DEFAULTS) if path[: len(outer)] == outer), TOP)
    return here[: len(outer)] == outer


def _is_beside(path: Path, here: Path, violation: Violation, places: TreePaths) -> bool:
    """Return whether *path* is that of a key beside the misplaced one, whose value lacks the key."""
    if path[:-1] != here or path[-1] not in places.keys(violation.path):
        return False
    return violation.key not in places.keys((*violation.path, path[-1]))


def _distance(path: Path, violation: Violation, places: TreePaths) -> tuple[bool, int]:
    """Return how far the key that ends *path* is from the misplaced one; what stands above is nearer."""
    keys = places.keys(violation.path)
    distance = keys.index(violation.key) - keys.index(str(path[-1]))
    return distance < 0, abs(distance)


def _is_free(path: Path, violation: Violation, places: TreePaths) -> bool:
    return violation.key not in places.keys(violation.path[: len(path)])


def _report_misplaced(violation: Violation, homes: tuple[Path, ...], places: TreePaths, report: Report) -> None:
    here, home = places.pattern(violation.path), homes[0]
    not_here = "beside it" if len(homes) == 1 and _is_nested(home, violation, places) else described(here)
    report.add(
        codes.MISPLACED_KEY,
        f'"{violation.key}" belongs {_belongs(homes, here)}, not {not_here}',
        at=places.key((*violation.path, violation.key)),
        label=f"{places.title(violation.path)} has no such key",
        also=_target(violation, home, places),
        hint=_hint(violation, home, places),
    )


def _belongs(homes: tuple[Path, ...], here: Path) -> str:
    if any(home in {TOP, PIPELINE, STAGE, TEMPLATE} for home in homes):
        return described(homes[0])
    quoted = [f'"{".".join(_steps(home, here))}"' for home in homes]
    return "under " + " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def _steps(home: Path, here: Path) -> tuple[str, ...]:
    """Return the keys that lead from *here* to *home*; from the stage or pipeline when it lies elsewhere."""
    return names(home)[len(names(here)) :] if home[: len(here)] == here else names(home)


def _target(violation: Violation, home: Path, places: TreePaths) -> tuple[Label, ...]:
    """Return a label at the place where the key belongs, if that is in sight."""
    here = places.pattern(violation.path)
    if _is_nested(home, violation, places):
        return (Label(places.key((*violation.path, home[-1])), "under this one"),)
    if home and home == here[: len(home)]:
        return (Label(places.key(violation.path[: len(home)]), "in this one"),)
    if home == STAGE and (stage := places.stage_above((*violation.path, violation.key))) is not None:
        return (Label(places.key(stage), "perhaps in this one"),)
    return ()


def _hint(violation: Violation, home: Path, places: TreePaths) -> str:
    here, key = places.pattern(violation.path), violation.key
    if _is_nested(home, violation, places):
        parent = str(home[-1])
        node = places.node((*violation.path, parent))
        value = "" if isinstance(node, Mapping) or _is_empty(node) else f' without "{_shown(node)}"'
        return f'write "{parent}:"{value} and indent "{key}" below it'
    if home == here[: len(home)]:
        known = [name for name in places.keys(violation.path[: len(home)]) if name in known_keys()[home]]
        return f'move "{key}" out, in line with "{known[0]}"'
    if home == STAGE:
        for_all = "" if key in _STEPS else ', or put it under "defaults" in the pipeline, for all stages'
        return f'indent "{key}" in line with the "name" of the stage that it is for{for_all}'
    if home == PIPELINE:
        lines = "" if "pipelines" in places.keys(TOP) else 'write "pipelines:" and the name of a pipeline above, and '
        return f'{lines}indent "{key}" below the name of the pipeline that it is for'
    steps = "".join(f"{name}: {{" for name in _steps(home, here))
    return f'write "{steps}{key}: …{"}" * steps.count("{")}"'


def _is_nested(home: Path, violation: Violation, places: TreePaths) -> bool:
    return bool(home) and home[:-1] == places.pattern(violation.path) and home[-1] in places.keys(violation.path)


def _shown(node: Node) -> str:
    return node.text if isinstance(node, Scalar) else "[…]"


def _is_empty(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None
