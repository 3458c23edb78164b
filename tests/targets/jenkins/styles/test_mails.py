"""Functions with the mails of several stages."""

from __future__ import annotations

import pytest
from engines.sized import built

_CALL = "mailFailure()"


def generated(*stages: str, style: str = "declarative", keys: str = "", settings: str = "") -> str:
    """Return the file of a pipeline of *stages* with mails, and other *keys*."""
    notify = "notify: { email: { to: ops@example.org } }"
    return built(f"{settings}\npipelines: {{ p: {{ {notify}, {keys} stages: [{', '.join(stages)}] }} }}\n", style).text


def _stages(*names: str, more: str = "") -> list[str]:
    return [f"{{ name: '{name}', script: make {more} }}" for name in names]


@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_mails_that_differ_in_the_name_of_the_stage_are_one_function(style: str) -> None:
    """Jenkins knows the name of the stage, also of one in a matrix."""
    text = generated(
        *_stages("lint", "build", "release"), "{ name: unit, script: x, matrix: { v: [a, b] } }", style=style
    )

    assert text.count(_CALL) == 6
    assert text.count("mail to: 'ops@example.org'") == 1
    assert 'subject: "[Pipeline] ${env.PIPEGEN_PROJECT_SHORT_NAME} p/${env.STAGE_NAME} failed"' in text
    assert "during\\nstage ${env.STAGE_NAME}. See the log" in text


def test_mails_of_several_pipelines_have_a_function_for_each_of_them() -> None:
    """The names of their stages begin with that of their pipeline, which stands in the mail by itself."""
    notify = "notify: { email: { to: ops@example.org } }"
    pipelines = [
        f"'{name}': {{ {notify}, stages: [{', '.join(_stages('lint', name, 'build', 'docs', 'release'))}] }}"
        for name in ("my app", "other")
    ]
    text = built(f"pipelines: {{ {', '.join(pipelines)} }}\n", "scripted").text

    assert [text.count(call) for call in ("{ mailFailure() }", "{ mailFailure2() }")] == [4, 4]
    assert "${env.PIPEGEN_PROJECT_SHORT_NAME} other/${env.STAGE_NAME.minus('other: ')} failed\"" in text
    assert "during\\nstage ${env.STAGE_NAME.minus('my app: ')}. See the log" in text


def test_few_mails_stay_in_their_stages() -> None:
    """A function would be as long as they are."""
    text = generated(*_stages("lint", "build", "release"))

    assert _CALL not in text
    assert 'p/lint failed"' in text


def test_other_mails_stay_in_their_stages() -> None:
    """The name of a stage can be another word of the text, and a stage can have its own text."""
    own = "notify: { email: { subject: 'No release' } }"
    text = generated(*_stages("a", "b", "c", "d", "failed"), *_stages("own", more=f", {own}"))

    assert text.count("mail to:") == 3
    assert "'No release'" in text
    assert 'p/failed failed"' in text


def test_each_text_has_its_function() -> None:
    """Names in the definitions of the config are not used."""
    own = "notify: { email: { to: qa@example.org, subject: '${.stage}' } }"
    text = generated(
        *_stages("a", "b", "c", "d"),
        *_stages("e", "f", "g", "h", more=f", {own}"),
        settings="targets: { jenkins: { definitions: 'def mailFailure() { }' } }",
    )

    assert text.count("mailFailure2()") == 5
    assert text.count("mailFailure3()") == 5
    assert "subject: env.STAGE_NAME," in text


def test_stages_with_functions_of_their_own_keep_their_mails_there() -> None:
    """Their steps do not fit into the pipeline."""
    text = generated(*_stages(*(f"s{number}" for number in range(30)), more=", secrets: { A: a, B: b, C: c }"))

    assert text.count("failed30()") == 2
    assert text.count("mail to:") == 30
    assert "mailFailure" not in text


def test_a_step_of_a_shared_library_may_have_the_name() -> None:
    """The function has another one."""
    text = generated(*_stages("a", "b", "c", "d", more=", steps: { jenkins: [mailFailure], elsewhere: skip }"))

    assert text.count("mailFailure2()") == 5


def test_the_mail_follows_a_stage_behind_an_approval() -> None:
    """The stage that fails is the inner one."""
    text = generated(*_stages("a", "b", "c"), *_stages("d", more=", approve: Go?"))

    assert text.index("stage('approve d')") < text.index("stage('d')") < text.rindex("unsuccessful {")
    assert text.count(_CALL) == 5
