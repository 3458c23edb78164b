"""Scripts that mail jobs share."""

from __future__ import annotations

from typing import Any

import pytest
from targets.gitlab.compiled import compiled
from yaml_data import yaml_data


def _data(stages: str, email: str = "to: [t@example.org]") -> dict[str, Any]:
    """Return the data of a file whose *stages* send mail with the keys *email*."""
    data: dict[str, Any] = yaml_data(
        compiled(f"""
            pipelines: {{ p: {{ notify: {{ email: {{ {email} }} }}, stages: [{stages}] }} }}
            targets: {{ gitlab: {{ mail: {{}} }} }}
        """).text
    )
    return data


_TWO = "{ name: unit, script: x }, { name: end to end, script: x }"


def test_mail_jobs_share_a_script_that_reads_the_stage() -> None:
    """Each has its own needs."""
    data = _data(_TWO)
    script = data[".mail"]["script"][-1]

    assert '"Subject: [Pipeline] $CI_PROJECT_NAME p/$PIPEGEN_STAGE failed"' in script
    assert '"stage $PIPEGEN_STAGE. See the log' in script
    assert data["mail when unit fails"] == {
        "extends": ".mail",
        "stage": "unit",
        "needs": ["unit"],
        "variables": {"PIPEGEN_STAGE": "unit"},
    }
    assert data["mail when end to end fails"]["variables"] == {"PIPEGEN_STAGE": "end to end"}
    assert "script" not in data["mail when end to end fails"]
    assert data[".mail"]["variables"] == {"PIPEGEN_HELPER": "1", "GIT_STRATEGY": "none"}


def test_a_mail_may_have_the_stage_in_single_quotes() -> None:
    """The variable is in double quotes between them."""
    data = _data(_TWO, """to: [t@example.org], subject: '"${.stage}" failed: $5 \\'""")

    assert """'Subject: "'"$PIPEGEN_STAGE"'" failed: $5 \\'""" in data[".mail"]["script"][-1]
    assert data["mail when unit fails"]["variables"] == {"PIPEGEN_STAGE": "unit"}


def test_the_rules_of_mail_jobs_are_named_after_mails() -> None:
    """Without the word that the name of the stage follows."""
    stages = ", ".join(f"{{ name: s{number}, script: x }}" for number in range(4))
    keys = f"concurrency: {{ cancel: true }}, notify: {{ email: {{ to: [t@example.org] }} }}, stages: [{stages}]"
    data = yaml_data(
        compiled(f"""
            pipelines:
                  p: {{ when: {{ branch: main }}, defaults: {{ image: 'a:1' }}, {keys} }}
                  q: {{ when: {{ event: schedule }}, defaults: {{ image: 'b:1' }}, {keys} }}
            targets: {{ gitlab: {{ mail: {{}} }} }}
        """).text
    )

    assert [name for name in data if name.startswith(".rules")] == [".rules-p-mail", ".rules-q-mail"]


def test_a_mail_without_the_stage_needs_no_variable() -> None:
    """The texts are those of the user."""
    data = _data(_TWO, "to: [t@example.org], subject: failed, body: see there")

    assert data["mail when unit fails"] == {"extends": ".mail", "stage": "unit", "needs": ["unit"]}


@pytest.mark.parametrize("name", ["it''s", "a $b", "50% c"])
def test_a_stage_whose_name_a_variable_may_not_hold_has_its_own_script(name: str) -> None:
    """GitLab or the shell could expand it."""
    data = _data(f"{{ name: unit, script: x }}, {{ name: other, script: x }}, {{ name: '{name}', script: x }}")
    mails = [job for title, job in data.items() if title.startswith("mail when")]

    assert ["script" in job for job in mails] == [False, False, True]


def test_mails_share_a_script_with_and_without_rules() -> None:
    """A mail job has `when` itself, in place of its rules."""
    data = _data("{ name: unit, script: x }, { name: deploy, script: x, when: { branch: main } }")

    assert data[".mail"]["when"] == "on_failure"
    assert [data[f"mail when {name} fails"]["extends"] for name in ("unit", "deploy")] == [".mail"] * 2
    assert data["mail when deploy fails"]["rules"] == data["deploy"]["rules"]


def test_the_mails_of_a_stage_and_of_its_trigger_need_no_variable() -> None:
    """Both have the same text."""
    trigger = "trigger: { name: t, parameters: { V: '${.v}' } }"
    data = yaml_data(
        compiled(f"""
            pipelines:
              p:
                notify: {{ email: {{ to: t@example.org }} }}
                stages: [{{ name: it's, script: x, outputs: [v], {trigger} }}]
            targets: {{ gitlab: {{ mail: {{}}, projects: {{ t: group/t }} }} }}
        """).text
    )

    assert "PIPEGEN_STAGE" not in str(data[".mail"])
    assert data["mail when trigger t fails"] == {
        "extends": ".mail",
        "stage": "it's",
        "needs": ["trigger t"],
    }


def test_the_only_mail_job_has_its_own_script() -> None:
    """There is nothing to share."""
    data = _data("{ name: unit, script: x }")

    assert ".mail" not in data
    assert "script" in data["mail when unit fails"]


def test_a_stage_may_have_the_name_of_a_word_of_the_script() -> None:
    """`--upload-file` is an option of curl; alone, the stage first in the file would name it."""
    stages = ["upload", "unit", "log"]
    data = _data(", ".join(f"{{ name: {name}, script: x }}" for name in stages))

    assert "--upload-file" in data[".mail"]["script"][-1]
    assert "See the log for details" in data[".mail"]["script"][-1]
    for name in stages:
        assert data[f"mail when {name} fails"]["variables"] == {"PIPEGEN_STAGE": name}
        assert "script" not in data[f"mail when {name} fails"]


def test_the_mail_about_an_image_names_a_stage_that_uses_it() -> None:
    """Its script is that of the mail about this stage."""
    data = _data("{ name: unit, script: x, image: { dockerfile: Dockerfile } }, { name: b, script: x }")

    assert data["mail when image Dockerfile fails"]["variables"] == {"PIPEGEN_STAGE": "unit"}
    assert data["mail when unit fails"]["variables"] == {"PIPEGEN_STAGE": "unit"}
    assert data["mail when image Dockerfile fails"]["extends"] == ".mail"
