"""The order read back from Jenkinsfiles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from targets.jenkins.sample_plans import DIAMOND, jenkinsfile, plan, scripts

from pipegen.emit.template import render
from pipegen.graph.blocks import added_waits
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.layout import cheapest_blocks
from pipegen.readback.driver import Driver
from pipegen.readback.errors import UnknownDriverError, UnreadableError
from pipegen.readback.jenkins import order

MODELS = Path(__file__).parents[3] / "shared" / "output" / "jenkins"
DRIVER = render("jenkins/driver.j2", filters={}, body=Driver(0, tables=False))


def script(text: str) -> str:
    """Return a scripted file that begins with *text* and starts all stages."""
    return f"{text}\nrunStages(stagesReady())\n{DRIVER}"


def relation(graph: ExecutionGraph) -> set[tuple[str, str]]:
    """Return all pairs of a stage and one of its ancestors."""
    return {(later, earlier) for later in graph.nodes for earlier in graph.ancestors(later)}


@st.composite
def graphs(draw: st.DrawFn) -> list[tuple[str, ...]]:
    """Draw acyclic arcs of up to eight stages whose names contain Groovy syntax."""
    names = draw(st.lists(st.text(alphabet="ab'\"\\/*${}\n \ufffd", min_size=1, max_size=4), min_size=1, unique=True))
    pairs = st.tuples(st.integers(0, len(names) - 1), st.integers(0, len(names) - 1)).filter(
        lambda pair: pair[0] < pair[1]
    )
    chosen = draw(st.lists(pairs, max_size=10)) if len(names) > 1 else []
    return [*((name,) for name in names), *((names[earlier], names[later]) for earlier, later in chosen)]


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(graphs())
def test_scripted_and_auto_files_enforce_the_graph_exactly(arcs: list[tuple[str, ...]]) -> None:
    """No order is lost or added, for any stage names."""
    sample = plan(*arcs)

    for style in ("auto", "scripted"):
        graph = order(jenkinsfile(scripts(sample), style=style))
        assert set(graph.nodes) == set(sample.graph.nodes)
        assert relation(graph) == relation(sample.graph)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(graphs())
def test_forced_declarative_adds_only_the_reported_waits(arcs: list[tuple[str, ...]]) -> None:
    """They are the waits of the cheapest blocks, if no blocks are exact."""
    sample = plan(*arcs)
    pairs = relation(order(jenkinsfile(scripts(sample), style="declarative")))

    assert pairs - relation(sample.graph) in (set(), set(added_waits(sample.graph, cheapest_blocks(sample.graph))))
    assert relation(sample.graph) <= pairs


@pytest.mark.parametrize("name", ["images", "service"])
def test_handwritten_declarative_files_are_read(name: str) -> None:
    """A script is rejected if another driver starts its stages."""
    if not MODELS.is_dir():
        pytest.skip("the model outputs are not here")
    declarative, scripted = (
        (MODELS / f"{name}.{style}.Jenkinsfile").read_text("utf-8") for style in ("declarative", "scripted")
    )

    assert relation(order(declarative))
    with pytest.raises(UnknownDriverError):
        order(scripted)


def test_stages_on_one_line_are_read() -> None:
    """Groovy ends statements with semicolons, too."""
    text = "pipeline { stages { stage('a') { steps { } }; stage('b') { parallel { stage('c') { steps {} }; stage('d')"
    text += " { steps {} }; } }; } }"

    assert order(text) == ExecutionGraph([("a", "c"), ("a", "d")])


def test_stages_in_comments_and_strings_are_ignored() -> None:
    """Only code counts."""
    text = """
        // addStage('a') {}
        /* addStage('b') {} */
        String x = "addStage('c') { ${y ? "addStage('d')" : '}'} }"
        addStage('f') {}
        addStage('e\\'\\u0041', after: ['f'], onFailure: { echo(after: ['g']) }) { sh '''addStage('h')''' }
    """

    assert order(script(text)) == ExecutionGraph([("f", "e'A")])


def test_concatenated_lists_and_strings_are_read() -> None:
    """Generated files use them for values that do not fit into one literal."""
    text = "addStage('a' + (char) 65535 + 'b') {}\naddStage('c', after: ['a' + (char) 65535 + 'b'] + []) {}"

    assert order(script(text)) == ExecutionGraph([("a\uffffb", "c")])


@pytest.mark.parametrize("call", ["parallel(scans)", "parallel scans", "parallel a: { scan('a') }, b: { scan('b') }"])
def test_branches_in_groovy_before_the_stages_are_no_stages(call: str) -> None:
    """The setting `definitions` can contain any Groovy."""
    text = f"if (params.SCAN) {{\n  def scans = [x: {{ scan('x') }}]\n  {call}\n}}\naddStage('a') {{}}"

    assert order(script(text)) == ExecutionGraph([("a",)])


STAGE, OTHER = "stage('a') { steps { } }", "stage('a') {  steps { } }"
REFUSED = [
    ("", "neither a block", ""),
    ("node { sh 'x' }", "neither a block", ""),
    ("pipeline { agent any }", 'has no "stages"', "pipeline"),
    ("pipeline { stages { } }", "is empty", "{ }"),
    ("pipeline { stages { steps { } } }", '"steps" where a stage is expected', "steps"),
    ("pipeline { stages { stage('a') { } } }", 'needs exactly one of "stages"', "stage("),
    ("pipeline { stages { stage('a') { steps { } stages { } } } }", "needs exactly one of", "stage("),
    ("pipeline { stages { stage(name) { steps { } } } }", "a text is expected", "name"),
    ('pipeline { stages { stage("${x}") { steps { } } } }', "a text is expected", '"${x}"'),
    ("pipeline { stages { stage('a') { matrix { } } } }", 'the matrix has no "stages"', "matrix"),
    (
        "pipeline { stages { stage('a') { matrix { stages { stage('b') { steps { } } } } } } }",
        "a matrix's stages",
        "stage('a')",
    ),
    (f"pipeline {{ stages {{ {STAGE} {OTHER} }} }}", "two stages", OTHER),
    ("addStage('a", "a string is not closed", "'a"),
    ("addStage('a'", "is not closed", "('a"),
    ("addStage('a'))", "closes no bracket", ")"),
    ("stages { addStage('a' { } }", 'is not closed before "}"', "('a'"),
    ('x = "${', "is not closed", "${"),
    (script("addStage('a', after: ['b']) {}"), 'after "b", which does not exist', "addStage"),
    (script("addStage('a', after: ['b']) {}\naddStage('b', after: ['a']) {}"), '"a" never starts', "addStage"),
    (script("addStage('b') {}\naddStage('a', after: ['b', 'b']) {}"), "twice", "addStage('a'"),
    (script("addStage('a') {}\naddStage('a') {}"), "two stages", "addStage('a') {}\nrun"),
    (script("addStage(name) {}"), "a text is expected", "name"),
    (script("addStage('a', after: names) {}"), "a list of names", "names"),
    (script("addStage('a')"), "has no body", "addStage"),
    (script("for (n in names) { addStage('a') {} }"), 'called in "for"', "addStage"),
    (script("addStage('a') {}\nparallel branches"), "are unknown", "parallel"),
    (script("parallel x: { runStages(['a']) }\naddStage('a') {}"), "after stages have started", "addStage"),
    (script("addStage('a') {}\nrunStage('a')"), "order is unknown", "runStage"),
    (script("addStage('a') {}\nforget(stagesReady())"), "order is unknown", "stagesReady"),
    (f"addStage('a') {{}}\n{DRIVER}", "no stages are started", ""),
    (f"addStage('a') {{}}\nrunStages(['b'])\n{DRIVER}", '"b" is started', "runStages"),
    (f"addStage('a') {{}}\nrunStages([])\n{DRIVER}", '"a" never starts', "addStage"),
    (f"addStage('a') {{}}\nrunStages(stagesReady('a'))\n{DRIVER}", '"a" is a stage', "runStages"),
    (f"runStages(stagesReady())\naddStage('a') {{}}\n{DRIVER}", "after stages have started", "addStage"),
    (f"addStage('a') {{}}\nrunStages(stagesReady())\nrunStages(['a'])\n{DRIVER}", "starts twice", "runStages"),
]


@pytest.mark.parametrize(("text", "message", "location"), REFUSED, ids=range(len(REFUSED)))
def test_unsupported_files_are_rejected(text: str, message: str, location: str) -> None:
    """A rejected file is better than a wrong graph; the error has a location."""
    with pytest.raises(UnreadableError, match=re.escape(message)) as caught:
        order(text)

    assert text[caught.value.start :].startswith(location)


def test_a_diamond_keeps_its_arcs() -> None:
    """Scripted files name each stage's predecessors as the plan does."""
    sample = plan(*DIAMOND)

    assert order(jenkinsfile(scripts(sample), style="scripted")) == sample.graph


def test_finally_stages_follow_all_others() -> None:
    """They wait for a name that is not a stage; the call that reports it comes last."""
    text = f"""
        addStage('a') {{}}
        addStage('b', after: ['a']) {{}}
        addStage('c', after: ['all others']) {{}}
        try {{ runStages(stagesReady()) }} finally {{ runStages(stagesReady('all others')) }}
        {DRIVER}"""

    assert order(text) == ExecutionGraph([("a", "b", "c")])


def test_parallel_pipelines_are_independent() -> None:
    """Each is a branch; finally stages of one do not wait for the other."""
    text = f"""
        if (isSelected('p')) {{ addStages1() }}
        addStages2()
        Map pipelines = [:]
        pipelines['p'] = {{
            node('x') {{
                try {{ runStages(['p: a'] + roots1()) }} finally {{ runStages(stagesReady('all others of p')) }}
            }}
        }}
        if (isSelected('q')) {{
            pipelines['q'] = {{ runStages(['q: a']) }}
        }}
        if (pipelines) {{
            parallel pipelines
        }}
        def addStages1() {{
            addStage('p: a') {{}}
            addStage('p: b') {{}}
            addStage('p: c', after: ['all others of p']) {{}}
        }}
        def addStages2() {{
            addStage('q: a') {{}}
        }}
        List roots1() {{
            return ['p: b']
        }}
        {DRIVER}"""

    assert order(text) == ExecutionGraph([("p: a", "p: c"), ("p: b", "p: c"), ("q: a",)])
