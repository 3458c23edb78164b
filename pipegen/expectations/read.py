"""A file of tests to expectations."""

from __future__ import annotations

from pipegen.assets import schema
from pipegen.config.read import read
from pipegen.config.schema.check import check_settings
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.expectations.model import Expectation, Names
from pipegen.plan.model import Event
from pipegen.plan.model.facts import EVENT_KINDS, StartEvent, start_event
from pipegen.source.text import Located, SourceFile
from pipegen.source.tree import Entry, Node, Scalar, as_items, child, entries_of, located_text, scalars_of, written_text


def read_expectations(file: SourceFile, report: Report) -> tuple[Expectation, ...]:
    """Return the tests in *file*; raise `Stopped` if it is invalid."""
    tree = read(file, report, first_key="tests")
    check_settings(tree, schema("tests"), report, file.path)
    report.stop_if_errors()
    expectations = tuple(_expectation(entry, report) for entry in entries_of(child(tree, "tests")))
    for expectation in expectations:
        if expectation.is_empty:
            report.add(
                codes.EMPTY_TEST,
                f'test "{expectation.name}" has no expectation, so it cannot fail',
                at=expectation.span,
                hint='name the stages that the event starts, such as "only: [unit]", or "only: []" if it starts none',
            )
    return expectations


def _expectation(entry: Entry, report: Report) -> Expectation:
    test = entry.value
    event, pipeline = child(test, "event"), child(test, "pipeline")
    return Expectation(
        name=entry.key.text,
        event=_event(event, report),
        inputs=_texts(child(event, "inputs")),
        variables={name.value: text for name, text in _texts(child(event, "variables"))},
        pipeline=located_text(pipeline),
        runs=_names(child(test, "runs")),
        never=_names(child(test, "never")),
        only=_all_names(child(test, "only")),
        approvals=_all_names(child(test, "approvals")),
        failed=_all_names(child(test, "failed")),
        success=_all_names(child(test, "success")),
        order=tuple(_names(chain) for chain in as_items(child(test, "order"))),
        values=_texts(child(test, "values")),
        span=entry.key.span,
    )


def _event(node: Node | None, report: Report) -> StartEvent:
    """Return the event; *node* is its kind, or a map."""
    kind_node = node if isinstance(node, Scalar) else child(node, "kind")
    kind = EVENT_KINDS[written_text(kind_node)]
    branch, tag, changed = written_text(child(node, "branch")), written_text(child(node, "tag")), child(node, "changed")
    if kind is Event.TAG and not tag and kind_node is not None:
        report.add(
            codes.INVALID_TEST_EVENT,
            'the event "tag" needs the name of the tag',
            at=kind_node.span,
            hint="write event: { kind: tag, tag: v1.0 }",
        )
    if tag and kind in (Event.PUSH, Event.MERGE_REQUEST) and node is not None:
        report.add(
            codes.INVALID_TEST_EVENT,
            f'a tag does not start the event "{kind.value}"',
            at=node.span,
            hint='write "kind: tag", or name a branch',
        )
    elif branch and tag and node is not None:
        report.add(
            codes.INVALID_TEST_EVENT,
            "a run has a branch or a tag, not both",
            at=node.span,
            hint='remove "branch" or "tag"',
        )
    return start_event(kind, branch, tag, None if changed is None else [name.value for name in _names(changed)])


def _names(node: Node | None) -> Names:
    return tuple(item.located() for item in scalars_of(node))


def _all_names(node: Node | None) -> Names | None:
    """Return the names of *node*, which are all; None without it."""
    return None if node is None else _names(node)


def _texts(node: Node | None) -> tuple[tuple[Located[str], str], ...]:
    return tuple((entry.key.located(), written_text(entry.value)) for entry in entries_of(node))
