"""All lint rules together."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from types import FrameType

import pytest
from engines.requirement import require
from lint.findings import checked, stages

import pipegen.lint.rules
from pipegen.cli.linting import lint
from pipegen.compiler import analyse
from pipegen.config.files.load import load
from pipegen.diagnostics.codes import table
from pipegen.diagnostics.explain import page
from pipegen.diagnostics.model import Code, Severity
from pipegen.diagnostics.report import Report
from pipegen.lint.base import LintRule
from pipegen.lint.registry import FIXABLE_RULES, RULES, run_rules
from pipegen.lint.rules import shellcheck

CODES = [code for code in table() if code.number.startswith("PG7")]
ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((*ROOT.glob("examples/*/pipegen.yaml"), *ROOT.glob("examples/*/.pipeline/config.yaml")))
# Starter configs name images by version; a note suggests digests, because a version can be moved.
_NOTE = "PG716"
_EXAMPLE = re.compile(r"^## (Before|After)\n\n```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def reported_codes(text: str) -> set[str]:
    """Return the codes that the rules report for the config *text*."""
    report = Report()
    run_rules(RULES, checked(text), report)
    return {diagnostic.code.number for diagnostic in report.diagnostics()}


def large(number: int) -> str:
    """Return a config of *number* stages in layers of ten, with everything that rules check."""
    written = [
        f"{{name: s{place}, image: 'node:22', script: [make s{place}, 'echo ${{s{place - 10}.v}} | cat'], "
        f"env: {{A: b}}, outputs: {{v: {{command: ls}}}}, artifacts: [d{place}], when: {{branch: main}}}}"
        if place >= 10
        else f"{{name: s{place}, script: [make], outputs: {{v: {{command: ls}}}}, when: {{branch: main}}}}"
        for place in range(number)
    ]
    arcs = [f"[s{place - 10}, s{place}]" for place in range(10, number)]
    arcs += [f"[s{place - 11}, s{place}]" for place in range(11, number, 3)]
    return stages(*written, execution=f"[{', '.join(arcs)}]")


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.number)
def test_the_example_of_a_page_has_its_code(code: Code) -> None:
    """The example under "After" has no lint diagnostics."""
    if code.name.startswith("shellcheck"):
        require(None if shutil.which("shellcheck") else "shellcheck is not installed")
    examples = dict(_EXAMPLE.findall(page(code.number) or ""))

    assert reported_codes(examples["Before"]) - ({_NOTE} - {code.number}) == {code.number}
    assert reported_codes(examples["After"]) - ({_NOTE} - {code.number}) == set()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_examples_have_no_lint_diagnostics(path: Path) -> None:
    """Users start from them."""
    report = Report()
    lint(analyse(load(path, Report()), (), Report()), report)

    assert [diagnostic for diagnostic in report.diagnostics() if diagnostic.code.number != _NOTE] == []


def test_the_first_config_of_the_readme_has_no_lint_diagnostics() -> None:
    """A note about tags is allowed."""
    config = re.findall(r"^```yaml\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)[0]

    assert reported_codes(config) == {_NOTE}


def test_each_rule_has_a_file_with_the_name_of_its_code() -> None:
    """It is also registered; two rules have a second code with a lower severity."""
    files = {path.stem for path in Path(pipegen.lint.rules.__file__).parent.glob("*.py")} - {"__init__"}
    modules = [module_of(rule) for rule in RULES]

    assert files == set(modules) == {code.name.replace("-", "_") for code in CODES} - {"shellcheck_note", "bash_syntax"}
    assert len(modules) == len(files)
    assert set(FIXABLE_RULES) <= set(RULES)


def test_each_rule_has_tests() -> None:
    """To add a rule, add `tests/lint/rules/test_<module>.py`, which imports it."""
    texts = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("test_*.py"))
    imports = "\n".join(re.findall(r"^from pipegen\.lint\.rules\b.*$", texts, re.MULTILINE))

    assert [name for name in map(module_of, RULES) if not re.search(rf"\b{name}\b", imports)] == []


def test_rules_are_in_the_order_of_their_codes() -> None:
    """To add a rule, add it at the end of the tuple."""
    order = [code.name.replace("-", "_") for code in CODES]

    assert [name for name in order if name in {module_of(rule) for rule in RULES}] == [
        module_of(rule) for rule in RULES
    ]


def module_of(rule: LintRule) -> str:
    """Return the name of the module of *rule*."""
    return rule.__module__.rpartition(".")[2]


def test_only_one_rule_has_an_error() -> None:
    """Lint checks valid configs, but a script that the shell cannot parse fails in every run."""
    assert [code.number for code in CODES if code.severity is Severity.ERROR] == ["PG720"]


def calls_of(number: int) -> int:
    """Return the number of calls to run all rules except shellcheck on a config of *number* stages."""
    config = checked(large(number))
    count = 0

    def counted(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        run_rules([rule for rule in RULES if rule is not shellcheck.check], config, Report())
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.slow
def test_lint_time_is_linear_in_the_number_of_stages() -> None:
    """Calls are counted, because their number is the same on every machine."""
    small, large_ = calls_of(125), calls_of(500)

    assert large_ < 5 * small
