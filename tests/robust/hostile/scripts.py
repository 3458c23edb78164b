"""Hostile texts in parts of scripts: words, variables, outputs, inputs, combinations, files."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import md5

from robust.hostile.round import Expected, Round
from robust.hostile.texts import has_bare, quoted, written

# This number of parameters fits into a declarative pipeline, which is one method.
FEW = 8
# A script that reads the reference NAME, and its output; @ is the value.
FORMS: tuple[tuple[str, str], ...] = (
    ("printf %s ${NAME}", "@"),
    ('printf %s "${NAME}"', "@"),
    ("printf %s '${NAME}'", "@"),
    ("printf %s x${NAME}\"${NAME}\"'${NAME}'", "x@@@"),
    ('x=${NAME}; printf %s "$x"', "@"),
    ('printf %s "$(printf %s. "${NAME}")"', "@."),
    ("cat <<END\n<${NAME}>\nEND", "<@>\n"),
    ("cat <<'END'\n<${NAME}>\nEND", "<@>\n"),
    ('case "${NAME}" in "${NAME}") printf %s "${NAME}";; esac', "@"),
    ("for x in ${NAME}; do printf '<%s>' \"$x\"; done", "<@>"),
    ('f() { printf %s "$1"; }; f "${NAME}"', "@"),
    ('printf %s "${unset:-${NAME}}"', "@"),
)


def words(turn: Round) -> None:
    """Add a stage whose commands have texts as words."""
    lines = [word(turn, "stage.script.[]", text) for text in (*turn.deal(), turn.large())]
    block = "\n".join(word(turn, "stage.script.[]", text) for text in turn.deal())
    first = [word(turn, "stage.before.[]", text) for text in turn.deal()]
    turn.stage("words", before=first, script=[*lines, block])


def afterwards(turn: Round) -> None:
    """Add a stage whose after commands have texts as words."""
    turn.stage("after", script=["true"], after=[word(turn, "stage.after.[]", text) for text in turn.deal()])


def word(turn: Round, key: str, text: str) -> str:
    """Return a command that records *text* as a word; a CRLF in a script is a line break."""
    return turn.keep(key, text, quoted(text), text.replace("\r\n", "\n"))


def environment(turn: Round) -> None:
    """Add a stage with texts as variables."""
    values = {f"E{number}": text for number, text in enumerate(turn.deal(fits=lambda text: not has_bare(text)))}
    lines = [turn.keep("stage.env.*", text, f'"${name}"') for name, text in values.items()]
    turn.stage("environment", env={name: written(text) for name, text in values.items()}, script=lines)


def outputs(turn: Round) -> None:
    """Add a stage that writes outputs, and one that reads them in every way."""
    texts = [*turn.deal(), turn.large()]
    turn.files |= {f"texts/{number}": text for number, text in enumerate(texts)}
    names = [f"o{number}" for number in range(len(texts))]
    copy = f'for n in {" ".join(map(str, range(len(texts))))}; do cp "texts/$n" "$PIPEGEN_OUTPUTS/o$n"; done'
    turn.stage("write", script=[copy, ': >"$PIPEGEN_OUTPUTS/empty"'], outputs=[*names, "empty"])
    read(turn, "write", dict(zip(names, texts, strict=True)))


def read(turn: Round, producer: str, values: Mapping[str, str]) -> None:
    """Add a stage that reads the outputs *values* of *producer*."""
    lines = []
    for number, (name, text) in enumerate(values.items()):
        for command, prints in (FORMS * 2)[number % len(FORMS) :][:4]:
            record = turn.expect("stage.outputs.[]", text, prints.replace("@", text))
            lines.append(f'{{\n{command.replace("NAME", f"{producer}.{name}")}\n}} >"$RECORDS/{record}"')
    short = {name: text for name, text in values.items() if len(text) < 10_000}
    env = {f"V{number}": f"<${{{producer}.{name}}}>" for number, name in enumerate(short)}
    lines += [
        turn.keep("stage.outputs.[]", text, f'"$V{number}"', f"<{text}>") for number, text in enumerate(short.values())
    ]
    turn.stage(f"{producer}-read", producer, env=env, script=lines)


def measured(turn: Round) -> None:
    """Add a stage whose outputs come from commands with texts, and from files named by texts."""
    values: dict[str, str] = {}
    measures: dict[str, object] = {}
    lines = []
    for number, text in enumerate(turn.deal()):
        measures[f"c{number}"] = {"command": f"printf %s {quoted(text, ('measure',))}"}
        values[f"c{number}"] = text.replace("\r\n", "\n").rstrip("\n")
    for number, (name, text) in enumerate(
        zip(turn.deal(fits=is_name), turn.deal(fits=lambda text: "\r\n" not in text), strict=True)
    ):
        measures[f"f{number}"] = {"file": written(f"m{number}{name}")}
        lines.append(f"printf %s {quoted(text)} >{quoted(f'm{number}{name}')}")
        values[f"f{number}"] = text
    turn.stage("measure", script=lines or [":"], outputs=measures)
    read(turn, "measure", values)


def is_name(text: str) -> bool:
    """Return whether a file can be named *text*."""
    return "/" not in text and "\r\n" not in text and text not in {"", ".", ".."} and len(text.encode()) < 200


def defaults(turn: Round) -> None:
    """Add a stage that reads an empty output with texts as defaults."""
    lines = []
    for text in turn.deal(fits=lambda text: bool(text) and "}" not in text):
        reference = f"${{write.empty|{text}}}"
        lines.append(turn.keep("default", text, reference))
    env = {}
    for number, text in enumerate(turn.deal(fits=lambda text: bool(text) and "}" not in text)):
        env[f"D{number}"] = f"<${{write.empty|{text}}}>"
        lines.append(turn.keep("default", text, f'"$D{number}"', f"<{text}>"))
    turn.stage("defaults", "write", env=env, script=lines)


def inputs(turn: Round) -> None:
    """Add a stage that reads inputs: given, by default, or with choices."""
    lines = []
    for number, text in enumerate(turn.deal(FEW, fits=bool)):
        turn.inputs[f"given{number}"] = {"default": "x", "description": text}
        turn.input_values[f"given{number}"] = text
        lines.append(turn.keep("input at run time", text, f"${{inputs.given{number}}}"))
    for number, text in enumerate(turn.deal(FEW)):
        turn.inputs[f"default{number}"] = {"default": text, "type": "string"}
        lines.append(turn.keep("input.default", text, f"'${{inputs.default{number}}}'"))
    for number, text in enumerate(turn.deal(FEW, fits=bool)):
        turn.inputs[f"choice{number}"] = {"choices": [f"{text}x", text], "default": text}
        lines.append(turn.keep("input.choices.[]", text, f'"${{inputs.choice{number}}}"'))
    turn.stage("asked", script=lines)


def combinations(turn: Round) -> None:
    """Add a stage with texts as values of a matrix."""
    values = list(dict.fromkeys(turn.deal(3, fits=lambda text: 0 < len(text) < 50)))
    for text in values:
        record = md5(text.encode(), usedforsecurity=False).hexdigest()
        turn.expected.append(Expected("matrix.*.[]", text, record, text))
    line = """printf %s ${matrix.axis} >"$RECORDS/$(printf %s ${matrix.axis} | md5sum | cut -c 1-32)\""""
    turn.stage("combinations", matrix={"axis": values}, script=[line])


def files(turn: Round) -> None:
    """Add a stage that creates files named by texts, and one that gets them."""
    texts = [f"made/{name}" for name in dict.fromkeys(turn.deal(fits=is_name))]
    write = [f"printf %s {quoted(path)} >{quoted(path)}" for path in texts]
    read = [turn.keep("name of a file", path, f'"$(cat {quoted(path)} && echo .)"', f"{path}.") for path in texts]
    turn.stage("files", script=["mkdir made", *write], artifacts=["made/"])
    turn.stage("files-read", "files", script=read)
