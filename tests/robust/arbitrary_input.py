"""Robustness against any bytes: analysis, compilation for each target, and output of all diagnostics."""

from __future__ import annotations

import signal
import time
import traceback
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from robust.random_edits import edited

from pipegen.compiler import analyse, generate
from pipegen.config.files.load import absolute, decode, folder_of, repository_root
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.render import FORMATS
from pipegen.diagnostics.report import Report, Stopped
from pipegen.lint.registry import RULES, run_rules
from pipegen.lint.rules import shellcheck
from pipegen.source.text import Span
from pipegen.targets import registry

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared/corpus"
# The limit of CPU time for one config; elapsed time would depend on other processes. It is generous, as machines
# differ: work that grows faster than its input takes minutes.
LIMIT = 10.0
# A process that has not ended after this number of seconds hangs.
_HANGS = 30
STYLES = ("auto", "declarative", "scripted")
# Shellcheck is not part of pipegen, and takes longer than all other rules.
_RULES = tuple(rule for rule in RULES if rule is not shellcheck.check)


@dataclass(frozen=True, slots=True)
class Answer:
    """The result for a config: the exit status 0, 1 or 3, the CPU seconds, and the faults."""

    status: int
    seconds: float
    faults: tuple[str, ...]


@cache
def seeds(*, has_corpus: bool = True) -> tuple[Path, ...]:
    """Return the configs to edit: the corpus next to the checkout, or the configs of the checkout."""
    paths = sorted(CORPUS.glob("*/*.y*ml")) if has_corpus else []
    configs = (path for kind in ("examples/*", "tests/golden/*") for path in sorted(ROOT.glob(kind + "/pip*.y*ml")))
    return tuple(paths or (path for path in configs if not path.name.endswith(".test.yaml")))


def attempt(number: int, seed: int, paths: Sequence[Path]) -> tuple[bytes, str, Answer]:
    """Return the config after edit *number* of *seed*, a description of the edit, and the result."""
    dice = Random(f"{seed} {number}")
    path = dice.choice(paths)
    data, texts = edited(text_of(path), dice, [text_of(dice.choice(paths)) for _ in range(2)])
    return data, f"{path.parent.name}/{path.name} {' '.join(texts)}", answer(data, path, dice.choice(STYLES))


@cache
def text_of(path: Path) -> str:
    """Return the text of the config at *path*."""
    return path.read_text(encoding="utf-8", errors="replace")


def style_of(data: bytes) -> str:
    """Return the Jenkinsfile style for a config *data*, always the same."""
    return STYLES[zlib.crc32(data) % len(STYLES)]


def answer(data: bytes, path: Path, style: str = "auto", forms: Collection[str] = tuple(FORMATS)) -> Answer:
    """Return the result for a config *data* at *path*, with diagnostics in *forms*."""
    started = time.process_time()
    try:
        with _ended_after(_HANGS):
            status, faults = _compiled(data, path, style, forms)
    except Exception as error:  # noqa: BLE001 - any that gets here is what is looked for
        status, faults = 3, ["".join(traceback.format_exception(error)[-3:])]
    seconds = time.process_time() - started
    if seconds > LIMIT:
        faults.append(f"took {seconds:.1f} s")
    return Answer(status, seconds, tuple(faults))


def _compiled(data: bytes, path: Path, style: str, forms: Collection[str]) -> tuple[int, list[str]]:
    report = Report()
    file = decode(data, path.name, _folder(path), report, absolute(path))
    try:
        report.stop_if_errors()
        analysed = analyse(file, (), report)
        for name in ("gitlab", "jenkins"):
            own = Report()
            try:
                generate(analysed, registry.load(name), {"style": style} if name == "jenkins" else {}, own)
            finally:
                report.take(own)
        run_rules(_RULES, analysed.for_rules(registry.BUILT_IN), report)
    except Stopped:
        if not report.has_errors():
            return 3, ["stopped without an error"]
    diagnostics = report.diagnostics()
    for form in forms:
        FORMATS[form](diagnostics, colour=True)
    return int(report.has_errors()), list(_misplaced(diagnostics))


@cache
def _folder(path: Path) -> str:
    return folder_of(absolute(path), repository_root(path))


def _misplaced(diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    """Yield the spans that are outside their file."""
    for diagnostic in diagnostics:
        labels = [label for label in (diagnostic.primary, *diagnostic.related) if label is not None]
        yield from (
            f"{diagnostic.code.number} at {_range(span)}"
            for span in (label.span for label in labels)
            if not is_inside(span)
        )


def is_inside(span: Span) -> bool:
    """Return whether *span* is within its file."""
    return 0 <= span.start <= span.end <= len(span.file.text)


def _range(span: Span) -> str:
    return f"{span.start}-{span.end} of {len(span.file.text)} characters"


@contextmanager
def _ended_after(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError(f"no answer after {seconds} s")

    before: Callable[..., object] | int | None = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
