"""`pipegen run`: local runs."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from cli.program import Pipegen, until

PROGRAM = (sys.executable, "-c", "from pipegen.__main__ import main; main()")
PIPELINE = """\
pipelines:
  p:
    stages:
      - name: build
        script: ['mkdir -p dist; echo made >dist/file', 'echo on ${setup.branch}']
        outputs: { v: { command: 'printf "a''b  \\n c\\n"' } }
        artifacts: [dist/]
      - name: unit
        script: ['printf "<%s>" "${build.v}"; cat dist/file']
      - name: bad
        script: [echo before, exit 7]
      - name: after-bad
        script: [echo never]
      - name: may
        allow_failure: true
        script: ['false']
      - name: other
        when: { branch: other }
        script: [echo never]
      - name: end
        script: ['echo ${pipeline.status} ${unit.status} ${bad.status} ${after-bad.status} ${other.status}']
    execution: [[build, unit], [bad, after-bad], [may], [other]]
    finally: [end]
"""


@pytest.fixture(autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the new folder in which runs store their data."""
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "test@example.org")
    return folder


@pytest.fixture
def write(empty: Path) -> Callable[..., Path]:
    """Return a function that makes the current folder a repository with a committed config."""

    def make(config: str, **files: str) -> Path:
        for name, text in {"pipegen.yaml": config, **files}.items():
            (empty / name).write_text(text, encoding="utf-8")
        for command in ("init --quiet --initial-branch=main", "add --all", "commit --quiet --message=all"):
            subprocess.run(("git", *command.split()), check=True)
        return empty

    return make


def logs(state: Path) -> dict[str, str]:
    """Return the logs of the stages that ran."""
    return {path.stem: path.read_text("utf-8") for path in state.rglob("logs/*.log")}


def remaining_files(state: Path) -> set[str]:
    """Return the files of runs other than logs, scripts and journals."""
    return {path.name for path in state.glob("pipegen/*/*/*")} - {"logs", "scripts", "journal.jsonl"}


@pytest.mark.parametrize("isolated", [(), ("--isolated",)], ids=["in the tree", "isolated"])
def test_a_local_run_has_the_results_of_an_engine(
    isolated: tuple[str, ...], write: Callable[..., Path], pipegen: Pipegen, state: Path
) -> None:
    """These are values, files, failures, conditions, finally stages and the order of stages."""
    folder = write(PIPELINE)
    result = pipegen("run", *isolated, "-j", "2", "--report", "run.json")
    values = logs(state)
    data = json.loads((folder / "run.json").read_text())
    stages = {stage["name"]: stage for stage in data["pipelines"][0]["stages"]}

    assert result.status == 1
    assert values["unit"] == "<a'b  \n c>made\n"
    assert values["end"] == "failed success failed skipped skipped\n"
    assert (values["build"], "after-bad" in values) == ("on main\n", False)
    assert {name: stage["status"] for name, stage in stages.items()} == {
        "build": "success",
        "unit": "success",
        "bad": "failed",
        "after-bad": "skipped",
        "may": "allowed",
        "other": "skipped",
        "end": "success",
    }
    assert stages["bad"]["tries"][0] | {"started": 0, "ended": 0, "log": ""} == {
        "number": 1,
        "started": 0,
        "ended": 0,
        "ending": "failed",
        "failure": "script",
        "exit_code": 7,
        "reason": 'exit status 7 at pipegen.yaml:11, "exit 7"',
        "log": "",
    }
    assert stages["build"]["tries"][0]["ended"] <= stages["unit"]["tries"][0]["started"]
    assert stages["end"]["tries"][0]["started"] >= max(
        attempt["ended"] for name, stage in stages.items() if name != "end" for attempt in stage["tries"]
    )
    assert (folder / "dist").exists() is not bool(isolated)
    # Files of isolated stages remain for a resumed run.
    assert remaining_files(state) == ({"artifacts", "work"} if isolated else set())


def test_output_to_a_pipe_is_lines(write: Callable[..., Path], pipegen: Pipegen) -> None:
    """They are the start and end of each stage, the ends of failed logs and the folder of the logs."""
    write(PIPELINE)
    lines = pipegen("run", "-j", "1").out.splitlines()
    texts = [re.sub(r"^ *[0-9.]+ s  |, [0-9.]+ s(: .*)?$", "", line) for line in lines]

    started = [line.split()[-1] for line in texts if line.startswith("start")]

    assert sorted(line for line in texts if line.startswith(("ok", "FAILED", "allowed", "skip"))) == [
        "FAILED   bad",
        "allowed  may",
        "ok       build",
        "ok       end",
        "ok       unit",
        "skip     after-bad: an earlier stage did not succeed",
        "skip     other: its condition is false",
    ]
    assert (sorted(started), started[-1]) == (["bad", "build", "end", "may", "unit"], "end")
    assert started.index("build") < started.index("unit")
    assert "  | before" in lines
    assert "3 ok, 1 failed, 1 failed as allowed, 2 skipped in" in "\n".join(lines)
    assert lines[-1].startswith("logs: /")


def test_a_stage_that_fails_without_output_has_no_log(write: Callable[..., Path], pipegen: Pipegen) -> None:
    """The summary names only logs that exist, with one blank line between stages."""
    write("pipelines: {p: {stages: [{name: a, script: [exit 1]}, {name: b, script: [exit 2]}], execution: [[a], [b]]}}")
    lines = pipegen("run", "-j", "1").out.splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("a failed"))

    assert (lines[start + 1 : start + 3], lines[start + 4 : start + 6]) == (["  no output", ""], ["  no output", ""])
    assert lines[start + 6].startswith("2 failed in")


def test_follow_shows_output_line_by_line(write: Callable[..., Path], pipegen: Pipegen) -> None:
    """Lines have the name of the stage and come before its result; escape sequences are removed."""
    hostile = r"printf '\\033[31mred\\033[0m\\n\\033]0;x\\007\\n'"
    write(f"""\
pipelines:
  p:
    stages:
      - {{ name: short, script: [echo one, sleep 0.3, "printf 'two\\nthree'"] }}
      - {{ name: hostile, script: ["{hostile}"] }}
      - {{ name: silent, script: ['true'] }}
    execution: [[short], [hostile, silent]]
""")
    shown = pipegen("run", "--follow", "-j", "2").out.splitlines()
    lines = [line for line in shown if " | " in line]

    assert [line for line in lines if line.startswith("short")] == ["short | one", "short | two", "short | three"]
    assert [line for line in lines if not line.startswith("short")] == ["hostile | red", r"hostile | \x1b]0;x\x07"]
    assert next(line for line in shown if "ok       short" in line) in shown[shown.index("short | three") :]


def test_follow_shows_long_lines_in_parts(write: Callable[..., Path], pipegen: Pipegen) -> None:
    """Reading a line again and again until its end took minutes for 100 MB."""
    write("pipelines: { p: { stages: [{ name: a, script: 'head -c 3000000 /dev/zero | tr \"\\0\" x' }] } }\n")
    lines = [line for line in pipegen("run", "--follow").out.splitlines() if line.startswith("a | ")]

    assert sum(line.count("x") for line in lines) == 3_000_000
    assert max(map(len, lines)) < 1_200_000


def test_dry_run_shows_the_stages_that_would_run(write: Callable[..., Path], pipegen: Pipegen, state: Path) -> None:
    """Nothing is run."""
    write(PIPELINE)
    result = pipegen("run", "--dry-run")

    assert result.status == 0
    assert "unit, after build" in result.out
    assert "other: skipped, its condition is false (line 17)" in result.out
    assert not list(state.iterdir())


def test_a_dry_run_needs_no_secrets(write: Callable[..., Path], pipegen: Pipegen) -> None:
    """It reports missing secrets, and shows the stages."""
    write("pipelines: { p: { stages: [{ name: a, secrets: { T: token, K: { file: k } }, script: 'x' }] } }\n")
    result = pipegen("run", "--dry-run")

    assert (result.status, result.err.count("PG820")) == (1, 2)
    assert result.out.splitlines()[-1].split() == ["1.", "a"]


def test_a_secret_is_reported_once_with_its_stages(write: Callable[..., Path], pipegen: Pipegen) -> None:
    """This holds even if each stage has its own entry for it."""
    write(
        "pipelines: { p: { defaults: { secrets: { T: token } }, stages: [\n"
        "  { name: a, script: x }, { name: b, script: x, secrets: { T: token, U: url } }, { name: c, script: x }] } }\n"
    )
    result = pipegen("run", "--dry-run")

    assert re.findall("PG820.*", result.err) == [
        'PG820]: the secret "token" is missing: the variable TOKEN is not set (stages "a", "b", "c")',
        'PG820]: the secret "url" is missing: the variable URL is not set',
    ]


def test_mail_that_is_not_sent_is_reported_once(write: Callable[..., Path], pipegen: Pipegen) -> None:
    """All stages have the recipients of the pipeline."""
    write("""
        pipelines:
          p:
            notify: { email: { to: team@example.org } }
            stages: [{ name: a, script: [':'] }, { name: b, script: [':'] }]
        """)
    result = pipegen("run", "--dry-run")

    assert result.err.count("info[PG827]: a local run sends no mail about failed stages") == 1


def test_a_selected_stage_runs_with_its_ancestors(write: Callable[..., Path], pipegen: Pipegen, state: Path) -> None:
    """Its own condition is ignored, because the user named the stage."""
    write(PIPELINE)

    assert pipegen("run", "--stage", "unit", "--stage", "other").status == 0
    assert set(logs(state)) == {"build", "unit", "other"}


def test_inputs_are_set_or_have_a_default(write: Callable[..., Path], pipegen: Pipegen, state: Path) -> None:
    """An input without a value is reported before anything runs."""
    config = "inputs: { level: { default: low }, key: {} }\npipelines: { p: { stages: [{ name: a, script: '%s' }] } }\n"
    write(config % "echo ${inputs.level} ${inputs.key}")

    assert "PG821" in pipegen("run").err
    assert pipegen("run", "--set", "key=$(x) y").status == 0
    assert logs(state)["a"] == "low $(x) y\n"


def test_an_isolated_run_has_the_staged_files(write: Callable[..., Path], pipegen: Pipegen, state: Path) -> None:
    """Git works in the copy at the same commit, and the user's repository is unchanged."""
    git = "git rev-parse HEAD; git status --short; echo changed >a; git symbolic-ref -q HEAD || :"
    script = f"LC_ALL=C ls -A; cat a; {git}"
    folder = write(f"pipelines: {{ p: {{ stages: [{{ name: a, script: '{script}' }}] }} }}\n", a="one\n")
    (folder / "a").write_text("two\n")
    subprocess.run(("git", "add", "a"), check=True)
    (folder / "a").write_text("three\n")
    (folder / "new").touch()
    commit = subprocess.run(("git", "rev-parse", "HEAD"), capture_output=True, text=True, check=True).stdout.strip()
    before = subprocess.run(("git", "status", "--short"), capture_output=True, text=True, check=True).stdout

    assert pipegen("run", "--isolated").status == 0
    assert logs(state)["a"].split("\n") == [".git", "a", "pipegen.yaml", "two", commit, "M  a", ""]
    assert (folder / "a").read_text() == "three\n"
    assert subprocess.run(("git", "status", "--short"), capture_output=True, text=True, check=True).stdout == before


def test_an_isolated_run_in_a_folder_with_a_line_break(
    write: Callable[..., Path], pipegen: Pipegen, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git cannot share the objects of such a repository, so the copies have their own."""
    folder = write("pipelines: { p: { stages: [{ name: a, script: 'git log --format=%s; cat a' }] } }\n", a="one\n")
    moved = folder.rename(folder.with_name("line\nbreak"))
    monkeypatch.chdir(moved)

    assert pipegen("run", "--isolated").status == 0
    assert logs(state)["a"].endswith("\none\n")


def test_an_isolated_run_in_a_hook_changes_nothing(
    write: Callable[..., Path], pipegen: Pipegen, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git tells hooks where the user's repository and the index of the commit are; stages work in their copy."""
    folder = write(
        "pipelines: { p: { stages: [{ name: a, script: 'cat a; git tag made; git rm -qf a' }] } }\n", a="one\n"
    )
    (folder / "a").write_text("two\n")
    subprocess.run(("git", "add", "a"), check=True)
    (folder / ".git/index").rename(folder / ".git/next-index.lock")
    subprocess.run(("git", "read-tree", "HEAD"), check=True)
    monkeypatch.setenv("GIT_DIR", str(folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(folder))
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index.lock")

    assert pipegen("run", "--isolated").status == 0
    assert logs(state) == {"a": "two\n"}
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name)
    asked = subprocess.run(("git", "symbolic-ref", "HEAD"), capture_output=True, text=True, check=True)
    assert asked.stdout.startswith("refs/heads/")
    assert subprocess.run(("git", "tag"), capture_output=True, text=True, check=True).stdout == ""


def test_a_shared_workspace_is_one_copy(write: Callable[..., Path], pipegen: Pipegen, state: Path) -> None:
    """Stages see the files of earlier ones; values are stored outside, and the user's tree is unchanged."""
    folder = write(
        """\
pipelines:
  p:
    workspace: shared
    stages:
      - { name: a, script: [echo 1 >left, 'printf v >$PIPEGEN_OUTPUTS/v'], outputs: [v] }
      - { name: b, script: ['cat left; printf ${a.v}; ls -A'] }
"""
    )

    assert pipegen("run", "--isolated").status == 0
    assert logs(state)["b"] == "1\nv.git\nleft\npipegen.yaml\n"
    assert not (folder / "left").exists()


def test_secrets_reach_only_their_stages_and_are_redacted(
    write: Callable[..., Path], pipegen: Pipegen, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They come from a file or the environment; the content of a file secret is redacted, too."""
    folder = write(
        """\
pipelines:
  p:
    stages:
      - name: asks
        secrets: { TOKEN: deploy-token, CLUSTER: { file: cluster }, REG: { password: registry } }
        script:
          - 'echo "$TOKEN $REG_USERNAME $REG_PASSWORD"; cat "$CLUSTER"; printf %s "$TOKEN" | wc -c'
      - name: does-not
        script: ['env | grep -c "DEPLOY_TOKEN\\|REGISTRY_PASSWORD" || :']
"""
    )
    (folder / "kube").write_text("server: x\nkey: s3cret-of-file\n")
    (folder / "vars.env").write_text("DEPLOY_TOKEN='one two'\nCLUSTER=kube\nREGISTRY_USERNAME=me\n")
    monkeypatch.setenv("REGISTRY_PASSWORD", "pass-word")

    assert pipegen("run", "--env-file", "vars.env").status == 0
    assert logs(state)["asks"] == "[masked] me [masked]\n[masked]\n[masked]\n7\n"
    assert logs(state)["does-not"] == "0\n"


def test_effects_need_permission(write: Callable[..., Path], pipegen: Pipegen, state: Path) -> None:
    """Without it, no stage starts; a stage that does not run needs none."""
    stage = "{ name: a, environment: production, approve: true, script: echo deployed%s }"
    folder = write(f"pipelines: {{ p: {{ stages: [{stage % ''}] }} }}\n")
    refused = pipegen("run")

    assert (refused.status, "PG824" in refused.err, logs(state)) == (1, True, {})
    assert pipegen("run", "--allow-effects").status == 0
    assert logs(state) == {"a": "deployed\n"}
    (folder / "pipegen.yaml").write_text(f"pipelines: {{ p: {{ stages: [{stage % ', when: {branch: x}'}] }} }}\n")
    assert pipegen("run").status == 0


def test_a_script_under_a_condition_of_jenkins_needs_permission(
    write: Callable[..., Path], pipegen: Pipegen, state: Path
) -> None:
    """A local run cannot evaluate it; steps of Jenkins alone need none."""
    steps = "steps: { jenkins: { around: ['if (isRelease())'], after: [announce] }, elsewhere: skip }"
    folder = write(f"pipelines: {{ p: {{ stages: [{{ name: a, {steps}, script: echo deployed }}] }} }}\n")
    refused = pipegen("run")

    assert (refused.status, '"a" has a condition that only Jenkins evaluates' in refused.err) == (1, True)
    assert pipegen("run", "--allow-effects").status == 0
    assert logs(state) == {"a": "deployed\n"}
    (folder / "pipegen.yaml").write_text(f"pipelines: {{ p: {{ stages: [{{ name: a, {steps} }}] }} }}\n")
    assert pipegen("run").status == 0


def test_keep_going_overrides_fail_fast(write: Callable[..., Path], pipegen: Pipegen) -> None:
    """The pipeline sets `fail_fast`."""
    write(
        "pipelines: { p: { fail_fast: true, stages: [{ name: a, script: 'false' }, { name: b, script: 'true' }], "
        "execution: [[a], [b]] } }\n"
    )

    assert "skip     b: no further stages start" in pipegen("run", "-j", "1").out
    assert "ok       b" in pipegen("run", "-j", "1", "--keep-going").out


@pytest.mark.parametrize("resources", ["{ cpu: 4096 }", "{ memory: 900000Gi }"])
def test_stages_take_processors_and_memory_of_the_machine(
    resources: str, write: Callable[..., Path], pipegen: Pipegen
) -> None:
    """Two stages that request more than there is take all of it in turn; the others run beside them."""
    stage = f"resources: {resources}, script: 'mkdir taken && sleep 0.2 && rmdir taken'"
    waits = "while ! test -e taken; do sleep 0.01; done"
    stages = f"[{{ name: a, {stage} }}, {{ name: b, {stage} }}, {{ name: c, script: '{waits}' }}]"
    write(f"pipelines: {{ p: {{ stages: {stages}, execution: [[a], [b], [c]] }} }}\n")

    assert pipegen("run", "-j", "3").status == 0


def test_reports_are_written(write: Callable[..., Path], pipegen: Pipegen) -> None:
    """There is a JUnit file, and a page with a chart and escaped logs."""
    folder = write(
        "pipelines: { p: { stages: [{ name: 'a<b', script: 'printf \"<b>\\\\033[1m&\\\\000\"; exit 3' }, "
        "{ name: c, script: c }] } }\n"
    )
    pipegen("run", "--report", "run.xml", "--report", "run.html")
    (suite,) = ET.parse(folder / "run.xml").getroot()  # noqa: S314 - our own
    page = (folder / "run.html").read_text()

    assert {key: suite.attrib[key] for key in ("name", "tests", "failures", "errors", "skipped")} == {
        "name": "p",
        "tests": "2",
        "failures": "1",
        "errors": "0",
        "skipped": "1",
    }
    assert [(case.attrib["name"], [child.tag for child in case]) for case in suite] == [
        ("a<b", ["failure"]),
        ("c", ["skipped"]),
    ]
    assert suite[0][0].text == "<b>\ufffd[1m&\ufffd"
    assert "<svg" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page


@pytest.mark.parametrize(
    "arguments",
    [
        ("--report", "run.txt"),
        ("--report", "none/run.json"),
        ("--jobs", "0"),
        ("--env-file", "none"),
        ("--env-file", "bad.env"),
        ("--set", "x"),
    ],
)
def test_invalid_options_are_wrong_usage(
    arguments: tuple[str, ...], write: Callable[..., Path], pipegen: Pipegen
) -> None:
    """They are rejected before anything runs, and no content of files is shown."""
    write(PIPELINE, **{"bad.env": "A=b\nsecret\n"})
    result = pipegen("run", *arguments)

    assert result.status == 2
    assert "secret" not in result.err


SLEEPS = """\
pipelines:
  p:
    stages:
      - { name: long, script: ['echo on; sleep 301 & sleep 302'] }
      - { name: away, script: ['setsid sleep 303 & echo on'] }
      - { name: next, script: [echo never] }
      - { name: end, script: ['echo end ${pipeline.status}'] }
    execution: [[long, next], [away]]
    finally: [end]
"""


def sleepers() -> list[str]:
    """Return the running processes of SLEEPS."""
    texts = subprocess.run(("ps", "-eo", "args"), capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in texts if re.fullmatch(r"sleep 30[123]", line)]


@pytest.fixture
def running(write: Callable[..., Path], state: Path) -> subprocess.Popen[str]:
    """Return a run of SLEEPS in which the first stage has started."""
    write(SLEEPS)
    process = subprocess.Popen((*PROGRAM, "run", "-j", "2"), stdout=subprocess.PIPE, text=True)
    until(lambda: logs(state).get("long") == "on\n" and logs(state).get("away") == "on\n")
    return process


def test_a_stage_that_an_interrupt_ends_is_cancelled(write: Callable[..., Path]) -> None:
    """Ctrl-C reaches also a process that is just starting."""
    write("pipelines: { p: { stages: [{ name: a, script: ['kill -INT $PPID', exit 130] }] } }\n")
    result = subprocess.run((*PROGRAM, "run"), capture_output=True, text=True, check=False)

    assert result.returncode == 130
    assert "cancelled a" in result.stdout


@pytest.mark.slow
def test_a_second_interrupt_kills_running_stages(running: subprocess.Popen[str], state: Path) -> None:
    """The first one only prevents new stages from starting."""
    running.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=30)

    assert running.returncode == 130
    assert "skip     next: no further stages start" in out
    assert "cancelled long" in out
    assert (sleepers(), remaining_files(state)) == ([], set())


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_run_leaves_no_processes(running: subprocess.Popen[str], state: Path, number: int) -> None:
    """This includes processes in their own session; the next run removes remaining files."""
    running.send_signal(number)
    running.communicate(timeout=30)

    until(lambda: sleepers() == [])
    subprocess.run((*PROGRAM, "run", "--stage", "end"), check=True, capture_output=True)
    assert remaining_files(state) == set()


@pytest.mark.slow
def test_finally_stages_run_after_an_interrupt(write: Callable[..., Path], state: Path) -> None:
    """They start when the running stages have ended."""
    write(SLEEPS.replace("sleep 301 & sleep 302", "sleep 1").replace("setsid sleep 303 &", ""))
    process = subprocess.Popen((*PROGRAM, "run", "-j", "2"), stdout=subprocess.PIPE, text=True)
    until(lambda: logs(state).get("long") == "on\n")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)

    assert process.returncode == 130
    assert logs(state)["end"] == "end failed\n"


@pytest.mark.slow
def test_a_terminal_shows_progress_and_asks_for_approval(write: Callable[..., Path]) -> None:
    """Running stages are redrawn below the finished ones."""
    config = """\
pipelines:
  p:
    stages:
      - { name: ask, approve: 'Go on?', script: [echo yes] }
      - { name: slow, script: [sleep 1] }
    execution: [[ask], [slow]]
"""
    write(config)
    status, shown = typed("y\ny\n")

    assert status == 0
    assert 'stage "ask" needs an approval: Go on? [y/N]' in shown
    assert "run      slow" in shown
    assert "ok       ask" in shown
    assert "2 ok in" in shown


def typed(text: str) -> tuple[int, str]:
    """Return the exit code and output of a run on a terminal where a user types *text*."""
    pid, terminal = os.forkpty()
    if pid == 0:
        os.execvpe(  # noqa: S606 - the program itself
            PROGRAM[0], (*PROGRAM, "run", "-j", "2"), {**os.environ, "TERM": "xterm", "CI": "", "NO_COLOR": "1"}
        )
    shown, waiting = b"", text.splitlines(keepends=True)
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        shown += data
        if waiting and shown.count(b"[y/N]") > len(text.splitlines()) - len(waiting):
            os.write(terminal, waiting.pop(0).encode())
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode()


def test_the_json_report_has_stable_keys(write: Callable[..., Path], pipegen: Pipegen) -> None:
    """Programs rely on them."""
    folder = write(PIPELINE)
    pipegen("run", "--report", "run.json")
    data: dict[str, Any] = json.loads((folder / "run.json").read_text())

    assert list(data) == ["version", "run", "config", "started", "seconds", "status", "pipelines", "longest_path"]
    assert (data["version"], data["config"], data["status"]) == (1, "pipegen.yaml", "failed")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", data["started"])
    assert list(data["pipelines"][0]) == ["name", "status", "stages"]
    assert list(data["pipelines"][0]["stages"][0]) == ["name", "status", "skipped", "ready", "seconds", "tries"]


def test_a_script_longer_than_an_argument_runs(write: Callable[..., Path], pipegen: Pipegen, state: Path) -> None:
    """The script of a failed stage is stored."""
    text = "x" * 200_000
    write(f"pipelines: {{ p: {{ stages: [{{ name: a, script: ['printf {text} | wc -c', 'false'] }}] }} }}\n")

    assert pipegen("run", "--stage", "a").status == 1
    assert logs(state)["a"].strip() == "200000"
    assert [path.name for path in state.rglob("scripts/*")] == ["a.sh"]


def test_only_failed_stages_leave_their_script(write: Callable[..., Path], pipegen: Pipegen, state: Path) -> None:
    """It has the text that was run."""
    write(PIPELINE)
    pipegen("run")
    scripts = {path.name: path.read_text() for path in state.rglob("scripts/*")}

    assert scripts == {"bad.sh": "echo before\nexit 7\n", "may.sh": "false\n"}


def test_only_stages_that_run_need_their_secrets_and_inputs(empty: Path, pipegen: Pipegen) -> None:
    """The same holds for a container program; a stage selected by name is one that runs."""
    (empty / "pipegen.yaml").write_text(
        """\
inputs: { version: { type: string } }
pipelines:
  p:
    stages:
      - { name: build, script: [echo build] }
      - name: release
        when: { branch: release }
        image: python:3.12
        secrets: { TOKEN: deploy-token }
        script: ['./release "${inputs.version}"']
"""
    )
    whole, dry = pipegen("run"), pipegen("run", "--dry-run")
    named = pipegen("run", "--stage", "release", "--dry-run")

    assert (whole.status, dry.status, named.status) == (0, 0, 1)
    assert "release: its condition is false" in whole.out
    assert {"PG820", "PG821"} <= set(re.findall(r"PG\d{3}", named.err))


@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_an_endless_env_file_is_rejected(empty: Path, pipegen: Pipegen, kind: str) -> None:
    """It may be a pipe without a writer or a link to a device."""
    (empty / "pipegen.yaml").write_text("pipelines: { p: { stages: [{ name: a, script: [':'] }] } }\n")
    if kind == "pipe":
        os.mkfifo(empty / "vars.env")
    else:
        (empty / "vars.env").symlink_to("/dev/zero")
    result = pipegen("run", "--dry-run", "--env-file", "vars.env")

    assert (result.status, "larger than 10 MiB" in result.err) == ((0, False) if kind == "pipe" else (2, True))
