"""The order that a generated `.gitlab-ci.yml` enforces."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest
from ruamel.yaml import YAML

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback import gitlab, gitlab_order
from pipegen.readback.errors import UnreadableError
from pipegen.readback.gitlab import order, read_jobs
from pipegen.readback.plain import document as plain_document


def read(text: str) -> ExecutionGraph:
    """Return the order in the indented *text*."""
    return order(dedent(text))


def test_needs_define_the_order() -> None:
    """A job waits only for its needs."""
    graph = read("""
        stages: [step 1, step 2]
        lint: { stage: step 1, script: ["true"] }
        build: { stage: step 1, script: ["true"] }
        test: { stage: step 2, needs: [{ job: build, artifacts: false }], script: ["true"] }
    """)

    assert graph == ExecutionGraph([["lint"], ["build", "test"]])


def test_image_tags_in_flow_mappings_are_read() -> None:
    """A service image contains a colon; a hidden job is not a job."""
    graph = read("""
        stages: [step 1]
        .docker: { services: [{ name: docker:28-dind, alias: docker }] }
        build: { stage: step 1, extends: .docker, image: docker:28-cli, script: ["true"] }
    """)

    assert graph == ExecutionGraph([["build"]])


def test_a_job_without_needs_waits_for_all_earlier_stages() -> None:
    """This is GitLab's default order."""
    graph = read("""
        stages: [step 1, step 2, step 3]
        lint: { stage: step 1, script: ["true"] }
        build: { stage: step 2, needs: [], script: ["true"] }
        test: { stage: step 3, script: ["true"] }
    """)

    assert graph == ExecutionGraph([["lint", "test"], ["build", "test"]])


def test_helper_jobs_are_transparent() -> None:
    """A job that needs a helper waits for everything that the helper needs, recursively."""
    graph = read("""
        stages: [step 1, step 2]
        a: { stage: step 1, script: ["true"] }
        b: { stage: step 1, script: ["true"] }
        one: { stage: step 2, needs: [a, b], variables: { PIPEGEN_HELPER: "1" }, script: ["true"] }
        two: { stage: step 2, needs: [{ job: one, artifacts: true }], variables: { PIPEGEN_HELPER: "1" } }
        c: { stage: step 2, needs: [two], script: ["true"] }
    """)

    assert graph == ExecutionGraph([["a", "c"], ["b", "c"]])


@pytest.mark.parametrize(("when", "is_read"), [("manual, allow_failure: true", True), ("on_success", False)])
def test_a_job_that_a_person_may_start_is_awaited_in_the_other_runs(when: str, is_read: bool) -> None:  # noqa: FBT001 - a table
    """Its helper does not exist when GitLab would not wait for the job."""
    text = f"""
        stages: [step 1, step 2]
        bench:
          stage: step 1
          rules: [{{ changes: [src/**/*] }}, {{ when: {when} }}]
          script: ["true"]
        wait for bench:
          stage: step 1
          needs: [bench]
          rules: [{{ changes: [src/**/*] }}, {{ when: never }}]
          variables: {{ PIPEGEN_HELPER: "1" }}
          script: ["true"]
        report: {{ stage: step 2, needs: [{{ job: wait for bench, optional: true }}], script: ["true"] }}
    """

    if is_read:
        assert read(text) == ExecutionGraph([["bench", "report"]])
    else:
        with pytest.raises(UnreadableError, match="does not wait"):
            read(text)


def test_comments_are_ignored() -> None:
    """A need in a comment has no effect."""
    graph = read("""
        # a -> b
        stages: [step 1]
        a: { stage: step 1, script: ["true"] }
        b: { stage: step 1, needs: [], script: ["true"] }  # needs: [a]
    """)

    assert graph == ExecutionGraph([["a"], ["b"]])


def test_only_jobs_are_nodes() -> None:
    """Keywords and hidden jobs are excluded."""
    graph = read("""
        stages: [step 1]
        workflow: { rules: [{ when: always }] }
        default: { tags: [linux] }
        variables: { A: "1" }
        .docker: { image: docker }
        a: { extends: .docker, stage: step 1, script: ["true"] }
    """)

    assert graph.nodes == ("a",)


@pytest.mark.parametrize(
    ("text", "message", "location"),
    [
        ("- a", "a mapping of jobs", "- a"),
        ("stages: [a]", "no jobs", "stages"),
        ("stages: a\nb: { stage: a }", '"stages" must be a list', "stages"),
        ("include: x.yml\na: { script: x }", 'an "include"', "include"),
        ("a: x", '"a" is not a job', "a: x"),
        ("a: { stage: deploi, script: x }", 'is not among "stages"', "stage: deploi"),
        ("a: { script: x, needs: [b] }", 'needs "b", which does not exist', "b]"),
        ("a: { script: x, needs: b }", "must be a list", "needs"),
        ("a: { script: x, needs: [{ artifacts: true }] }", "names no job", "{ artifacts"),
        ("a: { script: x, needs: [b] }\nb: { stage: deploy }", "is in a later stage", "b] }"),
        ("a: { script: x, needs: [b] }\nb: { needs: [a] }", "need each other: a -> b -> a", ""),
        ("a: { extends: .b, script: x }", 'extends ".b", which does not exist', "extends"),
        ("a: { rules: [{ if: x, needs: [b] }] }", 'change the needs of "a"', "needs"),
        ("a: { trigger: { include: { local: b.yml } } }", '"b.yml" of a child pipeline does not exist', "trigger"),
        ("a: [", "this is not valid YAML", ""),
    ],
)
def test_unsupported_files_are_rejected(text: str, message: str, location: str) -> None:
    """A rejected file is better than a wrong graph; the error has a location."""
    with pytest.raises(UnreadableError, match=re.escape(message)) as caught:
        order(text)

    assert text[caught.value.start :].startswith(location)


@pytest.mark.parametrize(
    "text", ["a: { script: x, needs: [b, b, b, b, b] }\nb: { script: x }\n", f"a: [{'x, ' * 9}]\n"]
)
def test_the_values_of_a_file_are_limited(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the whole file, whichever reader reads it; each value takes time."""
    monkeypatch.setattr(gitlab, "_MOST_VALUES", 9)

    with pytest.raises(UnreadableError, match="more than 9 values"):
        order(text)


def test_the_waits_of_a_file_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two matrices of 40 jobs, each job of one needs those of the other: 1,600 needs in two lines."""
    matrix = f"parallel: {{ matrix: [{{ X: {list(range(40))} }}] }}"
    jobs = f"a: {{ script: x, {matrix} }}\nb: {{ script: x, stage: deploy, {matrix}, NEEDS }}\n"
    monkeypatch.setattr(gitlab_order, "_MOST_WAITS", 1_000)

    for needs in ("needs: [a]", "when: always"):
        with pytest.raises(UnreadableError, match="more than 1,000 needs in all"):
            order(jobs.replace("NEEDS", needs))


def test_foreign_includes_of_generated_files_are_ignored() -> None:
    """Their jobs are unknown; generated local files must exist."""
    text = "include: [{ template: x.yml }, { local: ci/y.yml }]\na: { stage: build, script: x }"
    head = '# Generated by pipegen from pipegen.yaml. Do not edit: change that file and run "pipegen compile".\n'

    assert order(head + text).nodes == ("a",)
    with pytest.raises(UnreadableError, match="only local files"):
        order(text)
    with pytest.raises(UnreadableError, match="does not exist"):
        order(head + text.replace("ci/y.yml", ".gitlab-ci/1.yml"))


def test_default_stages_are_known() -> None:
    """`.pre` is first, `.post` is last, and a job without a stage is in `test`."""
    graph = read("""
        last: { stage: .post, script: x }
        unit: { script: x }
        make: { stage: build, script: x }
        first: { stage: .pre, script: x }
    """)

    assert graph.transitive_reduction() == ExecutionGraph([["first", "make", "unit", "last"]])


def test_optional_manual_jobs_do_not_block_later_stages() -> None:
    """A job is optional if it is allowed to fail; one that rules make manual blocks by default."""
    graph = read("""
        stages: [one, two]
        stop: { stage: one, script: x, when: manual }
        gate: { stage: one, script: x, when: manual, allow_failure: false }
        ruled: { stage: one, script: x, rules: [{ when: manual }] }
        left: { stage: one, script: x, rules: [{ when: manual, allow_failure: true }] }
        end: { stage: two, script: x }
    """)

    assert graph.predecessors("end") == ("gate", "ruled")


def test_extends_merges_keys() -> None:
    """The job's own keys take precedence, and mappings are merged."""
    graph = read("""
        .base: { stage: build, variables: { PIPEGEN_HELPER: "1" } }
        .more: { extends: .base, needs: [a] }
        a: { stage: build, script: x }
        b: { extends: [.more], variables: { B: "2" }, script: x }
        c: { stage: test, needs: [b], script: x }
    """)

    assert graph == ExecutionGraph([["a", "c"]])


CONDITIONAL = """
stages: [s]
a: {{ stage: s, script: x }}
b: {{ stage: s, script: x, needs: [a], rules: [{rule}] }}
c: {{ stage: s, script: x, needs: {needs}, {more} }}
"""
OPTIONAL, IF_B = "[{ job: b, optional: true }]", "{ if: $B }"


@pytest.mark.parametrize("more", ["when: always", "rules: [{ if: $C }]"])
def test_an_order_through_a_job_that_rules_may_drop_is_rejected(more: str) -> None:
    """A job with an optional need on a missing job does not inherit the needs of that job."""
    with pytest.raises(UnreadableError, match='where rules drop "b", "c" does not wait for "a"'):
        order(CONDITIONAL.format(rule=IF_B, needs=OPTIONAL, more=more))


@pytest.mark.parametrize(
    ("rule", "needs", "more"),
    [
        (IF_B, "[{ job: b, optional: true }, a]", "when: always"),
        (IF_B, "[b]", "when: always"),
        (IF_B, OPTIONAL, "rules: [{ if: $B }]"),
        ("{ if: $B }, { when: manual }", OPTIONAL, "when: always"),
    ],
    ids=["a need beside", "a need that is insisted on", "the same rules", "rules that never drop"],
)
def test_an_order_that_holds_without_dropped_jobs_is_read(rule: str, needs: str, more: str) -> None:
    """The intermediate job always exists, or there is another path."""
    assert order(CONDITIONAL.format(rule=rule, needs=needs, more=more)).closure().is_before("a", "c")


def test_an_order_through_a_helper_that_may_be_dropped_is_rejected() -> None:
    """Without the helper, its reader does not wait for the helper's needs."""
    text = CONDITIONAL.format(rule=IF_B, needs=OPTIONAL, more="when: always")
    text = text.replace("rules:", 'variables: { PIPEGEN_HELPER: "1" }, rules:')

    with pytest.raises(UnreadableError, match='"c" does not wait for "a"'):
        order(text)
    assert order(text.replace(", optional: true", "")) == ExecutionGraph([["a", "c"]])


PARENT = """
stages: [one, two]
a: {{ stage: one, script: x }}
go:
  stage: one
  needs: [a]
  variables: {{ PIPEGEN_HELPER: "1" }}
  trigger: {{ include: [{{ local: /child.yml }}]{strategy} }}
e: {{ stage: two, needs: [go], script: x }}
"""
CHILD = """
stages: [one]
b: { stage: one, needs: [{ pipeline: $PIPEGEN_PARENT, job: a, artifacts: true }], script: x }
c: { stage: one, needs: [b], script: x }
"""


def test_a_child_pipeline_takes_the_position_of_its_trigger() -> None:
    """Its jobs wait for the trigger's needs, and jobs that need the trigger wait for all of them."""
    graph = order(PARENT.format(strategy=", strategy: depend"), {"child.yml": CHILD})

    assert graph.transitive_reduction() == ExecutionGraph([["a", "b", "c", "e"]])


def test_a_trigger_without_strategy_depend_does_not_wait() -> None:
    """Jobs after it wait only for the trigger's own needs."""
    graph = order(PARENT.format(strategy=""), {"child.yml": CHILD})

    assert graph.transitive_reduction() == ExecutionGraph([["a", "b", "c"], ["a", "e"]])


@pytest.mark.parametrize(
    ("variables", "expected"),
    [('{ PIPEGEN_HELPER: "1" }', ["a", "b", "c", "e"]), ("{}", ["a", "b", "c", "go", "e"])],
)
def test_a_child_pipeline_is_dropped_with_its_trigger(variables: str, expected: list[str]) -> None:
    """An order that depends on the dropped trigger is rejected."""
    text = PARENT.format(strategy=", strategy: depend").replace("needs: [a]", "needs: [a]\n  rules: [{ if: $A }]")
    text = text.replace('{ PIPEGEN_HELPER: "1" }', variables)
    optional = text.replace("[go]", "[{ job: go, optional: true }]")
    beside = text.replace("[go]", "[{ job: go, optional: true }, a]")

    with pytest.raises(UnreadableError, match='where rules drop "go", "e" does not wait for "a"'):
        order(optional, {"child.yml": CHILD})
    assert order(beside, {"child.yml": CHILD}).transitive_reduction() == ExecutionGraph([expected])


def test_job_names_are_unique_across_files() -> None:
    """Two jobs with the same name are indistinguishable."""
    with pytest.raises(UnreadableError, match="two jobs") as caught:
        order(PARENT.format(strategy=""), {"child.yml": CHILD.replace("c:", "a:")})

    assert caught.value.path == "child.yml"


PLAIN = r"""
# a comment
stages: [step 1, step 2]

.shell:
  before_script:
    - |
      needs: [nothing]

      variables: {}
    - "a: 'b"

"p: a":
  stage: step 1
  script:
    - echo {
  variables:
    A: "1"

"true":
  extends: .shell
  stage: step 2
  needs:
    - { job: "p: a", artifacts: true }
    - { job: c, artifacts: false, optional: true }
  script:
    - 'it''s'

c:
  stage: step 1
  needs: []
"""


def test_the_line_reader_agrees_with_the_yaml_reader() -> None:
    """Generated files are read line by line; other styles go through ruamel."""
    yaml = YAML(typ="safe", pure=True)
    quick = plain_document(PLAIN, yaml.load)

    assert quick is not None
    assert list(quick) == list(yaml.load(PLAIN))
    assert plain_document(PLAIN.replace("p: a", r"p: \x61"), yaml.load) is None
    assert order(PLAIN) == order(PLAIN.replace("p: a", r"p: \x61")) == ExecutionGraph([["p: a", "true"], ["c", "true"]])


FILE = """\
stages: [one, two]
variables: { A: x }
workflow: { rules: [{ when: always }] }
a: { stage: one, script: [x] }
".hidden": { script: [x] }
collect for b: { stage: one, script: [x], needs: [a], variables: { PIPEGEN_HELPER: collect } }
b: { stage: two, script: [x], needs: [a, { job: collect for b, artifacts: true }] }
"""


def test_helpers_are_jobs_and_templates_are_not() -> None:
    """Keywords are not jobs either."""
    jobs = read_jobs(FILE)

    assert jobs.names == ("a", "collect for b", "b")
    assert jobs.helpers == ("collect for b",)
    assert jobs.most_needs == len(["a", "collect for b"])


def test_a_file_without_jobs_has_no_needs() -> None:
    """The largest number of needs is 0."""
    assert read_jobs("stages: []\n").most_needs == 0
