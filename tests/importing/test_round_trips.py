"""The import of a generated file has the stages, the order and the conditions of its config."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pytest
from test_golden import options

from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.files.load import load
from pipegen.diagnostics.report import Report, Stopped
from pipegen.difference.values import ComparedValue, condition
from pipegen.importing.arcs import closure
from pipegen.importing.compilation import compiled
from pipegen.importing.gitlab.importer import GitLabImport, import_gitlab
from pipegen.importing.gitlab.reading.locations import Roots
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.plan.model import Plan
from pipegen.readback.gitlab_file import HELPER
from pipegen.source.text import SourceFile
from pipegen.structs import Struct
from pipegen.targets import registry

pytestmark = pytest.mark.robust
ROOT = Path(__file__).parents[2]
CONFIGS = sorted([*ROOT.glob("tests/golden/*/pipeline.yml"), *ROOT.glob("examples/*/pipegen.yaml")])


class _Difference(Struct):
    """A difference of an import, and its reason; *fields* are of a stage, or "stages" for missing or added ones."""

    fields: str
    reason: str


_CHOICE = "the choice among pipelines stays rules of GitLab, so all stages are in one pipeline"
_STOPS = "the stage that stops an environment comes after the one that starts it only because of its environment"
DIFFERENT = {
    "blocks-by-status": _Difference("pipeline", "a workflow for merge requests becomes a condition of the pipeline"),
    "blocks-of-plugins": _Difference("pipeline", "a workflow for merge requests becomes a condition of the pipeline"),
    "by-run": _Difference("pipeline", "a workflow for merge requests becomes a condition of the pipeline"),
    "called-pipelines": _Difference("condition", _CHOICE),
    "cases": _Difference("pipeline", "a workflow for merge requests becomes a condition of the pipeline"),
    "computed-cases": _Difference("pipeline", "a workflow for merge requests becomes a condition of the pipeline"),
    "conditions-of-pipelines": _Difference("condition pipeline", _CHOICE),
    "engine-settings": _Difference("pipeline", "raw rules of a workflow become a condition of the pipeline"),
    "fleet": _Difference("condition", _CHOICE),
    "go": _Difference("condition pipeline", _CHOICE),
    "includes": _Difference("condition", _CHOICE),
    "java": _Difference("condition", "two patterns of a branch that one of must match become one list"),
    "monorepo": _Difference("condition pipeline", _CHOICE),
    "node": _Difference("before", _STOPS),
    "port-of-gitlab": _Difference("before", _STOPS),
    "runs": _Difference("condition", _CHOICE),
    "scripts-shared-workspace": _Difference("stages", 'GitLab has no job "image", so that the stage has another name'),
    "several-pipelines": _Difference("condition", _CHOICE),
}
_CLEANUP = "the removal of images and containers becomes a stage"
_OWN_FUNCTION = "a stage is left out whose steps are only in the block of a function of the generated file"
DIFFERENT_ON_JENKINS = {
    "blocks-of-plugins": _Difference("stages", "steps of post that stay Groovy become a stage of another name"),
    "by-files": _Difference("stages before", _OWN_FUNCTION),
    "by-run": _Difference("stages", _OWN_FUNCTION),
    "conditions-of-pipelines": _Difference("pipeline", "the choice among pipelines stays conditions of Jenkins"),
    "container": _Difference("stages", _CLEANUP),
    "diamond": _Difference("stages", _CLEANUP),
    "equal-texts": _Difference("stages condition", "the branch is in a function of the generated file"),
    "files": _Difference("stages", _CLEANUP),
    "forced-declarative": _Difference("before", "blocks of the declarative style add waits"),
    "gates": _Difference("stages", _OWN_FUNCTION),
    "generated": _Difference("condition", "the kind of the event is in a function of the generated file"),
    "images-and-tools": _Difference("stages", _OWN_FUNCTION),
    "images-in-one-workspace": _Difference("stages before", "the checkout becomes a stage"),
    "limits": _Difference("stages", _OWN_FUNCTION),
    "mail-and-triggers": _Difference("stages before", _OWN_FUNCTION),
    "node": _Difference("stages", _OWN_FUNCTION),
    "shared-gitlab-local": _Difference("stages", _CLEANUP),
    "shared-gitlab-registry": _Difference("stages", _CLEANUP),
}
SCRIPTED = frozenset(
    {
        *("blocks-by-status", "called-pipelines", "cases", "conditions", "finally", "finally-by-status", "fleet", "go"),
        *(
            "java",
            "machine",
            "matrix-selections",
            "monorepo",
            "port-of-gitlab",
            "reports",
            "runs",
            "scripts",
            "skewed",
            "webhook",
        ),
    }
)
# The configs whose second import differs from the third one.
UNSTABLE = frozenset(
    {
        "by-files",  # helpers that wait for optional stages become stages that wait for them
        "port-of-gitlab",  # names of GitLab stages for jobs of an included file
    }
)


class _Stage(Struct, kw_only=True):
    """A stage: all earlier stages, and the conditions of it and of its pipeline, with their parts in any order."""

    before: frozenset[str]
    condition: ComparedValue | None
    pipeline: ComparedValue | None


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.parent.name)
def test_an_import_of_a_generated_file_has_the_stages_of_its_config(path: Path) -> None:
    """The list has a reason for each config that differs, and for no other."""
    analysed, text = _compiled(path, "gitlab")
    result = _imported(text, path)
    helpers = {name for name, job in result.source.jobs.items() if HELPER in job.variables}
    second = compiled(result.text, "gitlab")
    differences = _differences(_stages(analysed.plans, ()), _stages(second.plans, helpers))

    assert not second.has_errors
    assert differences == (DIFFERENT[path.parent.name].fields if path.parent.name in DIFFERENT else "")


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.parent.name)
def test_imports_of_generated_files_are_the_same_from_the_second_on(path: Path) -> None:
    """The first one keeps lines that the compiler wrote for keys which an import does not recognise."""
    _, text = _compiled(path, "gitlab")
    second = _imported(_imported(text, path).generated[-1].text, path)
    third = _imported(second.generated[-1].text, path)

    assert (third.text != second.text) == (path.parent.name in UNSTABLE)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.parent.name)
def test_an_import_of_a_generated_jenkinsfile_has_the_stages_of_its_config(path: Path) -> None:
    """Scripted files cannot be imported; a config that differs has its reason in the list."""
    name = path.parent.name
    analysed, text = _compiled(path, "jenkins")
    if name in SCRIPTED:
        with pytest.raises(Stopped):
            import_jenkins(SourceFile("Jenkinsfile", text), Report())
        return
    second = compiled(import_jenkins(SourceFile("Jenkinsfile", text), Report()).text, "jenkins")

    assert not second.has_errors
    assert _differences(_stages(analysed.plans, ()), _stages(second.plans, ())) == (
        DIFFERENT_ON_JENKINS[name].fields if name in DIFFERENT_ON_JENKINS else ""
    )


_FILES = {"gitlab": "gitlab-ci.yml", "jenkins": "Jenkinsfile"}


def _compiled(path: Path, target: str) -> tuple[Analysed, str]:
    """Return the config in *path*, and the file for *target*."""
    report = Report()
    words = options(path, _FILES[target])
    pairs = list(zip(words[::2], words[1::2], strict=True))
    styles = {option.removeprefix("--"): value for option, value in pairs if option == "--style"}
    names = [value for option, value in pairs if option == "--pipeline"]
    values = dict(value.split("=", 1) for option, value in pairs if option == "--set")
    analysed = analyse(load(path, report, shown=path.name), names, report, values)
    return analysed, generate(analysed, registry.load(target), styles, report)[-1].text


def _imported(text: str, path: Path) -> GitLabImport:
    return import_gitlab(SourceFile(".gitlab-ci.yml", text), Roots(path.parent), "main", Report())


def _differences(first: Mapping[str, _Stage], second: Mapping[str, _Stage]) -> str:
    """Return the fields that differ between two sets of stages."""
    missing = ["stages"] if first.keys() != second.keys() else []
    both = [name for name in first if name in second]
    fields = ("before", "condition", "pipeline")
    return " ".join(
        missing
        + [
            field
            for field in fields
            if any(getattr(first[name], field) != getattr(second[name], field) for name in both)
        ]
    )


def _stages(plans: Sequence[Plan], helpers: Collection[str]) -> dict[str, _Stage]:
    """Return the stages of *plans* without *helpers*, by the name of their jobs on GitLab."""
    stages: dict[str, _Stage] = {}
    for plan in plans:
        prefix = f"{plan.name}: " if len(plans) > 1 else ""
        titles = {job.stage: prefix + job.stage for job in plan.jobs}
        usual = frozenset(job.stage for job in plan.jobs if not job.is_final)
        before = closure({job.stage: usual if job.is_final else frozenset(job.needs) for job in plan.jobs})
        for job in plan.jobs:
            if titles[job.stage] not in helpers:
                stages[titles[job.stage]] = _Stage(
                    before=frozenset(titles[name] for name in before[job.stage]) - frozenset(helpers),
                    condition=condition(job.condition),
                    pipeline=condition(plan.condition),
                )
    return stages
