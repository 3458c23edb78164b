"""Hostile texts in the steps of stages: images, containers, copies, charts, exports, lists, mail, triggers."""

from __future__ import annotations

from collections.abc import Iterator

from robust.hostile.round import Keys, Round
from robust.hostile.scripts import is_name
from robust.hostile.texts import has_bare, quoted, written


def is_line(text: str) -> bool:
    """Return whether *text* is one non-blank line of a list."""
    return bool(text.strip(" \t\v\f\r\n")) and not set(text) & {"\n", "\r"}


def is_no_variable(text: str) -> bool:
    """Return whether *text* contains no variable of the shell."""
    return not has_bare(text)


def source(turn: Round, name: str, texts: list[str]) -> list[str]:
    """Add a stage that outputs *texts*; return references to them."""
    turn.files |= {f"{name}/{number}": text for number, text in enumerate(texts)}
    numbers = range(len(texts))
    script = [f'cp {name}/{number} "$PIPEGEN_OUTPUTS/o{number}"' for number in numbers]
    turn.stage(name, script=script, outputs=[f"o{number}" for number in numbers])
    return [f"${{{name}.o{number}}}" for number in numbers]


def containers(turn: Round) -> None:
    """Add stages that build an image, run it, copy out of it, and export."""
    known, run_time = list(turn.deal()), list(turn.deal())
    references = source(turn, "source", run_time)
    build, copies = built(turn, references, run_time), list(dict.fromkeys(turn.deal(5, fits=is_path)))
    turn.files |= {f".container/{name}": name for name in copies}
    both = [*((written(text), text) for text in known), *zip(references, run_time, strict=True)]
    for number, (_, text) in enumerate(both):
        turn.expect("run.arguments.[]", text, record=f"run.{number}")
    env: Keys = {"AT": "run"}
    for number, text in enumerate(turn.deal(fits=is_no_variable)):
        env[f"K{number}"] = written(text)
        turn.expect("run.env.*", text, record=f"run.K{number}")
    for number, (reference, text) in enumerate(zip(references, run_time, strict=True)):
        env[f"R{number}"] = f"<{reference}>"
        turn.expect("run.env.*", text, f"<{text}>", record=f"run.R{number}")
    exports = dict(exported(turn))
    turn.stage(
        "steps",
        "source",
        **build,
        run={"arguments": [value for value, _ in both], "env": env},
        copy=[{"source": written(f"/{name}"), "destination": written(f"copied/{name}")} for name in copies],
        exports={name: value for name, (value, _) in exports.items()},
    )
    lines = [
        turn.keep("copy.destination", name, f'"$(cat {quoted(f"copied/{name}", ("steps",))} && echo .)"', f"{name}.")
        for name in copies
    ]
    lines += [turn.keep("stage.exports.*", text, f'"${{steps.{name}}}"') for name, (_, text) in exports.items()]
    turn.stage("steps-read", "steps", script=lines)


def is_path(text: str) -> bool:
    """Return whether a file in a container can be named *text*."""
    return is_name(text) and not text.endswith(".") and text == text.strip()


def exported(turn: Round) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield exports with their expected values."""
    for number, text in enumerate(turn.deal(5)):
        yield f"e{number}", (written(text), text)


def built(turn: Round, references: list[str], run_time: list[str]) -> Keys:
    """Return the keys that build an image with texts."""
    (variant,) = turn.deal(1, fits=bool)
    (context,) = turn.deal(1, fits=lambda text: is_path(text) and not text.startswith("~"))
    turn.files[f"in/{context}/file"] = ""
    turn.expect("build.variant", variant, record="image.target")
    turn.expect("build.context", context, f"in/{context}", record="image.context")
    excludes = list(turn.deal(5, fits=is_line))
    turn.expect(
        "build.excludes.[]", "\n".join(excludes), "".join(f"{text}\n" for text in excludes), record="image.ignored"
    )
    blubberfile = {"version": "v4", "at": "image", **document(turn, "stage.blubberfile", "image", references, run_time)}
    return {
        "blubberfile": {**blubberfile, "variants": {written(variant): {}}},
        "build": {
            "variant": written(variant),
            "context": written(f"in/{context}"),
            "excludes": list(map(written, excludes)),
        },
    }


def document(turn: Round, key: str, at: str, references: list[str], run_time: list[str]) -> Keys:
    """Return values and names of values, known at compile time or at run time."""
    known, names = list(turn.deal()), list(dict.fromkeys(turn.deal(fits=is_plain_key)))
    values = [*map(written, known), *references]
    for number, text in enumerate([*known, *run_time]):
        turn.expect(f"{key}.*", text, record=f"{at}.value{number}")
    for number, text in enumerate(names):
        turn.expect(f"{key}.{{}}", text, record=f"{at}.name{number}")
    return {"values": values, "names": {written(text): number for number, text in enumerate(names)}}


def is_plain_key(text: str) -> bool:
    """Return whether *text* can be the name of a value: operators of the language cannot be escaped."""
    return len(text) < 100 and text not in {"$each", "$merge", "$with"}


def charts(turn: Round) -> None:
    """Add a stage that installs a chart, and one whose container gets computed lists."""
    run_time = list(turn.deal())
    references = source(turn, "values", run_time)
    name, version = (next(turn.deal(1, fits=bool)) for _ in range(2))
    turn.expect("deploy.chart.name", name, record="chart.chart")
    turn.expect("deploy.chart.version", version, record="chart.version")
    overrides = {"at": "chart", **document(turn, "deploy.overrides", "chart", references, run_time)}
    chart = {"name": written(name), "version": written(version)}
    turn.stage("chart", "values", deploy={"image": "image", "tag": "tag", "chart": chart, "overrides": overrides})
    known, lines, cut = (
        list(turn.deal()),
        list(turn.deal(fits=is_line)),
        list(turn.deal(5, fits=lambda text: "|" not in text)),
    )
    (reference,) = source(turn, "lines", ["\n".join(lines)])
    each = {"$each": "item", "$in": list(map(written, known)), "$yield": "<${.item}>"}
    loop = {"$each": "line", "$in": reference, "$yield": "<${.line}>"}
    pieces = {"$each": "piece", "$in": written("|".join(cut)), "$delimiter": "|", "$yield": "<${.piece}>"}
    for number, text in enumerate([*known, *lines, *filter(None, cut)]):
        turn.expect("each.$in", text, f"<{text}>", record=f"lists.{number}")
    arguments = {"$merge": {"$merge": each, "$with": loop}, "$with": pieces}
    turn.stage("lists", "lines", run={"image": "0" * 64, "arguments": arguments, "env": {"AT": "lists"}})


def messages(turn: Round) -> None:
    """Add a stage that triggers another job, and one that fails and sends a mail."""
    run_time, known = (list(turn.deal(fits=lambda text: "\r" not in text)) for _ in range(2))
    references = source(turn, "said", run_time)
    parameters = {f"P{number}": text for number, text in enumerate([*map(written, known), *references])}
    for number, text in enumerate([*known, *run_time]):
        turn.expect("trigger.parameters.*", text, record=f"trigger.P{number}", is_sent=True)
    turn.stage("trigger", "said", trigger={"name": "other", "parameters": parameters})
    text = "|".join([*known, *run_time])
    turn.expect("notify.email.subject", text, text.replace("\n", " "), record="mail.subject", is_sent=True)
    turn.expect("notify.email.body", text, record="mail.body", is_sent=True)
    result = "|".join([*map(written, known), *references])
    email = {"to": ["a@example.org"], "subject": result, "body": result}
    turn.stage("mail", "said", script=["exit 1"], notify={"email": email})
    turn.outcomes["mail"] = "failed"
