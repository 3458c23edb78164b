"""The rules of an include become conditions of the jobs that it brings."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import differences, from_text, messages

from pipegen.diagnostics.report import Report
from pipegen.importing.accounting import KeyOutcome
from pipegen.importing.gitlab.importer import GitLabImport
from pipegen.importing.gitlab.proof.comparison import prove

_MAIN = "include: [{ local: nightly.yml, rules: [%s] }]\nstages: [build, test]\nbuild: { stage: build, script: make }\n"
_NIGHTLY = '{ if: $CI_PIPELINE_SOURCE == "schedule" }'


def test_jobs_of_a_conditional_include_have_its_condition(tmp_path: Path) -> None:
    """Without the file, the pipeline does not have its jobs."""
    result = _imported(tmp_path, _NIGHTLY, "stress: { script: ./stress }")

    assert "when: { event: schedule }" in result.text
    assert differences(result) == []


def test_a_rule_can_exclude_an_include(tmp_path: Path) -> None:
    """The first rule that holds decides, and own rules of a job after that."""
    rules = "{ if: $CI_COMMIT_TAG, when: never }, { when: always }"
    result = _imported(tmp_path, rules, 'stress: { script: ./stress, rules: [{ if: $FULL == "yes" }] }')

    assert 'when: { tag: false, env: { FULL: "yes" } }' in result.text
    assert differences(result) == []


def test_a_variable_of_the_file_with_which_the_rule_fails_too_makes_no_difference(tmp_path: Path) -> None:
    """Rules of includes read the value that a person or schedule sets, but not that of the file."""
    (tmp_path / "nightly.yml").write_text("stress: { script: ./stress }", encoding="utf-8")
    main = _MAIN % '{ if: $FULL == "true" }'
    result, report = from_text(f'{main}variables: {{ FULL: "false" }}\n', tmp_path)

    assert "include" not in messages(report)
    assert 'when: { inputs: { FULL: "true" }' in result.text
    assert differences(result) == []


@pytest.mark.parametrize(
    "content",
    [
        'stress: { script: ./stress, variables: { FULL: "true" } }',
        '.full: { variables: { FULL: "true" } }\nstress: { extends: .full, script: ./stress }',
        'workflow: { rules: [{ when: always, variables: { FULL: "true" } }] }\nstress: { script: ./stress }',
    ],
    ids=["own", "inherited", "workflow"],
)
def test_rules_of_an_include_do_not_read_variables_of_its_jobs(content: str, tmp_path: Path) -> None:
    """As rules of a job, they would hold in all runs."""
    (tmp_path / "nightly.yml").write_text(content, encoding="utf-8")
    result, report = from_text(_MAIN % '{ if: $FULL == "true" }', tmp_path)

    assert 'the rules of this include are left out: the jobs of "nightly.yml"' in messages(report)
    assert any("includes" in difference for difference in differences(result))


@pytest.mark.parametrize("rules", [_NIGHTLY, f"{{ if: $CI_COMMIT_TAG, when: never }}, {_NIGHTLY}"], ids=len)
def test_rules_that_stay_raw_have_the_condition_of_the_include(rules: str, tmp_path: Path) -> None:
    """Expressions of GitLab have no negation, so its rules come before and after those of the job."""
    own = "[{ if: $ONE == $TWO, when: manual }, { changes: [a], variables: { A: $CI_JOB_STAGE } }]"
    result = _imported(tmp_path, rules, f"stress: {{ script: ./stress, rules: {own} }}")

    assert '($CI_PIPELINE_SOURCE == "schedule") && ($ONE == $TWO)' in result.text
    assert differences(result) == []


@pytest.mark.parametrize(
    ("rules", "content", "result"),
    [
        ("{ exists: [a] }", "stress: { script: ./stress }", "the same for {} events, without the rules of 1 include"),
        ("{ if: $FULL }", "variables: { FULL: yes }\nstress: { script: ./stress }", "1 difference in {} events"),
        (_NIGHTLY, ".a: {}\nvariables: { A: b }\nx: { script: x }", "1 difference in {} events"),
        ("{ if: $A = 1 }", "stress: { script: ./stress }", "the same for {} events, without the rules of 1 include"),
    ],
    ids=["files", "own variable", "variable of the file", "no expression"],
)
def test_other_rules_of_includes_are_reported(rules: str, content: str, result: str, tmp_path: Path) -> None:
    """A condition of one job cannot express them; the comparison evaluates those that it can read."""
    (tmp_path / "nightly.yml").write_text(content, encoding="utf-8")

    imported, report = from_text(_MAIN % rules, tmp_path)
    proof = prove(imported)

    assert proof is not None
    assert proof.words == result.format(proof.events)
    part = ' for "variables" of "nightly.yml"' if "variables: { A" in content else ': the jobs of "nightly.yml"'
    assert f"the rules of this include are left out{part}" in messages(report)


def _alternatives(tmp_path: Path, rules: tuple[str, str], main: str, more: str = "") -> tuple[GitLabImport, Report]:
    """Return the import of *main* with two files that define a job `deploy`, included by *rules*, and with *more*."""
    (tmp_path / "ci").mkdir()
    (tmp_path / "ci" / "live.yml").write_text("deploy: { variables: { TARGET: live }, script: make deploy }\n")
    (tmp_path / "ci" / ".gitlab-ci.yml").write_text("deploy: { image: alpine, script: make preview }\n")
    names = zip(("live", ".gitlab-ci"), rules, strict=True)
    includes = ", ".join(f"{{ local: ci/{name}.yml, rules: [{{ if: '{rule}' }}] }}" for name, rule in names)
    return from_text(f"include: [{includes}{more}]\n{main}", tmp_path)


@pytest.mark.parametrize(
    ("other", "names"),
    [
        ('$CI_COMMIT_BRANCH == "next"', ("deploy-live", "deploy-ci")),
        ('$CI_COMMIT_BRANCH != "main"', ("deploy-live", "deploy-ci")),
        ("$CI_COMMIT_TAG", ("deploy-live", "deploy-ci")),
        ('$CI_PIPELINE_SOURCE == "schedule"', ("deploy-live", "deploy-ci", "deploy-live-ci")),
    ],
)
def test_a_job_of_two_conditional_files_becomes_a_stage_for_each_set_of_them(
    other: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    """Only the stage of both files merges their keys."""
    rules = ('$CI_COMMIT_BRANCH == "main"', other)
    result, report = _alternatives(tmp_path, rules, "build: { stage: build, script: make }\n")

    assert result.jobs == ("build", *names)
    assert _stage(result, "deploy-live").count("TARGET: live") == 1
    assert "image" not in _stage(result, "deploy-live")
    assert "TARGET" not in _stage(result, "deploy-ci")
    listed = ", ".join(f'"{name}"' for name in names)
    assert f'job "deploy" becomes stages {listed}, because the rules of includes decide' in messages(report)
    assert differences(result) == []


def test_needs_on_a_job_of_several_files_are_on_each_of_its_stages(tmp_path: Path) -> None:
    """Without a conditional file, the job keeps its name."""
    needed = "deploy: { stage: test, script: make test }\ncheck: { stage: deploy, needs: [%s], script: check }\n"
    later = "later: { stage: deploy, dependencies: [deploy], script: ls }\nlast: { needs: deploy, script: ls }\n"
    rules = ('$CI_COMMIT_BRANCH == "main"', "$CI_COMMIT_TAG")
    main = needed % "{ job: deploy, artifacts: false }" + later
    result, _ = _alternatives(tmp_path, rules, main)

    assert result.jobs[:4] == ("deploy", "deploy-live", "deploy-ci", "last")
    assert "[[deploy, deploy-live, deploy-ci], check]" in result.text
    assert "[[deploy, deploy-live, deploy-ci], last, later]" in result.text
    assert differences(result) == []


def test_a_need_that_is_optional_in_the_original_has_an_effect(tmp_path: Path) -> None:
    """Without it, GitLab would refuse runs in which no file has the job."""
    main = "check: { stage: deploy, needs: [{ job: deploy, optional: true }], script: check }\n"
    result, report = _alternatives(tmp_path, ('$CI_COMMIT_BRANCH == "main"', "$CI_COMMIT_TAG"), main)

    assert result.jobs == ("deploy-live", "deploy-ci", "check")
    assert "has no effect" not in messages(report)


@pytest.mark.parametrize(
    "main",
    [
        "other: { extends: deploy }\n",
        "other: { script: !reference [deploy, script] }\n",
        "other: { script: ls, environment: { name: a, on_stop: deploy } }\n",
        "other: { trigger: { include: [{ artifact: a.yml, job: deploy }] } }\n",
    ],
    ids=["extends", "!reference", "on_stop", "generated pipeline"],
)
def test_a_job_of_several_files_with_one_name_in_use_stays_one_stage(main: str, tmp_path: Path) -> None:
    """It has the keys of all files in all runs, which is reported."""
    result, report = _alternatives(tmp_path, ('$CI_COMMIT_BRANCH == "main"', "$CI_COMMIT_TAG"), main)

    assert "deploy-live" not in result.text
    assert 'are left out for "deploy" of "ci/live.yml", which the config always has' in messages(report)


@pytest.mark.parametrize(
    ("script", "number"), [("stage: test, script: ls", 3), ("script: ls", 1), ("stage: test, tags: [a]", 1)]
)
def test_a_job_with_parts_that_may_be_in_a_file_that_is_not_here_stays_one_stage(
    script: str, number: int, tmp_path: Path
) -> None:
    """GitLab finds its other keys, such as its stage, only by its name."""
    rules = ('$CI_COMMIT_BRANCH == "main"', "$CI_COMMIT_TAG")
    main = f"deploy: {{ {script} }}\n"
    result, _ = _alternatives(tmp_path, rules, main, ", { template: a.yml }")

    assert len(result.jobs) == number


@pytest.mark.parametrize(
    "own", ["", ", rules: [{ if: $ONE == $TWO, when: manual }, { changes: [a] }]"], ids=["", "raw"]
)
@pytest.mark.parametrize("excluding", ["", '{ if: "$CI_COMMIT_TAG", when: never }, '], ids=["", "excluding"])
def test_a_file_of_several_includes_is_in_runs_of_each_of_them(own: str, excluding: str, tmp_path: Path) -> None:
    """Its jobs, and its hidden jobs, are the same ones."""
    (tmp_path / "unit.yml").write_text(f".base: {{ retry: 1 }}\nunit: {{ extends: .base, script: make test{own} }}\n")
    (tmp_path / "first.yml").write_text("include: unit.yml\nlint: { script: make lint }\n")
    (tmp_path / "second.yml").write_text("include: unit.yml\n")
    first = f"{{ local: first.yml, rules: [{excluding}{{ if: $CI_PIPELINE_SOURCE == 'web' }}] }}"
    second = "{ local: second.yml, rules: [{ if: $CI_PIPELINE_SOURCE == 'schedule' }] }"
    result, report = from_text(f"include: [{first}, {second}]\nbuild: {{ script: make }}\n", tmp_path)

    assert result.jobs == ("unit", "lint", "build")
    assert "include" not in messages(report)
    assert differences(result) == []


def test_files_that_define_a_job_alike_bring_one_stage(tmp_path: Path) -> None:
    """It is in the runs of each of them."""
    includes = []
    for name, condition in (("one", "$CI_COMMIT_TAG"), ("two", '$CI_PIPELINE_SOURCE == "schedule"')):
        (tmp_path / f"{name}.yml").write_text(
            f"all: {{ image: alpine, script: [!reference [.{name}, script]] }}\n"
            f"both: {{ image: alpine, script: make }}\n.{name}: {{ script: [{name}] }}\n"
        )
        includes.append(f"{{ local: {name}.yml, rules: [{{ if: '{condition}' }}] }}")
    result, report = from_text(f"include: [{', '.join(includes)}]\nbuild: {{ script: make }}\n", tmp_path)

    assert result.jobs == ("all-one", "all-two", "all-one-two", "both", "build")
    assert "when: { any: [{ tag: true }, { event: schedule }] }" in result.text
    assert "both" not in messages(report)
    assert differences(result) == []


def test_a_set_of_files_that_no_run_has_is_no_stage(tmp_path: Path) -> None:
    """The names of the files, without that of the job, tell the other stages apart."""
    (tmp_path / "deploy-dev.yml").write_text("deploy: { stage: deploy, script: ./deploy dev }\n")
    (tmp_path / "deploy_live.yml").write_text("deploy: { stage: deploy, script: ./deploy live }\n")
    request, branch = '$CI_PIPELINE_SOURCE == "merge_request_event"', '$CI_COMMIT_REF_NAME == "live"'
    rules = {"deploy-dev": request, "deploy_live": branch}
    includes = ", ".join(f"{{ local: {name}.yml, rules: [{{ if: '{rule}' }}] }}" for name, rule in rules.items())
    main = f"include: [{includes}, {{ template: a.yml }}]\nworkflow: {{ rules: [{{ when: always }}] }}\n"
    result, _ = from_text(f"{main}build: {{ script: make }}\n", tmp_path)

    assert result.jobs == ("build", "deploy-dev", "deploy-live")
    assert differences(result) == []


def test_several_includes_that_exclude_a_file_are_left_out(tmp_path: Path) -> None:
    """Rules of GitLab, which a job may have in a config, have no negation."""
    (tmp_path / "unit.yml").write_text("unit: { script: make test }\n")
    includes = [
        f"{{ local: unit.yml, rules: [{{ if: '{rule}', when: never }}, {{ when: always }}] }}" for rule in ("$A", "$B")
    ]
    _, report = from_text(f"include: [{', '.join(includes)}]\nbuild: {{ script: make }}\n", tmp_path)

    assert messages(report).count("the rules of this include are left out") == 2


@pytest.mark.parametrize("key", ["variables: { LEVEL: full }", "default: { retry: 1 }", ".base: { retry: 1 }"])
def test_rules_of_an_include_with_other_keys_are_conditions_of_its_own_jobs(key: str, tmp_path: Path) -> None:
    """Only the keys that other jobs get, or of jobs in other files, are there in all runs."""
    (tmp_path / "nightly.yml").write_text(f"{key}\nstress: {{ script: ./stress }}\n", encoding="utf-8")
    result, report = from_text(f"{_MAIN % _NIGHTLY}.base: {{ image: alpine }}\n", tmp_path)
    proof = prove(result)

    assert "name: stress\n        when: { event: schedule }\n" in result.text
    assert f'are left out for "{key.partition(":")[0]}" of "nightly.yml", which' in messages(report)
    hint = next(diagnostic.hint for diagnostic in report.diagnostics() if diagnostic.hint)
    assert ('the "when" of the stages' in hint) == key.startswith(".base")
    assert proof is not None
    assert [difference.message for difference in proof.differences] == ['only the import includes "nightly.yml"']


def test_alternative_includes_can_have_their_own_stages(tmp_path: Path) -> None:
    """One order of the stages of all files fits each run, so the rules become conditions of the jobs."""
    nightly = "stages: [build, stress, test]\nstress: { stage: stress, script: ./stress }\n"
    (tmp_path / "full.yml").write_text("stages: [build, test]\nunit: { stage: test, script: make test }\n")
    (tmp_path / "nightly.yml").write_text(nightly)
    rules = (("full", '[{ if: $KIND != "nightly" }]'), ("nightly", '[{ if: $KIND == "nightly" }]'))
    includes = ", ".join(f"{{ local: {name}.yml, rules: {rule} }}" for name, rule in rules)
    result, report = from_text(f"include: [{includes}]\nbuild: {{ stage: build, script: make }}\n", tmp_path)

    assert messages(report) == ""
    assert result.text.count("env: { KIND: nightly }") == 2
    assert result.jobs == ("build", "stress", "unit")
    assert differences(result) == []


@pytest.mark.parametrize("order", ["build, stress", "deploy, test"], ids=["another file", "usual stages"])
def test_stages_without_a_common_order_leave_the_rules_of_includes_out(order: str, tmp_path: Path) -> None:
    """Without the files, the job of the main file is in one of the usual stages."""
    (tmp_path / "full.yml").write_text("stages: [stress, build]\nunit: { stage: build, script: make test }\n")
    (tmp_path / "nightly.yml").write_text(
        f"stages: [{order}]\nnight: {{ stage: {order[:6].strip(',')}, script: ls }}\n"
    )
    includes = "{ local: full.yml, rules: [{ if: $FULL }] }, { local: nightly.yml, rules: [{ if: $NIGHTLY }] }"
    _, report = from_text(f"include: [{includes}]\nbuild: {{ stage: build, script: make }}\n", tmp_path)

    assert messages(report).count("the rules of this include are left out") == 2


def test_names_that_files_do_not_contain_are_reported_once(tmp_path: Path) -> None:
    """Each with the jobs that have it."""
    jobs = "".join(f"{name}: {{ extends: .base, stage: late, script: make }}\n" for name in ("one", "two", "three"))
    _, report = from_text(f"include: [{{ template: a.yml }}]\n{jobs}", tmp_path)
    lines = [line.partition("] ")[2] for line in messages(report).splitlines() if "is not in the files" in line]

    assert lines == [
        'the job ".base", which "one" and 2 others extend, is not in the files',
        'the stage "late" of job "one" and 2 others is not in the files: they run last',
    ]


def test_keys_that_files_of_ignored_rules_replace_are_reported(tmp_path: Path) -> None:
    """In runs without these files, they have an effect."""
    (tmp_path / "nightly.yml").write_text("other: { script: make }", encoding="utf-8")
    result, _ = from_text(f"{_MAIN % '{ exists: [a] }'}.base: {{ image: alpine }}\n", tmp_path)

    assert result.count.number(KeyOutcome.UNUSED) == 0
    assert ("image", KeyOutcome.REPORTED, 1) in result.count.constructs


@pytest.mark.parametrize(
    ("inputs", "words"),
    [("{ level: low }", ""), ("{}", 'the rules of the input "level" are left out: it has no value')],
)
def test_unreadable_rules_of_an_input_are_reported_if_they_decide_its_value(
    inputs: str, words: str, tmp_path: Path
) -> None:
    """They depend on other inputs."""
    header = "spec: { inputs: { level: { rules: [{ if: '$[[ inputs.x ]] == 1', default: none }] } } }"
    (tmp_path / "unit.yml").write_text(f"{header}\n---\nunit: {{ script: './test $[[ inputs.level ]]' }}\n")
    result, report = from_text(f"include: [{{ local: unit.yml, inputs: {inputs} }}]\n", tmp_path)

    assert (words in messages(report)) if words else messages(report) == ""
    assert "./test " in result.text


_LEVELS = """\
spec:
  inputs:
    target: { default: dev }
    full: { type: boolean, default: false }
    size: { type: number, default: 1 }
    level:
      rules:
        - { if: '$[[ inputs.target ]] == "prod" && $[[ inputs.full ]]', options: [all, most], default: all }
        - { if: '$[[ inputs.target ]] == "prod"', options: [most], default: most }
        - { if: '"$[[ inputs.target ]]" == "test"', default: text }
        - { default: some }
    depth: { rules: [{ if: '$[[ inputs.level ]] =~ /^al/ || $[[ inputs.full ]] == "true"', default: deep }] }
---
unit: { script: './test $[[ inputs.level ]] $[[ inputs.depth ]]' }
"""


@pytest.mark.parametrize(
    ("inputs", "script"),
    [
        ("{}", '"./test some "'),
        ("{ target: prod, depth: low }", "./test most low"),
        ("{ target: prod, full: true }", "./test all deep"),
        ("{ target: test, full: true }", "./test some deep"),
        ("{ target: prod, full: true, level: most, depth: '' }", "./test most deep"),
    ],
)
def test_rules_of_inputs_decide_defaults(inputs: str, script: str, tmp_path: Path) -> None:
    """As `Ci::Inputs` of GitLab does: inputs in quotes are text, and rules replace empty values."""
    (tmp_path / "unit.yml").write_text(_LEVELS)
    result, report = from_text(f"include: [{{ local: unit.yml, inputs: {inputs} }}]\n", tmp_path)

    assert script in result.text
    assert "the rules of the input" not in messages(report)


def test_inputs_of_the_main_file_are_reported(tmp_path: Path) -> None:
    """Users set them when they start a pipeline; those of an included file have the values of the include."""
    header = "spec: { inputs: { env: { default: prod, options: [prod, dev] }, list: { default: [a] }, size: } }\n---\n"
    (tmp_path / "unit.yml").write_text("spec: { inputs: { level: { default: full } } }\n---\nunit: { script: make }\n")
    result, report = from_text(f"{header}include: unit.yml\nmain: {{ script: './go $[[ inputs.env ]]' }}\n", tmp_path)

    assert [line.partition("] ")[2] for line in messages(report).splitlines()] == [
        'the input "env" is left out: the config has only its default "prod"',
        'the input "list" is left out: the config has only its default',
        'the input "size" is left out: the config has no value for it',
    ]
    assert "script: [./go prod]" in result.text
    assert ("spec:inputs", KeyOutcome.REPORTED, 1) in result.count.constructs
    assert ("spec:inputs", KeyOutcome.TRANSLATED, 1) in result.count.constructs


def _imported(folder: Path, rules: str, content: str) -> GitLabImport:
    (folder / "nightly.yml").write_text(content, encoding="utf-8")
    result, report = from_text(_MAIN % rules, folder)
    assert "include" not in messages(report)
    return result


def _stage(result: GitLabImport, name: str) -> str:
    """Return the part of the config with the stage *name*."""
    return result.text.partition(f"- name: {name}\n")[2].partition("- name: ")[0]


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ("inputs.name | truncate(1,3)", "b c"),
        ("inputs.name|truncate( 2 , 99 )|posix_escape", "\\ c\\;d"),
        ("inputs.empty | posix_escape", "''"),
        ("inputs.name | expand_vars", "ab c;d"),
    ],
)
def test_functions_of_inputs_are_evaluated(reference: str, text: str, tmp_path: Path) -> None:
    """As in `lib/gitlab/ci/config/interpolation/functions` of GitLab."""
    header = "spec: { inputs: { name: { default: ab c;d }, empty: { default: '' } } }"
    (tmp_path / "unit.yml").write_text(f"{header}\n---\nunit: {{ script: 'test :$[[ {reference} ]]:' }}\n")
    result, report = from_text("include: unit.yml\n", tmp_path)

    assert messages(report) == ""
    assert list(result.reading.runnable.jobs["unit"].script) == [f"test :{text}:"]


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("inputs.none", "its value is unknown"),
        ("inputs.none | posix_escape", "its function is unknown"),
        ("inputs.number | truncate(0,1)", "its function is unknown"),
        ("inputs.computed | expand_vars", "its function is unknown"),
        ("inputs.name | reverse", "its function is unknown"),
    ],
)
def test_references_to_inputs_that_stay_text_are_reported(reference: str, reason: str, tmp_path: Path) -> None:
    """GitLab refuses them, or only GitLab knows the value."""
    values = "name: { default: a }, number: { default: 12 }, none: {}, computed: { default: $CI_JOB_ID }"
    (tmp_path / "unit.yml").write_text(
        f"spec: {{ inputs: {{ {values} }} }}\n---\nunit: {{ script: 'test $[[ {reference} ]]' }}\n"
    )
    _, report = from_text("include: unit.yml\n", tmp_path)

    assert f'warning[PG850] "$[[ {reference} ]]" stays text: {reason}' in messages(report)


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("{ project: group/other, files: a.yml }", '"files" is none of its keys'),
        ("{ project: group/other }", 'it has a project, but no "file"'),
    ],
)
def test_an_include_that_gitlab_refuses_is_left_out(item: str, reason: str, tmp_path: Path) -> None:
    """The config, which GitLab and pipegen would refuse with it, compiles."""
    result, report = from_text(f"include: [{item}]\nunit: {{ script: make }}\n", tmp_path)

    assert f'the item of "include" is left out: {reason}' in messages(report)
    assert "include" not in result.text
    assert result.generated != ()


def test_a_variable_that_another_file_replaces_has_no_effect(tmp_path: Path) -> None:
    """No job sets it itself, so this is no reason."""
    (tmp_path / "ci.yml").write_text("variables: { LEVEL: quick }\n", encoding="utf-8")
    source = "include: ci.yml\nvariables: { LEVEL: full }\nbuild: { script: make }\n"
    _, report = from_text(source, tmp_path)

    assert '"LEVEL" in "variables" has no effect: no job gets this value' in messages(report)
