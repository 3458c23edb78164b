"""Expansion of templates, defaults and shorthands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from config.repository import expanded, shown, wrong
from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen.cli.config_as_yaml import as_yaml
from pipegen.compiler import Analysed, analyse, expand, generate
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.targets import registry


def _stages(text: str) -> list[dict[str, object]]:
    """Return the stages of the pipeline "p" in the config *text*."""
    config: Any = expanded(text)
    assert set(config) == {"pipelines"}
    assert "defaults" not in config["pipelines"]["p"]
    stages: list[dict[str, object]] = config["pipelines"]["p"]["stages"]
    return stages


@pytest.mark.parametrize("allowed", ["false", "true", "{ exit_codes: 3 }"])
def test_an_optional_stage_inherits_no_allowed_failure(allowed: str) -> None:
    """Its failure never counts, so that its own `allow_failure` is an error, and that of the defaults is for others."""
    first, second = _stages(f"""
        pipelines:
          p:
            defaults: {{ allow_failure: {allowed}, retry: 1 }}
            stages:
              - {{ name: preview, script: x, approve: {{ optional: true }} }}
              - {{ name: release, script: x, approve: {{ message: Release? }} }}
        """)

    assert ("allow_failure" in first, "allow_failure" in second) == (False, True)
    assert (first["retry"], second["retry"]) == (1, 1)


def test_optional_stages_of_several_kinds_inherit_the_defaults_of_their_kind() -> None:
    """A trigger has no `env` of the defaults, and a script after it has."""
    trigger, script = _stages("""
        pipelines:
          p:
            defaults: { env: { A: a } }
            stages:
              - { name: next, trigger: { name: next }, approve: { optional: true } }
              - { name: deploy, script: [x], approve: { optional: true } }
    """)

    assert ("env" in trigger, script.get("env")) == (False, {"A": "a"})


def test_stages_with_steps_inherit_what_applies_to_steps() -> None:
    """They have no image and no tools; a stage that builds has nothing of a script."""
    steps, build = _stages("""
        pipelines:
          p:
            defaults: { fetch: false, env: { A: a }, secrets: { B: b }, tools: { jdk: '21' }, image: i, retry: 1 }
            stages:
              - { name: scan, steps: { jenkins: [scan] } }
              - { name: pack, build: pack }
    """)

    assert steps.keys() == {"name", "steps", "fetch", "env", "secrets", "retry"}
    assert build.keys() == {"name", "build", "retry"}


def test_stages_override_templates_which_override_defaults() -> None:
    """A later template overrides an earlier one."""
    stages = _stages("""
        templates:
          a: {image: a, timeout: 2m, env: {A: a, B: a}}
          b: {image: b, env: {B: b}}
        pipelines:
          p:
            defaults: {image: d, timeout: 1m, retry: 1, env: {A: d, D: d}}
            stages:
              - {name: one, script: x}
              - {name: two, script: x, extends: [a, b]}
              - {name: three, script: x, extends: [b, a], image: c, env: {D: c}}
        """)

    assert stages == [
        {"name": "one", "script": "x", "image": "d", "timeout": "1m", "retry": 1, "env": {"A": "d", "D": "d"}},
        {
            "name": "two",
            "script": "x",
            "image": "b",
            "timeout": "2m",
            "retry": 1,
            "env": {"A": "a", "D": "d", "B": "b"},
        },
        {
            "name": "three",
            "script": "x",
            "image": "c",
            "timeout": "2m",
            "retry": 1,
            "env": {"A": "a", "D": "c", "B": "a"},
        },
    ]


def test_the_name_is_the_first_key() -> None:
    """Inherited keys follow."""
    config = SourceFile("pipegen.yaml", "pipelines: {p: {defaults: {image: d}, stages: [{script: x, name: a}]}}")

    assert "- name: a\n        image: d\n" in as_yaml(expand(config, Report()))


def test_a_template_can_extend_templates() -> None:
    """A template that two others extend is applied once, before both."""
    stages = _stages("""
        templates:
          nightly: {extends: base, when: {event: schedule}}
          python: {extends: [base], image: python, timeout: 5m}
          base: {image: busybox, timeout: 1m, retry: 2}
        pipelines:
          p:
            stages:
              - {name: one, extends: [python, nightly], script: x}
        """)

    assert stages == [
        {
            "name": "one",
            "script": "x",
            "image": "python",
            "timeout": "5m",
            "retry": 2,
            "when": {"event": "schedule"},
        }
    ]


def test_defaults_can_extend_templates() -> None:
    """The defaults override such a template even if a stage extends it, too."""
    stages = _stages("""
        templates: {base: {image: busybox, timeout: 1m}}
        pipelines:
          p:
            defaults: {extends: base, timeout: 2m}
            stages:
              - {name: one, script: x}
              - {name: two, script: x, extends: base}
        """)

    assert stages == [{"name": name, "script": "x", "image": "busybox", "timeout": "2m"} for name in ("one", "two")]


def test_defaults_say_how_to_retain_the_artifacts_of_stages_that_have_some() -> None:
    """A percentage of the coverage is no file; a list has the paths of a map; reports have no name."""
    stages = _stages("""
        pipelines:
          p:
            defaults: {artifacts: {expire: 1 week, name: logs}, image: busybox}
            stages:
              - {name: build, script: x, artifacts: [dist/]}
              - {name: docs, script: x, artifacts: {paths: [site/], when: always}}
              - {name: unit, script: x, reports: {junit: unit.xml}}
              - {name: cover, script: x, reports: {coverage: {percent: TOTAL}}}
              - {name: lint, script: x}
        """)

    assert [(stage["name"], stage.get("artifacts")) for stage in stages] == [
        ("build", {"expire": "1 week", "name": "logs", "paths": ["dist/"]}),
        ("docs", {"expire": "1 week", "name": "logs", "paths": ["site/"], "when": "always"}),
        ("unit", {"expire": "1 week"}),
        ("cover", None),
        ("lint", None),
    ]
    assert all(stage["image"] == "busybox" for stage in stages)


def test_defaults_with_paths_of_artifacts_apply_to_all_stages() -> None:
    """A stage replaces the paths, and removes all with an empty key."""
    stages = _stages("""
        templates: {short: {artifacts: {expire: 1 day}}}
        pipelines:
          p:
            defaults: {artifacts: [log/]}
            stages:
              - {name: unit, script: x}
              - {name: build, script: x, artifacts: [dist/]}
              - {name: docs, extends: short, script: x}
              - {name: lint, script: x, artifacts: }
        """)

    assert [stage.get("artifacts") for stage in stages] == [
        ["log/"],
        ["dist/"],
        {"paths": ["log/"], "expire": "1 day"},
        None,
    ]


def test_a_key_without_a_value_removes_the_inherited_one() -> None:
    """This works in a stage, in a template and within a map."""
    stages = _stages("""
        templates:
          plain: {image: , retry: ~}
        pipelines:
          p:
            defaults: {image: d, timeout: 1m, env: {A: d, B: d}}
            stages:
              - {name: one, script: x, timeout: , env: {A: ~}}
              - {name: two, script: x, extends: plain}
        """)

    assert stages == [
        {"name": "one", "script": "x", "image": "d", "env": {"B": "d"}},
        {"name": "two", "script": "x", "timeout": "1m", "env": {"A": "d", "B": "d"}},
    ]


def test_incomplete_parts_are_checked_after_merging() -> None:
    """Each part lacks a required key that another one has."""
    stages = _stages("""
        templates: {cached: {cache: {paths: [.cache/]}}}
        pipelines:
          p:
            defaults: {image: {entrypoint: []}}
            stages: [{name: one, script: x, extends: cached, cache: {key: k}, image: {name: busybox}}]
        """)

    assert stages == [
        {
            "name": "one",
            "script": "x",
            "image": {"entrypoint": [], "name": "busybox"},
            "cache": {"paths": [".cache/"], "key": "k"},
        }
    ]


@pytest.mark.parametrize(
    ("defaults", "stage", "steps"),
    [
        ("{timeout: 1m}", "{name: a}", {"timeout": "1m", "build": "${.stage}", "run": True}),
        ("{timeout: 1m}", "{name: a, description: b, directory: c, timeout: }", {"build": "${.stage}", "run": True}),
        ("{build: test}", "{name: a}", {"build": "test", "run": True}),
        ("{run: {env: {A: b}}}", "{name: a}", {"build": "${.stage}", "run": {"env": {"A": "b"}}}),
        ("{copy: [c]}", "{name: a}", {"copy": ["c"], "build": "${.stage}", "run": True}),
        ("{script: x}", "{name: a}", {"script": "x"}),
        ("{timeout: 1m}", "{name: a, build: b}", {"timeout": "1m", "build": "b"}),
        ("{timeout: 1m}", "{name: a, extends: t}", {"timeout": "1m", "image": "t"}),
        ("{timeout: 1m}", "{name: a, extends: []}", {"timeout": "1m"}),
    ],
)
def test_a_stage_with_only_a_name_builds_and_runs_an_image(defaults: str, stage: str, steps: dict[str, object]) -> None:
    """Defaults change this only if they contain steps; templates of the stage replace it."""
    (data,) = _stages(
        f"{{templates: {{t: {{image: t}}}}, pipelines: {{p: {{defaults: {defaults}, stages: [{stage}]}}}}}}"
    )

    assert {key: value for key, value in data.items() if key not in {"name", "description", "directory"}} == steps


def test_script_keys_of_defaults_reach_only_script_stages() -> None:
    """A template is applied as a whole, because the stage names it."""
    stages = _stages("""
        templates: {t: {shell: bash}}
        pipelines:
          p:
            defaults: {image: d, env: {A: b}, timeout: 1m}
            stages:
              - {name: one, script: x}
              - {name: two, build: b, run: true}
              - {name: three}
              - {name: four, build: b, extends: t}
        """)

    assert stages == [
        {"name": "one", "image": "d", "env": {"A": "b"}, "timeout": "1m", "script": "x"},
        {"name": "two", "timeout": "1m", "build": "b", "run": True},
        {"name": "three", "timeout": "1m", "build": "${.stage}", "run": True},
        {"name": "four", "timeout": "1m", "shell": "bash", "build": "b"},
    ]


def test_a_stage_that_calls_a_pipeline_ignores_defaults() -> None:
    """Templates that it extends are applied."""
    stages = _stages("""
        templates: {main: {when: {branch: main}}}
        pipelines:
          p:
            defaults: {timeout: 1m}
            stages: [{name: a, pipeline: q, extends: main}]
          q: {stages: [{name: b}]}
        """)

    assert stages == [{"name": "a", "pipeline": "q", "when": {"branch": "main"}}]


@pytest.mark.parametrize(
    ("text", "code", "line", "message"),
    [
        (
            "templates: {}\npipelines: {p: {stages: [{name: a, extends: b}]}}",
            "PG330",
            2,
            'there is no template "b"',
        ),
        (
            "templates: {t: {extends: b}}\npipelines: {p: {stages: [{name: a}]}}",
            "PG330",
            1,
            'there is no template "b"',
        ),
        ("pipelines: {p: {defaults: {extends: [b]}, stages: [{name: a}]}}", "PG330", 1, 'there is no template "b"'),
        (
            "templates: {a: {extends: a}}\npipelines: {p: {stages: [{name: a}]}}",
            "PG331",
            1,
            'template "a" extends itself',
        ),
        (
            "templates:\n  a: {extends: b}\n  b: {extends: d}\n  d: {extends: a}\npipelines: {p: {stages: [name: a]}}",
            "PG331",
            2,
            "templates extend each other: a -> b -> d -> a",
        ),
        (
            "pipelines:\n  p:\n    defaults: {image: d}\n    stages: [{name: a, script: x, timeout: }]",
            "PG202",
            4,
            '"timeout" has no value',
        ),
        (
            "templates: {t: {image: {entrypoint: []}}}\npipelines: {p: {stages: [{name: a, script: x, extends: t}]}}",
            "PG203",
            1,
            '"image" needs "name" or "dockerfile"',
        ),
        (
            "pipelines:\n  p:\n    defaults: {image: d}\n    stages: [{name: a, script: x, image: {pull: never}}]",
            "PG203",
            4,
            '"image" needs "name" or "dockerfile"',
        ),
        (
            (
                "pipelines:\n p:\n  defaults: {outputs: {v: {command: b}}}\n"
                "  stages: [{name: a, script: x, outputs: {v: {file: c}}}]"
            ),
            "PG204",
            4,
            '"v" has "command", "file", but only one is allowed',
        ),
        (
            "templates: {t: {timeot: 5m}}\npipelines: {p: {stages: [{name: a, script: x, extends: t}]}}",
            "PG201",
            1,
            'unknown key "timeot" in template "t"',
        ),
        ("pipelines: {p: {defaults: {name: 5m}, stages: [{name: a}]}}", "PG201", 1, 'unknown key "name" in "defaults"'),
        (
            "pipelines: {p: {defaults: {image: d}, stages: [{script: x}]}}",
            "PG207",
            1,
            "a stage has no name",
        ),
        ("templates: {a: {}}", "PG203", 1, 'the config has no "pipelines"'),
        ("inputs: {a: b}", "PG203", 1, 'the config has no "pipelines"'),
    ],
)
def test_errors_in_templates_and_defaults(text: str, code: str, line: int, message: str) -> None:
    """Each is reported once, at the text that causes it."""
    (diagnostic,) = wrong(text)

    assert shown(diagnostic) == (code, f"pipegen.yaml:{line}", message)


def test_an_error_in_a_template_is_reported_once() -> None:
    """The number of stages that extend it does not matter."""
    diagnostics = wrong(
        "templates: {t: {image: {pull: never}}}\n"
        "pipelines: {p: {stages: [{name: a, script: x, extends: t}, {name: b, script: x, extends: t}]}}"
    )

    assert [diagnostic.message for diagnostic in diagnostics] == ['"image" needs "name" or "dockerfile"']


@pytest.mark.slow
def test_a_long_chain_of_templates_is_resolved() -> None:
    """Resolution does not use recursion."""
    chain = ", ".join(f"t{number}: {{extends: t{number + 1}}}" for number in range(5_000))
    text = (
        f"{{templates: {{{chain}, t5000: {{image: last}}}}, pipelines: {{p: {{stages: [{{name: a, extends: t0}}]}}}}}}"
    )

    assert _stages(text) == [{"name": "a", "image": "last"}]


def test_the_size_of_an_expanded_config_is_limited() -> None:
    """A large template in many stages is an error, so that memory use is limited."""
    variables = ", ".join(f"A{number}: b" for number in range(2_000))
    stages = ", ".join(f"{{name: s{number}, script: x}}" for number in range(1_000))
    diagnostics = wrong(f"pipelines: {{p: {{defaults: {{env: {{{variables}}}}}, stages: [{stages}]}}}}")

    assert [diagnostic.code.number for diagnostic in diagnostics] == ["PG113"]


_SCALARS = st.sampled_from(["x", "1.10", "yes", "a: b", "'$each'", "line\nline", "${.stage}", "é"])
_ENV = st.dictionaries(st.sampled_from(["A", "B", "on", "LONG_NAME"]), _SCALARS, max_size=3)
_KEYS: st.SearchStrategy[dict[str, object]] = st.fixed_dictionaries(
    {"script": st.lists(st.sampled_from(["make", "echo a b", "true"]), min_size=1, max_size=2)},
    optional={
        "env": _ENV,
        "directory": st.sampled_from(["src", "lib"]),
        "outputs": st.dictionaries(st.sampled_from(["v", "w"]), st.just({"command": "cat V"}), min_size=1, max_size=2),
        "artifacts": st.just(["dist/"]),
        "build": st.fixed_dictionaries({"variant": st.just("test")}, optional={"context": st.just("src")}),
        "blubberfile": st.just("blubber.yaml"),
        "exports": st.dictionaries(st.sampled_from(["one", "two"]), _SCALARS, max_size=2),
    },
)


def _parts(stage: dict[str, object], choose: st.DataObject) -> list[dict[str, object]]:
    """Return *stage* split into four parts whose merge it is; some contain values that a later one replaces."""
    parts: list[dict[str, object]] = [{}, {}, {}, {}]
    for key, value in stage.items():
        if isinstance(value, dict) and value:
            # In the order of the parts, like the keys.
            places = sorted(choose.draw(st.lists(st.integers(0, 3), min_size=len(value), max_size=len(value))))
            for (name, inner), index in zip(value.items(), places, strict=True):
                body = parts[index].setdefault(key, {})
                assert isinstance(body, dict)
                body[name] = inner
        else:
            at = choose.draw(st.integers(0, 3))
            parts[at][key] = value
            if at and not isinstance(value, dict):
                parts[choose.draw(st.integers(0, at - 1))][key] = ["replaced"] if key == "script" else value
    if choose.draw(st.booleans()):
        parts[0]["retry"], parts[3]["retry"] = 2, None
    return parts


def _analysed(config: Mapping[str, object]) -> tuple[Analysed, dict[str, str]]:
    report = Report()
    analysed = analyse(SourceFile("pipegen.yaml", json.dumps(config)), (), report)
    files = {
        file.name: file.text
        for name in ("gitlab", "jenkins")
        for file in generate(analysed, registry.load(name), {}, report)
    }
    assert not report.has_errors()
    return analysed, files


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(stage=_KEYS, choose=st.data())
def test_a_stage_split_into_templates_has_the_same_plan(stage: dict[str, object], choose: st.DataObject) -> None:
    """The generated files of both targets are also the same."""
    defaults, lower, upper, own = _parts(stage, choose)
    by_hand = {"pipelines": {"p": {"stages": [{"name": "a", **stage}]}}}
    in_parts = {
        "templates": {"upper": {**upper, "extends": "lower"}, "lower": lower},
        "pipelines": {"p": {"defaults": defaults, "stages": [{"name": "a", "extends": ["upper"], **own}]}},
    }

    (expected, files), (analysis, others) = _analysed(by_hand), _analysed(in_parts)

    assert analysis.plans == expected.plans
    assert others == files
