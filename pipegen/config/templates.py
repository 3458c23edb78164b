"""Templates and their inheritance."""

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

    def check(self, report: Report) -> None:
        """Report templates that extend unknown templates or form a loop."""
        for entry in self._entries.values():
            self.check_names(entry.value, report)
        looped: set[str] = set()
        for loop in self._loops():
            if not looped & set(loop):
                self._report_loop(loop, report)
            looped |= set(loop)

    def check_names(self, body: Node, report: Report) -> None:
        """Report unknown templates in the `extends` of *body*."""
        for name in extended(body):
            if name.text not in self._entries:
                self._report_unknown(name, report)

    def layers(self, body: Mapping) -> tuple[Mapping, ...]:
        """Return the layers of *body*: its templates, each once and after those that it extends, then *body* itself.

        The key `extends` is removed. There are no unknown names and no loops.
        """
        layers: dict[str, Mapping] = {}
        stack = [(name.text, False) for name in reversed(extended(body))]
        while stack:
            name, is_ready = stack.pop()
            if name in layers:
                continue
            if is_ready:
                layers[name] = self._bodies[name]
            else:
                stack.append((name, True))
                stack.extend((parent.text, False) for parent in reversed(extended(self._entries[name].value)))
        return (*layers.values(), _without_extends(body))

    def _loops(self) -> Iterator[tuple[str, ...]]:
        """Yield loops: names of templates each of which extends the next, and the last the first."""
        done: set[str] = set()
        for start in self._entries:
            path = [] if start in done else [start]
            iterators = [self._known(start)]
            while path:
                name = next(iterators[-1], None)
                if name is None:
                    done.add(path.pop())
                    iterators.pop()
                elif name in path:
                    yield tuple(path[path.index(name) :])
                elif name not in done:
                    path.append(name)
                    iterators.append(self._known(name))

    def _known(self, name: str) -> Iterator[str]:
        return iter([one.text for one in extended(self._entries[name].value) if one.text in self._entries])

    def _report_unknown(self, name: Scalar, report: Report) -> None:
        suggested = suggestion(name.text, self._entries)
        hint = f"the templates are {listed(tuple(self._entries))}" if self._entries else 'add it under "templates"'
        report.add(
            codes.UNKNOWN_TEMPLATE,
            f'there is no template "{name.text}"',
            at=name.span,
            label="no such template",
            also=[Label(self._entries[suggested].key.span, "did you mean this one?")] if suggested else (),
            hint=f'rename it to "{suggested}", or add a template "{name.text}"' if suggested else hint,
        )

    def _report_loop(self, loop: Items[str], report: Report) -> None:
        steps = [self._extends_node(name, parent) for name, parent in zip(loop, [*loop[1:], loop[0]], strict=True)]
        first, *others = [step.span for step in steps]
        names = " -> ".join([*loop, loop[0]])
        report.add(
            codes.TEMPLATE_CYCLE,
            f"templates extend each other: {names}" if others else f'template "{loop[0]}" extends itself',
            at=first,
            also=[Label(span, "and so back") for span in others],
            hint="remove one of these names" if others else "remove it",
        )

    def _extends_node(self, name: str, parent: str) -> Scalar:
        """Return the scalar by which template *name* extends *parent*."""
        return next(name_node for name_node in extended(self._entries[name].value) if name_node.text == parent)


def extended(body: Node) -> tuple[Scalar, ...]:
    """Return the names of the templates that *body*, a stage or a template, extends directly."""
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
