"""`pipegen compile`: the files that an engine reads."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.output import check_place, difference, is_foreign, write
from pipegen.cli.session import (
    ChangedSinceOption,
    ConfigArgument,
    Format,
    FormatOption,
    PipelineOption,
    SetOption,
    StrictOption,
    TargetOption,
    analysed_since,
    attempt,
    config_path,
    end,
    fixed_inputs,
    load_targets,
    named_targets,
    say,
    show,
    tell,
    wrong_option,
)
from pipegen.compiler import Analysed, generate
from pipegen.diagnostics.report import Report, Stopped
from pipegen.structs import Struct
from pipegen.targets.base import GeneratedFile, Target

StyleOption = Annotated[
    str | None,
    typer.Option(
        "--style",
        metavar="STYLE",
        show_default=False,
        help="How a Jenkinsfile is laid out: auto, declarative, scripted.",
    ),
]
_SplitOption = Annotated[
    list[str] | None,
    typer.Option(
        "--split",
        metavar="STAGE[,STAGE]",
        show_default=False,
        help="Put these stages, and what comes after them, into a child pipeline of GitLab; may be given again.",
    ),
]


class _Result(Struct):
    """What a target was given, and where it goes."""

    path: Path
    file: GeneratedFile


class _Options(Struct):
    """Options that some targets know."""

    style: str | None
    split: tuple[str, ...]
    since: str | None


def compile_(
    config: ConfigArgument = None,
    target: TargetOption = None,
    pipeline: PipelineOption = None,
    inputs: SetOption = None,
    changed_since: ChangedSinceOption = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", show_default=False, help='Where to write; "-" is standard output.'
        ),
    ] = None,
    style: StyleOption = None,
    split: _SplitOption = None,
    form: FormatOption = Format.TEXT,
    *,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; show what would change.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that pipegen did not write.")] = False,
    strict: StrictOption = False,
) -> None:
    """Write what an engine reads: a Jenkinsfile, a .gitlab-ci.yml.

    Without --output each target writes its usual file in the current folder.
    Without --target, the targets that the config's "targets" names.
    """
    path, report, fixed = config_path(config), Report(), fixed_inputs(inputs)
    if check and output == "-":
        raise WrongUsage("--check compares with a file: leave --output out, or name the file")
    _check_usage(load_targets(target or ()), output)
    analysed = attempt(path, report, lambda file: analysed_since(file, pipeline or (), report, fixed, changed_since))
    results = (
        _results(analysed, target, output, _Options(style, tuple(split or ()), changed_since), report)
        if analysed is not None
        else ()
    )
    show(report.diagnostics(), form, sys.stderr)
    if analysed is None or report.has_errors(strict=strict):
        if not report.has_errors():
            tell(form, "nothing is written: with --strict, warnings count as errors")
        end(Exit.PROBLEMS)
    if output == "-":
        # The files' own bytes, whatever the terminal speaks.
        sys.stdout.buffer.write(_stream(results).encode())
        return
    _check_places(results, path, is_written=not check)
    if check:
        end(_check(results, form))
    else:
        _write(results, form, force=force)


def _results(
    analysed: Analysed, target: Sequence[str] | None, output: str | None, given: _Options, report: Report
) -> tuple[_Result, ...]:
    targets = load_targets(target) if target else named_targets(analysed)
    if not targets:
        raise WrongUsage("name a target: --target gitlab, --target jenkins, or both")
    _check_usage(targets, output)
    options = {
        **target_options(targets, given.style, given.split),
        **_folder(output),
        **({"changed_since": given.since} if given.since else {}),
    }
    results: list[_Result] = []
    for one in targets:
        try:
            files = generate(analysed, one, options, report)
        except Stopped:
            continue
        results += [_Result(_place(file, one, output), file) for file in files]
    return tuple(results)


def _check_usage(targets: Sequence[Target], output: str | None) -> None:
    if output is not None and len(targets) > 1:
        raise WrongUsage("--output takes the file of one target: name one, or leave --output out")


def target_options(targets: Sequence[Target], style: str | None, split: Sequence[str] = ()) -> Mapping[str, str]:
    """Return what *style* and *split* say to *targets*, or end with wrong usage."""
    options: dict[str, str] = {}
    if style is not None:
        allowed = [value for target in targets for value in target.OPTIONS.get("style", ())]
        if not allowed:
            raise WrongUsage("--style is for the target jenkins")
        if style not in allowed:
            raise wrong_option("--style", style, allowed)
        options["style"] = style
    if split:
        if not any("split" in target.OPTIONS for target in targets):
            raise WrongUsage("--split is for the target gitlab")
        options["split"] = "\n".join(split)
    return options


def _folder(output: str | None) -> Mapping[str, str]:
    """Return the folder of *output* from here, which engines take for the root of the repository; nothing for that."""
    if output is None or output == "-" or Path(output).is_absolute() or Path(output).parent == Path():
        return {}
    return {"folder": Path(output).parent.as_posix()}


def _stream(results: Sequence[_Result]) -> str:
    """Return the text of *results*, of several as a stream of documents, each with its name."""
    if len(results) == 1:
        return results[0].file.text
    return "".join(f"--- # {result.file.name}\n{result.file.text}" for result in results)


def _place(file: GeneratedFile, target: Target, output: str | None) -> Path:
    """Return where *file* goes: the main one where the user says, others beside it."""
    if output is None or output == "-":
        return Path(file.name)
    return Path(output) if file.name == target.FILE else Path(output).parent / file.name


def _check_places(results: Sequence[_Result], config: Path, *, is_written: bool) -> None:
    """End with wrong usage before any file is written when one of *results* has no place."""
    for result in results:
        if is_written:
            _make_folder(result, results[-1])
        if is_written or not _is_below(result, results[-1]) or result.path.parent.exists():
            check_place(result.path)
        if result.path.exists() and result.path.samefile(config):
            raise WrongUsage(f'"{result.path}" is the config itself')


def _make_folder(result: _Result, parent: _Result) -> None:
    """Make the folder of a file that stands below that of its *parent*."""
    if _is_below(result, parent) and parent.path.parent.is_dir():
        result.path.parent.mkdir(exist_ok=True)


def _is_below(result: _Result, parent: _Result) -> bool:
    return result.path.parent.parent == parent.path.parent != result.path.parent


def _check(results: Sequence[_Result], form: Format) -> Exit:
    """Show how the files on disk differ from *results*."""
    status = Exit.FINE
    for result in results:
        found = difference(result.path, result.file.text)
        if found:
            sys.stdout.write(found)
            tell(form, f'{result.path} is not what the config says: run "pipegen compile"')
            status = Exit.PROBLEMS
        else:
            tell(form, f"{result.path} unchanged")
    return status


def _write(results: Sequence[_Result], form: Format, *, force: bool) -> None:
    for result in results:
        if not force and is_foreign(result.path):
            say(f"pipegen: {result.path} was not written by pipegen: move it away, or overwrite it with --force")
            end(Exit.PROBLEMS)
    for result in results:
        is_new = write(result.path, result.file.text)
        tell(form, f"{result.path} {'written' if is_new else 'unchanged'}")
