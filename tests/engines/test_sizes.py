"""Jenkinsfiles of any size stay within Jenkins' limits, as counted in Groovy's own syntax tree."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines import jenkins_harness
from engines.jenkins_sizes import LARGEST_MAP, LONGEST_LIST, LONGEST_TEXT, MOST_STATEMENTS, Sizes, measure
from engines.requirement import require
from engines.sized import Built, as_tables, built, gathering, light, many, over, realistic, repeated, wide

from pipegen.targets.jenkins import model

pytestmark = pytest.mark.xdist_group("sizes")

_ROOT = Path(__file__).parents[2]
_CONFIGS = (
    *sorted((_ROOT / "tests/golden").glob("*/pipeline.yml")),
    *sorted((_ROOT / "examples").glob("*/pipegen.y*ml")),
)
_LIGHT = "    stage('s{n}') {{ agent any\n steps {{ sh 'make'\n sh 'make check'\n sh 'x'\n echo 'y' }} }}\n"
_REALISTIC = """\
    stage('s{n}') {{
        agent {{ label 'linux' }}
        when {{ branch 'main' }}
        environment {{ A = 'a{n}' }}
        options {{ timeout(time: 5, unit: 'MINUTES') }}
        steps {{
            sh 'make s{n}'
            stash name: 's{n}', includes: 'out/'
        }}
        post {{ failure {{ echo 'no' }} }}
    }}
"""


def declarative(count: int, stage: str, after: str = "") -> str:
    """Return a declarative pipeline of *count* stages."""
    stages = "".join(stage.format(n=number) for number in range(count))
    return f"pipeline {{\n  agent none\n  stages {{\n{stages}  }}\n}}\n{after}"


def flat(count: int) -> str:
    """Return a script of *count* stages."""
    body = "node {{\n checkout scm\n sh 'make s{n}'\n archiveArtifacts artifacts: 'x', allowEmptyArchive: true\n }}"
    return "".join(f"stage('s{number}') {{\n{body.format(n=number)}\n}}\n" for number in range(count))


def side_by_side(count: int) -> str:
    """Return one `parallel` of *count* branches."""
    steps = "checkout scm\n sh 'make s{n}'\n stash name: 's{n}', includes: 'x'"
    stage = f"  s{{n}}: {{{{ stage('s{{n}}') {{{{ node {{{{ {steps} }}}} }}}} }}}},\n"
    return f"parallel(\n{''.join(stage.format(n=number) for number in range(count))})\n"


# A shape, the number of stages that Jenkins accepts, and the number that it rejects: "Method code too large".
_MEASURED: dict[str, tuple[Callable[[int], str], int, int]] = {
    "light": (lambda count: declarative(count, _LIGHT), 76, 77),
    "realistic": (lambda count: declarative(count, _REALISTIC), 32, 33),
    "calls": (lambda count: declarative(count, "    stage('s{n}') {{ steps {{ f{n}() }} }}\n"), 192, 196),
    "flat": (flat, 86, 87),
    "parallel": (side_by_side, 72, 73),
}
_LEAST_BROKEN, _MOST_TAKEN = 2_521, 3_389


@pytest.mark.parametrize("shape", _MEASURED)
def test_counted_nodes_agree_with_measured_limits(shape: str) -> None:
    """Files that Jenkins accepted have no more nodes than the limit, rejected ones have more."""
    require(jenkins_harness.available())
    text, taken, refused = _MEASURED[shape]
    sizes = measure({"taken": text(taken), "refused": text(refused)})

    assert sizes["taken"].script <= _MOST_TAKEN
    assert sizes["refused"].script >= _LEAST_BROKEN


def test_each_size_is_counted() -> None:
    """The largest of each kind, anywhere in the file."""
    require(jenkins_harness.available())
    text = f"""\
        def f(int a) {{
            sh 'é{"x" * 70}'
            return [1, [2, 3, 4]]
        }}
        stage('s') {{
            echo 'a'
            echo 'b'
            g(a: 1, b: 2) {{ -> f(1) }}
        }}
    """
    sizes = measure({"it": text})["it"]

    assert sizes.methods == {"f/1": 1 + 5 + 7}
    assert sizes.script == 1 + 7 + 5 + 5 + (4 + 1 + 6 + 2 + 5)
    assert (sizes.statements, sizes.list, sizes.map, sizes.closures) == (3, 3, 2, 2)
    assert (sizes.units, sizes.bytes) == (71, 72)
    assert sizes.broken() == ()


def test_each_exceeded_limit_is_reported() -> None:
    """With its name, the size and the limit."""
    require(jenkins_harness.available())
    names = [f"f{number}" for number in range(701)]
    texts = {
        "nodes": "sh 'a'\n" * 240 + "sh 'a', [1, 2]\n" * 60,
        "statements": "echo\n" * (MOST_STATEMENTS + 1),
        "list": f"x = [{', '.join('1' * (LONGEST_LIST + 1))}]",
        "map": f"x = [{', '.join(f'a{number}: 1' for number in range(LARGEST_MAP + 1))}]",
        "units": f"x = '{'x' * (LONGEST_TEXT + 1)}'",
        "bytes": f"x = '{'é' * 40_000}'",
        "methods": "".join(f"def {name}() {{ }}\n" for name in names),
    }
    values = measure(texts)

    assert {name for name, sizes in values.items() if any(limit.startswith(name) for limit in sizes.broken())} == {
        *texts
    }


@pytest.fixture(scope="module")
def all_built() -> Mapping[str, Built]:
    """Return the files of all goldens and examples, in each form, and of configs of many sizes."""
    require(jenkins_harness.available())
    patch = pytest.MonkeyPatch()
    data = {}
    for path in _CONFIGS:
        data[path.parent.name] = built(path)
        data[f"{path.parent.name}, tables"] = as_tables(path, patch)
    for count in (20, 100, 300):
        data[f"{count} light"] = built(light(count))
    for count in (20, 60, 150):
        data[f"{count} realistic"] = built(realistic(count))
    data["60 in a declarative pipeline"] = built(light(60), "declarative")
    data["inputs"] = built(many(inputs=60))
    data["many inputs"] = built(many(inputs=300))
    data["a join"] = built(many(join=300))
    data["many roots"] = built(wide(320))
    data["many files"] = built(gathering(245))
    data["pipelines"] = built(many(pipelines=12))
    data["many pipelines"] = built(many(pipelines=200, stages=1))
    return data


@pytest.fixture(scope="module")
def counted(all_built: Mapping[str, Built]) -> Mapping[str, Sizes]:
    """Return the sizes of these files, counted by one JVM."""
    return measure({name: pipeline_build.text for name, pipeline_build in all_built.items()})


def test_no_generated_file_exceeds_a_limit(counted: Mapping[str, Sizes]) -> None:
    """For large numbers of stages, inputs, pipelines or predecessors."""
    assert {name: sizes.broken() for name, sizes in counted.items() if sizes.broken()} == {}


def test_estimated_sizes_are_close_and_never_too_small(
    all_built: Mapping[str, Built], counted: Mapping[str, Sizes]
) -> None:
    """For every method with an estimate."""
    missed, far = {}, {}
    for name, pipeline_build in all_built.items():
        nodes = {**counted[name].methods, "": counted[name].script}
        weights = pipeline_build.weights()
        missed[name] = over(weights, nodes)
        far[name] = [at for at, weight in weights.items() if weight > 1.3 * nodes[at] + 60]

    assert {name: methods for name, methods in missed.items() if methods} == {}
    assert {name: methods for name, methods in far.items() if methods} == {}


def test_the_form_of_a_file_depends_on_its_size(all_built: Mapping[str, Built]) -> None:
    """Inline code for few stages, functions for more, and tables past the limit of a class."""
    forms = {}
    for name in ("20 light", "60 in a declarative pipeline", "60 realistic", "300 light", "150 realistic"):
        body = all_built[name].file.body
        if isinstance(body, model.Declarative):
            forms[name] = "declarative"
        else:
            forms[name] = "tables" if body.tables else "functions" if body.chunks[0].function else "in place"

    assert forms == {
        "20 light": "in place",
        "60 in a declarative pipeline": "declarative",
        "60 realistic": "functions",
        "300 light": "functions",
        "150 realistic": "tables",
    }


def test_large_generated_files_are_valid(all_built: Mapping[str, Built]) -> None:
    """The validator and the sandbox have no findings, and the files compile."""
    texts = {
        name: pipeline_build.text
        for name, pipeline_build in all_built.items()
        if "tables" in name or name[0].isdigit() or "many" in name
    }
    values = jenkins_harness.validate(texts, bytecode=True)

    assert {name: findings for name, findings in values.items() if findings} == {}


@pytest.mark.parametrize("make", [light, realistic])
def test_thousands_of_stages_exceed_no_limit(make: Callable[[int], str]) -> None:
    """They are in tables, and the code does not grow with them."""
    require(jenkins_harness.available())
    builds = {700: built(make(700))}
    builds |= {count: repeated(builds[700], count) for count in (1_000, 5_000)}
    sizes = measure({str(count): pipeline_build.text for count, pipeline_build in builds.items()})

    assert {count: size.broken() for count, size in sizes.items()} == dict.fromkeys(sizes, ())
    assert len({(size.script, size.closures) for size in sizes.values()}) == 1
    for count, pipeline_build in builds.items():
        assert isinstance(pipeline_build.file.body, model.ScriptedPipelines)
        assert pipeline_build.file.body.tables is not None
        assert sum(text.count("\nstage ") for text in pipeline_build.file.body.tables.texts) == count
