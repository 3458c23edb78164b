"""Keys that several jobs share, in hidden jobs: https://docs.gitlab.com/ci/yaml/#extends."""

from __future__ import annotations

from typing import Any

import pytest
from targets.gitlab.compiled import compiled
from yaml_data import yaml_data

_SCRIPT = "script: [one, two, three, four, five, six]"
_OTHERS = tuple(f"name: {name}, script: [{name}]" for name in "uvwx")


def _data(*stages: str, settings: str = "", order: str = "") -> dict[str, Any]:
    """Return the data of a file with a pipeline of *stages*, in this *order* if any, and other *settings*."""
    listed = ", ".join(f"{{ {stage} }}" for stage in stages)
    execution = f", execution: [{order}]" if order else ""
    config = f"{settings}\npipelines: {{ p: {{ stages: [{listed}]{execution} }} }}"
    data: dict[str, Any] = yaml_data(compiled(config).text)
    return data


def test_a_script_of_several_jobs_is_written_once() -> None:
    """The name of the hidden job has the words with which all names begin."""
    data = _data(f"name: build_on_x, {_SCRIPT}", f"name: build_on_y, {_SCRIPT}", "name: other, script: [one]")

    assert data[".script-build_on"] == {"script": ["one", "two", "three", "four", "five", "six"]}
    assert data["build_on_y"] == {"extends": ".script-build_on", "stage": "build_on_y", "needs": ["build_on_x"]}
    assert data["other"]["script"] == ["one"]


def test_a_word_with_letters_of_any_language_is_not_cut() -> None:
    """A part of it is no word with which all names begin."""
    data = _data(f"name: test füra, {_SCRIPT}", f"name: test fürb, {_SCRIPT}", *_OTHERS)

    assert data["test fürb"]["extends"] == ".script-test"


def test_keys_of_the_same_jobs_are_in_one_hidden_job() -> None:
    """Other keys stay in the jobs."""
    keys = f"{_SCRIPT}, image: x, cache: {{ key: k, paths: [z] }}"
    data = _data(f"name: test a, {keys}, timeout: 1h", f"name: test b, {keys}", *_OTHERS)

    assert data[".test"] == {
        "image": "x",
        "cache": {"key": "k", "paths": ["z"]},
        "script": ["one", "two", "three", "four", "five", "six"],
    }
    assert data["test a"] == {"extends": ".test", "stage": "test a", "timeout": "1 hour"}


def test_scripts_and_rules_are_in_the_hidden_job_of_the_same_jobs() -> None:
    """Its name has the words with which all names end."""
    keys = "image: x, retry: 1, timeout: 1h, env: { A: one, B: two }, when: { branch: main }, before: [a, b, c, d, e]"
    data = _data(*(f"name: {name}-image, {keys}, script: [{name}]" for name in "pqrst"), *_OTHERS)

    assert data[".image"] == {
        "image": "x",
        "rules": [{"if": '$CI_COMMIT_BRANCH == "main"'}],
        "retry": 1,
        "timeout": "1 hour",
        "variables": {"A": "one", "B": "two"},
        "before_script": ["a", "b", "c", "d", "e"],
    }
    assert [name for name in data if name.startswith(".")] == [".image"]
    assert data["q-image"] == {"extends": ".image", "stage": "q-image", "needs": ["p-image"], "script": ["q"]}


def test_rules_of_a_pipeline_stay_in_its_hidden_job() -> None:
    """Jobs with other rules extend it for its other keys."""
    keys = f"{_SCRIPT}, cache: {{ key: k, paths: [z] }}, timeout: 1h, env: {{ A: one }}"
    stages = ", ".join(f"{{ name: a{number}, {keys} }}" for number in range(3))
    others = ", ".join(
        f"{{ name: {name}, script: [x, y], timeout: 1h, env: {{ A: one }}, when: {when} }}"
        for name, when in (("b", "{ tag: true }"), ("c", "{ event: push }"))
    )
    data: dict[str, Any] = yaml_data(
        compiled(
            f"pipelines: {{ p: {{ stages: [{stages}, {others}], when: {{ branch: main }} }}, "
            "q: { stages: [{ name: m, script: m, when: { branch: main } }] } }"
        ).text
    )

    assert "rules" in data[".p"]
    assert data["p: a1"]["extends"] == [".p", ".shared-p-a0"]
    assert data[".shared-p-a0"] == {
        "cache": {"key": "k", "paths": ["z"]},
        "script": ["one", "two", "three", "four", "five", "six"],
    }
    assert data["p: b"]["extends"] == ".p"


@pytest.mark.parametrize("more", ["", ", q: { stages: [{ name: m, script: m }] }"])
def test_jobs_that_would_inherit_the_start_of_others_have_none(more: str) -> None:
    """That of `default`, or of their pipeline, would be in front of their script."""
    usual = ", ".join(f"{{ name: u{number}, script: [one, two, three, four, {number}] }}" for number in range(8))
    keys = "image: x, cache: { key: k, paths: [z] }, script: [uno, due, tre, quattro, cinque, sei]"
    others = ", ".join(f"{{ name: o{number}, {keys} }}" for number in range(3))
    data: dict[str, Any] = yaml_data(compiled(f"pipelines: {{ p: {{ stages: [{usual}, {others}] }}{more} }}").text)
    shared = data[".shared-p-o0" if more else ".shared-o0"]

    assert data[".p" if more else "default"]["before_script"] == ["one", "two", "three", "four"]
    assert (shared["before_script"], shared["script"]) == ([], ["uno", "due", "tre", "quattro", "cinque", "sei"])


def test_a_hidden_job_has_no_name_that_another_has() -> None:
    """That of a pipeline says nothing else."""
    keys = f"{_SCRIPT}, image: x, cache: {{ key: k, paths: [z] }}"
    stages = ", ".join(f"{{ name: {name}, {keys}, timeout: 1h }}" for name in "ab")
    others = ", ".join(f"{{ name: {name}, script: [{name}], timeout: 1h }}" for name in "uvwxyz")
    data: dict[str, Any] = yaml_data(
        compiled(
            f"pipelines: {{ test: {{ stages: [{stages}, {others}], execution: [[[a, b, u, v, w, x, y, z]]] }}, "
            "more: { stages: [{ name: m, script: m }] } }"
        ).text
    )

    assert "timeout" in data[".test"]
    assert data["test: b"]["extends"] == [".test", ".shared-test-a"]


def test_a_variable_is_shared_by_itself() -> None:
    """GitLab merges the variables of a job and of those that it extends."""
    shared = "A: one, B: two, C: three, D: four"
    data = _data(
        f"name: a, script: [a], env: {{ {shared}, X: x }}",
        f"name: b, script: [b], env: {{ {shared}, X: y }}",
        f"name: c, script: [c], env: {{ {shared} }}",
        *_OTHERS,
    )

    assert data[".variables-a"] == {"variables": {"A": "one", "B": "two", "C": "three", "D": "four"}}
    assert data["b"]["variables"] == {"X": "y"}
    assert "variables" not in data["c"]


def test_keys_in_the_own_text_of_users_are_shared() -> None:
    """They replace the generated rules in the hidden job too; a job that it extends itself comes first."""
    rules = "rules: [{ if: $A, when: never }, { if: $B }, { if: $C, when: always }]"
    raw = f"raw: {{ gitlab: {{ extends: .theirs, {rules} }} }}"
    data = _data(
        f"name: a, script: [a], when: {{ branch: main }}, {raw}",
        f"name: b, script: [b], {raw}",
        f"name: c, script: [c], raw: {{ gitlab: {{ {rules} }} }}",
        settings="targets: { gitlab: { include: [theirs.yml] } }",
    )

    assert data[".rules-a"] == {
        "rules": [{"if": "$A", "when": "never"}, {"if": "$B"}, {"if": "$C", "when": "always"}],
    }
    assert [data[name]["extends"] for name in "abc"] == [[".theirs", ".rules-a"], [".theirs", ".rules-a"], ".rules-a"]
    assert not any("rules" in data[name] for name in "abc")


def test_keys_of_a_few_lines_stay_in_the_jobs() -> None:
    """A hidden job would make the file longer, or hardly shorter."""
    data = _data(
        "name: a, script: [x, y], image: i, artifacts: [z]",
        "name: b, script: [x, y], image: i, artifacts: [z]",
        *_OTHERS,
    )

    assert not [name for name in data if name.startswith(".")]


def test_a_value_that_removes_a_key_is_not_shared() -> None:
    """`null` in a user's own text removes a key that pipegen generates."""
    keys = "script: [x], cache: { key: k, paths: [z], policy: pull, when: always, fallback: [f] }"
    data = _data(
        f"name: a, {keys}",
        f"name: b, {keys}",
        f"name: c, {keys}, raw: {{ gitlab: {{ cache: null }} }}",
        f"name: d, {keys}",
        *_OTHERS,
    )

    assert data["b"]["extends"] == ".cache-a"
    assert "extends" not in data["c"]
    assert "cache" not in data["c"]


def test_artifacts_of_a_job_without_their_coverage_are_not_shared() -> None:
    """The hidden job has the key `coverage`, too."""
    keys = (
        "script: [x], artifacts: { paths: [one], expire: 1 day, when: always, overlap: true }, "
        "reports: { coverage: { percent: 'total (.*)' } }"
    )
    data = _data(
        f"name: a, {keys}",
        f"name: b, {keys}",
        f"name: c, {keys}, raw: {{ gitlab: {{ coverage: null }} }}",
        f"name: d, {keys}",
        *_OTHERS,
    )

    assert data["b"]["extends"] == ".artifacts-a"
    assert data[".artifacts-a"]["coverage"]
    assert "extends" not in data["c"]
    assert "coverage" not in data["c"]


def test_names_do_not_meet_those_of_included_files() -> None:
    """Those could have a hidden job with the words of the jobs."""
    keys = f"{_SCRIPT}, cache: {{ key: k, paths: [z] }}"
    data = _data(
        f"name: test a, {keys}",
        f"name: test b, {keys}",
        *_OTHERS,
        settings="targets: { gitlab: { include: [theirs.yml] } }",
    )

    assert data["test b"]["extends"] == ".shared-test"


_TEMPLATES = """
templates:
  java: { image: x }
  gradle: { extends: java, cache: { key: k, paths: [z] }, timeout: 1h, interruptible: false }
"""


@pytest.mark.parametrize(
    "extends",
    [("gradle", "gradle", "gradle"), ("gradle", "[java, gradle]", "java", "gradle"), ("java", *["gradle"] * 3)],
)
def test_a_hidden_job_has_the_name_of_the_template_of_its_jobs(extends: tuple[str, ...]) -> None:
    """Of several, that which extends the others; it is independent of the order of the stages."""
    stages = {f"s{number}": own for number, own in enumerate(extends)}
    written = [f"name: {name}, extends: {own}, script: [{name}]" for name, own in stages.items()]
    data = _data(*written, *_OTHERS, settings=_TEMPLATES)

    assert data[".gradle"]["cache"] == {"key": "k", "paths": ["z"]}
    assert {name for name in stages if ".gradle" in str(data[name].get("extends"))} == {
        name for name, own in stages.items() if "gradle" in own
    }


@pytest.mark.parametrize(
    ("template", "hidden"),
    [("my tpl", ".my-tpl"), ("größe", ".größe"), ("über", ".über"), (".java", ".java"), ("ß!", ".ß")],
)
def test_names_of_templates_with_other_characters_have_those_that_names_of_jobs_have(
    template: str, hidden: str
) -> None:
    """Blanks become dashes."""
    stages = [f"name: {name}, extends: '{template}', script: [{name}]" for name in "abc"]
    data = _data(*stages, *_OTHERS, settings=_TEMPLATES.replace(" gradle:", f" '{template}':"))

    assert data["a"]["extends"] == hidden


def test_names_of_templates_do_not_meet_those_of_other_hidden_jobs() -> None:
    """A hidden job of a matrix has the name of its stage, and those of included files may have any."""
    stages = [f"name: {name}, extends: gradle, script: [{name}]" for name in "abc"]
    matrix = f"name: gradle, matrix: {{ v: [x, y] }}, {_SCRIPT}, approve: {{ message: 'Run ${{matrix.v}}?' }}"
    beside = _data(*stages, matrix, *_OTHERS, settings=_TEMPLATES)
    settings = f"{_TEMPLATES}\ntargets: {{ gitlab: {{ include: [theirs.yml] }} }}"
    included = _data(*stages, *_OTHERS, settings=settings)
    imported = [stage.replace("gradle", "shared-gradle") for stage in stages]
    again = _data(*imported, *_OTHERS, settings=settings.replace(" gradle:", " shared-gradle:"))

    assert beside["a"]["extends"] == ".shared-gradle"
    assert beside["gradle: x"]["extends"] == ".gradle"
    assert included["a"]["extends"] == again["a"]["extends"] == ".shared-gradle"


def test_jobs_that_start_the_same_pipeline_share_its_trigger() -> None:
    """A raw trigger replaces the generated one in the hidden job too."""
    trigger = (
        "{ include: [{ local: a.yml }, { local: b.yml }], strategy: depend, forward: { pipeline_variables: true } }"
    )
    raw = f"raw: {{ gitlab: {{ trigger: {trigger} }} }}"
    data = _data(
        f"name: a, trigger: {{ name: x }}, {raw}",
        f"name: b, trigger: {{ name: y }}, {raw}",
        *_OTHERS,
        settings="targets: { gitlab: { projects: { x: g/x, y: g/y } } }",
    )

    assert data["b"]["extends"] == ".trigger-a"
    assert data[".trigger-a"]["trigger"]["include"] == [{"local": "a.yml"}, {"local": "b.yml"}]
    assert "trigger" not in data["b"]


def test_variables_in_the_own_text_of_users_are_shared_by_themselves() -> None:
    """They replace generated ones of the same name."""
    raw = "raw: { gitlab: { variables: { A: $X, B: $X, C: $X, D: $X } } }"
    data = _data(
        f"name: a, script: [a], env: {{ A: one, E: one }}, {raw}",
        f"name: b, script: [b], env: {{ E: two }}, {raw}",
        f"name: c, script: [c], {raw}",
        *_OTHERS,
    )

    assert data[".variables-a"] == {"variables": dict.fromkeys("ABCD", "$X")}
    assert [data[name].get("variables") for name in "abc"] == [{"E": "one"}, {"E": "two"}, None]


def test_long_needs_are_shared() -> None:
    """A few needs stay in the jobs, where they show the order."""
    words = ("one of the first stages", "later", "last")
    first, later, last = ([f"{word} {letter}" for letter in "abcdefgh"] for word in words)
    data = _data(
        *(f"name: {name}, script: [x]" for name in (*first, *later[:3], *last[:3])),
        order=f"[[{', '.join(first)}], [{', '.join(later[:3])}], [{', '.join(last[:3])}]]",
    )

    assert data[".needs-later"] == {"needs": first}
    assert data["later b"] == {"extends": ".needs-later", "stage": "later a, later b, later c", "script": ["x"]}
    assert data["last a"]["needs"] == data["last b"]["needs"] == later[:3]


def test_other_keys_in_the_own_text_of_users_are_shared() -> None:
    """A job with another value of the key, which pipegen generates, keeps its own."""
    raw = "raw: { gitlab: { retry: { max: 2, when: [unknown_failure, script_failure], exit_codes: [1, 2] } } }"
    data = _data(
        f"name: a, script: [a], {raw}",
        f"name: b, script: [b], {raw}",
        f"name: c, script: [c], {raw}",
        f"name: d, script: [d], retry: 1, {raw}",
        *_OTHERS,
    )

    assert data[".retry-a"]["retry"]["exit_codes"] == [1, 2]
    assert [data[name].get("extends") for name in "abcd"] == [".retry-a", ".retry-a", ".retry-a", None]
    assert data["d"]["retry"]["max"] == 2


def test_the_name_of_a_hidden_job_has_one_dot() -> None:
    """Also if its first job is the hidden one of a matrix whose combinations have needs of their own."""
    env = "env: { A: a, B: b, C: c, D: d, E: e, F: f, G: g, H: h }"
    data = _data(
        "name: unit, script: [x], matrix: { v: ['1', '2'] }, outputs: { size: { command: du } }",
        f"name: test, script: ['y ${{unit.size}}'], matrix: {{ from: unit }}, {env}",
        f"name: check, script: [z], {env}",
    )

    assert data["check"]["extends"] == data[".test"]["extends"] == ".variables-test"


def test_keys_that_add_to_generated_ones_are_shared_as_they_are() -> None:
    """The hidden job has both: GitLab would merge them in another order if one of them was in the job."""
    retry = "retry: { count: 2, on: [script, timeout] }, raw: { gitlab: { retry: { exit_codes: [1, 2] } } }"
    data = _data(*(f"name: {name}, script: [{name}], {retry}" for name in "abcd"), *_OTHERS)

    assert data[".retry-a"]["retry"] == {
        "max": 2,
        "when": ["script_failure", "job_execution_timeout"],
        "exit_codes": [1, 2],
    }
    assert [data[name]["extends"] for name in "abcd"] == [".retry-a"] * 4
    assert not [name for name in "abcd" if "retry" in data[name]]


_ARTIFACTS = "paths: [one, two], expire: 1 day, when: always, overlap: true"


def test_archives_that_differ_in_their_names_are_shared() -> None:
    """GitLab merges the map in a job, which has the name, into that of the hidden job."""
    data = _data(
        *(f"name: {name}, script: [x], artifacts: {{ {_ARTIFACTS}, name: of-{name} }}" for name in "abc"),
        f"name: d, script: [x], artifacts: {{ {_ARTIFACTS} }}",
        *_OTHERS,
    )

    assert data[".artifacts-a"] == {
        "artifacts": {"paths": ["one", "two"], "when": "always", "expire_in": "1 day"},
    }
    assert [data[name].get("artifacts") for name in "abcd"] == [
        *({"name": f"of-{name}"} for name in "abc"),
        None,
    ]


def test_archives_with_the_same_name_share_it() -> None:
    """Jobs have no key `artifacts` then."""
    keys = f"script: [x], artifacts: {{ {_ARTIFACTS}, name: all }}"
    data = _data(*(f"name: {name}, {keys}" for name in "abc"), *_OTHERS)

    assert data[".artifacts-a"]["artifacts"]["name"] == "all"
    assert not [name for name in "abc" if "artifacts" in data[name]]


def test_archives_with_names_in_the_own_text_of_users_are_shared() -> None:
    """The text replaces the names that pipegen writes, also with nothing."""
    keys = f"script: [x], artifacts: {{ {_ARTIFACTS}, name: all }}"
    names = {"a": "of-a", "b": "of-b", "c": "of-c", "d": None}
    raw = {name: f"raw: {{ gitlab: {{ artifacts: {{ name: {own or 'null'} }} }} }}" for name, own in names.items()}
    data = _data(
        *(f"name: {name}, {keys}, {raw[name]}" for name in names),
        f"name: e, {keys}",
        f"name: f, {keys}, raw: {{ gitlab: {{ artifacts: null }} }}",
        *_OTHERS,
    )

    assert "name" not in data[".artifacts-a"]["artifacts"]
    assert {name: data[name]["artifacts"] for name in names} == {name: {"name": own} for name, own in names.items()}
    assert (data["e"]["extends"], data["e"]["artifacts"]) == (".artifacts-a", {"name": "all"})
    assert "artifacts" not in data["f"]
    assert "extends" not in data["f"]


def test_helpers_share_keys_with_other_helpers() -> None:
    """The hidden job has the variable that marks helpers."""
    stages = "abcd"
    data = _data(
        *(f"name: {n}, script: [x], approve: {{ optional: true, when: {{ event: merge_request }} }}" for n in stages),
        "name: last, script: [x]",
        order=f"[[{', '.join(stages)}], last]",
    )

    assert data[".wait-for"]["variables"] == {"GIT_STRATEGY": "none", "PIPEGEN_HELPER": "1"}
    assert data[".wait-for"]["script"] == ["true"]
    assert data["wait for b"]["needs"] == ["b"]
    assert ".wait-for" in data["wait for b"]["extends"]
    assert "variables" not in data["wait for b"]


def test_helpers_of_several_kinds_share_keys() -> None:
    """Their names have no word in common."""
    optional = "approve: { optional: true, when: { event: merge_request } }"
    firsts = [f"s{number}" for number in range(110)]
    data = _data(
        f"name: a, script: [x], {optional}",
        f"name: b, script: [x], {optional}",
        *(f"name: {name}, script: [x]" for name in firsts),
        "name: last, script: [x]",
        order=f"[[a, b, {', '.join(firsts)}], last]",
    )

    assert data[".helpers"]["script"] == ["true"]
    assert data["wait for b"]["extends"] == data["collect for last"]["extends"] == ".helpers"


def test_variables_of_most_jobs_are_in_a_hidden_job() -> None:
    """A job saves the line `variables`, too, unless it has others."""
    stages = [f"name: {name}, script: [{name}], env: {{ A: a, B: b }}" for name in "pqrs"]
    data = _data(*stages, "name: t, script: [t], env: { A: a, B: b, C: c }", *_OTHERS)

    assert data[".variables-p"] == {"variables": {"A": "a", "B": "b"}}
    assert data["p"] == {"extends": ".variables-p", "stage": "p", "script": ["p"]}
    assert data["t"]["variables"] == {"C": "c"}


def test_one_hidden_job_has_the_keys_of_all_its_jobs_but_one() -> None:
    """The other job, with another image, has its variables itself."""
    keys = "image: x, cache: { key: k, paths: [z] }"
    env = "env: { A: a, B: b }"
    data = _data(
        *(f"name: build {name}, script: [{name}], {keys}, {env}" for name in "pqr"),
        f"name: other, script: [x], {env}",
        *_OTHERS,
    )

    assert data[".build"] == {
        "image": "x",
        "cache": {"key": "k", "paths": ["z"]},
        "variables": {"A": "a", "B": "b"},
    }
    assert data["build q"]["extends"] == ".build"
    assert data["other"]["variables"] == {"A": "a", "B": "b"}


def test_a_hidden_job_has_the_short_keys_that_more_jobs_share() -> None:
    """These are not worth a hidden job of their own, so the other jobs have them themselves."""
    data = _data(
        *(f"name: build {name}, script: [{name}], image: x, retry: 1, timeout: 1h" for name in "pqrs"),
        *(f"name: {name}, script: [{name}], timeout: 1h" for name in "ab"),
        *_OTHERS,
    )

    assert data[".build"] == {"image": "x", "retry": 1, "timeout": "1 hour"}
    assert data["build q"] == {"extends": ".build", "stage": "build q", "needs": ["build p"], "script": ["q"]}
    assert data["a"]["timeout"] == "1 hour"


def test_a_hidden_job_has_the_empty_values_that_jobs_share() -> None:
    """They have these in place of the defaults."""
    data = _data(
        *(f"name: build {name}, script: [{name}], image: x, timeout: 1h" for name in "pqrs"),
        *(f"name: t{number}, script: [t{number}], interruptible: true" for number in range(12)),
    )

    assert data["default"]["interruptible"]
    assert data[".build"] == {"image": "x", "timeout": "1 hour", "interruptible": False}
    assert "interruptible" not in data["build q"]


def test_short_keys_that_say_what_a_job_does_stay_in_the_jobs() -> None:
    """A script of one line, for example, that jobs with other keys have, too."""
    data = _data(
        *(f"name: build {name}, script: [x], image: y, cache: {{ key: k, paths: [z] }}" for name in "pqr"),
        "name: a, script: [x]",
        "name: b, script: [x]",
        *_OTHERS,
    )

    assert "script" not in data[".build"]
    assert data["build q"]["script"] == ["x"]


def test_a_hidden_job_has_the_time_limit_and_image_that_most_of_its_jobs_have() -> None:
    """The others replace them; jobs that have other keys do not extend it for these."""
    env, image, limit = "env: { A: '1', B: '2' }", "image: img:1", "timeout: 1h"
    data = _data(
        *(f"name: {name}, script: [{name}], {env}, {image}, {limit}" for name in "abc"),
        f"name: d, script: [d], {env}, {image}, timeout: 2h",
        f"name: e, script: [e], {env}, image: img:2, {limit}",
        f"name: f, script: [f], image: img:3, {limit}",
        *_OTHERS,
    )

    assert data[".shared-a"] == {"image": "img:1", "timeout": "1 hour", "variables": {"A": "1", "B": "2"}}
    assert data["a"] == {"extends": ".shared-a", "stage": "a", "script": ["a"]}
    assert (data["d"]["extends"], data["d"]["timeout"], "image" in data["d"]) == (".shared-a", "2 hours", False)
    assert (data["e"]["extends"], data["e"]["image"], "timeout" in data["e"]) == (".shared-a", "img:2", False)
    assert (data["f"]["image"], data["f"]["timeout"], "extends" in data["f"]) == ("img:3", "1 hour", False)


def test_a_raw_key_that_jobs_share_is_not_replaced_in_them() -> None:
    """Of a job that its rules make manual, `allow_failure: false` is the default."""
    keys = "approve: true, when: { branch: main }, image: img:1, timeout: 1h"
    raw = "raw: { gitlab: { allow_failure: { exit_codes: [77] } } }"
    data = _data(*(f"name: {name}, script: [{name}], {keys}, {raw}" for name in "abc"), *_OTHERS)

    assert data[".shared-a"]["allow_failure"] == {"exit_codes": [77]}
    assert data["a"] == {"extends": ".shared-a", "stage": "a", "script": ["a"]}


@pytest.mark.parametrize(
    "last",
    ["script: [d], {env}", "script: [d], {env}, image: {{ name: img:2, entrypoint: [x] }}, timeout: 1h"],
)
def test_a_hidden_job_has_no_image_that_a_job_of_it_lacks_or_would_merge(last: str) -> None:
    """GitLab would give it the image, or merge the keys of both."""
    env = "env: { A: '1', B: '2', C: '3' }"
    jobs = (f"name: {name}, script: [{name}], {env}, image: img:1, timeout: 1h" for name in "abc")
    data = _data(*jobs, f"name: d, {last.format(env=env)}", *_OTHERS)

    assert "image" not in data[data["d"]["extends"]]
    assert data["a"]["image"] == "img:1"


def test_an_image_alone_is_in_the_jobs() -> None:
    """A hidden job for the image of the settings would be as long."""
    data = _data(
        "name: v, image: gcc:14, script: [make], outputs: { o: { command: cat o } }",
        *(f"name: {name}, trigger: {{ name: {name}, parameters: {{ V: '${{v.o}}' }} }}" for name in "xy"),
        settings="targets: { gitlab: { projects: { x: { project: g/x }, y: { project: g/y } } } }",
    )

    assert ".shell" not in data
    assert [data[name]["image"] for name in ("v", "x", "y")] == ["gcc:14", "alpine:3.22.2", "alpine:3.22.2"]
