"""Contrast of the palette's colours."""

import pytest

from pipegen.pictures.palette import DARK, LIGHT


def luminance(colour: str) -> float:
    """Return the relative luminance of *colour*: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance."""
    parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(text: str, other: str) -> float:
    """Return the contrast of two colours."""
    high, low = sorted((luminance(text), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dress", [LIGHT, DARK])
def test_text_and_strokes_have_enough_contrast(dress: dict[str, str]) -> None:
    """WCAG asks for 4.5 for text and 3 for strokes that carry meaning."""
    for ground in ("ground", "raised", "mark", "chosen"):
        assert contrast(dress["text"], dress[ground]) >= 4.5, ground
    assert contrast(dress["quiet"], dress["ground"]) >= 4.5
    for stroke in ("edge", "order", "values", "path"):
        assert contrast(dress[stroke], dress["ground"]) >= 3, stroke
