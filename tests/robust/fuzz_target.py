"""One run of the fuzzer: compiles bytes as configs repeatedly, and stores those that reach new code.

    python tests/robust/fuzz_target.py FAULTS [OPTION OF LIBFUZZER]... CORPUS

`fuzz.py` calls it in a separate process, so that it can observe any fault.
"""

from __future__ import annotations

import gc
import re
import sys
import tempfile
import zlib
from importlib import import_module
from pathlib import Path
from random import Random

_FRAME = re.compile(r'File "[^"]*/(pipegen/[^"]+)", line (\d+)')


def main() -> None:
    """Fuzz with the options of the command line; libFuzzer ends the process."""
    faults, *options = sys.argv[1:]
    atheris = import_module("atheris")
    with atheris.instrument_imports(include=["pipegen"]):
        from robust.arbitrary_input import Answer, answer, style_of  # noqa: PLC0415 - as they are imported, they are instrumented
        from robust.fuzz_seeds import Mutator, seeds  # noqa: PLC0415

        from pipegen.diagnostics.render import FORMATS  # noqa: PLC0415

        mutator = Mutator(seeds())
        # Rendering diagnostics takes as long as finding them, so only some inputs render them.
        forms = [*((form,) for form in FORMATS), *[()] * 5 * len(FORMATS)]
        path = Path(tempfile.mkdtemp(prefix="fuzz")) / "pipegen.yaml"

        def answered(data: bytes) -> Answer:
            return answer(data, path, style_of(data), forms[zlib.crc32(data) % len(forms)])

        # Modules that are imported on first use are instrumented, too.
        for text in seeds():
            answered(text.encode())

    def tried(data: bytes) -> None:
        answer = answered(data)
        for fault in answer.faults:
            keep(Path(faults), fault, data)

    def mutated(data: bytes, size: int, seed: int) -> bytes:
        dice = Random(seed)
        if dice.random() < 1 / 6:
            return bytes(atheris.Mutate(data, size))
        return mutator.mutated(data, dice)[:size]

    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000)
    atheris.Setup([sys.argv[0], *options], tried, custom_mutator=mutated)
    atheris.Fuzz()


def keep(folder: Path, fault: str, data: bytes) -> None:
    """Store the shortest *data* of each kind of *fault* in *folder*."""
    frames = _FRAME.findall(fault)
    path, line = frames[-1] if frames else (fault.split(" ", 1)[0], "0")
    stem = re.sub(r"\W+", "-", f"{path}-{line}-{fault.strip().splitlines()[-1].split(':')[0] if frames else ''}")[:80]
    kept = folder / f"{stem}.yaml"
    if not kept.exists() or len(data) < kept.stat().st_size:
        folder.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(data)
        kept.with_suffix(".txt").write_text(fault, encoding="utf-8", errors="replace")


if __name__ == "__main__":
    main()
