"""Properties of the whole job in settings, in both styles."""

from __future__ import annotations

import pytest
from engines.sized import built

_CONFIG = "pipelines: {{ p: {{ stages: [{{ name: s, script: [make] }}] }} }}\ntargets: {{ jenkins: {{ {} }} }}\n"


def lines(settings: str, style: str) -> list[str]:
    """Return the unindented lines of the file for a config with *settings*."""
    return [line.strip() for line in built(_CONFIG.format(settings), style).text.splitlines()]


@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_a_bare_option_name_becomes_a_call(style: str) -> None:
    """Declarative requires a call, and `properties` would read a bare name as a variable."""
    texts = lines("options: [disableResume], wrap: [timestamps]", style)

    assert ("disableResume()" if style == "declarative" else "disableResume(),") in texts
    assert ("timestamps()" if style == "declarative" else "timestamps() {") in texts


@pytest.mark.parametrize(
    "settings",
    [
        "wrap: [ourTeam]",
        "wrap: [ourTeam()]",
        "wrap: [\"docker.withRegistry('https://registry.example.org')\"]",
        "wrap: [\"lock('a')\", \"lock('b')\"]",
        "timestamps: true, wrap: [timestamps]",
        "wrap: ['timeout(5)'], options: ['timeout(6)']",
    ],
)
def test_settings_that_are_not_options_make_the_file_scripted(settings: str) -> None:
    """A library's step, a method, or a duplicate."""
    assert "pipeline {" not in lines(settings, "auto")


def test_a_block_step_in_options_wraps_the_stages_of_a_script() -> None:
    """Declarative has one list for both; `properties` does not accept block steps."""
    assert "timeout(time: 5) {" in lines("options: ['timeout(time: 5)']", "scripted")
    assert "timeout(time: 5)" in lines("options: ['timeout(time: 5)']", "auto")


_ATTEMPTS = """
pipelines:
  p:
    fail_fast: true
    stages:
      - { name: s, script: [make], artifacts: { paths: [f], when: always } }
      - { name: t, script: [make], when: { branch: main } }
      - { name: e, script: ['echo ${s.status}'], files_from: [s] }
      - { name: u, script: [make] }
    execution: [[s], [t, u]]
    finally: [e]
targets: { jenkins: { wrap: ['HEAD(3)'] } }
"""


@pytest.mark.parametrize("head", ["retry", "this.retry", "steps.retry"])
def test_each_attempt_of_all_stages_starts_anew(head: str) -> None:
    """The step `retry` of Jenkins runs its block again: with stages, results and stashes of this attempt only."""
    texts = [line.strip() for line in built(_ATTEMPTS.replace("HEAD", head), "scripted").text.splitlines()]
    start = texts.index(f"{head}(3) {{")
    empty = ("stages = [:]", "started = []", "stopped = []", "successes = []", "env.PIPEGEN_STASHES = ''")
    again = [
        texts.index(text, start) for text in (*empty, "addStage('s', failFast: 'p') {", "runStages(stagesReady())")
    ]

    assert again == sorted(again)
    assert "stages = [:]" not in lines("wrap: [timestamps]", "scripted")


def test_the_users_option_replaces_the_default() -> None:
    """Jenkins rejects duplicate options."""
    texts = lines("options: ['preserveStashes(buildCount: 5)']", "declarative")

    assert [line for line in texts if line.startswith("preserveStashes")] == ["preserveStashes(buildCount: 5)"]
    assert "skipDefaultCheckout()" in texts


def test_a_declarative_only_option_is_an_error_in_scripted_style() -> None:
    """Scripted pipelines have no such option (PG608)."""
    settings = "options: [skipStagesAfterUnstable, quietPeriod(5)]"

    assert {"skipStagesAfterUnstable()", "quietPeriod(5)"} <= {*lines(settings, "auto")}
    with pytest.raises(AssertionError, match="PG608"):
        lines(settings, "scripted")


_IN_FOLDER = """
pipelines: {{ p: {{ {} stages: [{{ name: s, script: [make] }}] }} }}
targets: {{ jenkins: {{ wrap: [ws('x')] }} }}
"""
_SHARED = "workspace: shared,"


@pytest.mark.parametrize(
    ("pipeline", "style"),
    [
        ("", "auto"),
        ("", "declarative"),
        ("", "scripted"),
        (_SHARED, "scripted"),
        (f"{_SHARED} concurrency: {{ group: g }},", "declarative"),
    ],
)
def test_a_wrapper_that_needs_an_agent_is_rejected_without_one(pipeline: str, style: str) -> None:
    """Jenkins 2.479.3 ends the build: `Required context class hudson.model.Computer is missing`."""
    with pytest.raises(AssertionError, match="PG610"):
        built(_IN_FOLDER.format(pipeline), style)


@pytest.mark.parametrize("style", ["auto", "declarative"])
def test_a_wrapper_that_needs_an_agent_is_inside_the_pipelines_agent(style: str) -> None:
    """Declarative takes the agent before `options`; Jenkins 2.479.3 ran such a build."""
    assert "ws('x')" in built(_IN_FOLDER.format(_SHARED), style).text


@pytest.mark.parametrize(
    ("key", "expected"), [("concurrency: {}", "disableConcurrentBuilds()"), ("timeout: 2h", "timeout(time: 120")]
)
def test_a_called_pipeline_has_the_settings_of_its_callers(key: str, expected: str) -> None:
    """They are set once, in the pipeline that calls."""
    stages = "stages: [{ name: s, pipeline: called }]"
    text = f"pipelines: {{ p: {{ {key}, {stages} }}, called: {{ stages: [{{ name: s, script: [make] }}] }} }}"

    assert expected in built(text, "auto").text
