"""Comments of a pipeline are in the config, beside what they are about."""

from __future__ import annotations

from pathlib import Path

from importing.samples import from_text

_SOURCE = """\
# The pipeline of the team.

# Of all jobs.
variables:
  # how much
  LEVEL: full # always
default:
  # pinned
  image: python:3.12 # do not update
# builds it
build:
  # large machine
  tags: [large] # of ours
  variables:
    # own
    LEVEL: own
  script: [make]
  cache:
    # by lock
    key: { files: [lock] }
    paths: [.cache] # folder
test:
  script: [pytest]
  rules:
    # only there
    - if: $CI_COMMIT_BRANCH == "main" # main
    # nowhere else
    - when: never
  retry: 2 # times
other:
  script: [other]
"""
_CONFIG = """\
# The pipeline of the team.

pipelines:
  ci:
    defaults:
      env:
        # how much
        LEVEL: full  # always
      # pinned
      image: python:3.12  # do not update
    stages:
      # builds it
      - name: build
        # large machine
        agent: large  # of ours
        env:
          # own
          LEVEL: own
        script: [make]
        # by lock
        # folder
        cache: { key: { files: [lock] }, paths: [.cache] }

      - name: test
        # only there
        # main
        # nowhere else
        when: { branch: main }
        script: [pytest]
        retry: 2  # times
"""


def test_comments_of_keys_and_variables_are_kept(tmp_path: Path) -> None:
    """Each is written once; those inside a map or a list are above the key."""
    result, _ = from_text(_SOURCE, tmp_path)

    assert result.text.startswith(_CONFIG)


def test_a_shared_comment_is_written_once(tmp_path: Path) -> None:
    """Two jobs have the key of a third, which is no template because they share little else."""
    base = ".base:\n  # of the base\n  timeout: 1 hour\n"
    jobs = "a: { extends: .base, script: [a] }\nb: { extends: .base, script: [b] }\nc: { script: [c] }\n"
    result, _ = from_text(f"{base}{jobs}", tmp_path)

    assert result.text.count("of the base") == 1


def test_a_comment_above_the_first_job_is_its_own(tmp_path: Path) -> None:
    """It is no head of the file, and neither is a comment without anything after it."""
    result, _ = from_text("# builds\nbuild: { script: [make] }\n", tmp_path)

    assert result.text.startswith("pipelines:")
    assert result.text.count("# builds") == 1


_SURROUNDED = """\
unit: # the job
  # why script
  script: # scripted
    - make # first
    # between commands
    - test
    # end of the list

    # after a gap
  # the image
  image: python:3.12
  tags: [
    # tags
    large, # of ours
    fast
    # end of tags
  ] # closed
  variables: # of the job
    LEVEL: own
    # no more
  # after comment
# the other
other:
  before_script: # prepares
  - prepare
  script: [ # opened
    make, # made
    # then
    test
    # end
  ]
  retry: 2
    # about the cache
  cache:
    key:
      files: [lock]
      # of the key
    paths: [.cache]
  after_script:
    - |
      clean
      # in the script
  # last
"""
_BOTH = """\
    stages:
      # the job
      # after comment
      - name: unit
        # tags
        # of ours
        # end of tags
        # closed
        agent: [large, fast]
        # the image
        image: python:3.12
        # of the job
        # no more
        env: { LEVEL: own }
        # why script
        # scripted
        # end of the list
        # after a gap
        script:
          - make  # first
          # between commands
          - test

      # the other
      # last
      - name: other
        # prepares
        before: [prepare]
        # opened
        # end
        script:
          - make  # made
          # then
          - test
        after:
          - |
            clean
            # in the script
        # about the cache
        # of the key
        cache: { key: { files: [lock] }, paths: [.cache] }
        retry: 2
"""


def test_comments_around_keys_and_lists_are_kept(tmp_path: Path) -> None:
    """Those below a value are about it if they align with it, and so are those before its bracket."""
    result, _ = from_text(_SURROUNDED, tmp_path)
    lines = [line for line in result.text.splitlines(keepends=True) if "when: " not in line]

    assert _BOTH in "".join(lines)


def test_a_comment_that_several_jobs_repeat_is_written_once(tmp_path: Path) -> None:
    """Lines of one comment are not compared with each other."""
    variables = "variables:\n    # ---\n    # how much\n    # ---\n    LEVEL: full"
    result, _ = from_text(
        "".join(f"{name}:\n  {variables}\n  script: [{name}]\n" for name in ("build", "test")), tmp_path
    )

    assert result.text.count("# ---\n        # how much\n        # ---\n        LEVEL: full") == 1
    assert result.text.count("how much") == 1


def test_a_comment_beside_a_value_that_several_jobs_repeat_is_written_once(tmp_path: Path) -> None:
    """Only one of them has a comment above it, too."""
    jobs = "a:\n  # pinned\n  image: alpine:3 # small\n  script: x\nb:\n  image: alpine:3 # small\n  script: y\n"
    result, _ = from_text(jobs, tmp_path)

    assert "# pinned" in result.text
    assert result.text.count("# small") == 1
