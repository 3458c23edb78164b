"""Pictures as one interactive, self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pipegen.emit.template import render
from pipegen.pictures.legend import legend
from pipegen.pictures.model import Picture
from pipegen.pictures.palette import CSS_VARIABLES, DARK, LIGHT
from pipegen.pictures.policy import content_security_policy
from pipegen.pictures.scene import Scene, number, scene
from pipegen.visible import visible


def render_page(source: str, pictures: Sequence[Picture]) -> str:
    """Return the page of *pictures* of the pipelines in the file *source*."""
    scenes = [scene(picture) for picture in pictures]
    filters = {"n": number}
    style = render("pictures/page.css.j2", filters=filters, light=LIGHT, dark=DARK, named=CSS_VARIABLES)
    script = render("pictures/page.js.j2", filters=filters)
    return render(
        "pictures/page.html.j2",
        filters={**filters, "visible": visible},
        title=f"{visible(source)}: {', '.join(visible(picture.name) for picture in pictures)}",
        source=visible(source),
        scenes=scenes,
        legend=legend(scenes),
        style=style,
        script=script,
        policy=content_security_policy(style, script=script),
        data=script_json([_scene_data(scene_) for scene_ in scenes]),
    )


def script_json(value: object) -> str:
    """Return *value* as JSON for a `script` element: nothing in it ends the element or begins a comment."""
    text = json.dumps(value, separators=(",", ":"))  # ASCII, so that line separators are escaped
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _scene_data(scene_: Scene) -> Mapping[str, object]:
    return {
        "name": scene_.picture.name,
        "stages": [
            {
                "name": card.stage.name,
                "marks": [mark.value for mark in card.stage.marks],
                "box": [round(value, 1) for value in (card.box.x, card.box.y, card.box.width, card.box.height)],
                **card.stage.detail,
            }
            for card in scene_.cards
        ],
    }
