"""Renderers of diagnostics: one module for each format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Protocol

from pipegen.diagnostics.model import Diagnostic


class Renderer(Protocol):
    """A function that renders diagnostics."""

    def __call__(self, diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:
        """Return *diagnostics* as text that ends in a line break; some formats return "" without any."""
        ...


def _of_module(name: str) -> Renderer:
    """Return the `render` function of the module *name*, imported on first call."""

    def render(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:
        module = import_module(f"{__name__}.{name}")
        return str(module.render(diagnostics, colour=colour))

    return render


_NAMES = ("text", "concise", "json", "sarif", "gitlab", "github", "junit")
# The formats by name, the default first.
FORMATS: Mapping[str, Renderer] = MappingProxyType({name: _of_module(name) for name in _NAMES})
