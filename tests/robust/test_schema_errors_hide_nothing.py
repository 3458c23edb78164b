"""All errors are reported at once: a schema violation neither hides other errors nor causes further ones.

Schema violations are added to configs of `diagnostics/` with errors beyond the schema, at each position in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from config.sample_configs import written

from pipegen.compiler import analyse
from pipegen.config.read import read
from pipegen.config.schema.check import check_schema
from pipegen.diagnostics.model import Severity
from pipegen.diagnostics.report import Report, Stopped

Config = dict[str, Any]

FOLDERS = sorted(path for path in (Path(__file__).parents[1] / "diagnostics").glob("PG[345]*") if path.is_dir())
BROKEN: Any = {"nope": [{"nope": 1}]}


def errors(config: Config) -> set[tuple[str, str]]:
    """Return the errors of *config*: their numbers, and the underlined texts."""
    report = Report()
    with suppress(Stopped):
        analyse(written(yaml.safe_dump(config, sort_keys=False, width=1000)), (), report)
    diagnostics = [diagnostic for diagnostic in report.diagnostics() if diagnostic.severity is Severity.ERROR]
    return {
        (diagnostic.code.number, diagnostic.primary.span.text.strip() if diagnostic.primary else "")
        for diagnostic in diagnostics
    }


def beyond_schema(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the errors in *pairs* that come neither from the schema nor from checks of values with its codes."""
    return {pair for pair in pairs if not pair[0].startswith("PG2")}


def fits(config: Config) -> bool:
    """Return whether *config* is valid against the schema."""
    report = Report()
    check_schema(read(written(yaml.safe_dump(config)), report), report)
    return not report.has_errors()


def configs() -> Iterator[tuple[str, Config]]:
    """Yield the configs of the folders that have no includes, match the schema, and have errors."""
    for folder in FOLDERS:
        text = (folder / "pipeline.yml").read_text(encoding="utf-8")
        config = yaml.safe_load(text)
        if not text.startswith("# ") and "include" not in config and beyond_schema(errors(config)) and fits(config):
            yield folder.name, config


CONFIGS = dict(configs())


def stages(config: Config) -> Iterator[Config]:
    """Yield the stages of *config*."""
    for pipeline in config["pipelines"].values():
        yield from pipeline["stages"]


def broken(config: Config, change: Callable[[Config, int], None]) -> Iterator[Config]:
    """Yield *config* with the *change* applied to each of its stages, by number."""
    for number in range(len(list(stages(config)))):
        other = deepcopy(config)
        change(other, number)
        if not fits(other):
            yield other


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGS)
def test_an_invalid_unread_key_does_not_hide_other_errors(name: str) -> None:
    """All errors are reported in one round, whichever stage has the key."""

    def change(config: Config, number: int) -> None:
        list(stages(config))[number].setdefault("timeout", BROKEN)

    expected = beyond_schema(errors(CONFIGS[name]))
    for config in broken(CONFIGS[name], change):
        assert beyond_schema(errors(config)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGS)
def test_an_invalid_stage_key_causes_no_further_errors(name: str) -> None:
    """Errors beyond the schema are also errors without the typo."""
    expected = beyond_schema(errors(CONFIGS[name]))
    keys = {key for stage in stages(CONFIGS[name]) for key in stage if key != "name"}
    for key in sorted(keys):

        def change(config: Config, number: int, key: str = key) -> None:
            stage = list(stages(config))[number]
            if key in stage:
                stage[key] = BROKEN

        def misspell(config: Config, number: int, key: str = key) -> None:
            stage = list(stages(config))[number]
            if key in stage:
                stage[f"{key}x"] = stage.pop(key)

        for config in (*broken(CONFIGS[name], change), *broken(CONFIGS[name], misspell)):
            assert beyond_schema(errors(config)) <= expected, key


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGS)
def test_an_invalid_pipeline_key_causes_no_further_errors(name: str) -> None:
    """Each key of pipelines and of the file in turn, and names of stages."""
    expected, config = beyond_schema(errors(CONFIGS[name])), CONFIGS[name]
    places = [(config, key) for key in config]
    places += [(pipeline, key) for pipeline in config["pipelines"].values() for key in pipeline]
    places += [(stage, "name") for stage in stages(config)]
    for holder, key in places:
        data, holder[key] = holder[key], BROKEN
        pairs, fitting = errors(config), fits(config)
        holder[key] = data
        assert fitting or beyond_schema(pairs) <= expected, key


def test_configs_for_most_codes_are_tried() -> None:
    """Those of the codes for names, the graph and the plan."""
    assert {"PG301-unknown-stage", "PG307-unbound-name", "PG401-cycle", "PG505-path-outside"} <= CONFIGS.keys()


def test_errors_of_all_kinds_are_reported_in_one_round() -> None:
    """Of the schema, of values, names, bindings and the graph, in several stages and pipelines."""
    report = Report()
    text = """
        pipelines:
          p:
            stages:
              - {name: a, agent: 'x &&', script: [x], timeout: [1]}
              - {name: b, script: 'echo ${a.nope} ${d.v}'}
              - {name: d, script: x, outputs: 5}
              - {name: e, scrpt: x}
              - {name: f, script: 'echo ${e.v} ${c.w}'}
              - {name: c, script: x}
            execution: [[a, b, c], [c, b], [d, b], [e, f, ggg]]
          q: {stages: [{name: a, script: x}], execution: [a]}
          r: {stages: [{name: a, build: '${b.stage}'}, {name: s, build: '${nope.x}'}]}
    """
    with suppress(Stopped):
        analyse(written(text), (), report)
    numbers = [diagnostic.code.number for diagnostic in report.diagnostics()]

    assert numbers == [
        "PG204",
        "PG202",
        "PG307",
        "PG202",
        "PG201",
        "PG306",
        "PG401",
        "PG301",
        "PG206",
        "PG305",
        "PG304",
    ]
