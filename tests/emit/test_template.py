"""The Jinja2 environment: what it lays out, and what it refuses."""

from pathlib import Path

import pytest
from jinja2 import TemplateNotFound, UndefinedError

from pipegen.emit.template import render


@pytest.fixture(autouse=True)
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that stands for the shipped templates."""
    monkeypatch.setattr("pipegen.emit.template.folder", lambda kind: tmp_path / kind)
    (tmp_path / "templates" / "engine").mkdir(parents=True)
    return tmp_path / "templates"


def test_renders_with_the_filters_given(templates: Path) -> None:
    """Strings pass the target's filters; lines that hold only statements leave nothing behind."""
    (templates / "engine" / "File.j2").write_text(
        "{% for stage in stages %}\n"
        "    {% if stage %}\n"
        "    stage({{ stage | shout }})\n"
        "    {% endif %}\n"
        "{% endfor %}\n"
        "end\n"
    )
    written = render("engine/File.j2", filters={"shout": str.upper}, stages=["a", "", "b"])

    assert written == "    stage(A)\n    stage(B)\nend\n"


def test_takes_user_text_for_data(templates: Path) -> None:
    """What looks like template source or markup in a value comes out as it is."""
    (templates / "File.j2").write_text("{{ text }}")
    text = "${#list[@]} {{ x }} {% y %} {# z #} <&'\">\n"

    assert render("File.j2", filters={}, text=text) == text


def test_reads_templates_as_utf_8(templates: Path) -> None:
    """A template's own text is UTF-8, whatever the machine's encoding."""
    (templates / "File.j2").write_bytes("→ é\n".encode())

    assert render("File.j2", filters={}) == "→ é\n"


def test_refuses_a_name_that_is_not_given(templates: Path) -> None:
    """A variable that the target does not give is a bug, never an empty string."""
    (templates / "File.j2").write_text("{{ stage.name }}")

    with pytest.raises(UndefinedError, match="'stage' is undefined"):
        render("File.j2", filters={})


def test_refuses_a_template_that_is_not_shipped() -> None:
    """Templates come from the shipped folder alone."""
    with pytest.raises(TemplateNotFound, match=r"absent\.j2"):
        render("absent.j2", filters={})
