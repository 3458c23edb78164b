"""`pipegen diff`: how versions of a config are named, and how their differences are shown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli.program import BROKEN, Pipegen
from cli.repositories import commit, git, repository
from documents import DOCS
from jsonschema import Draft202012Validator

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "diff.schema.json").read_text(encoding="utf-8"))

OLD = """\
include: ci/templates.yaml
pipelines:
  service:
    stages:
      - { name: lint, extends: quick, script: [ruff check .] }
      - { name: build, script: [make dist] }
      - { name: docs, script: [make docs] }
      - { name: release, script: ['./release | cat'] }
    execution:
      - [lint, build, release]
      - [docs, release]
  nightly: { stages: [{ name: soak, script: [make soak] }] }
"""
NEW = """\
# One order more, one less; a stage more, one under another name.
include: ci/templates.yaml
inputs: { level: { default: full } }
pipelines:
  service:
    stages:
      - { name: lint, extends: quick, script: [ruff check .] }
      - { name: package, script: [make dist] }
      - { name: sign, script: [sign], approve: true, secrets: { KEY: signing-key } }
      - { name: docs, when: { branch: main }, script: [make docs] }
      - name: release
        script:
          - ./check `pwd`
          - ./release | cat
    execution:
      - [package, sign, release]
      - [package, docs, release]
      - [lint, release]
"""
TEMPLATES = "templates: { quick: { timeout: 5 minutes } }\n"

TEXT = """\
+ input level
  type: nothing -> string
  default: nothing -> full

- pipeline nightly
  1 stage: soak
  longest path: 1 stage

~ pipeline service
  + sign (after package; before release)
    script: sign
    secrets: KEY: signing-key (text)
    approve: true
  ~ package, renamed from build
  ~ lint
    timeout: 5 min -> 10 min
  ~ docs
    when: nothing -> branch main
  ~ release
    script:
      + ./check `pwd`
        ./release | cat
  newly ordered: 1 pair of stages
    package before docs
  no longer ordered: 1 pair of stages
    lint before package
  longest path: 3 stages, as before
    package -> sign -> release
    was lint -> package -> release
  new prompts: sign waits for approval; sign reads the secret "signing-key"
"""

MARKDOWN = """\
### Pipelines: changes

`HEAD` → `pipegen.yaml`

**Pipeline `nightly` removed**: 1 stage, `soak`
- longest path: 1 stage (`soak`)

**Pipeline `service`** — stages: 1 added, 1 renamed, 3 changed; order: 1 pair gained, 1 pair lost
- **new prompts**: `sign` waits for approval
- **new prompts**: `sign` reads the secret `signing-key`
- longest path: 3 stages (`package` → `sign` → `release`), was 3 stages (`lint` → `package` → `release`)
- added: `sign`, after `package`, before `release`
- renamed: `build` to `package`

<details><summary>Details</summary>

- newly ordered: `package` before `docs`
- no longer ordered: `lint` before `package`

| stage | key | old | new |
|---|---|---|---|
| `sign`, added | `script` | nothing | `sign` |
| `sign`, added | `secrets` | nothing | `KEY: signing-key (text)` |
| `sign`, added | `approve` | nothing | `true` |
| `lint` | `timeout` | `5 min` | `10 min` |
| `docs` | `when` | nothing | `branch main` |

`release`, `script`:

```diff
+ ./check `pwd`
  ./release | cat
```

</details>

**Inputs**

| inputs | key | old | new |
|---|---|---|---|
| `level` added | `type` | nothing | `string` |
| `level` added | `default` | nothing | `full` |
"""


@pytest.fixture
def root(empty: Path) -> Path:
    """Return the current folder, a repository with the old version at HEAD and the new one uncommitted."""
    repository(empty, {"pipegen.yaml": OLD, "ci/templates.yaml": TEMPLATES})
    (empty / "pipegen.yaml").write_text(NEW, encoding="utf-8")
    (empty / "ci" / "templates.yaml").write_text(TEMPLATES.replace("5", "10"), encoding="utf-8")
    return empty


@pytest.mark.usefixtures("root")
def test_the_working_tree_is_compared_with_head(pipegen: Pipegen) -> None:
    """Included files are also read from the commit."""
    result = pipegen("diff")

    assert (result.status, result.out, result.err) == (1, TEXT, "")


@pytest.mark.usefixtures("root")
def test_markdown_has_a_summary_and_folded_details(pipegen: Pipegen) -> None:
    """Text of the config is escaped."""
    result = pipegen("diff", "HEAD", "--format", "markdown")

    assert (result.status, result.out) == (1, MARKDOWN)


@pytest.mark.parametrize("arguments", [("HEAD", "HEAD"), ("HEAD",), ("pipegen.yaml", "HEAD")])
@pytest.mark.usefixtures("root")
def test_json_fits_its_schema(arguments: tuple[str, ...], pipegen: Pipegen) -> None:
    """Programs rely on the schema."""
    result = pipegen("diff", *arguments, "--format", "json")
    Draft202012Validator.check_schema(SCHEMA)
    data = json.loads(result.out)

    assert (result.status, data["changed"]) == ((0, False) if arguments == ("HEAD", "HEAD") else (1, True))
    assert list(Draft202012Validator(SCHEMA).iter_errors(data)) == []


def test_a_version_is_a_git_revision_or_path(root: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be a commit, a branch, a tag or a path of a revision, also from a subfolder."""
    git(root, "tag", "v1")
    commit(root, {})
    monkeypatch.chdir(root / "ci")

    assert pipegen("diff", "v1:pipegen.yaml", "../pipegen.yaml").out == TEXT.replace("HEAD", "v1:pipegen.yaml")
    assert pipegen("diff", "v1:../pipegen.yaml", "main:pipegen.yaml").out == TEXT
    assert pipegen("diff", "v1", "main").status == 1
    assert pipegen("diff", "main", "HEAD").out == "HEAD has the same meaning as main\n"


def test_two_files_can_be_compared_outside_a_repository(empty: Path, pipegen: Pipegen) -> None:
    """They may have any names."""
    same = "pipelines:\n  p: # the same\n    stages: [{ name: a, script: x }]\n"
    (empty / "one.yaml").write_text("pipelines: { p: { stages: [{ name: a, script: [x] }] } }\n", encoding="utf-8")
    (empty / "other.yaml").write_text(same, encoding="utf-8")
    result = pipegen("diff", "one.yaml", "other.yaml")

    assert (result.status, result.out) == (0, "other.yaml has the same meaning as one.yaml\n")


def test_files_of_another_repository_can_be_compared(
    root: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path may lead out of the repository of the current folder."""
    repository(root / "inner", {"any": ""})
    monkeypatch.chdir(root / "inner")

    assert pipegen("diff", "../pipegen.yaml", "../pipegen.yaml").status == 0


def test_a_revision_without_a_path_has_a_default_config_name(root: Path, pipegen: Pipegen) -> None:
    """The default name may differ between the two revisions."""
    git(root, "mv", "--force", "pipegen.yaml", "pipegen.yml")
    commit(root, {})

    assert pipegen("diff", "HEAD~1").status == 1
    assert pipegen("diff", "HEAD").out == "pipegen.yml has the same meaning as HEAD\n"


def test_a_symlink_is_resolved_in_its_revision(root: Path, pipegen: Pipegen) -> None:
    """An included file may be one."""
    (root / "ci" / "templates.yaml").rename(root / "ci" / "real.yaml")
    (root / "ci" / "templates.yaml").symlink_to("real.yaml")
    commit(root, {})

    assert pipegen("diff", "HEAD").status == 0


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_durations_measure_the_longest_path(form: str, root: Path, pipegen: Pipegen) -> None:
    """It is in seconds for both versions; durations of removed stages are allowed."""
    times = "{ lint: 1, build: 60, package: 60, sign: 1, docs: 5, release: 1, soak: 1 }"
    (root / "times.yaml").write_text(times, encoding="utf-8")
    result = pipegen("diff", "--durations", "times.yaml", "--format", form)
    expected = {"text": "longest path: 66 s, was 62 s", "markdown": "longest path: 66 s (", "json": '"unit": "seconds"'}

    assert (result.status, result.err) == (1, "")
    assert expected[form] in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), '"nowhere" is neither a file nor a git revision'),
        (("HEAD:nowhere.yaml",), 'revision "HEAD" has no file "nowhere.yaml"'),
        (("HEAD:/etc/passwd",), 'revision "HEAD" has no file "/etc/passwd"'),
        (("ci",), '"ci" is a folder'),
    ],
)
@pytest.mark.usefixtures("root")
def test_a_missing_version_is_wrong_usage(arguments: tuple[str, ...], message: str, pipegen: Pipegen) -> None:
    """The message says what is missing."""
    result = pipegen("diff", *arguments)

    assert (result.status, message in result.err) == (2, True)


def test_a_revision_needs_a_repository(empty: Path, pipegen: Pipegen) -> None:
    """HEAD is the default: the message tells a person who did not write it what is missing."""
    (empty / "pipegen.yaml").write_text("pipelines: {p: {stages: [{name: a, script: [x]}]}}\n")
    result = pipegen("diff")

    assert (result.status, "and there is no git repository here" in result.err) == (2, True)


def test_a_revision_without_a_config_is_wrong_usage(empty: Path, pipegen: Pipegen) -> None:
    """The merge request that adds the first config is such a case."""
    repository(empty, {"README.md": ""})
    (empty / "pipegen.yaml").write_text(OLD, encoding="utf-8")

    assert 'revision "HEAD" has no config: looked for pipegen.yaml, ' in pipegen("diff").err


def test_errors_of_the_old_version_have_its_revision(root: Path, pipegen: Pipegen) -> None:
    """The path of the diagnostic contains the revision, and only errors are reported."""
    commit(root, {"pipegen.yaml": BROKEN})
    result = pipegen("diff", "HEAD", "HEAD~1")

    assert result.status == 1
    assert "--> HEAD:./pipegen.yaml:5:16" in result.err
    assert result.out == ""


def test_the_diff_in_the_documentation_is_current(empty: Path, pipegen: Pipegen) -> None:
    """It is the output for the two configs above it."""
    before, _, rest = (DOCS / "changes.md").read_text(encoding="utf-8").partition("<!-- diff -->\n```\n")
    old, new = re.findall(r"^```yaml\n(.*?)^```$", before, re.DOTALL | re.MULTILINE)[-2:]
    (empty / "old.yaml").write_text(old, encoding="utf-8")
    (empty / "new.yaml").write_text(new, encoding="utf-8")

    assert (
        f"$ pipegen diff old.yaml new.yaml\n{pipegen('diff', 'old.yaml', 'new.yaml').out}" == rest.partition("```")[0]
    )


def test_combinations_in_a_list_are_quoted(empty: Path, pipegen: Pipegen) -> None:
    """Their names contain commas."""
    config = """\
pipelines:
  p:
    stages:
      - { name: lint, script: [lint] }
      - { name: unit, matrix: { python: ['3.11', '3.12'], os: [linux] }, timeout: %s minutes, script: [x] }
    execution:
      - [lint, unit]
"""
    for name, timeout in (("old.yaml", "5"), ("new.yaml", "9")):
        (empty / name).write_text(config % timeout, encoding="utf-8")
    result = pipegen("diff", "old.yaml", "new.yaml")

    assert '  ~ "unit: 3.11, linux", "unit: 3.12, linux"\n    timeout: 5 min -> 9 min\n' in result.out
