"""Registries of images in a Jenkinsfile."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.source.text import SourceFile

_FILE = "pipeline { agent { docker { OPTIONS } }; stages { stage('A') { steps { sh 'make' } } } }\n"
_LOGIN = "registryCredentialsId 'login'"


def _imported(options: str) -> tuple[str, str]:
    """Return the import of a pipeline in a container with *options*, and its diagnostics."""
    report = Report()
    result = import_jenkins(SourceFile("Jenkinsfile", _FILE.replace("OPTIONS", options)), report)
    proof = prove_stages(result)

    assert proof is not None
    assert proof.differences == ()
    return result.text, messages(report)


@pytest.mark.parametrize(
    ("options", "image"),
    [
        (
            f"image 'app:1'; registryUrl 'https://r.example.org/'; {_LOGIN}",
            "{ name: r.example.org/app:1, credentials: login }",
        ),
        (
            f"image 'r.example.org/app'; registryUrl 'https://r.example.org'; {_LOGIN}",
            "{ name: r.example.org/app, credentials: login }",
        ),
        ("image 'team/app'; registryUrl 'http://localhost:5000/v2/'", "localhost:5000/team/app"),
        (
            f"image 'team/app'; registryUrl 'https://index.docker.io/v1/'; {_LOGIN}",
            "{ name: team/app, credentials: login }",
        ),
        (f"image 'team/app'; {_LOGIN}", "{ name: team/app, credentials: login }"),
    ],
)
def test_images_of_a_registry_have_its_host_and_the_credentials(options: str, image: str) -> None:
    """The plugin puts the host before names without it, and logs in at Docker Hub without a URL."""
    text, reported = _imported(options)

    assert f"image: {image}" in text
    assert "registry" not in reported


@pytest.mark.parametrize(
    "options",
    [
        f"image 'r.example.org/app'; {_LOGIN}",
        f"image 'app'; registryUrl 'https://registry/'; {_LOGIN}",
        "image 'app'; registryUrl env.REGISTRY",
        'image "${params.IMAGE}"; registryUrl "https://r.example.org"',
        "image 'app'; registryUrl 'r.example.org'",
    ],
)
def test_other_registries_are_reported(options: str) -> None:
    """A config logs in at the registry in the name of the image."""
    text, reported = _imported(options)

    assert "credentials" not in text
    assert "registry" in reported
