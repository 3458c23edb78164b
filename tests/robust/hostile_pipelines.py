"""Pipelines of other authors that multiply, nest or repeat, for the verbs that read them or compare their events.

Each is small, and GitLab or Jenkins would refuse most of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from robust.hostile_inputs import Input, bomb

GITLAB, JENKINS, CONFIG = ".gitlab-ci.yml", "Jenkinsfile", "pipegen.yaml"
CALLS = {"import": ("import", "%s", "-o", "-"), "graph": ("graph", "%s"), "plan": ("plan", "%s")}
_REPEATED = "a" * 40


def _job(keys: str) -> str:
    return f"a: {{script: [x], {keys}}}\n"


def _rule(condition: str) -> str:
    return f"variables: {{V: {_REPEATED}b}}\n" + _job(f"rules: [{{if: '{condition}'}}]")


def _levels(first: str, levels: int, line: Callable[[int], str], last: str) -> str:
    """Return *first*, a *line* for each level that uses the previous one, and *last*."""
    return "\n".join((first, *map(line, range(1, levels + 1)), last))


def _steps(groovy: str) -> str:
    return f"pipeline {{ agent any\n stages {{ stage('a') {{ steps {{\n{groovy}\n}} }} }} }}\n"


def _when(groovy: str) -> str:
    return f"pipeline {{ agent any\n stages {{ stage('a') {{ when {{ {groovy} }}\n steps {{ sh 'x' }} }} }} }}\n"


_PIPELINES: Mapping[str, str] = {
    # Regular expressions for which a backtracking matcher takes exponential time.
    "repetitions inside repetitions": _rule("$V =~ /^(a+)+$/"),
    "many repetitions": _rule(f"$V =~ /{'a*' * 20}c/"),
    "an expression in a variable": "variables: {R: '/^(a+)+$/', V: " + _REPEATED + "b}\n"
    "a: {script: [x], rules: [{if: '$V =~ $R'}]}\n",
    "a branch and repetitions": _job(f'only: ["{_REPEATED}b", "/^(a+)+$/"]'),
    "deep groups": _rule(f"$V =~ /{'(' * 5_000}a{')' * 5_000}/"),
    "braces in changes": _job(f'rules: [{{changes: ["{"{a,b}" * 30}"]}}]'),
    "braces in exists": _job(f'rules: [{{exists: ["{"{a}" * 30_000}"]}}]'),
    # Conditions that nest or multiply.
    "deep parentheses": _job(f"rules: [{{if: '{'(' * 50_000}$A{')' * 50_000}'}}]"),
    "open parentheses": _job(f"rules: [{{if: '{'(' * 50_000}'}}]"),
    "20,000 operands": _job(f"rules: [{{if: '{' || '.join(f'$A{at}' for at in range(20_000))}'}}]"),
    "alternatives of alternatives": _job(
        f"rules: [{{if: '{' && '.join(f'($A{at} || $B{at})' for at in range(30))}'}}]"
    ),
    "1,000 rules": "a:\n  script: [x]\n  rules:\n"
    + "".join(f"    - {{if: $A{at}, when: {('manual', 'never')[at % 2]}}}\n" for at in range(1_000)),
    "500 branches": "".join(f"a{at}: {{script: [x], only: [b{at}]}}\n" for at in range(500)),
    # Values that multiply.
    "variables that double": _levels(
        "variables:\n  A0: x",
        40,
        lambda at: f"  A{at}: $A{at - 1}$A{at - 1}",
        _job("image: $A40, variables: {B: $A40}"),
    ),
    "variables of the run that double": _levels(
        "variables:\n  A0: $CI_X", 19, lambda at: f"  A{at}: {f'$A{at - 1}' * 9}", _job("image: $A19")
    ),
    "references that double": _levels(
        ".a0: {script: [x]}",
        11,
        lambda at: f".a{at}: {{script: [{', '.join([f'!reference [.a{at - 1}, script]'] * 10)}]}}",
        "a: {script: [!reference [.a11, script]]}\n",
    ),
    "references to themselves": f".a: {{script: [{', '.join(['!reference [.a, script]'] * 4)}]}}\n"
    "a: {script: [!reference [.a, script]]}\n",
    "jobs that extend many": _levels(
        "j0: {script: [x]}", 10, lambda at: f"j{at}: {{extends: [{', '.join([f'j{at - 1}'] * 8)}]}}", ""
    ),
    "a merge bomb": bomb(10, 12, merged=True, job="a: {script: [x], <<: *a12}"),
    "an alias bomb": bomb(10, 9, job="a: {script: *a9}"),
    "20,000 documents": _job("tags: [x]") + "---\na: {script: [x]}\n" * 20_000,
    "a matrix of 10^12": _job(
        f"parallel: {{matrix: [{{{', '.join(f'A{at}: {list(range(10))}' for at in range(12))}}}]}}"
    ),
    "200,000,000 jobs": _job("parallel: 200000000"),
    "numbers of 5,000 digits": _job(
        f"retry: {'9' * 5_000}, timeout: {'9' * 5_000} days, parallel: {'9' * 5_000}, resource_group: 0x{'f' * 5_000}"
    ),
    "a cycle of needs": "include: {remote: https://example.org/a.yml}\n"
    + "".join(f"a{at}: {{script: [x], needs: [a{(at + 1) % 20}]}}\n" for at in range(20)),
    "5,000 jobs": "".join(f"a{at}: {{script: [x]}}\n" for at in range(5_000)),
    "open inputs": f"spec: {{inputs: {{a: {{}}}}}}\n---\na: {{script: ['{'$[[ inputs.a | ' * 20_000}']}}\n",
    "an include with many stars": f"include: ['{'*/' * 40}x.yml']\na: {{script: [x]}}\n",
    "an include of a long name": f"include: {'x' * 5_000}\na: {{script: [x]}}\n",
}
_JENKINSFILES: Mapping[str, str] = {
    "open slashes": _steps("x = " + "/\\" * 100_000),
    "deep blocks": _steps("script {" * 20_000 + "}" * 20_000),
    "deep lists": _steps("echo " + "[" * 20_000 + "]" * 20_000),
    "deep strings": _steps('sh "' + '${"' * 20_000 + "x" + '"}' * 20_000 + '"'),
    "open strings": _steps('sh "' + '${"' * 20_000),
    "open comments": "/* */ " * 100_000 + "/* x",
    "open brackets": "pipeline { stages { ( " * 10_000,
    "deep negations": _when("not {" * 20_000 + "branch 'x'" + "}" * 20_000),
    "deep expressions": _when("expression { " + "(!" * 5_000 + "env.A" + ")" * 5_000 + " }"),
    "repetitions inside repetitions": _when(
        f"anyOf {{ expression {{ env.V == '{_REPEATED}b' }}\n expression {{ env.V =~ /(a+)+$/ }} }}"
    ),
    "a branch and repetitions": _when(
        f"anyOf {{ branch '{_REPEATED}b'\n branch pattern: '(a+)+', comparator: 'REGEXP' }}"
    ),
    "a branch and stars": _when(f"anyOf {{ branch '{_REPEATED * 5}b'\n branch '{'*a' * 40}c' }}"),
    "alternatives of alternatives": _when(
        "\n".join(f"anyOf {{ branch 'a{at}'\n branch 'b{at}' }}" for at in range(30))
    ),
    "numbers of 5,000 digits": _steps(f"retry({'9' * 5_000}) {{ sh 'x' }}\n timeout({'9' * 5_000}) {{ sh 'x' }}"),
    "2,000 stages": "pipeline { agent any\n stages {\n"
    + "".join(f"stage('s{at}') {{ steps {{ sh 'x' }} }}\n" for at in range(2_000))
    + "} }",
    "functions that call themselves": "def f() { g()\n g() }\ndef g() { f()\n f() }\n" + _steps("f()"),
}

# Configs whose conditions distinguish many events, and the calls that search for these events.
EVENT_CALLS = (("plan", "--events"), ("test", "--write"))
_CONFIGS: Mapping[str, Callable[[int], str]] = {
    "patterns of branches": lambda at: f"branch: 'b{at}/**'",
    "patterns of branches and paths": lambda at: f"branch: 'b{at}/**', changes: ['d{at}/**']",
    "repetitions inside repetitions": lambda at: f"branch: '/^b{at}(a+)+$/'",
    "variables": lambda at: f"env: {{A{at}: x}}",
}
_STAGES = 120


def _conditional(when: Callable[[int], str]) -> str:
    stages = (f"      - {{name: s{at}, when: {{{when(at)}}}, script: [make]}}\n" for at in range(_STAGES))
    return f"pipelines:\n  p:\n    stages:\n{''.join(stages)}"


def _write(main: str, text: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / main).write_text(text, encoding="utf-8")
        for name in ("l1", "l2", "l3"):
            (folder / name).symlink_to(".")

    return write


def _doubling(folder: Path) -> None:
    """Write files that include each other, each with twice the value of its input."""
    (folder / GITLAB).write_text("include: {local: i0.yml, inputs: {v: [x, xx]}}\n", encoding="utf-8")
    value = "$[[ inputs.v ]]"
    for number in range(40):
        include = f"include: {{local: i{number + 1}.yml, inputs: {{v: ['{value}', '{value}']}}}}"
        (folder / f"i{number}.yml").write_text(f"spec: {{inputs: {{v: {{}}}}}}\n---\n{include}\n", encoding="utf-8")
    last = f"spec: {{inputs: {{v: {{}}}}}}\n---\na: {{script: '{value}'}}\n"
    (folder / "i40.yml").write_text(last, encoding="utf-8")


def inputs(verbs: Iterable[str] = CALLS) -> Iterator[Input]:
    """Yield each pipeline with each of *verbs*."""
    for verb in verbs:
        yield _input(f"{verb}: inputs that double", _doubling, verb, GITLAB)
        for main, pipelines in ((GITLAB, _PIPELINES), (JENKINS, _JENKINSFILES)):
            for name, text in pipelines.items():
                yield _input(f"{verb} of {main}: {name}", _write(main, text), verb, main)


def conditional_inputs() -> Iterator[Input]:
    """Yield configs with many conditions, for each verb that compares the events of a config."""
    for name, when in _CONFIGS.items():
        for call in EVENT_CALLS:
            title = f"{' '.join(call)}: {_STAGES} {name}"
            yield Input(title, _write(CONFIG, _conditional(when)), arguments=call, statuses=(0, 1))


def _input(name: str, write: Callable[[Path], None], verb: str, main: str) -> Input:
    call = tuple(main if word == "%s" else word for word in CALLS[verb])
    return Input(name, write, arguments=call, statuses=(0, 1))
