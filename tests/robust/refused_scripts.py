"""The share of legitimate references that pipegen rejects, measured on real scripts.

    PYTHONPATH=.:tests python tests/robust/refused_scripts.py [--examples]

Reads the scripts of the configs in `../shared/corpus` and `../shared/import-corpus`. It replaces each constant that a
person would plausibly make variable (a URL, a version, a tag, the last component of a path) by a reference, one at a
time, and prints how many of these scripts are rejected, by reason. `--examples` adds up to five lines for each reason.
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from bindings.sample_scripts import scalar
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from pipegen.bindings.script.entry import parse_script
from pipegen.diagnostics.report import Report

_SHARED = Path(__file__).parents[3] / "shared"
_REFERENCE = "${s.v}"
_KEYS = {"script", "before_script", "after_script"}
_END = r"(?=[\s\"';)]|$)"
KINDS = {
    "URL": re.compile(r"https?://[A-Za-z0-9_./:%-]+[A-Za-z0-9_/]"),
    "version": re.compile(rf"(?<![\w.$/:-])v?[0-9]+\.[0-9]+(?:\.[0-9]+)*{_END}"),
    "tag": re.compile(rf"(?<=[A-Za-z0-9]:)(?<!//)[A-Za-z0-9][A-Za-z0-9._-]*{_END}"),
    "path": re.compile(rf"(?<=[A-Za-z0-9_.}}]/)[A-Za-z0-9][A-Za-z0-9_.-]*{_END}"),
}


def scripts(node: object) -> Iterator[str]:
    """Yield the scripts in the YAML tree *node*."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in _KEYS and isinstance(value, str):
                yield str(value)
            elif key in _KEYS and isinstance(value, list):
                yield "\n".join(str(line) for line in value if isinstance(line, str))
            else:
                yield from scripts(value)
    elif isinstance(node, list):
        for item in node:
            yield from scripts(item)


def with_references(script: str) -> Iterator[tuple[str, str, str]]:
    """Yield a kind of constant, *script* with a reference in place of one such constant, and the changed line."""
    for kind, pattern in KINDS.items():
        for match in pattern.finditer(script):
            start = script.rfind("\n", 0, match.start()) + 1
            if "#" in script[start : match.start()]:
                continue
            changed = f"{script[: match.start()]}{_REFERENCE}{script[match.end() :]}"
            yield kind, changed, changed[start:].partition("\n")[0].strip()


def reasons(script: str) -> list[str]:
    """Return the diagnostics of *script*."""
    report = Report()
    parse_script(scalar(script), ["s"], report, is_bash=True)
    return [f"{diagnostic.code.number} {diagnostic.message}" for diagnostic in report.diagnostics()]


def _corpus() -> Iterator[str]:
    """Yield the scripts of the corpora, each once."""
    seen: set[str] = set()
    files = (path for name in ("corpus", "import-corpus") for path in sorted((_SHARED / name).rglob("*.y*ml")))
    for path in files:
        try:
            documents = list(YAML().load_all(path.read_text(errors="replace")))
        except YAMLError:
            continue
        for script in scripts(documents):
            if script not in seen:
                seen.add(script)
                yield script


def main() -> int:
    """Print the figures."""
    parser = ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--examples", action="store_true", help="print up to five lines for each reason")
    arguments = parser.parse_args()
    total: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    script_count = 0
    for script in _corpus():
        script_count += 1
        if reasons(script):
            continue
        for kind, changed, line in with_references(script):
            total[kind] += 1
            texts = reasons(changed)
            refused[kind] += bool(texts)
            for reason in texts[:1]:
                by_reason[reason].append(line)
    positions = max(total.total(), 1)
    share = refused.total() / positions
    print(f"{script_count:,} scripts, {positions:,} references: {refused.total():,} refused ({share:.2%})")
    for kind, number in total.items():
        print(f"  {kind}: {refused[kind]:,} of {number:,}")
    for reason, lines in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        print(f"  {len(lines):,} {reason}")
        for line in lines[:5] if arguments.examples else ():
            print(f"      {line[:160]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
