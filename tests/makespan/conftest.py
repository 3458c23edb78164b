"""Templates are compiled once, as in the tests of readback."""

from __future__ import annotations

from readback.conftest import compiled_once

__all__ = ["compiled_once"]
