"""Steps for files: the checkout, archives, stashes and reports."""

from __future__ import annotations

from pipegen.importing.jenkins.reading.syntax import (
    GroovyCall,
    constant,
    texts,
)
from pipegen.importing.jenkins.stages.shell_text import removed_paths
from pipegen.importing.jenkins.stages.steps import SourceStepContext, StepReader
from pipegen.importing.jenkins.stages.texts import path_word
from pipegen.importing.jenkins.stages.work import KeptFiles
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import replace

# How much of the output of tests a report shows.
_OF_OUTPUT = ("keepLongStdio", "stdioRetention")


def clean(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `deleteDir` or `cleanWs`."""
    if context.directory and call.name == "deleteDir":
        reader.command(call, f"rm -rf {path_word(context.directory)}", replace(context, directory=""))
        reader.marks.all(call)
        return
    has_worked = any(not command.is_message for command in reader.work.commands) or not reader.is_fresh
    if has_worked and not context.is_after and context.precedes_unstash:
        leave_out_removal(reader, call)
        return
    if has_worked and not context.is_after and context.is_early:
        raise UntranslatableError("only the start of a stage has clean files")
    if context.is_after and reader.is_shared and not reader.is_last:
        raise UntranslatableError("later stages in the same workspace would find the files")
    reader.marks.all(call)


def leave_out_removal(reader: StepReader, call: GroovyCall) -> None:
    """Report *call*, which removes all files before a step that gets those of stages before."""
    hint = "remove files that are not wanted by a command of the script"
    reader.marks.left_out(call, "it would remove the files of the stages before, which stay in place", hint=hint)


def checkout(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `checkout`."""
    argument = call.argument("scm", "")
    if argument is None or getattr(argument.value, "text", "") != "scm":
        raise UntranslatableError("it checks out another repository")
    if context.directory:
        raise UntranslatableError("the checkout of a stage is the workspace itself")
    reader.work.fetches = True
    reader.marks.all(call)


def _paths(reader: StepReader, call: GroovyCall, context: SourceStepContext, *names: str) -> tuple[str, ...]:
    argument = call.argument(*names)
    if argument is None:
        raise UntranslatableError("it names no files")
    path_lists = texts(argument.value) or (reader.names.word(argument.value),)
    # Ant reads a backslash as a slash on every system (`SelectorUtils`, `DirectoryScanner.normalizePattern`).
    paths = [path.strip().replace("\\", "/") for text in path_lists for path in text.split(",") if path.strip()]
    prefix = f"{context.directory}/" if context.directory else ""
    if "$" in prefix:
        raise UntranslatableError("the folder is known only at run time")
    return tuple(prefix + path.removeprefix("./") for path in paths)


def archive(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `archiveArtifacts`."""
    paths = _paths(reader, call, context, "artifacts", "")
    exclude = _paths(reader, call, context, "excludes") if call.argument("excludes") else ()
    only = call.argument("onlyIfSuccessful")
    when = "success" if only is not None and constant(only.value) == "true" else context.when
    files = KeptFiles(call=call, paths=paths, exclude=exclude, when=when)
    stashes = [] if reader.is_shared else [other for other in reader.work.files if other.name is not None]
    if any(files.lacks(other) or other.lacks(files) for other in stashes):
        raise UntranslatableError("it excludes other files than a stash of the stage, which has one list of them")
    reader.work.files.append(files)
    # Without Ant's default exclusions, as a config archives folders.
    of_folders = ("defaultExcludes",) if any(path.endswith("/") for path in paths) else ()
    reader.marks.read(call, "artifacts", "excludes", "allowEmptyArchive", "onlyIfSuccessful", *of_folders)


def stash(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `stash`."""
    name = _stash_name(reader, call)
    prefix = f"{context.directory}/" if context.directory else ""
    paths = _paths(reader, call, context, "includes") if call.argument("includes") else (f"{prefix}**",)
    exclude = _paths(reader, call, context, "excludes") if call.argument("excludes") else ()
    reader.work.files.append(KeptFiles(call=call, paths=paths, exclude=exclude, name=name))
    reader.marks.read(call, "name", "includes", "excludes", "allowEmpty", "useDefaultExcludes")


def _stash_name(reader: StepReader, call: GroovyCall) -> str:
    """Return the name of a stash, which may contain variables with constant values."""
    name = call.argument("name", "")
    text = reader.names.word(name.value if name is not None else None)
    if "${" in text:
        raise UntranslatableError("its name is known only at run time")
    if text in reader.groovy_stashes:
        raise UntranslatableError(f'an "unstash" of "{text}" stays Groovy')
    return text


def unstash(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `unstash`."""
    if context.directory:
        raise UntranslatableError("files of earlier stages are at their paths in the checkout")
    name = _stash_name(reader, call)
    reader.work.unstashed.append(name)
    for command in reader.work.commands:
        reader.work.removed_before.setdefault(name, []).extend(removed_paths(command.text))
    reader.marks.read(call, "name")


def junit(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `junit`."""
    if context.is_after and context.when == "failure":
        raise UntranslatableError("reports are collected in any case")
    reader.work.junit += _paths(reader, call, context, "testResults", "")
    reader.marks.read(call, "testResults", "allowEmptyResults", "skipMarkingBuildUnstable", *_OF_OUTPUT)
