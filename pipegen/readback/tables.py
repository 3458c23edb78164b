"""The stages in the tables of a large Jenkinsfile."""

from __future__ import annotations

from collections.abc import Iterator

_STAGE, _AFTER, _MORE = "stage ", "after ", "+"


def table_stages(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each stage of a table with the names that it comes after.

    A line says by its first characters what it is; one that begins with a plus goes on with the text before it.
    """
    name, after = "", list[str]()
    has_stage = False
    told = None
    for line in text.split("\n"):
        if line.startswith(_STAGE):
            if has_stage:
                yield name, tuple(after)
            name, after, has_stage, told = line.removeprefix(_STAGE), [], True, _STAGE
        elif line.startswith(_AFTER):
            after.append(line.removeprefix(_AFTER))
            told = _AFTER
        elif line.startswith(_MORE) and told == _STAGE:
            name += "\n" + line.removeprefix(_MORE)
        elif line.startswith(_MORE) and told == _AFTER:
            after[-1] += "\n" + line.removeprefix(_MORE)
        elif not line.startswith(_MORE):
            told = None
    if has_stage:
        yield name, tuple(after)
