"""Variables with the values of settings, which pipegen adds to a file whose scripts read them: recognised as these."""

from __future__ import annotations

import re

from pipegen.emit.yaml import Value
from pipegen.importing.gitlab.reading.jobs import SourcePipeline
from pipegen.importing.gitlab.reading.tree import items_of, text_of
from pipegen.targets.gitlab.jobs.values import shell_variables

_PLAIN = re.compile(r"[A-Za-z0-9._:/-]+")


def setting_variables(source: SourcePipeline) -> dict[str, str]:
    """Return the texts of the variables of *source* that settings of the target replace, by name."""
    texts = {
        name: source.variables[name].text for name in shell_variables.SETTING_VARIABLES if name in source.variables
    }
    if not texts:
        return {}
    scripts = "\n".join(
        text_of(item)
        for job in source.jobs.values()
        for key in ("before_script", "script")
        for item in items_of(job.get(key))
    )
    return {
        name: text
        for name, text in texts.items()
        if shell_variables.is_read(name, scripts)
        and (_PLAIN.fullmatch(text) or text == shell_variables.default_of(name))
    }


def settings_of(variables: dict[str, str]) -> dict[str, Value]:
    """Return the settings of the target that give *variables* their texts, without those that are the defaults."""
    keys = shell_variables.SETTING_VARIABLES
    return {keys[name]: text for name, text in variables.items() if text != shell_variables.default_of(name)}
