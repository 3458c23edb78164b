"""Regenerates the screenshots in docs/pictures, of 3, 30 and 300 stages; needs the checkout and tests on the path."""

from __future__ import annotations

import base64
import random
import tempfile
from pathlib import Path

from engines.browser import Page, browser

from pipegen.cli.pictures.drawing import of_config
from pipegen.cli.session import Format
from pipegen.compiler import Analysed, analyse
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
SMALL = """\
pipelines:
  service:
    stages:
      - name: build
        script: [make dist]
        outputs: { version: { command: cat VERSION } }
        artifacts: [dist/]
      - name: test
        script: ['pytest --expected-version="${build.version}"']
      - name: release
        when: { branch: main }
        approve: Release this version?
        script: ['./release "${build.version}"']
"""
_VERBS = ("lint", "unit", "build", "image", "scan", "docs", "pack", "deploy", "verify", "bench", "sign", "fetch")


def analysed(file: SourceFile, report: Report) -> Analysed:
    """Return the analysis of *file* without options."""
    return analyse(file, (), report)


def fleet() -> str:
    """Return a config of 300 stages in layers; some arcs skip layers, and some pass values."""
    dice = random.Random(7)  # noqa: S311 - the same picture every time
    names = [f"{dice.choice(_VERBS)}-{number:03d}" for number in range(300)]
    layers: list[list[int]] = []
    while (first := sum(map(len, layers))) < len(names):
        layers.append(list(range(first, min(first + dice.randint(8, 24), len(names)))))
    before: dict[int, set[int]] = {number: set() for number in layers[0]}
    for index, layer in enumerate(layers[1:], start=1):
        for nth, number in enumerate(layer):
            before[number] = set()
            for _ in range(dice.choice((1, 1, 2, 3))):
                back = 1 if dice.random() < 0.88 else min(index, dice.randint(2, 6))
                previous = layers[index - back]
                middle = nth / len(layer) * len(previous)
                nearest = round(dice.gauss(middle, len(previous) / 6))
                before[number].add(previous[min(max(nearest, 0), len(previous) - 1)])
    lines = ["pipelines:", "  fleet:", "    stages:"]
    for number, name in enumerate(names):
        reads = "".join(
            f' "${{{names[predecessor]}.id}}"' for predecessor in sorted(before[number]) if predecessor % 5 < 2
        )
        outputs = "outputs: { id: { command: cat id } }, " if number % 5 < 2 else ""
        lines.append(f"      - {{ name: {name}, {outputs}script: ['make {name}{reads}'] }}")
    lines += ["    execution:"]
    for number, earlier in before.items():
        lines += [f"      - [{names[predecessor]}, {names[number]}]" for predecessor in sorted(earlier)] or [
            f"      - [{names[number]}]"
        ]
    return "\n".join([*lines, ""])


def shot(page: Page, name: str, height: int = 813) -> None:
    """Write a screenshot of the visible page."""
    page.look("new Promise(done => setTimeout(done, 400))")
    clip = {"x": 0, "y": 0, "width": 1400, "height": height, "scale": 1}
    (PICTURES / name).write_bytes(
        base64.b64decode(page.send("Page.captureScreenshot", format="webp", quality=80, clip=clip)["data"])
    )


def main() -> None:
    """Take all screenshots."""
    with tempfile.TemporaryDirectory() as name, browser(folder := Path(name)) as page:
        for form, text in (("small", SMALL), ("fleet", fleet())):
            (folder / f"{form}.yaml").write_text(text, encoding="utf-8")
        for form, config in {
            "small": folder / "small.yaml",
            "page": PICTURES / "shop.yaml",
            "fleet": folder / "fleet.yaml",
        }.items():
            (folder / f"{form}.html").write_text(
                of_config(config, analysed, (), Format.TEXT, is_page=True), encoding="utf-8"
            )
        page.send("Emulation.setDeviceMetricsOverride", width=1400, height=330, deviceScaleFactor=1, mobile=False)
        page.open(folder / "small.html")
        shot(page, "small.webp", 330)
        page.send("Emulation.clearDeviceMetricsOverride")
        page.open(folder / "page.html")
        page.click('[aria-label^="staging"]')
        page.send("Input.dispatchMouseEvent", type="mouseMoved", x=700, y=20)
        shot(page, "page.webp")
        page.prefer(color_scheme="dark", reduced_motion="reduce")
        page.open(folder / "fleet.html")
        shot(page, "fleet.webp")


if __name__ == "__main__":
    main()
