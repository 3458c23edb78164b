"""The schema for configs, and the diagnostics of configs that violate it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pipegen.config.files.load import decode
from pipegen.config.read import read
from pipegen.config.schema.check import check_schema, check_settings
from pipegen.config.schema.explain import explain
from pipegen.config.schema.file import known_keys, pipelines_schema
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.tree import Mapping as TreeMapping

_CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus"

# The rejected files of the corpus, and the codes; PipelineLib's schema rejects more of them.
_REFUSED = {
    "newest/martaannaj__RecommenderServer.yaml": ("PG209 7:14", "PG205 9:1"),
    "newest/wikimedia__machinelearning-liftwing-inference-services__revscoring-editquality.yaml": ("PG107 16:13",),
    "older/wikimedia__machinelearning-liftwing-inference-services@066ba966.yaml": ("PG107 13:13",),
    "older/wikimedia__mediawiki@f31a0586.yaml": ("PG205 9:11",),
    "older/wikimedia__wikibase-termbox@8d2e947a.yaml": ("PG205 25:11",),
}


def _check(text: str | bytes) -> tuple[Diagnostic, ...]:
    report = Report()
    data = text if isinstance(text, bytes) else text.encode()
    with suppress(Stopped):
        check_schema(read(decode(data, "pipegen.yaml", "", report), report), report)
    return report.diagnostics()


def _positions(diagnostics: tuple[Diagnostic, ...]) -> tuple[str, ...]:
    return tuple(f"{diagnostic.code.number} {_position(diagnostic)}" for diagnostic in diagnostics)


def _position(diagnostic: Diagnostic) -> str:
    assert diagnostic.primary is not None
    first = diagnostic.primary.span.first
    return f"{first.line}:{first.column}"


def _in_stage(text: str) -> str:
    """Return a config whose only stage has the keys in *text*, from line 5 on."""
    lines = "".join(f"        {line}\n" for line in text.splitlines())
    return f"pipelines:\n  test:\n    stages:\n      - name: unit\n{lines}"


def _parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield *schema* and each schema inside it; `description` and `examples` may be names of properties too."""
    if not isinstance(schema, dict):
        return
    yield schema
    for keyword in ("properties", "patternProperties", "$defs"):
        for value in schema.get(keyword, {}).values():
            yield from _parts(value)
    for keyword in ("anyOf", "oneOf"):
        for value in schema.get(keyword, ()):
            yield from _parts(value)
    for keyword in ("items", "additionalProperties", "propertyNames", "not"):
        yield from _parts(schema.get(keyword))


def _referred(reference: str) -> Any:
    data: Any = pipelines_schema()
    for key in reference.removeprefix("#/").split("/"):
        data = data[key]
    return data


def _is_described(part: Mapping[str, Any]) -> bool:
    return "description" in part or ("$ref" in part and _is_described(_referred(part["$ref"])))


def test_schema_is_valid() -> None:
    """It matches the metaschema of its draft."""
    schema = pipelines_schema()

    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]


def test_examples_and_defaults_are_valid() -> None:
    """Editors suggest them."""
    schema = pipelines_schema()
    checked = 0
    for part in _parts(schema):
        validator = Draft202012Validator({"$defs": schema["$defs"], **part})
        for value in [*part.get("examples", []), *([part["default"]] if "default" in part else [])]:
            checked += 1
            assert not list(validator.iter_errors(value)), value

    assert checked > 60


def test_every_key_is_described() -> None:
    """Each key has a description, or refers to a definition that has one."""
    schema = pipelines_schema()
    properties = [item for part in _parts(schema) for item in part.get("properties", {}).items()]

    assert len(properties) > 150
    assert [key for key, value in properties if not _is_described(value)] == []


def test_known_keys_follow_the_schema() -> None:
    """They are collected through references and branches, without the keys of operators."""
    known = known_keys()

    assert known[()] == ("pipelines", "inputs", "templates", "include", "targets")
    assert known["pipelines", "*", "stages", 0, "publish", "image"] == ("id", "name", "tag", "tags")
    assert "chart" in known["pipelines", "*", "stages", 0, "promote", 0]
    assert known["templates", "*", "publish", "image"] == known["pipelines", "*", "defaults", "publish", "image"]
    assert not any("$each" in keys for keys in known.values())


def test_templates_have_the_keys_of_stages() -> None:
    """All keys except the name are in the same order."""
    known = known_keys()
    of_stages = known["pipelines", "*", "stages", 0]

    assert known["templates", "*"] == known["pipelines", "*", "defaults"] == of_stages[1:]


@pytest.mark.parametrize(
    "text",
    [
        "promote: true",
        "promote: [{chart: a, environments: [b], version: '1'}]",
        "promote: {$each: chart, $in: [a, b], $yield: {chart: '${.chart}'}}",
        "promote: [{$merge: {chart: a}, $with: {version: b}}]",
        "run: {credentials: [{id: a, usernameVariable: U, passwordVariable: P}, {id: b, keyFileVariable: K}]}",
        "run: {arguments: [1, 1.10, yes, text], env: {A: 1, B: true, C: on}}",
        "run: {arguments: {$each: [a, b], $in: '${x.output}', $yield: '${.a}'}}",
        "run: {env: {$merge: {A: b}, $with: {C: d}}}",
        "run: {arguments: {$merge: [1], $with: [2]}}",
        "run: false",
        "build: 3.12",
        "build: {$merge: a, $with: b}",
        "build: {variant: a, context: ., excludes: [b], imagePullPolicy: never}",
        "deploy: {test: true}",
        "deploy: {chart: {name: a, version: 1.0}, cluster: ci, timeout: 60, overrides: {a: [{b: null}]}}",
        "deploy: {timeout: '${.limit}'}",
        "copy: [/srv/a, {from: b, source: c, destination: d, archive: no}, {$merge: a, $with: b}]",
        "publish: {image: false}",
        "publish: {image: {id: a, name: b, tag: 1.0, tags: [c, '${setup.tag}']}}",
        "exports: {a: '${.imageID}', b: 1}",
        "trigger: {name: a, parameters: {B: c}, propagate: false, wait: true}",
        "notify: {email: {to: a@example.org, subject: b, body: c}}",
        "notify: {email: {to: [a@example.org]}}",
        "blubberfile: {variants: {$merge: {a: {}}, $with: {}}}",
    ],
)
def test_everything_that_pipelinelib_accepts_is_valid(text: str) -> None:
    """This includes values that its code accepts and its schema does not."""
    assert _check(_in_stage(text)) == ()


def test_all_keys_of_a_pipeline_are_valid() -> None:
    """The key `targets` next to `pipelines` is valid, too."""
    text = (
        "pipelines:\n  a:\n    blubberfile: b\n    directory: c\n    workspace: shared\n"
        "    fetch: {shallow: no, depth: 5, submodules: off, tags: yes}\n    notify: {email: {to: d}}\n"
        "    stages: [{name: 1}, {name: on}]\n    execution: [[1, on], [1]]\ntargets: {gitlab: {any: thing}}\n"
    )

    assert _check(text) == ()


@pytest.mark.robust
@pytest.mark.skipif(not _CORPUS.is_dir(), reason="the corpus is not there")
@pytest.mark.parametrize("path", sorted(_CORPUS.glob("*/*.yaml")), ids=lambda path: path.stem)
def test_configs_of_the_corpus_are_valid(path: Path) -> None:
    """A few are invalid and are reported at the right location."""
    diagnostics = _check(path.read_bytes())

    assert _positions(diagnostics) == _REFUSED.get(f"{path.parent.name}/{path.name}", ())


@pytest.mark.parametrize(
    ("text", "code", "location", "message", "hint"),
    [
        ("run: {argumnets: [a]}", "PG201", "5:15", 'unknown key "argumnets" in "run"', 'rename it to "arguments"'),
        (
            "copy: [{source: a, dest: b}]",
            "PG201",
            "5:28",
            'unknown key "dest" in an item of "copy"',
            'the known keys are "from", "source", "destination", "archive"',
        ),
        (
            "run: {env: {$merge: {A: b}, $with: {}, C: d}}",
            "PG201",
            "5:48",
            'unknown key "C" in "env"',
            'only the keys "$merge", "$with" are allowed here',
        ),
        ('run: {tail: "5"}', "PG202", "5:21", '"tail" takes a whole number, not text', "remove the quotes: 5"),
        ("interruptible: 'Yes'", "PG202", "5:24", '"interruptible" takes true or false, not text', "write true"),
        ("interruptible: 'off'", "PG202", "5:24", '"interruptible" takes true or false, not text', "write false"),
        ("run: {tail: 1.5}", "PG202", "5:21", '"tail" takes a whole number, not a decimal number', None),
        ("run: {tail: 2.0}", "PG202", "5:21", '"tail" takes a whole number, not a decimal number', None),
        (
            "run: {arguments: --all}",
            "PG202",
            "5:26",
            '"arguments" takes a list, not text',
            "write it as a list: [--all]",
        ),
        (
            "run: {arguments: 5}",
            "PG202",
            "5:26",
            '"arguments" takes a list, not a whole number',
            "write it as a list: [5]",
        ),
        (
            "run: {arguments: [{make: all}]}",
            "PG202",
            "5:27",
            'an item of "arguments" takes text, not a map',
            "quote the text if it holds a colon or begins with a brace",
        ),
        (
            "run:\n  env:\n    - A: b",
            "PG202",
            "6:11",
            '"env" takes a map, not a list',
            'remove the dash: a map holds lines of "key: value"',
        ),
        ("run: {env: {A: [b]}}", "PG202", "5:24", '"A" takes text, not a list', "write the value alone, not in a list"),
        ("build:", "PG202", "5:9", '"build" has no value', "write its value, or remove the key"),
        ("build: ~", "PG202", "5:16", '"build" has no value', "write its value, or remove the key"),
        (
            "run: {arguments: [~]}",
            "PG202",
            "5:27",
            'an item of "arguments" has no value',
            "write its value, or remove the dash",
        ),
        (
            "promote: yes please",
            "PG202",
            "5:18",
            '"promote" takes true or false or a list, not text',
            "write it as a list",
        ),
        ("trigger: {wait: true}", "PG203", "5:9", '"trigger" needs "name" or "include"', 'add "name" or "include"'),
        ("build: {$merge: a}", "PG203", "5:9", '"build" has no "$with"', 'add the key "$with"'),
        (
            "run: {credentials: [{id: a}]}",
            "PG203",
            "5:30",
            'an item of "credentials" needs "name", or "usernameVariable" and "passwordVariable", or "keyFileVariable"',
            'add "name", or "usernameVariable" and "passwordVariable", or "keyFileVariable"',
        ),
        (
            "run: {credentials: [{id: a, usernameVariable: b}]}",
            "PG203",
            "5:30",
            'an item of "credentials" needs "passwordVariable"',
            'add "passwordVariable"',
        ),
        (
            "run: {credentials: [{id: a, name: b, keyFileVariable: c}]}",
            "PG204",
            "5:46",
            'an item of "credentials" has "name", "keyFileVariable", but only one is allowed',
            "keep one of them",
        ),
        ("deploy: {cluster: prod}", "PG204", "5:27", '"cluster" takes only "ci"', None),
        ("deploy: {timeout: -1}", "PG204", "5:27", '"timeout" takes a number from 0 up, not -1', None),
        ("deploy: {timeout: long}", "PG204", "5:27", '"timeout" cannot be "long"', 'write it as in "300"'),
        (
            "before: []",
            "PG204",
            "5:17",
            '"before" is empty',
            'write at least one item; to remove inherited ones, write "before:" without a value',
        ),
    ],
)
def test_violations_in_a_stage(text: str, code: str, location: str, message: str, hint: str | None) -> None:
    """Each is reported once, in our own words, at its key or value."""
    (diagnostic,) = _check(_in_stage(text))

    assert (diagnostic.code.number, _position(diagnostic), diagnostic.message, diagnostic.hint) == (
        code,
        location,
        message,
        hint,
    )


@pytest.mark.parametrize(
    ("text", "code", "location", "message", "hint"),
    [
        ("word", "PG202", "1:1", "the config takes a map, not text", 'begin the file with "pipelines:"'),
        ("[a]", "PG202", "1:1", "the config takes a map, not a list", 'begin the file with "pipelines:"'),
        ("targets: {}", "PG203", "1:1", 'the config has no "pipelines"', 'add the key "pipelines"'),
        *(
            (
                f"pipelines: {{a: {{concurrency: {word}, stages: [{{name: b, script: c}}]}}}}",
                "PG204",
                "1:30",
                f'"concurrency" cannot be "{word}"',
                hint,
            )
            for word, hint in (
                ("cancel", 'write "concurrency: { cancel: true }" for runs that cancel older ones'),
                ("queue", 'write "concurrency: {}" for runs that wait for each other'),
            )
        ),
        ("pipelines: {}", "PG204", "1:12", '"pipelines" is empty', "write at least one item"),
        ("pipelines: {a: {}}", "PG203", "1:13", 'pipeline "a" has no "stages"', 'add the key "stages"'),
        ("pipelines: {'': {stages: [{name: a}]}}", "PG204", "1:13", 'a key of "pipelines" is empty', None),
        ("pipelines: {a: {stages: [{name: ''}]}}", "PG204", "1:33", '"name" is empty', None),
        ("pipelines: {a: {stages: [b]}}", "PG202", "1:26", "a stage takes a map, not text", 'write "- name: b"'),
        (
            "pipelines: {a: {stages: [~]}}",
            "PG202",
            "1:26",
            "a stage has no value",
            "write its value, or remove the dash",
        ),
        (
            "pipeline: {a: {stages: [{name: b}]}}",
            "PG201",
            "1:1",
            'unknown key "pipeline" in the config',
            'rename it to "pipelines"',
        ),
        (
            "pipelines: {a: {stages: [{name: b}], workspace: share}}",
            "PG204",
            "1:49",
            '"workspace" takes "isolated" or "shared", not "share"',
            'did you mean "shared"?',
        ),
        ("pipelines: {a: {stages: [{name: b}]}}\ntargets: {c: d}", "PG202", "2:14", '"c" takes a map, not text', None),
    ],
)
def test_violations_outside_of_stages(text: str, code: str, location: str, message: str, hint: str | None) -> None:
    """Each is reported once; a misspelled required key is not also reported as missing."""
    (diagnostic,) = _check(text)

    assert (diagnostic.code.number, _position(diagnostic), diagnostic.message, diagnostic.hint) == (
        code,
        location,
        message,
        hint,
    )


@pytest.mark.parametrize("key", [".anchors", "x-anchors"])
def test_top_level_keys_for_anchors_may_have_any_value(key: str) -> None:
    """Their names start with a dot or with `x-`."""
    assert _check(f"{key}: [&a {{name: b}}, ~]\npipelines: {{p: {{stages: [*a]}}}}") == ()


def test_a_misspelled_key_is_not_also_reported_as_one_of_several_missing_keys() -> None:
    """`approve` needs any of its keys."""
    (diagnostic,) = _check("pipelines: {a: {stages: [{name: b, approve: {approver: [x]}}]}}")

    assert (diagnostic.code.number, diagnostic.hint) == ("PG201", 'rename it to "approvers"')


def test_unknown_keys_beside_the_one_key_of_a_map_are_only_unknown() -> None:
    """The map takes one key; which of several known ones to keep is another question."""
    found = _check(_in_stage("secrets: {A: {username: a, password: b}, B: {file: a, text: b}}"))

    assert [diagnostic.message for diagnostic in found] == [
        'unknown key "username" in "A"',
        '"B" takes one key, not 2',
    ]
    assert found[1].hint == 'keep one of "file", "text"'


def test_a_reference_in_place_of_the_values_of_an_axis() -> None:
    """A list with the reference would be the next error."""
    (diagnostic,) = _check(_in_stage("matrix: {table: '${list.tables}'}"))

    assert diagnostic.hint == "list the values: the combinations of a matrix are known before the run"


def test_all_violations_are_reported_together() -> None:
    """They are in the order of the text."""
    diagnostics = _check(_in_stage("run: {tail: x}\npublish: {image: 1}\ntrigger: {}\nwhen: later"))

    assert _positions(diagnostics) == ("PG202 5:21", "PG202 6:26", "PG203 7:9", "PG202 8:15")


def test_settings_are_checked_against_their_own_schema() -> None:
    """The settings of a target have the schema of the target, and messages name their key."""
    schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {"images": {"enum": ["local", "registry"]}},
        "patternProperties": {"^x-": {}},
    }
    report = Report()
    tree = read(decode(b"imges: local\nimages: lokal\nx-any: 1\n", "pipegen.yaml", "", report), report)
    assert isinstance(tree, TreeMapping)

    check_settings(tree, schema, report, "targets.gitlab")

    assert [diagnostic.message for diagnostic in report.diagnostics()] == [
        'unknown key "imges" in "targets.gitlab"',
        '"images" takes "local" or "registry", not "lokal"',
    ]


def test_a_number_in_place_of_text_needs_quotes() -> None:
    """Settings of targets, such as the version of GitLab, are read strictly."""
    report = Report()
    tree = read(decode(b"version: 16.10\n", "pipegen.yaml", "", report), report)
    assert isinstance(tree, TreeMapping)

    check_settings(tree, {"properties": {"version": {"type": "string"}}}, report, "targets.gitlab")

    assert [diagnostic.hint for diagnostic in report.diagnostics()] == ["put it in quotes: '16.10'"]


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"not": {"required": ["name"]}}, '"targets.example" cannot be a map'),
        ({"properties": {"name": {"pattern": "^[a-z]+$"}}}, '"name" cannot be "${setup.tag}"'),
    ],
)
def test_settings_of_any_schema_are_checked(schema: Mapping[str, Any], message: str) -> None:
    """A third-party target may have any schema."""
    report = Report()
    tree = read(decode(b"name: '${setup.tag}'\n", "pipegen.yaml", "", report), report)

    check_settings(tree, schema, report, "targets.example")

    assert [diagnostic.message for diagnostic in report.diagnostics()] == [message]


def test_deep_nesting_is_reported_once() -> None:
    """A value that is nested too deeply must not crash later stages."""
    diagnostics = _check(_in_stage(f"deploy: {{overrides: {{a: {'[' * 120}{']' * 120}}}}}"))

    assert [diagnostic.message for diagnostic in diagnostics] == ["the value is nested more than 100 levels deep"]


def test_an_invalid_value_with_an_alias_is_reported_once() -> None:
    """The value is in the text only once."""
    diagnostics = _check("pipelines:\n  a:\n    stages: [{name: b, run: &run {tail: x}}, {name: c, run: *run}]\n")

    assert _positions(diagnostics) == ("PG202 3:41",)


_STAGE = ("pipelines", "*", "stages", 0)
_KEYS = sorted({"$each", "$in", "$merge", "$with", "other"}.union(*known_keys().values()))
_VALUES: st.SearchStrategy[object] = st.recursive(
    st.sampled_from([None, True, 0, 3, 1.5, "", "5", "true", "text", "${.stage}"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=3),
    max_leaves=8,
)


# A stage that extends a template may lack the template's keys: it is checked after they are merged.
@pytest.mark.slow
@given(
    stage=st.dictionaries(
        st.sampled_from([key for key in known_keys()[_STAGE] if key != "extends"]), _VALUES, max_size=4
    )
)
def test_diagnostics_agree_with_the_schema(stage: dict[str, object]) -> None:
    """A config has diagnostics exactly if the schema rejects it."""
    config = {"pipelines": {"test": {"stages": [{"name": "unit"}, stage]}}}
    is_valid = Draft202012Validator(dict(pipelines_schema())).is_valid(config)

    assert (_check(json.dumps(config)) == ()) is is_valid


@pytest.mark.parametrize(
    ("stage", "code", "message"),
    [
        ("script: {a: b}", "PG202", '"script" takes text or a list, not a map'),
        ("script:", "PG202", '"script" has no value'),
        ("script: []", "PG204", '"script" is empty'),
        ("script: ''", "PG204", '"script" is empty'),
        ("script: [[x]]", "PG202", 'an item of "script" takes text, not a list'),
        ("env: [A=b]", "PG202", '"env" takes a map, not a list'),
        ("outputs: version", "PG202", '"outputs" takes a list or a map, not text'),
        ("outputs: {v: cat V}", "PG202", '"v" takes a map, not text'),
        ("outputs: {v: {}}", "PG203", '"v" needs "command" or "file"'),
        ("outputs: {v: {command: a, file: b}}", "PG204", '"v" has "command", "file", but only one is allowed'),
        ("artifacts: dist", "PG202", '"artifacts" takes a list or a map, not text'),
        ("fetch: none", "PG202", '"fetch" takes false or a map, not text'),
        ("when: later", "PG202", '"when" takes a map, not text'),
        ("files_from: build", "PG202", '"files_from" takes a list, not text'),
        ("directory: [a]", "PG202", '"directory" takes text, not a list'),
        ("tools: {jdk: ''}", "PG204", '"jdk" is empty'),
        ("scripts: x", "PG201", 'unknown key "scripts" in stage "unit"'),
    ],
)
def test_violations_in_keys_of_script_stages(stage: str, code: str, message: str) -> None:
    """Each is reported once, in our own words."""
    (diagnostic,) = _check(_in_stage(stage))

    assert (diagnostic.code.number, diagnostic.message) == (code, message)


@pytest.mark.parametrize(
    ("execution", "message"),
    [
        ("[[a, []]]", "an item of an arc is empty"),
        ("[[a, [b, [c]]]]", "an item of an item of an arc takes text, not a list"),
        ("[[a, {b: c}]]", "an item of an arc takes text or a list, not a map"),
    ],
)
def test_invalid_groups_in_arcs_are_reported(execution: str, message: str) -> None:
    """A group contains at least one name and no lists."""
    (diagnostic,) = _check(f"pipelines: {{p: {{stages: [{{name: a}}], execution: {execution}}}}}")

    assert diagnostic.message == message


def test_at_most_1000_unknown_keys_are_reported() -> None:
    """The last diagnostic counts the rest."""
    diagnostics = _check(
        "".join(f"k{number}: x\n" for number in range(1_002)) + "pipelines: {p: {stages: [{name: a}]}}\n"
    )

    assert len(diagnostics) == 1_000
    assert diagnostics[-1].message == 'unknown key "k999" in the config, and 2 more'


_NAMES = sorted(pipelines_schema()["$defs"]["stage"]["properties"])


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize(
    "config",
    [
        "templates: {{ t: {{ {0}: null }} }}\npipelines: {{ p: {{ stages: [{{ name: a, script: [x] }}] }} }}",
        "pipelines: {{ p: {{ defaults: {{ {0}: null }}, stages: [{{ name: a, script: [x] }}] }} }}",
        "pipelines: {{ p: {{ defaults: {{}}, stages: [{{ name: a, script: [x], {0}: null }}] }} }}",
        "pipelines: {{ p: {{ stages: [{{ name: a, script: [x], {0}: null }}] }} }}",
    ],
)
def test_a_key_without_a_value_is_valid_where_it_removes_one(config: str, name: str) -> None:
    """The check that accepts configs fast agrees with the one that explains errors."""
    tree = read(decode(config.format(name).encode(), "pipegen.yaml", "", Report()), Report())
    fast, slow = Report(), Report()
    check_schema(tree, fast)
    explain(tree, slow, is_included=False)

    assert _positions(fast.diagnostics()) == _positions(slow.diagnostics())
