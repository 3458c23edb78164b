"""The validator rejects the files that Jenkins rejects, at the right line, and no others."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from engines.jenkins_harness import Finding, validate
from engines.jenkins_jvm import available, compile_classes
from engines.requirement import require

_TABLE = Path(__file__).parent / "jenkins"
_MODELS = Path(__file__).parents[3] / "shared" / "output" / "jenkins"
_VALID = sorted((_TABLE / "valid").glob("*.Jenkinsfile"))
_INVALID = sorted((_TABLE / "invalid").glob("*.Jenkinsfile"))
_EXPECT = "// expect: "
_HERE = "// here"


@pytest.fixture(scope="module")
def findings() -> Mapping[str, tuple[Finding, ...]]:
    """Return the findings for every file of the table."""
    require(available())
    return validate({str(path): path.read_text("utf-8") for path in (*_VALID, *_INVALID)}, bytecode=True)


@pytest.fixture
def check() -> Callable[[str], tuple[Finding, ...]]:
    """Return a function that validates one text."""
    require(available())
    return lambda text: validate({"it": text}, bytecode=True)["it"]


def test_the_table_is_large_enough() -> None:
    """It has at least 60 files of each kind."""
    assert len(_VALID) >= 60
    assert len(_INVALID) >= 60


@pytest.mark.parametrize("path", _VALID, ids=lambda path: path.stem)
def test_a_valid_file_has_no_findings(findings: Mapping[str, tuple[Finding, ...]], path: Path) -> None:
    """Each file of the table is checked."""
    assert findings[str(path)] == ()


@pytest.mark.parametrize("path", _INVALID, ids=lambda path: path.stem)
def test_an_invalid_file_has_the_expected_finding(findings: Mapping[str, tuple[Finding, ...]], path: Path) -> None:
    """Exactly one, with its line and message."""
    lines = path.read_text("utf-8").splitlines()
    marked = [number for number, line in enumerate(lines, 1) if _HERE in line]
    (finding,) = findings[str(path)]

    assert lines[0].removeprefix(_EXPECT) in finding.message
    assert not marked or [finding.line] == marked


def test_the_model_outputs_are_valid() -> None:
    """They are hand-written."""
    require(available())
    models = sorted(_MODELS.glob("*.Jenkinsfile"))
    if not models:
        pytest.skip("the model outputs are not here")
    values = validate({path.name: path.read_text("utf-8") for path in models}, bytecode=True)

    assert values == dict.fromkeys(values, ())


def test_a_script_has_a_size_limit(check: Callable[[str], tuple[Finding, ...]]) -> None:
    """87 flat stages break Jenkins; the same number of functions, registered by name, does not."""
    flat = "stage('s{0}') {{\n    node {{\n        checkout scm\n        sh 'x'\n        stash 's{0}'\n    }}\n}}\n"
    split = "def f{0}() {{\n    stage('s{0}') {{\n        node {{\n            sh 'x'\n        }}\n    }}\n}}\n"
    (finding,) = check("".join(flat.format(number) for number in range(87)))

    assert finding.message.endswith("more than 1500: Method code too large")
    assert check("".join(split.format(number) for number in range(87))) == ()


def test_a_function_has_a_size_limit(check: Callable[[str], tuple[Finding, ...]]) -> None:
    """The finding has the function and its line."""
    (finding,) = check(
        "\ndef big() {\n" + "".join(f"    echo 'a' + 'b' + 'c{number}'\n" for number in range(240)) + "}\n"
    )

    assert finding.line == 2
    assert finding.message.startswith("the function big has ")


def test_a_block_has_at_most_250_statements(check: Callable[[str], tuple[Finding, ...]]) -> None:
    """250 statements are valid, 251 are not."""
    assert check("x()\n" * 250) == ()
    assert [finding.message for finding in check("x()\n" * 251)] == ["a block has 251 statements, more than 250"]


def test_a_string_has_a_size_limit(check: Callable[[str], tuple[Finding, ...]]) -> None:
    """The limit counts UTF-16 units, and class files count bytes."""
    assert check(f"x('{'a' * 65_535}')") == ()
    assert [finding.message for finding in check(f"x('{'a' * 65_536}')")] == [
        "a string literal has 65536 UTF-16 units, more than 65535"
    ]


def test_the_harness_is_compiled_once(tmp_path: Path) -> None:
    """Two concurrent starts share one folder of classes, and leave nothing else."""
    require(available())
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(compile_classes, [tmp_path] * 2)

    assert first == second
    assert list(tmp_path.iterdir()) == [first]
