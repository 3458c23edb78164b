"""Images that a `script` block of a Jenkinsfile builds and pushes."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.source.text import SourceFile

_SOURCE = """\
pipeline {
    agent any
    environment { IMAGE = 'team/app'; TAGGED = 'app:1'; LOGIN = 'reg'; REGISTRY_LOGIN_PASSWORD = 'x' }
    stages {
        stage('a') {
            steps {
                script {
                    STATEMENTS
                }
            }
        }
    }
}
"""
_BUILD = 'def image = docker.build("app:${env.BUILD_NUMBER}")\n'


def _imported(statements: str) -> tuple[JenkinsImport, str]:
    report = Report()
    text = _SOURCE.replace("STATEMENTS", statements.replace("\n", "\n" + " " * 20))
    result = import_jenkins(SourceFile("Jenkinsfile", text), report)
    proof = prove_stages(result)

    assert proof is not None
    assert proof.differences == ()
    return result, messages(report)


def _commands(result: JenkinsImport) -> list[str]:
    """Return the commands of docker in the script."""
    lines = (line.strip().removeprefix("- ") for line in result.text.split("\n"))
    return [line for line in lines if "docker " in line and not line.startswith("docker build")]


@pytest.mark.parametrize(
    ("image", "tag", "commands"),
    [
        ("'app:1'", "", ["docker push app:1"]),
        ("'app'", "", ["docker tag app app:latest", "docker push app:latest"]),
        ("'app'", "'2'", ["docker tag app app:2", "docker push app:2"]),
        ("'r.org:5000/app'", "'2'", ["docker tag r.org:5000/app r.org:5000/app:2", "docker push r.org:5000/app:2"]),
        ('"${IMAGE}"', "'2'", ['docker tag "${IMAGE}" "${IMAGE}:2"', 'docker push "${IMAGE}:2"']),
        ('"${env.JOB_NAME}:1"', "'2'", ['docker tag "${JOB_NAME}:1" "${JOB_NAME}:2"', 'docker push "${JOB_NAME}:2"']),
        (
            '"app:${env.BUILD_NUMBER}"',
            '"b${env.BUILD_NUMBER}"',
            ['docker tag "app:${setup.run}" "app:b${setup.run}"', 'docker push "app:b${setup.run}"'],
        ),
    ],
)
def test_a_push_gives_the_image_its_tag(image: str, tag: str, commands: list[str]) -> None:
    """The tag is that of the image without another one."""
    result, reported = _imported(f"def image = docker.build({image})\nimage.push({tag})")

    assert _commands(result) == commands
    assert reported == ""


def test_a_named_image_is_pushed_too() -> None:
    """Its object has no name in Groovy."""
    result, _ = _imported("docker.image('app:1').push('2')")

    assert _commands(result) == ["docker tag app:1 app:2", "docker push app:2"]


@pytest.mark.parametrize(
    ("arguments", "host", "prefix"),
    [
        ("'https://r.example.org/v2/', 'reg'", " r.example.org", "r.example.org/"),
        ("'http://localhost:5000', LOGIN", " localhost:5000", "localhost:5000/"),
        ("'', 'reg'", "", ""),
        ("'https://index.docker.io/v1/', \"${LOGIN}\"", "", ""),
    ],
)
def test_a_registry_is_a_login_of_its_own(arguments: str, host: str, prefix: str) -> None:
    """Its folder is removed at the end, and names without the registry get it."""
    result, reported = _imported(f"{_BUILD}docker.withRegistry({arguments}) {{\n    image.push('v1')\n}}\necho 'done'")

    assert reported == ""
    assert "secrets: { REGISTRY_LOGIN_2: { password: reg } }" in result.text
    assert (
        """\
            (
              export DOCKER_CONFIG="$(mktemp -d)"
              trap 'rm -rf "$DOCKER_CONFIG"' EXIT
              printf %s"""
        in result.text
    )
    assert _commands(result) == [
        f'printf %s "$REGISTRY_LOGIN_2_PASSWORD" | docker login -u "$REGISTRY_LOGIN_2_USERNAME" --password-stdin{host}',
        f'docker tag "app:${{setup.run}}" {prefix}app:v1',
        f"docker push {prefix}app:v1",
    ]


def test_a_name_with_the_registry_stays() -> None:
    """Without credentials, there is no login."""
    result, _ = _imported("docker.withRegistry('https://r.org') {\n    docker.image('r.org/app:1').push()\n}")

    assert _commands(result) == ["docker push r.org/app:1"]
    assert "secrets" not in result.text


def test_other_logins_are_other_secrets() -> None:
    """The same login is one secret."""
    blocks = [f"docker.withRegistry('https://r.org', '{name}') {{ image.push() }}" for name in ("a", "b", "a")]
    result, _ = _imported(_BUILD + "\n".join(blocks))

    assert "secrets: { REGISTRY_LOGIN_2: { password: a }, REGISTRY_LOGIN_3: { password: b } }" in result.text


@pytest.mark.parametrize(
    "statements",
    [
        'def image = docker.build("${env.JOB_NAME}")\nimage.push()',
        "def image = docker.build(\"${TAGGED}\")\nimage.push('2')",
        _BUILD + "image.push('1', false)",
        _BUILD + "docker.withRegistry(env.URL, 'reg') {\n    image.push()\n}",
        _BUILD + "docker.withRegistry('https://r.org', env.NAME) {\n    image.push()\n}",
        _BUILD + "docker.withRegistry('https://r.org', 'reg', 'tool') {\n    image.push()\n}",
        _BUILD + "docker.withRegistry('https://r.org') {\n    image.push()\n    env.DONE = 'x'\n}",
        "def image = docker.build(\"${env.JOB_NAME}:1\")\ndocker.withRegistry('https://r.org') {\n    image.push()\n}",
    ],
)
def test_a_push_that_depends_on_values_of_the_run_stays_groovy(statements: str) -> None:
    """So does one whose block sets values for later steps."""
    result, _ = _imported(statements)

    assert all(line in result.text for line in statements.split("\n"))
    assert _commands(result) == []
