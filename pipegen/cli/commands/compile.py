"""`pipegen compile`: generates the files of engines."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import click

from pipegen.cli.exits import Exit, WrongUsage
from pipegen.cli.files.output import check_writable, make_folder
from pipegen.cli.files.regenerate import Result, placed
from pipegen.cli.files.renewal import check_all, write_all
from pipegen.cli.files.repository import folder_from_root
from pipegen.cli.files.watch import watch as watched
from pipegen.cli.files.writing import check_files, check_stream, write_files
from pipegen.cli.linting import check_raw, check_scripts
from pipegen.cli.parameters import beginning_with
from pipegen.cli.session import (
    Format,
    analysed_since,
    attempt,
    changed_since_option,
    config_argument,
    config_path,
    end,
    fixed_inputs,
    format_option,
    inform,
    load_targets,
    named_targets,
    pipeline_option,
    set_option,
    show,
    strict_option,
    target_option,
    wrong_option,
)
from pipegen.cli.terminal.streams import show_file
from pipegen.compiler import Analysed, generate
from pipegen.diagnostics.report import Report, Stopped
from pipegen.structs import Struct
from pipegen.targets import registry
from pipegen.targets.base import GeneratedFile, Target

style_option = click.option(
    "--style",
    metavar="STYLE",
    help="The style of a Jenkinsfile: auto, declarative, scripted.",
    shell_complete=beginning_with(lambda: registry.load("jenkins").OPTIONS["style"]),
)


class _Options(Struct):
    """Options of some targets."""

    style: str | None
    split: tuple[str, ...]
    since: str | None
    is_child: bool


@click.command("compile")
@config_argument
@target_option
@pipeline_option
@set_option
@changed_since_option
@click.option("--output", "-o", metavar="FILE", help='The output file; "-" is standard output.')
@style_option
@click.option(
    "--split",
    multiple=True,
    metavar="STAGE[,STAGE]",
    help="Put these stages and their successors into a child pipeline of GitLab; can be repeated.",
)
@format_option
@click.option(
    "--child", is_flag=True, help="For GitLab: write a file that the generating pipeline starts as its child pipeline."
)
@click.option(
    "--check", is_flag=True, help="Write no files; show differences. Without other options, check all generated files."
)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Regenerate all generated files of the repository, each with the options in its header.",
)
@click.option("--watch", is_flag=True, help="Keep running and regenerate when the config or an included file changes.")
@click.option("--force", is_flag=True, help="Overwrite files that pipegen did not write or that were changed manually.")
@strict_option
def compile_(
    config: Path | None,
    target: tuple[str, ...],
    pipeline: tuple[str, ...],
    inputs: tuple[str, ...],
    changed_since: str | None,
    output: str | None,
    style: str | None,
    split: tuple[str, ...],
    form: Format,
    *,
    child: bool,
    check: bool,
    every: bool,
    watch: bool,
    force: bool,
    strict: bool,
) -> None:
    """Generate a Jenkinsfile or a .gitlab-ci.yml from a config.

    Without --output, each target writes its usual file in the current folder.
    Without --target, the targets are those under "targets" in the config.
    --all, or --check without other options, processes each generated file of the
    repository, with the config and the options in its header.
    """
    request = _Request(
        target=target,
        pipeline=pipeline,
        output=output,
        options=_Options(style, split, changed_since, child),
        form=form,
        check=check,
        force=force,
        strict=strict,
    )
    is_whole = not (config or target or pipeline or inputs or changed_since or output or style or split or child)
    _check_request(request, every=every, watch=watch, is_whole=is_whole)
    if every or (check and is_whole):
        end(check_all(form, strict=strict) if check else write_all(form, strict=strict, force=force))
        return
    path, fixed = config_path(config), fixed_inputs(inputs)
    _check_usage(load_targets(target), output)
    if watch:
        watched(path, lambda: _compile(path, fixed, request))
    else:
        _compile(path, fixed, request)


class _Request(Struct, kw_only=True):
    """The options of a compilation, except the config and its inputs."""

    target: Sequence[str]
    pipeline: tuple[str, ...]
    output: str | None
    options: _Options
    form: Format
    check: bool
    force: bool
    strict: bool


def _check_request(request: _Request, *, every: bool, watch: bool, is_whole: bool) -> None:
    """Raise `WrongUsage` if options of *request* cannot be combined."""
    if every and (watch or not is_whole):
        raise WrongUsage(
            "--all uses the options in the headers: omit CONFIG and all options except --check, --force, --strict"
        )
    if watch and (request.check or request.output == "-"):
        raise WrongUsage("--watch writes files: omit --check and --output -")
    if request.check and request.output == "-":
        raise WrongUsage("--check compares with a file: omit --output, or name the file")


def _compile(path: Path, fixed: Mapping[str, str], request: _Request) -> None:
    """Write the requested files, or compare them with existing files."""
    report, output, since = Report(), request.output, request.options.since

    def compiled(analysed: Analysed, report: Report) -> tuple[Result, ...]:
        targets = load_targets(request.target) if request.target else named_targets(analysed)
        check_scripts(analysed, targets, report)
        check_raw(analysed, targets, report)
        return _results(analysed, targets, output, request.options, report)

    def check_further(analysed: Analysed, report: Report) -> None:
        with suppress(WrongUsage):
            compiled(analysed, report)

    analysed = attempt(
        path, report, lambda file: analysed_since(file, request.pipeline, report, fixed, since, check_further)
    )
    results = compiled(analysed, report) if analysed is not None else ()
    is_sound = analysed is not None and not report.has_errors(strict=request.strict)
    if not is_sound or output == "-":
        show(report.diagnostics(), request.form, check_stream(request.form) if request.check else sys.stderr)
    if not is_sound:
        if not report.has_errors():
            inform(request.form, "no files are written: with --strict, warnings count as errors")
        end(Exit.PROBLEMS)
    if output == "-":
        show_file(_stream(results))
        return
    _check_paths(results, path, is_written=not request.check)
    if request.check:
        end(check_files(results, request.form, report, strict=request.strict))
    else:
        end(write_files(results, request.form, report, force=request.force))


def _results(
    analysed: Analysed, targets: Sequence[Target], output: str | None, flags: _Options, report: Report
) -> tuple[Result, ...]:
    if not targets:
        raise WrongUsage("name a target: --target gitlab, --target jenkins, or both")
    _check_usage(targets, output)
    options = {
        **target_options(targets, flags.style, flags.split, is_child=flags.is_child),
        **_folder(output),
        **({"changed_since": flags.since} if flags.since else {}),
    }
    results: list[Result] = []
    for target in targets:
        try:
            files = generate(analysed, target, options, report)
        except Stopped:
            continue
        results += [
            Result(target=target.NAME, path=_output_path(file, target, output), file=file, config=analysed.file)
            for file in files
        ]
    return tuple(results)


def _check_usage(targets: Sequence[Target], output: str | None) -> None:
    if output is not None and len(targets) > 1:
        raise WrongUsage("--output is for a single target: name one target, or omit --output")


def target_options(
    targets: Sequence[Target], style: str | None, split: Sequence[str] = (), *, is_child: bool = False
) -> Mapping[str, str]:
    """Return the options of *targets*; raise `WrongUsage` if a target lacks one."""
    options: dict[str, str] = {}
    if style is not None:
        allowed = [value for target in targets for value in target.OPTIONS.get("style", ())]
        if not allowed:
            raise WrongUsage("--style is for the target jenkins")
        if style not in allowed:
            raise wrong_option("--style", style, allowed)
        options["style"] = style
    flags = {"split": "\n".join(split), "child": "yes" if is_child else ""}
    for name, value in flags.items():
        if value and not any(name in target.OPTIONS for target in targets):
            raise WrongUsage(f"--{name} is for the target gitlab")
    if split and is_child:
        raise WrongUsage("--child writes one file, because GitLab reads no further generated files: omit --split")
    return options | {name: value for name, value in flags.items() if value}


def _folder(output: str | None) -> Mapping[str, str]:
    """Return the option with the folder of *output* relative to the root of the repository; {} for the root."""
    folder = "" if output == "-" else folder_from_root(Path(output or "any"))
    return {"folder": folder} if folder else {}


def _stream(results: Sequence[Result]) -> str:
    """Return the text of *results*; several files form a stream of documents with their names."""
    if len(results) == 1:
        return results[0].file.text
    return "".join(f"--- # {result.file.name}\n{result.file.text}" for result in results)


def _output_path(file: GeneratedFile, target: Target, output: str | None) -> Path:
    """Return the path of *file*: the main file at *output*, others next to it."""
    return placed(file, target, Path(target.FILE if output is None or output == "-" else output))


def _check_paths(results: Sequence[Result], config: Path, *, is_written: bool) -> None:
    """Raise `WrongUsage` before any file is written if one of *results* cannot be written."""
    for result in reversed(results):  # a message about a missing folder names that of the main file
        if is_written:
            _make_folder(result, results[-1])
        if is_written or not _is_below(result, results[-1]) or result.path.parent.exists():
            check_writable(result.path)
        if result.path.exists() and result.path.samefile(config):
            raise WrongUsage(f'"{result.path}" is the config itself')


def _make_folder(result: Result, parent: Result) -> None:
    """Create the folder of a file that is in a subfolder of its *parent*."""
    if _is_below(result, parent) and parent.path.parent.is_dir():
        make_folder(result.path.parent)


def _is_below(result: Result, parent: Result) -> bool:
    return result.path.parent.parent == parent.path.parent != result.path.parent
