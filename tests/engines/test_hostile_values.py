"""Values that would do harm if a shell executed them arrive unchanged, and are not executed."""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from engines.containers import Containers
from engines.proof import worlds
from engines.proof.execution import GITLAB_LOCAL, HERE, SCRIPTED, Engine, Execution, Mail, World, absent, execute
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

ENGINES = {
    "gitlab": GITLAB_LOCAL,
    "scripted": SCRIPTED,
    "declarative": Engine(target="jenkins", interpreter=("busybox", "sh")),
    "here": HERE,
}
# Each is printed by a separate stage.
PRINTED = ("'; rm -rf ~ #", "$(id)", "a lone backslash \\", "'''", "three  \nlines \t\n of blanks   ")
CANARY = "/tmp/pipegen-canary"  # noqa: S108 - nobody makes it
WRITTEN = (
    *PRINTED,
    *(f"$(touch {CANARY})", f"`touch {CANARY}`", f"'; touch {CANARY}; '", f'"; touch {CANARY}; "', f"; touch {CANARY}"),
    *(f"$((a[$(touch {CANARY})]))", f"\n touch {CANARY}\n", f"${{x:-$(touch {CANARY})}}", f"''' + 'touch {CANARY}'"),
    *(
        "",
        " ",
        "\n",
        "\t",
        "\r\n",
        "a\rb",
        "-n",
        "--help",
        "--",
        "\\",
        "\\\\'",
        "\\n %s %d \\c",
        "* ? [a-z] {a,b} ~ !!",
    ),
    *(
        "$x $1 $@ $$ $[[ inputs.x ]] %PATH%",
        "{{ x }} {% y %} {# z #}",
        "<%= x %> ${-x}",
        "\\u0041 \\x41",
        "\x1b[31m\x7f",
    ),
    *(
        "# no comment",
        "a: b",
        "[",
        "null",
        "ünïcödé 🎉 e\u0301",
        "\u2028 \ufeff \x85",
        "EOF\nEND",
        "=a=b",
        "x" * 65_536,
    ),
)


SAYS = tuple(f"say-{number}" for number in range(len(PRINTED)))
TAGS = tuple(f"tag-{number}" for number in range(len(PRINTED)))
READ = tuple(f"${{{stage}.output}}" for stage in SAYS)


def config(image: str) -> str:
    """Return the config: literals, the output of five stages, and stages that read it."""
    stages = [literal(image), *says(image), chart(), read(), *tags(image)]
    execution = [[first, second] for first in ("literal", *SAYS) for second in ("chart", *TAGS)]
    return yaml_text({"pipelines": {"hostile": {"stages": stages, "execution": [*execution, ["chart", "read"]]}}})


def literal(image: str) -> dict[str, Any]:
    """Return a stage that gets every value as an argument and as a variable."""
    variables = {"STAGE": "literal", **{f"V{number}": value for number, value in enumerate(WRITTEN)}}
    return {"name": "literal", "run": {"image": image, "arguments": list(WRITTEN), "env": variables}}


def says(image: str) -> Iterator[dict[str, Any]]:
    """Yield stages that print a text and copy a file with it."""
    for name in SAYS:
        run = {"image": image, "env": {"STAGE": name}, "tail": 9}
        yield {"name": name, "run": run, "copy": [{"source": "/out/file", "destination": f"copied/{name}"}]}


def chart() -> dict[str, Any]:
    """Return a stage that installs a chart with every value, and exports a joined run-time value."""
    overrides = {
        "literals": list(WRITTEN),
        "outputs": READ,
        **{f"value{number}": value for number, value in enumerate(READ)},
    }
    return {
        "name": "chart",
        "deploy": {"image": "image", "tag": "tag", "chart": {"name": "chart"}, "overrides": overrides},
        "exports": {"all": "${setup.logURL}" + "".join(f"<{output}>" for output in READ)},
    }


def read() -> dict[str, Any]:
    """Return a stage that builds an image with the printed values, and runs it with them."""
    variant = {
        "copies": ["local"],
        "runs": {"environment": {f"IMAGE{number}": value for number, value in enumerate(READ)}},
        "entrypoint": ["sh", "see", *READ],
    }
    arguments = {
        "$merge": [*READ, *(f"-x{output}x" for output in READ)],
        "$with": {"$each": "line", "$in": "".join(READ), "$yield": "${.line}"},
    }
    variables = {f"V{number}": value for number, value in enumerate(READ)}
    return {
        "name": "read",
        "blubberfile": {"version": "v4", "base": "example/base", "variants": {"read": variant}},
        "build": "read",
        "run": {"arguments": arguments, "env": {"STAGE": "read", "EXPORT": "${chart.all}", **variables}},
    }


def tags(image: str) -> Iterator[dict[str, Any]]:
    """Yield stages that publish an image with the printed values as tags; the last one mails its failure."""
    text = "".join(f"<{output}>" for output in READ)
    mail = {"email": {"to": ["a@example.org"], "subject": f"tags {text}", "body": f"of\n{text}"}}
    for name, output in zip(TAGS, READ, strict=True):
        stage = {"name": name, "publish": {"image": {"id": image, "name": "name", "tag": output}}}
        yield {**stage, "notify": mail} if name == TAGS[-1] else stage


@dataclass(frozen=True, slots=True)
class Proof:
    """An execution on an engine, and the folder of the jobs' home."""

    engine: Engine
    done: Execution
    home: Path


@pytest.fixture(scope="module", params=ENGINES)
def proof(
    containers: Containers, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Proof]:
    """Return each execution in turn."""
    engine = ENGINES[request.param]
    require(absent(engine))
    folder = tmp_path_factory.mktemp("hostile")
    say = "mkdir /out; echo {} | base64 -d >/out/file; cat /out/file"
    encoded = [b64encode(text.encode()).decode() for text in PRINTED]
    image = worlds.image(
        containers, folder, **{stage: say.format(text) for stage, text in zip(SAYS, encoded, strict=True)}
    )
    repository = worlds.configured(folder / "repository", config(image))
    world = World(
        containers=containers, repository=repository, folder=folder / "world", settings={"gitlab": {"mail": {}}}
    )
    Path(CANARY).unlink(missing_ok=True)
    yield Proof(engine, execute(engine, world), world.folder / "home")
    Path(CANARY).unlink(missing_ok=True)


# The bound value of a stage that prints a text: the last line breaks are removed.
OUTPUTS = tuple(f"{text}\n" for text in PRINTED)
JOINED = "".join(f"<{output}>" for output in OUTPUTS)


def test_hostile_values_are_not_executed(proof: Proof) -> None:
    """No canary exists, and the home folder of jobs is intact."""
    assert not Path(CANARY).exists()
    assert (proof.home / "keep").exists()


def test_only_stages_with_invalid_tags_fail(proof: Proof) -> None:
    """All other stages succeed."""
    failed = {stage for stage, outcome in proof.done.outcomes.items() if outcome != "success"}

    assert failed == set(TAGS), proof.done.log


def test_constant_values_arrive_unchanged(proof: Proof) -> None:
    """As an argument, a variable and a value of a chart, byte for byte."""
    seen = proof.done.seen["literal"]

    assert seen.arguments == WRITTEN
    # podman, unlike docker, removes the CR of a CRLF from a variable
    assert [seen.environment[f"V{number}"] for number in range(len(WRITTEN))] == [
        text.replace("\r\n", "\n") for text in WRITTEN
    ]
    assert values(proof)["literals"] == list(WRITTEN)


def test_outputs_arrive_unchanged(proof: Proof) -> None:
    """As an argument, within others, as a variable, as an export, and in an image."""
    seen = proof.done.seen["read"]
    lines = [line for line in "".join(OUTPUTS).split("\n") if line]

    assert seen.arguments == (*OUTPUTS, *OUTPUTS, *(f"-x{output}x" for output in OUTPUTS), *lines)
    for prefix in ("V", "IMAGE"):
        assert tuple(seen.environment[f"{prefix}{number}"] for number in range(len(OUTPUTS))) == OUTPUTS
    assert seen.environment["EXPORT"].endswith(f"/console{JOINED}") or re.match(
        rf"(https://\S+/jobs/\d+|file://\S+[.]log){re.escape(JOINED)}$", seen.environment["EXPORT"]
    )


def test_outputs_arrive_unchanged_in_charts(proof: Proof) -> None:
    """Alone and within a list."""
    data = values(proof)

    assert tuple(data["outputs"]) == OUTPUTS
    assert tuple(data[f"value{number}"] for number in range(len(OUTPUTS))) == OUTPUTS


def values(proof: Proof) -> dict[str, Any]:
    """Return the values of the chart."""
    (install,) = (call for call in proof.done.charts if call["arguments"][0] == "install")
    data: dict[str, Any] = {}
    for file in install["files"]:
        text = b64decode(file["content"]).decode()
        data |= yaml.safe_load(text) if file["key"] is None else {file["key"]: text}
    return data


def test_copied_files_arrive_unchanged(proof: Proof) -> None:
    """A file out of a container is the same in the checkout of the next stage."""
    copied = {name: text for name, text in proof.done.seen["read"].files.items() if name.startswith("copied/")}

    assert copied == {f"copied/{stage}": text for stage, text in zip(SAYS, PRINTED, strict=True)}


def test_an_invalid_tag_fails_with_its_name(proof: Proof) -> None:
    """The container engine rejects it."""
    assert proof.done.log.count("invalid reference format") >= len(TAGS)


def test_a_mail_subject_is_one_line(proof: Proof) -> None:
    """The body keeps all lines; local runs send no mail."""
    if proof.engine is HERE:
        assert "a local run sends no mail" in proof.done.log
        return
    (mail,) = proof.done.mails

    assert Mail(mail.to, mail.subject, mail.body.removesuffix("\n")) == Mail(
        "a@example.org", f"tags {JOINED}".replace("\n", " "), f"of\n{JOINED}"
    )
