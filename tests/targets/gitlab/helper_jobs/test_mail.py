"""The mail about a failed stage, sent by a shell to a fake curl that records its arguments and input."""

from __future__ import annotations

import os
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from targets.gitlab.compiled import Compiled, compiled

CURL = """#!/bin/sh
printf '%s\\n' "$@" >"$RECORD/arguments"
cat >"$RECORD/message"
"""
SHELLS = [shell for shell in ("dash", "bash", "busybox") if shutil.which(shell)]


def mailing(notify: str, *, before: str = "") -> Compiled:
    """Return a stage `deploy` that sends a mail when it fails, after the stages *before*."""
    return compiled(f"""
        pipelines:
          service:
            stages: [{before} {{ name: deploy, notify: {{ email: {notify} }} }}]
        targets: {{ gitlab: {{ mail: {{}} }} }}
    """)


def send(output: Compiled, folder: Path, shell: str, **variables: str) -> tuple[list[str], str]:
    """Run the script of the mail in *folder*; return curl's arguments and the message."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / "curl").write_text(CURL, encoding="utf-8")
    (tools / "curl").chmod(0o755)
    script = "\n".join(output.data["mail when deploy fails"]["script"])
    command = ["busybox", "sh", "-e"] if shell == "busybox" else [shell, "-e"]
    environment = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "RECORD": str(folder),
        "SMTP_URL": "smtp://mail:25",
        "SMTP_FROM": "ci@example.org",
        "CI_PIPELINE_URL": "https://gitlab/1",
        **variables,
    }
    subprocess.run([*command, "-c", script], cwd=folder, env=environment, check=True)
    if not (folder / "arguments").exists():
        return [], ""
    return (folder / "arguments").read_text(encoding="utf-8").splitlines(), (folder / "message").read_text("utf-8")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_mail_has_a_default_text(tmp_path: Path, shell: str) -> None:
    """It names project, pipeline, stage and log."""
    output = mailing("{ to: [team@example.org, 'a@example.org, b@example.org'] }")
    arguments, message = send(output, tmp_path, shell, CI_PROJECT_PATH="group/app", CI_PROJECT_NAME="app")

    recipients = [word for mark, word in pairwise(arguments) if mark == "--mail-rcpt"]
    assert recipients == ["team@example.org", "a@example.org", "b@example.org"]
    assert message.splitlines() == [
        "From: ci@example.org",
        "To: team@example.org, a@example.org, b@example.org",
        "Subject: [Pipeline] app service/deploy failed",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 8bit",
        "",
        "Pipeline service for project group/app failed during",
        "stage deploy. See the log for details: https://gitlab/1",
    ]


@pytest.mark.parametrize("shell", SHELLS)
def test_hostile_text_is_not_executed(tmp_path: Path, shell: str) -> None:
    """It arrives unchanged; a subject of several lines becomes one line."""
    output = mailing(
        r"""{ to: a@b.c, subject: "'; exit 1 #\n$(exit 1) \\ ${setup.branch}", body: "`exit 1`'''\\\n%s" }"""
    )
    _, message = send(output, tmp_path, shell, CI_COMMIT_BRANCH="$(exit 1)\nBcc: x@y.z")
    head, text = message.split("\n\n")

    assert "Subject: '; exit 1 # $(exit 1) \\ $(exit 1) Bcc: x@y.z" in head.splitlines()
    assert text == "`exit 1`'''\\\n%s\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_recipients_may_be_a_run_time_value(tmp_path: Path, shell: str) -> None:
    """An ancestor outputs the list."""
    output = mailing(
        "{ to: { $each: name, $in: '${people.output}', $yield: '${.name}@b.c' }, body: '${people.output}' }",
        before="{ name: people, build: people, run: { tail: 2 } },",
    )
    folder = tmp_path / ".pipegen/outputs/people"
    folder.mkdir(parents=True)
    (folder / "output").write_text("ann\nbob\n", encoding="utf-8")
    arguments, message = send(output, tmp_path, shell)

    assert output.needs("mail when deploy fails") == [("deploy", False), ("people", True)]
    assert arguments[-6:] == ["--mail-rcpt", "ann@b.c", "--mail-rcpt", "bob@b.c", "--upload-file", "-"]
    assert "To: ann@b.c, bob@b.c" in message.splitlines()
    assert message.endswith("\n\nann\nbob\n\n")


@pytest.mark.parametrize("shell", SHELLS)
def test_no_mail_is_sent_for_a_stage_that_did_not_run(tmp_path: Path, shell: str) -> None:
    """After a failed ancestor, its outputs are missing and the stage itself did not fail."""
    output = mailing("{ to: a@b.c, body: '${people.output}' }", before="{ name: people, build: x, run: { tail: 1 } },")

    assert send(output, tmp_path, shell) == ([], "")


def test_a_mail_needs_only_its_stage() -> None:
    """Its helper runs only on failure."""
    job = mailing("{ to: a@b.c }").data["mail when deploy fails"]

    assert {key: job[key] for key in ("stage", "needs", "when", "variables")} == {
        "stage": "deploy",
        "needs": [{"job": "deploy", "artifacts": False}],
        "when": "on_failure",
        "variables": {"PIPEGEN_HELPER": "1", "GIT_STRATEGY": "none"},
    }


def test_a_failed_trigger_also_sends_a_mail() -> None:
    """An awaited trigger is part of its stage.

    Stage and trigger have separate mails: GitLab skips a job that needs a skipped one, and the trigger of a failed
    stage is skipped.
    """
    output = compiled("""
        pipelines:
          service:
            stages:
              - name: deploy
                build: app
                trigger: { name: next, wait: true }
                notify: { email: { to: a@b.c } }
        targets: { gitlab: { mail: {}, projects: { next: group/next } } }
    """)

    assert output.needs("mail when deploy fails") == [("deploy", False)]
    assert output.needs("mail when trigger next fails") == [("trigger next", False)]
    assert output.data["mail when trigger next fails"]["when"] == "on_failure"


def test_a_mail_does_not_move_files() -> None:
    """The image of curl has its own user, who can only read the files of other jobs."""
    output = mailing("{ to: a@b.c, body: '${people.output}' }", before="{ name: people, build: x, run: { tail: 1 } },")
    script = "\n".join(output.data["mail when deploy fails"]["script"])

    assert "$(cat .pipegen/outputs/people/output && echo .)" in script
    assert "mv " not in script


def test_mails_have_the_condition_of_their_pipeline() -> None:
    """A pipeline that is not selected sends no mail."""
    output = compiled("""
        pipelines:
          one: { stages: [{ name: test, notify: { email: { to: a@b.c } } }] }
          two: { stages: [{ name: test }] }
        targets: { gitlab: { mail: {} } }
    """)

    job = output.data["one: mail when test fails"]

    assert (job["when"], len(job["rules"])) == ("on_failure", 1)


def test_mail_without_a_server_is_omitted() -> None:
    """With one warning per file and a line in the header."""
    output = compiled("""
        pipelines:
          service:
            notify: { email: { to: a@b.c } }
            stages: [{ name: test }, { name: deploy }]
    """)

    assert [code for code, _ in output.codes()] == ["PG624"]
    assert "# Left out: mails about failed stages; no mail server is set.\n" in output.text
    assert "mail when test fails" not in output.data
