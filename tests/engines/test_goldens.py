"""What is expected of whole compilations is what the engines take."""

from pathlib import Path

from engines import gitlab_schema, jenkins_harness
from engines.requirement import require

CASES = sorted(path for path in (Path(__file__).parents[1] / "golden").iterdir() if path.is_dir())


def test_gitlab_takes_the_expected_files() -> None:
    """By its schema, and by the rules that no schema says."""
    texts = {case.name: (case / "expected/gitlab-ci.yml").read_text("utf-8") for case in CASES}

    assert {name: errors for name, text in texts.items() if (errors := gitlab_schema.check(text))} == {}


def test_jenkins_takes_the_expected_files() -> None:
    """They parse, and break no rule of the declarative style or of the sandbox."""
    require(jenkins_harness.available())
    found = jenkins_harness.validate({case.name: (case / "expected/Jenkinsfile").read_text("utf-8") for case in CASES})

    assert {name: findings for name, findings in found.items() if findings} == {}
