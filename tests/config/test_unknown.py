"""Diagnostics of a config with errors: the certain ones, and those that depend on corrections."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from config.sample_configs import written

from pipegen.compiler import Analysed, analyse, generate
from pipegen.config.files.load import load
from pipegen.diagnostics.codes import UNBOUND_NAME
from pipegen.diagnostics.model import Code
from pipegen.diagnostics.report import Report, Stopped
from pipegen.lint.registry import run_rules
from pipegen.lint.rules import unpinned_image, unused_output
from pipegen.source.text import SourceFile
from pipegen.targets import registry


def codes(file: SourceFile) -> list[str]:
    """Return the codes reported for *file*, in order: both targets, and the rules about images and outputs."""
    report = Report()

    def check_further(analysed: Analysed, report: Report) -> None:
        for name in ("jenkins", "gitlab"):
            with suppress(Stopped):
                generate(analysed, registry.load(name), {}, report)
        run_rules((unpinned_image.check, unused_output.check), analysed.for_rules(()), report)

    with suppress(Stopped):
        check_further(analyse(file, (), report, {}, check_further), report)
    return [diagnostic.code.number for diagnostic in report.diagnostics()]


def of_stages(*stages: str, more: str = "", keys: str = "") -> str:
    """Return a config with *stages*, *more* keys of the file and *keys* of the pipeline."""
    return f"{more}\npipelines: {{ p: {{ {keys} stages: [{', '.join(stages)}] }} }}"


# Errors of the plan, of a target, and of lint.
UNBOUND, LOCKS, UNPINNED = (
    "{ name: u, script: 'x ${.v}' }",
    "{ name: l, lock: [a, b], script: x }",
    "{ name: i, image: alpine, script: x }",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (of_stages(UNBOUND, LOCKS, UNPINNED), ["PG307", "PG653", "PG705"]),
        (of_stages("{ name: s, agent: 'x &&', script: x }", UNBOUND, LOCKS, UNPINNED), ["PG204"]),
        (of_stages(UNBOUND, more="nope: 1"), ["PG201"]),
        (of_stages(UNBOUND, more="inputs: { x: [1] }"), ["PG202"]),
        (of_stages(UNBOUND, more="inputs: { x: { default: a, choices: [b] } }"), ["PG520"]),
        (of_stages(UNBOUND, more="templates: { x: { nope: 1 } }"), ["PG201"]),
        (of_stages(UNBOUND, more="templates: { x: { extends: y } }"), ["PG330"]),
        (of_stages(UNBOUND, more="targets: { gitlap: {} }"), ["PG363"]),
        (of_stages(UNBOUND, more="targets: { gitlab: 5 }"), ["PG202"]),
        (of_stages(UNBOUND, keys="nope: 1,"), ["PG201"]),
        (of_stages(UNBOUND, keys="schedule: [1],"), ["PG202"]),
        (of_stages("{ name: s, script: x, script: y }", UNBOUND), ["PG103"]),
        (of_stages("{ name: s, script: x, script: y, nope: 1 }", UNBOUND), ["PG103", "PG201"]),
        (of_stages("{ name: s, matrix: { a: [] }, script: x }", UNBOUND), ["PG204"]),
        (of_stages("{ name: s, matrix: { from: n }, script: x }", UNBOUND), ["PG301"]),
        (of_stages("{ name: s, extends: n }", UNBOUND), ["PG330"]),
        (of_stages("{ name: setup, script: x }", UNBOUND), ["PG303"]),
        (of_stages("{ name: s, pipeline: n }", UNBOUND), ["PG640"]),
        (of_stages(UNBOUND, keys="execution: [[u, n]],"), ["PG301"]),
    ],
)
def test_an_error_does_not_hide_other_errors(text: str, expected: list[str]) -> None:
    """Errors of the schema, names, templates, inputs, targets and matrices do not hide one in another stage."""
    reported = codes(written(text))
    others = [code for stage, code in ((UNBOUND, "PG307"), (LOCKS, "PG653"), (UNPINNED, "PG705")) if stage in text]

    assert sorted(set(reported)) == sorted({*expected, *others})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (of_stages("{ name: s, extends: n }", "{ name: r, script: 'x ${s.v}' }"), ["PG330"]),
        (
            of_stages("{ name: s, outputs: [v], script: [x], script: [x] }", "{ name: r, script: 'x ${s.v}' }"),
            ["PG103"],
        ),
        ("pipelines: { p: { stages: [{ name: a }] }, p: { stages: [{ name: b }] } }", ["PG103"]),
        (of_stages("{ name: s, outputs: 5, script: x }", "{ name: r, script: 'x ${s.v}' }"), ["PG202"]),
        (of_stages("{ name: s, matrix: { a: [] }, script: x }", "{ name: r, script: 'x ${s[a=1].v}' }"), ["PG204"]),
        (
            of_stages(
                "{ name: s, outputs: { v: { command: x } }, script: x }",
                "{ name: r, nope: 1, script: 'x ${s.v}' }",
                "{ name: t, script: 'x ${r.v}' }",
            ),
            ["PG201"],
        ),
        (of_stages("{ name: s, when: { inputs: { i: no } }, script: x }", more="inputs: { i: [1] }"), ["PG202"]),
        (of_stages("{ name: s, script: 'x ${inputs.i}' }", more="input: { i: 1 }"), ["PG201"]),
        (of_stages("{ name: s, script: 'x ${inputs.i}' }", more="inputs: [i]"), ["PG202"]),
        (of_stages("{ name: s, extends: t }", more="template: { t: { script: x } }"), ["PG201"]),
        (of_stages("{ name: s, extends: t }", more="templates: { t: { script: { a: b } } }"), ["PG202"]),
        (
            of_stages(
                "{ name: s, extends: name }", "{ name: u, script: '${s.imageID}' }", more="templates: { name: 1 }"
            ),
            ["PG202"],
        ),
        (of_stages("{ name: s }", more="templates: { t: 5 }", keys="defaults: { extends: t },"), ["PG202"]),
        (of_stages("{ name: s, script: x }", "{ name: r, script: x }", keys="excution: [[r, s]],"), ["PG201"]),
        (of_stages("{ name: s, trigger: { name: j } }", more="targets: { gitlab: { nope: 1 } }"), ["PG201"]),
        (
            of_stages(
                "{ name: s, script: x, agent: { kubernetes: { yaml: 'kind: Pod', nope: 1 } } }",
                "{ name: r, script: x, agent: { kubernetes: { yaml: 'kind: Pod' } } }",
                keys="workspace: shared,",
            ),
            ["PG626", "PG201"],
        ),
        (of_stages("{ name: s, extends: t, script: x }", keys="templates: { t: {} },"), ["PG205"]),
        (of_stages("{ name: s, templates: { t: {} }, extends: t, script: x }"), ["PG205"]),
        (of_stages("{ name: s, environment: '${n.x}', script: x }"), ["PG304"]),
        (of_stages("{ name: s, cache: { paths: [a], key: '${n.x}' }, script: x }"), ["PG304"]),
        (
            of_stages(
                "{ name: s, nope: 1, matrix: { a: [b] }, script: x }",
                "{ name: t, matrix: { from: s }, environment: '${matrix.a}', script: x }",
                keys="execution: [[s, t]],",
            ),
            ["PG201"],
        ),
    ],
)
def test_an_error_causes_no_further_errors(text: str, expected: list[str]) -> None:
    """Parts that read or inherit an unknown value are unknown."""
    assert codes(written(text)) == expected


@pytest.mark.parametrize(
    ("key", "is_reported"),
    [
        ("agnt: any", True),
        ("agent: any", True),
        ("settings: { other: [x, 1] }", True),
        ("settings: { name: { image: x } }", False),
        ("settings: [{ a: name }]", False),
        ("name: { image: x }", False),
        ("temlates: { other: {} }", False),
        ("input: { other: {} }", False),
        ("files: shared.yml", False),
        ("include: { a: b }", False),
        ("targets: { nope: {} }", True),
    ],
)
@pytest.mark.parametrize("stage", ["{ name: s, script: x, extends: name }", "{ name: s, script: 'x ${inputs.name}' }"])
def test_an_unknown_key_of_the_file_hides_names_that_it_may_define(key: str, stage: str, *, is_reported: bool) -> None:
    """These are the names in its value; a typo of a known key, and paths of files, may define any name."""
    assert bool({"PG330", "PG335"} & set(codes(written(of_stages(stage, more=key))))) == is_reported


def test_settings_of_each_target_are_checked() -> None:
    """Settings of an unknown target, or errors in another target, do not prevent the check."""
    text = "targets: { gitlap: {}, gitlab: { nope: 1 }, jenkins: { nope: 1 } }"

    assert codes(written(of_stages("{ name: s, script: x }", more=text))) == ["PG363", "PG201", "PG201"]


@pytest.mark.parametrize(
    ("included", "expected"),
    [
        ("templates: { t: { script: 'x ${.v}', outputs: 1 } }", ["PG202"]),
        ("templates: { t: { script: 'x ${.v}', retry: [1] } }", ["PG202", "PG307"]),
        ("templates: { t: { script: 'x ${.v}' }, o: { nope: 1 } }", ["PG201", "PG307"]),
        ("templates: [", ["PG102"]),
        ("nope: 1", ["PG201", "PG330"]),
        ("nope: { t: 1 }", ["PG201"]),
    ],
)
def test_an_invalid_include_does_not_hide_other_errors(included: str, expected: list[str], tmp_path: Path) -> None:
    """A file that cannot be read may contain anything, an unknown key only the names in it."""
    reported = codes(including(of_stages("{ name: s, extends: t }", UNBOUND), included, tmp_path))

    assert sorted(reported) == sorted([*expected, "PG307"])


def test_a_pipeline_defined_in_two_files_uses_the_first(tmp_path: Path) -> None:
    """The other definition may have more stages, with their own errors."""
    config = of_stages("{ name: s }", "{ name: t, nope: 1 }")
    reported = codes(including(config, of_stages("{ name: s, script: 'x ${.v}' }"), tmp_path))

    assert sorted(reported) == ["PG201", "PG307", "PG332"]


def including(text: str, included: str, folder: Path) -> SourceFile:
    """Return the config *text* in *folder*, which includes *included*."""
    (folder / ".git").mkdir()
    (folder / "included.yml").write_text(included, encoding="utf-8")
    (folder / "pipegen.yaml").write_text(f"include: included.yml\n{text}", encoding="utf-8")
    return load(folder / "pipegen.yaml", Report())


@pytest.mark.parametrize(("final", "expected"), [((), ["PG307", "PG653"]), ((UNBOUND_NAME,), ["PG307"])])
def test_a_check_with_final_errors_is_the_last_one(final: tuple[Code, ...], expected: list[str]) -> None:
    """The import of a pipeline corrects them, and compiles again."""
    file, report = SourceFile("pipeline.yml", of_stages(UNBOUND, LOCKS)), Report()

    def after(analysed: Analysed, report: Report) -> None:
        with suppress(Stopped):
            generate(analysed, registry.load("gitlab"), {}, report)

    with suppress(Stopped):
        analyse(file, (), report, after=after, final=final)

    assert [diagnostic.code.number for diagnostic in report.diagnostics()] == expected
