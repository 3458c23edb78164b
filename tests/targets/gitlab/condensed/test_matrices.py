"""`parallel: matrix`: one job for the combinations of a stage."""

from __future__ import annotations

from typing import Any

import pytest
from targets.gitlab.compiled import compiled
from yaml_data import yaml_data

from pipegen.targets.gitlab.render import axis_maps
from pipegen.targets.templates import DifferentError, expanded_text, script_text


def _matrix(*keys: str, more: str = "", settings: str = "", axes: str = "v: ['3.1', '3.11']") -> dict[str, Any]:
    """Return the data of the file of the matrix stage *keys*, and of the stages *more* after it."""
    stage = ", ".join(("name: unit", f"matrix: {{ {axes} }}", *keys))
    output = compiled(f"""
        {settings}
        pipelines:
          p:
            stages:
              - {{ {stage} }}
              {more}
    """)
    data: dict[str, Any] = yaml_data(output.text)
    return data


def test_combinations_become_one_matrix_job() -> None:
    """Axis values are variables in images, paths and scripts."""
    matrix = _matrix(
        "image: 'python:${matrix.v}'", "script: 'tox -e ${matrix.v}'", "artifacts: ['dist/${matrix.v}x', all]"
    )

    assert matrix["unit"] == {
        "stage": "unit",
        "parallel": {"matrix": [{"v": ["3.1", "3.11"]}]},
        "image": "python:$v",
        "script": ['tox -e "$v"'],
        "artifacts": {"paths": ["dist/${v}x", "all"]},
    }


@pytest.mark.parametrize(
    ("env", "axes", "name"),
    [
        ("V: '${matrix.V}'", "V: ['3.1']", "unit"),
        ("W: '${matrix.V}'", "V: ['3.1']", "unit: 3.1"),
        ("V: '${matrix.V}'", "V: ['3.1', 'a,b']", "unit: 3.1"),
    ],
)
def test_a_single_combination_is_a_matrix_job_if_it_has_the_variables(env: str, axes: str, name: str) -> None:
    """It has the name that GitLab gives to combinations. One of several stays a job of its own, like the others."""
    matrix = _matrix(f"env: {{ {env} }}", "script: make $V", axes=axes)

    assert name in matrix
    assert matrix[name].get("parallel") == ({"matrix": [{"V": "3.1"}]} if name == "unit" else None)


@pytest.mark.parametrize(("env", "is_one"), [("V: '${matrix.V}'", True), ("W: x", False)])
def test_a_job_that_extends_one_of_another_file_has_its_axes_as_variables(env: str, *, is_one: bool) -> None:
    """That job may read a variable with the name of the axis, and finds the same value."""
    include = "targets: { gitlab: { include: [theirs.yml] } }"
    matrix = _matrix(
        f"env: {{ {env} }}",
        "script: x",
        "raw: { gitlab: { extends: .theirs } }",
        settings=include,
        axes="V: ['3.1', '3.11']",
    )

    assert ("parallel" in matrix.get("unit", {})) is is_one
    assert {name for name in matrix if name.startswith("unit")} == ({"unit"} if is_one else {"unit: 3.1", "unit: 3.11"})


def test_values_are_in_variables_too() -> None:
    """Combinations whose values are in single quotes stay separate jobs."""
    matrix = _matrix("env: { GO: 'v${matrix.v}', OTHER: x }", "script: x")
    assert matrix["unit"]["variables"] == {"GO": "v$v", "OTHER": "x"}

    matrix = _matrix("env: { GO: '${HOME}/${matrix.v}' }", "script: x")
    assert matrix["unit"]["script"] == ['export GO="$HOME/$v"', "x"]

    matrix = _matrix("env: { GO: '$x${matrix.v}' }", "script: x")
    assert sorted(name for name in matrix if name.startswith("unit")) == ["unit: 3.1", "unit: 3.11"]


def test_values_are_in_paths_of_reports() -> None:
    """A report whose kind has several paths keeps them in order."""
    matrix = _matrix(
        "script: x",
        "reports: { junit: ['a/${matrix.v}.xml', b.xml], coverage: 'c-${matrix.v}.xml' }",
    )

    assert matrix["unit"]["artifacts"]["reports"] == {
        "junit": ["a/$v.xml", "b.xml"],
        "coverage_report": {"coverage_format": "cobertura", "path": "c-$v.xml"},
    }


def test_a_matrix_job_has_the_tools_of_its_combinations_itself() -> None:
    """Their hidden job would have one user."""
    keys = ("script: 'git add . && ./measure ${matrix.v}'", "outputs: [size]")
    matrix = _matrix(*keys, more="- { name: end, script: 'echo ${unit.size}' }")

    assert not any(name.startswith(".") for name in matrix)
    assert matrix["unit"]["before_script"][0] == "pipegen=$(mktemp -d)"


_PARTS = "v: ['1', '2', '3']"


def test_an_axis_that_numbers_parts_is_the_number_of_gitlab() -> None:
    """The values are 1, 2 and so on."""
    keys = ("env: { SHARD: '${matrix.v}' }", "script: 't ${matrix.v}/3'", "artifacts: ['out-${matrix.v}/']")
    matrix = _matrix(*keys, "image: 'i:${matrix.v}'", axes=_PARTS, more="- { name: end, script: x }")

    assert matrix["unit"] == {
        "stage": "unit",
        "parallel": 3,
        "image": "i:$CI_NODE_INDEX",
        "variables": {"SHARD": "$CI_NODE_INDEX"},
        "script": ['t "$CI_NODE_INDEX/3"'],
        "artifacts": {"paths": ["out-$CI_NODE_INDEX/"]},
    }
    assert matrix["end"]["needs"] == ["unit"]


@pytest.mark.parametrize(
    ("key", "axes"),
    [
        ("lock: 'l-${matrix.v}'", _PARTS),
        ("agent: 'a-${matrix.v}'", _PARTS),
        ("environment: 'e-${matrix.v}'", _PARTS),
        ("retry: 1", "v: ['1', '3']"),
        ("retry: 1", "v: ['2', '1']"),
        ("retry: 1", "v: ['1', '2'], w: ['1']"),
    ],
)
def test_other_axes_are_variables(key: str, axes: str) -> None:
    """GitLab may not know the number when it expands a name itself."""
    matrix = _matrix(key, "script: 't ${matrix.v}'", axes=axes)

    assert matrix["unit"]["script"] == ['t "$v"']


def test_parts_that_others_need_one_by_one_are_combinations() -> None:
    """A need cannot name a part."""
    more = "- { name: end, script: x }"
    execution = "execution: [['unit[v=1]', end]],"
    output = compiled(f"""
        pipelines:
          p: {{ {execution} stages: [{{ name: unit, matrix: {{ {_PARTS} }}, script: 't ${{matrix.v}}' }}, {more[2:]}] }}
    """)
    data = yaml_data(output.text)

    assert data["unit"]["parallel"] == {"matrix": [{"v": ["1", "2", "3"]}]}
    assert data["end"]["needs"] == [{"job": "unit", "parallel": {"matrix": [{"v": "1"}]}}]


def test_values_may_be_names_of_images() -> None:
    """Paths of pipegen have other characters in their place, so that these combinations stay separate jobs."""
    keys = ("image: '${matrix.v}'", "script: 't ${matrix.v}'")
    matrix = _matrix(*keys, axes="v: ['ruby:3', 'a.b/c@sha256:1']")

    assert (matrix["unit"]["image"], matrix["unit"]["script"]) == ("$v", ['t "$v"'])

    more = "- { name: end, script: 'echo ${unit.size}' }"
    matrix = _matrix(*keys, "outputs: { size: { command: du } }", axes="v: ['ruby:3', 'ruby:4']", more=more)
    assert "unit" not in matrix


def test_axes_that_are_variables_of_the_jobs_may_have_any_name() -> None:
    """The others are `matrix_NAME`: programs could read a variable with the name of the axis."""
    matrix = _matrix("env: { PY: '${matrix.PY}' }", "image: 'py:${matrix.PY}'", "script: t $PY", axes="PY: [a, b]")
    assert matrix["unit"] == {
        "stage": "unit",
        "parallel": {"matrix": [{"PY": ["a", "b"]}]},
        "image": "py:$PY",
        "script": ["t $PY"],
    }

    matrix = _matrix("env: { PY: 'v${matrix.PY}' }", "script: t", axes="PY: [a, b]")
    assert matrix["unit"]["parallel"] == {"matrix": [{"matrix_PY": ["a", "b"]}]}
    assert matrix["unit"]["variables"] == {"PY": "v$matrix_PY"}


@pytest.mark.parametrize(
    ("index", "total", "script"),
    [("${matrix.part}", "2", ["t"]), ("${matrix.part}", "3", None), ("${matrix.other}", "2", None)],
)
def test_gitlab_sets_the_numbers_of_combinations(index: str, total: str, script: list[str] | None) -> None:
    """https://docs.gitlab.com/ci/variables/predefined_variables/: from 1, for each job of `parallel`."""
    numbers = f"CI_NODE_INDEX: '{index}', CI_NODE_TOTAL: '{total}'"
    axes = "include: [{ part: '1', other: x }, { part: '2', other: y }]"
    matrix = _matrix(f"env: {{ {numbers} }}", "script: t", "after: [d]", axes=axes)

    assert ("unit" in matrix) == (script is not None)
    if script is not None:
        assert (matrix["unit"]["script"], matrix["unit"]["after_script"]) == (script, ["d"])


def test_jobs_that_extend_a_hidden_one_have_no_numbers_of_gitlab() -> None:
    """Another job needs one combination, for which this version of GitLab has no key."""
    matrix = _matrix(
        "env: { CI_NODE_INDEX: '${matrix.part}', CI_NODE_TOTAL: '2' }",
        "script: t",
        "notify: { email: { to: [a@b.c] } }",
        axes="part: ['1', '2']",
        settings="targets: { gitlab: { mail: {}, version: '16.2' } }",
    )

    assert matrix["unit: 2"]["script"][:2] == ["export CI_NODE_INDEX=2", "export CI_NODE_TOTAL=2"]


def test_raw_keys_that_all_combinations_have_are_in_the_job() -> None:
    """GitLab reads them for each combination."""
    unit = _matrix("script: x", "raw: { gitlab: { coverage: '/x/', needs: [], variables: { A: b } } }")["unit"]

    assert (unit["coverage"], unit["needs"], unit["variables"]) == ("/x/", [], {"A": "b"})


def test_values_are_in_services_environments_and_locks() -> None:
    """GitLab expands variables in these keys, too."""
    keys = ("services: ['db:${matrix.v}']", "environment: 'qa-${matrix.v}'", "lock: 'door-${matrix.v}'", "script: x")

    matrix = _matrix(*keys)["unit"]

    assert matrix["services"] == [{"name": "db:$v", "alias": "db"}]
    assert matrix["environment"] == "qa-$v"
    assert matrix["resource_group"] == "door-$v"


def test_the_job_that_stops_an_environment_names_it_as_the_deployment_does() -> None:
    """GitLab refuses a file in which the names differ, before it expands variables.

    "on_stop job … have different environment name" in `validate_on_stop_job!` of GitLab's `yaml_processor.rb`.
    """
    deploy = ("script: './deploy ${matrix.v}'", "environment: { name: 'qa-${matrix.v}', on_stop: stop }")

    jobs = _matrix(*deploy, more="- { name: stop, matrix: { from: unit }, script: './stop ${matrix.v}' }")

    for value in ("3.1", "3.11"):
        environment = jobs[f"unit: {value}"]["environment"]
        assert environment["on_stop"] == f"stop: {value}"
        assert jobs[f"stop: {value}"]["environment"]["name"] == environment["name"] == f"qa-{value}"


def test_several_axes_become_a_product_or_a_list() -> None:
    """`exclude` and `include` remove or add combinations."""
    matrix = _matrix("script: x", axes="v: ['1', '2'], os: [linux, mac]")
    assert matrix["unit"]["parallel"] == {"matrix": [{"v": ["1", "2"], "os": ["linux", "mac"]}]}

    matrix = _matrix("script: x", axes="v: ['1', '2'], os: [linux, mac], exclude: [{ v: '1', os: mac }]")
    assert matrix["unit"]["parallel"] == {"matrix": [{"v": "1", "os": "linux"}, {"v": "2", "os": ["linux", "mac"]}]}


def test_a_need_on_some_combinations_names_them() -> None:
    """GitLab supports this since 16.3; for older versions, the combinations are separate jobs."""
    keys = ("script: x", "notify: { email: { to: [a@b.c] } }")
    matrix = _matrix(*keys, settings="targets: { gitlab: { mail: {} } }")
    older = _matrix(*keys, settings="targets: { gitlab: { mail: {}, version: '16.2' } }")

    assert matrix["mail when unit: 3.11 fails"]["needs"] == [{"job": "unit", "parallel": {"matrix": [{"v": "3.11"}]}}]
    assert "unit: 3.1" in older


def test_a_need_on_combinations_says_whose_files_arrive() -> None:
    """The job waits for all of them. A matrix is not a number of parts then, which have no values to name."""
    files = "artifacts: ['dist/${matrix.v}']"
    more = "- { name: end, script: x, files_from: ['unit[v=2]'] }"
    matrix = _matrix("script: x", files, more=more, axes="v: ['1', '2', '3']")

    assert matrix["unit"]["parallel"] == {"matrix": [{"v": ["1", "2", "3"]}]}
    assert matrix["end"]["needs"] == [
        {"job": "unit", "parallel": {"matrix": [{"v": ["1", "3"]}]}, "artifacts": False},
        {"job": "unit", "parallel": {"matrix": [{"v": "2"}]}},
    ]


@pytest.mark.parametrize("name", ["cache", "pages"])
def test_the_job_of_a_matrix_has_a_name_that_gitlab_allows(name: str) -> None:
    """A job `cache` is the key of the file, and `pages` publishes a website."""
    stages = f"[{{ name: {name}, script: x, matrix: {{ v: [a, b] }} }}]"
    data: dict[str, Any] = yaml_data(compiled(f"pipelines: {{ p: {{ stages: {stages} }} }}").text)

    assert data.keys() == {"stages", f"stage {name}"}


def test_combinations_needed_separately_extend_a_hidden_job() -> None:
    """The script is generated once, and an output has the name of its stage."""
    more = """- { name: test, matrix: { from: unit }, script: './test ${matrix.v} ${unit.size}' }"""
    matrix = _matrix("script: x", "outputs: { size: { command: du } }", more=more)

    assert matrix["unit"]["parallel"] == {"matrix": [{"v": ["3.1", "3.11"]}]}
    assert matrix[".test"] == {
        "stage": "test",
        "script": ['unit_size=$(cat ".pipegen/outputs/unit-$v/size")', './test "$v" "$unit_size"'],
    }
    assert matrix["test: 3.11"] == {
        "extends": ".test",
        "needs": [{"job": "unit", "parallel": {"matrix": [{"v": "3.11"}]}}],
        "variables": {"v": "3.11"},
    }


def test_each_combination_needs_that_with_its_own_values() -> None:
    """GitLab inserts them since 18.6: https://docs.gitlab.com/ci/yaml/matrix_expressions/."""
    more = """- { name: test, matrix: { from: unit }, script: './test ${unit.size}', artifacts: ['out/${matrix.v}'] }
              - { name: ship, matrix: { from: test }, script: './ship ${matrix.v}', files_from: [test] }"""
    keys = ("script: x", "outputs: { size: { command: du } }")
    matrix = _matrix(*keys, more=more, settings="targets: { gitlab: { version: '18.6' } }")
    older = _matrix(*keys, more=more, settings="targets: { gitlab: { version: '18.5' } }")

    own = {"matrix": [{"v": "$[[ matrix.v ]]"}]}
    assert matrix["test"] == {
        "stage": "test",
        "parallel": {"matrix": [{"v": ["3.1", "3.11"]}]},
        "needs": [{"job": "unit", "parallel": own}],
        "script": ['unit_size=$(cat ".pipegen/outputs/unit-$v/size")', './test "$unit_size"'],
        "artifacts": {"paths": ["out/$v"]},
    }
    assert matrix["ship"]["needs"] == [{"job": "test", "parallel": own}]
    assert {"test: 3.1", "ship: 3.1"} <= older.keys()
    assert {"test: 3.1", "ship: 3.1"} <= _matrix(*keys, more=more).keys()


@pytest.mark.parametrize(
    "more",
    [
        "- { name: test, matrix: { v: ['3.11', '3.1'] }, script: x }",
        "- { name: test, matrix: { from: unit }, script: x, raw: { gitlab: { parallel: 2 } } }",
        "- { name: test, matrix: { from: path }, script: x, env: { v: '${matrix.v}' } }",
    ],
)
def test_other_needs_have_no_expressions(more: str) -> None:
    """Stages with equal values are not connected in pairs, parts have no values, and GitLab inserts no backslashes."""
    path = "- { name: path, matrix: { v: ['a\\\\b', c] }, script: x, env: { v: '${matrix.v}' } }"
    more = f"{path}\n              {more}"
    matrix = _matrix("script: x", more=more, settings="targets: { gitlab: { version: '18.6' } }")

    assert "$[[" not in str(matrix)


def test_names_and_written_outputs_of_combinations_are_in_the_matrix_job() -> None:
    """The name of a combination consists of its values."""
    more = "- { name: read, script: 'echo ${unit.size}' }"
    matrix = _matrix("""script: 'echo "${.stage}" >"$PIPEGEN_OUTPUTS/size"'""", "outputs: [size]", more=more)

    assert matrix["unit"]["script"][:3] == [
        'unit_stage="unit: $v"',
        'export PIPEGEN_OUTPUTS="$PWD/.pipegen/outputs/unit-$v"',
        'mkdir -p "$PIPEGEN_OUTPUTS"',
    ]


@pytest.mark.parametrize(
    ("key", "own"),
    [
        ("approve: 'Go ${matrix.v}?'", {"manual_confirmation": "Go 3.1?"}),
        (
            "services: [{ image: db, env: { V: '${matrix.v}' } }]",
            {"services": [{"name": "db", "variables": {"V": "3.1"}}]},
        ),
        ("when: { branch: '${matrix.v}' }", {"rules": [{"if": '$CI_COMMIT_BRANCH == "3.1"'}]}),
        (
            "cache: { paths: [x/], key: { files: ['${matrix.v}/lock'] } }",
            {"cache": {"key": {"files": ["3.1/lock"]}, "paths": ["x/"]}},
        ),
    ],
)
def test_combinations_keep_keys_in_which_gitlab_expands_nothing(key: str, own: dict[str, Any]) -> None:
    """The hidden job has the rest."""
    matrix = _matrix("script: [make, './test ${matrix.v}']", key)

    assert matrix[".unit"]["script"] == ["make", './test "$v"']
    assert own.keys().isdisjoint(matrix[".unit"])
    job = matrix["unit: 3.1"]
    assert job == job | {"extends": ".unit", "variables": {"v": "3.1"}} | own


def test_combinations_that_wait_for_each_other_keep_their_stages() -> None:
    """The hidden job has the rest."""
    output = compiled("""
        pipelines:
          p:
            stages:
              - name: apply
                matrix: { env: [dev, live] }
                approve: 'Apply to ${matrix.env}?'
                lock: '${matrix.env}'
                script: [make plan, './apply ${matrix.env}']
            execution:
              - ['apply[env=dev]', 'apply[env=live]']
    """)
    data: dict[str, Any] = yaml_data(output.text)

    assert "stage" not in data[".apply"]
    assert data[".apply"]["script"] == ["make plan", './apply "$env"']
    assert data["apply: live"] == {
        "extends": ".apply",
        "stage": "apply 2",
        "needs": ["apply: dev"],
        "manual_confirmation": "Apply to live?",
        "variables": {"env": "live"},
    }


def test_artifacts_of_a_hidden_job_reach_only_their_readers() -> None:
    """A job that extends it stores them as its own."""
    more = """
              - { name: test, matrix: { from: unit }, script: x, artifacts: ['out/${matrix.v}'] }
              - { name: end, script: x, files_from: [] }"""
    matrix = _matrix("script: x", more=more)

    assert matrix["end"]["needs"] == [{"job": f"test: {v}", "artifacts": False} for v in ("3.1", "3.11")]


def test_each_combination_gets_the_files_of_jobs_of_other_projects() -> None:
    """`extends` replaces a list, so the needs of a combination would replace those of a hidden job."""
    more = "- { name: test, matrix: { from: unit }, script: x }"
    job = {"project": "g/t", "job": "build", "ref": "main"}
    both, one = ("{ stages: [unit, test], jobs: [%s] }", "{ stages: ['unit: 3.1'], jobs: [%s] }")
    setting = "targets: { gitlab: { files_from: [%s] } }"
    text = "{ project: g/t, job: build, ref: main }"

    matrix = _matrix("script: x", more=more, settings=setting % both % text)
    assert matrix["unit"]["needs"] == [job]
    assert "needs" not in matrix[".test"]
    assert matrix["test: 3.11"] == {
        "extends": ".test",
        "needs": [{"job": "unit", "parallel": {"matrix": [{"v": "3.11"}]}}, job],
        "variables": {"v": "3.11"},
    }

    matrix = _matrix("script: x", settings=setting % one % text)
    assert "needs" not in matrix[".unit"]
    assert matrix["unit: 3.1"] == {"extends": ".unit", "needs": [job], "variables": {"v": "3.1"}}
    assert matrix["unit: 3.11"] == {"extends": ".unit", "variables": {"v": "3.11"}}


def test_an_axis_that_some_combinations_lack_is_empty_in_them() -> None:
    """A variable of the job has the value, so that no variable of the project replaces it."""
    matrix = _matrix(
        "script: 'make ${matrix.v}${matrix.ext|}'",
        "artifacts: ['out/${matrix.v}${matrix.ext|}']",
        axes="v: ['5', '6'], include: [{ v: '3', ext: .exe }, { v: 'a b' }]",
    )

    assert matrix["unit"]["parallel"] == {"matrix": [{"v": ["5", "6"]}, {"v": "3", "ext": ".exe"}]}
    assert matrix["unit"]["variables"] == {"ext": ""}
    assert matrix["unit"]["script"] == ['make "$v$ext"']
    assert matrix["unit"]["artifacts"]["paths"] == ["out/$v$ext"]
    assert "unit: a b" in matrix


@pytest.mark.parametrize("more", ["{ os: mac }", "{ v: '3', os: mac }"])
def test_combinations_with_other_axes_stay_separate_jobs(more: str) -> None:
    """No combination has all axes, or a variable is only set in one."""
    matrix = _matrix(
        "script: x, env: { SYSTEM: '${matrix.os}', V: '${matrix.v}' }", axes=f"v: ['5', '6'], include: [{more}]"
    )

    assert matrix["unit"]["parallel"] == {"matrix": [{"v": ["5", "6"]}]}
    assert len([name for name in matrix if name.startswith("unit: ")]) == 1


@pytest.mark.parametrize(
    "keys",
    [
        ("script: x", "raw: { gitlab: { variables: { v: b } } }"),
        ("script: x", "raw: { gitlab: { coverage: '/$v/' } }"),
        ("script: x", "directory: 'it''s ${matrix.v}'"),
        ("trigger: { name: j }",),
        ("script: 'v=1; echo $v ${matrix.v}'",),
    ],
)
def test_combinations_that_differ_in_other_keys_stay_separate_jobs(keys: tuple[str, ...]) -> None:
    """So are those with the user's raw keys."""
    matrix = _matrix(*keys, settings="targets: { gitlab: { projects: { j: g/p } } }")

    assert "unit" not in matrix
    assert {"unit: 3.1", "unit: 3.11"} <= set(matrix)


@pytest.mark.parametrize("value", ["a b", "x;y", "(1)", "-O2 *", "ä"])
def test_values_of_variables_may_have_other_characters(value: str) -> None:
    """The script reads the variable in quotes, so that the shell neither splits nor interprets them."""
    axes = f"FLAGS: ['{value}', c]"
    matrix = _matrix("env: { FLAGS: '${matrix.FLAGS}' }", 'script: make "$FLAGS"', axes=axes)
    assert matrix["unit"]["parallel"] == {"matrix": [{"FLAGS": [value, "c"]}]}
    assert matrix["unit"]["script"] == ['make "$FLAGS"']

    matrix = _matrix("script: 'make ${matrix.flags}'", axes=axes.lower())
    assert matrix["unit"]["parallel"] == {"matrix": [{"flags": [value.lower(), "c"]}]}
    assert matrix["unit"]["script"] == ['make "$flags"']

    matrix = _matrix("env: { C: '${matrix.flags}' }", 'script: make "$C"', axes=axes.lower())
    assert matrix["unit"]["variables"] == {"C": "$flags"}


@pytest.mark.parametrize("key", ["artifacts: ['${matrix.flags}/']", "env: { C: '-g ${matrix.flags}' }"])
def test_values_with_other_characters_in_other_texts_need_separate_jobs(key: str) -> None:
    """There, GitLab or its runner may not take them as they are."""
    assert "unit" not in _matrix("script: make", key, axes="flags: ['a b', c]")


def test_values_may_be_empty() -> None:
    """GitLab shows them as such in the name of a job, and refuses one that is not in a list."""
    matrix = _matrix(
        "script: 'make ${matrix.goal} ${matrix.flags}'",
        axes="goal: [all, clean], flags: ['', --quick], exclude: [{ goal: clean, flags: --quick }]",
    )

    assert matrix["unit"]["parallel"] == {
        "matrix": [{"goal": "all", "flags": ["", "--quick"]}, {"goal": "clean", "flags": [""]}]
    }
    assert matrix["unit"]["script"] == ['make "$goal" "$flags"']


@pytest.mark.parametrize(
    ("key", "script"),
    [
        ("script: 'make ${matrix.v} ${matrix.mode|quick}'", ['make "$v" "$mode"']),
        ("env: { MODE: '${matrix.mode|quick}' }, script: 'make ${matrix.v}'", ['make "$v"']),
    ],
)
def test_an_axis_that_some_combinations_lack_has_its_default_in_them(key: str, script: list[str]) -> None:
    """It is the value of a variable, which has the value of the axis in the others."""
    matrix = _matrix(key, axes="v: ['5', '6'], include: [{ v: '7', mode: full }]")

    assert matrix["unit"]["parallel"] == {"matrix": [{"v": ["5", "6"]}, {"v": "7", "mode": "full"}]}
    assert matrix["unit"]["variables"]["mode"] == "quick"
    assert matrix["unit"]["script"] == script
    assert [name for name in matrix if name.startswith("unit")] == ["unit"]


@pytest.mark.parametrize("value", ["a$b", "%a%", "a, b", "[a]"])
def test_values_that_gitlab_expands_or_that_look_like_several_stay_separate_jobs(value: str) -> None:
    """GitLab writes the values between brackets, with commas, in the name of a job."""
    matrix = _matrix("env: { FLAGS: '${matrix.FLAGS}' }", "script: make", axes=f"FLAGS: ['{value}', c]")

    assert "unit" not in matrix


@pytest.mark.parametrize(("length", "is_one"), [(247, True), (248, False)])
def test_combinations_whose_names_would_be_too_long_stay_separate_jobs(length: int, is_one: bool) -> None:  # noqa: FBT001
    """GitLab refuses a need on a job whose name has more than 255 characters."""
    matrix = _matrix("env: { FLAGS: '${matrix.FLAGS}' }", "script: make", axes=f"FLAGS: [{'x' * length}, c]")

    assert ("unit" in matrix) == is_one


@pytest.mark.parametrize("axis", ["NODE", "PATH", "http_proxy", "node-version"])
def test_axes_that_programs_could_read_are_variables_with_a_prefix(axis: str) -> None:
    """The runner and programs read variables such as PATH."""
    matrix = _matrix(f"image: 'node:${{matrix.{axis}}}'", f"script: 't ${{matrix.{axis}}}'", axes=f"{axis}: [a, b]")
    variable = "matrix_" + axis.replace("-", "_")

    assert matrix["unit"] == {
        "stage": "unit",
        "parallel": {"matrix": [{variable: ["a", "b"]}]},
        "image": f"node:${variable}",
        "script": [f't "${variable}"'],
    }


@pytest.mark.parametrize(
    ("axes", "script"),
    [
        ("X-Y: [a, b], X_Y: [c, d]", "t"),
        ("X: [a, b], matrix_X: [c, d]", "t"),
        ("X: [a, b]", "t $matrix_X"),
        ("X: [a, b]", "matrix_X=c make ${matrix.X}"),
        ("x: [a, b]", "t $x"),
    ],
)
def test_axes_whose_variables_have_another_meaning_stay_separate_jobs(axes: str, script: str) -> None:
    """Another axis has the name of the variable, or the script reads or sets it itself."""
    assert "unit" not in _matrix(f"script: '{script}'", axes=axes)


def test_tags_with_variables_need_a_newer_gitlab() -> None:
    """GitLab expands variables in tags since 14.1; for older versions, the combinations are separate jobs."""
    keys = ("script: x", "agent: '${matrix.v}'")

    assert _matrix(*keys)["unit"]["tags"] == ["$v"]
    assert "unit: 3.1" in _matrix(*keys, settings="targets: { gitlab: { version: '14.0' } }")


def test_the_directory_and_quotes_of_a_command_may_have_values() -> None:
    """A redirection at the end of a command is outside its quotes."""
    matrix = _matrix(
        "script: make",
        "directory: 'infra/${matrix.v}'",
        "outputs: { size: { command: \"du | cut -d' ' -f1\" } }",
        more="- { name: end, script: 'echo ${unit.size}' }",
    )

    assert matrix["unit"]["script"][:2] == ['cd "infra/$v"', "make"]
    assert "parallel" in matrix["unit"]
    command = "cut -d' ' -f1 x >.pipegen/outputs/u-%s/y"
    assert script_text([command % n for n in "12"], ({"a": "1"}, {"a": "2"})) == (
        "cut -d' ' -f1 x >\".pipegen/outputs/u-$a/y\""
    )


def test_texts_are_merged_with_variables() -> None:
    """If one value is part of another, the longest common one is replaced."""
    values = ({"a": "1", "b": "1.0"}, {"a": "2", "b": "2.0"})

    assert expanded_text(["x1.0-1", "x2.0-2"], values) == "x$b-$a"
    assert expanded_text(["1_x", "2_x"], values) == "${a}_x"
    assert script_text(["y=1", "y=2"], values) == "y=$a"
    assert script_text([f"x >.pipegen/outputs/u-{n}/y" for n in "12"], values) == 'x >".pipegen/outputs/u-$a/y"'
    for texts in (["echo 1", "echo 2"], ["3", "4"], [f"x '>.pipegen/outputs/u-{n}/y'" for n in "12"]):
        with pytest.raises(DifferentError):
            script_text(texts, values)


@pytest.mark.parametrize("excluded", [(), (0,), (5,), (0, 1), (0, 3, 6), (4, 7, 8), tuple(range(8))])
def test_maps_of_a_matrix_have_its_combinations_in_their_order(excluded: tuple[int, ...]) -> None:
    """GitLab multiplies the lists of each map, the last variable first: `Gitlab::Ci::Config::Normalizer`."""
    every = [{"a": a, "b": b} for a in "123" for b in "xyz"]
    combinations = [values for number, values in enumerate(every) if number not in excluded]
    maps = axis_maps(combinations)

    assert [{"a": a, "b": b} for axes in maps for a in axes["a"] for b in axes["b"]] == combinations
    assert len(maps) == 1 or excluded


def test_an_image_with_a_parameter_of_the_name_of_an_axis_has_its_value() -> None:
    """The value of the axis would replace it."""
    matrix = _matrix("image: 'python:${setup.params.v}'", "script: 'tox -e ${matrix.v}'")

    assert {name: "v" in matrix[name].get("variables", {}) for name in matrix if name.startswith("unit")} == {
        "unit: 3.1": False,
        "unit: 3.11": False,
    }


def test_needs_of_all_combinations_are_in_the_hidden_job() -> None:
    """Those that differ are in the combinations."""
    output = compiled("""
        pipelines:
          p:
            stages:
              - { name: first, script: x }
              - { name: unit, matrix: { v: ['3.1', '3.11'] }, script: x, approve: 'Go ${matrix.v}?' }
              - { name: last, matrix: { from: unit }, script: x, approve: 'Go ${matrix.v}?' }
    """)
    data = yaml_data(output.text)

    assert data[".unit"]["needs"] == ["first"]
    assert "needs" not in data["unit: 3.1"]
    assert (data["last: 3.1"]["needs"], "needs" in data[".last"]) == (["unit: 3.1"], False)
