"""The proof compares the runs of a pipeline and of its import, and detects each kind of difference."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from importing.samples import CASES, differences, from_text, imported, messages
from ruamel.yaml import YAML
from yaml_data import yaml_data

from pipegen.config.files.load import load
from pipegen.diagnostics.report import Report, Stopped
from pipegen.importing.accounting import Accounting
from pipegen.importing.gitlab.importer import GitLabImport
from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.gitlab.reading.files import read_files
from pipegen.importing.gitlab.reading.jobs import resolve
from pipegen.importing.gitlab.reading.locations import Roots
from pipegen.importing.gitlab.reading.tree import NO_READING_LIMITS
from pipegen.structs import replace

NOT_WITH_MERGE_REQUEST = "{ if: $CI_COMMIT_BRANCH && $CI_OPEN_MERGE_REQUESTS, when: never }"

_SOURCE = """\
variables: { CC: gcc, OUT: $CI_PROJECT_DIR/out }
build: { stage: build, image: "gcc:14", script: [make], artifacts: { paths: [out/], reports: { sast: $OUT/x.json } } }
test: { stage: test, script: [make test, make report], cache: { paths: [.cache/] }, tags: [small] }
deploy: { stage: deploy, script: ./deploy, environment: live, rules: [{ if: $CI_COMMIT_TAG, when: manual }] }
"""
# A text in the generated file, its replacement, and the resulting difference.
_CHANGES = (
    ("    - make report\n", "", 'the script of job "test" is another one'),
    (
        "    - make report\n",
        "    - make report\n    - echo 'it is not valid in the name of an image'; exit 1\n",
        'the script of job "test" is another one',
    ),
    ("image: gcc:14", "image: gcc:15", 'the image of job "build" is another one'),
    ("tags: [small]", "tags: [big]", 'the tags of job "test" are others'),
    ("CC: gcc", "CC: clang", 'the variable CC of job "build" is another one'),
    ("  needs: [build]\n", "  needs: []\n", 'job "test" does not wait for "build"'),
    ("environment: live", "environment: dead", 'the environment of job "deploy" is another one'),
    ("$CI_COMMIT_TAG", '$CI_COMMIT_BRANCH == "main"', 'job "deploy" runs only in the original'),
    ("      when: manual\n", "", 'job "deploy" starts manual in the original, on_success in the import'),
    ("sast: out/x.json", "sast: out/y.json", 'the reports of job "build" are others'),
    ("sast: out/x.json", "dast: out/x.json", 'the reports of job "build" are others'),
    ("paths: [out/]", "paths: [out/a]", 'the artifacts of job "build" are others'),
    ("paths: [.cache/]", "paths: [.cached/]", 'the caches of job "test" are others'),
    ("    paths: [out/]\n", "    exclude: [out]\n", 'job "test" gets other files: build'),
)


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_the_samples_run_the_same(folder: Path) -> None:
    """The events cover all cases that the rules of a sample distinguish."""
    result, _ = imported(folder)
    assert result is not None
    proof = prove(result)

    assert proof is not None
    assert (proof.differences, proof.events > 9) == ((), True)


@pytest.mark.parametrize(("text", "other", "message"), _CHANGES, ids=lambda value: value.strip()[:20])
def test_a_change_of_the_generated_file_is_detected(text: str, other: str, message: str, tmp_path: Path) -> None:
    """Without the change, the original and the import run the same."""
    result, _ = from_text(_SOURCE, tmp_path)

    assert differences(result) == []
    assert message in differences(_changed(result, text, other))


_BY_FILES = """\
bench:
  script: [make]
  rules: [{ changes: [src/**/*] }, { changes: [docs/*, "*.md"], when: manual, allow_failure: true }]
site: { script: [make], rules: [{ exists: [site/*], when: manual }, { exists: [docs/*] }] }
"""


@pytest.mark.parametrize(
    ("text", "other", "message"),
    [
        (
            "    - changes: [src/**/*]\n",
            "",
            'job "bench" starts on_success in the original, manual, and is not awaited',
        ),
        ("docs/*, ", "", 'job "bench" runs only in the original'),
        ("    - exists: [site/*", "    - exists: [docs/*", 'job "site" starts manual in the original, on_success'),
    ],
    ids=["start", "files", "exists"],
)
def test_runs_with_some_of_the_files_are_compared(text: str, other: str, message: str, tmp_path: Path) -> None:
    """A difference may be only in runs that change, or have, one of several sets of files."""
    result, report = from_text(_BY_FILES, tmp_path)

    assert (messages(report), differences(result)) == ("", [])
    assert any(found.startswith(message) for found in differences(_changed(result, text, other)))


def test_jobs_of_a_run_without_jobs_in_the_original_are_reported(tmp_path: Path) -> None:
    """GitLab starts nothing for a merge request if no job runs for one."""
    source = "only: { script: [./only], only: [branches] }\n"
    result, _ = from_text(source, tmp_path)

    changed = _changed(result, "if: $CI_COMMIT_BRANCH", "if: $CI_COMMIT_REF_NAME")

    assert (differences(result), differences(changed)) == ([], ['job "only" runs only in the import'])


def test_a_pipeline_without_merge_requests_has_none_after_the_import(tmp_path: Path) -> None:
    """A condition that can hold for a merge request would let all stages start for one."""
    source = "tested: { script: [./tested], only: { variables: [$FULL] } }\nplain: { script: [./plain] }\n"
    result, _ = from_text(source, tmp_path)

    assert "when: { env: { FULL: true }, not: { event: merge_request } }" in result.text
    assert differences(result) == []


_COMBINATIONS = """\
build: { stage: build, script: [make], parallel: { matrix: [{ CC: [gcc, clang], OS: [linux] }] } }
parts: { stage: build, script: [./part], parallel: 2 }
"""


@pytest.mark.parametrize(
    ("need", "name"),
    [
        ("build: [gcc, linux]", "build[CC=gcc]"),
        ("parts 1/2", "parts[part=1]"),
        ({"job": "build", "parallel": {"matrix": [{"CC": "gcc", "OS": ["linux"]}]}}, "build[CC=gcc]"),
    ],
    ids=str,
)
def test_a_need_on_one_combination_is_an_arc(need: object, name: str, tmp_path: Path) -> None:
    """The arc waits for this combination only: https://docs.gitlab.com/ci/yaml/#needsparallelmatrix."""
    source = f"{_COMBINATIONS}test: {json.dumps({'stage': 'test', 'script': ['make test'], 'needs': [need]})}\n"
    result, report = from_text(source, tmp_path)

    assert f'["{name}", test]' in result.text
    assert (messages(report), differences(result)) == ("", [])
    every = "needs: [build, parts]"
    assert any("waits for" in message for message in differences(_changed(result, _needs(result), every)))


def test_a_job_may_need_all_combinations_and_get_the_files_of_some(tmp_path: Path) -> None:
    """The others say `artifacts: false`. A job after it gets the files of those that it needs itself."""
    gcc, clang = ({"job": "build", "parallel": {"matrix": [{"CC": value}]}} for value in ("gcc", "clang"))
    matrix = {"matrix": [{"CC": ["gcc", "clang"]}]}
    jobs = {
        "build": {"stage": "build", "script": ["make"], "parallel": matrix, "artifacts": {"paths": ["out-$CC"]}},
        "test": {"stage": "test", "script": ["make test"], "needs": [gcc, {**clang, "artifacts": False}]},
        "deploy": {"stage": "deploy", "script": ["make deploy"], "needs": ["test", clang]},
    }
    result, report = from_text(json.dumps(jobs), tmp_path)

    assert (messages(report), differences(result)) == ("", [])
    assert result.text.count('files_from: ["build[CC=gcc]"]') == 1
    assert result.text.count('files_from: ["build[CC=clang]"]') == 1


@pytest.mark.parametrize(
    ("value", "name"),
    [("gcc,g++", "gcc,g++"), ("*", "[*]"), ("", "[]"), ("[q", "[q")],
    ids=["comma", "star", "empty", "bracket"],
)
def test_a_need_on_a_combination_that_brackets_cannot_name_stays_raw(value: str, name: str, tmp_path: Path) -> None:
    """A comma in brackets ends the value; signs and empty values are distinct."""
    build = {
        "stage": "build",
        "script": ["make"],
        "parallel": {"matrix": [{"CC": list(dict.fromkeys(("", "*", value)))}]},
    }
    need = {"job": "build", "parallel": {"matrix": [{"CC": value}]}}
    source = {"build": build, "test": {"script": ["make test"], "needs": [need]}}
    result, report = from_text(json.dumps(source), tmp_path)

    assert '"needs" of job "test" stays a key of GitLab: it needs single combinations' in messages(report)
    assert f'needs: ["build: {name}"]' in result.text
    assert differences(result) == []


@pytest.mark.parametrize("need", ["build: [cl,x, linux]", "build: [gcc, linux]"])
def test_a_raw_need_names_a_combination_in_a_matrix_or_a_job_of_its_own(need: str, tmp_path: Path) -> None:
    """The comma keeps a combination out of the matrix job of the generated file."""
    matrix = {"matrix": [{"CC": ["gcc", "clang", "cl,x"], "OS": "linux"}]}
    jobs = {
        "build": {"stage": "build", "script": ["make"], "parallel": matrix},
        "test": {"stage": "test", "script": ["make test"], "needs": [need, "build: [cl,x, linux]"]},
    }
    result, _ = from_text(json.dumps(jobs), tmp_path)

    assert [name for name in yaml_data(result.generated[-1].text) if name.startswith("build")] == [
        *("build", "build: cl,x, linux")
    ]
    assert "raw: { gitlab: { needs: [" in result.text
    assert differences(result) == []


def test_services_get_variables_in_which_gitlab_expands_its_own(tmp_path: Path) -> None:
    """GitLab sets them before the services start, so that no raw variable is needed."""
    keys = "services: [broker], script: [make]"
    result, _ = from_text(
        f"variables: {{ DATA: $CI_PROJECT_DIR/db, OTHER: $CI_COMMIT_BRANCH }}\nunit: {{ {keys} }}\n", tmp_path
    )

    assert "raw: { gitlab: { variables: { OTHER: $CI_COMMIT_BRANCH } } }" in result.text
    assert yaml_data(result.generated[-1].text)["unit"]["variables"] == {
        "DATA": "$CI_PROJECT_DIR/db",
        "OTHER": "$CI_COMMIT_BRANCH",
    }


@pytest.mark.parametrize(("has_files", "files"), [(True, '["build[CC=gcc]", lint]'), (False, "[lint]")])
def test_a_job_gets_the_files_of_the_combinations_that_it_needs(files: str, tmp_path: Path, *, has_files: bool) -> None:
    """Other combinations may run earlier, too: for another need of the job."""
    paths = {"artifacts": {"paths": ["out"]}}
    jobs = {
        "build": {"stage": "build", "script": ["make"], "parallel": {"matrix": [{"CC": ["gcc", "clang"]}]}, **paths},
        "lint": {"stage": "test", "script": ["make lint"], **paths},
        "test": {
            "stage": "deploy",
            "script": ["make test"],
            "needs": [{"job": "build", "artifacts": has_files, "parallel": {"matrix": [{"CC": "gcc"}]}}, "lint"],
        },
    }
    result, _ = from_text(json.dumps(jobs), tmp_path)

    assert f"files_from: {files}" in result.text
    assert differences(result) == []


def test_combinations_that_need_the_same_combination_use_the_matrix_of_the_other_stage(tmp_path: Path) -> None:
    """https://docs.gitlab.com/ci/yaml/matrix_expressions/ names the values of the needing job.

    The version of GitLab lets the generated file keep the expressions.
    """
    need = {"job": "build", "parallel": {"matrix": [{axis: [f"$[[ matrix.{axis} ]]"] for axis in ("CC", "OS")}]}}
    matrix = {"matrix": [{"CC": ["gcc", "clang"], "OS": ["linux"]}]}
    test = {"stage": "test", "script": ["make test"], "needs": [need], "parallel": matrix}
    result, report = from_text(f"{_COMBINATIONS}test: {json.dumps(test)}\n", tmp_path)

    assert "from: build" in result.text
    assert 'version: "18.6"' in result.text
    assert "$[[ matrix.CC ]]" in result.generated[0].text
    assert (messages(report), differences(result)) == ("", [])


def test_the_same_combinations_of_stages_in_a_row_are_in_pairs(tmp_path: Path) -> None:
    """The last stage waits for the first through the stage between them, and names only that one."""
    own = {"parallel": {"matrix": [{"CC": "$[[ matrix.CC ]]"}]}}
    parallel = {"matrix": [{"CC": ["gcc", "clang"]}]}
    jobs = {
        "a": {"stage": "build", "script": ["a"], "parallel": parallel, "artifacts": {"paths": ["a-$CC"]}},
        "b": {"stage": "test", "script": ["b"], "parallel": parallel, "needs": [{"job": "a", **own}]},
        "c": {
            "stage": "deploy",
            "script": ["c"],
            "parallel": parallel,
            "needs": [{"job": "a", **own}, {"job": "b", **own}],
        },
    }
    result, report = from_text(json.dumps(jobs), tmp_path)

    assert "from: a" in result.text
    assert "from: b" in result.text
    assert (messages(report), differences(result)) == ("", [])


@pytest.mark.parametrize("other", ["a", "b"])
def test_other_combinations_of_stages_in_pairs_are_needed_too(other: str, tmp_path: Path) -> None:
    """A combination can also need another one of a stage with the same combinations."""
    own = {"parallel": {"matrix": [{"CC": "$[[ matrix.CC ]]"}]}}
    parallel = {"matrix": [{"CC": ["gcc", "clang"]}]}
    single = {"job": other, "parallel": {"matrix": [{"CC": "gcc"}]}}
    jobs = {
        "a": {"stage": "build", "script": ["a"], "parallel": parallel},
        "b": {"stage": "test", "script": ["b"], "parallel": parallel, "needs": [{"job": "a", **own}]},
        "c": {"stage": "deploy", "script": ["c"], "parallel": parallel, "needs": [{"job": "b", **own}, single]},
    }
    result, report = from_text(json.dumps(jobs), tmp_path)

    assert (messages(report), differences(result)) == ("", [])


def test_combinations_with_axes_in_another_order_keep_their_names(tmp_path: Path) -> None:
    """The name of a combination has the values of the axes in their order."""
    own = {"parallel": {"matrix": [{"CC": "$[[ matrix.CC ]]", "OS": "$[[ matrix.OS ]]"}]}}
    axes = {"CC": ["gcc", "clang"], "OS": ["linux", "mac"]}
    turned = {"matrix": [dict(reversed(axes.items()))]}
    jobs = {
        "a": {"stage": "build", "script": ["a"], "parallel": {"matrix": [axes]}},
        "b": {"stage": "test", "script": ["b"], "parallel": turned, "needs": [{"job": "a", **own}]},
    }
    result, report = from_text(json.dumps(jobs), tmp_path)

    assert (messages(report), differences(result)) == ("", [])


@pytest.mark.parametrize("kinds", [["a", "b"], ["a", "b", "c"]], ids=len)
def test_needs_on_the_same_combinations_of_another_matrix_are_arcs(kinds: list[str], tmp_path: Path) -> None:
    """GitLab names them by the values of the needing job; a stage can only take all combinations of one other stage."""
    own = {"parallel": {"matrix": [{"KIND": ["$[[ matrix.KIND ]]"]}]}}
    jobs: dict[str, object] = {
        name: {"stage": "build", "script": [f"./{name}"], "parallel": {"matrix": [{"KIND": ["a", "b", "c"]}]}}
        for name in ("first", "second")
    }
    needs = [{"job": name, "artifacts": False, **own} for name in ("first", "second")]
    jobs["last"] = {"script": ["./last"], "parallel": {"matrix": [{"KIND": kinds}]}, "needs": needs}
    result, report = from_text(json.dumps(jobs), tmp_path)

    assert "[KIND=b]" in result.text
    assert (messages(report), differences(result)) == ("", [])


def test_needs_on_the_same_combinations_that_brackets_cannot_name_stay_raw(tmp_path: Path) -> None:
    """The matrices stay raw, too, because GitLab names combinations by the values of the needing job.

    The message names the first of several jobs.
    """
    own = {"parallel": {"matrix": [{"KIND": ["$[[ matrix.KIND ]]"]}]}}
    matrix = {"stage": "build", "script": ["make"], "parallel": {"matrix": [{"KIND": ["a,b", "c", "d"]}]}}
    names = ["first", "second", "third", "fourth", "fifth", "sixth"]
    needs = [{"job": name, **own} for name in names]
    last = {"script": ["./last"], "parallel": {"matrix": [{"KIND": ["a,b", "c"]}]}, "needs": needs}
    result, report = from_text(json.dumps({**dict.fromkeys(names, matrix), "last": last}), tmp_path)

    assert '"last" needs the same combinations of "first", which has another matrix' in messages(report)
    assert differences(result) == []
    assert any("waits for" in message for message in differences(_changed(result, "$[[ matrix.KIND ]]", "c")))


def test_parts_that_all_need_the_same_part_are_not_in_pairs(tmp_path: Path) -> None:
    """A need cannot contain the number of a part as a value."""
    jobs = {
        "a": {"stage": "build", "script": ["a"], "parallel": 2},
        "b": {"script": ["b"], "parallel": 2, "needs": ["a 1/2"]},
    }
    result, report = from_text(json.dumps(jobs), tmp_path)

    assert '- ["a[part=1]", b]' in result.text
    assert (messages(report), differences(result)) == ("", [])


_PARTIAL = [{"CC": ["gcc", "clang"]}, {"CC": "gcc", "FLAGS": "O3"}]


@pytest.mark.parametrize(
    ("keys", "env"),
    [
        ({}, "FLAGS: ${matrix.FLAGS}"),
        ({"variables": {"FLAGS": "O2"}, "image": "gcc:$FLAGS"}, "image: gcc:${matrix.FLAGS|O2}"),
    ],
    ids=["unset", "default"],
)
def test_combinations_can_have_different_variables(keys: dict[str, object], env: str, tmp_path: Path) -> None:
    """A combination without a variable has the value of the job, if there is one."""
    unit = {"script": ["make"], "parallel": {"matrix": _PARTIAL}, **keys}
    result, report = from_text(json.dumps({"unit": unit}), tmp_path)

    assert "{ CC: gcc, FLAGS: O3 }" in result.text
    assert env in result.text
    assert (messages(report), differences(result)) == ("", [])


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"cache": {"key": "$CC", "paths": ["a"]}}, 'different variables, and "cache" reads one'),
        ({"cache": {"key": "$CI_JOB_NAME", "paths": ["a"]}}, 'different variables, and "cache" reads one'),
        ({"image": "gcc:$FLAGS"}, 'different variables, and "image" reads one'),
        ({"tags": ["$FLAGS"]}, 'different variables, and "tags" reads one'),
        ({"variables": {"ALL": "-g $FLAGS"}}, 'different variables, and "variables" reads one'),
        ({"rules": [{"if": "$FLAGS"}]}, 'different variables, and "rules" reads one'),
        ({"variables": {"FLAGS": "$LEVEL"}}, "only some entries of the matrix have $FLAGS"),
        ({"parallel": {"matrix": [{"CC": "gcc"}, {"CC": "gcc", "FLAGS": ["", "-g"]}]}}, "with empty values"),
    ],
    ids=["cache", "name", "image", "tags", "variables", "rules", "variable", "empty"],
)
def test_matrices_with_different_variables_that_a_config_cannot_express_stay_raw(
    keys: dict[str, object], reason: str, tmp_path: Path
) -> None:
    """Raw keys do not get variables of the script, an empty value has the default, and keys may read the project's."""
    unit = {"script": ["make"], "parallel": {"matrix": _PARTIAL}, **keys}
    result, report = from_text(json.dumps({"unit": unit}), tmp_path)

    assert reason in messages(report)
    assert differences(result) == []


def test_variables_in_the_values_of_a_matrix_stay_variables(tmp_path: Path) -> None:
    """GitLab expands them as in other variables: `MatrixStrategy` in its `lib/gitlab/ci/config/normalizer`."""
    matrix = "parallel: { matrix: [{ IMAGE: [$RUBY, 'python:3'] }] }"
    source = f"variables: {{ RUBY: $CI_REGISTRY/ruby }}\nunit: {{ image: $IMAGE, {matrix}, script: [make] }}\n"
    result, _ = from_text(source, tmp_path)

    other = 'the image of job "unit: $RUBY" is another one'
    assert "matrix: [{ IMAGE: [$RUBY, python:3] }]" in result.text
    assert differences(result) == []
    assert other in differences(_changed(result, "RUBY: $CI_REGISTRY/ruby", "RUBY: ruby"))


@pytest.mark.parametrize(
    ("parallel", "variable"),
    [({"matrix": [{"MODE": ["m1", "m2"], "OS": "linux"}, {"MODE": "m3"}]}, "MODE"), (2, "CI_NODE_INDEX")],
)
@pytest.mark.parametrize("condition", ["$CI_COMMIT_BRANCH", '$CI_COMMIT_BRANCH == "main"'])
def test_variables_of_rules_replace_those_of_a_matrix(
    parallel: object, variable: str, condition: str, tmp_path: Path
) -> None:
    """`initialize` in `lib/gitlab/ci/pipeline/seed/build.rb` of GitLab merges those of rules last."""
    rules = [{"if": condition, "variables": {variable: "other"}}, {"if": "$CI_COMMIT_BRANCH"}]
    keys = {"script": [f"make ${variable} $OS"], "parallel": parallel, "variables": {"OS": f"os-${variable}"}}
    result, report = from_text(json.dumps({"unit": {**keys, "rules": rules}}), tmp_path)

    assert f"rules replace its variable ${variable}" in messages(report)
    assert differences(result) == []
    assert differences(_changed(result, f"        {variable}: other", f"        {variable}: another"))


def test_variables_of_a_matrix_replace_those_of_the_workflow(tmp_path: Path) -> None:
    """Rules of the workflow set those of the whole pipeline."""
    source = """\
workflow: { rules: [{ if: $CI_COMMIT_BRANCH, variables: { MODE: all } }] }
unit: { script: [make $MODE], parallel: { matrix: [{ MODE: [m1, m2] }] } }
"""
    result, _ = from_text(source, tmp_path)

    assert differences(result) == []
    assert result.reading.runnable.jobs["unit"].combinations["unit: m1"] == {"MODE": "m1"}
    assert differences(_changed(result, "m1", "all"))


def test_variables_that_a_raw_matrix_sets_are_not_constant(tmp_path: Path) -> None:
    """Neither an image nor the script has their value of the file."""
    maps = [{"CI_TAG": ["8.3", "latest"]}, {"KIND": "plain"}]
    unit = {"image": "php:$CI_TAG", "script": ["./test $CI_TAG $KIND"], "parallel": {"matrix": maps}}
    variables = {"CI_TAG": "latest", "KIND": "all"}
    result, _ = from_text(json.dumps({"variables": variables, "unit": unit}), tmp_path)

    assert "image: php:${setup.params.CI_TAG}" in result.text
    assert differences(result) == []


def test_needs_that_no_setting_has_stay_raw_beside_the_others(tmp_path: Path) -> None:
    """The raw needs replace the generated ones, so they name all jobs."""
    foreign = "{ project: group/firmware, job: image, ref: main, artifacts: false }"
    source = f"build: {{ script: make }}\nother: {{ script: x }}\ntest: {{ script: t, needs: [build, {foreign}] }}\n"
    result, report = from_text(source, tmp_path)
    test = YAML(typ="safe").load(result.generated[-1].text)["test"]

    assert test["needs"] == [
        "build",
        {"project": "group/firmware", "job": "image", "ref": "main", "artifacts": False},
    ]
    assert "it needs jobs of other pipelines" in messages(report)


@pytest.mark.parametrize(
    ("need", "job"),
    [
        ("pipeline: 12, job: x", {"pipeline": "12", "job": "x"}),
        ("project: $A/b, job: x, ref: $REF", {"project": "a/b", "job": "x", "ref": "$REF"}),
        ("project: $OWN, job: x, ref: main", None),
        ("project: [a], job: x, ref: main", None),
        ("pipeline: group/other", None),
    ],
)
def test_needs_on_other_pipelines_are_a_setting_if_it_can_have_them(need: str, job: object, tmp_path: Path) -> None:
    """Numbers are text there, and GitLab expands variables of the project; a variable may contain itself."""
    variables = "{ A: a, OWN: $OWN }"
    source = f"build: {{ script: make }}\ntest: {{ script: t, needs: [build, {{ {need} }}], variables: {variables} }}\n"
    result, _ = from_text(source, tmp_path)
    settings = YAML(typ="safe").load(result.text)["targets"]["gitlab"]

    assert settings.get("files_from") == ([{"stages": ["test"], "jobs": [job]}] if job else None)
    assert differences(result) == []


def test_the_comparison_includes_needs_on_other_pipelines(tmp_path: Path) -> None:
    """Without them, the job gets no files."""
    need = "{ project: group/firmware, job: image, ref: $REF }"
    result, _ = from_text(f"test: {{ script: t, needs: [{need}], variables: {{ REF: main }} }}\n", tmp_path)
    (generated,) = result.generated
    other = replace(generated, text=generated.text.replace("ref: main", "ref: next"))

    assert differences(result) == []
    assert differences(replace(result, generated=(other,))) == ['the files of other pipelines of job "test" are others']


def test_jobs_that_would_wait_for_more_in_some_runs_keep_their_needs(tmp_path: Path) -> None:
    """GitLab ignores an optional need on a missing job; a stage waits for the predecessors of the missing one."""
    source = """\
lint: { stage: build, script: lint }
docs: { stage: test, script: docs, rules: [{ changes: [docs/**] }] }
pages-of: { stage: deploy, script: pages, needs: [{ job: docs, optional: true }] }
"""
    result, _ = from_text(source, tmp_path)
    proof = prove(result)
    assert proof is not None

    assert proof.misordered == {"pages-of"}

    exact, report = from_text(source, tmp_path, proof.misordered)

    assert differences(exact) == []
    assert "in some runs it waits for fewer jobs than a stage would" in messages(report)


_BLOCKED = """\
stages: [build, clean, deploy]
build: { stage: build, script: make }
clean: { stage: clean, script: ./clean, when: always }
gate: { stage: clean, script: ./gate, when: manual }
smoke: { stage: clean, script: ./smoke, needs: [gate] }
deploy: { stage: deploy, script: ./deploy }
"""
_DEPLOY_NEEDS = "  needs: [clean, build]\n"


@pytest.mark.parametrize(
    ("needs", "message"),
    [
        ("  needs: [clean]\n", 'job "deploy" starts after a failure of "build"'),
        ("  needs: [build]\n", 'job "deploy" starts after a failure of "clean"'),
        (
            "  needs: [clean, build, smoke]\n",
            'job "deploy" needs a job that does not start by itself only in the import',
        ),
    ],
)
def test_the_results_of_jobs_decide_about_the_same_jobs(needs: str, message: str, tmp_path: Path) -> None:
    """A job that always runs does not stop later ones after a failure; an optional one skips those that need it."""
    result, _ = from_text(_BLOCKED, tmp_path)

    assert differences(result) == []
    assert message in differences(_changed(result, _DEPLOY_NEEDS, needs))


_OPTIONAL_IN_SOME_RUNS = """\
stages: [build, check, last]
build: { stage: build, script: make }
gate: { stage: check, script: ./gate, when: manual, rules: [{ changes: [a/**] }, { if: $CI_COMMIT_TAG }] }
comment: { stage: check, script: ./comment, needs: [{ job: gate, optional: true }, build] }
last: { stage: last, script: ./last }
"""


def test_a_job_waits_for_one_that_needs_an_optional_job_of_some_runs(tmp_path: Path) -> None:
    """GitLab skips that one in other runs, which does not stop a job without needs."""
    proof = prove(from_text(_OPTIONAL_IN_SOME_RUNS, tmp_path)[0])
    assert proof is not None
    result, _ = from_text(_OPTIONAL_IN_SOME_RUNS, tmp_path, proof.misordered)

    assert proof.misordered == {"last"}
    assert "needs" not in yaml_data(result.generated[-1].text)["last"]
    assert differences(result) == []


def test_a_job_that_runs_after_failures_waits_for_one_that_needs_an_optional_job(tmp_path: Path) -> None:
    """It also waits for a job that needs a failure."""
    rescue = "rescue: { stage: check, script: ./rescue, when: on_failure }\n"
    clean = (
        "clean: { stage: last, script: ./clean, rules: [{ if: $CI_COMMIT_TAG, when: always }, { when: on_success }] }\n"
    )
    source = f"{_OPTIONAL_IN_SOME_RUNS}{rescue}{clean}"
    proof = prove(from_text(source, tmp_path)[0])
    assert proof is not None
    result, _ = from_text(source, tmp_path, proof.misordered)

    assert proof.misordered == {"last", "clean"}
    assert differences(result) == []


def test_a_job_that_would_wait_for_others_of_its_stage_has_needs(tmp_path: Path) -> None:
    """The difference is reported."""
    source = f"{_OPTIONAL_IN_SOME_RUNS}first: {{ stage: last, script: ./first, needs: [build] }}\n"
    proof = prove(from_text(source, tmp_path)[0])
    assert proof is not None
    result, _ = from_text(source, tmp_path, proof.misordered)

    assert "needs" in yaml_data(result.generated[-1].text)["last"]
    assert 'job "last" does not wait for "comment"' in differences(result)


def test_a_job_can_keep_the_order_of_stages_although_others_differ(tmp_path: Path) -> None:
    """It waits for `first`, which has needs and is earlier in the generated file; needs would differ more."""
    source = f"{_OPTIONAL_IN_SOME_RUNS}first: {{ stage: last, script: ./first, needs: [build] }}\n"
    result, _ = from_text(source, tmp_path, frozenset({"last"}), staged=1)

    assert result.staged == {"last"}
    assert "needs" not in yaml_data(result.generated[-1].text)["last"]
    assert differences(result) == ['job "last" waits for "first" too']


def test_tags_are_compared_in_the_order_of_their_values(tmp_path: Path) -> None:
    """The names of their variables have another order."""
    source = """\
test:
  script: make
  tags: [$Y, $X]
  parallel: { matrix: [{ X: [small], Y: ["arm,fast", old] }, { X: [tall], Y: [big] }] }
"""
    result, _ = from_text(source, tmp_path)

    assert differences(result) == []


def test_a_job_after_one_with_raw_needs_waits_for_all_earlier_ones(tmp_path: Path) -> None:
    """Without the manual job, which is only on `main`, `deploy` starts at once."""
    source = """\
stages: [build, gate, deploy, last]
build: { stage: build, script: make }
gate: { stage: gate, script: ./gate, rules: [{ if: $CI_COMMIT_BRANCH == "main", when: manual }] }
deploy: { stage: deploy, script: ./deploy, needs: [{ job: gate, optional: true }] }
last: { stage: last, script: ./last }
"""
    result, _ = from_text(source, tmp_path)
    proof = prove(result)
    assert proof is not None

    assert proof.misordered == {"deploy"}
    assert differences(from_text(source, tmp_path, proof.misordered)[0]) == []


_RESCUED = """\
stages: [build, test, report, deploy]
build: { stage: build, script: make }
unit: { stage: test, script: ./unit, artifacts: { paths: [dist/] } }
rescue: { stage: test, script: ./rescue, when: on_failure, artifacts: { paths: [log] } }
report: { stage: report, script: ./report, when: always }
alert: { stage: report, script: ./alert, when: on_failure }
notify: { stage: report, script: ./notify, rules: [{ if: $CI_COMMIT_TAG, when: always }, { when: on_success }] }
deploy: { stage: deploy, script: ./deploy }
last: { stage: deploy, script: ./last, when: manual }
"""


def test_jobs_that_run_after_failures_wait_for_those_that_need_one(tmp_path: Path) -> None:
    """They have no needs: GitLab starts or skips a job with needs as soon as one of these is skipped.

    https://docs.gitlab.com/ci/yaml/#stages: jobs of the next stage start after all jobs of the previous one.
    """
    result, _ = from_text(_RESCUED, tmp_path)
    jobs = yaml_data(result.generated[-1].text)

    assert [name for name in jobs if "script" in jobs[name] and "needs" not in jobs[name]] == [
        *("build", "report", "alert", "notify"),
    ]
    assert "rescue" not in str(jobs["deploy"]["needs"])
    assert differences(result) == []


@pytest.mark.parametrize(
    ("job", "message"),
    [
        ("report", 'job "report" does not wait for "rescue"'),
        ("alert", 'job "alert" does not wait for "rescue"'),
        ("notify", 'job "notify" does not wait for "rescue"'),
    ],
)
def test_the_comparison_knows_jobs_that_need_a_failure(job: str, message: str, tmp_path: Path) -> None:
    """In one stage, the jobs would run at the same time after a failure of `build`."""
    result, _ = from_text(_RESCUED, tmp_path)
    changed = _changed(result, f"  script: [./{job}]\n", f"  needs: [build, unit]\n  script: [./{job}]\n")

    assert message in differences(changed)
    assert not any('waits for "rescue"' in difference for difference in differences(changed))


def test_a_need_on_a_job_that_needs_a_failure_skips_other_jobs(tmp_path: Path) -> None:
    """Without a failure, GitLab skips both."""
    result, _ = from_text(_RESCUED, tmp_path)
    changed = _changed(result, "  script: [./deploy]\n", "    - rescue\n  script: [./deploy]\n")

    assert 'job "deploy" needs a job that does not start by itself only in the import' in differences(changed)


def test_a_job_that_would_wait_for_more_jobs_does_not_wait_for_one_that_needs_a_failure(tmp_path: Path) -> None:
    """The difference is reported: with needs, the job would start as soon as `rescue` is skipped."""
    source = """\
stages: [build, test, report]
build: { stage: build, script: make }
unit: { stage: test, script: ./unit }
rescue: { stage: test, script: ./rescue, when: on_failure }
early: { stage: report, script: ./early, needs: [build] }
report: { stage: report, script: ./report, when: always }
last: { stage: report, script: ./last, needs: [early] }
"""
    result, _ = from_text(source, tmp_path)

    assert differences(result) == ['job "report" does not wait for "rescue"']


def test_needs_on_a_job_that_runs_after_failures_stay_raw(tmp_path: Path) -> None:
    """As a stage, the job would not start after a failure of the jobs before that one."""
    source = _BLOCKED.replace("./deploy }", "./deploy, needs: [clean] }")
    result, _ = from_text(source, tmp_path)
    proof = prove(result)
    assert proof is not None

    assert 'job "deploy" does not start after a failure of "build"' in differences(result)
    assert differences(from_text(source, tmp_path, proof.misordered)[0]) == []


@pytest.mark.parametrize(
    ("rule", "text", "other"),
    [
        ("$CI_COMMIT_BRANCH && $CI_COMMIT_BRANCH == $A", "== $A", "== $C"),
        ("$CI_COMMIT_TAG && $CI_COMMIT_TAG == $A", " && $CI_COMMIT_TAG == $A", ""),
        ("$A && $A == $B", " && $A == $B", ""),
        ("$A && $A == $B", "== $B", "== $C"),
    ],
)
def test_runs_in_which_variables_are_equal_are_compared(rule: str, text: str, other: str, tmp_path: Path) -> None:
    """And runs in which only one of them is set."""
    result, _ = from_text(f"unit: {{ script: make, rules: [{{ if: {rule} }}] }}\n", tmp_path)

    assert differences(result) == []
    assert differences(_changed(result, text, other)) != []


def test_raw_rules_read_the_variables_of_the_job_and_its_stage(tmp_path: Path) -> None:
    """A generated file has other stages, and exports a variable that a condition of another stage tests."""
    source = """\
.rules: { rules: [{ if: $ONE =~ $TWO && $FULL == "yes" && $CI_JOB_STAGE == "test" }] }
full: { extends: .rules, script: full, variables: { FULL: "yes" } }
part: { extends: .rules, script: part }
"""
    result, _ = from_text(source, tmp_path)

    assert '"test" == "test"' in result.text
    assert differences(result) == []


@pytest.mark.parametrize("number", [0, 60])
def test_raw_rules_read_the_variables_of_a_matrix(number: int, tmp_path: Path) -> None:
    """GitLab evaluates them for each combination, however many variables a job has."""
    variables = {f"V{index}": str(index) for index in range(number)}
    rules = [{"if": '$JVM == "8"', "when": "manual"}, {"if": "$JVM =~ /^1/ || $CI_COMMIT_TAG"}]
    matrix = {"matrix": [{"JVM": ["8", "11", "21"]}]}
    unit = {"script": ["./test $JVM"], "variables": variables, "parallel": matrix, "rules": rules}
    last = {"stage": "deploy", "script": ["./last"]}
    result, report = from_text(json.dumps({"unit": unit, "last": last}), tmp_path)

    assert "$JVM is a variable of the matrix" in messages(report)
    assert differences(result) == []
    assert 'job "unit: 8" runs only in the original' in differences(_changed(result, 'JVM: ["8", ', 'JVM: ["9", '))


def test_tests_of_the_name_and_the_stage_of_a_job_are_decided(tmp_path: Path) -> None:
    """No run can change these; GitLab looks for the left side in a text that is no regular expression."""
    rules = [
        {"if": "$CI_JOB_STAGE =~ $CI_JOB_NAME || $CI_JOB_STAGE == $CI_JOB_NAME"},
        {"if": "$CI_JOB_NAME =~ $TESTS && $CI_COMMIT_TAG"},
        {"if": '"other" =~ $CI_JOB_NAME', "when": "manual"},
    ]
    jobs = {name: {"stage": "test", "script": ["./test"], "rules": rules} for name in ("test it", "unit", "docs")}
    result, report = from_text(json.dumps({"variables": {"TESTS": "/^unit/"}, **jobs}), tmp_path)

    assert "its rules never let it run" in messages(report)
    assert [result.text.count(text) for text in ("- name:", "when: { tag: true }", "raw:")] == [2, 1, 0]
    assert differences(result) == []


def test_a_search_in_the_name_of_a_job_stays_raw(tmp_path: Path) -> None:
    """It holds for all parts of the name, and without the variable."""
    result, report = from_text('unit: { script: t, rules: [{ if: "$ONLY && $ONLY =~ $CI_JOB_NAME" }] }\n', tmp_path)

    assert 'GitLab looks for $ONLY in "unit", which is not a regular expression' in messages(report)
    assert differences(result) == []


def test_rules_of_a_matrix_read_the_name_of_the_combination(tmp_path: Path) -> None:
    """It contains the values, or the number of a part."""
    source = """\
unit:
  script: [./unit]
  parallel: { matrix: [{ JVM: ["8", "11"] }] }
  rules: [{ if: '$CI_JOB_NAME =~ /[8]/', when: manual }, { if: $CI_JOB_NAME =~ /unit/ }]
parts: { script: [./part], parallel: 2, rules: [{ if: $CI_JOB_NAME =~ /2.2/ }] }
"""
    result, _ = from_text(source, tmp_path)

    assert differences(result) == []
    assert differences(_changed(result, "      when: manual\n", "")) == [
        'job "unit: 8" starts manual in the original, on_success in the import'
    ]


def test_raw_rules_read_variables_with_regular_expressions(tmp_path: Path) -> None:
    """A script exports such a text, which has a dollar sign."""
    variables = {"USUAL": "/^(8|11)$/", "FILES": "$BASE/*", "BASE": "$FILES"}
    rules = [{"if": "$JVM =~ $USUAL", "when": "manual"}, {"exists": ["$FILES"]}]
    unit = {"script": ["./test $JVM"], "parallel": {"matrix": [{"JVM": ["8", "graal21"]}]}, "rules": rules}
    result, _ = from_text(json.dumps({"variables": variables, "unit": unit}), tmp_path)

    assert "USUAL: /^(8|11)$/" in result.text
    assert differences(result) == []


def test_a_matrix_with_a_name_of_the_runner_that_rules_read_stays_raw(tmp_path: Path) -> None:
    """The generated script exports such a variable, and rules would not read it."""
    unit = {"script": ["./test $CI_JOB_KIND"], "rules": [{"if": '$CI_JOB_KIND == "a"'}]}
    unit["parallel"] = {"matrix": [{"CI_JOB_KIND": ["a", "b"]}]}
    result, report = from_text(json.dumps({"unit": unit}), tmp_path)

    assert '"parallel" of job "unit" stays a key of GitLab: $CI_JOB_KIND of a matrix, which rules read' in messages(
        report
    )
    assert differences(result) == []


def test_rules_of_a_bridge_that_does_not_inherit_a_variable_stay_raw(tmp_path: Path) -> None:
    """The variable has no value in that pipeline, even if it has a default."""
    source = """\
variables: { FULL: { value: "yes", description: all tests } }
other:
  inherit: { variables: false }
  trigger: group/other
  rules: [{ if: $FULL == "yes" }]
test: { script: t }
"""
    result, report = from_text(source, tmp_path)

    assert "the job does not inherit FULL" in messages(report)
    assert differences(result) == []


def test_a_rule_that_allows_no_failure_replaces_exit_codes_of_the_job(tmp_path: Path) -> None:
    """https://docs.gitlab.com/ci/yaml/#rulesallow_failure has precedence."""
    source = """\
strict: { script: a, allow_failure: { exit_codes: 3 }, rules: [{ if: $CI_COMMIT_TAG, allow_failure: false }] }
lenient: { script: b, allow_failure: { exit_codes: 3 }, rules: [{ if: $CI_COMMIT_TAG }] }
late: { script: c, allow_failure: { exit_codes: 3 }, rules: [{ if: $CI_COMMIT_TAG, when: delayed, start_in: 1 hour }] }
"""
    result, _ = from_text(source, tmp_path)

    assert result.text.count("exit_codes") == len(("lenient", "late"))
    assert differences(result) == []


def test_values_that_a_script_chooses_by_case_are_compared(tmp_path: Path) -> None:
    """In each run, the branch of the case that applies has the value of the rule."""
    rules: list[dict[str, object]] = [
        {"if": '$CI_COMMIT_BRANCH == "main"', "variables": {"A": 'it\'s $X "q" ;; esac', "B": "${Y}"}},
        {"if": "$CI_COMMIT_TAG", "variables": {"A": "two"}},
        {"if": "$CI_COMMIT_BRANCH"},
    ]
    result, _ = from_text(
        json.dumps({"unit": {"script": ["./unit"], "variables": {"A": "$Z"}, "rules": rules}}), tmp_path
    )

    assert "raw" not in result.text
    assert differences(result) == []
    for text, other, variable in [
        ("$X", "$Z", "A"),
        ("A=two", "A=three", "A"),
        ('*) export A="$Z"', '*) export A="$X"', "A"),
        ('B="$Y"', 'B="$Z"', "B"),
        ('PIPEGEN_CASE: "1"', 'PIPEGEN_CASE: "2"', "A"),
    ]:
        assert f'the variable {variable} of job "unit" is another one' in differences(_changed(result, text, other))
    changed = _changed(result, " ;;\n", " ; ./other ;;\n")
    assert 'the script of job "unit" is another one' in differences(changed)


def _needs(result: GitLabImport) -> str:
    """Return the key `needs` of the last job of *result*."""
    (file,) = result.generated
    *_, last = re.finditer(r"needs:(?: \[.*|(?:\n    - .*)+)", file.text)
    return last[0]


def _changed(result: GitLabImport, text: str, other: str) -> GitLabImport:
    (file,) = result.generated
    assert text in file.text
    return replace(result, generated=(replace(file, text=file.text.replace(text, other, 1)),))


def test_a_text_of_several_lines_in_a_subshell_is_compared(tmp_path: Path) -> None:
    """Its lines have no additional spaces, as these would be part of the text."""
    lines = ["names='", "  one", "  two", "'", "for name in $names; do ./use $name; done"]
    source = {"unit": {"script": ["\n".join(lines)], "artifacts": {"paths": ["out/", "node_modules/"]}}}
    source["last"] = {"script": ["./last"], "needs": ["unit"]}
    result, _ = from_text(json.dumps(source), tmp_path)

    assert differences(result) == []


def test_a_job_that_always_starts_in_some_runs_and_by_hand_in_others_keeps_its_rules(tmp_path: Path) -> None:
    """A rule of a generated job says how it starts in other runs, and cannot say that it starts after failures."""
    rules = "[{ if: $LAB, when: always }, { when: manual, allow_failure: true }]"
    source = f"build: {{ stage: build, script: [make] }}\nlab: {{ script: [./lab], rules: {rules} }}\n"
    result, _ = from_text(source, tmp_path)

    assert "when: always" in result.text
    assert differences(result) == []


def test_generated_files_have_any_number_of_jobs(tmp_path: Path) -> None:
    """Each combination of a matrix with raw keys is a separate job."""
    path = tmp_path / ".gitlab-ci.yml"
    path.write_text("".join(f"j{number}: {{ script: [make] }}\n" for number in range(1_501)), encoding="utf-8")
    report, accounting = Report(), Accounting()
    files = read_files(load(path, report), Roots(tmp_path), accounting, report)

    assert len(resolve(files, accounting, report, NO_READING_LIMITS).jobs) == 1_501
    with pytest.raises(Stopped):
        resolve(files, accounting, report)


def test_long_names_of_combinations_with_the_same_beginning_are_found(tmp_path: Path) -> None:
    """The generated file shortens the names, and numbers those that become the same."""
    beginning = "features/account/settings/*,features/account/addresses/*,features/account/"
    values = [beginning + "orders/*", beginning + "payment/*"]
    unit = {"script": ["./test $FILES"], "parallel": {"matrix": [{"FILES": values}]}, "hooks": {}}
    result, _ = from_text(json.dumps({"unit": unit}), tmp_path)

    assert "… (2)" in result.generated[-1].text
    assert differences(result) == []


def test_a_trigger_waits_for_single_combinations(tmp_path: Path) -> None:
    """A job that starts a pipeline can also name them."""
    need = "{ job: build, parallel: { matrix: [{ CC: gcc }] } }"
    source = (
        "build: { stage: build, script: [make], parallel: { matrix: [{ CC: [gcc, clang] }] } }\n"
        f"docs: {{ stage: deploy, needs: [{need}], trigger: {{ project: group/docs }} }}\n"
    )
    result, report = from_text(source, tmp_path)

    assert '["build[CC=gcc]", docs]' in result.text
    assert (messages(report), differences(result)) == ("", [])


@pytest.mark.parametrize(
    ("workflow", "is_duplicate"),
    [
        ("", True),
        ("workflow: { rules: [{ when: always }] }\n", True),
        (f"workflow: {{ rules: [{NOT_WITH_MERGE_REQUEST}, {{ when: always }}] }}\n", False),
        ("workflow: { rules: [{ if: $CI_PIPELINE_SOURCE == 'merge_request_event' }] }\n", False),
    ],
)
def test_a_push_to_a_branch_with_a_merge_request_starts_the_same_jobs(
    workflow: str,
    is_duplicate: bool,  # noqa: FBT001
    tmp_path: Path,
) -> None:
    """GitLab starts two pipelines, if rules do not prevent one."""
    source = f"""\
{workflow}unit: {{ script: make }}
review: {{ script: ./review, rules: [{{ if: $CI_PIPELINE_SOURCE == "merge_request_event" }}] }}
"""
    result, _ = from_text(source, tmp_path)
    proof = prove(result)

    assert ("duplicates: true" in result.text) is is_duplicate
    assert proof is not None
    assert proof.differences == ()
    assert any(event.title == "push to main with a merge request" for event in result.reading.events)


def test_rules_against_all_runs_of_a_branch_with_a_merge_request_stay_a_condition(tmp_path: Path) -> None:
    """The generated file prevents only a second pipeline for a push."""
    rules = f"[{NOT_WITH_MERGE_REQUEST}, {{ when: always }}]"
    result, _ = from_text(f"workflow: {{ rules: {rules} }}\nunit: {{ script: make }}\n", tmp_path)

    assert "when: { not: { branch: true, env: { CI_OPEN_MERGE_REQUESTS: true } } }" in result.text


@pytest.mark.parametrize("name", ["CI_PROJECT_PATH", "CI_PROJECT_ROOT_NAMESPACE"])
def test_rules_for_one_project_are_compared_in_it(name: str, tmp_path: Path) -> None:
    """They keep forks from running pipelines."""
    rules = f'[{{ if: ${name} != "acme", when: never }}, {{ when: always }}]'
    result, _ = from_text(f"workflow: {{ rules: {rules} }}\nunit: {{ script: make }}\n", tmp_path)
    proof = prove(result)

    assert proof is not None
    assert proof.words == "the same for 20 events"


def test_a_pipeline_that_no_event_starts_is_not_compared(tmp_path: Path) -> None:
    """GitLab refuses each of its runs, in which a need is missing."""
    result, _ = from_text("a: { script: [x], needs: [b] }\nb: { script: [x], rules: [{ when: never }] }\n", tmp_path)

    proof = prove(result)
    assert proof is not None
    assert (proof.events, proof.words) == (0, "not compared, because no event starts a pipeline")


def test_events_in_which_only_the_config_starts_a_stage_are_counted(tmp_path: Path) -> None:
    """GitLab refuses the pipelines of merge requests, in which a need is missing."""
    jobs = "a: { script: [x] }\nb: { script: [x], needs: [a], rules: [{ when: always }] }\n"
    result, _ = from_text(jobs, tmp_path)

    proof = prove(result)
    assert proof is not None
    assert proof.words == "the same for 15 events, without 1 event in which GitLab refuses the original"


def test_jobs_that_need_each_other_are_reported(tmp_path: Path) -> None:
    """GitLab refuses such a pipeline, so there are no runs to compare."""
    source = """\
first: { script: make, needs: [third] }
second: { script: make, needs: [first] }
third: { script: make, needs: [second] }
alone: { script: make, needs: [alone] }
"""
    result, report = from_text(source, tmp_path)
    proof = prove(result)

    assert "jobs need each other: first -> third -> second -> first\n" in messages(report)
    assert "jobs need each other: alone -> alone" in messages(report)
    assert proof is not None
    assert proof.words == "not compared, because no event starts a pipeline"


def test_dependencies_on_a_combination_are_on_the_job(tmp_path: Path) -> None:
    """The stage gets the files of all combinations, which the comparison reports."""
    source = """\
build: { stage: build, script: make, artifacts: { paths: [out/] }, parallel: { matrix: [{ CC: [gcc, clang] }] } }
pack: { stage: deploy, script: pack, dependencies: ["build: [gcc]"] }
lint: { stage: test, script: lint, dependencies: [] }
"""
    result, _ = from_text(source, tmp_path)

    assert result.text.count("files_from: []") == 1
    assert differences(result) == ['job "pack" gets other files: build: clang']


def test_shared_variables_do_not_come_before_those_that_they_read(tmp_path: Path) -> None:
    """A variable of the file reads one of a job, directly or in another one; defaults are set first."""
    source = """\
variables: { FOLDER: $CI_PROJECT_DIR/$NAME/x, TAG: "v$FOLDER" }
.named: { variables: { NAME: all-$CI_COMMIT_SHA } }
one: { extends: .named, script: ['./one $TAG'] }
two: { extends: .named, script: ['./two $TAG'] }
three: { script: ['./three $TAG'] }
four: { script: ['./four $TAG'], variables: { NAME: $A$ }, rules: [{ if: $CI_COMMIT_TAG, variables: { TAG: $NAME } }] }
five: { script: ['./five $TAG'] }
six: { script: ['./six $TAG'] }
"""
    result, _ = from_text(source, tmp_path)

    assert "FOLDER: ${CI_PROJECT_DIR}/all-${CI_COMMIT_SHA}/x" in result.text
    assert differences(result) == []


def test_the_order_in_which_a_script_sets_variables_is_compared(tmp_path: Path) -> None:
    """A variable has no value before it is set."""
    source = "test: { script: ['./test $TAG'], variables: { NAME: a-$CI_COMMIT_BRANCH, TAG: v$NAME } }\n"
    result, _ = from_text(source, tmp_path)
    first, second = '    - export NAME="a-$CI_COMMIT_BRANCH"\n', '    - export TAG="v$NAME"\n'

    assert differences(result) == []
    assert differences(_changed(result, first + second, second + first)) == [
        'the variable TAG of job "test" is another one'
    ]


@pytest.mark.parametrize(("start", "is_reported"), [("manual", True), ("on_success", False)])
def test_dependencies_on_a_job_that_is_not_awaited_are_reported(
    start: str, tmp_path: Path, *, is_reported: bool
) -> None:
    """GitLab passes on the files of an optional job if a person has started it by then."""
    _, report = from_text(
        f"stages: [a, b]\nbench: {{ stage: a, script: x, when: {start}, artifacts: {{ paths: [o] }} }}\n"
        "plot: { stage: b, script: y, dependencies: [bench] }\n",
        tmp_path,
    )

    assert ('job "plot" does not get the files of "bench"' in messages(report)) == is_reported


def test_a_check_of_an_output_in_an_image_is_no_difference(tmp_path: Path) -> None:
    """The generated script has it after the commands of the job."""
    build = (
        "build: { stage: build, script: ['echo \"TAG=$(cat v)\" >b.env'], artifacts: { reports: { dotenv: b.env } } }\n"
    )
    use = "use: { stage: test, needs: [build], image: app:$TAG, script: [make] }\n"
    result, _ = from_text(build + use, tmp_path)

    assert "is not valid in the name of an image" in result.generated[-1].text
    assert differences(result) == []


def test_the_name_of_an_environment_that_a_job_stops_keeps_variables_of_rules(tmp_path: Path) -> None:
    """GitLab compares the texts of both names, and refuses a file with others; the address has the value."""
    source = """\
deploy:
  script: ./deploy
  environment: { name: $TIER$CI_COMMIT_REF_SLUG, url: "https://$HOST", on_stop: stop }
  rules: [{ if: $CI_COMMIT_BRANCH, variables: { TIER: a/, HOST: example.com } }]
stop:
  script: ./stop
  environment: { name: $TIER$CI_COMMIT_REF_SLUG, action: stop }
  rules: [{ if: $CI_COMMIT_BRANCH, when: manual, variables: { TIER: b/ } }]
"""
    result, _ = from_text(source, tmp_path)
    jobs = yaml_data(result.generated[-1].text)

    assert jobs["deploy"]["environment"]["name"] == jobs["stop"]["environment"]["name"]
    assert jobs["deploy"]["environment"]["url"] == "https://example.com"


def test_a_pipeline_without_stages_is_a_difference(tmp_path: Path) -> None:
    """Jobs that combine the needs of others would run for nothing."""
    jobs = "".join(
        f"build-{n}: {{ stage: build, script: make, rules: [{{ if: $CI_COMMIT_TAG }}] }}\n" for n in range(51)
    )
    last = "end: { stage: test, script: ls, rules: [{ if: $CI_COMMIT_TAG, changes: { paths: [a], compare_to: b } }] }\n"
    result, _ = from_text(f"{jobs}{last}", tmp_path)
    rules = re.compile(r"(collect for .*:\n(?:  .*\n)*?)  rules:\n(?:    .*\n)*")
    changed = replace(result.generated[-1], text=rules.sub(r"\1", result.generated[-1].text))
    proof, other = prove(result), prove(replace(result, generated=(changed,)))

    assert proof is not None
    assert proof.differences == ()
    assert other is not None
    assert {difference.message for difference in other.differences} == {
        'only the import starts a pipeline, with no stage: "collect for end"'
    }
