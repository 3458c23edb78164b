"""A cache of compiled templates for these tests, which render them a thousand times."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket

from pipegen.emit import template


class _Memory(BytecodeCache):
    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load the cached bytecode."""
        if bucket.key in self._known:
            bucket.bytecode_from_string(self._known[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Cache new bytecode."""
        self._known[bucket.key] = bucket.bytecode_to_string()


@pytest.fixture(scope="session", autouse=True)
def compiled_once() -> Iterator[None]:
    """Cache compiled templates in the one environment across renderings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(template, "Environment", partial(Environment, bytecode_cache=_Memory()))
        yield
