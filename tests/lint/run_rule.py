"""Runs lint on the examples, documents, goldens and corpus, and prints the diagnostics of one code.

PYTHONPATH=.:tests python tests/lint/run_rule.py PG703
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from documents import ROOT, blocks

from pipegen.cli.linting import lint
from pipegen.compiler import analyse
from pipegen.config.files.load import load
from pipegen.diagnostics.render.text import render
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.targets.registry import load as load_target

CORPUS = ROOT.parent / "shared" / "corpus"


def files() -> Iterator[SourceFile]:
    """Yield the configs of the examples, goldens and documents, and of the corpus if it exists."""
    for folder, pattern in ((ROOT / "examples", "*/*.yaml"), (ROOT / "tests" / "golden", "*/pipeline.yml")):
        yield from map(_loaded, sorted(folder.glob(pattern)))
    for path, block in blocks():
        yield SourceFile(path, block.file.text)
    yield from map(_loaded, sorted(path for path in CORPUS.rglob("*.y*ml") if path.is_file()))


def _loaded(path: Path) -> SourceFile:
    return load(path, Report(), shown=str(path.relative_to(ROOT.parent)))


def diagnostics(file: SourceFile, code: str) -> Report:
    """Return a report with the diagnostics of *code* in *file*, for both built-in targets."""
    everything, report = Report(), Report()
    with suppress(Stopped):
        lint(analyse(file, (), everything), everything, (load_target("jenkins"), load_target("gitlab")))
    report.take(everything, lambda diagnostic: code in {diagnostic.code.number, diagnostic.code.name})
    return report


def main() -> None:
    """Print the diagnostics of the code given as argument, and their number."""
    (code,) = sys.argv[1:]
    if not CORPUS.is_dir():
        sys.stdout.write(f"There is no corpus: put configs to {CORPUS}\n")
    configs = count = 0
    for file in files():
        problems = diagnostics(file, code).diagnostics()
        configs, count = configs + 1, count + len(problems)
        if problems:
            sys.stdout.write(render(problems) + "\n")
    sys.stdout.write(f"{count} diagnostics of {code} in {configs} configs\n")


if __name__ == "__main__":
    main()
