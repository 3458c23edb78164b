"""Properties of the whole job in settings, in both styles."""

from __future__ import annotations

import pytest
from engines.sized import built

_CONFIG = "pipelines: {{ p: {{ stages: [{{ name: s, script: [make] }}] }} }}\ntargets: {{ jenkins: {{ {} }} }}\n"


def lines(settings: str, style: str) -> list[str]:
    """Return the lines of the file for a config with *settings*, without their margins."""
    return [line.strip() for line in built(_CONFIG.format(settings), style).text.splitlines()]


@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_a_bare_name_is_a_call(style: str) -> None:
    """Declarative knows no other form of an option, and `properties` takes a bare name for a variable."""
    found = lines("options: [disableResume], wrap: [timestamps]", style)

    assert ("disableResume()" if style == "declarative" else "disableResume(),") in found
    assert ("timestamps()" if style == "declarative" else "timestamps() {") in found


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
def test_what_is_no_option_makes_a_script(settings: str) -> None:
    """A library's step, a method, and what stands there twice."""
    assert "pipeline {" not in lines(settings, "auto")


def test_a_block_step_among_options_stands_around_the_stages_of_a_script() -> None:
    """The declarative style has one list for both; `properties` knows no block step."""
    assert "timeout(time: 5) {" in lines("options: ['timeout(time: 5)']", "scripted")
    assert "timeout(time: 5)" in lines("options: ['timeout(time: 5)']", "auto")


def test_the_users_option_takes_the_place_of_ours() -> None:
    """Jenkins refuses an option that is there twice."""
    found = lines("options: ['preserveStashes(buildCount: 5)']", "declarative")

    assert [line for line in found if line.startswith("preserveStashes")] == ["preserveStashes(buildCount: 5)"]
    assert "skipDefaultCheckout()" in found


def test_an_option_of_the_declarative_style_stands_there_alone() -> None:
    """A script cannot say it (PG608)."""
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
def test_a_step_that_needs_an_agent_is_refused_where_none_is(pipeline: str, style: str) -> None:
    """Jenkins 2.479.3 ends the build: `Required context class hudson.model.Computer is missing`."""
    with pytest.raises(AssertionError, match="PG610"):
        built(_IN_FOLDER.format(pipeline), style)


@pytest.mark.parametrize("style", ["auto", "declarative"])
def test_a_step_that_needs_an_agent_stands_inside_that_of_the_pipeline(style: str) -> None:
    """Declarative takes it before `options`; Jenkins 2.479.3 ran such a build."""
    assert "ws('x')" in built(_IN_FOLDER.format(_SHARED), style).text
