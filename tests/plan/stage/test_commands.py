"""Scripts, their variables and outputs in the plan."""

from __future__ import annotations

import pytest
from plan.sample_plans import job_of, kinds, of, plan_of, plans_of, reported, shown, step, wrong

from pipegen.plan.model import Commands, Measure, Output


def texts(stage: str) -> list[str]:
    """Return the entries of the script of a stage that are plain text."""
    return ["".join(map(str, line.script.parts)) for line in step(Commands, stage).lines]


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        ("make test", ["make test"]),
        ("[make, 'make test']", ["make", "make test"]),
        ("[a, '', '  ', b]", ["a", "b"]),
        ('"a\\nb\\n"', ["a\nb\n"]),
        ("false", ["false"]),
        ("true", ["true"]),
        ("[1.10, no]", ["1.10", "no"]),
        ("'${FOO} ${TAG:-x.y} ${f%.*} $x'", ["${FOO} ${TAG:-x.y} ${f%.*} $x"]),
    ],
)
def test_a_script_keeps_its_text(script: str, lines: list[str]) -> None:
    """Except for blank entries; shell syntax is unchanged."""
    assert texts(f"script: {script}") == lines


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        ("{name: s, script: x}", ["Commands"]),
        ("{name: s, script: x, description: y, directory: z, files_from: []}", ["Commands"]),
        ("{name: s, description: for people}", ["BuildImage", "RunContainer"]),
        ("{name: s, directory: sub}", ["BuildImage", "RunContainer"]),
        (
            "{name: s, exports: {a: '${setup.logURL}'}, run: {image: '${setup.tag}'}, script: x}",
            ["Commands", "RunContainer", "Export"],
        ),
    ],
)
def test_a_script_comes_first(stage: str, expected: list[str]) -> None:
    """A stage with only a name builds and runs."""
    assert kinds(stage) == expected


def test_variables_keep_their_order() -> None:
    """With references, and text that a shell expands."""
    script = step(Commands, "script: x, env: {B: '${setup.tag}', A: 'x${HOME}', N: 1.10}")

    assert [(name, shown(value)) for name, value in script.env] == [
        ("B", "<setup setup.tag>"),
        ("A", "x${HOME}"),
        ("N", "1.10"),
    ]


def test_outputs_of_each_kind() -> None:
    """The script writes the ones of a list; a map has a measure for each."""
    listed = step(Commands, "script: x, outputs: [a, b.c]").outputs
    measured = step(Commands, "script: x, outputs: {a: {command: cat V}, b: {file: 'out/${setup.tag}'}}").outputs

    assert [(output.name, output.measure) for output in listed] == [("a", Measure.WRITTEN), ("b.c", Measure.WRITTEN)]
    assert [output.measure for output in measured] == [Measure.COMMAND, Measure.FILE]
    assert shown(measured[1].file) == "out/<setup setup.tag>"
    assert job_of("{name: s, script: x, outputs: [a, b]}").binds == ("a", "b")


A = "{name: a, script: x, outputs: [v, w], artifacts: [d]}"


def test_a_script_reads_outputs() -> None:
    """In its text, its variables, and the measures of its own outputs; each once."""
    reader = "{name: b, script: 'echo ${a.v} ${a.v}', env: {W: '${a.w|x}'}, outputs: {o: {command: 'f ${a.v}'}}}"
    job = plan_of(f"[{A}, {reader}]").job("b")

    assert set(job.inputs) == {Output("a", "v"), Output("a", "w")}
    assert len(job.inputs) == 2
    assert len(of(Commands, job).lines[0].values) == 1


def test_an_export_of_an_output_is_forwarded() -> None:
    """Its readers read the output itself."""
    plan = plan_of("[{name: a, script: x, outputs: [v], exports: {e: 'x${.v}'}}, {name: b, script: 'echo ${a.e}'}]")

    assert (plan.job("b").inputs, plan.job("a").outputs) == ((Output("a", "v"),), ("v",))
    assert plan.job("b").reads == (Output("a", "e"),)


def test_only_outputs_that_are_read_are_passed_on() -> None:
    """Declared outputs are bound."""
    job = plan_of(f"[{A}, {{name: b, script: 'echo ${{a.w}}'}}]").job("a")

    assert (job.binds, job.outputs) == (("v", "w"), ("w",))


def test_the_stages_directory_overrides_the_pipelines() -> None:
    """Both are relative to the root."""
    (plan,) = plans_of(
        "pipelines: {p: {directory: x, stages: [{name: a, script: y}, {name: b, script: y, directory: z/}]}}"
    )

    assert [job.directory for job in plan.jobs] == ["x", "z"]


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        ("env: {A: b}, build: x", [("PG203", "env")]),
        ("outputs: [a], build: x", [("PG203", "outputs")]),
        ("script: [' ']", [("PG204", "script")]),
        ("script: x, env: {'a=b': c}", [("PG510", "'a=b'")]),
        ("script: x, env: {'${setup.tag}': c}", [("PG510", "'${setup.tag}'")]),
        ("script: x, env: {PPID: c, PIPEGEN_OUTPUTS: d}", [("PG510", "PPID"), ("PG510", "PIPEGEN_OUTPUTS")]),
        ("script: x, outputs: [a, 'b c']", [("PG204", "'b c'")]),
        ("script: x, outputs: [a, a]", [("PG309", "a")]),
        ("script: x, outputs: [imageID], build: x", [("PG309", "imageID")]),
        ("script: 'echo ${.v}', outputs: [v]", [("PG308", "${.v}")]),
        ("script: 'echo ${.w}', outputs: [v]", [("PG307", "${.w}")]),
        ("script: 'echo ${z.w}'", [("PG359", "${z.w}")]),
        ("script: 'echo ${z//w}'", [("PG360", "${z//w}")]),
        ("script: 'echo ${z//w}', shell: bash", []),
        ("script: 'x \\'", [("PG204", "'x \\'")]),
        ("script: 'x \\\\'", []),
        ("script: x, directory: /srv", [("PG505", "/srv")]),
    ],
)
def test_errors_in_scripts_are_reported_once(stage: str, expected: list[tuple[str, str]]) -> None:
    """Each is at its location."""
    assert wrong(f"[{{name: s, {stage}}}]") == expected


def test_a_name_similar_to_a_stage_is_a_warning() -> None:
    """A name unlike any stage belongs to the shell."""
    (diagnostics,) = reported("pipelines: {p: {stages: [{name: build, script: \"x '${biuld.v} ${project.v}'\"}]}}")

    assert (diagnostics.code.number, diagnostics.severity.value) == ("PG322", "warning")
