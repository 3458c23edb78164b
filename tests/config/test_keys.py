"""The tables of keys agree with the schema, the model, the order of steps, and `pipegen diff`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pipegen.bindings.names import STEPS
from pipegen.compiler import analyse
from pipegen.config.keys import PIPELINE_KEYS, STAGE_KEYS, WORK_KEYS
from pipegen.config.model import StageConfig
from pipegen.config.parse import _READERS, _VALUES
from pipegen.config.schema.file import pipelines_schema
from pipegen.diagnostics.report import Report, Stopped
from pipegen.difference.keys import stage_keys
from pipegen.plan.expansion.matrix_values import _KEYS_WITH_AXES
from pipegen.source.text import SourceFile

GOLDEN = Path(__file__).parent.parent / "golden"
# Keys of `pipegen diff` that no key of a stage sets: the values that it reads, and its position in the pipeline.
DERIVED = {"reads", "finally"}
# Keys that no config in `tests/golden` has.
OTHERS = """
pipelines:
  p:
    stages:
      - name: a
        script: [make]
        secrets: { TOKEN: { id_token: vault } }
        exports: { log: "${setup.logURL}" }
"""
# Fields of the model that hold the result of templates, calls and matrices.
RESULTS = {"within", "combination", "body", "posts", "on_status", "templates", "unreadable_webhook"}

# Keys of a stage with names, labels, commands or notes, and a key whose references are replaced.
OTHER_WORDS = {"name", "description", "script", "outputs", "files_from", "extends", "pipeline", "agent", "artifacts"}
# Keys of a stage that are not differences themselves, as their effect is part of other keys.
INDIRECT = {"extends", "before", "matrix", "blubberfile"}

STAGE_NAMES = [key.name for key in STAGE_KEYS]
PLAIN_TEXT = {key.name for key in STAGE_KEYS if key.is_plain_text}


@pytest.mark.parametrize(
    ("definition", "names"),
    [
        ("stage", STAGE_NAMES),
        ("template", [name for name in STAGE_NAMES if name != "name"]),
        ("pipeline", [key.name for key in PIPELINE_KEYS]),
    ],
)
def test_the_schema_has_the_keys_in_this_order(definition: str, names: list[str]) -> None:
    """To add a key, add a row to `pipegen/config/keys.py`; a template has the keys of a stage."""
    assert list(pipelines_schema()["$defs"][definition]["properties"]) == names


def test_the_model_has_a_field_for_each_key() -> None:
    """To add a key, add a field to `StageConfig`, and for a value that is parsed, a function to `config/parse.py`."""
    assert set(StageConfig.__struct_fields__) - RESULTS == {*_VALUES, *(field for field, _ in _READERS.values())}


def test_keys_of_plain_text_are_marked() -> None:
    """To add a key of the type `word` or `words`, set `is_plain_text` of its row, or add it to `OTHER_WORDS` here."""
    properties = pipelines_schema()["$defs"]["stage"]["properties"]

    assert {name for name, schema in properties.items() if takes_words(schema)} - OTHER_WORDS == PLAIN_TEXT


def takes_words(schema: Mapping[str, Any]) -> bool:
    """Return whether a value may be a word, a list of words, or any text; a pattern already rejects references."""
    inner = (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ()))
    is_word = schema.get("$ref") in ("#/$defs/word", "#/$defs/words")
    is_any_text = "string" in schema.get("type", ()) and not {"enum", "pattern"} & schema.keys()
    return is_word or is_any_text or any(map(takes_words, inner))


def test_keys_that_change_no_run_are_beside_the_short_hand() -> None:
    """To add such a key, set `is_beside_short_hand` of its row; a stage with it still builds and runs its variant."""
    without_effect = {key.name for key in STAGE_KEYS if not key.diff and not key.is_work} - INDIRECT

    assert {key.name for key in STAGE_KEYS if key.is_beside_short_hand} == {*without_effect, "directory"}


def test_axes_of_a_matrix_are_replaced_in_plain_text() -> None:
    """To add a key of plain text, add it to `_KEYS_WITH_AXES` in `plan/expansion/matrix_values.py`."""
    assert {*_KEYS_WITH_AXES, "directory"} >= PLAIN_TEXT


def test_steps_and_calls_are_work() -> None:
    """To add a step, add it to `STEPS` in `bindings/names.py`; steps of an engine bind nothing."""
    assert {*STEPS, "pipeline", "steps"} == WORK_KEYS


def test_differences_show_the_keys() -> None:
    """To add a key, add it to `difference/keys.py` and to a config in `tests/golden`."""
    shown: set[str] = set()
    goldens = [SourceFile(str(config), config.read_text()) for config in sorted(GOLDEN.glob("*/pipeline.yml"))]
    for config in (*goldens, SourceFile("pipeline.yml", OTHERS)):
        with suppress(Stopped):
            for plan in analyse(config, (), Report()).plans:
                names = {job.stage: job.stage for job in plan.jobs}
                shown.update(*(stage_keys(job, names, leaving=names) for job in plan.jobs))

    assert shown - DERIVED == {name for key in STAGE_KEYS for name in key.diff}
