"""The layout of imported configs."""

from __future__ import annotations

from pathlib import Path

from importing.samples import from_text

from pipegen.config.keys import STAGE_KEYS
from pipegen.importing.layout import ordered


def test_all_keys_of_a_stage_have_a_position() -> None:
    """The name is first; keys that imports do not write are last."""
    keys = list(ordered({key.name: "" for key in reversed(STAGE_KEYS)}))

    assert set(keys) == {key.name for key in STAGE_KEYS}
    assert (keys[:2], keys[-1]) == (["name", "description"], "notify")


def test_variables_of_a_template_are_no_defaults(tmp_path: Path) -> None:
    """Each job without the template would have to remove them, even if most jobs have it."""
    template = ".db: { variables: { DB_HOST: db, DB_NAME: test } }\n"
    jobs = "".join(f"{name}: {{ extends: .db, script: [./{name}] }}\n" for name in ("unit", "api", "load"))
    result, _ = from_text(f"{template}{jobs}lint: {{ script: [./lint] }}\n", tmp_path)

    assert "templates:\n  db:\n    env:\n      DB_HOST: db\n      DB_NAME: test\n" in result.text
    assert "null" not in result.text
