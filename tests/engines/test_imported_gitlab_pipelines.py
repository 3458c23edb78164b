"""An imported GitLab pipeline does the same as its source when gitlab-ci-local runs both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from engines import gitlab_local
from engines.requirement import require
from engines.test_conditions import MakeRepository

from pipegen.diagnostics.report import Report
from pipegen.importing.gitlab.importer import import_gitlab
from pipegen.importing.gitlab.reading.locations import Roots
from pipegen.source.text import SourceFile

_TEMPLATES = """\
include: [{ local: /parts.yml }]
variables: { LEVEL: full, TAG: "app:${LEVEL}" }
default: { before_script: ['echo said: before'] }
.base: { variables: { A: base }, script: ['echo "said: base $A $LEVEL"'] }
.steps: { script: ['echo said: one', 'echo said: two'] }
a: { extends: .base }
b: { extends: [.base, .more], variables: { A: 'own "q" $LEVEL' }, before_script: [] }
c:
  script:
    - !reference [.steps, script]
    - 'echo "said: $TAG $CI_JOB_NAME ${NONE:-none}"'
    - |
      export X='it is'
      cd /
    - 'echo "said: $X $(basename "$PWD")"'
  after_script: ['echo "said: after ${X:-unset}"']
d: { parallel: { matrix: [{ X: [x, 'y z'], Y: [1] }, { X: w, Y: [2, 3] }] }, script: ['echo "said: $X-$Y"'] }
bad: { script: ['echo said: bad', 'false', 'echo said: never'], allow_failure: true }
exit: { script: ['echo said: exit', 'exit 7'], allow_failure: { exit_codes: [7] } }
"""
_PARTS = ".more: { variables: { LEVEL: more } }\nextra: { script: ['echo said: extra'] }\n"
_ORDER = """\
stages: [build, test, deploy]
build:
  stage: build
  script: [mkdir out, 'echo content >out/file', 'echo "VERSION=1.$((1 + 1))" >build.env', 'echo said: built']
  artifacts: { paths: [out/], reports: { dotenv: build.env } }
other: { stage: build, script: ['echo other >other.txt', 'echo said: other'], artifacts: { paths: [other.txt] } }
unit: { stage: test, needs: [build], script: ['echo "said: $(cat out/file) $VERSION $(ls other.txt 2>&1 | wc -w)"'] }
lint: { stage: test, needs: [], script: ['echo "said: ${VERSION:-unset}"', 'test ! -e out'] }
only: { stage: test, dependencies: [other], script: ['echo "said: $(cat other.txt)"', 'test ! -e out'] }
fails: { stage: test, script: ['echo said: fails', 'false'] }
never: { stage: deploy, script: ['echo said: never'] }
alert: { stage: deploy, when: on_failure, script: ['echo said: alert'] }
clean: { stage: deploy, when: always, script: ['echo said: clean'] }
"""
_RULES = """\
workflow: { rules: [{ if: $CI_COMMIT_TAG, when: never }, { when: always }] }
variables: { MODE: plain }
main: { script: ['echo said: main'], rules: [{ if: $CI_COMMIT_BRANCH == "main" }] }
dev: { script: ['echo said: dev'], rules: [{ if: $MODE == "skip", when: never }, { if: $CI_COMMIT_BRANCH == "dev" }] }
cases:
  script: ['echo "said: $KIND $COUNT"']
  variables: { KIND: none, COUNT: '0' }
  rules:
    - { if: $CI_COMMIT_BRANCH == "main" && $MODE =~ /^pl/, variables: { KIND: first } }
    - { if: $CI_COMMIT_BRANCH, variables: { KIND: second, COUNT: '2 "q"' } }
either: { script: ['echo said: either'], rules: [{ if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH || $MODE == null }] }
never: { script: ['echo said: never'], rules: [{ if: $MODE != "plain" }] }
after: { stage: deploy, needs: [{ job: main, optional: true }], script: ['echo said: after'] }
"""
_REPORTS = """\
stages: [build, test, deploy]
variables: { IMAGE: "app:$VERSION" }
build:
  stage: build
  script:
    - echo "VERSION=1.$((1 + 1))" >build.env
    - |
      text='one  two=three:'
      echo "TEXT=$text" >>build.env
    - |
      cat <<EOF | tee -a build.env
      EMPTY=
      HOST=$(printf %s 'example.org')
      EOF
    - 'echo "said: ${VERSION:-unset} $IMAGE"'
  artifacts: { reports: { dotenv: build.env } }
unit: { stage: test, needs: [build], script: ['echo "said: $VERSION [$TEXT] [$EMPTY] $HOST $IMAGE"', sh said] }
lint: { stage: test, needs: [{ job: build, artifacts: false }], script: ['echo "said: ${VERSION:-unset} $IMAGE"'] }
more:
  stage: test
  script: ['printf "NOTES=%s\\n" "$VERSION-more" >more.env']
  artifacts: { reports: { dotenv: more.env } }
last:
  stage: deploy
  script: ['echo "said: $NOTES"', sh said]
  after_script: ['echo "said: after $NOTES $IMAGE"']
"""
_SAID = '#!/bin/sh\necho "said: $VERSION $TEXT $HOST ${NOTES:-none}"\n'
_PIPELINES = {"templates": _TEMPLATES, "order": _ORDER, "rules": _RULES, "reports": _REPORTS}

_Outcome = Mapping[str, tuple[gitlab_local.Result, int | None, list[str]]]


@pytest.mark.parametrize("branch", ["main", "dev"])
@pytest.mark.parametrize("name", _PIPELINES)
def test_an_imported_pipeline_does_the_same(name: str, branch: str, repository: MakeRepository, tmp_path: Path) -> None:
    """The same jobs run, with the same results and output."""
    require(gitlab_local.available())
    text = _PIPELINES[name]
    folder = repository({".gitlab-ci.yml": text, "parts.yml": _PARTS, "said": _SAID})
    report = Report()
    imported = import_gitlab(SourceFile(".gitlab-ci.yml", text), Roots(folder), "main", report)
    source = _outcome(text, folder, tmp_path / "source", branch)
    result = _outcome(imported.generated[-1].text, folder, tmp_path / "result", branch)

    assert not report.has_errors()
    assert ("outputs:" in imported.text) is (name == "reports")
    assert any(lines for _, _, lines in source.values())
    assert {job: result.get(job) for job in source} == source


def _outcome(text: str, folder: Path, workdir: Path, branch: str) -> _Outcome:
    """Return how each job of the pipeline *text* ended in a push to *branch*, its exit code, and what it said."""
    workdir.mkdir()
    variables = {
        "CI_PIPELINE_SOURCE": "push",
        "CI_COMMIT_BRANCH": branch,
        "CI_COMMIT_TAG": None,
        "CI_OPEN_MERGE_REQUESTS": None,
    }
    run = gitlab_local.run(folder, text, workdir=workdir, variables=variables, included=("extra",))
    return {
        _name(job.name): (job.result, job.exit_code, re.findall(r"^said: .*$", job.log, re.MULTILINE))
        for job in run.jobs
    }


def _name(job: str) -> str:
    """Return the name of *job* as GitLab writes it: gitlab-ci-local writes the values of a matrix in brackets."""
    return gitlab_local.stage_name(job).replace(", ", ",")
