"""Groovy 2.4, the version inside Jenkins, reads our literals back, unit for unit."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from emit.hostile import HOSTILE, LONG
from engines.requirement import require

from pipegen.emit.groovy import block, exact_block, literal, stripped_block

_JAVA_HOME = Path("/usr/lib/jvm/java-17-openjdk-amd64")

# Each file holds one expression; its value comes back as a hexadecimal number for each UTF-16 unit.
_READ_BACK = """
def values = [:]
new File(args[0]).eachFile { file ->
    try {
        def value = new GroovyShell().evaluate(file.getText('UTF-8'))
        values[file.name] = value.getBytes('UTF-16BE').encodeHex().toString()
    } catch (Throwable refused) {
        values[file.name] = refused.toString()
    }
}
new File(args[1]).text = groovy.json.JsonOutput.toJson(values)
"""


@pytest.fixture(scope="module")
def groovy() -> str:
    """Return the path of the groovy command."""
    command = shutil.which("groovy")
    require(None if command else "groovy is not installed")
    require(None if _JAVA_HOME.is_dir() else f"there is no Java in {_JAVA_HOME}")
    assert command is not None
    return command


def _evaluate(groovy: str, folder: Path, expressions: list[str]) -> list[str]:
    """Return the value of each of *expressions*, evaluated by one Groovy process."""
    sources = folder / "sources"
    sources.mkdir()
    for number, expression in enumerate(expressions):
        (sources / str(number)).write_bytes(expression.encode())
    script = folder / "readback.groovy"
    script.write_text(_READ_BACK)
    command = [groovy, str(script), str(sources), str(folder / "values.json")]
    subprocess.run(command, env={**os.environ, "JAVA_HOME": str(_JAVA_HOME)}, check=True, timeout=120)
    values = json.loads((folder / "values.json").read_text())
    return [values[str(number)] for number in range(len(expressions))]


def _units(text: str) -> str:
    return text.encode("utf-16-be").hex()


def _indented(text: str) -> str:
    """Return the value of a block of *text* at an indentation of four blanks."""
    lines = (f"        {line}" if line else "" for line in text.removesuffix("\n").split("\n"))
    return "\n".join(["", *lines, "    "])


def test_groovy_reads_literals_back(groovy: str, tmp_path: Path) -> None:
    """Every hostile text is unchanged: on one line, in each kind of block, between other operands."""
    forms: dict[str, tuple[Callable[[str], str], Callable[[str], str]]] = {
        "literal": (literal, str),
        "exact block": (exact_block, str),
        "block": (lambda text: block(text, "    "), _indented),
        "stripped block": (lambda text: stripped_block(text, "    "), str),
        "sum": (lambda text: f"'<' + {literal(text)} + {exact_block(text)} + '>'", lambda text: f"<{text}{text}>"),
    }
    cases = [(form, text) for form in forms for text in HOSTILE.values()]
    cases += [(form, text) for form in ("literal", "exact block") for text in LONG.values()]
    values = _evaluate(groovy, tmp_path, [forms[form][0](text) for form, text in cases])
    wrong = [
        (form, text[:50], value[:200])
        for (form, text), value in zip(cases, values, strict=True)
        if value != _units(forms[form][1](text))
    ]

    assert wrong == []


def test_groovy_reads_literals_back_as_arguments(groovy: str, tmp_path: Path) -> None:
    """A literal or a sum of them is one argument of a call without parentheses, or one named argument."""
    texts = ["it's", "\uffffa", "x" * 40_000, "#!/bin/sh\necho '''\n"]
    source = "def sh(text) {{ text }}\ndef named(Map map, text) {{ map.script + text }}\n{}"
    plain = [source.format(f"sh {form(text)}") for text in texts for form in (literal, exact_block)]
    named = [source.format(f"named script: {form(text)}, ''") for text in texts for form in (literal, exact_block)]
    expected = [_units(text) for text in texts for _form in (literal, exact_block)]

    assert _evaluate(groovy, tmp_path, plain + named) == expected * 2
