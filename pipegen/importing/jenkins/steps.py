"""The steps of a stage: commands of its script, keys of the stage, or steps of Jenkins."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.secrets import bind
from pipegen.importing.jenkins.shell import command_of
from pipegen.importing.jenkins.source import comment_above
from pipegen.importing.jenkins.syntax import Block, Call, Items, Statement, Text, calls, constant, texts
from pipegen.importing.jenkins.texts import JenkinsNames, quoted
from pipegen.importing.jenkins.work import KeptFiles, StageWork
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import Struct, replace

_UNITS = {"SECONDS": "seconds", "MINUTES": "minutes", "HOURS": "hours", "DAYS": "days"}
_SECONDS = {"SECONDS": 1, "MINUTES": 60, "HOURS": 3600, "DAYS": 86400}
# Steps that each stage of a config does anyway.
_NEEDLESS = frozenset({"deleteDir", "cleanWs"})
# Steps with a block that concern only the log.
_COSMETIC = frozenset({"timestamps", "ansiColor"})
_TRIPLE = re.compile(r"(\'\'\'|\"\"\")(.*?)(?<!\\)\1", re.DOTALL)


class Place(Struct, kw_only=True):
    """Where steps are: blocks around them, and the result of the stage for which they run."""

    directory: str = ""
    exports: tuple[tuple[str, str], ...] = ()
    when: str = "success"
    is_after: bool = False
    is_whole: bool = True
    # Whether other steps follow.
    is_early: bool = False


class StepReader:
    """Reads the steps of a stage into its work."""

    def __init__(self, title: str, names: JenkinsNames, work: StageWork, marks: Marks) -> None:
        self._title = title
        # Whether the workspace has nothing but the checkout, and whether nothing reads it afterwards.
        self.is_fresh = True
        self.is_last = False
        self.names = names
        self.work = work
        self.marks = marks

    def read(self, block: Block, place: Place) -> None:
        """Read the steps of *block*."""
        effective = [one for one in block.statements if not _is_needless(one)]
        for statement in block.statements:
            inner = replace(
                place,
                is_whole=place.is_whole and (len(effective) == 1 or _is_needless(statement)),
                is_early=statement is not block.statements[-1] or not self.is_last,
            )
            if isinstance(statement, Call):
                self._step(statement, inner)
            else:
                self.marks.left_out(statement, "a config has no Groovy")

    def _step(self, call: Call, place: Place) -> None:
        try:
            handler = _STEPS.get(call.name)
            if handler is None:
                self._unknown(call, place)
            else:
                handler(self, call, place)
        except UntranslatableError as error:
            if call.block is not None or place.is_after:
                self.marks.left_out(call, str(error))
            else:
                self._plugin(call, place, str(error))

    def _unknown(self, call: Call, place: Place) -> None:
        """Keep a step that a config does not know: its text, or the block steps around those of the stage."""
        if call.block is None:
            self._plugin(call, place, "")
            return
        head = _head(call)
        if head is None or not place.is_whole or place.is_after:
            self.marks.left_out(
                call if head is None else replace(call, block=None),
                "only steps around all of a stage can stay",
                hint='split the stage, and put the step into "raw"',
            )
        else:
            self.work.wrap.append(head)
            self.marks.raw(replace(call, block=None), f'stage "{self._title}"')
        if head is not None:
            self.read(call.block, place)

    def _plugin(self, call: Call, place: Place, reason: str) -> None:
        """Keep *call* as a step of Jenkins, before or after the script."""
        text = one_line(call)
        if text is None or place.is_after or place.directory or place.exports:
            self.marks.left_out(call, reason or "this step of Jenkins cannot stay here")
            return
        steps = self.work.steps_after if self.work.commands else self.work.steps_before
        if self.work.steps_after and steps is self.work.steps_before:
            steps = self.work.steps_after
        steps.append(text)
        self.marks.raw(call, f'stage "{self._title}"', reason)

    def command(self, call: Call, text: str, place: Place) -> None:
        """Add the command *text*, which *call* runs."""
        command = command_of(text, comment_above(call.span))
        if self.work.steps_after and not place.is_after:
            raise UntranslatableError("it follows a step that stays Groovy")
        command = replace(command, directory=place.directory, exports=place.exports)
        (self.work.after if place.is_after else self.work.commands).append(command)


Handler = Callable[[StepReader, Call, Place], None]


def _sh(reader: StepReader, call: Call, place: Place) -> None:
    argument = call.argument("script", "")
    if argument is None:
        raise UntranslatableError("it has no script")
    for name in ("returnStdout", "returnStatus"):
        if (one := call.argument(name)) is not None and constant(one.value) != "false":
            raise UntranslatableError(f"a config has no {name}")
    reader.command(call, reader.names.script(argument.value), place)
    reader.marks.read(call, "script", "label", "encoding", "returnStdout", "returnStatus")


def _echo(reader: StepReader, call: Call, place: Place) -> None:
    argument = call.argument("message", "")
    text = reader.names.script(Text((" ",)) if argument is None else argument.value)
    reader.command(call, f"echo {_word(text)}", place)
    reader.marks.read(call, "message")


def _word(text: str) -> str:
    """Return *text*, which can contain references, as a word of the shell."""
    if "$" not in text:
        return "'" + text.replace("'", "'\\''") + "'" if re.search(r"[^\w./:,@%+-]", text) or not text else text
    return quoted(text)


def _error(reader: StepReader, call: Call, place: Place) -> None:
    argument = call.argument("message", "")
    if argument is None:
        raise UntranslatableError("it has no message")
    reader.command(call, f"echo {_word(reader.names.script(argument.value))} >&2\nexit 1", place)
    reader.marks.read(call, "message")


def _sleep(reader: StepReader, call: Call, place: Place) -> None:
    time = _number(call, "time", "")
    unit = call.argument("unit")
    seconds = time * _SECONDS.get(constant(unit.value) or "" if unit is not None else "SECONDS", 1)
    reader.command(call, f"sleep {seconds}", place)
    reader.marks.read(call, "time", "unit")


def _number(call: Call, *names: str) -> int:
    argument = call.argument(*names)
    text = constant(argument.value) if argument is not None else None
    if text is None or not text.isdecimal():
        raise UntranslatableError("its number is known only at run time")
    return int(text)


def _write_file(reader: StepReader, call: Call, place: Place) -> None:
    path, text = call.argument("file"), call.argument("text")
    if path is None or text is None:
        raise UntranslatableError("it has no file or no text")
    name, content = reader.names.script(path.value), reader.names.script(text.value)
    reader.command(call, f"printf %s {_word(content)} >{_word(name)}", place)
    reader.marks.read(call, "file", "text", "encoding")


def duration(call: Call) -> str:
    """Return the time of *call* as a duration of a config; raise `UntranslatableError` if it is not constant."""
    unit = call.argument("unit")
    name = _UNITS.get(constant(unit.value) or "") if unit is not None else "minutes"
    activity = call.argument("activity")
    if name is None or (activity is not None and constant(activity.value) == "true"):
        raise UntranslatableError("a config limits the whole time of a stage")
    number = _number(call, "time", "")
    return f"{number} {name.removesuffix('s') if number == 1 else name}"


def _is_whole(reader: StepReader, call: Call, place: Place, reason: str) -> bool:
    """Return whether the block of *call* has all steps of the stage; if not, read these steps, and report *reason*."""
    if call.block is None:
        raise UntranslatableError("it has no steps")
    if not place.is_whole or place.is_after:
        reader.marks.left_out(replace(call, block=None), reason, hint="split the stage")
        reader.read(call.block, place)
        return False
    return True


def _read_block(reader: StepReader, call: Call, place: Place) -> None:
    if call.block is not None:
        reader.read(call.block, place)


def _timeout(reader: StepReader, call: Call, place: Place) -> None:
    if not _is_whole(reader, call, place, "only all steps of a stage can have a timeout"):
        return
    reader.work.keys["timeout"] = duration(call)
    reader.marks.read(call, "time", "unit", "activity")
    _read_block(reader, call, place)


def _retry(reader: StepReader, call: Call, place: Place) -> None:
    if not _is_whole(reader, call, place, "only a whole stage can be tried again"):
        return
    number = _number(call, "count", "")
    if number > 1:
        reader.work.keys["retry"] = number - 1
    reader.marks.read(call, "count")
    _read_block(reader, call, place)


def _catch(reader: StepReader, call: Call, place: Place) -> None:
    result = call.argument("buildResult")
    is_success = call.name == "warnError" or (result is not None and constant(result.value) in ("SUCCESS", "UNSTABLE"))
    if not is_success:
        raise UntranslatableError("a config has no failure of a stage without one of the build")
    if not _is_whole(reader, call, place, "only the failure of a whole stage can be allowed"):
        return
    reader.work.keys["allow_failure"] = True
    reader.marks.read(call, "buildResult", "stageResult", "message", "catchInterruptions")
    _read_block(reader, call, place)


def _dir(reader: StepReader, call: Call, place: Place) -> None:
    argument = call.argument("path", "")
    if call.block is None or argument is None:
        raise UntranslatableError("it has no steps")
    path = reader.names.script(argument.value)
    reader.marks.read(call, "path")
    inner = path if not place.directory or path.startswith(("/", "$")) else f"{place.directory}/{path}"
    reader.read(call.block, replace(place, directory="" if inner in (".", "./") else inner.removeprefix("./")))


def _with_env(reader: StepReader, call: Call, place: Place) -> None:
    argument = call.argument("overrides", "")
    items = argument.value.items if argument is not None and isinstance(argument.value, Items) else None
    if call.block is None or items is None:
        raise UntranslatableError("its variables are known only at run time")
    exports = []
    for item in items:
        name, sign, value = reader.names.variable(item).partition("=")
        if not sign or not re.fullmatch(r"\w+(\+\w*)?", name):
            raise UntranslatableError("a variable is known only at run time")
        plain, plus, _ = name.partition("+")
        exports.append((plain, f"{value}:${{{plain}}}" if plus else value))
    reader.marks.read(call, "overrides")
    env = reader.work.keys.get("env")
    known = dict(env) if isinstance(env, dict) else {}
    if place.is_whole and not place.is_after and not known.keys() & {name for name, _ in exports}:
        reader.work.keys["env"] = {**known, **dict(exports)}
    else:
        place = replace(place, exports=(*place.exports, *exports))
    reader.read(call.block, place)


def _with_credentials(reader: StepReader, call: Call, place: Place) -> None:
    argument = call.argument("bindings", "")
    bindings = calls(argument.value) if argument is not None else ()
    if call.block is None or not bindings:
        raise UntranslatableError("its credentials are known only at run time")
    bound = [bind(one, reader.names) for one in bindings]
    for one in bound:
        reader.work.secrets |= one.secrets
        reader.work.exports += one.exports
    for one_call in bindings:
        reader.marks.all(one_call)
    reader.marks.read(call, "bindings")
    reader.read(call.block, place)


def _lock(reader: StepReader, call: Call, place: Place) -> None:
    argument = call.argument("resource", "")
    name = reader.names.word(argument.value) if argument is not None else None
    if name is None:
        raise UntranslatableError("a stage has a lock of one name")
    if not _is_whole(reader, call, place, "only a whole stage can have a lock"):
        return
    reader.work.keys["lock"] = name
    reader.marks.read(call, "resource")
    _read_block(reader, call, place)


def _script(reader: StepReader, call: Call, place: Place) -> None:
    if call.block is None or not is_plain(call.block):
        reader.marks.left_out(call, "Groovy has no counterpart in a config", hint="write it as a shell script")
        return
    reader.marks.all(call)
    reader.read(call.block, place)


def is_plain(block: Block) -> bool:
    """Return whether *block* has only steps that become commands, or keys, so that its Groovy says nothing else."""
    return bool(block.statements) and all(
        isinstance(one, Call)
        and one.name in _PLAIN
        and not any(one.argument(name) for name in ("returnStdout", "returnStatus"))
        and (one.block is None or is_plain(one.block))
        for one in block.statements
    )


_PLAIN = frozenset({"sh", "echo", "dir", "withEnv", "withCredentials", "archiveArtifacts", "junit", "stash", "unstash"})


def _cosmetic(reader: StepReader, call: Call, place: Place) -> None:
    if call.block is None:
        raise UntranslatableError("it has no steps")
    reader.marks.all(replace(call, block=None))
    reader.read(call.block, place)


def _needless(reader: StepReader, call: Call, place: Place) -> None:
    has_worked = any(not one.text.startswith("echo ") for one in reader.work.commands) or not reader.is_fresh
    if has_worked and not place.is_after and place.is_early:
        reader.marks.left_out(call, "each stage starts with clean files", hint="delete the files with a command")
    else:
        reader.marks.all(call)


def _checkout(reader: StepReader, call: Call, _place: Place) -> None:
    argument = call.argument("scm", "")
    if argument is None or getattr(argument.value, "text", "") != "scm":
        raise UntranslatableError("it checks out another repository")
    reader.marks.all(call)


def _paths(reader: StepReader, call: Call, place: Place, *names: str) -> tuple[str, ...]:
    argument = call.argument(*names)
    if argument is None:
        raise UntranslatableError("it names no files")
    found = texts(argument.value) or (reader.names.word(argument.value),)
    paths = [path.strip() for text in found for path in text.split(",") if path.strip()]
    prefix = f"{place.directory}/" if place.directory else ""
    if "$" in prefix:
        raise UntranslatableError("the folder is known only at run time")
    return tuple(prefix + path.removeprefix("./") for path in paths)


def _archive(reader: StepReader, call: Call, place: Place) -> None:
    paths = _paths(reader, call, place, "artifacts", "")
    exclude = _paths(reader, call, place, "excludes") if call.argument("excludes") else ()
    only = call.argument("onlyIfSuccessful")
    when = "success" if only is not None and constant(only.value) == "true" else place.when
    reader.work.files.append(KeptFiles(paths=paths, exclude=exclude, when=when))
    reader.marks.read(call, "artifacts", "excludes", "allowEmptyArchive", "onlyIfSuccessful")


def _stash(reader: StepReader, call: Call, place: Place) -> None:
    name = call.argument("name", "")
    text = constant(name.value) if name is not None else None
    if text is None:
        raise UntranslatableError("its name is known only at run time")
    prefix = f"{place.directory}/" if place.directory else ""
    paths = _paths(reader, call, place, "includes") if call.argument("includes") else (f"{prefix}**",)
    exclude = _paths(reader, call, place, "excludes") if call.argument("excludes") else ()
    reader.work.files.append(KeptFiles(paths=paths, exclude=exclude, name=text))
    reader.marks.read(call, "name", "includes", "excludes", "allowEmpty", "useDefaultExcludes")


def _unstash(reader: StepReader, call: Call, place: Place) -> None:
    name = call.argument("name", "")
    text = constant(name.value) if name is not None else None
    if text is None or place.directory:
        raise UntranslatableError("files of earlier stages are at their paths in the checkout")
    reader.work.unstashed.append(text)
    reader.marks.read(call, "name")


def _junit(reader: StepReader, call: Call, place: Place) -> None:
    reader.work.junit += _paths(reader, call, place, "testResults", "")
    reader.marks.read(call, "testResults", "allowEmptyResults", "skipMarkingBuildUnstable", "keepLongStdio")


def _input(reader: StepReader, call: Call, place: Place) -> None:
    if reader.work.commands or not place.is_whole or place.is_after or "approve" in reader.work.keys:
        raise UntranslatableError("a stage asks before it starts")
    reader.work.keys["approve"] = approval(reader, call)


def approval(reader: StepReader, call: Call) -> Mapping[str, str | list[str]] | bool:
    """Return the value of `approve` for the step or directive *call*."""
    given = {one.name or "message": one.value for one in call.arguments}
    result: dict[str, str | list[str]] = {}
    if "message" in given:
        result["message"] = reader.names.word(given["message"])
    if "submitter" in given:
        result["approvers"] = [name.strip() for name in reader.names.word(given["submitter"]).split(",")]
    reader.marks.read(call, "message", "submitter", "id", "ok")
    return result or True


def _build(reader: StepReader, call: Call, place: Place) -> None:
    job = call.argument("job", "")
    if job is None or place.is_after or "trigger" in reader.work.keys:
        raise UntranslatableError("a stage starts one other job, after its script")
    wait, propagate = call.argument("wait"), call.argument("propagate")
    trigger: dict[str, object] = {"name": constant(job.value) or ""}
    parameters = call.argument("parameters")
    if not trigger["name"]:
        raise UntranslatableError("the name of the job is known only at run time")
    if parameters is not None:
        trigger["parameters"] = _parameters(reader, calls(parameters.value))
    trigger["wait"] = wait is None or constant(wait.value) != "false"
    if propagate is not None and constant(propagate.value) == "false":
        trigger["propagate"] = False
    reader.work.keys["trigger"] = trigger  # type: ignore[assignment]
    reader.marks.read(call, "job", "wait", "propagate", "parameters")


def _parameters(reader: StepReader, parameters: Sequence[Call]) -> dict[str, str]:
    values = {}
    for one in parameters:
        name, value = one.argument("name"), one.argument("value")
        if name is None or value is None:
            raise UntranslatableError("a parameter has no name or no value")
        values[constant(name.value) or ""] = reader.names.word(value.value)
        reader.marks.read(one, "name", "value")
    return values


_STEPS: Mapping[str, Handler] = {
    "sh": _sh,
    "echo": _echo,
    "println": _echo,
    "print": _echo,
    "error": _error,
    "sleep": _sleep,
    "writeFile": _write_file,
    "timeout": _timeout,
    "retry": _retry,
    "catchError": _catch,
    "warnError": _catch,
    "dir": _dir,
    "withEnv": _with_env,
    "withCredentials": _with_credentials,
    "lock": _lock,
    "script": _script,
    **dict.fromkeys(_COSMETIC, _cosmetic),
    **dict.fromkeys(_NEEDLESS, _needless),
    "checkout": _checkout,
    "archiveArtifacts": _archive,
    "stash": _stash,
    "unstash": _unstash,
    "junit": _junit,
    "input": _input,
    "build": _build,
}


def _is_needless(statement: Statement) -> bool:
    """Return whether *statement* does nothing to the commands beside it."""
    light = {*_NEEDLESS, "checkout", "unstash", "echo", "junit", "archiveArtifacts", "stash", "input"}
    return isinstance(statement, Call) and statement.name in light


def one_line(call: Call) -> str | None:
    """Return *call* as Groovy on one line; None if it has a block, or a text that cannot be on one line."""
    if call.block is not None:
        return None
    text = _TRIPLE.sub(_on_one_line, call.whole.text)
    lines = [re.sub(r"(?<!:)//.*", "", line).strip() for line in text.split("\n")]
    joined = " ".join(line for line in lines if line)
    return None if "'''" in joined or '"""' in joined else joined


def _on_one_line(match: re.Match[str]) -> str:
    """Return a text in triple quotes in single ones; unchanged if an expression in it has quotes."""
    quote, body = match[1][0], match[2]
    if any(quote in one for one in re.findall(r"\$\{[^}]*\}", body)):
        return match[0]
    body = re.sub(r"\\\n", "", body)
    escaped = re.sub(rf"\\.|{quote}", lambda one: one[0] if one[0] != quote else f"\\{quote}", body)
    return quote + escaped.replace("\n", "\\n") + quote


def _head(call: Call) -> str | None:
    """Return the call of a block step without its block."""
    if call.block is None:
        return None
    text = " ".join(call.whole.text[: call.block.span.start - call.whole.start].split())
    return None if "\\" in text or "{" in text else re.sub(r"^(\w+) \(", r"\1(", text)
