"""Hostile texts from a run: names of branches and tags, messages, variables, secrets."""

from __future__ import annotations

import re

from robust.hostile.round import Round
from robust.hostile.scripts import FORMS
from robust.hostile.texts import quoted, written

# Characters that git does not accept in a name: https://git-scm.com/docs/git-check-ref-format
_ILLEGAL = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|@\{|\.\.+|//+|(?:^|(?<=/))[.-]+|/\.|\.lock(?=/|$)|[./]+$|^[/-]+")


def as_ref(text: str) -> str:
    """Return *text* as the name of a branch or tag."""
    result = text.replace(" ", "${IFS}").replace("//", "/")
    while (legal := _ILLEGAL.sub("", result)) != result:
        result = legal
    return result


def ref(turn: Round) -> str:
    """Return a name for a branch or tag that is not a simple word."""
    return next(filter(None, (as_ref(text) for text in turn.deal(50, fits=lambda text: 8 < len(text) < 100))))


def branch(turn: Round) -> None:
    """Add a stage that reads the name of its branch and runs only there; the commit has a hostile message."""
    turn.branch, turn.message = ref(turn), next(turn.deal(1, fits=bool))
    name = turn.branch
    _reads(turn, "branch", name)
    if can_compare(turn, name):
        turn.stage("here", when={"branch": literal(name)}, script=[turn.keep("when.branch", name, quoted(name))])
        turn.stage("elsewhere", when={"branch": f"{name}x"}, script=[mark(turn)])
        turn.outcomes["elsewhere"] = "skipped"
    # GitLab expands `$` in the names of branches, and its runner gets another name; so a variable of ours has the name
    # here
    turn.variables |= {"BRANCH_NAME": name, "CI_COMMIT_BRANCH": name, "CI_COMMIT_REF_NAME": name}


def can_compare(turn: Round, text: str) -> bool:
    """Return whether the engine compares *text* literally: gitlab-ci-local expands `$` and backslashes twice."""
    return turn.engine != "gitlab-ci-local" or not set(text) & {"$", "\\"}


def tag(turn: Round) -> None:
    """Add a stage that reads the name of its tag and runs only for it."""
    turn.tag = ref(turn)
    _reads(turn, "tag", turn.tag)
    if can_compare(turn, turn.tag):
        turn.stage(
            "tagged", when={"tag": literal(turn.tag)}, script=[turn.keep("when.tag", turn.tag, quoted(turn.tag))]
        )
        turn.stage("untagged", when={"tag": f"{turn.tag}x"}, script=[mark(turn)])
        turn.outcomes["untagged"] = "skipped"
    turn.variables |= {"TAG_NAME": turn.tag, "BRANCH_NAME": turn.tag, "CI_COMMIT_TAG": turn.tag}


def _reads(turn: Round, name: str, value: str) -> None:
    """Add a stage that reads the value of *setup* in every way."""
    lines = []
    for command, prints in FORMS:
        record = turn.expect(f"{name} at run time", value, prints.replace("@", value))
        lines.append(f'{{\n{command.replace("NAME", f"setup.{name}")}\n}} >"$RECORDS/{record}"')
    lines.append(turn.keep(f"{name} at run time", value, '"$V"', f"<{value}>"))
    turn.stage("reads", env={"V": f"<${{setup.{name}}}>"}, script=lines)
    for number in range(2):
        turn.expect(f"{name} at run time", value, f"-{value}" if number else value, record=f"ref.{number}")
    arguments = [f"${{setup.{name}}}", f"-${{setup.{name}}}"]
    turn.stage("container", run={"image": "0" * 64, "arguments": arguments, "env": {"AT": "ref"}})


def literal(text: str) -> str:
    """Return the pattern that matches only *text*."""
    special = re.sub(
        r"[\\^$.|?*+()\[\]{}/]", lambda match: f"[{match[0]}]" if match[0] not in "^\\/" else f"\\{match[0]}", text
    )
    return f"/^{special}$/" if re.search(r"[*?\\]|^/|/$", text) else text


def mark(turn: Round) -> str:
    """Return a command of a stage that must not run."""
    turn.dealt += 1
    return f"touch {turn.canaries}/{turn.dealt}"


def conditions(turn: Round) -> None:
    """Add stages that run if an input or a variable equals a text, and stages that do not."""
    for number, text in enumerate(turn.deal(3, fits=lambda text: is_pattern(text) and can_compare(turn, text))):
        turn.inputs[f"asked{number}"] = {"default": "none"}
        turn.input_values[f"asked{number}"] = text
        line = turn.keep("when.inputs.*", text, f"${{inputs.asked{number}}}")
        turn.stage(f"asked{number}", when={"inputs": {f"asked{number}": literal(text)}}, script=[line])
    for number, text in enumerate(turn.deal(3, fits=lambda text: is_pattern(text) and can_compare(turn, text))):
        turn.variables[f"SEEN{number}"] = text
        line = turn.keep("when.env.*", text, f'"$SEEN{number}"')
        turn.stage(f"seen{number}", when={"env": {f"SEEN{number}": literal(text)}}, script=[line])
        turn.stage(f"unseen{number}", when={"env": {f"SEEN{number}": literal(f"{text}x")}}, script=[mark(turn)])
        turn.outcomes[f"unseen{number}"] = "skipped"


def is_pattern(text: str) -> bool:
    """Return whether a condition can contain *text* on every engine: it is one line."""
    return bool(text) and not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", text) and text == text.strip()


def secrets(turn: Round) -> None:
    """Add a stage with texts as values of secrets."""
    names = {}
    for number, text in enumerate(turn.deal(8, fits=lambda text: len(text) > 3)):
        turn.secrets[f"secret-{number}"] = text
        names[f"S{number}"] = f"secret-{number}"
    lines = [turn.keep("secret at run time", turn.secrets[id_], f'"${name}"') for name, id_ in names.items()]
    turn.stage("secrets", secrets=names, script=lines)
    credentials = [{"id": id_, "name": f"C{number}"} for number, id_ in enumerate(turn.secrets)]
    turn.stage("credentials", run={"image": "0" * 64, "env": {"AT": "credentials"}, "credentials": credentials})


def named(turn: Round) -> None:
    """Add stages and a pipeline with texts as names."""
    texts = list(dict.fromkeys(turn.deal(4, fits=is_label)))
    for text in texts:
        turn.stage(text, script=[turn.keep("stage.name", text, "${.stage}")])
    (turn.name,) = turn.deal(1, fits=is_label)
    turn.stage(
        "pipeline's",
        script=[turn.keep("pipelines.{}", turn.name, '"${setup.pipeline}"')],
        description=written(texts[0]),
    )


def is_label(text: str) -> bool:
    """Return whether a stage or a pipeline can be named *text*."""
    return is_pattern(text) and len(text) < 100 and text not in {"setup", "teardown", "inputs", "matrix", "pipeline"}
