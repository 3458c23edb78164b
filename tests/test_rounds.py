"""Errors hide no independent diagnostics: all are reported in one round.

Configs of `diagnostics/` are combined in pairs: as two pipelines of one file, and as stages of one pipeline. The
combined config must have exactly the diagnostics of both.
"""

from __future__ import annotations

import json
import re
from bisect import bisect
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from config.sample_configs import written

from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.read import read
from pipegen.diagnostics.codes import table
from pipegen.diagnostics.reach import _REACHES
from pipegen.diagnostics.report import Report, Stopped
from pipegen.digests import digest_of
from pipegen.lint.registry import RULES, run_rules
from pipegen.lint.rules import shell_syntax, shellcheck
from pipegen.source.text import SourceFile
from pipegen.source.tree import plain
from pipegen.targets import registry

Config = dict[str, Any]
# The number of a code, and the underlined text.
Reported = set[tuple[str, str]]

ROOT = Path(__file__).parent / "diagnostics"
TARGETS = ("jenkins", "gitlab")
# These start shells and shellcheck, which is slow.
_RULES = [rule for rule in RULES if rule not in (shell_syntax.check, shellcheck.check)]

# Folders with configs that are not combined with others.
_ALONE = {
    "PG1(0[1-9]|13|2[0-7]|3[01])": "A file that cannot be read as YAML has no parts.",
    "PG202-wrong-type-pipelines": "There is no pipeline to check.",
    "PG203-missing-key-pipelines": "There is no pipeline to check.",
    "PG41[145]|PG60[34]|PG627|PG665": "Limits: a config past one is not checked further, as it takes too long.",
    "PG68|PG69|PG8": "These are about generated files, changed files and machines.",
    "PG713-files-may-be-absent-child": "Jenkins refuses child pipelines only when its file is generated.",
}
# Codes that depend on all pipelines of the file, so that any error hides them.
_OF_THE_FILE = {
    "PG501": "Which pipelines run only on request depends on what their stages do.",
    "PG512": "A pipeline is one of several, unless the others have errors.",
    "PG605": "Two pipelines of one job contradict each other.",
    "PG610": "A step around all stages is wrong for those without an agent.",
    "PG639": "Whether a pipeline that another one calls also runs by itself depends on all of them.",
    "PG304": "A stage of another pipeline whose name has errors may be the one that is read.",
    "PG656": "A setting names a stage, which may have errors.",
    "PG657": "A setting names a stage, which may have errors.",
    "PG670": "A setting is wrong for stages that use it.",
    "PG673": "A pipeline stands for the file, the first one.",
    "PG715": "A stage that has errors may read the input.",
    "PG716": "One diagnostic lists the images of all stages.",
}
# Codes that depend on all stages of the pipeline, so that any error in one of them hides them.
_OF_THE_PIPELINE = {
    **_OF_THE_FILE,
    "PG304": "A part that has errors may be the stage that a reference names.",
    "PG322": "Which name is likely meant depends on the names of all stages.",
    "PG504": "Whether paths are the same depends on the order, and on what is excluded.",
    "PG542": "A stage with an unknown name may be in the order before the stop stage.",
    "PG545": "A stage that has errors may have the same cache.",
    "PG625": "Which stages share a container depends on all of them.",
    "PG701": "Without known arcs there is no order.",
    "PG702": "A stage that has errors may read what another one leaves.",
    "PG703": "A stage that has errors may read the output.",
    "PG711": "A stage that has errors may read the files.",
    "PG712": "Which stages run together depends on the order.",
    "PG713": "Whose files a stage reads depends on the order.",
}
# Codes of names that an included file may define if it cannot be read.
_OF_INCLUDED = ("PG301", "PG304", "PG330", "PG335")
# Folders that are not combined with other stages.
_LINKED = {
    "PG619-stop-left-out": "It is about two stages at once, so an error of the pipeline hides it.",
    "PG636-raw-key-refused": "It is about two stages at once, so an error of the pipeline hides it.",
    "PG620-renamed-job": "It is about the name of the stage, which is changed.",
}
# The code of a reference to an unknown stage, if the other config has a stage of that name, or its order is unknown.
_EQUIVALENT = {"PG305": "PG304", "PG306": "PG304", "PG341": "PG304"}


def configs() -> dict[str, Config]:
    """Return the configs that can share a file with others, by folder name."""
    by_folder = {}
    for folder in sorted(path for path in ROOT.iterdir() if path.is_dir()):
        if any(re.match(pattern, folder.name) for pattern in _ALONE):
            continue
        text = (folder / "pipeline.yml").read_text(encoding="utf-8")
        comment = re.match(r"# ([a-z]+): (.+)\n", text)
        if comment is not None and (comment[1] != "target" or "=" in comment[2]):
            continue
        config = plain(read(written(text), Report()))
        assert isinstance(config, dict)
        if "include" in config:
            paths = config["include"] if isinstance(config["include"], list) else [config["include"]]
            config["include"] = [f"{folder.name}/{path}" for path in paths]
        by_folder[folder.name] = config
    return by_folder


CONFIGS = configs()


def reported(config: Config | None) -> Reported:
    """Return the diagnostics of *config* for both targets."""
    report = Report()
    file = SourceFile(
        "pipegen.yaml", json.dumps(config, ensure_ascii=False), "tests/diagnostics", ROOT / "pipegen.yaml"
    )

    def check_further(analysed: Analysed, report: Report) -> None:
        for name in TARGETS:
            with suppress(Stopped):
                generate(analysed, registry.load(name), {}, report)
        run_rules(_RULES, analysed.for_rules(TARGETS), report)

    with suppress(Stopped):
        check_further(analyse(file, (), report, {}, check_further), report)
    return {
        (diagnostic.code.number, diagnostic.primary.span.text.strip() if diagnostic.primary else "")
        for diagnostic in report.diagnostics()
    }


def together(data: Any, other: Any) -> Any:
    """Return the merged values; None if they contradict each other."""
    if isinstance(data, dict) and isinstance(other, dict):
        both = {key: together(data[key], other[key]) for key in data.keys() & other.keys()}
        return None if None in both.values() else {**data, **other, **both}
    if isinstance(data, list) and isinstance(other, list):
        return data + other
    return data if data == other else None


def pipelines(config: Config, other: Config) -> Config | None:
    """Return the pipelines of both configs in one, those of *other* renamed."""
    other = deepcopy(other)
    for pipeline in other.setdefault("pipelines", {}).values():
        for stage in pipeline.get("stages", ()) if isinstance(pipeline, dict) else ():
            if isinstance(stage, dict) and isinstance(stage.get("pipeline"), str):
                stage["pipeline"] += "2"
    merged: Config | None = together(
        config, {**other, "pipelines": {f"{name}2": body for name, body in other["pipelines"].items()}}
    )
    return merged


def stages(config: Config, other: Config) -> Config | None:
    """Return a config with the stages of both in one pipeline, those of *other* renamed."""
    ((name, first),), ((_, second),) = config["pipelines"].items(), other["pipelines"].items()
    names = {stage["name"] for stage in second["stages"]} - {"setup", "teardown", "inputs"}
    other = with_names(other, names)
    (second,) = other["pipelines"].values()
    arcs = [body.get("execution") or [[stage["name"] for stage in body["stages"]]] for body in (first, second)]
    whole = together({**first, "execution": arcs[0]}, {**second, "execution": arcs[1]})
    rest = together(*({key: inner for key, inner in each.items() if key != "pipelines"} for each in (config, other)))
    return {**rest, "pipelines": {name: whole}} if None not in (rest, whole) else None


def with_names(value: Any, names: set[str]) -> Any:
    """Return *value* with "2" after each of *names*, also in references and before brackets."""
    match value:
        case dict():
            return {key: with_names(inner, names) for key, inner in value.items()}
        case list():
            return [with_names(inner, names) for inner in value]
        case str():
            choice = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
            return (
                f"{value}2"
                if value in names
                else re.sub(rf"(^(?:{choice})(?=\[)|\$\{{(?:{choice})(?=[.\[]))", r"\g<1>2", value)
            )
    return value


def has_one_pipeline(config: Config) -> bool:
    """Return whether the stages of *config* can be moved to another pipeline."""
    bodies = [body for body in config.get("pipelines", {}).values() if isinstance(body, dict)]
    if len(bodies) != 1 or bodies[0].keys() - {"stages", "execution", "blubberfile"}:
        return False
    inner = bodies[0].get("stages")
    if not isinstance(inner, list) or not all(isinstance(stage, dict) and stage.get("name") for stage in inner):
        return False
    return all("pipeline" not in stage for stage in inner) and not _has_flat_arcs(bodies[0])


def _has_flat_arcs(pipeline: Config) -> bool:
    return not all(isinstance(arc, list) for arc in pipeline.get("execution", ()))


SOUND: Config = {"pipelines": {"sound": {"stages": [{"name": "sound", "script": "true"}]}}}


def without_suffixes(diagnostics: Reported) -> Reported:
    """Return *diagnostics* without the suffixes that make names distinct."""
    return {(_EQUIVALENT.get(code, code), re.sub(r"(?<=\w)2(?=[\W]|$)", "", text)) for code, text in diagnostics}


@cache
def expected(name: str, join: Callable[[Config, Config], Config | None]) -> Reported:
    """Return the diagnostics of the config *name* combined with a valid one."""
    return without_suffixes(reported(join(SOUND, CONFIGS[name])))


def pairs(names: list[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs for a sixth of *names*, chosen by digests, so that a new name changes no pairs but its own."""
    by_digest = sorted((digest_of(name, 8), name) for name in names)
    for name in names:
        if int(digest_of(name, 8), 16) % 6 == 0:
            following = bisect(by_digest, (digest_of(f"partner of {name}", 8), ""))
            yield name, by_digest[following % len(by_digest)][1]


def test_a_new_folder_changes_few_pairs() -> None:
    """The other pairs stay, so that a failure is about the new folder."""
    names = list(CONFIGS)
    changed = set(pairs(sorted([*names, "PG799-new"]))) - set(pairs(names))

    assert all("PG799-new" in pair for pair in changed)


_SEPARATE = list(pairs(list(CONFIGS)))
_SHARED = list(pairs([name for name, config in CONFIGS.items() if has_one_pipeline(config) and name not in _LINKED]))


def check_pair(text: str, other: str, join: Callable[[Config, Config], Config | None], hidden: dict[str, str]) -> None:
    """Check that *text* and *other* have the same diagnostics alone and combined, except *hidden* codes."""
    both = join(CONFIGS[text], CONFIGS[other])
    if both is None:
        return
    combined = without_suffixes(reported(both))
    alone = expected(text, join) | expected(other, join)
    missing = alone - combined
    if any(code.startswith("PG11") for code, _ in combined):
        missing = {each for each in missing if each[0] not in _OF_INCLUDED}

    assert {each for each in missing if each[0] not in hidden} == set()
    assert {each for each in combined - alone if each[0] not in hidden} == set()


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), _SEPARATE)
def test_errors_in_a_pipeline_do_not_hide_those_of_another(first: str, second: str) -> None:
    """The configs are two pipelines of one file."""
    check_pair(first, second, pipelines, _OF_THE_FILE)


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), _SHARED)
def test_errors_in_a_stage_do_not_hide_those_of_another(first: str, second: str) -> None:
    """The configs are stages of one pipeline."""
    check_pair(first, second, stages, _OF_THE_PIPELINE)


def test_each_diagnostic_of_a_config_has_a_reach() -> None:
    """To add a code, add it to a table in `pipegen/diagnostics/reach.py`: the part of the config that it depends on."""
    numbers = {code.number for code in table() if "PG3" <= code.number < "PG68" or "PG7" <= code.number < "PG8"}

    assert numbers - _REACHES.keys() == set()
