"""Malicious and malformed configs, each with its expected diagnostics."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

CONFIG = "pipegen.yaml"
COMPILE = ("compile", "-t", "gitlab", "-t", "jenkins", "--format", "concise", CONFIG)
GOOD = "pipelines: {p: {stages: [{name: a, script: [make]}]}}\n"
Writing = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class Input:
    """A function that writes files to a folder, and the codes of the expected diagnostics; without codes it compiles.

    A *large* one takes a while to generate or to read. *arguments* is the call that reads it. If given, only these exit
    *statuses* are correct.
    """

    name: str
    write: Writing
    codes: tuple[str, ...] = ()
    large: bool = False
    status: int | None = None
    arguments: tuple[str, ...] = COMPILE
    statuses: tuple[int, ...] = ()

    @property
    def expected(self) -> tuple[int, ...]:
        """The correct exit statuses."""
        return self.statuses or (self.status if self.status is not None else int(bool(self.codes)),)


def text(config: str) -> Writing:
    """Return a function that writes *config*."""
    return data(config.encode())


def built(make: Callable[[], str]) -> Writing:
    """Return a function that writes the config that *make* generates when called, because it is large."""

    def write(folder: Path) -> None:
        (folder / CONFIG).write_text(make(), encoding="utf-8", newline="")

    return write


def data(config: bytes) -> Writing:
    """Return a function that writes a config of these bytes."""

    def write(folder: Path) -> None:
        (folder / CONFIG).write_bytes(config)

    return write


def files(**named: str) -> Writing:
    """Return a function that writes the config `config` and its includes: `a` is `a.yaml`."""

    def write(folder: Path) -> None:
        for name, content in named.items():
            (folder / (CONFIG if name == "config" else f"{name}.yaml")).write_text(content, encoding="utf-8")

    return write


def linked(target: str) -> Writing:
    """Return a function that writes a config that includes a link to *target*."""

    def write(folder: Path) -> None:
        (folder / "a.yaml").symlink_to(target)
        text(f"include: a.yaml\n{GOOD}")(folder)

    return write


def sparse(folder: Path) -> None:
    """Write a config of 100 MB."""
    with (folder / CONFIG).open("wb") as file:
        file.write(GOOD.encode())
        file.truncate(100_000_000)


def included_sparse(folder: Path) -> None:
    """Write a config that includes a file of 100 MB."""
    sparse(folder)
    (folder / CONFIG).rename(folder / "a.yaml")
    text(f"include: a.yaml\n{GOOD}")(folder)


def included_pipe(folder: Path) -> None:
    """Write a config that includes a pipe."""
    os.mkfifo(folder / "a.yaml")
    text(f"include: a.yaml\n{GOOD}")(folder)


def included_folder(folder: Path) -> None:
    """Write a config that includes a folder."""
    (folder / "a.yaml").mkdir()
    text(f"include: a.yaml\n{GOOD}")(folder)


def stage(body: str) -> str:
    """Return a config of one stage with the keys *body* in a flow map."""
    return f"pipelines: {{p: {{stages: [{{name: a, {body}}}]}}}}\n"


def staged(lines: str) -> str:
    """Return a config whose only stage has the *lines* in block style, indented by eight."""
    return f"pipelines:\n  p:\n    stages:\n      - name: a\n{lines}"


def arcs(execution: str, count: int) -> str:
    """Return a config of *count* stages `s0`, `s1`, … and the arcs *execution*."""
    stages = "".join(f"      - {{name: s{number}, script: [make]}}\n" for number in range(count))
    return f"pipelines:\n  p:\n    stages:\n{stages}    execution: {execution}\n"


def names(letter: str, count: int) -> str:
    """Return the names of *count* stages."""
    return ", ".join(f"{letter}{number}" for number in range(count))


def calling(width: int, levels: int) -> str:
    """Return a config whose pipelines each call the next one *width* times."""
    lines = [f"  p{levels}: {{stages: [{{name: a, script: [make]}}]}}\n"]
    for level in range(levels):
        stages = ", ".join(f"{{name: s{number}, pipeline: p{level + 1}}}" for number in range(width))
        lines.append(f"  p{level}: {{stages: [{stages}]}}\n")
    return "pipelines:\n" + "".join(lines)


def legged(combinations: int, count: int) -> str:
    """Return a config of *count* stages in sequence, each with *combinations* combinations."""
    axis = ", ".join(map(str, range(combinations)))
    return stage_list(f"{{name: s{number}, script: [make], matrix: {{axis: [{axis}]}}}}" for number in range(count))


def stage_list(stages: Iterable[str]) -> str:
    """Return a config of these *stages*."""
    return f"pipelines: {{p: {{stages: [{', '.join(stages)}]}}}}\n"


def bomb(width: int, levels: int, *, merged: bool = False, job: str = GOOD) -> str:
    """Return a config, or another file with *job*, whose aliases expand to *width* to the power of *levels* values."""
    lines = ["a0: &a0 {k0: x}" if merged else "a0: &a0 x"]
    for level in range(1, levels + 1):
        aliases = ", ".join([f"*a{level - 1}"] * width)
        lines.append(
            f"a{level}: &a{level} {{<<: [{aliases}], k{level}: x}}" if merged else f"a{level}: &a{level} [{aliases}]"
        )
    return "\n".join(lines) + f"\n{job}"


WORDS = (
    *("y", "n", "yes", "no", "on", "off", "Yes", "NO", "On", "OFF", "true", "True", "null", "~", "012", "0o14"),
    *("1_000", "12:30:45", "1e3", ".5", "0x1F", "2001-01-01", "=", "<<"),
)
_LINE = f"            echo {'x' * 90}\n"
DOCUMENT = f"include: a.yaml\n{GOOD}"
_DEEP = 10_000
_MIB = 1024 * 1024

SMALL = (
    # Input that is not text, or not YAML.
    Input("nothing", data(b""), ("PG104",)),
    Input("comments only", text("# a\n\n  # b\n"), ("PG104",)),
    Input("blanks only", text(" \n\n  \n"), ("PG104",)),
    Input("a mark and nothing", data(b"\xef\xbb\xbf"), ("PG104",)),
    Input("a NUL", data(b"a: x\0y\n"), ("PG108",)),
    Input("a NUL escaped", text(stage('script: ["a\\0b"]')), ("PG108",)),
    Input("invalid UTF-8", data(GOOD.encode().replace(b"make", b"m\xff\xfe")), ("PG101",)),
    Input("an overlong slash", data(GOOD.encode().replace(b"make", b"m\xc0\xaf")), ("PG101",)),
    Input("half a character, as bytes", data(GOOD.encode().replace(b"make", b"m\xed\xa0\x80")), ("PG101",)),
    Input("half a character, escaped", text(stage('script: ["\\ud800"]')), ("PG109",)),
    Input("a byte too few of UTF-16", data(b"\xff\xfe" + GOOD.encode("utf-16-le")[:-1]), ("PG101",)),
    Input("UTF-16 without a mark", data(GOOD.encode("utf-16-le")), ("PG108",)),
    Input("UTF-16 of the other end without a mark", data(GOOD.encode("utf-16-be")), ("PG108",)),
    Input("UTF-32 without a mark", data(GOOD.encode("utf-32-be")), ("PG108",)),
    Input("Latin-1", data(GOOD.replace("make", "é").encode("latin-1")), ("PG101",)),
    Input("a gzipped file", data(b"\x1f\x8b\x08\x00" + bytes(range(256))), ("PG101",)),
    Input("every byte", data(bytes(range(256))), ("PG101",)),
    Input("tabs", text("pipelines:\n\tp:\n\t\tstages: []\n"), ("PG102",)),
    Input("a bell", text(stage("script: ['\x07']")), ("PG102",)),
    Input("an unclosed quote", text("a: '" + "x\n" * 1000), ("PG102",)),
    # Unusual text.
    Input("a UTF-8 mark", data(b"\xef\xbb\xbf" + GOOD.encode())),
    Input("UTF-16", data(b"\xff\xfe" + GOOD.encode("utf-16-le"))),
    Input("UTF-16 of the other end", data(b"\xfe\xff" + GOOD.encode("utf-16-be"))),
    Input("UTF-32", data(b"\xff\xfe\x00\x00" + GOOD.encode("utf-32-le"))),
    Input("UTF-32 of the other end", data(b"\x00\x00\xfe\xff" + GOOD.encode("utf-32-be"))),
    Input("carriage returns and line feeds", text(staged("        script: [make]\n").replace("\n", "\r\n"))),
    Input("carriage returns alone", text(staged("        script: [make]\n").replace("\n", "\r"))),
    Input("every line break", text(staged("        script: ['a\u2028b\u2029c\u0085d']\n"))),
    Input("direction marks", text(stage("script: ['echo \u202e\u2066x\u2069']"))),
    Input("two UTF-8 marks", data(b"\xef\xbb\xbf\xef\xbb\xbf" + GOOD.encode())),
    Input("no line break at the end", text(GOOD.rstrip("\n"))),
    # YAML with tags, or without end.
    Input("a tag of Python", text(stage("script: [!!python/object/apply:os.system [touch x]]")), ("PG105",)),
    Input("an object of Python", text("!!python/object:os.system {}\n"), ("PG105",)),
    Input("a tag of its own", text(stage("script: !reference [a, script]")), ("PG105",)),
    Input("two documents", text(f"{GOOD}---\n{GOOD}"), ("PG105",)),
    Input("a list as a key", text("{[a, b]: c}\n"), ("PG105",)),
    Input("repeated keys", text("pipelines: {}\n" * 500), ("PG103",)),
    Input("an alias in its own value", text("a: &a [*a]\n"), ("PG106",)),
    Input("a map merged into itself", text("a: &a\n  <<: *a\n"), ("PG106",)),
    Input("maps merged into each other", text("a: &a {<<: *b}\nb: &b {<<: *a}\n"), ("PG102",)),
    Input("a merged text", text("a: {<<: x}\n"), ("PG105",)),
    Input("an alias bomb", text(bomb(10, 9)), ("PG106",)),
    Input("an alias bomb of 40 levels", text(bomb(2, 40)), ("PG106",)),
    Input("a merge bomb", text(bomb(10, 12, merged=True)), ("PG106",)),
    Input("an unknown directive", text(f"%FOO bar\n---\n{GOOD}")),
    Input("YAML of the future", text(f"%YAML 9.9\n---\n{GOOD}"), ("PG102",)),
    Input("deep lists on one line", text("[" * _DEEP + "]" * _DEEP), ("PG105",)),
    Input("deep maps on one line", text("{a: " * _DEEP + "}" * _DEEP), ("PG105",)),
    Input("deep and open", text("[" * 10_000), ("PG105",)),
    Input("deep lists of dashes", text("- " * _DEEP), ("PG105",)),
    Input("deep maps in lines", text("".join(" " * level + "a:\n" for level in range(1500))), ("PG105",)),
    # Regular expressions for which a backtracking matcher takes exponential time.
    Input(
        "repetitions inside repetitions of an input's pattern",
        text(f"inputs: {{v: {{pattern: '(a+)+b', default: {'a' * 500}}}}}\n{GOOD}"),
        ("PG520",),
    ),
    Input(
        "repetitions inside repetitions of a condition",
        text(stage(f"when: {{branch: ['/^(a+)+$/', '{'a' * 500}b']}}, script: [make]")),
    ),
    Input("many stars in a branch", text(stage(f"when: {{branch: ['{'*a' * 40}', '{'a' * 500}b']}}, script: [make]"))),
    Input(
        "many stars in a path",
        text(
            f"pipelines: {{p: {{stages: [{{name: a, script: [m], artifacts: ['x/{'**/a*/' * 30}c']}}, "
            f"{{name: b, script: [m], artifacts: ['x/{'a/' * 200}b']}}], execution: [[a], [b]]}}}}\n"
        ),
    ),
    # Values of the wrong type.
    Input("a text", text("x\n"), ("PG202",)),
    Input("a list", text("- a\n"), ("PG202",)),
    Input("no number", text(stage("retry: .nan")), ("PG202",)),
    Input("no end", text(stage("retry: .inf")), ("PG202",)),
    Input("a number of 5,000 digits", text(stage(f"retry: {'9' * 5_000}")), ("PG202",)),
    Input("a number of 5,000 digits of sixteen", text(stage(f"retry: 0x{'f' * 5_000}")), ("PG202",)),
    Input("a fraction of 5,000 digits", text(stage(f"retry: 0.{'9' * 5_000}")), ("PG202",)),
    Input("a number past all floats", text(stage("retry: 1e999999999")), ("PG202",)),
    Input("a number where text is meant", text(stage(f"env: {{A: {'9' * 5_000}}}, script: [make]"))),
    Input("a date", text(stage("retry: 2001-01-01")), ("PG202",)),
    Input("a date where text is meant", text(stage("env: {A: 2001-01-01, B: 2001-01-01T00:00:00Z}, script: [make]"))),
    Input(
        "words of YAML 1.1",
        text(
            staged(
                "        script: [make]\n        env:\n"
                + "".join(
                    f"          V{number}: {word}\n"
                    for number, word in enumerate(WORDS[:-1])
                    if word not in {"~", "null"}
                )
            )
        ),
    ),
    Input(
        "words of YAML 1.1 as names",
        text(arcs("[" + ", ".join(f"[s0, '{word}']" for word in WORDS) + "]", 1)),
        ("PG301",),
    ),
    Input("calls of calls of calls", text(calling(6, 7)), ("PG414",)),
    Input("combinations before combinations before combinations", text(legged(200, 20)), ("PG414",)),
    Input(
        "arrays in arrays",
        text(staged(f"        script:\n          - |\n            {'a=(' * 2_000}${{.stage}}\n")),
        ("PG320",),
    ),
    Input("machines behind machines", text(stage(f"script: ['{'ssh h ' * 2_000}x ${{.stage}}']")), ("PG318",)),
    Input("duplicate stages", text("pipelines: {p: {stages: [" + "{name: a}, " * 2_000 + "]}}\n"), ("PG302",)),
    # Files next to the config.
    Input("an include of nothing", files(config=DOCUMENT), ("PG110",)),
    Input("an include of itself", files(config=f"include: {CONFIG}\n{GOOD}"), ("PG112",)),
    Input("an include loop", files(config=DOCUMENT, a="include: b.yaml\n", b="include: a.yaml\n"), ("PG112",)),
    Input("an include above", files(config=f"include: ../../../../../../etc/passwd\n{GOOD}"), ("PG111",)),
    Input("an include of the machine", files(config=f"include: /etc/passwd\n{GOOD}"), ("PG111",)),
    Input("an include of the net", files(config=f"include: https://example.org/a.yaml\n{GOOD}"), ("PG111",)),
    Input("an include with a NUL", files(config=f'include: "a\\0b"\n{GOOD}'), ("PG108",)),
    Input("an include of a long name", files(config=f"include: {'x' * 5_000}\n{GOOD}"), ("PG110",)),
    Input("a link out of the repository", linked("/etc/passwd"), ("PG111",)),
    Input("a link to a device", linked("/dev/zero"), ("PG111",)),
    Input("a link to itself", linked("a.yaml"), ("PG110",)),
    Input("a link to nothing", linked("b.yaml"), ("PG110",)),
    Input("a link to the config", linked(CONFIG), ("PG112",)),
    Input("an included pipe", included_pipe, ("PG110",)),
    Input("an included folder", included_folder, ("PG110",)),
    Input("an included file of 100 MB", included_sparse, ("PG110",)),
    Input("an included alias bomb", files(config=DOCUMENT, a=bomb(10, 9)), ("PG106",)),
    Input("an included file with a NUL", files(config=DOCUMENT, a="a: x\0y\n"), ("PG108",)),
    Input("a pipe", lambda folder: os.mkfifo(folder / CONFIG), ("PG104",)),
    Input("a folder", lambda folder: (folder / CONFIG).mkdir(), status=2),
    Input("a link to an empty device", lambda folder: (folder / CONFIG).symlink_to("/dev/null"), ("PG130",)),
    Input("a link to an endless device", lambda folder: (folder / CONFIG).symlink_to("/dev/zero"), ("PG130",)),
    Input("a link that leads nowhere", lambda folder: (folder / CONFIG).symlink_to("x"), status=2),
    Input("a file of 100 MB", sparse, ("PG113",)),
)

LARGE = tuple(
    Input(name, built(make), codes, large=True)
    for name, make, codes in (
        ("10 MiB of one comment", lambda: "#" * (10 * _MIB - 1), ("PG104",)),
        ("10 MiB of one text", lambda: "x" * 10 * _MIB, ("PG202",)),
        ("10 MiB of line breaks", lambda: "\n" * 10 * _MIB, ("PG104",)),
        ("10 MiB of short items", lambda: "- a\n" * (10 * _MIB // 4), ("PG106",)),
        ("10 MiB of open quotes", lambda: "'a\n" * (10 * _MIB // 3), ("PG102",)),
        ("10 MiB of tabs", lambda: "\t" * 10 * _MIB, ("PG102",)),
        ("10 MiB of brackets", lambda: "[" * 10 * _MIB, ("PG105",)),
        ("a key of 1 MB", lambda: f"{'k' * 1_000_000}: x\n", ("PG102",)),
        ("a key of 100 KB in quotes", lambda: f"'{'k' * 100_000}': x\n", ("PG102",)),
        ("a line of 5 MB", lambda: f"a: [{'x, ' * 1_500_000}]\n", ("PG106",)),
        ("100,000 unknown keys", lambda: "".join(f"k{number}: x\n" for number in range(100_000)), ("PG201",)),
        ("100,000 repeated keys", lambda: "k: x\n" * 100_000, ("PG103",)),
        ("100,000 unknown stages", lambda: arcs(f"[[s0], [{names('t', 100_000)}]]", 1), ("PG301",)),
        ("100,000 tags", lambda: "- !x a\n" * 100_000, ("PG105",)),
        ("a script of 1 MB", lambda: staged("        script:\n          - |\n" + _LINE * 10_000), ()),
        ("a script of one line of 1 MB", lambda: stage(f"script: ['echo {'x' * 1_000_000}']"), ()),
        ("a script of 100,000 references", lambda: stage(f"script: ['echo {'${.stage} ' * 100_000}']"), ()),
        ("a command of 100,000 references", lambda: stage(f"script: ['{'${.stage} ' * 100_000}']"), ("PG318",)),
        (
            "a script of 50,000 lines with references",
            lambda: staged("        script:\n          - |\n" + "            echo \\ ${.stage}\n" * 50_000),
            (),
        ),
        ("10,000 arcs on one line", lambda: arcs(f"[{', '.join(['[s0, s1, s2]'] * 10_000)}]", 3), ()),
        ("an arc of 100,000 names", lambda: arcs(f"[[{', '.join(['s0', 's1'] * 50_000)}]]", 2), ("PG403",)),
        ("a cycle of 5,000 stages", lambda: arcs(f"[[{names('s', 5_000)}], [s4999, s0]]", 5_000), ("PG401",)),
        ("100,000 stages", lambda: arcs("[]", 100_000), ("PG106",)),
    )
)

INPUTS = SMALL + LARGE
