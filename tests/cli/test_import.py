"""`pipegen import`: files, options and output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import Pipegen

from pipegen.importing.gitlab import importer

_SOURCE = "unit:\n  script: [make test]\n  hooks: { pre_get_sources_script: [echo] }\n"
_CONFIG = (
    "pipelines:\n  ci:\n    stages:\n      - name: unit\n        script: [make test]\n        raw:\n"
    "          gitlab: { hooks: { pre_get_sources_script: [echo] } }\n\ntargets:\n  gitlab: {}\n"
)


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".gitlab-ci.yml").write_text(_SOURCE, encoding="utf-8")


def test_default_files_need_no_arguments(pipegen: Pipegen) -> None:
    """The summary counts the keys by outcome."""
    result = pipegen("import")

    assert result.status == 0
    assert Path("pipegen.yaml").read_text(encoding="utf-8") == _CONFIG
    assert "pipegen.yaml written: of 4 keys, 2 are translated, 2 stay raw\nruns: the same for 16 events" in result.err
    assert '.gitlab-ci.yml:3:3: info[PG851] "hooks" of job "unit" stays a key of GitLab' in result.err


def test_each_hint_is_shown_once_below_the_lines(pipegen: Pipegen) -> None:
    """Other formats show it with each diagnostic."""
    Path(".gitlab-ci.yml").write_text(_SOURCE + _SOURCE.replace("unit", "other"), encoding="utf-8")
    hint = 'other engines do not read "raw": check that the stage works without it'
    concise = pipegen("import", "--no-proof").err
    text = pipegen("import", "--force", "--no-proof", "--diagnostics-format", "text").err

    assert f"\nhint[PG851]: {hint}\npipegen.yaml written" in concise
    assert (concise.count(hint), text.count(f"hint: {hint}")) == (1, 2)


def test_an_existing_file_is_not_overwritten(pipegen: Pipegen) -> None:
    """Only `--force` overwrites it."""
    Path("pipegen.yaml").write_text("mine", encoding="utf-8")
    refused = pipegen("import")

    assert refused.status == 2
    assert Path("pipegen.yaml").read_text(encoding="utf-8") == "mine"
    assert pipegen("import", "--force").status == 0
    assert Path("pipegen.yaml").read_text(encoding="utf-8") == _CONFIG


def test_an_invalid_file_is_not_imported(pipegen: Pipegen) -> None:
    """Syntax errors are reported at their line."""
    Path(".gitlab-ci.yml").write_text("unit: [", encoding="utf-8")
    result = pipegen("import")

    assert result.status == 1
    assert ".gitlab-ci.yml:1:8: error[PG102]" in result.err
    assert not Path("pipegen.yaml").exists()


@pytest.mark.parametrize(
    ("included", "code", "status"),
    [("unit2: [", "error[PG102]", 1), (Path("/etc/hostname"), "error[PG130]", 1), (None, "warning[PG852]", 0)],
)
def test_an_error_in_an_include_decides_the_exit_status(
    included: str | Path | None, code: str, status: int, pipegen: Pipegen
) -> None:
    """The config has the jobs of the other files; a file that does not exist is only a warning."""
    Path(".gitlab-ci.yml").write_text(f"include: {{ local: more.yml }}\n{_SOURCE}", encoding="utf-8")
    if isinstance(included, Path):
        Path("more.yml").symlink_to(included)
    elif included:
        Path("more.yml").write_text(included, encoding="utf-8")
    result = pipegen("import")

    assert (result.status, code in result.err) == (status, True)
    assert ("runs:" in result.err) is (status == 0)  # GitLab refuses a pipeline with errors
    assert Path("pipegen.yaml").read_text(encoding="utf-8") == _CONFIG


def test_import_can_write_to_standard_output(pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-o -` writes no file."""
    written: list[str] = []
    monkeypatch.setattr("pipegen.cli.commands.import_.show_file", written.append)

    assert pipegen("import", "-o", "-").status == 0
    assert written == [_CONFIG]
    assert not Path("pipegen.yaml").exists()


def test_the_report_counts_constructs(pipegen: Pipegen) -> None:
    """It is a table or JSON."""
    table = pipegen("import", "--report", "text").out
    data = json.loads(pipegen("import", "--report", "json", "--force").out)

    assert "hooks                                  0       0          0    1         0" in table
    assert data["keys"] == 4
    assert data["constructs"]["script"] == {"translated": 1, "unused": 0, "elsewhere": 0, "raw": 0, "reported": 0}


def test_the_report_can_be_a_page(pipegen: Pipegen) -> None:
    """It has the sum, each construct, and each diagnostic with its line."""
    page = pipegen("import", "--report", "html").out

    assert "<p>Of 4 keys, 2 are translated, 2 stay raw.</p>\n<p>Runs: the same for 16 events.</p>" in page
    assert "<tr><td>all</td><td>2</td><td>0</td><td>0</td><td>2</td><td>0</td></tr>" in page
    assert "<td>.gitlab-ci.yml:3</td><td>PG851 kept-raw</td>" in page


def test_an_audit_has_no_page(pipegen: Pipegen) -> None:
    """It is text or JSON."""
    assert pipegen("import", "--audit", ".", "--report", "html").status == 2


def test_an_audit_summarizes_all_pipelines(pipegen: Pipegen) -> None:
    """No file is written, and invalid files are named."""
    Path("other").mkdir()
    Path("other/.gitlab-ci.yml").write_text("unit: [", encoding="utf-8")
    result = pipegen("import", "--audit", ".")

    assert result.status == 0
    numbers = "4 keys: 2 translated, 0 unused, 0 elsewhere, 2 raw, 0 reported"
    assert f".gitlab-ci.yml  {numbers}; the same for 16 events" in result.out
    assert "other/.gitlab-ci.yml  cannot be read" in result.out
    assert "\ntranslated or unused: 50.0 % of the 4 keys not elsewhere\n" in result.out
    assert '    1  PG851 "hooks" of job "…" stays a key of GitLab' in result.out
    assert not Path("pipegen.yaml").exists()


def test_an_audit_of_a_folder_without_pipelines_says_so(pipegen: Pipegen) -> None:
    """It has no empty tables."""
    Path("empty").mkdir()
    result = pipegen("import", "--audit", "empty")

    assert (result.status, result.out) == (0, "no .gitlab-ci.yml and no Jenkinsfile found\n")


def test_import_rejects_a_missing_file(pipegen: Pipegen) -> None:
    """It is wrong usage."""
    assert pipegen("import", "missing.yml").status == 2


def test_import_finds_the_pipeline_in_a_folder(pipegen: Pipegen) -> None:
    """The message about a folder without one names both usual files."""
    Path("empty").mkdir()
    result = pipegen("import", "empty")

    assert pipegen("import", ".").status == 0
    assert (result.status, "no .gitlab-ci.yml or Jenkinsfile in" in result.err) == (2, True)


def test_import_rejects_a_config(pipegen: Pipegen) -> None:
    """All of its keys would be jobs without a script."""
    pipegen("import")
    result = pipegen("import", "pipegen.yaml", "-o", "other.yaml")

    assert (result.status, Path("other.yaml").exists()) == (2, False)
    assert result.err == 'pipegen: "pipegen.yaml" is a config of pipegen already: run "pipegen check"\n'


def test_import_reads_a_jenkinsfile(pipegen: Pipegen) -> None:
    """The usual Jenkinsfile is found without its name; its runs are compared."""
    Path(".gitlab-ci.yml").unlink()
    stages = "stages { stage('build') { steps { sh 'make' } } }"
    Path("Jenkinsfile").write_text(f"pipeline {{ agent any; {stages} }}\n", encoding="utf-8")
    result = pipegen("import")

    assert result.status == 0, result.err
    assert "pipegen.yaml written: of 6 keys, 6 are translated" in result.err
    assert "runs: the same for 9 events" in result.err
    assert "script: [make]" in Path("pipegen.yaml").read_text(encoding="utf-8")


def test_import_rejects_a_scripted_jenkinsfile(pipegen: Pipegen) -> None:
    """It has no stages that can be read."""
    Path("Jenkinsfile").write_text("node { sh 'make' }\n", encoding="utf-8")
    result = pipegen("import", "Jenkinsfile")

    assert result.status == 1
    assert 'there is no block "pipeline"' in result.err


def test_check_suggests_import_for_a_gitlab_file(pipegen: Pipegen) -> None:
    """A GitLab pipeline is not a config, but can be imported."""
    assert 'run "pipegen import .gitlab-ci.yml"' in pipegen("check", ".gitlab-ci.yml").out


def test_the_comparison_repairs_the_order(pipegen: Pipegen) -> None:
    """Without it, a job with an optional need on a missing job would wait for the jobs before that one."""
    docs = "docs: { stage: test, script: docs, rules: [{ changes: [docs/**] }] }"
    site = "site: { stage: deploy, script: site, needs: [{ job: docs, optional: true }] }"
    Path(".gitlab-ci.yml").write_text(f"lint: {{ stage: build, script: lint }}\n{docs}\n{site}\n", encoding="utf-8")
    repaired = pipegen("import")
    text = Path("pipegen.yaml").read_text(encoding="utf-8")
    plain = pipegen("import", "--force", "--no-proof")

    assert "needs: [{ job: docs, optional: true }]" in text
    assert "runs: the same for" in repaired.err
    assert '"needs" of job "site" stays a key of GitLab' in repaired.err
    assert (plain.status, "raw" in Path("pipegen.yaml").read_text(encoding="utf-8")) == (0, False)


def test_a_job_keeps_the_order_of_stages_if_needs_would_differ_more(pipegen: Pipegen) -> None:
    """With needs, the failure of `build` would not start `alert`, because GitLab skips the jobs before it."""
    source = """\
stages: [build, test, deploy, release, notify]
build: { stage: build, script: make }
test: { stage: test, script: make test, needs: [build] }
deploy: { stage: deploy, script: make deploy, needs: [test] }
release: { stage: release, script: make release, needs: [deploy] }
alert: { stage: notify, script: ./alert, rules: [{ when: on_failure }] }
announce: { stage: notify, script: ./announce, needs: [deploy] }
"""
    Path(".gitlab-ci.yml").write_text(source, encoding="utf-8")
    result = pipegen("import")

    assert 'job "alert" waits for "announce" too' in result.err
    assert 'a failure of "announce" starts job "alert" only in the import' in result.err
    assert "runs: 2 differences in 16 events" in result.err


def test_a_pipeline_without_jobs_in_its_files_is_said_so(pipegen: Pipegen) -> None:
    """GitLab finds its jobs in a file that pipegen does not read."""
    Path(".gitlab-ci.yml").write_text("include: [{ project: group/ci, file: main.yml }]\n", encoding="utf-8")
    result = pipegen("import")

    assert result.status == 1
    assert '"pipegen.yaml" has no stages: the files contain no job that can be imported' in result.err


def test_a_config_that_does_not_compile_is_said_so(pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """The source has no error; "pipegen check" reports those of the config, which no attempt corrects."""
    monkeypatch.setattr(importer, "_MOST_ROUNDS", 0)
    jobs = [f"j{number}: {{ stage: s{number}, script: x, parallel: 200 }}" for number in range(4)]
    Path(".gitlab-ci.yml").write_text("\n".join(["stages: [s0, s1, s2, s3]", *jobs, ""]), encoding="utf-8")
    result = pipegen("import")

    assert result.status == 1
    assert '"pipegen.yaml" does not compile: "pipegen check" reports why' in result.err
    assert pipegen("check", "pipegen.yaml").status == 1
