"""Secrets that anyone who reads the config can read."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked, CheckedStage
from pipegen.lint.secret_names import given, is_likely, is_name
from pipegen.lint.tokens import Secret, tokens
from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Node, Scalar, children

# What holds the names of secrets, not secrets; and services, whose passwords are made up for the one run.
_NO_VALUES = ("secrets", "credentials", "services")


def check(checked: Checked, report: Report) -> None:
    """Report tokens anywhere in the text, comments too, and values that stages give to names of secrets."""
    found: dict[Span, str] = {}
    bodies = {id(work.stage.body): work for work in checked.work()}.values()
    for file in checked.files():
        for token in tokens(file.text):
            found[Span(file, token.start, token.end)] = token.what
    for work in bodies:
        made_up = _made_up(work)
        for span, what in _given(work.stage.body) if work.stage.body is not None else ():
            if span.text not in made_up and not any(_meets(span, other) for other in found):
                found[span] = what
    for span, what in found.items():
        report.add(
            codes.PLAIN_SECRET,
            f"{what} stands here in plain text",
            at=span,
            hint='bind it by "secrets", from the engine; and have it made void: whoever has read it can use it',
        )


def _given(node: Node) -> Iterator[tuple[Span, str]]:
    """Yield each value in *node* that is given to the name of a secret."""
    if isinstance(node, Scalar):
        for secret in given(node.text):
            yield _place(node, secret), secret.what
    elif isinstance(node, Mapping):
        for entry in node.entries:
            value, name = entry.value, entry.key.text
            if name in _NO_VALUES:
                continue
            if isinstance(value, Scalar) and is_name(name) and is_likely(value.text):
                yield value.part(0, len(value.text)), f'the value of "{name}"'
            else:
                yield from _given(value)
    else:
        for item in children(node):
            yield from _given(item)


def _place(node: Scalar, secret: Secret) -> Span:
    return node.part(secret.start, secret.end)


def _made_up(work: CheckedStage) -> frozenset[str]:
    """Return the texts that the services beside a stage are given, which the stage has to know."""
    return frozenset(value for service in work.job.machine.services for _, value in service.env)


def _meets(one: Span, other: Span) -> bool:
    return one.file is other.file and one.start < other.end and other.start < one.end
