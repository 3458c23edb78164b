"""Loops over text that is known only at run time."""

from __future__ import annotations

import re

import pytest
import yaml
from shell.world import HOSTILE, Result, World, each_of, host, jobs, plan_of, script_of, text_of

from pipegen.bindings.expression import Loop, Reference, Scope, Text
from pipegen.plan.model import RunContainer
from pipegen.shell.script import script
from pipegen.structs import replace

SOURCE = {"name": "a", "build": "x", "run": {"tail": 9}}
TEXTS = [
    *(text for text in HOSTILE.values() if len(text) < 1000),
    "a,b;;c , d,\n",
    ",,",
    "one",
    "a b\nc d\n",
    "* ?\n[a]*\n",
    "x\n\n\n  y \n",
    "a→b→→ c,d→",
    "-n\n-e\n\\n\n",
]


def loop(source: object, names: object, body: object, delimiter: str | None = None) -> dict[str, object]:
    """Return a `$each` loop."""
    result: dict[str, object] = {"$each": names, "$in": source, "$yield": body}
    return result if delimiter is None else result | {"$delimiter": delimiter}


def arguments(world: World, value: object, text: str) -> list[str]:
    """Return the arguments that a container gets for *value*, which reads an output *text*."""
    return called(run(world, value, text))


def run(world: World, value: object, text: str) -> Result:
    """Run a job with the arguments *value*."""
    plan = plan_of([SOURCE, {"name": "t", "build": "x", "run": {"arguments": value}}])
    world.give("a", "output", text)
    return world.run_job(plan, "t", host())


def called(result: Result) -> list[str]:
    """Return the arguments after the image."""
    assert result.status == 0, result.errors
    words = next(call for call in result.calls if call[0] == "run")
    return words[words.index("localhost/pipegen-7") + 1 :]


@pytest.mark.slow
@pytest.mark.parametrize("delimiter", ["\n", ",", ", ;", " ", "\n,", "→", ",→\n", "*?", "\\", "'\"", "]-^!a", "%s"])
def test_items_are_groovys_tokens(world: World, delimiter: str) -> None:
    """Text is split at any of the delimiters, and empty items are dropped."""
    for text in TEXTS:
        result = arguments(world, loop("${a.output}", "i", "<${.i}>", delimiter), text)

        assert result == [f"<{piece}>" for piece in tokens(text, delimiter)], text


@pytest.mark.parametrize("name", each_of(HOSTILE))
def test_lines_of_hostile_text_are_items(world: World, name: str) -> None:
    """Each non-empty line is one unchanged item."""
    result = arguments(world, loop("${a.output}", "i", "${.i}"), HOSTILE[name])

    assert result == [line for line in HOSTILE[name].split("\n") if line]


def test_names_take_the_words_of_a_line(world: World) -> None:
    """Only blanks separate words; extra words are dropped and blank lines skipped."""
    text = "a 1\n\n   \n b  2 3 \nc\t4 5\n* \\x"

    result = arguments(world, loop("${a.output}", ["k", "v"], "${.k}=${.v}"), text)

    assert result == ["a=1", "b=2", "c\t4=5", "*=\\x"]


@pytest.mark.parametrize("delimiter", [",", "→", ", ;", ",\n"])
def test_names_take_the_words_of_other_items(world: World, delimiter: str) -> None:
    """If a newline is not a delimiter, it is part of a word."""
    mark = delimiter[0]
    newline = "" if "\n" in delimiter else "\n"
    blank = "_" if " " in delimiter else " "
    text = mark.join([f"a{blank}1", "", f" b{newline}{blank}* "])

    value = loop("${a.output}", ["k", "v"] if blank == " " else ["k"], "<${.k}>", delimiter)

    assert arguments(world, value, text) == (
        [f"<{word}>" for word in ("a", f"b{newline}")] if blank == " " else ["<a_1>", f"<b{newline}_*>"]
    )


@pytest.mark.parametrize("delimiter", [None, ",", "→"])
def test_too_few_words_fail_the_stage(world: World, delimiter: str | None) -> None:
    """The message has the stage, the names and the offending line."""
    result = run(world, loop("${a.output}", ["k", "v"], "x", delimiter), "$(id)")

    assert result.status == 1
    assert 'stage "t": too few words for k, v in the item that begins with "$(id)"' in result.errors
    assert not [call for call in result.calls if call[0] == "run"]


def test_loops_over_lists_with_run_time_items(world: World) -> None:
    """An item is whole, or is split into words."""
    whole = arguments(world, loop(["x", "${a.output}"], "i", "<${.i}>"), HOSTILE["lines"])
    words = arguments(world, loop(["x y", "${a.output}"], ["k", "v"], "${.v}"), " a * c\n")

    assert whole == ["<x>", f"<{HOSTILE['lines']}>"]
    assert words == ["y", "*"]


def test_an_empty_run_time_item_has_no_words(world: World) -> None:
    """As a whole item it counts."""
    assert arguments(world, loop(["x", "${a.output}"], ["k"], "${.k}"), "  ") == ["x"]
    assert arguments(world, loop(["x", "${a.output}"], "k", "${.k}"), "") == ["x", ""]


@pytest.mark.parametrize("outer", ["\n", "→", *(pytest.param(text, marks=pytest.mark.slow) for text in (";", ""))])
@pytest.mark.parametrize("inner", ["\n", "", *(pytest.param(text, marks=pytest.mark.slow) for text in (",", "→", " "))])
@pytest.mark.parametrize("split", [False, True])
def test_nested_loops_are_independent(world: World, outer: str, inner: str, *, split: bool) -> None:
    """Patterns and separators of one do not affect the other."""
    text = "a* b→c,d e\nf;g,h \n;* i j→"
    plan = plan_of([SOURCE, {"name": "t", "build": "x", "run": {"arguments": ["${a.output}"]}}])
    job = plan.job("t")
    step = next(step for step in job.steps if isinstance(step, RunContainer))
    (source,) = (item for item in step.arguments if isinstance(item, Text))
    row, cell = (Text((Reference("", name, None, source.span, Scope.LOOP),), source.span) for name in ("row", "cell"))
    # The same name twice: the variable of the inner loop hides that of the outer one.
    body = Text((*row.parts, "|", *cell.parts), source.span)
    within: Loop[Text] = Loop(("cell",), split, row, inner, body, source.span)
    outside: Loop[Text] = Loop(("row",), False, source, outer, within, source.span)
    looping_step = replace(step, arguments=(outside,))
    nested = replace(job, steps=tuple(looping_step if job_step is step else job_step for job_step in job.steps))
    world.give("a", "output", text)

    result = world.run(text_of(script(nested, plan, jobs(plan), host())))

    rows = tokens(text, outer)
    pieces = [(row, cell) for row in rows for cell in tokens(row, inner)]
    words = [(row, tokens(cell, " ")[:1]) for row, cell in pieces] if split else []
    expected = (
        [f"{row}|{word}" for row, first_words in words for word in first_words]
        if split
        else [f"{row}|{cell}" for row, cell in pieces]
    )
    assert called(result) == expected


def tokens(text: str, delimiters: str) -> list[str]:
    """Return the result of Groovy's tokenizer for *text*; all of it without delimiters."""
    if not delimiters:
        return [text]
    return [piece for piece in re.split(f"[{re.escape(delimiters)}]", text) if piece]


def test_an_inner_loop_shadows_names_of_the_outer(world: World) -> None:
    """After the inner loop, the name has its outer value again."""
    inner = {"$each": "i", "$in": "${b.output}", "$yield": "${.i}"}
    value = {"$each": "i", "$in": "${a.output}", "$yield": {"before": "${.i}", "in": inner, "after": "${.i}"}}
    deploy = {"image": "i", "tag": "t", "chart": {"name": "c"}, "overrides": {"x": value}}
    plan = plan_of([SOURCE, SOURCE | {"name": "b"}, {"name": "t", "deploy": deploy}])
    world.give("a", "output", "1\n2\n")
    world.give("b", "output", "3\n4")

    world.run_job(plan, "t", host())

    result = yaml.safe_load((world.kept / "values.yaml").read_text())
    assert result["x"] == [{"before": number, "in": ["3", "4"], "after": number} for number in ("1", "2")]


def test_constants_around_loops_keep_their_position(world: World) -> None:
    """Before, between and after loops."""
    each = loop("${a.output}", "i", "${.i}")
    value = {"$merge": {"$merge": ["-a", ""], "$with": each}, "$with": {"$merge": ["mid"], "$with": each}}

    result = arguments(world, {"$merge": value, "$with": ["-z"]}, "1\n2\n")

    assert result == ["-a", "", "1", "2", "mid", "1", "2", "-z"]


def test_constant_text_in_loops_is_not_executed() -> None:
    """Names that look like shell variables stay text."""
    plan = plan_of([SOURCE, {"name": "t", "build": "x", "run": {"arguments": loop("${a.output}", "PATH", "${.PATH}")}}])

    text = text_of(script_of(plan, "t", host()))

    assert " PATH" not in text
    assert '"$pipegen_each_PATH"' in text
