"""Templates that are compiled once, as in the tests of reading back."""

from __future__ import annotations

from readback.conftest import compiled_once

__all__ = ["compiled_once"]
