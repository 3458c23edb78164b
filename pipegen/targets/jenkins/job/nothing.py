"""The Jenkinsfile of a config without stages: a build that does nothing and succeeds."""

from __future__ import annotations

from pipegen.emit.header import header, options_note
from pipegen.emit.template import render as render_template
from pipegen.targets.base import Request
from pipegen.targets.jenkins.groovy import FILTERS, comment
from pipegen.targets.jenkins.stages.lower_stages import Style


def render_nothing(request: Request) -> str:
    """Return a file in the style of *request* that takes no agent."""
    style = request.options.get("style", "auto")
    is_scripted = style == Style.SCRIPTED.value
    body = render_template(
        "jenkins/nothing.j2", filters=FILTERS, is_scripted=is_scripted, words=f"{request.source} has no stages."
    )
    notes = (*options_note(request.selected, request.fixed_inputs), *((f"Style: {style}.",) if style != "auto" else ()))
    lines = header(request.source, notes, body)
    return "".join(f"// {comment(line)}\n" for line in lines) + "\n" + body
