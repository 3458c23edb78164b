"""Generated Jenkinsfiles, compared with the methods that Jenkins' sandbox permits without an administrator's approval.

PYTHONPATH=.:tests python tests/robust/sandbox_permissions.py [--nightly]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from engines.script_security import Uses, refused, uses
from engines.sized import as_tables, built, realistic
from robust.trial_result import Figures

ROOT = Path(__file__).parents[2]
_EXAMPLES = sorted((*ROOT.glob("examples/*/pipegen.yaml"), *ROOT.glob("examples/*/.pipeline/config.yaml")))
_GOLDENS = sorted((ROOT / "tests" / "golden").glob("*/pipeline.yml"))
# Keys of a config whose texts are Groovy.
_GROOVY = frozenset({"wrap", "options", "libraries", "steps", "triggers", "parameters", "definitions"})


@dataclass(frozen=True)
class File:
    """A generated file, and the Groovy in its config, whose approval is up to the user."""

    text: str
    groovy: str = ""


def generated(*, is_nightly: bool = False) -> dict[str, File]:
    """Return the expected files of goldens, all examples in both styles, and a file with tables; more if nightly."""
    files: dict[str, File] = {}
    for path in _GOLDENS:
        text = (path.parent / "expected" / "Jenkinsfile").read_text("utf-8")
        files[path.parent.name] = File(text, _groovy(path))
    for path in (*_EXAMPLES, *(_GOLDENS if is_nightly else ())):
        for style in ("auto", "scripted"):
            files[f"{path.relative_to(ROOT)} {style}"] = File(built(path, style).text, _groovy(path))
    with pytest.MonkeyPatch.context() as patch:
        for path in _EXAMPLES if is_nightly else ():
            files[f"{path.relative_to(ROOT)} as tables"] = File(as_tables(path, patch).text, _groovy(path))
        files["tables"] = File(as_tables(realistic(60), patch).text)
    return files


def unapproved(files: Mapping[str, File], uses_by_file: Mapping[str, Uses]) -> dict[str, list[str]]:
    """Return by file the uses in *uses_by_file* that require approval and were not written by the user."""
    words = {
        name: [word for word in refused(uses_by_file[name]) if not _is_in(word, files[name].groovy)] for name in files
    }
    return {name: refusals for name, refusals in words.items() if refusals}


def figures(*, is_nightly: bool) -> Figures:
    """Return the numbers of checked calls and files, and of calls that require approval."""
    files = generated(is_nightly=is_nightly)
    uses_by_file = uses({name: file.text for name, file in files.items()})
    refused = unapproved(files, uses_by_file)
    words = [word for file_uses in uses_by_file.values() for word in file_uses.words]
    return Figures(
        title="Jenkinsfiles and the sandbox's list",
        lines=(
            f"files: {len(files)}",
            f"calls, constructors, properties, operators, steps looked at: {len(words)}, {len(set(words))} different",
            *(f"needs approval in {name}: {', '.join(refusals)}" for name, refusals in refused.items()),
        ),
        wrong=sum(map(len, refused.values())),
    )


def _groovy(config: Path) -> str:
    def texts(node: object, *, is_inside: bool) -> Iterator[str]:
        match node:
            case dict():
                for key, value in node.items():
                    if is_inside:
                        yield key
                    yield from texts(value, is_inside=is_inside or key in _GROOVY)
            case list():
                for item in node:
                    yield from texts(item, is_inside=is_inside)
            case str() if is_inside:
                yield node

    return "\n".join(texts(yaml.safe_load(config.read_text("utf-8")), is_inside=False))


def _is_in(word: str, groovy: str) -> bool:
    """Return whether *word* is a call of a step, a global variable or a method in *groovy*."""
    match word.split(" "):
        case ["call" | "global", name] | ["method", _, name, _]:
            return re.search(rf"\b{re.escape(name)}\b", groovy) is not None
    return False


if __name__ == "__main__":
    came = figures(is_nightly="--nightly" in sys.argv[1:])
    print(came.title, *came.lines, f"wrong: {came.wrong}", sep="\n")
    sys.exit(came.wrong > 0)
