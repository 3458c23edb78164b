"""Keys that the language knows, at a place where it does not know them.

Each function reports the mistakes that it knows among *violations*, and returns the others.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.config.schema_file import known_keys
from pipegen.config.schema_places import PIPELINE, STAGE, TOP, Places, described, names
from pipegen.config.schema_violation import Path, Violation
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, near_miss
from pipegen.source.tree import Mapping, Node, Scalar

_Violations = tuple[Violation, ...]


def misplaced_pipelines(violations: _Violations, places: Places, report: Report) -> _Violations:
    """Report pipelines beside `pipelines`, and keys of a pipeline where its name is meant."""
    left = violations
    for violation in violations:
        if violation.path == TOP and _is_pipeline(violation, places):
            _report_pipeline_at_top(violation.key, places, report)
            left = tuple(other for other in left if other is not violation and other.keyword != "required" or other.path)
    for path in dict.fromkeys(violation.path[:2] for violation in left):
        if _is_key_as_name(path, places):
            empty = _report_key_as_name(path, places, report)
            left = tuple(other for other in left if other.path[:2] not in {path, empty})
    return left


def _is_pipeline(violation: Violation, places: Places) -> bool:
    return violation.keyword == "additionalProperties" and "stages" in places.keys((violation.key,))


def _report_pipeline_at_top(name: str, places: Places, report: Report) -> None:
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


def _is_key_as_name(path: Path, places: Places) -> bool:
    is_key = len(path) == len(PIPELINE) and path[1] in known_keys()[PIPELINE]
    return is_key and path[0] == "pipelines" and "stages" not in places.keys(path)


def _report_key_as_name(path: Path, places: Places, report: Report) -> Path | None:
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


def _key_before(path: Path, places: Places) -> str | None:
    """Return the nearest key above that is no key of a pipeline."""
    keys = places.keys(path[:-1])
    above = keys[: keys.index(str(path[-1]))]
    return next((key for key in reversed(above) if key not in known_keys()[PIPELINE]), None)


def misplaced_keys(violations: _Violations, places: Places, report: Report) -> _Violations:
    """Report unknown keys that are known elsewhere."""
    left = violations
    for violation in violations:
        found = tuple(_homes(violation, places)) if violation.keyword == "additionalProperties" else ()
        if found:
            _report_misplaced(violation, found, places, report)
            # An empty value right above, as in "run:" with "arguments:" beside it, is the same mistake.
            told = {(*violation.path, names(home)[-1]) for home in found if names(home)}
            left = tuple(other for other in left if other is not violation and not (other.value is None and other.path in told))
    return left


def _homes(violation: Violation, places: Places) -> Iterator[Path]:
    """Yield where the unknown key is known: under a key beside it, else further out, further in, or elsewhere.

    Of the places of one kind, the nearest only; a `name` means something nearly everywhere, and is taken
    only from a place that is at hand.
    """
    here, key = places.pattern(violation.path), violation.key
    known = [path for path, keys in known_keys().items() if key in keys]
    beside = [path for path in known if _is_beside(path, here, violation, places)]
    outside = [path for path in reversed(known) if path == here[: len(path)] and _is_free(path, violation, places)]
    if beside or outside:
        yield from beside or outside[:1]
    elif key != "name" and not near_miss(key, known_keys().get(here, ())):
        inside = [path for path in known if path[: len(here)] == here]
        shortest = min((len(path) for path in inside), default=0)
        yield from [path for path in inside if len(path) == shortest] or known[:1]


def _is_beside(path: Path, here: Path, violation: Violation, places: Places) -> bool:
    """Return whether *path* is a key beside the misplaced one, whose value is no list and lacks the key."""
    if path[:-1] != here or path[-1] not in places.keys(violation.path):
        return False
    return violation.key not in places.keys((*violation.path, path[-1]))


def _is_free(path: Path, violation: Violation, places: Places) -> bool:
    return violation.key not in places.keys(violation.path[: len(path)])


def _report_misplaced(violation: Violation, homes: tuple[Path, ...], places: Places, report: Report) -> None:
    here = places.pattern(violation.path)
    report.add(
        codes.MISPLACED_KEY,
        f'"{violation.key}" belongs {_belongs(homes)}, not {described(here)}',
        at=places.key((*violation.path, violation.key)),
        label=f"{places.title(violation.path)} has no such key" if violation.path else "no such key at the top level",
        also=_target(violation, homes[0], places),
        hint=_hint(violation, homes[0], places),
    )


def _belongs(homes: tuple[Path, ...]) -> str:
    if len(homes) == 1:
        return described(homes[0])
    quoted = [f'"{".".join(names(home))}"' for home in homes]
    return f"under {', '.join(quoted[:-1])} or {quoted[-1]}"


def _target(violation: Violation, home: Path, places: Places) -> tuple[Label, ...]:
    """Return a label at the place where the key belongs, if that is in sight."""
    if _is_nested(home, violation, places):
        return (Label(places.key((*violation.path, home[-1])), "under this one"),)
    here = places.pattern(violation.path)
    if home and home == here[: len(home)]:
        return (Label(places.key(violation.path[: len(home)]), "in this one"),)
    return ()


def _hint(violation: Violation, home: Path, places: Places) -> str:
    here, key = places.pattern(violation.path), violation.key
    if _is_nested(home, violation, places):
        parent = str(home[-1])
        node = places.node((*violation.path, parent))
        value = "" if isinstance(node, Mapping) or _is_empty(node) else f' without "{_shown(node)}"'
        return f'write "{parent}:"{value} and indent "{key}" below it'
    if home == here[: len(home)]:
        return f'move "{key}" out, in line with "{places.keys(violation.path[: len(home)])[0]}"'
    if home == STAGE:
        return f'indent "{key}" in line with the "name" of the stage that it is for'
    if home == PIPELINE:
        return f'indent "{key}" below the name of the pipeline that it is for'
    steps = "".join(f"{name}: {{" for name in names(home)[len(names(here)) if here == home[: len(here)] else 0 :])
    return f'write "{steps}{key}: …{"}" * steps.count("{")}"'


def _is_nested(home: Path, violation: Violation, places: Places) -> bool:
    return home[:-1] == places.pattern(violation.path) and home[-1] in places.keys(violation.path)


def _shown(node: Node) -> str:
    return node.text if isinstance(node, Scalar) else "[…]"


def _is_empty(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None
