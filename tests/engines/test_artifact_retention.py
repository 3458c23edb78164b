"""All engines retain the same artifacts after success and after failure; reports do not affect the result."""

import re
from pathlib import Path
from shlex import quote as quoted

import pytest
from engines.containers import Containers
from engines.gitlab_schema import check
from engines.proof import worlds
from engines.proof.execution import (
    CONFIG,
    DECLARATIVE,
    GITLAB_LOCAL,
    HERE,
    SCRIPTED,
    Engine,
    Execution,
    World,
    absent,
    execute,
)
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

pytestmark = pytest.mark.xdist_group("keeping")

ENGINES = {"gitlab": GITLAB_LOCAL, "scripted": SCRIPTED, "declarative": DECLARATIVE, "here": HERE}
REPORT = '<testsuite name="s"><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite>'
WRITE = f"printf %s '{REPORT}' >report.xml; mkdir -p log/deep; echo a >log/a; echo b >log/b.tmp; echo c >log/deep/c.tmp"
LATE = "it's $(touch canary) [a]* 1.2"
STAGES: dict[str, dict[str, object]] = {
    "red": {
        "script": [WRITE, "echo '[]' >found.json", "echo '{}' >sast.json", "false"],
        "artifacts": {"paths": ["log/"], "exclude": ["log/*.tmp", "log/deep"], "when": "always"},
        "reports": {
            "junit": "report.xml",
            "codequality": "found.json",
            "sarif": "none.sarif",
            "sast": "sast.json",
            "dast": "no",
        },
    },
    "green": {"script": [WRITE], "reports": {"junit": ["*.xml", "none/*.xml"], "coverage": "none.xml"}},
    "crashed": {"script": ["echo t >crash.log", "false"], "artifacts": {"paths": ["crash.log"], "when": "failure"}},
    "sound": {"script": ["echo t >sound.log"], "artifacts": {"paths": ["sound.log"], "when": "failure"}},
    "lost": {"script": ["echo t >lost.log", "false"], "artifacts": {"paths": ["lost.log"]}},
    "hidden": {
        "directory": "service",
        "script": [WRITE],
        "artifacts": {"paths": ["log/"], "exclude": ["**/*.tmp"], "keep": False},
    },
    "late": {
        "directory": "service",
        "script": [f"printf %s {quoted(LATE)} >v", 'mkdir -p "dist $(cat v)/sub"', 'echo late >"dist $(cat v)/sub/f"'],
        "outputs": {"v": {"file": "v"}},
        "artifacts": ["dist ${.v}/", "none-${.v}"],
    },
    "astray": {"script": ["printf ../x >v"], "outputs": {"v": {"file": "v"}}, "artifacts": ["${.v}"]},
    "named": {
        "script": ["mkdir named; for name in app-${setup.commit} app-1; do echo n >named/$name.log; done; false"],
        "artifacts": {"paths": ["named/*-${setup.commit}.log"], "when": "always"},
        "reports": {"junit": "${setup.commit}.xml"},
    },
    "last": {
        "script": [
            'find sound.log report.xml service/log -type f >"$RECORDS/last" 2>/dev/null || :',
            'cat "service/dist ${late.v}/sub/f" >"$RECORDS/late"',
        ]
    },
}


@pytest.fixture(scope="module", params=ENGINES)
def done(
    containers: Containers, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> tuple[Engine, Execution, Path]:
    """Return each execution in turn."""
    engine = ENGINES[request.param]
    require(absent(engine))
    folder = tmp_path_factory.mktemp("keeping")
    records = folder / "notes"
    records.mkdir()
    stages = [{"name": name, **keys} for name, keys in STAGES.items()]
    arcs = [
        ["sound", "hidden", "late", "last"],
        *([name] for name in ("red", "green", "crashed", "lost", "astray", "named")),
    ]
    text = yaml_text({"pipelines": {"keeping": {"stages": stages, "execution": arcs}}})
    repository = worlds.repository(folder / "repository", files={CONFIG: text, "service/see": ""})
    world = World(
        containers=containers, repository=repository, folder=folder / "world", variables={"RECORDS": str(records)}
    )
    return engine, execute(engine, world), records


def test_reports_do_not_affect_the_result(done: tuple[Engine, Execution, Path]) -> None:
    """Neither a report with a failure nor a missing report fails a successful stage; Jenkins shows it as unstable."""
    engine, execution, _ = done
    expected = dict.fromkeys(STAGES, "success") | dict.fromkeys(("red", "crashed", "lost", "astray", "named"), "failed")
    if engine.target == "jenkins":
        expected["green"] = "unstable"

    assert execution.outcomes == expected, execution.log


def test_retained_artifacts_can_be_downloaded(done: tuple[Engine, Execution, Path]) -> None:
    """Excluded files cannot; after a failure, only those for failures can."""
    engine, execution, _ = done
    names = {name for name in execution.downloads if name.endswith((".log", "/a", ".tmp"))}
    named = {name for name in names if name.startswith("named/")}
    names -= named

    assert [bool(re.fullmatch("named/app-[0-9a-f]{40}.log", name)) for name in named] == [True]

    if engine.target == "gitlab":
        # gitlab-ci-local supports neither `on_failure`, which it reads as success, nor permissions to download.
        assert names - {"service/log/a", "sound.log"} == {"log/a"}
        assert (execution.text.count("when: on_failure"), execution.text.count("access: none")) == (2, 1)
    else:
        assert names == {"log/a", "crash.log"}


def test_stages_get_artifacts_regardless_of_download(done: tuple[Engine, Execution, Path]) -> None:
    """Excluded files and those of failures are not passed on."""
    assert (done[2] / "last").read_text("utf-8").split() == ["service/log/a"]


def test_an_artifact_path_may_be_a_run_time_value(done: tuple[Engine, Execution, Path]) -> None:
    """A missing path is not a failure; one outside the directory is."""
    engine, execution, records = done

    assert (records / "late").read_text("utf-8") == "late\n"
    assert 'artifacts "../x" lie outside the directory of the stage' in execution.log
    if engine.target == "jenkins":
        assert f"service/dist {LATE}/sub/f" in execution.downloads


def test_reports_are_collected_after_a_failure(done: tuple[Engine, Execution, Path]) -> None:
    """By Jenkins' steps; for GitLab, the file is checked against the schema."""
    engine, execution, _ = done
    if engine.target == "gitlab":
        assert check(execution.text) == ()
        return
    if engine is HERE:
        return
    # Jenkins does not display this kind.
    assert "sast.json" in execution.downloads
    assert execution.log.count("No files found for pattern 'none.sarif'") == 1
    assert sorted((report["total"], report["failed"]) for report in execution.reports if "total" in report) == [
        (2, 1),
        (2, 1),
    ]
    assert {report["id"]: report["files"] for report in execution.reports if "id" in report} == {
        "analysisParser": ["found.json"],
        "sarif": [],
        "coverage": [],
    }
