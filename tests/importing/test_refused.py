"""An import reports each key and value that GitLab refuses, at its place, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text, imported, messages

from pipegen.importing.accounting import KeyOutcome

_JOB = "a:\n  script: [make]\n"
_ON_COMBINATIONS = """\
b: {{ script: [x], parallel: {{ matrix: [{{ V: [x, z] }}] }} }}
a: {{ script: [x], needs: [{{ job: b, parallel: {{ matrix: [{{ V: [{values}] }}] }} }}] }}
"""
_OTHER = "{ project: g/p, job: x, ref: main }"
_ELSEWHERE = ", ".join([*[_OTHER] * 5, *["{ pipeline: $P, job: x }"] * 5])
_TWO = "stages: [one, two]\na:\n  stage: one\n  script: [x]\n  {key}\nb:\n  stage: two\n  script: [x]\n"
_PATHS = f"[{', '.join(f'd{number}' for number in range(51))}]"
_COVERAGE = "{ coverage_report: { coverage_format: jacoco, %s } }"
_OF_COVERAGE = "artifacts:reports:coverage_report"
# Sources, each with the line and the column of the place, the key, and a part of the reason.
# https://docs.gitlab.com/ci/yaml/, and `lib/gitlab/ci/config/entry` and `lib/gitlab/ci/yaml_processor.rb` of GitLab.
_AXIS = str([str(number) for number in range(101)])
_INPUT = f"spec: {{ inputs: {{ x: {{ %s }} }} }}\n---\n{_JOB}"
_RELEASE = "{ tag_name: a, description: b, %s }"
_SOURCES = (
    ("rules: []", "3:10", "rules", "empty"),
    ("rules: { if: $X }", "3:10", "rules", "not a list"),
    ("rules: [{ iff: $X }]", "3:13", "rules:iff", "no such key"),
    ("rules: [{ when: sometimes }]", "3:19", "rules:when", "not one of"),
    ("rules: [{ if: '$X =~ /x/' }]", "3:17", "rules:if", "not a complete expression"),
    ("rules: [{ if: '$X =~ /xy/x' }]", "3:17", "rules:if", "not a complete expression"),
    ("rules: [{ if: '${X}' }]", "3:17", "rules:if", "not a complete expression"),
    ("rules: [{ if: '$X =~ /xy/ ||' }]", "3:17", "rules:if", "not a complete expression"),
    ("rules: [{ if: '$X = 1' }]", "3:17", "rules:if", "not a complete expression"),
    ("rules: [{ changes: { path: [a] } }]", "3:24", "rules:changes:path", "no such key"),
    ("rules: [{ allow_failure: never }]", "3:28", "rules:allow_failure", "not true or false"),
    ("rules: [{ when: always }]\n  only: [main]", "4:3", "only", 'not allowed with "rules"'),
    ("only: { ref: [main] }", "3:11", "only:ref", "no such key"),
    ("when: sometimes", "3:9", "when", "not one of"),
    ("when: never", "3:9", "when", "not one of"),
    ("when: delayed", "3:3", "when", 'needs "start_in"'),
    ("when: delayed\n  start_in: soon", "4:13", "start_in", "not a duration"),
    ("start_in: 5 minutes", "3:3", "start_in", 'needs "when: delayed"'),
    ("timeout: soon", "3:12", "timeout", "not a duration"),
    ("timeout: 3600", "3:12", "timeout", "as a number, not as a text"),
    ("timeout: 3 parsecs", "3:12", "timeout", "not a duration"),
    ("scripts: [x]", "3:3", "scripts", "no such key"),
    ("stage: [a]", "3:10", "stage", "not a text"),
    ("before_script: { a: b }", "3:18", "before_script", "not a list of texts"),
    ("after_script: [{ a: b }]", "3:18", "after_script", "not a text"),
    ("tags: { a: b }", "3:9", "tags", "not a list of texts"),
    ("tags: [1]", "3:10", "tags", "not as a text"),
    ("image: [a, b]", "3:10", "image", "not a text"),
    ("image: { entrypoint: [''] }", "3:10", "image", 'no "name"'),
    ("services: [{ alias: x }]", "3:14", "services", 'no "name"'),
    ("variables: [A, B]", "3:14", "variables", "not a map"),
    ("variables: { A: [1] }", "3:19", "variables", "not a text, a number or a boolean"),
    ("artifacts: { path: [x] }", "3:16", "artifacts:path", "no such key"),
    ("artifacts: { paths: x }", "3:23", "artifacts:paths", "not a list of texts"),
    ("artifacts: { paths: [x], when: never }", "3:34", "artifacts:when", "not one of"),
    ("artifacts: { paths: [x], expire_in: later }", "3:39", "artifacts:expire_in", "not a duration"),
    (f"artifacts: {{ reports: {_COVERAGE % 'path: x, foo: 1'} }}", "3:80", f"{_OF_COVERAGE}:foo", "no such key"),
    (f"artifacts: {{ reports: {_COVERAGE % ''} }}", "3:44", _OF_COVERAGE, 'no "path"'),
    ("cache: { paths: [x], policy: pul }", "3:32", "cache:policy", "not one of"),
    ("cache: { paths: [x], when: never }", "3:30", "cache:when", "not one of"),
    ("cache: { key: { prefix: p }, paths: [x] }", "3:17", "cache:key", 'no "files" or "files_commits"'),
    ("cache: { key: {}, paths: [x] }", "3:17", "cache:key", 'no "files" or "files_commits"'),
    ("cache: { key: { files: [] }, paths: [x] }", "3:26", "cache:key:files", "empty"),
    ("cache: { key: { files: [x], prefix: a/b }, paths: [x] }", "3:39", "cache:key:prefix", 'contains "/"'),
    ("cache: { key: $A/b, paths: [x] }", "3:17", "cache:key", 'contains "/"'),
    ("cache: { key: a%2Fb, paths: [x] }", "3:17", "cache:key", 'contains "/"'),
    ("cache: { key: .., paths: [x] }", "3:17", "cache:key", "only dots"),
    ("cache: { key: 1, paths: [x] }", "3:17", "cache:key", "as a number, not as a text"),
    ("pages: [x]", "3:10", "pages", "not true or false"),
    ("pages: { prefix: x }", "3:12", "pages:prefix", "no such key"),
    ("pages: true\n  artifacts: x", "4:14", "artifacts", "not a map"),
    ("pages: true\n  publish: [x]", "4:12", "publish", "not a text"),
    ("coverage: total [0-9]+", "3:13", "coverage", "not a regular expression"),
    ("retry: 5", "3:10", "retry", "not a number from 0 to 2"),
    ("retry: { max: 1, whn: always }", "3:20", "retry:whn", "no such key"),
    ("parallel: 1000", "3:13", "parallel", "not a number from 1 to 200"),
    ("parallel: { matrix: { A: [1, 2] } }", "3:23", "parallel:matrix", "not a list"),
    ("interruptible: 'true'", "3:18", "interruptible", "without quotes"),
    ("allow_failure: sometimes", "3:18", "allow_failure", "not true or false"),
    ("allow_failure: { exit_codes: bad }", "3:32", "allow_failure:exit_codes", "not a whole number"),
    ("resource_group: [a]", "3:19", "resource_group", "not a text"),
    ("environment: { url: https://x }", "3:16", "environment", 'no "name"'),
    ("environment: { name: x, action: halt }", "3:35", "environment:action", "not one of"),
    ("environment: { name: x, on_stop: b }", "3:36", "environment:on_stop", '"b" is not a job that stops'),
    ("release: { description: x }", "3:12", "release", 'no "tag_name"'),
    ("id_tokens: { T: {} }", "3:19", "id_tokens", 'no "aud"'),
    ("inherit: { default: maybe }", "3:23", "inherit:default", "not true or false"),
    ("dependencies: [b]", "3:18", "dependencies", 'no job "b"'),
    ("needs: { jobs: b }", "3:12", "needs:jobs", "no such key"),
    ("rules: [{ when: delayed }]", "3:13", "rules:when", 'needs "start_in"'),
    ("rules: [{ if: $X, start_in: 1 day }]", "3:21", "rules:start_in", 'needs "when: delayed"'),
    ("rules: [{ allow_failure: { exit_codes: [1] } }]", "3:28", "rules:allow_failure", "not true or false"),
    ("rules: [{ variables: { A: { value: x } } }]", "3:29", "rules:variables", "not a text, a number or a boolean"),
    (f"rules: [{{ changes: {_PATHS} }}]", "3:22", "rules:changes", "51 items, and GitLab allows 50"),
    (f"rules: [{{ exists: {{ paths: {_PATHS} }} }}]", "3:30", "rules:exists:paths", "51 items, and GitLab allows 50"),
    ("only: main", "3:9", "only", "not a list of texts"),
    ("only: {}", "3:9", "only", "empty"),
    ("only: { variables: ['$A =='] }", "3:23", "only:variables", "not a complete expression"),
    ("only: { refs: main }", "3:17", "only:refs", "not a list of texts"),
    ("except: { changes: a }", "3:22", "except:changes", "not a list of texts"),
    ("only: ['/^(?!main$)/']", "3:10", "only", 'RE2 refuses it: it does not support "(?!"'),
    ("rules: [{ if: '$A =~ /a(b/' }]", "3:17", "rules:if", "RE2 refuses its regular expression: missing )"),
    (f"rules: [{{ if: '{' || '.join(['$A'] * 51)}' }}]", "3:17", "rules:if", "more than 99 operands"),
    ("coverage: '/a(?=%)/'", "3:13", "coverage", 'RE2 refuses it: it does not support "(?="'),
    ("coverage: '/a/g'", "3:13", "coverage", "not a regular expression between slashes"),
    ("only: { kubernetes: on }", "3:23", "only:kubernetes", "not one of"),
    ("timeout: $TIME", "3:12", "timeout", "not a duration"),
    ("timeout: 5 weeks", "3:12", "timeout", "longer than 1 month"),
    ("timeout: 0 seconds", "3:12", "timeout", "not a duration"),
    ("when: delayed\n  start_in: 8 days", "4:13", "start_in", "longer than 1 week"),
    ("rules: [{ when: delayed, start_in: 169 hours }]", "3:38", "rules:start_in", "longer than 1 week"),
    (f"parallel: {{ matrix: [{{ A: [1, 2], B: {_AXIS} }}, {{ C: x }}] }}", "3:23", "parallel:matrix", "203 jobs"),
    ("parallel: { matrix: [{ A: x }, {}] }", "3:34", "parallel:matrix", "empty"),
    ("parallel: { matrix: [{ A: [] }] }", "3:29", "parallel:matrix", "empty"),
    ("retry: { max: 1, when: scriptfailure }", "3:26", "retry:when", "no such failure"),
    ("retry: { max: 1, when: [always, 1] }", "3:35", "retry:when", "no such failure"),
    ("rules: [{ exists: { paths: [a], ref: b } }]", "3:35", "rules:exists:ref", 'needs "project"'),
    ("rules: [{ exists: { paths: [a], project: 1 } }]", "3:44", "rules:exists:project", "not as a text"),
    (f"release: {_RELEASE % 'assets: { links: [] }'}", "3:60", "release:assets:links", "empty"),
    (f"release: {_RELEASE % 'assets: { links: [a] }'}", "3:61", "release:assets:links", "not a map"),
    (f"release: {_RELEASE % 'assets: {}'}", "3:51", "release:assets", 'no "links"'),
    (f"release: {_RELEASE % 'released_at: $DATE'}", "3:56", "release:released_at", "not a date"),
    (f"release: {_RELEASE % 'milestones: [1]'}", "3:56", "release:milestones", "not as a text"),
    ("type: test", "3:3", "type", "no such key"),
    ("tags: linux", "3:9", "tags", "not a list of texts"),
    (f"tags: {_PATHS}", "3:9", "tags", "51 items, and GitLab allows 49"),
    ("image: ''", "3:10", "image", "empty"),
    ("image: { name: '' }", "3:18", "image:name", "empty"),
    ("image: { name: x, pull_policy: often }", "3:34", "image:pull_policy", "not one of"),
    ("artifacts: { reports: { coverage: x } }", "3:27", "artifacts:reports:coverage", "no such key"),
    ("artifacts: { reports: { junit: 5 } }", "3:34", "artifacts:reports:junit", "not a list of texts"),
    ("artifacts: { paths: [x], expose_as: a/b }", "3:39", "artifacts:expose_as", "letters, digits"),
    ("artifacts: { paths: ['*'], expose_as: a }", "3:30", "artifacts:expose_as", 'not allowed with "*"'),
    ("artifacts: { expose_as: a }", "3:16", "artifacts:expose_as", 'needs "paths"'),
    ("artifacts: { paths: [x], public: true, access: all }", "3:28", "artifacts:public", 'not allowed with "access"'),
    ("cache: { key: { files: [a, b, c] }, paths: [x] }", "3:26", "cache:key:files", "3 items, and GitLab allows 2"),
    ("cache: { fallback_keys: [a, b, c, d, e, f] }", "3:27", "cache:fallback_keys", "6 items, and GitLab allows 5"),
    (f"cache: [{', '.join(['{ paths: [x] }'] * 5)}]", "3:10", "cache", "5 items, and GitLab allows 4"),
    ("retry: '1'", "3:10", "retry", "without quotes"),
    ("parallel: '2'", "3:13", "parallel", "without quotes"),
    ("parallel: { matrix: [{ A: [true] }] }", "3:30", "parallel:matrix", "as a boolean, not as a text"),
    ("environment: a!", "3:16", "environment", "not a name of letters"),
    ("environment: { name: a/ }", "3:24", "environment:name", "not a name of letters"),
    ("environment: { name: a, kubernetes: { ns: b } }", "3:41", "environment:kubernetes:ns", "no such key"),
    ("release: { tag_name: '', description: x }", "3:24", "release:tag_name", "empty"),
    ("inherit: { default: [images] }", "3:24", "inherit:default", "not one of"),
    ("hooks: { pre_build: [x] }", "3:12", "hooks:pre_build", "no such key"),
    ("when: manual\n  manual_confirmation: 5", "4:24", "manual_confirmation", "as a number, not as a text"),
    ("trigger: group/project", "2:3", "script", 'not allowed with "trigger"'),
)


@pytest.mark.parametrize(("key", "place", "path", "reason"), _SOURCES, ids=[source[0] for source in _SOURCES])
def test_a_key_that_gitlab_refuses_is_reported_at_its_place(
    key: str, place: str, path: str, reason: str, tmp_path: Path
) -> None:
    """The message names the key with those around it."""
    _, report = from_text(f"{_JOB}  {key}\n", tmp_path)

    lines = [line for line in messages(report).splitlines() if f'GitLab refuses "{path}" of job "a"' in line]
    assert len(lines) == 1, messages(report)
    assert lines[0].startswith(f".gitlab-ci.yml:{place}: warning[PG850]")
    assert reason in lines[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"stages: test\n{_JOB}", '"stages": it is not a list of texts'),
        (f"default: {{ scripts: [x] }}\n{_JOB}", '"default:scripts": there is no such key'),
        (f"variables: {{ A: {{ val: x }} }}\n{_JOB}", '"variables:val": there is no such key'),
        (f"workflow: {{ rules: [{{ if: $X, when: manual }}] }}\n{_JOB}", '"workflow:rules:when": it is not one of'),
        (f"include: [{{ file: x.yml }}]\n{_JOB}", 'the item of "include": it names no file'),
        (f"spec: {{ inputs: [x] }}\n---\n{_JOB}", '"spec:inputs": it is not a map'),
        (f"spec: {{ inputs: {{ x: {{ defaul: y }} }} }}\n---\n{_JOB}", '"spec:inputs:defaul": there is no such key'),
        (_INPUT % "default: y, rules: [{ default: z }]", '"spec:inputs:default": it is not allowed with "rules"'),
        (_INPUT % "rules: [{ if: $A, options: [z] }]", '"spec:inputs:rules": it has no "default"'),
        (_INPUT % "rules: [{ when: $A, default: z }]", '"spec:inputs:rules:when": there is no such key'),
        (_INPUT % "rules: [{ if: $A, options: [z], default: z }]", ""),
        (_INPUT % "rules: [{ if: $A, default: }]", ""),
        (f"spec: {{ inputs: {{ x: {{ default: y, type: string }}, z: }} }}\n---\n{_JOB}", ""),
        (f"spec: {{ inputs: }}\n---\n{_JOB}", ""),
        ("a:\n  script: []\n", '"script" of job "a": it is empty'),
        ("a:\n  script: { x: y }\n", '"script" of job "a": it is not a list of texts'),
        (".a:\n  script: [x]\n", "the pipeline: it has no job"),
        ("a:\n  trigger: { projct: g/p }\n", '"trigger:projct" of job "a": there is no such key'),
        ("a:\n  script: !reference [b, script]\nb:\n  script: !reference [a, script]\n", '!reference to "b.script"'),
        (_TWO.format(key="needs: [b]"), '"needs" of job "a": "b" is in a later stage'),
        (_TWO.format(key="dependencies: [b]"), '"dependencies" of job "a": "b" is in a later stage'),
        (f"b:\n  script: [x]\n{_JOB}  needs: []\n  dependencies: [b]\n", ""),
        (f"b: {{ script: [x] }}\nc: {{ script: [x] }}\n{_JOB}  needs: [b]\n  dependencies: [c]\n", 'not name "c"'),
        (f"j: {{ script: [x] }}\n{_JOB}  needs: [{{ pipeline: $UP, job: z }}]\n  dependencies: [j]\n", 'not name "j"'),
        (f"b: {{ script: [x] }}\n{_JOB}  needs: [b, b]\n", 'it names "b" twice'),
        ("a: { script: '' }\n", '"script" of job "a": it is empty'),
        (_ON_COMBINATIONS.format(values="x, y"), 'there is no job "b: [y]"'),
        (_ON_COMBINATIONS.format(values="x"), ""),
        (
            f"{_JOB}  needs: [{_ELSEWHERE}, {{ project: g/p, job: x, ref: m }}]\n",
            "it has 6 jobs of other projects, and GitLab allows 5",
        ),
        (f"{_JOB}  needs: [{_ELSEWHERE}]\n", ""),
    ],
)
def test_other_keys_that_gitlab_refuses_are_reported(text: str, message: str, tmp_path: Path) -> None:
    """Those for all jobs, and those of several jobs; without needs, GitLab does not compare `dependencies` with them.

    `Job` in `lib/gitlab/ci/config/entry/job.rb` of GitLab.
    """
    (tmp_path / ".gitlab-ci.yml").write_text(text, encoding="utf-8")
    _, report = imported(tmp_path)

    refused = [line for line in messages(report).splitlines() if "GitLab refuses" in line]
    assert bool(refused) is bool(message)
    assert message in "\n".join(refused)


@pytest.mark.parametrize(
    ("keys", "construct", "outcome"),
    [
        ("script: 5", "script", KeyOutcome.REPORTED),
        ("script: [x], needs: [{ job: b, foo: 1 }]", "needs:foo", KeyOutcome.REPORTED),
        ("script: [x], rules: { if: $X }", "rules:if", KeyOutcome.REPORTED),
        ("script: [x], rules: [{ foo: 1 }]", "rules:foo", KeyOutcome.RAW),
        ("script: [x], variables: 5", "variables", KeyOutcome.REPORTED),
        ("script: [x], publish: out", "publish", KeyOutcome.REPORTED),
        ("script: [x], timeout: soon", "timeout", KeyOutcome.RAW),
        (
            f"script: [x], artifacts: {{ reports: {_COVERAGE % 'path: x, foo: 1'} }}",
            f"{_OF_COVERAGE}:foo",
            KeyOutcome.REPORTED,
        ),
    ],
)
def test_a_key_that_gitlab_refuses_is_not_translated(
    keys: str, construct: str, outcome: KeyOutcome, tmp_path: Path
) -> None:
    """It is reported unless the config has it as a raw key."""
    result, _ = from_text(f"b: {{ script: [x] }}\na: {{ {keys} }}\n", tmp_path)

    assert (construct, outcome, 1) in result.count.constructs


@pytest.mark.parametrize(
    ("inputs", "outcome", "number"),
    [("[x]", KeyOutcome.REPORTED, 1), ("{ x: }", KeyOutcome.REPORTED, 1), ("", KeyOutcome.TRANSLATED, 0)],
)
def test_inputs_that_are_left_out_have_a_diagnostic(
    inputs: str, outcome: KeyOutcome, number: int, tmp_path: Path
) -> None:
    """Those that GitLab refuses, and those that the config lacks; a key without a value has none."""
    result, report = from_text(f"spec: {{ inputs: {inputs} }}\n---\n{_JOB}", tmp_path)

    assert ("spec:inputs", outcome, 1) in result.count.constructs
    assert messages(report).count("\n") == number


def test_a_template_is_reported_once(tmp_path: Path) -> None:
    """Both jobs have the value, which is wrong at one place."""
    _, report = from_text(
        ".t: { timeout: soon }\na: { extends: .t, script: [x] }\nb: { extends: .t, script: [x] }\n", tmp_path
    )

    assert messages(report).count("GitLab refuses") == 1


@pytest.mark.parametrize(
    ("part", "is_refused"),
    [
        ("artifacts: { paths: [a] }", False),
        ("extends: .elsewhere\n  script: [make]", False),
        ("stage: test", True),
        ("script: [make]", True),
    ],
)
def test_a_stage_in_a_file_that_is_not_here_may_be_an_earlier_one(
    part: str, *, is_refused: bool, tmp_path: Path
) -> None:
    """A job without a stage has `test`, unless another part of it has one."""
    _, report = from_text(
        "include: [{ project: g/p, file: f.yml }]\nstages: [build, deploy, test]\n"
        f"chart:\n  {part}\ndeploy: {{ stage: deploy, script: [./deploy], needs: [chart] }}\n",
        tmp_path,
    )

    assert ('"needs" of job "deploy": "chart" is in a later stage' in messages(report)) == is_refused


@pytest.mark.parametrize(
    ("others", "first", "last", "arcs"),
    [
        ("", "needs: [last]", "script: z", "[first, then, [side, last]]"),
        ("", "needs: [last]", "script: z, needs: [then]", "[first, then, [side, last]]"),
        ("", "needs: [last]", "script: z, needs: []", "[last, first, then, side]"),
        (
            "last: { stage: build, script: z, needs: [first] }\n",
            "needs: [last]",
            "",
            "[first, last]\n      - [first, then, side]",
        ),
        ("include: [{ project: g/p, file: f.yml }]\n", "needs: [last]", "extends: .z", "[last, first, then, side]"),
    ],
)
def test_the_order_stays_without_needs_that_make_a_cycle(
    others: str, first: str, last: str, arcs: str, tmp_path: Path
) -> None:
    """Those on jobs of a later stage, which another file can have in an earlier one, and those on each other."""
    stage = "" if "extends" in last else "stage: deploy, "
    last = f"last: {{ {stage}{last} }}\n" if last else ""
    result, _ = from_text(
        f"{others}stages: [build, test, deploy]\nfirst: {{ stage: build, script: a, {first} }}\n"
        "then: { stage: test, script: b, needs: [first] }\nside: { stage: deploy, script: c, needs: [then] }\n" + last,
        tmp_path,
    )

    assert f"    execution:\n      - {arcs}\n" in result.text


def test_accepted_values_are_not_reported(tmp_path: Path) -> None:
    """Spellings of durations, nested lists, references, null and values in several forms."""
    _, report = from_text(_ACCEPTED, tmp_path)

    assert "GitLab refuses" not in messages(report)


_ACCEPTED = """\
stages: [build, [test, deploy]]
default: { image: { name: alpine, pull_policy: always }, retry: { max: 1, when: [script_failure, user_blocked] } }
variables:
  A: { value: x, options: [x, y], description: which, expand: false }
  B: 1.5
  C: true
workflow:
  name: $A
  auto_cancel: { on_new_commit: interruptible }
  rules: [!reference [.rules, rules], { when: always }]
.rules: { rules: [{ if: $X, variables: { Y: 1 } }, { exists: [a] }] }
build:
  stage: build
  script: [one, [two, [three]]]
  timeout: 1h 30 mins and five seconds, 4 weeks
  artifacts: { paths: [out], expire_in: never, reports: { dotenv: a.env, junit: [x] }, when: always, public: true }
  cache: [{ key: { files: [lock], prefix: $A }, paths: [c], policy: $POLICY, fallback_keys: [a] }]
  parallel: { matrix: [{ OS: [a, b], N: 1 }] }
  release:
    { tag_name: $A, description: b, released_at: '2026-01-31', milestones: m, assets: { links: [{ name: x }] } }
  variables: { D: { value: x, expand: true }, E: }
  allow_failure: { exit_codes: [1, 300] }
  coverage: '/total \\d+/i'
  tags: [!reference [.tags, tags], linux]
.tags: { tags: [docker] }
test:
  stage: test
  needs: { job: build, artifacts: false }
  script: test
  dependencies: [build]
  rules:
    - { if: '$A == "x" == $A && ($B || !$C) && $D =~ /\\d\\pL/ && $A =~ "/^(?!b)/"', when: delayed, start_in: 3 days }
    - [{ changes: { paths: [a], compare_to: main }, exists: { paths: [b], project: g/p, ref: main } }]
  services: [postgres, { name: redis, alias: cache, command: [redis], variables: { A: b } }, { name: x, command: y }]
  environment: { name: review/$A, on_stop: stop, auto_stop_in: $TIME, kubernetes: { agent: a } }
  id_tokens: { T: { aud: [a, b] } }
  inherit: { default: [image], variables: false }
  interruptible: yes
  pages: { publish: x, path_prefix: p, expire_in: never }
stop:
  stage: deploy
  script: [x]
  when: manual
  environment: { name: review/$A, action: stop }
deploy:
  stage: deploy
  needs: [test, { pipeline: $P, job: x }, { project: g/p, job: x, ref: main, artifacts: true }]
  trigger: { include: [{ local: a.yml }], strategy: depend, forward: { pipeline_variables: true } }
  only: []
  except: { variables: [$X], changes: [a], refs: [/^(?i)a$/i, tags, "/^a(/@g/p"] }
publish:
  stage: deploy
  script: [x]
  needs: [{ job: stop, parallel: { matrix: [{ V: x }] } }]
package:
  stage: deploy
  allow_failure: {}
  script: [x]
  needs: ["build: [a, 1]"]
  dependencies: ["build: [a, 1]"]
"""


def test_a_job_cannot_have_the_name_of_a_key_for_all_jobs(tmp_path: Path) -> None:
    """GitLab reads it as the image of all jobs: https://docs.gitlab.com/ci/jobs/#job-names."""
    _, report = from_text(f"{_JOB}image: {{ stage: test, script: [docker build .] }}\n", tmp_path)

    assert 'GitLab refuses "image": a job cannot have the name of this key' in messages(report)
