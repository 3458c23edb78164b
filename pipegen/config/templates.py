"""Templates and their inheritance."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from collections.abc import Sequence as Items

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.source.tree import Entry, Mapping, Node, Scalar, child, entries_of, scalars_of

EXTENDS = "extends"


class Templates:
    """The templates of a config by name; an unknown part may define a template with one of *possible_names*."""

    def __init__(self, node: Node | None, possible_names: Collection[str] = ()) -> None:
        entries = entries_of(node)
        self._entries: dict[str, Entry] = {entry.key.text: entry for entry in entries}
        self._possible_names = possible_names
        self._bodies = {name: _without_extends(entry.value) for name, entry in self._entries.items()}

    def check(self, name_report: Report, loop_report: Report) -> tuple[str, ...]:
        """Return templates that extend unknown templates, reported in *name_report*, or form a loop, in *loop_report*.

        They are separate because a part with errors may define an unknown name, but cannot break a loop.
        """
        for entry in self._entries.values():
            self.check_names(entry.value, name_report)
        looped: set[str] = set()
        for loop in self._loops():
            if not looped & set(loop):
                self._report_loop(loop, loop_report)
            looped |= set(loop)
        return tuple(name for name, entry in self._entries.items() if name in looped or not self._is_known(entry.value))

    def check_names(self, body: Node, report: Report) -> bool:
        """Report unknown templates in the `extends` of *body*; return whether there are none."""
        for name in extended(body):
            if name.text not in self._entries and name.text not in self._possible_names:
                self._report_unknown(name, report)
        return self._is_known(body)

    def _is_known(self, body: Node) -> bool:
        return all(name.text in self._entries for name in extended(body))

    def layers(self, body: Mapping) -> tuple[Mapping, ...]:
        """Return the layers of *body*: its templates, each once and after those that it extends, then *body* itself.

        The key `extends` is removed. Unknown names and templates in loops are skipped.
        """
        return (*(self._bodies[name] for name in self.names(body)), _without_extends(body))

    def names(self, body: Node) -> tuple[str, ...]:
        """Return the names of the templates of *body*, in the order in which they are merged."""
        names: dict[str, None] = {}
        visited: set[str] = set()
        stack = [(name.text, False) for name in reversed(extended(body))]
        while stack:
            name, is_ready = stack.pop()
            if is_ready:
                names[name] = None
            elif name not in visited and name in self._entries:
                visited.add(name)
                stack.append((name, True))
                stack.extend((parent.text, False) for parent in reversed(extended(self._entries[name].value)))
        return tuple(names)

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
        return iter(
            [template.text for template in extended(self._entries[name].value) if template.text in self._entries]
        )

    def _report_unknown(self, name: Scalar, report: Report) -> None:
        if name.text.startswith("."):
            # A job of GitLab that others only extend; pipegen does not read keys with a dot.
            otherwise = f'write "{name.text}" and its keys under "templates"'
        else:
            otherwise = 'add it under "templates"'
        suggested = suggestion(name.text, self._entries)
        hint = f"the templates are {listed(tuple(self._entries))}" if self._entries else otherwise
        report.add(
            codes.UNKNOWN_TEMPLATE,
            f'there is no template "{name.text}"',
            at=name.span,
            label="no such template",
            related=[Label(self._entries[suggested].key.span, "did you mean this one?")] if suggested else (),
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
            related=[Label(span, "and so back") for span in others],
            hint="remove one of these names" if others else "remove it",
        )

    def _extends_node(self, name: str, parent: str) -> Scalar:
        """Return the scalar by which template *name* extends *parent*."""
        return next(name_node for name_node in extended(self._entries[name].value) if name_node.text == parent)


def extended(body: Node) -> tuple[Scalar, ...]:
    """Return the names of the templates that *body*, a stage or a template, extends directly."""
    node = child(body, EXTENDS)
    # A key with no value extends nothing.
    return tuple(name for name in scalars_of(node) if name.value is not None)


def _without_extends(body: Node) -> Mapping:
    if isinstance(body, Mapping) and body.entry(EXTENDS) is None:
        return body
    entries = entries_of(body)
    return Mapping(tuple(entry for entry in entries if entry.key.text != EXTENDS), body.span)
