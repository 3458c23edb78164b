"""The order that a generated `.gitlab-ci.yml` enforces."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest
from ruamel.yaml import YAML

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.errors import UnreadableError
from pipegen.readback.gitlab import order, read_jobs
from pipegen.readback.plain import document as plain_document


def read(text: str) -> ExecutionGraph:
    """Return the order in the indented *text*."""
    return order(dedent(text))


def test_needs_are_the_order() -> None:
    """A job waits for its needs and for nothing else."""
    graph = read("""
        stages: [step 1, step 2]
        lint: { stage: step 1, script: ["true"] }
        build: { stage: step 1, script: ["true"] }
        test: { stage: step 2, needs: [{ job: build, artifacts: false }], script: ["true"] }
    """)

    assert graph == ExecutionGraph([["lint"], ["build", "test"]])


def test_images_may_have_tags_in_maps_of_one_line() -> None:
    """Such as a service; a job whose name begins with a dot is none."""
    graph = read("""
        stages: [step 1]
        .docker: { services: [{ name: docker:28-dind, alias: docker }] }
        build: { stage: step 1, extends: .docker, image: docker:28-cli, script: ["true"] }
    """)

    assert graph == ExecutionGraph([["build"]])


def test_a_job_without_needs_waits_for_all_earlier_stages() -> None:
    """GitLab's own order holds where a job says nothing."""
    graph = read("""
        stages: [step 1, step 2, step 3]
        lint: { stage: step 1, script: ["true"] }
        build: { stage: step 2, needs: [], script: ["true"] }
        test: { stage: step 3, script: ["true"] }
    """)

    assert graph == ExecutionGraph([["lint", "test"], ["build", "test"]])


def test_helper_jobs_are_looked_through() -> None:
    """Who waits for a helper waits for what the helper waits for, helpers of helpers included."""
    graph = read("""
        stages: [step 1, step 2]
        a: { stage: step 1, script: ["true"] }
        b: { stage: step 1, script: ["true"] }
        one: { stage: step 2, needs: [a, b], variables: { PIPEGEN_HELPER: "1" }, script: ["true"] }
        two: { stage: step 2, needs: [{ job: one, artifacts: true }], variables: { PIPEGEN_HELPER: "1" } }
        c: { stage: step 2, needs: [two], script: ["true"] }
    """)

    assert graph == ExecutionGraph([["a", "c"], ["b", "c"]])


def test_comments_say_nothing() -> None:
    """A need in a comment is no need."""
    graph = read("""
        # a -> b
        stages: [step 1]
        a: { stage: step 1, script: ["true"] }
        b: { stage: step 1, needs: [], script: ["true"] }  # needs: [a]
    """)

    assert graph == ExecutionGraph([["a"], ["b"]])


def test_what_is_no_job_is_no_node() -> None:
    """Keywords and hidden jobs are left out."""
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
    ("text", "message", "place"),
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
def test_other_text_is_refused(text: str, message: str, place: str) -> None:
    """No graph is better than a wrong one; the place is the one to look at."""
    with pytest.raises(UnreadableError, match=re.escape(message)) as caught:
        order(text)

    assert text[caught.value.start :].startswith(place)


def test_stages_have_usual_names_and_ends() -> None:
    """`.pre` and `.post` stand around the others, and `test` is where a job is that names none."""
    graph = read("""
        last: { stage: .post, script: x }
        unit: { script: x }
        make: { stage: build, script: x }
        first: { stage: .pre, script: x }
    """)

    assert graph.transitive_reduction() == ExecutionGraph([["first", "make", "unit", "last"]])


def test_nobody_waits_for_a_job_that_is_left_to_people() -> None:
    """A manual job that may fail holds no later stage up; one that rules make manual does."""
    graph = read("""
        stages: [one, two]
        stop: { stage: one, script: x, when: manual }
        gate: { stage: one, script: x, when: manual, allow_failure: false }
        ruled: { stage: one, script: x, rules: [{ when: manual }] }
        left: { stage: one, script: x, rules: [{ when: manual, allow_failure: true }] }
        end: { stage: two, script: x }
    """)

    assert graph.predecessors("end") == ("gate", "ruled")


def test_keys_come_from_the_jobs_that_are_extended() -> None:
    """The job's own win, and mappings are joined."""
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
def test_an_order_that_hangs_on_a_dropped_job_is_none(more: str) -> None:
    """A job that needs a missing one does not take over what that one would have waited for."""
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
def test_an_order_that_holds_whatever_is_dropped(rule: str, needs: str, more: str) -> None:
    """Where the job between cannot go missing, or is not the only way."""
    assert order(CONDITIONAL.format(rule=rule, needs=needs, more=more)).closure().is_before("a", "c")


def test_a_helper_that_may_be_dropped_carries_no_order() -> None:
    """Whoever needs it when it is there does not wait for what it waits for when it is not."""
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


def test_child_pipelines_run_where_they_are_started() -> None:
    """All of their jobs wait for what the start waits for, and whoever needs the start waits for all of them."""
    graph = order(PARENT.format(strategy=", strategy: depend"), {"child.yml": CHILD})

    assert graph.transitive_reduction() == ExecutionGraph([["a", "b", "c", "e"]])


def test_a_start_that_does_not_wait_ends_at_once() -> None:
    """Without the strategy that says so, what comes after waits for what the start has waited for."""
    graph = order(PARENT.format(strategy=""), {"child.yml": CHILD})

    assert graph.transitive_reduction() == ExecutionGraph([["a", "b", "c"], ["a", "e"]])


def test_a_child_pipeline_that_may_be_dropped_takes_its_jobs_along() -> None:
    """Only what it waits for itself hangs on it then."""
    text = PARENT.format(strategy=", strategy: depend").replace("needs: [a]", "needs: [a]\n  rules: [{ if: $A }]")
    optional = text.replace("[go]", "[{ job: go, optional: true }]")
    beside = text.replace("[go]", "[{ job: go, optional: true }, a]")

    with pytest.raises(UnreadableError, match='where rules drop "go", "e" does not wait for "a"'):
        order(optional, {"child.yml": CHILD})
    assert order(beside, {"child.yml": CHILD}).transitive_reduction() == ExecutionGraph([["a", "b", "c", "e"]])


def test_names_of_jobs_are_those_of_all_files() -> None:
    """Two jobs of one name cannot be told apart."""
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


def test_the_plain_style_is_read_as_any_other() -> None:
    """What is read line by line says what a YAML reader says."""
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


def test_jobs_are_what_has_a_stage() -> None:
    """Helpers among them; keywords and templates are none."""
    jobs = read_jobs(FILE)

    assert jobs.names == ("a", "collect for b", "b")
    assert jobs.helpers == ("collect for b",)
    assert jobs.most_needs == len(["a", "collect for b"])


def test_a_file_without_jobs_has_no_needs() -> None:
    """Nothing is counted."""
    assert read_jobs("stages: []\n").most_needs == 0
