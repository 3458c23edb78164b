"""The order read back from Jenkinsfiles."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from targets.jenkins.made import DIAMOND, jenkinsfile, plan, scripts

from pipegen.graph.blocks import added_waits
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.layout import cheapest_blocks
from pipegen.readback.groovy import Kind, Token, UnreadableError, tokens
from pipegen.readback.jenkins import order

MODELS = Path(__file__).parents[3] / "shared" / "output" / "jenkins"


def relation(graph: ExecutionGraph) -> set[tuple[str, str]]:
    """Return all pairs of a stage and one before it, however far."""
    return {(later, earlier) for later in graph.nodes for earlier in graph.ancestors(later)}


@st.composite
def graphs(draw: st.DrawFn) -> list[tuple[str, ...]]:
    """Draw arcs without a cycle over up to eight stages, with names that Groovy might trip over."""
    names = draw(st.lists(st.text(alphabet="ab'\"\\/*${}\n \uffff", min_size=1, max_size=4), min_size=1, unique=True))
    pairs = st.tuples(st.integers(0, len(names) - 1), st.integers(0, len(names) - 1)).filter(
        lambda pair: pair[0] < pair[1]
    )
    chosen = draw(st.lists(pairs, max_size=10)) if len(names) > 1 else []
    return [*((name,) for name in names), *((names[one], names[other]) for one, other in chosen)]


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_scripted_and_auto_say_the_graph(arcs: list[tuple[str, ...]]) -> None:
    """Nothing is lost and nothing added, whatever stages are called."""
    made = plan(*arcs)

    for style in ("auto", "scripted"):
        found = order(jenkinsfile(scripts(made), style=style))
        assert set(found.nodes) == set(made.graph.nodes)
        assert relation(found) == relation(made.graph)


@settings(max_examples=25, deadline=None)
@given(graphs())
def test_forced_declarative_adds_what_it_says(arcs: list[tuple[str, ...]]) -> None:
    """The added waits are those of the cheapest blocks, where no blocks say the graph exactly."""
    made = plan(*arcs)
    found = relation(order(jenkinsfile(scripts(made), style="declarative")))

    assert found - relation(made.graph) in (set(), set(added_waits(made.graph, cheapest_blocks(made.graph))))
    assert relation(made.graph) <= found


@pytest.mark.parametrize(
    ("name", "missing"), [("images", ()), ("service", (("docs", "unit"),))], ids=["images", "service"]
)
def test_model_files_in_both_styles(name: str, missing: tuple[tuple[str, str], ...]) -> None:
    """The two say the same, but for the wait that the declarative one admits to."""
    if not MODELS.is_dir():
        pytest.skip("the model outputs are not here")
    declarative, scripted = (
        relation(order((MODELS / f"{name}.{style}.Jenkinsfile").read_text("utf-8")))
        for style in ("declarative", "scripted")
    )

    assert declarative - scripted == set(missing)
    assert not scripted - declarative


def test_comments_and_strings_hold_no_stages() -> None:
    """Only code counts."""
    text = """
        // addStage('a') {}
        /* addStage('b') {} */
        String x = "addStage('c') { ${y ? "addStage('d')" : '}'} }"
        addStage('e\\'\\u0041', after: ['f'], onFailure: { echo(after: ['g']) }) { sh '''addStage('h')''' }
        addStage('f') {}
        def addStage(Map options = [:], String name) {}
    """

    assert order(text) == ExecutionGraph([("f", "e'A")])


def test_long_lists_and_texts_are_sums() -> None:
    """As they are written where one literal cannot hold them."""
    text = "addStage('a' + (char) 65535 + 'b') {}\naddStage('c', after: ['a' + (char) 65535 + 'b'] + []) {}"

    assert order(text) == ExecutionGraph([("a\uffffb", "c")])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "node { sh 'x' }",
        "pipeline { agent any }",
        "pipeline { stages { steps { } } }",
        "addStage('a",
        "addStage('a'",
        "addStage('a', after: ['b']) {}",
        'x = "${',
        "addStage(name) {}",
    ],
)
def test_other_text_is_refused(text: str) -> None:
    """No graph is better than a wrong one."""
    with pytest.raises(UnreadableError):
        order(text)


def test_tokens() -> None:
    """Words, the meaning of strings, and signs."""
    found = list(tokens('a.b1 \'\\n\\\\\' """x"y"""'))

    assert found == [
        Token(Kind.WORD, "a"),
        Token(Kind.SIGN, "."),
        Token(Kind.WORD, "b1"),
        Token(Kind.TEXT, "\n\\"),
        Token(Kind.TEXT, 'x"y'),
    ]


def test_a_diamond_keeps_its_arcs() -> None:
    """Scripted files name each stage's predecessors as the plan does."""
    made = plan(*DIAMOND)

    assert order(jenkinsfile(scripts(made), style="scripted")) == made.graph


def test_finally_stages_come_after_all_others_of_their_pipeline() -> None:
    """They come after a name of its own, which is no stage."""
    stages = ("addStage('p: a') {}", "addStage('q: b') {}", "addStage('p: c', after: ['all others of p']) {}")
    started = "advance(stagesReady('all others of p'))"

    assert order("\n".join((*stages, started))).arcs == (("p: a", "p: c"),)
    assert order("addStage('a') {}\naddStage('c', after: ['all others']) {}\nstagesReady('all others')").arcs == (
        ("a", "c"),
    )
