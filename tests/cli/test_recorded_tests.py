"""`pipegen test --write` records runs and values, and values are compared only for stages that run."""

from __future__ import annotations

from pathlib import Path

from cli.program import Pipegen


def test_recorded_tests_have_texts_for_classes_of_regular_expressions(empty: Path, pipegen: Pipegen) -> None:
    """A class with a dot, such as `[.]`, stands for a dot. A run for a new path filter is recorded too."""
    config = "pipelines: { app: { stages: [{ name: a, script: x, when: { tag: '/^v[0-9]+[.][^/x]+$/' } }] } }\n"
    (empty / "pipegen.yaml").write_text(config.replace("}] }", "}, { name: b, script: x }] }"), encoding="utf-8")
    pipegen("test", "--write")
    recorded = (empty / "pipegen.test.yaml").read_text(encoding="utf-8")

    assert "  tag v0.-:\n" in recorded
    assert "  push to main that changes other.txt:\n" in recorded


def test_a_stage_that_does_not_run_has_no_values(empty: Path, pipegen: Pipegen) -> None:
    """Neither are its values recorded, and `pipegen plan --events` shows none."""
    (empty / "pipegen.yaml").write_text(
        "pipelines:\n  app:\n    stages:\n      - name: build\n        script: [make]\n"
        "        when: { branch: main }\n        exports: { image: 'app:${setup.branch}' }\n",
        encoding="utf-8",
    )
    tests = empty / "pipegen.test.yaml"
    tests.write_text("tests:\n  x:\n    event: { kind: push, branch: x }\n    values: { build.image: 'app:x' }\n")
    result = pipegen("test")
    pipegen("test", "--write")

    assert result.status == 1
    assert 'test "x": build.image has no value: stage "build" runs only when branch main' in result.out
    assert "build.image: app:main" in tests.read_text(encoding="utf-8")
    assert "build.image: app:other" not in tests.read_text(encoding="utf-8")
    assert pipegen("test").status == 0
