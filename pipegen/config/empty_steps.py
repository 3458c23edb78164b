"""Steps with empty values, which PipelineLib ignores."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from pipegen.config.keys import STAGE_KEYS
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.source.tree import Entry, Mapping, Node, Sequence, child, entries_of, is_empty, items_of

# An example for each step. An empty list is explicit, so it is not reported.
_EXAMPLES = dict(chain.from_iterable(key.ignored_if_empty for key in STAGE_KEYS))
_STEPS = frozenset(path.partition(".")[0] for path in _EXAMPLES)


def check_empty_steps(tree: Node, report: Report) -> None:
    """Report each step in the valid config *tree* that has an empty value and does nothing."""
    for stage in _stages(tree):
        if _STEPS.isdisjoint([entry.key.text for entry in stage.entries]):
            continue
        for path, example in _EXAMPLES.items():
            entry = _entry(stage, path)
            if entry is None or isinstance(entry.value, Sequence) or not is_empty(entry.value):
                continue
            step, written = path.partition(".")[0], entry.value.span.text
            report.add(
                codes.EMPTY_STEP,
                f'"{entry.key.text}: {written}" makes "{step}" do nothing'
                if step != path
                else f'"{step}: {written}" does nothing',
                at=entry.value.span,
                label="empty, so it is ignored",
                hint=f'write "{example}", or remove "{step}"',
            )


def _stages(tree: Node) -> Iterator[Mapping]:
    for entry in entries_of(child(tree, "pipelines")):
        stages = items_of(child(entry.value, "stages"))
        yield from (stage for stage in stages if isinstance(stage, Mapping))


def _entry(stage: Mapping, path: str) -> Entry | None:
    """Return the entry at the dotted *path*."""
    *outer, key = path.split(".")
    body: Node | None = stage
    for name in outer:
        body = child(body, name)
    return body.entry(key) if isinstance(body, Mapping) else None
