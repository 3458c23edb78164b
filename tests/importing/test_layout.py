"""The layout of imported configs."""

from __future__ import annotations

from pipegen.config.keys import STAGE_KEYS
from pipegen.importing.layout import ordered


def test_all_keys_of_a_stage_have_a_position() -> None:
    """The name is first; keys that imports do not write are last."""
    keys = list(ordered({key.name: "" for key in reversed(STAGE_KEYS)}))

    assert set(keys) == {key.name for key in STAGE_KEYS}
    assert (keys[:2], keys[-1]) == (["name", "description"], "notify")
