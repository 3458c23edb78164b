"""Digests of texts."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256

import pytest

from pipegen.digests import digest_of

_WITHOUT_ITS_OWN = """
import sys
sys.modules["_sha2"] = sys.modules["_sha256"] = None
from pipegen.digests import digest_of
print(digest_of("a", 16))
"""


@pytest.mark.parametrize("text", ["", "a", "\u00e9\n", "x" * 100_001], ids=["none", "one", "two", "large"])
def test_it_is_the_beginning_of_sha256(text: str) -> None:
    """Whoever makes it."""
    assert digest_of(text, 16) == sha256(text.encode()).hexdigest()[:16]


def test_a_python_without_its_own_takes_that_of_openssl() -> None:
    """Some distributions leave it out."""
    command = (sys.executable, "-c", _WITHOUT_ITS_OWN)
    read = subprocess.run(command, capture_output=True, text=True, check=True)

    assert read.stdout.strip() == digest_of("a", 16)
