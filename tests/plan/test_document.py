"""The JSON of `pipegen plan --format json`, which is a contract."""

from __future__ import annotations

import json

from config.sample_configs import written

from pipegen.cli.commands.plan import as_data
from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report

CONFIG = """\
pipelines:
  service:
    stages:
      - name: publish
        publish:
          image: {id: '${build.imageID}', tags: ['${test.version}']}
        exports: {ref: '${.publishedImage}'}
      - build: production
        name: build
      - name: lint
      - run: {image: '${build.imageID}', tail: 1}
        exports: {version: '${.output}'}
        name: test
      - name: unused
    execution:
      - [build, test, publish]
      - [lint, publish]
      - [build, publish]
  docs:
    stages:
      - name: docs
"""


def test_the_document_matches_the_documented_format() -> None:
    """Needs are direct predecessors, reads are other stages' outputs, in the user's order."""
    analysed = analyse(written(CONFIG), (), Report())

    assert as_data(analysed.plans) == {
        "pipelines": [
            {
                "name": "service",
                "on_demand": True,
                "frames": [["build", "lint"], ["test"], ["publish"]],
                "jobs": [
                    {
                        "stage": "publish",
                        "frame": 2,
                        "needs": ["test", "lint", "build"],
                        "reads": ["build.imageID", "test.version"],
                        "binds": ["imageName", "imageFullName", "imageTag", "imageTags", "publishedImage", "ref"],
                        "line": 4,
                    },
                    {
                        "stage": "build",
                        "frame": 0,
                        "needs": [],
                        "reads": [],
                        "binds": ["imageID", "imageLocalName"],
                        "line": 9,
                    },
                    {
                        "stage": "lint",
                        "frame": 0,
                        "needs": [],
                        "reads": [],
                        "binds": ["imageID", "imageLocalName", "container", "output"],
                        "line": 10,
                    },
                    {
                        "stage": "test",
                        "frame": 1,
                        "needs": ["build"],
                        "reads": ["build.imageID"],
                        "binds": ["container", "output", "version"],
                        "line": 13,
                    },
                ],
            },
            {
                "name": "docs",
                "frames": [["docs"]],
                "jobs": [
                    {
                        "stage": "docs",
                        "frame": 0,
                        "needs": [],
                        "reads": [],
                        "binds": ["imageID", "imageLocalName", "container", "output"],
                        "line": 21,
                    }
                ],
            },
        ]
    }


def test_the_keys_of_the_document_keep_their_order() -> None:
    """For comparison of its bytes."""
    document = json.dumps(as_data(analyse(written(CONFIG), (), Report()).plans))
    (pipeline, _) = json.loads(document)["pipelines"]

    assert list(pipeline) == ["name", "on_demand", "frames", "jobs"]
    assert list(pipeline["jobs"][0]) == ["stage", "frame", "needs", "reads", "binds", "line"]


def test_a_chosen_pipeline_is_the_only_one() -> None:
    """The others are not in the document."""
    document = json.dumps(as_data(analyse(written(CONFIG), ("docs",), Report()).plans))

    assert [pipeline["name"] for pipeline in json.loads(document)["pipelines"]] == ["docs"]
