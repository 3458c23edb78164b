"""Generated files are valid against GitLab's schema, and enforce the order of the arcs."""

from __future__ import annotations

import pytest
from engines.gitlab_schema import check
from targets.gitlab.compiled import Compiled, compiled

from pipegen.readback.gitlab import order

EVERYTHING = """
    pipelines:
      test:
        fetch: {{ depth: 2 }}
        stages:
          - {{ name: versions, build: list, run: {{ tail: 5 }} }}
          - {{ name: image }}
          - name: unit
            build: test
            run: {{ arguments: ['${{versions.output}}'], credentials: [{{ id: sonar, name: TOKEN }}] }}
            copy: [{{ source: /srv/report, destination: report }}]
            notify: {{ email: {{ to: [team@example.org], body: '${{versions.output}}' }} }}
          - {{ name: start, trigger: {{ name: next, wait: true, parameters: {{ A: '$5', B: '${{setup.commit}}' }} }} }}
        execution: [[versions, unit, start], [image, unit]]
      publish:
        stages:
          - {{ name: build, build: production }}
          - {{ name: push, publish: {{ image: {{ id: '${{build.imageID}}' }} }} }}
          - name: deploy
            deploy: {{ image: '${{push.imageName}}', tag: '${{push.imageTag}}', chart: {{ name: a }} }}
          - {{ name: tell, run: {{ image: '${{build.imageID}}', arguments: ['${{deploy.releaseName}}'] }} }}
          - {{ name: propose, promote: [{{ chart: a, version: '${{push.imageTag}}' }}] }}
          - {{ name: end, trigger: {{ name: next, parameters: {{ AT: '${{setup.timestamp}}' }} }} }}
    targets:
      gitlab:
        images: {images}
        tags: [docker]
        projects: {{ next: {{ project: group/next, branch: main }} }}
        mail: {{}}
"""


def everything(images: str) -> Compiled:
    """Return a file with every feature."""
    return compiled(EVERYTHING.format(images=images))


@pytest.mark.parametrize("images", ["registry", "local"])
def test_the_file_is_valid_against_gitlabs_schema(images: str) -> None:
    """It is the schema that GitLab's editor uses."""
    output = everything(images)

    assert output.text
    assert check(output.text) == ()


@pytest.mark.parametrize("images", ["registry", "local"])
def test_the_file_enforces_the_order_of_the_arcs(images: str) -> None:
    """A job waits only for its ancestors, through any helpers between them."""
    graph = order(everything(images).text)

    assert {node: set(graph.ancestors(node)) for node in graph.nodes} == {
        "test: versions": set(),
        "test: image": set(),
        "test: unit": {"test: versions", "test: image"},
        "test: start": {"test: versions", "test: image", "test: unit"},
        "publish: build": set(),
        "publish: push": {"publish: build"},
        "publish: deploy": {"publish: build", "publish: push"},
        "publish: tell": {"publish: build", "publish: push", "publish: deploy"},
        "publish: propose": {"publish: build", "publish: push", "publish: deploy", "publish: tell"},
        "publish: end": {"publish: build", "publish: push", "publish: deploy", "publish: tell", "publish: propose"},
    }


def test_helpers_are_marked() -> None:
    """Each helper job has the variable PIPEGEN_HELPER."""
    output = everything("local")
    helpers = [name for name, job in output.data.items() if isinstance(job, dict) and "PIPEGEN_HELPER" in str(job)]

    assert helpers == ["test: mail when unit fails", "publish: trigger next", "publish: remove images and releases"]


def test_compilation_is_deterministic() -> None:
    """The same config gives the same bytes."""
    assert everything("registry").text == everything("registry").text
