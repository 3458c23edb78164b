"""Configs that include other files."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from config.repository import config_of, repository, shown, wrong, wrong_in

from pipegen.config.files.include import MAX_FILES
from pipegen.config.files.load import MAX_BYTES

_PIPELINE = "pipelines: {p: {stages: [{name: a, script: x}]}}\n"


def test_included_definitions_are_merged_into_the_config(tmp_path: Path) -> None:
    """These are inputs, templates and pipelines, with those of included files first."""
    repository(
        tmp_path,
        pipegen="""
            include: [ci/templates.yaml, services/api/pipegen.yaml]
            inputs: {level: quick}
            pipelines: {p: {stages: [{name: a, script: x, extends: python}]}}
            """,
        ci__templates="""
            inputs: {python: 3.12}
            templates: {python: {image: python}}
            """,
        services__api__pipegen="pipelines: {api: {stages: [{name: b, script: y, extends: python}]}}",
    )

    assert config_of(tmp_path) == {
        "inputs": {"python": 3.12, "level": "quick"},
        "pipelines": {
            "api": {"stages": [{"name": "b", "image": "python", "script": "y"}]},
            "p": {"stages": [{"name": "a", "image": "python", "script": "x"}]},
        },
    }


def test_paths_are_relative_to_the_including_file(tmp_path: Path) -> None:
    """A file that is included twice counts once; it needs no pipelines."""
    repository(
        tmp_path,
        pipegen="include: ci/all.yaml\n",
        ci__all="include: [one.yaml, deep/two.yaml]\n",
        ci__one="include: ../templates.yaml\npipelines: {one: {stages: [{name: a, extends: t}]}}\n",
        ci__deep__two="include: ['../../templates.yaml']\npipelines: {two: {stages: [{name: a, extends: t}]}}\n",
        templates="templates: {t: {script: x}}\n",
    )

    stage = {"name": "a", "script": "x"}
    assert config_of(tmp_path) == {"pipelines": {name: {"stages": [stage]} for name in ("one", "two")}}


def test_settings_of_targets_are_merged(tmp_path: Path) -> None:
    """They are merged by key, and two files may have equal values."""
    repository(
        tmp_path,
        pipegen=f"include: more.yaml\n{_PIPELINE}targets: {{gitlab: {{images: local}}, jenkins: {{}}}}\n",
        more="targets: {gitlab: {images: local, tags: [a]}}\n",
    )

    config = config_of(tmp_path)
    assert isinstance(config, dict)
    assert config["targets"] == {"gitlab": {"images": "local", "tags": ["a"]}, "jenkins": {}}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"pipegen": f"include: more.yaml\n{_PIPELINE}", "more": _PIPELINE},
            ("PG332", "pipegen.yaml:2", 'pipeline "p" is defined in two files'),
        ),
        (
            {
                "pipegen": f"include: [a.yaml, b.yaml]\n{_PIPELINE}",
                "a": "templates: {t: {}}",
                "b": "templates:\n  t: {}",
            },
            ("PG332", "b.yaml:2", 'template "t" is defined in two files'),
        ),
        (
            {"pipegen": f"include: more.yaml\ninputs: {{i: a}}\n{_PIPELINE}", "more": "inputs: {i: a}"},
            ("PG332", "pipegen.yaml:2", 'input "i" is defined in two files'),
        ),
        (
            {
                "pipegen": f"include: more.yaml\n{_PIPELINE}targets: {{gitlab: {{images: local}}}}",
                "more": "targets: {gitlab: {images: registry}}",
            },
            ("PG332", "pipegen.yaml:3", 'the setting "gitlab.images" differs between two files'),
        ),
        (
            {"pipegen": "include: more.yaml", "more": "templates: {}"},
            ("PG203", "pipegen.yaml:1", 'neither the config nor its included files have "pipelines"'),
        ),
        (
            {"pipegen": "include: ci/more.yaml", "ci__more": "templates: {t: {timeot: 5m}}"},
            ("PG201", "ci/more.yaml:1", 'unknown key "timeot" in template "t"'),
        ),
        (
            {"pipegen": "include: ci/more.yaml", "ci__more": "pipelines: {p: {stages: [{name: a, extends: t}]}}"},
            ("PG330", "ci/more.yaml:1", 'there is no template "t"'),
        ),
        (
            {"pipegen": "include: ci/more.yaml", "ci__more": "pipelines: {"},
            ("PG102", "ci/more.yaml:1", "the file ends before a list or map on one line is closed"),
        ),
        ({"pipegen": "include: ci/more.yaml", "ci__more": ""}, ("PG104", "ci/more.yaml:1", "the file is empty")),
        (
            {"pipegen": "include: ci/more.yaml", "ci__more": "[a]"},
            ("PG202", "ci/more.yaml:1", "the config takes a map, not a list"),
        ),
        (
            {"pipegen": "include: pipegen.yaml"},
            ("PG112", "pipegen.yaml:1", '"pipegen.yaml" includes itself'),
        ),
        (
            {"pipegen": "include: ci/a.yaml", "ci__a": "include: b.yaml", "ci__b": "\ninclude: [../ci/a.yaml]"},
            ("PG112", "ci/b.yaml:2", "files include each other: ci/a.yaml -> ci/b.yaml -> ci/a.yaml"),
        ),
    ],
)
def test_errors_are_reported_once_in_their_file(
    files: dict[str, str], expected: tuple[str, str, str], tmp_path: Path
) -> None:
    """They may be in the config or in an included file."""
    diagnostics = wrong_in(repository(tmp_path, **files))

    assert shown(diagnostics[0]) == expected
    assert len(diagnostics) == 1


@pytest.mark.parametrize(
    ("written", "code", "message", "hint"),
    [
        (
            "ci/tempaltes.yaml",
            "PG110",
            '"ci/tempaltes.yaml" cannot be included: it does not exist',
            'write "ci/templates.yaml"',
        ),
        ("ci", "PG110", '"ci" cannot be included: it is a folder', "name a file in the folder"),
        ("api/", "PG110", '"api/" cannot be included: it is a folder', 'write "api/pipegen.yaml"'),
        (
            "'ci/*.yaml'",
            "PG110",
            '"ci/*.yaml" cannot be included: it does not exist',
            "name each file: patterns are not supported",
        ),
        (
            "other/none.yaml",
            "PG110",
            '"other/none.yaml" cannot be included: it does not exist',
            "paths are relative to the including file",
        ),
        ("pipe", "PG110", '"pipe" cannot be included: it is not a regular file', "name a text file"),
        ("a" * 300, "PG110", f'"{"a" * 300}" cannot be included: File name too long', "name a file that can be read"),
        (
            "https://example.org/ci.yaml",
            "PG111",
            "only files of the repository can be included",
            "add a copy to the repository, and write its path",
        ),
        (
            "/ci/templates.yaml",
            "PG111",
            '"/ci/templates.yaml" is not a relative path',
            'write "ci/templates.yaml": paths are relative to the including file',
        ),
        (".git/config", "PG111", '".git/config" is an internal file of git', "include a file from the work tree"),
        ("git/x", "PG111", '"git/x" is an internal file of git', "include a file from the work tree"),
        ("link.yaml", "PG111", '"link.yaml" leads out of the repository', "include a file of the repository"),
        ("linked/x.yaml", "PG111", '"linked/x.yaml" leads out of the repository', "include a file of the repository"),
    ],
)
def test_invalid_includes_are_reported_with_a_hint(
    written: str, code: str, message: str, hint: str, tmp_path: Path
) -> None:
    """The diagnostic is at the item of `include`."""
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "x.yaml").write_text("templates: {}\n", encoding="utf-8")
    repository(root, pipegen=f"include:\n  - {written}\n{_PIPELINE}", ci__templates="{}", api__pipegen="{}")
    (root / "link.yaml").symlink_to(tmp_path / "x.yaml")
    (root / "linked").symlink_to(tmp_path)
    (root / ".git/config").write_text("secret", encoding="utf-8")
    (root / "git").symlink_to(".git")
    os.mkfifo(root / "pipe")

    (diagnostic,) = wrong_in(root)

    assert (*shown(diagnostic), diagnostic.hint) == (code, "pipegen.yaml:2", message, hint)


def test_a_file_outside_the_repository_is_not_included(tmp_path: Path) -> None:
    """The hint has the root; without a `.git`, that is the folder of the config."""
    (tmp_path / "x.yaml").write_text("templates: {}\n", encoding="utf-8")
    root = tmp_path / "root"
    root.mkdir()
    repository(root, pipegen=f"include: ci/../../x.yaml\n{_PIPELINE}")

    (diagnostic,) = wrong_in(root)

    assert shown(diagnostic) == ("PG111", "pipegen.yaml:1", '"ci/../../x.yaml" is outside the repository')
    assert diagnostic.hint == f'the root of the repository is "{root}"'


def test_an_unreadable_include_has_the_system_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is simulated, because root can read every file."""
    repository(tmp_path, pipegen=f"include: more.yaml\n{_PIPELINE}", more="templates: {}")
    opened = os.open

    def refused(path: str | Path, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == "more.yaml":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return opened(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refused)
    (diagnostic,) = wrong_in(tmp_path)

    assert diagnostic.message == '"more.yaml" cannot be included: Permission denied'


def test_symlinks_within_the_repository_are_followed(tmp_path: Path) -> None:
    """Two names of one file count as one file, also for the detection of loops."""
    repository(tmp_path, pipegen="include: [one.yaml, two.yaml]", one=_PIPELINE)
    (tmp_path / "two.yaml").symlink_to("one.yaml")
    assert config_of(tmp_path) == {"pipelines": {"p": {"stages": [{"name": "a", "script": "x"}]}}}

    (tmp_path / "one.yaml").write_text("include: three.yaml", encoding="utf-8")
    (tmp_path / "three.yaml").symlink_to("one.yaml")
    (diagnostic,) = wrong_in(tmp_path)
    assert diagnostic.code.number == "PG112"


def test_a_config_without_a_file_cannot_include_files() -> None:
    """There is no folder for relative paths."""
    (diagnostic,) = wrong(f"include: more.yaml\n{_PIPELINE}")

    assert shown(diagnostic) == (
        "PG111",
        "pipegen.yaml:1",
        "a config that is not read from a file cannot include files",
    )


@pytest.mark.slow
def test_the_number_and_size_of_includes_are_limited(tmp_path: Path) -> None:
    """The limits apply to the number of files, their size and the values from aliases."""
    chain = {f"f{number}": f"include: f{number + 1}.yaml" for number in range(MAX_FILES + 1)}
    (diagnostic, *_) = wrong_in(repository(tmp_path, pipegen="include: f0.yaml", **chain))
    assert diagnostic.code.number == "PG113"

    (tmp_path / "f0.yaml").write_bytes(b"# " + b"a" * MAX_BYTES)
    (diagnostic, *_) = wrong_in(tmp_path)
    assert diagnostic.message == '"f0.yaml" cannot be included: it is larger than 10 MiB'

    lines = ["x-0: &a0 [a, a, a, a, a, a, a, a, a, a]"]
    lines += [f"x-{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 5)]
    lines += [f"x-9: [{', '.join(['*a4'] * 3)}]"]
    repository(tmp_path, pipegen="include: [f0.yaml, f1.yaml]", f0="\n".join(lines), f1="\n".join(lines))
    (diagnostic, *_) = wrong_in(tmp_path)
    assert shown(diagnostic) == ("PG113", "pipegen.yaml:1", "the included files have more than 600,000 values")


def test_errors_of_all_files_are_reported_together(tmp_path: Path) -> None:
    """An error in one file does not hide those in another."""
    repository(
        tmp_path,
        pipegen=f"include: [a.yaml, none.yaml, b.yaml]\n{_PIPELINE}",
        a="templates: [",
        b="templates: {t: {timeot: 5m}}",
    )

    assert [shown(diagnostic)[:2] for diagnostic in wrong_in(tmp_path)] == [
        ("PG102", "a.yaml:1"),
        ("PG201", "b.yaml:1"),
        ("PG110", "pipegen.yaml:1"),
    ]
