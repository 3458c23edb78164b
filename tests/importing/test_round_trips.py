"""The import of a generated file has the stages, the order, the conditions and the work of its config."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pytest
from test_golden import options

from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.files.load import load
from pipegen.diagnostics.report import Report, Stopped
from pipegen.difference.keys import Keys, changes, input_keys, pipeline_keys, stage_keys, work_keys
from pipegen.difference.values import ComparedValue, condition
from pipegen.importing.arcs import closure
from pipegen.importing.compilation import compiled
from pipegen.importing.gitlab.importer import GitLabImport, import_gitlab
from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.gitlab.reading.locations import Roots
from pipegen.importing.imported import Proof
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.plan.model import Job, Plan
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


class _ChangedKey(Struct):
    """The *reason* why stages of *configs* have another value of a key in the import, or none."""

    reason: str
    configs: str


_CHOICES = "GitLab has texts, and a choice of texts"
_MUST_BE_SET = "engines have no inputs that must be set: the default is empty"
_CHECKED_BY_SCRIPT = "the script checks the value"
_ALWAYS_RUNS = "each run of an engine computes every result again"
_OF_PIPELINE = "a setting of all stages becomes one of each stage"
CHANGED_KEYS = {
    "agent": _ChangedKey("the runner of a target becomes the one of each stage", "everything"),
    "agent.kubernetes": _ChangedKey("only Jenkins has pods of stages", "images-and-tools"),
    "allow_failure": _ChangedKey("its rule follows the one for the approval, and needs less", "by-run"),
    "approve": _ChangedKey(
        "GitLab has no timeout of approvals, and no message for the end of an environment; by files, rules stay raw",
        "by-files by-run gates node port-of-gitlab",
    ),
    "cache": _ChangedKey("GitLab permits fewer characters in keys", "caches-and-locks"),
    "cases": _ChangedKey(
        "the script sets values of references and secrets; rules for files stay raw; each rule is a case",
        "blocks-by-status blocks-of-plugins by-files by-run cases computed-cases equal-texts",
    ),
    "directory": _ChangedKey(
        "the script changes the folder",
        "caches-and-locks called-pipelines everything files gates includes keeping monorepo reports scripts templates",
    ),
    "environment": _ChangedKey(
        "GitLab has other names for values in names, and a stop that stays raw", "gates node port-of-gitlab"
    ),
    "fetch": _ChangedKey(
        _OF_PIPELINE + ", stages without commands need no checkout, and those that read statuses do",
        "everything fetch files images-and-tools java jenkins-options mail-and-triggers webhook",
    ),
    "finally": _ChangedKey("a job for each status is a stage for each status", "blocks-of-plugins node webhook"),
    "input choices": _ChangedKey(_CHOICES, "equal-texts inputs inputs-fixed"),
    "input default": _ChangedKey(_MUST_BE_SET, "inputs inputs-fixed"),
    "input pattern": _ChangedKey(_CHECKED_BY_SCRIPT, "inputs java"),
    "input type": _ChangedKey(_CHOICES, "equal-texts inputs inputs-fixed"),
    "id_tokens": _ChangedKey("a raw default of GitLab becomes keys of each stage", "engine-settings"),
    "interruptible": _ChangedKey(_OF_PIPELINE, "caches-and-locks java port-of-gitlab runs"),
    "lock": _ChangedKey("GitLab permits fewer characters in names", "caches-and-locks"),
    "notify": _ChangedKey(
        "a job that sends mails becomes a stage",
        "defaults everything hostile inputs inputs-fixed mail-and-triggers",
    ),
    "pipeline fetch": _ChangedKey(_OF_PIPELINE, "everything fetch files java"),
    "pipeline workspace": _ChangedKey(
        "GitLab shares no workspace: the files are artifacts",
        "images-in-one-workspace scripts-shared-workspace shared-workspace",
    ),
    "reports": _ChangedKey(
        "SARIF is an artifact, and percentages have the regular expression of GitLab", "keeping reports"
    ),
    "resources": _ChangedKey("variables of the runner, which stay raw", "images-and-tools machine"),
    "retention": _ChangedKey("artifacts with files of pipegen stay raw", "java keeping port-of-gitlab python"),
    "reuse": _ChangedKey(_ALWAYS_RUNS, "caches-and-locks"),
    "runner_variables": _ChangedKey("exit codes need this option of the runner", "by-run java limits port-of-gitlab"),
    "secrets": _ChangedKey(
        "GitLab has secrets in variables",
        "blocks-by-status blocks-of-plugins container java jenkins-options machine monorepo node port-of-gitlab python "
        "webhook",
    ),
    "shell": _ChangedKey(
        "GitLab's shell has pipefail, for which an import uses bash if a script has pipes",
        "inputs inputs-fixed java monorepo scripts shared-gitlab-local",
    ),
    "tools": _ChangedKey("only Jenkins has tools", "blocks-by-status blocks-of-plugins images-and-tools"),
}
_ONLY_GITLAB = "Jenkins has no equivalent, or needs steps of plugins, which stay Groovy"
_IN_FUNCTION = "it is in a function of the generated file"
CHANGED_KEYS_ON_JENKINS = {
    "agent": _ChangedKey("the agent of a target becomes the one of each stage", "everything images-and-tools"),
    "agent.kubernetes": _ChangedKey("imports leave pods out", "images-and-tools"),
    "allow_failure": _ChangedKey("a function decides for which exit codes, and for which approvals", "by-run gates"),
    "approve": _ChangedKey(_IN_FUNCTION, "equal-texts gates"),
    "cache": _ChangedKey(_ONLY_GITLAB, "caches-and-locks node python"),
    "cases": _ChangedKey(_IN_FUNCTION, "blocks-of-plugins computed-cases equal-texts"),
    "directory": _ChangedKey(
        "the script changes the folder", "caches-and-locks everything files gates includes keeping templates"
    ),
    "environment": _ChangedKey(_ONLY_GITLAB, "container gates node python"),
    "fetch": _ChangedKey(_IN_FUNCTION, "fetch"),
    "input choices": _ChangedKey(_MUST_BE_SET, "inputs inputs-fixed"),
    "input default": _ChangedKey(_MUST_BE_SET, "inputs inputs-fixed"),
    "input pattern": _ChangedKey(_CHECKED_BY_SCRIPT, "inputs"),
    "input type": _ChangedKey(_CHECKED_BY_SCRIPT, "inputs inputs-fixed"),
    "interruptible": _ChangedKey(_ONLY_GITLAB, "node"),
    "notify": _ChangedKey(
        "imports leave out what follows an unsuccessful stage",
        "defaults everything hostile inputs inputs-fixed mail-and-triggers",
    ),
    "pipeline fetch": _ChangedKey(_IN_FUNCTION, "everything fetch files"),
    "pipeline timeout": _ChangedKey("an option of Jenkins becomes the key", "jenkins-options"),
    "reports": _ChangedKey(_ONLY_GITLAB, "keeping python"),
    "resources": _ChangedKey("imports leave pods out", "images-and-tools images-in-one-workspace"),
    "retention": _ChangedKey(_ONLY_GITLAB, "keeping node python"),
    "retry": _ChangedKey(_IN_FUNCTION, "limits"),
    "reuse": _ChangedKey(_ALWAYS_RUNS, "caches-and-locks"),
    "secrets": _ChangedKey(
        "the Jenkinsfile does not have the kind of all credentials, and has those of registries",
        "container defaults everything hostile node run-time-lists",
    ),
    "timeout": _ChangedKey(_IN_FUNCTION, "limits"),
    "tools": _ChangedKey("tools of the target become those of each stage", "images-and-tools"),
}
# Keys whose effects on a run the proof compares, and those of one engine.
_PROVED = frozenset(
    {*("script", "env", "after", "reads", "artifacts", "outputs", "image", "services", "when"), "raw", "steps"}
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
def test_an_import_of_a_generated_file_runs_the_same(path: Path) -> None:
    """Scripts, variables, images, services, files, environments, starts and failures are the same for each event."""
    _, text = _compiled(path, "gitlab")

    assert _messages(prove(_imported(text, path))) == []


def test_settings_of_stages_that_change_have_a_reason() -> None:
    """Stages of both plans are compared, except for their work, which the proof compares.

    To add a key, translate it in `importing/gitlab/stages/keys`, or add the reason why not to `CHANGED_KEYS`.
    """
    changed: dict[str, set[str]] = {}
    for path in CONFIGS:
        analysed, text = _compiled(path, "gitlab")
        second = compiled(_imported(text, path).text, "gitlab")
        for key in _changed_keys(analysed.plans, second.plans):
            changed.setdefault(key, set()).add(path.parent.name)

    assert changed == {key: set(row.configs.split()) for key, row in CHANGED_KEYS.items()}


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.parent.name)
def test_imports_of_generated_files_are_the_same_from_the_second_on(path: Path) -> None:
    """The first one keeps lines that the compiler wrote for keys which an import does not recognise."""
    _, text = _compiled(path, "gitlab")
    second = _imported(_imported(text, path).generated[-1].text, path)
    third = _imported(second.generated[-1].text, path)

    assert third.text == second.text


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.parent.name)
def test_an_import_of_a_generated_jenkinsfile_has_the_stages_of_its_config(path: Path) -> None:
    """Scripted files cannot be imported; a config that differs has its reason in the list."""
    name = path.parent.name
    analysed, text = _compiled(path, "jenkins")
    if name in SCRIPTED:
        with pytest.raises(Stopped):
            _imported_stages(text)
        return
    second = compiled(_imported_stages(text).text, "jenkins")

    assert not second.has_errors
    assert _differences(_stages(analysed.plans, ()), _stages(second.plans, ())) == (
        DIFFERENT_ON_JENKINS[name].fields if name in DIFFERENT_ON_JENKINS else ""
    )


@pytest.mark.parametrize(
    "path", [path for path in CONFIGS if path.parent.name not in SCRIPTED], ids=lambda path: path.parent.name
)
def test_an_import_of_a_generated_jenkinsfile_runs_the_same(path: Path) -> None:
    """Scripts, variables, agents, files, steps that stay Groovy and starts are the same for each event."""
    _, text = _compiled(path, "jenkins")

    assert _messages(prove_stages(_imported_stages(text))) == []


def test_settings_of_stages_that_change_on_jenkins_have_a_reason() -> None:
    """As on GitLab.

    To add a key, translate it in `importing/jenkins/stages`, or add the reason why not to `CHANGED_KEYS_ON_JENKINS`.
    """
    changed: dict[str, set[str]] = {}
    for path in CONFIGS:
        if path.parent.name not in SCRIPTED:
            analysed, text = _compiled(path, "jenkins")
            second = compiled(_imported_stages(text).text, "jenkins")
            for key in _changed_keys(analysed.plans, second.plans):
                changed.setdefault(key, set()).add(path.parent.name)

    assert changed == {key: set(row.configs.split()) for key, row in CHANGED_KEYS_ON_JENKINS.items()}


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


def _imported_stages(text: str) -> JenkinsImport:
    return import_jenkins(SourceFile("Jenkinsfile", text), Report())


def _messages(proof: Proof | None) -> list[str]:
    assert proof is not None
    return [difference.message for difference in proof.differences]


def _jobs(plans: Sequence[Plan]) -> dict[str, Job]:
    """Return the jobs of *plans* by their names on GitLab."""
    return {f"{plan.name}: {job.stage}" if len(plans) > 1 else job.stage: job for plan in plans for job in plan.jobs}


def _changed_keys(first: Sequence[Plan], second: Sequence[Plan]) -> set[str]:
    """Return the keys with different values in stages of both, apart from their work, in their inputs and pipelines.

    An import has one pipeline, which is compared with the only one of a config.
    """
    jobs, others = _jobs(first), _jobs(second)
    changed: set[str] = set()
    for name in jobs.keys() & others.keys():
        own, other = _settings(jobs[name]), _settings(others[name])
        changed |= {key for key in own.keys() | other.keys() if own.get(key) != other.get(key)}
    if len(first) > 1:
        return changed
    (plan,), (imported,) = first, second
    inputs, other_inputs = ({item.name: input_keys(item) for item in each.inputs} for each in (plan, imported))
    pairs = [("pipeline", pipeline_keys(plan), pipeline_keys(imported))]
    pairs += [("input", inputs.get(name, {}), other_inputs.get(name, {})) for name in inputs | other_inputs]
    changed |= {f"{noun} {change.key}" for noun, old, new in pairs for change in changes(old, new)}
    return changed - {"pipeline when"}


def _settings(job: Job) -> Keys:
    work = _PROVED | work_keys(job, {}).keys()
    return {key: tree for key, tree in stage_keys(job, {}).items() if key not in work}


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
