"""The time of `pipegen import`, compared with programs that only parse the same files, as whole processes.

    PYTHONPATH=.:tests python tests/benchmarks/imports.py [FOLDER…] [--rounds 5]

Each folder has a `.gitlab-ci.yml` with its local includes; without folders, these are the real pipelines in `shared`
next to the checkout. The last row is a generated file of about 2,900 lines. The programs take turns, so that other load
on the machine affects all of them equally; the table shows medians.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.make_comparison import CALL
from benchmarks.workload import config

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.targets import registry

CORPUS = Path(__file__).parents[3] / "shared/import-corpus/gitlab"
MAIN = ".gitlab-ci.yml"
STAGES, SHOWN = 230, 10
# PyYAML uses libyaml, if it has it. Nodes have no values yet: tags such as !reference would need classes.
PYYAML = """
import sys, yaml
loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for document in yaml.compose_all(file, loader):
            pass
"""
RUAMEL = """
import sys
from ruamel.yaml import YAML
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for document in YAML().compose_all(file):
            pass
"""
PROGRAMS = {"pipegen import": "", "ruamel.yaml": RUAMEL, "PyYAML": PYYAML}


def main() -> None:
    """Print the table: the slowest pipelines, the median of all, and the generated one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "folders", nargs="*", type=Path, default=sorted(path.parent for path in CORPUS.glob(f"*/{MAIN}"))
    )
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"{'lines':>6}" + "".join(f"{name:>17}" for name in PROGRAMS), flush=True)
    rows = [(folder.name, _lines(folder), _times(folder, options.rounds)) for folder in options.folders]
    for name, lines, times in sorted(rows, key=lambda row: -row[2][0])[:SHOWN]:
        _print(lines, times, name)
    if rows:
        columns = zip(*(times for _, _, times in rows), strict=True)
        _print(int(median(lines for _, lines, _ in rows)), tuple(map(median, columns)), f"median of {len(rows)}")
        slow = sum(times[0] >= 1 for _, _, times in rows)
        print(f"{slow} of {len(rows)} take a second or more")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / MAIN).write_text(_generated(), encoding="utf-8")
        _print(_lines(folder), _times(folder, options.rounds), f"generated from {STAGES} stages")


def _generated() -> str:
    """Return a generated `.gitlab-ci.yml`."""
    report = Report()
    analysed = analyse(SourceFile("pipegen.yaml", config(STAGES)), (), report)
    return generate(analysed, registry.load("gitlab"), {}, report)[-1].text


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.y*ml") if path.is_file())


def _lines(folder: Path) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in _files(folder))


def _times(folder: Path, rounds: int) -> tuple[float, ...]:
    """Return the median seconds of each program."""
    files = [str(path) for path in _files(folder)]
    calls = [
        [sys.executable, "-c", program, *files]
        if program
        else [sys.executable, "-c", CALL, "import", MAIN, "--output", "-"]
        for program in PROGRAMS.values()
    ]
    measured = [[_seconds(call, folder) for call in calls] for _ in range(rounds)]
    return tuple(median(column) for column in zip(*measured, strict=True))


def _seconds(call: Sequence[str], folder: Path) -> float:
    """Return how long *call* takes in *folder*; an import with errors exits with 1."""
    start = time.perf_counter()
    process = subprocess.run(call, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    seconds = time.perf_counter() - start
    if process.returncode not in (0, 1) or b"Traceback" in process.stderr:
        raise SystemExit(process.stderr.decode(errors="replace")[-2000:])
    return seconds


def _print(lines: int, times: Sequence[float], name: str) -> None:
    print(f"{lines:>6,}" + "".join(f"{seconds:>15.2f} s" for seconds in times) + f"  {name}", flush=True)


if __name__ == "__main__":
    main()
