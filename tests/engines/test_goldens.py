"""The expected files of the golden cases are valid for the engines."""

from pathlib import Path

from documents import ROOT, blocks
from engines import gitlab_schema, jenkins_harness
from engines.requirement import require
from engines.sized import built

STYLES = ("auto", "declarative")
EXAMPLES = sorted((*ROOT.glob("examples/*/pipegen.yaml"), *ROOT.glob("examples/*/.pipeline/config.yaml")))
CASES = sorted(path for path in (Path(__file__).parents[1] / "golden").iterdir() if path.is_dir())


def test_expected_files_are_valid_for_gitlab() -> None:
    """By GitLab's schema, and by rules outside the schema."""
    texts = {case.name: (case / "expected/gitlab-ci.yml").read_text("utf-8") for case in CASES}

    assert {name: errors for name, text in texts.items() if (errors := gitlab_schema.check(text))} == {}


def test_expected_files_are_valid_for_jenkins() -> None:
    """They parse, and violate no rule of Declarative or the sandbox."""
    require(jenkins_harness.available())
    values = jenkins_harness.validate({case.name: (case / "expected/Jenkinsfile").read_text("utf-8") for case in CASES})

    assert {name: findings for name, findings in values.items() if findings} == {}


def test_declarative_files_are_valid_for_jenkins() -> None:
    """For the README, the documents, the examples and the goldens, if the style supports them."""
    require(jenkins_harness.available())
    configs: dict[str, Path | str] = {}
    configs |= {f"{name} in {style}": block.file.text for name, block in blocks() for style in STYLES}
    paths = (*(case / "pipeline.yml" for case in CASES), *EXAMPLES)
    configs |= {f"{path} in {style}": path for path in paths for style in STYLES}
    texts = {name: text for name, config in configs.items() if (text := _declarative(config, name.rpartition(" ")[2]))}

    assert any(name.startswith("README.md:") for name in texts)
    assert len(texts) > 150
    assert {name: mistakes for name, mistakes in jenkins_harness.validate(texts).items() if mistakes} == {}


def _declarative(config: Path | str, style: str) -> str:
    """Return the declarative file of *config*, or "" if there is none."""
    try:
        text = built(config, style).text
    except AssertionError:
        return ""
    return text if "\npipeline {\n" in text else ""
