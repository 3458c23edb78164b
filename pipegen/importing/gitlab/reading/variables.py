"""Variables of a pipeline, or of a job."""

from __future__ import annotations

from pipegen.emit.yaml import Data
from pipegen.importing.gitlab.reading.tree import text_of
from pipegen.source.tree import Entry, Node, Scalar, entries_of
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct


class Variable(Struct, kw_only=True):
    """A variable with its text; GitLab expands `$NAME` in it if *is_expanded*."""

    name: str
    text: str
    entry: Entry
    is_expanded: bool

    @property
    def data(self) -> Data:
        """The value as GitLab's key `variables` has it."""
        return self.text if self.is_expanded else {"value": self.text, "expand": False}


def variables_in(node: Node | None) -> dict[str, Variable]:
    """Return the variables in *node* by name."""
    variables = {}
    for entry in entries_of(node):
        value, is_expanded = entry.value, True
        if isinstance(value, TreeMapping):
            expand = value.get("expand")
            is_expanded = expand is None or text_of(expand) != "false"
            if value.get("value") is None and value.get("description") is None:
                continue  # a `!reference` to nothing known
            value = value.get("value") or Scalar("", value.span)
        if isinstance(value, Scalar):
            name = entry.key.text
            variables[name] = Variable(name=name, text=text_of(value), entry=entry, is_expanded=is_expanded)
    return variables
