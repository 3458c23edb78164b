"""Unsupported features are reported at the user's line."""

from __future__ import annotations

from contextlib import suppress
from textwrap import dedent

import pytest
from targets.gitlab.compiled import compiled

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile, Span
from pipegen.targets import gitlab
from pipegen.targets.gitlab.checks.unsupported import check_size
from pipegen.targets.gitlab.files.sizes import SizeEstimator
from pipegen.targets.gitlab.memory import memory
from pipegen.targets.gitlab.model import Document, GitLabJob, ScriptEntry
from pipegen.targets.gitlab.settings import Workflow

PUBLISHED = "{ name: app, build: app, publish: { image: true } }"
SHARED = "{ name: app, build: app }, { name: use, run: { image: '${app.imageID}' } }"
BUILT = "{ name: app, build: app, run: true }"
OTHER = "registry: registry.example.org"


def test_a_shared_workspace_is_a_warning() -> None:
    """Jobs on GitLab are isolated."""
    output = compiled("pipelines: { service: { workspace: shared, stages: [{ name: unit }] } }")

    assert output.codes() == [("PG626", "shared")]
    assert output.text


def test_a_setup_value_of_jenkins_is_an_error() -> None:
    """A value that only Jenkins has is reported where it is read."""
    output = compiled("""
        pipelines:
          service: { stages: [{ name: unit, build: x, run: { arguments: ['${setup.GIT_PREVIOUS_COMMIT}'] } }] }
    """)

    assert output.codes() == [("PG641", "${setup.GIT_PREVIOUS_COMMIT}")]


def test_the_result_fixed_of_a_webhook_is_an_error_in_its_own_words() -> None:
    """The message names what the user wrote, not the value that the message of the webhook reads."""
    output = compiled("""
        pipelines: { service: { stages: [{ name: unit, script: x }], notify: { webhook: { url: chat, on: fixed } } } }
    """)

    assert [diagnostic.message for diagnostic in output.diagnostics] == [
        'GitLab has no result "fixed": a job cannot read the results of earlier pipelines'
    ]


def test_a_jenkins_setup_value_with_a_default_is_valid() -> None:
    """The default is used on GitLab."""
    output = compiled("""
        pipelines:
          service: { stages: [{ name: unit, build: x, run: { arguments: ['${setup.GIT_PREVIOUS_COMMIT|none}'] } }] }
    """)

    assert output.codes() == []


CONTAINER = """
    pipelines:
      service:
        stages:
          - {{ name: build, build: app, run: true }}
          - {{ name: use, build: x, run: {{ arguments: ['${{build.container}}'] }} }}
    targets: {{ gitlab: {{ images: {images} }} }}
"""


def test_the_container_name_of_another_job_is_an_error() -> None:
    """It is useless on another runner."""
    assert compiled(CONTAINER.format(images="registry")).codes() == [("PG625", "${build.container}")]


def test_the_container_name_of_another_job_is_valid_on_one_runner() -> None:
    """All jobs use the same container engine."""
    assert compiled(CONTAINER.format(images="local")).codes() == []


def test_a_file_over_gitlabs_size_limit_is_an_error() -> None:
    """The size of the parsed file is compared with nine tenths of the limit."""
    job = GitLabJob(name="test", stage="step 1", script=(ScriptEntry("x" * 10_000),))
    document = Document(
        stages=("step 1",),
        settings=Workflow(),
        workflow=(),
        tags=(),
        id_tokens=(),
        variables=(),
        hidden=(),
        jobs=(job,),
    )
    scales = SizeEstimator()
    size = scales.file_size(document)
    span = Span(SourceFile("pipegen.yaml", "service"), 0, 7)
    report = Report()
    check_size("fits", len(document.jobs), (size, size), size * 10 // 9 + 1, span, report)
    check_size("is too big", len(document.jobs), (size, 0), size * 10 // 9 - 10, span, report)
    check_size("has a long text", len(document.jobs), (0, size), size * 10 // 9 - 10, span, report)

    assert size == memory(scales.data(document))
    assert [diagnostic.code.number for diagnostic in report.diagnostics()] == ["PG627", "PG627"]
    assert '"has a long text" as too large: its text has' in report.diagnostics()[0].message
    assert '"is too big" as too large: parsed, its job takes' in report.diagnostics()[1].message


@pytest.mark.parametrize(
    ("stages", "settings", "is_tested"),
    [
        (PUBLISHED, OTHER, True),
        (SHARED, OTHER, True),
        (SHARED, f"{OTHER}, images: local, tags: [shell]", False),
        (PUBLISHED, f"{OTHER}, registry_credential: login", False),
        (PUBLISHED, "images: registry", False),
        (BUILT, OTHER, False),
    ],
)
def test_a_push_to_another_registry_requires_a_credential(stages: str, settings: str, is_tested: bool) -> None:  # noqa: FBT001
    """The job token is valid only for the project's registry; the diagnostic is at the registry's name."""
    output = compiled(f"{{ pipelines: {{ p: {{ stages: [{stages}] }} }}, targets: {{ gitlab: {{ {settings} }} }} }}")

    assert (("PG670", "registry.example.org") in output.codes()) == is_tested


def test_two_variables_may_have_the_value_of_one_secret() -> None:
    """The CI/CD variable keeps its value, so both get the secret."""
    output = compiled(
        "{ pipelines: { p: { stages: [{ name: a, script: [x], secrets: { TOKEN: TOKEN, COPY: TOKEN } }] } } }"
    )

    assert output.codes() == []
    assert 'export COPY="${TOKEN:?' in output.text


@pytest.mark.parametrize(
    ("work", "refused"),
    [
        ("script: [make deploy]", [("PG678", "'if (isRelease())'")]),
        ("build: app", [("PG678", "'if (isRelease())'")]),
        ("approve: Go on?", []),
    ],
)
def test_a_script_under_a_condition_in_groovy_is_an_error(work: str, refused: list[tuple[str, str]]) -> None:
    """GitLab would always run the script, also if it leaves out the steps of Jenkins."""
    output = compiled(f"""
        pipelines:
          service:
            stages:
              - name: deploy
                steps: {{ jenkins: {{ around: [timestamps, 'if (isRelease())'] }}, elsewhere: skip }}
                {work}
    """)

    assert output.codes() == refused


@pytest.mark.parametrize(
    ("settings", "references"),
    [
        ("workflow: {name: '${setup.branch}'}", ["${setup.branch}"]),
        ("workflow: {rules: [{if: '$A == \"${inputs.level}\"'}]}", ["${inputs.level}"]),
        ("tags: ['${matrix.os}']", ["${matrix.os}"]),
        ("release: {stage: a-b, tag: 'v${a-b.version}', name: '${.version}'}", ["${a-b.version}", "${.version}"]),
        ("release: {stage: a-b, tag: '$CI_COMMIT_TAG ${CI_PIPELINE_IID}.${PATCH:-0.1}'}", []),
        ("include: [{local: '${setup.branch}.yml'}]", ["${setup.branch}"]),
        (
            "include: [{local: a.yml, inputs: {version: '${project.version}', notes: '${a-b.version}'}}]",
            ["${a-b.version}"],
        ),
    ],
)
def test_references_in_settings_are_errors(settings: str, references: list[str]) -> None:
    """GitLab would get them as they are; an included file may have properties of another program as inputs."""
    config = f"""
        pipelines:
          p:
            stages:
              - {{name: a-b, script: make, outputs: [version]}}
        targets: {{gitlab: {{{settings}}}}}
    """

    report = Report()
    with suppress(Stopped):
        generate(analyse(SourceFile("pipegen.yaml", dedent(config)), (), report), gitlab, {}, report)

    found = [diagnostic for diagnostic in report.diagnostics() if diagnostic.code.number == "PG204"]
    assert [diagnostic.primary.span.text for diagnostic in found if diagnostic.primary] == references
