"""Building an image variant."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import join, normpath, relpath

from pipegen.bindings.expression import Items, Text
from pipegen.plan.model import BlubberInline, BlubberPath, BuildImage, ImageFile
from pipegen.shell.command import Command
from pipegen.shell.images import is_pushed, local_tag, pushed_name
from pipegen.shell.layout import indented, printed, redirected, wrapped
from pipegen.shell.lowering import Lowering
from pipegen.shell.prelude import DOCKERIGNORE_BACKUP, RESTORE_DOCKERIGNORE
from pipegen.shell.quote import Literal, ShellFragment, Word, assigned, operand, quote, shell_text, single_quoted
from pipegen.shell.words.document import document_lines, here_document, write_document
from pipegen.shell.words.items import each
from pipegen.shell.words.text import argument, own_variable, word

_FILE = "blubber.yaml"
_PATH = f'"$pipegen/{_FILE}"'
_WITH_FRONTEND = "a blubberfile without a frontend gets the default one"
_FRONTEND = """NR == 1 && tolower($0) !~ /^# *syntax *=/ { print "# syntax=" ENVIRON["FRONTEND"] } 1"""


def build(step: BuildImage, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands of *step*."""
    source, path = step.blubberfile, _PATH
    piped = None
    if isinstance(source, ImageFile):
        path = quote(operand(source.path))
    else:
        piped = _piped(step, source, lowering)
        if piped is None:
            yield from _blubberfile(source, lowering)
    if step.excludes:
        yield _replace_dockerignore(step.excludes, _ignore_file(step.context, lowering), lowering)
    yield from _pull_option(step, lowering)
    yield Command(wrapped(_build_command(step, lowering, path))) if piped is None else piped
    if step.excludes:
        yield Command((RESTORE_DOCKERIGNORE, "pipegen_ignore="), "the .dockerignore of the repository again")
    yield from _image_id_commands(lowering)


def _piped(step: BuildImage, source: BlubberPath | BlubberInline, lowering: Lowering) -> Command | None:
    """Return the command that builds the blubberfile from standard input; None where it has to be a file."""
    if not lowering.host.is_disposable:
        return None
    frontend = (Literal("# syntax="), *shell_text(lowering.host.frontend))
    command = wrapped(_build_command(step, lowering, "-"))
    if isinstance(source, BlubberInline):
        lines = document_lines(source.document, lowering)
        return None if lines is None else Command(here_document(command, lines, frontend))
    file = quote(_path_in_directory(source.path, lowering))
    return Command(
        (
            f"{{ head -n 1 <{file} | grep -qi '^# *syntax *=' || echo {quote(frontend)}; cat <{file}; }} |",
            *indented(command),
        ),
        _WITH_FRONTEND,
    )


def _blubberfile(source: BlubberPath | BlubberInline, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that write the blubberfile with the name of its frontend."""
    frontend = shell_text(lowering.host.frontend)
    if isinstance(source, BlubberInline):
        yield from write_document(source.document, _FILE, lowering, (Literal("# syntax="), *frontend))
        return
    yield Command(
        wrapped(
            (
                f"FRONTEND={assigned(frontend)} awk",
                single_quoted(_FRONTEND),
                f"<{quote(_path_in_directory(source.path, lowering))} >{_PATH}",
            )
        ),
        _WITH_FRONTEND,
    )


def _path_in_directory(path: Text, lowering: Lowering) -> Word:
    """Return the path of a blubberfile, relative to the job's directory."""
    folder = lowering.plan.folder or "."
    constant = path.constant
    if constant is not None:
        return (Literal(relpath(join("/", folder, constant), join("/", lowering.job.directory))),)
    return (Literal(relpath(join("/", folder), join("/", lowering.job.directory)) + "/"), *word(path, lowering))


def _build_command(step: BuildImage, lowering: Lowering, file: str) -> list[str]:
    """Return the parts of the command that builds *file*."""
    tag = quote(local_tag(lowering.job, lowering.host))
    is_disposable = lowering.host.is_disposable
    parts = ["docker build" if is_disposable else "DOCKER_BUILDKIT=1 $DOCKER build", *_pull_word(step.pull)]
    parts += [] if is_disposable else ["--force-rm"]
    labels = (*lowering.host.labels, ("ci.pipeline", None))
    parts += [f"--file {file}", *_variant_words(step, lowering), f"--tag {tag}"]
    for label, value in labels:
        text = shell_text(value) if value is not None else (Literal(lowering.plan.name),)
        parts.append(f"--label {quote((Literal(f'{label}='), *text))}")
    constant = step.context.constant
    if constant is None:
        return [*parts, "--", argument(step.context, lowering)]
    return [*parts, quote(operand(constant))]


def _variant_words(step: BuildImage, lowering: Lowering) -> list[str]:
    """Return the options for the variant of a blubberfile, or for the arguments of a Dockerfile."""
    source = step.blubberfile
    if not isinstance(source, ImageFile):
        return [f"--target {argument(step.variant, lowering)}"]
    return [f"--build-arg {quote((Literal(f'{name}={value}'),))}" for name, value in source.arguments]


def _pull_option(step: BuildImage, lowering: Lowering) -> Iterator[Command]:
    if step.pull.constant is None:
        yield Command(
            ("set --", f"[ {argument(step.pull, lowering)} != always ] || set -- --pull"),
            "whether the newest base images are pulled",
        )


def _pull_word(pull: Text) -> list[str]:
    if pull.constant is None:
        return ['"$@"']
    return ["--pull"] if pull.constant == "always" else []


def _ignore_file(context: Text, lowering: Lowering) -> Word:
    """Return the path of the context's .dockerignore, valid in any working directory."""
    constant = context.constant
    if constant is None:
        return (ShellFragment("$PWD/"), *word(context, lowering), Literal("/.dockerignore"))
    path = normpath(join(constant, ".dockerignore"))
    return (Literal(path),) if path.startswith("/") else (ShellFragment("$PWD/"), Literal(path))


def _replace_dockerignore(excludes: Items[Text], path: Word, lowering: Lowering) -> Command:
    """Return the command that replaces the user's .dockerignore, which is restored after the build."""
    constants = [item.constant for item in excludes if isinstance(item, Text) and item.constant is not None]
    if len(constants) == len(excludes):
        print_lines = printed(constants)
    else:
        lines = each(excludes, lowering, lambda item, inner: (f"printf '%s\\n' {argument(item, inner)}",))
        print_lines = ("{", *indented(lines), "}")
    ignore_file = quote(path)
    return Command(
        (
            f"[ ! -e {ignore_file} ] || cp {ignore_file} {DOCKERIGNORE_BACKUP}",
            f"pipegen_ignore={ignore_file}",
            *redirected(print_lines, '"$pipegen_ignore"'),
        ),
        "the .dockerignore of the stage instead of that of the repository",
    )


def _image_id_commands(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that read the image's ID, and push the image if other jobs pull it."""
    job, host = lowering.job, lowering.host
    tag = local_tag(job, host)
    if "imageID" in lowering.needed:
        variable = own_variable("imageID", lowering)
        yield Command(
            (
                f"{variable}=$({host.docker} image inspect --format '{{{{.Id}}}}' {quote(tag)})",
                f"{variable}=${{{variable}#sha256:}}",
            )
        )
    if is_pushed(job, host):
        yield Command((f"{host.docker} push {quote(tag)}",)) if host.names_images else _push(tag, lowering)


def _push(tag: Word, lowering: Lowering) -> Command:
    name = pushed_name(lowering.job.stage, lowering)
    return Command(
        (
            f"pipegen_image={assigned(name)}",
            'pipegen_images="$pipegen_images $pipegen_image"',
            f'$DOCKER tag {quote(tag)} "$pipegen_image"',
            '$DOCKER push "$pipegen_image"',
        ),
        "for the stages that use the image",
    )
