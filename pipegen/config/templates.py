"""Templates, and those that they extend."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Items

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.source.tree import Entry, Mapping, Node, Scalar, Sequence

EXTENDS = "extends"


class Templates:
    """The templates of a config by name."""

    def __init__(self, node: Node | None) -> None:
        entries = node.entries if isinstance(node, Mapping) else ()
        self._entries: dict[str, Entry] = {entry.key.text: entry for entry in entries}
        self._bodies = {name: _without_extends(entry.value) for name, entry in self._entries.items()}

    def check(self, report: Report) -> tuple[str, ...]:
        """Report and return templates that extend what is no template, or each other."""
        for entry in self._entries.values():
            self.check_names(entry.value, report)
        looped: set[str] = set()
        for loop in self._loops():
            if not looped & set(loop):
                self._report_loop(loop, report)
            looped |= set(loop)
        return tuple(name for name, entry in self._entries.items() if name in looped or not self._is_known(entry.value))

    def check_names(self, body: Node, report: Report) -> bool:
        """Report names in the `extends` of *body* that are no templates; return whether there are none."""
        for name in extended(body):
            if name.text not in self._entries:
                self._report_unknown(name, report)
        return self._is_known(body)

    def _is_known(self, body: Node) -> bool:
        return all(name.text in self._entries for name in extended(body))

    def layers(self, body: Mapping) -> tuple[Mapping, ...]:
        """Return what *body* is made from: its templates with theirs below them, each once, then *body* itself.

        `extends` itself is left out, as are names that are no templates, or whose templates extend each other.
        """
        return (*(self._bodies[name] for name in self.names(body)), _without_extends(body))

    def names(self, body: Node) -> tuple[str, ...]:
        """Return the names of the templates that *body* is made from, in that order."""
        found: dict[str, None] = {}
        seen: set[str] = set()
        open_names = [(name.text, False) for name in reversed(extended(body))]
        while open_names:
            name, is_ready = open_names.pop()
            if is_ready:
                found[name] = None
            elif name not in seen and name in self._entries:
                seen.add(name)
                open_names.append((name, True))
                open_names.extend((below.text, False) for below in reversed(extended(self._entries[name].value)))
        return tuple(found)

    def _loops(self) -> Iterator[tuple[str, ...]]:
        """Yield the names of templates each of which extends the next, and the last the first."""
        done: set[str] = set()
        for start in self._entries:
            path = [] if start in done else [start]
            waiting = [self._known(start)]
            while path:
                name = next(waiting[-1], None)
                if name is None:
                    done.add(path.pop())
                    waiting.pop()
                elif name in path:
                    yield tuple(path[path.index(name) :])
                elif name not in done:
                    path.append(name)
                    waiting.append(self._known(name))

    def _known(self, name: str) -> Iterator[str]:
        return iter([one.text for one in extended(self._entries[name].value) if one.text in self._entries])

    def _report_unknown(self, name: Scalar, report: Report) -> None:
        meant = suggestion(name.text, self._entries)
        known = f"the templates are {listed(tuple(self._entries))}" if self._entries else 'add it under "templates"'
        report.add(
            codes.UNKNOWN_TEMPLATE,
            f'"{name.text}" is no template',
            at=name.span,
            label="no such template",
            also=[Label(self._entries[meant].key.span, "did you mean this one?")] if meant else (),
            hint=f'rename it to "{meant}", or add a template "{name.text}"' if meant else known,
        )

    def _report_loop(self, loop: Items[str], report: Report) -> None:
        steps = [self._step(name, after) for name, after in zip(loop, [*loop[1:], loop[0]], strict=True)]
        first, *others = [step.span for step in steps]
        names = " -> ".join([*loop, loop[0]])
        report.add(
            codes.TEMPLATE_CYCLE,
            f"templates extend each other: {names}" if others else f'template "{loop[0]}" extends itself',
            at=first,
            also=[Label(span, "and so back") for span in others],
            hint="remove one of these names" if others else "remove it",
        )

    def _step(self, name: str, after: str) -> Scalar:
        """Return the place at which template *name* extends *after*."""
        return next(one for one in extended(self._entries[name].value) if one.text == after)


def extended(body: Node) -> tuple[Scalar, ...]:
    """Return the names of templates that *body*, a stage or a template, extends directly."""
    node = body.get(EXTENDS) if isinstance(body, Mapping) else None
    if node is None:
        return ()
    items = node.items if isinstance(node, Sequence) else (node,)
    # A key with no value extends nothing.
    return tuple(item for item in items if isinstance(item, Scalar) and item.value is not None)


def _without_extends(body: Node) -> Mapping:
    if isinstance(body, Mapping) and body.entry(EXTENDS) is None:
        return body
    entries = body.entries if isinstance(body, Mapping) else ()
    return Mapping(tuple(entry for entry in entries if entry.key.text != EXTENDS), body.span)
