"""Conditions as Groovy, and the data that they need."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Pattern
from pipegen.plan.regexes.subset import portable_regex
from pipegen.source.text import SourceFile
from pipegen.targets import jenkins


def jenkinsfile(config: dict[str, Any], style: str = "scripted") -> str:
    """Return the Jenkinsfile of the valid *config*."""
    report = Report()
    file = SourceFile("pipegen.yaml", json.dumps({"inputs": {"level": "quick", "deploy": False}, **config}))
    (generated_file,) = generate(analyse(file, (), report), jenkins, {"style": style}, report)
    return generated_file.text


def expression_of(when: Any) -> str:
    """Return the Groovy condition of a stage with *when*."""
    stages = [{"name": "s", "script": ["make"], "when": when}]
    match = re.search(r"when: \{ (.*) \}\) \{$", jenkinsfile({"pipelines": {"p": {"stages": stages}}}), re.MULTILINE)
    assert match is not None
    return match[1]


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ({"branch": "main"}, "branch() == 'main'"),
        ({"not": {"branch": "it's"}}, r"branch() != 'it\'s'"),
        ({"branch": ["main", "release/**"]}, "branch() ==~ '(?d)main|release/.*'"),
        ({"tag": True}, "env.TAG_NAME"),
        ({"tag": False}, "!env.TAG_NAME"),
        ({"tag": True, "event": "manual"}, "env.TAG_NAME && event() == 'manual'"),
        ({"tag": "/^v[0-9]+$/"}, "env.TAG_NAME ==~ 'v[0-9]+'"),
        ({"tag": "/^v/"}, "env.TAG_NAME ==~ '(?d)v(?s:.*)'"),
        ({"tag": r"/v\\\$$/"}, r"env.TAG_NAME ==~ '(?d)(?s:.*)v\\\\\\$'"),
        ({"tag": "/^v(1|2)$|[|]x/"}, r"env.TAG_NAME ==~ '(?d)(?s:.*)(?:^v(1|2)\\z|[\\|]x)(?s:.*)'"),
        ({"tag": "/^v(1|2)[|]x$/"}, r"env.TAG_NAME ==~ 'v(1|2)[\\|]x'"),
        ({"tag": ["/v/", "a*"]}, "env.TAG_NAME ==~ '(?d)(?s:.*)v(?s:.*)|a[^/]*'"),
        ({"tag": ["/(?i)^v$/", "/^a$/", "/^(b|c)$/"]}, "env.TAG_NAME ==~ '(?:(?iu)v)|a|(?:(b|c))'"),
        ({"not": {"tag": "*"}}, r"!(env.TAG_NAME ==~ '(?!\\z)[^/]*')"),
        ({"tag": "/(?i)V/"}, "env.TAG_NAME ==~ '(?d)(?iu)(?s:.*)V(?s:.*)'"),
        ({"event": ["push", "tag"]}, "event() in ['push', 'tag']"),
        ({"not": {"event": ["push", "tag"]}}, "!(event() in ['push', 'tag'])"),
        ({"env": {"class": "x"}}, "env.getProperty('class') == 'x'"),
        ({"inputs": {"level": "full"}}, "params.level == 'full'"),
        ({"inputs": {"deploy": True}}, "\"${params.deploy}\" == 'true'"),
        ({"equal": ["branch", "env.A"]}, "branch() && branch() == env.getProperty('A')"),
        ({"not": {"equal": ["inputs.level", "tag"]}}, "!(env.TAG_NAME && env.TAG_NAME == params.level)"),
        (
            {"any": [{"equal": ["env.A", "inputs.deploy"]}, {"tag": "b"}]},
            "\"${params.deploy}\" && \"${params.deploy}\" == env.getProperty('A') || env.TAG_NAME == 'b'",
        ),
        ({"changes": "a?"}, "hasChanged('a[^/]')"),
        ({"not": {"changes": {"paths": "a", "base": "main"}}}, "!hasChanged('a', 'main')"),
        ({"exists": "**/a"}, "isInRepository('(?d)(.*/)?a')"),
        (
            {"any": [{"branch": "a"}, {"branch": True, "tag": "b"}]},
            "branch() == 'a' || branch() && env.TAG_NAME == 'b'",
        ),
        (
            {"all": [{"any": [{"branch": "a"}, {"tag": "b"}]}, {"not": {"all": [{"branch": "c"}, {"tag": "d"}]}}]},
            "(branch() == 'a' || env.TAG_NAME == 'b') && !(branch() == 'c' && env.TAG_NAME == 'd')",
        ),
    ],
)
def test_conditions_become_groovy_expressions(when: Any, expected: str) -> None:
    """They call generated functions, with Java patterns that match the whole text."""
    assert expression_of(when) == expected


@pytest.mark.parametrize(
    "regex",
    ["^v1$", "^v", "1$", "v", "^(v|1)$", "^v|1$", "v$|^1", "^$", r"^v\\$", r"\\\$$", "^v.1", "^[v$]$", "^v(1|$)"],
)
def test_regular_expressions_match_the_same_texts_as_a_whole(regex: str) -> None:
    """An anchor at the start or the end is left out unless there are alternatives."""
    condition = expression_of({"tag": f"/{regex}/"})
    java = condition.removeprefix("env.TAG_NAME ==~ '").removesuffix("'").replace("\\\\", "\\").removeprefix("(?d)")
    tags = ("v1", "v", "1", "v1v", "xv1x", "v\\", "\\$", "v$", "$", "v\n1", "v1\n", "v|1", "vx1", "v\nx1")

    python = re.compile(java.replace(r"\z", r"\Z"))
    assert [tag for tag in tags if python.fullmatch(tag)] == [
        tag for tag in tags if Pattern(portable_regex(regex), is_regex=True).matches(tag)
    ]


def test_only_called_functions_are_generated() -> None:
    """Files are compared only if conditions read them."""
    stages = [{"name": "s", "script": ["make"], "when": {"branch": "main"}}]
    text = jenkinsfile({"pipelines": {"p": {"stages": stages}}})

    assert re.findall(r"^(?:String|boolean|def) (branch|event|lookAtFiles|hasChanged)\(", text, re.MULTILINE) == [
        "branch"
    ]
    assert "@Field String files" not in text


def test_groovy_of_the_user_gets_no_functions_for_files() -> None:
    """Without conditions that test files, the build does not list them."""
    wrap = {"wrap": ["hasChanged('a')", "isInRepository('a')"]}
    stages = [{"name": "s", "script": ["make"], "raw": {"jenkins": wrap}}]
    text = jenkinsfile({"pipelines": {"p": {"stages": stages}}})

    assert re.findall(r"^boolean (\w+)", text, re.MULTILINE) == []


@pytest.mark.parametrize("style", ["scripted", "declarative"])
@pytest.mark.parametrize("key", ["changes", "exists"])
def test_approvals_read_files_that_are_listed_before_the_stages(style: str, key: str) -> None:
    """The stage asks before it takes an agent."""
    stages = [{"name": "s", "script": ["make"], "approve": {"when": {key: "a"}, "message": "Go?"}}]
    text = jenkinsfile({"pipelines": {"p": {"stages": stages}}}, style)
    function = "hasChanged" if key == "changes" else "isInRepository"
    field = "changed" if key == "changes" else "files"

    assert f"afterApproval({function}('a'), message: 'Go?') {{" in text
    assert f"boolean {function}(" in text
    assert f"@Field String {field}" in text
    assert text.index("lookAtFiles()") < text.index("afterApproval(") < text.index("sh 'make'")


@pytest.mark.parametrize("style", ["scripted", "declarative"])
def test_changed_files_are_determined_before_the_stages(style: str) -> None:
    """Once per base branch; the default base only if a condition uses it."""
    whens = [{"exists": "a"}, {"changes": {"paths": "a", "base": "main"}}, {"changes": {"paths": "b", "base": "main"}}]
    stages = [{"name": f"s{number}", "script": ["make"], "when": when} for number, when in enumerate(whens)]
    text = jenkinsfile({"pipelines": {"p": {"stages": stages}}}, style)

    assert "node('') {\n    lookAtFiles(['main'])\n}\n" in text
    assert text.index("lookAtFiles(['main'])") < text.index("checkoutCommit()")


def test_a_conditional_first_stage_does_not_skip_the_checkout() -> None:
    """In a shared workspace, the checkout is then a separate stage."""
    stages = [{"name": "a", "script": ["make"], "when": {"branch": "main"}}, {"name": "b", "script": ["make"]}]
    text = jenkinsfile({"pipelines": {"p": {"workspace": "shared", "stages": stages}}}, "declarative")

    assert text.index("stage('checkout')") < text.index("checkoutCommit()") < text.index("stage('a')")


def test_a_stash_that_may_be_missing_is_optional() -> None:
    """If the reader runs only after its producer, the stash must exist."""
    stages = [
        {"name": "a", "script": ["make"], "when": {"branch": "main"}, "artifacts": ["x"]},
        {"name": "b", "script": ["make"]},
        {"name": "c", "script": ["make"], "when": {"branch": "main", "event": "push"}},
    ]
    text = jenkinsfile({"pipelines": {"p": {"stages": stages}}})

    assert re.findall(r"^    (?:hasStashed|unstash\w*) '\w'$", text, re.MULTILINE) == [
        "    hasStashed 'a'",
        "    unstashIfThere 'a'",
        "    unstash 'a'",
    ]


def test_a_finally_stage_encloses_only_alternatives() -> None:
    """The status of the pipeline and its own condition must both hold."""

    def condition(when: Any) -> str:
        stages = [{"name": "a", "script": ["make"]}, {"name": "b", "script": ["make"], "when": when}]
        return jenkinsfile({"pipelines": {"p": {"stages": stages, "execution": [["a"]], "finally": {"failed": ["b"]}}}})

    failed = "when: { statusOfAll('all others') == 'failed' && "
    assert f"{failed}branch() == 'main' }})" in condition({"branch": "main"})
    assert f"{failed}(branch() || env.TAG_NAME) }})" in condition({"any": [{"branch": True}, {"tag": True}]})
